//! Golden results: problems, and the answers of the separate models of chains, trees and limits that the skeleton replaced.
//!
//! `tests/data/skeletons/golden.json` has plain numbers: metres, radians, quaternions as w, i, j, k of any length; coordinates of
//! answers are rounded to 1e-10. A case is `sensitive` where the old model's answer changed when the target was moved by a few
//! roundings; then only the kinds of outcome are compared.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use urdf_ik::skeleton::pitch_yaw::{self, PathPoint, PathSteps, PitchYawArm};
use urdf_ik::skeleton::{
    Cone, Configuration, Joint, Options, Outcome, Problem, Range, Reason, Root, Segment, Skeleton, Target,
};

use crate::common::{read_json, root};
use crate::figures::{at, solve};

/// Cases whose iterations or points differ from what was recorded, and why. Their kinds of outcome do not.
const DIFFERENT: [(&str, &[usize], &str); 12] = [
    ("plane", &[4], LENGTHS),
    ("space", &[4], LENGTHS),
    ("trees", &[5, 14, 32], LENGTHS),
    ("plane", &[5, 11], MOVED),
    ("space", &[5, 11, 17, 23, 29, 35], MOVED),
    ("plane", &[10], FREE),
    ("space", &[10, 22, 34], FREE),
    (
        "trees",
        &[3, 4, 6, 12, 20, 22, 28],
        "the closest configuration of all cycles counts, not only the last of each attempt",
    ),
    ("trees", &[11, 19, 27, 30], "scattered starts bend at every joint; they lay along lines from the root"),
    ("limited", &[0, 1, 17, 21, 22], "a cycle that meets the target is not accelerated"),
    ("limited", &[8], "a chain that is stretched as far as it goes has arrived"),
    ("arms", &[7], "an attempt bends the arm by other angles"),
];
const LENGTHS: &str = "the seed does not have the lengths, and gets them by its directions before the first cycle";
const MOVED: &str = "the seed is drawn to where the root belongs before the first cycle";
const FREE: &str = "the only pass from a free root counts as a cycle";
/// Largest difference between coordinates \[m\], or entries of quaternions.
const SLACK: f64 = 1e-9;

#[derive(Deserialize)]
struct Case<P> {
    problem: P,
    #[serde(default)]
    sensitive: bool,
    answer: Answer,
}

#[derive(Deserialize)]
struct Figure {
    #[serde(default)]
    plane: bool,
    /// Of segments that are not in a row.
    parents: Option<Vec<usize>>,
    lengths: Vec<f64>,
    /// Of segments that are not free.
    joints: Option<Vec<Limits>>,
    seed: Seed,
    targets: Vec<Goal>,
    root: Place,
    options: Settings,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Limits {
    /// A cone of all directions.
    Free,
    /// Up, down, left and right; lower and upper.
    Ball {
        cone: [f64; 4],
        twist: Option<[f64; 2]>,
        rest: Option<[f64; 4]>,
    },
    Hinge {
        axis: [f64; 3],
        angle: [f64; 2],
        rest: Option<[f64; 4]>,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Seed {
    Points { points: Vec<[f64; 3]> },
    Rotations { rotations: Vec<[f64; 4]>, position: Option<[f64; 3]>, orientation: Option<[f64; 4]> },
}

#[derive(Deserialize)]
struct Goal {
    point: usize,
    position: [f64; 3],
    weight: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    Fixed,
    At([f64; 3]),
    Free,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Settings {
    iterations: usize,
    restarts: usize,
    acceleration: usize,
    circles: bool,
}

/// A pitch-yaw arm; with `steps`, longest \[m\] and largest turn \[rad\], a path of it.
#[derive(Deserialize)]
struct Arm {
    base: [f64; 3],
    lengths: Vec<f64>,
    bounds: Option<[Vec<f64>; 2]>,
    seed: Vec<f64>,
    target: [f64; 3],
    pseudoinverse: bool,
    iterations: usize,
    steps: Option<[f64; 2]>,
}

#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Answer {
    points: Vec<Vec<f64>>,
    /// Of limited joints.
    rotations: Vec<Vec<f64>>,
    /// Joints whose limits were in the way.
    limited: Vec<usize>,
    /// Pitches, then yaws.
    positions: Vec<f64>,
    /// For each point of a path, its fraction and the positions there.
    path: Vec<Vec<f64>>,
    /// Distance of each target.
    residuals: Vec<f64>,
    outcomes: Vec<String>,
    iterations: usize,
    restarts: usize,
}

fn rotation([w, i, j, k]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k))
}

fn coordinates(points: &[Point3<f64>]) -> Vec<Vec<f64>> {
    points.iter().map(|point| point.coords.as_slice().to_vec()).collect()
}

fn kind(outcome: &Outcome) -> String {
    let kind = match outcome {
        Outcome::Solved => "solved",
        Outcome::Closest(Reason::OutOfReach { .. }) => "out of reach",
        Outcome::Closest(Reason::Apart { .. }) => "apart",
        Outcome::Closest(Reason::Limits) => "limits",
        Outcome::Closest(Reason::Stalled) => "stalled",
        Outcome::Closest(Reason::NotConverged) => "not converged",
        Outcome::Closest(reason) => panic!("no case has the reason {reason:?}"),
    };
    kind.to_owned()
}

trait Solve: DeserializeOwned {
    fn solve(&self) -> Answer;
}

impl Limits {
    fn joint(&self) -> Joint {
        let range = |[lower, upper]: [f64; 2]| Range::new(lower, upper);
        let (joint, rest) = match *self {
            Self::Free => (Joint::ball(Cone::ALL, Range::ALL), None),
            Self::Ball { cone: [up, down, left, right], twist, rest } => {
                (Joint::ball(Cone { up, down, left, right }, twist.map_or(Range::ALL, range)), rest)
            }
            Self::Hinge { axis, angle: [lower, upper], rest } => {
                (Joint::hinge(Vector3::from(axis), lower, upper), rest)
            }
        };
        joint.with_rest(rest.map_or_else(UnitQuaternion::identity, rotation))
    }
}

impl Figure {
    fn skeleton(&self) -> Skeleton {
        let segment = |(index, length): (usize, &f64)| {
            let parent = self.parents.as_ref().map_or(index, |parents| parents[index]);
            let joint = self.joints.as_ref().map_or_else(Joint::free, |joints| joints[index].joint());
            Segment::new(parent, *length).with_joint(joint)
        };
        let segments: Vec<_> = self.lengths.iter().enumerate().map(segment).collect();
        if self.plane { Skeleton::in_plane(&segments).unwrap() } else { Skeleton::new(&segments).unwrap() }
    }

    fn seed(&self, skeleton: &Skeleton) -> Configuration {
        match &self.seed {
            Seed::Points { points } => at(&points.iter().map(|point| Point3::from(*point)).collect::<Vec<_>>()),
            Seed::Rotations { rotations, position, orientation } => {
                let rotations: Vec<_> = rotations.iter().map(|turn| rotation(*turn)).collect();
                let turn = orientation.map_or_else(UnitQuaternion::identity, rotation);
                let root = Isometry3::from_parts(position.unwrap_or_default().into(), turn);
                skeleton.place(&root, &rotations).unwrap()
            }
        }
    }
}

impl Solve for Figure {
    fn solve(&self) -> Answer {
        let skeleton = self.skeleton();
        let target = |goal: &Goal| Target {
            weight: goal.weight.unwrap_or(1.0),
            ..Target::new(goal.point, Point3::from(goal.position))
        };
        let targets: Vec<_> = self.targets.iter().map(target).collect();
        let root = match self.root {
            Place::Fixed => Root::Fixed,
            Place::At([x, y, z]) => Root::At(Isometry3::translation(x, y, z)),
            Place::Free => Root::Free,
        };
        let Settings { iterations, restarts, acceleration, circles } = self.options;
        let options = Options {
            tolerance: 1e-6,
            iterations,
            restarts,
            acceleration,
            circles,
            polish: false,
            ..Options::default()
        };
        let solution = solve(&skeleton, &Problem { targets: &targets, root, seed: &self.seed(&skeleton), options });
        let rotations = match self.joints {
            Some(_) => skeleton.rotations(&solution.configuration).unwrap(),
            None => Vec::new(),
        };
        Answer {
            points: coordinates(&solution.configuration.points),
            rotations: rotations.iter().map(|turn| vec![turn.w, turn.i, turn.j, turn.k]).collect(),
            limited: (0..self.lengths.len()).filter(|joint| solution.limited[*joint]).collect(),
            residuals: solution.residuals.iter().map(|residual| residual.distance).collect(),
            outcomes: solution.residuals.iter().map(|residual| kind(&residual.outcome)).collect(),
            iterations: solution.iterations,
            restarts: solution.restarts,
            ..Answer::default()
        }
    }
}

impl Solve for Arm {
    fn solve(&self) -> Answer {
        let mut arm = PitchYawArm::new(Point3::from(self.base), self.lengths.clone()).unwrap();
        if let Some([lower, upper]) = &self.bounds {
            arm = arm.with_bounds(lower.clone(), upper.clone()).unwrap();
        }
        let method =
            [pitch_yaw::Method::DampedLeastSquares, pitch_yaw::Method::Pseudoinverse][usize::from(self.pseudoinverse)];
        let options = pitch_yaw::Options { method, tolerance: 1e-6, iterations: self.iterations };
        let problem = pitch_yaw::Problem { target: Point3::from(self.target), seed: &self.seed, options };
        let (mut scratch, mut solution, mut path) = (arm.scratch(), arm.solution(), Vec::new());
        if let Some([longest, largest_turn]) = self.steps {
            let visit = |point: &PathPoint| path.push([&[point.fraction], point.positions].concat());
            let steps = PathSteps { longest, largest_turn };
            arm.follow_path(&problem, &steps, &mut scratch, &mut solution, visit).unwrap();
        } else {
            arm.solve(&problem, &mut scratch, &mut solution).unwrap();
        }
        let mut points = vec![Point3::origin(); self.lengths.len() + 1];
        arm.forward_kinematics(&solution.positions, &mut points).unwrap();
        Answer {
            points: coordinates(&points),
            positions: solution.positions,
            path,
            residuals: vec![solution.residual.distance],
            outcomes: vec![kind(&solution.residual.outcome)],
            iterations: solution.iterations,
            ..Answer::default()
        }
    }
}

/// The largest difference between the numbers of two lists.
fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let is_same_shape = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.len() == b.len());
    let differences = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
    if is_same_shape { differences.fold(0.0, f64::max) } else { f64::INFINITY }
}

/// The quaternions of `rotations`, each with the sign that brings it nearer to the one of `others`.
fn on_the_side_of(others: &[Vec<f64>], rotations: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let signed = |(turn, other): (&Vec<f64>, &Vec<f64>)| {
        let product: f64 = turn.iter().zip(other).map(|(a, b)| a * b).sum();
        turn.iter().map(|number| number * 1.0_f64.copysign(product)).collect()
    };
    rotations.iter().zip(others).map(signed).collect()
}

/// How two answers differ, if they do.
fn difference(found: &Answer, expected: &Answer) -> Option<String> {
    let counts = |answer: &Answer| (answer.iterations, answer.restarts, answer.limited.clone());
    if counts(found) != counts(expected) {
        return Some(format!("{:?} instead of {:?}", counts(found), counts(expected)));
    }
    let numbers = |answer: &Answer| vec![answer.residuals.clone(), answer.positions.clone()];
    let turned = on_the_side_of(&expected.rotations, &found.rotations);
    let lists = [
        ("points", apart(&found.points, &expected.points)),
        ("rotations", apart(&turned, &expected.rotations)),
        ("path", apart(&found.path, &expected.path)),
        ("residuals or positions", apart(&numbers(found), &numbers(expected))),
    ];
    let worst = lists.into_iter().find(|(_, apart)| *apart > SLACK);
    worst.map(|(what, apart)| format!("{what} differ by {apart:e} after {} iterations", found.iterations))
}

/// Compares the cases of one list. Returns what is not as it should be.
fn compare<P: Solve>(name: &str, golden: &Value) -> Vec<String> {
    let cases: Vec<Case<P>> = serde_json::from_value(golden[name].clone()).unwrap();
    let mut wrong = Vec::new();
    for (index, Case { problem, sensitive, answer }) in cases.iter().enumerate() {
        let found = problem.solve();
        if found.outcomes != answer.outcomes {
            wrong.push(format!("{name} {index}: {:?} instead of {:?}", found.outcomes, answer.outcomes));
        }
        let is_known = DIFFERENT.iter().any(|(list, cases, _)| *list == name && cases.contains(&index));
        match difference(&found, answer) {
            Some(difference) if !is_known && !sensitive => wrong.push(format!("{name} {index}: {difference}")),
            None if is_known => wrong.push(format!("{name} {index} differs no longer")),
            _ => (),
        }
    }
    wrong
}

#[test]
fn the_recorded_answers_are_given() {
    let golden = read_json(&root().join("tests/data/skeletons/golden.json"));
    let mut wrong: Vec<_> =
        ["plane", "space", "trees", "limited"].iter().flat_map(|name| compare::<Figure>(name, &golden)).collect();
    wrong.extend(compare::<Arm>("arms", &golden));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
