//! Golden results: recorded problems, and what the models answered to them.
//!
//! `tests/data/skeletons/golden.json` has problems as plain numbers (metres, radians, quaternions as w, i, j, k of any length) and the
//! answers of the four models of segments. A case is `sensitive` where its iterations or its points change if its target is moved
//! by a few roundings. `RECORD_GOLDEN=1 cargo test --test skeleton golden` writes the file anew.

use nalgebra::{Isometry3, Point3, Quaternion, SVector, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use urdf_ik::skeleton::limiter::{self, Joint, LimitedChain};
use urdf_ik::skeleton::pitch_yaw::{self, PathSteps, PitchYawArm};
use urdf_ik::skeleton::points::{self, PointChain};
use urdf_ik::skeleton::segments::{Outcome, Reason, Root};
use urdf_ik::skeleton::tree::{self, Tree};

use crate::common::root;
use crate::golden_record;

pub const TOLERANCE: f64 = 1e-6;

/// All problems with their answers.
#[derive(Default, Serialize, Deserialize)]
pub struct Golden {
    pub plane: Vec<Case<Chain>>,
    pub space: Vec<Case<Chain>>,
    pub trees: Vec<Case<Branches>>,
    pub limited: Vec<Case<Limited>>,
    pub arms: Vec<Case<Arm>>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Case<P> {
    pub problem: P,
    pub sensitive: bool,
    pub answer: Answer,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    Fixed,
    At(Vec<f64>),
    Free,
}

/// A chain of points.
#[derive(Clone, Serialize, Deserialize)]
pub struct Chain {
    pub lengths: Vec<f64>,
    pub points: Vec<Vec<f64>>,
    pub target: Vec<f64>,
    pub root: Place,
    pub acceleration: usize,
    pub circles: bool,
    pub iterations: usize,
}

/// A tree of points.
#[derive(Clone, Serialize, Deserialize)]
pub struct Branches {
    pub parents: Vec<Option<usize>>,
    pub lengths: Vec<f64>,
    pub points: Vec<[f64; 3]>,
    pub targets: Vec<Target>,
    pub root: Place,
    pub iterations: usize,
    pub restarts: usize,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Target {
    pub point: usize,
    pub position: [f64; 3],
    pub weight: f64,
}

/// A chain with limited joints.
#[derive(Clone, Serialize, Deserialize)]
pub struct Limited {
    pub joints: Vec<Limits>,
    pub lengths: Vec<f64>,
    pub seed: Vec<[f64; 4]>,
    pub target: [f64; 3],
    pub root: [f64; 3],
    pub orientation: [f64; 4],
    pub acceleration: usize,
    pub iterations: usize,
    pub restarts: usize,
}

/// One joint: a cone (up, down, left, right) and a range of twist or none, or an axis and a range of its angle; and its rest orientation.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limits {
    Free,
    Ball { cone: [f64; 4], twist: Option<[f64; 2]>, rest: Option<[f64; 4]> },
    Hinge { axis: [f64; 3], angle: [f64; 2], rest: Option<[f64; 4]> },
}

/// An arm of pitches and yaws, with bounds or none, and where there are `steps` (longest, largest turn) a path.
#[derive(Clone, Serialize, Deserialize)]
pub struct Arm {
    pub base: [f64; 3],
    pub lengths: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[Vec<f64>; 2]>,
    pub seed: Vec<f64>,
    pub target: [f64; 3],
    pub pseudoinverse: bool,
    pub iterations: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<[f64; 2]>,
}

/// What a model answered. Lengths and coordinates are rounded to 1e-10.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    pub points: Vec<Vec<f64>>,
    /// Rotations of limited joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rotations: Vec<Vec<f64>>,
    /// Indices of the joints whose limits were in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited: Vec<usize>,
    /// Pitches, then yaws.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<f64>,
    /// For each point of a path, its fraction and the positions there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Vec<f64>>,
    /// Distance of each target.
    pub residuals: Vec<f64>,
    /// Kind of outcome for each target.
    pub outcomes: Vec<String>,
    pub iterations: usize,
    pub restarts: usize,
}

/// A problem that a model answers.
pub trait Solve: Clone + Serialize {
    fn solve(&self) -> Answer;
    /// Multiplies the coordinates of all targets by `factor`.
    fn scale_targets(&mut self, factor: f64);
}

pub fn kind(outcome: &Outcome) -> String {
    let kind = match outcome {
        Outcome::Solved => "solved",
        Outcome::Closest(Reason::OutOfReach { .. }) => "out of reach",
        Outcome::Closest(Reason::Apart { .. }) => "apart",
        Outcome::Closest(Reason::Limits) => "limits",
        Outcome::Closest(Reason::Stalled) => "stalled",
        Outcome::Closest(Reason::Turn { .. }) => "turn",
        Outcome::Closest(Reason::NotConverged) => "not converged",
        Outcome::Closest(reason) => panic!("{reason} is no kind that is recorded"),
    };
    kind.to_owned()
}

fn rounded(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().map(|number| golden_record::rounded(*number, 1e10)).collect()
}

fn rotation([w, i, j, k]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(w, i, j, k))
}

impl Place {
    fn root<P>(&self, point: impl Fn(&[f64]) -> P) -> Root<P> {
        match self {
            Self::Fixed => Root::Fixed,
            Self::At(place) => Root::At(point(place)),
            Self::Free => Root::Free,
        }
    }
}

impl Chain {
    fn solve_in<const D: usize>(&self) -> Answer {
        let Self { acceleration, circles, iterations, .. } = *self;
        let chain = PointChain::<D>::new(self.lengths.clone()).unwrap();
        let point = |numbers: &[f64]| SVector::<f64, D>::from_column_slice(numbers);
        let start: Vec<_> = self.points.iter().map(|numbers| point(numbers)).collect();
        let options = points::Options { tolerance: TOLERANCE, stall: 1e-12, cycles: iterations, acceleration, circles };
        let (target, root) = (point(&self.target), self.root.root(point));
        let mut solution = chain.solution();
        let problem = points::Problem { target, root, points: &start, options };
        chain.solve(&problem, &mut chain.scratch(&options), &mut solution).unwrap();
        Answer {
            points: solution.points.iter().map(|point| rounded(point.as_slice())).collect(),
            residuals: rounded(&[solution.distance]),
            outcomes: vec![kind(&solution.outcome)],
            iterations: solution.cycles,
            ..Answer::default()
        }
    }
}

impl Solve for Chain {
    fn solve(&self) -> Answer {
        if self.target.len() == 2 { self.solve_in::<2>() } else { self.solve_in::<3>() }
    }

    fn scale_targets(&mut self, factor: f64) {
        self.target.iter_mut().for_each(|number| *number *= factor);
    }
}

impl Solve for Branches {
    fn solve(&self) -> Answer {
        let tree = Tree::new(self.parents.clone(), self.lengths.clone()).unwrap();
        let target = |&Target { point, position, weight }: &Target| {
            let position = Point3::from(position);
            tree::Target { point, position, weight }
        };
        let targets: Vec<_> = self.targets.iter().map(target).collect();
        let seed: Vec<_> = self.points.iter().map(|point| Point3::from(*point)).collect();
        let options = tree::Options { tolerance: TOLERANCE, iterations: self.iterations, restarts: self.restarts };
        let root = self.root.root(Point3::from_slice);
        let mut solution = tree.solution();
        let problem = tree::Problem { targets: &targets, seed: &seed, root, options };
        tree.solve(&problem, &mut tree.scratch(), &mut solution).unwrap();
        let residuals: Vec<_> = solution.residuals.iter().map(|residual| residual.distance).collect();
        Answer {
            points: solution.points.iter().map(|point| rounded(point.coords.as_slice())).collect(),
            residuals: rounded(&residuals),
            outcomes: solution.residuals.iter().map(|residual| kind(&residual.outcome)).collect(),
            iterations: solution.iterations,
            restarts: solution.restarts,
            ..Answer::default()
        }
    }

    fn scale_targets(&mut self, factor: f64) {
        self.targets.iter_mut().flat_map(|target| &mut target.position).for_each(|number| *number *= factor);
    }
}

impl Limits {
    fn joint(&self) -> Joint {
        match *self {
            Self::Free => Joint::free(),
            Self::Ball { cone: [up, down, left, right], twist, rest } => {
                let cone = limiter::Cone { up, down, left, right };
                let range = |[lower, upper]: [f64; 2]| limiter::Range::new(lower, upper);
                Joint::ball(cone, twist.map_or(limiter::Range::ALL, range))
                    .with_rest(rest.map_or_else(UnitQuaternion::identity, rotation))
            }
            Self::Hinge { axis, angle: [lower, upper], rest } => Joint::hinge(Vector3::from(axis), lower, upper)
                .with_rest(rest.map_or_else(UnitQuaternion::identity, rotation)),
        }
    }
}

impl Solve for Limited {
    fn solve(&self) -> Answer {
        let joints = self.joints.iter().map(Limits::joint).collect();
        let chain = LimitedChain::new(joints, self.lengths.clone()).unwrap();
        let seed: Vec<_> = self.seed.iter().map(|numbers| rotation(*numbers)).collect();
        let root = Isometry3::from_parts(self.root.into(), rotation(self.orientation));
        let Self { acceleration, iterations, restarts, .. } = *self;
        let options = limiter::Options { tolerance: TOLERANCE, iterations, restarts, acceleration };
        let mut solution = chain.solution();
        let problem = limiter::Problem { target: Point3::from(self.target), root, seed: &seed, options };
        chain.solve(&problem, &mut chain.scratch(&options), &mut solution).unwrap();
        let numbers = |turn: &UnitQuaternion<f64>| rounded(&[turn.w, turn.i, turn.j, turn.k]);
        Answer {
            points: solution.points.iter().map(|point| rounded(point.coords.as_slice())).collect(),
            rotations: solution.rotations.iter().map(numbers).collect(),
            limited: (0..seed.len()).filter(|joint| solution.limited[*joint]).collect(),
            residuals: rounded(&[solution.distance]),
            outcomes: vec![kind(&solution.outcome)],
            iterations: solution.iterations,
            restarts: solution.restarts,
            ..Answer::default()
        }
    }

    fn scale_targets(&mut self, factor: f64) {
        self.target.iter_mut().for_each(|number| *number *= factor);
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
        let options = pitch_yaw::Options { method, tolerance: TOLERANCE, iterations: self.iterations };
        let problem = pitch_yaw::Problem { target: Point3::from(self.target), seed: &self.seed, options };
        let (mut scratch, mut solution, mut path) = (arm.scratch(), arm.solution(), Vec::new());
        if let Some([longest, largest_turn]) = self.steps {
            let steps = PathSteps { longest, largest_turn };
            let visit = |point: &pitch_yaw::PathPoint| {
                path.push(rounded(&[&[point.fraction], point.positions].concat()));
            };
            arm.follow_path(&problem, &steps, &mut scratch, &mut solution, visit).unwrap();
        } else {
            arm.solve(&problem, &mut scratch, &mut solution).unwrap();
        }
        let mut points = vec![Point3::origin(); self.lengths.len() + 1];
        arm.forward_kinematics(&solution.positions, &mut points).unwrap();
        Answer {
            points: points.iter().map(|point| rounded(point.coords.as_slice())).collect(),
            positions: rounded(&solution.positions),
            path,
            residuals: rounded(&[solution.distance]),
            outcomes: vec![kind(&solution.outcome)],
            iterations: solution.iterations,
            ..Answer::default()
        }
    }

    fn scale_targets(&mut self, factor: f64) {
        self.target.iter_mut().for_each(|number| *number *= factor);
    }
}

/// Largest difference between entries of two lists of points.
fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.len() == b.len());
    let differences = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
    if same { differences.fold(0.0, f64::max) } else { f64::INFINITY }
}

/// The same rotations with their scalar parts positive.
fn upright(rotations: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let sign =
        |numbers: &Vec<f64>| if numbers.iter().find(|number| number.abs() > 1e-6) < Some(&0.0) { -1.0 } else { 1.0 };
    rotations.iter().map(|numbers| numbers.iter().map(|number| sign(numbers) * number).collect()).collect()
}

/// How two answers differ by more than `slack`, if they do.
pub fn difference(found: &Answer, expected: &Answer, slack: f64) -> Option<String> {
    let counts =
        |answer: &Answer| (answer.iterations, answer.restarts, answer.outcomes.clone(), answer.limited.clone());
    if counts(found) != counts(expected) {
        return Some(format!("{:?} instead of {:?}", counts(found), counts(expected)));
    }
    let numbers = |answer: &Answer| vec![answer.residuals.clone(), answer.positions.clone()];
    let lists = [
        ("points", apart(&found.points, &expected.points)),
        ("rotations", apart(&upright(&found.rotations), &upright(&expected.rotations))),
        ("path", apart(&found.path, &expected.path)),
        ("residuals or positions", apart(&numbers(found), &numbers(expected))),
    ];
    let worst = lists.into_iter().find(|(_, apart)| *apart > slack);
    worst.map(|(what, apart)| format!("{what} differ by {apart:e} after {} iterations", found.iterations))
}

fn compare<P: Solve>(name: &str, cases: &[Case<P>], differences: &mut Vec<String>) {
    for (index, Case { problem, sensitive, answer }) in cases.iter().enumerate() {
        if let Some(difference) = difference(&problem.solve(), answer, 1e-9) {
            differences.push(format!("{name} {index}{}: {difference}", if *sensitive { " (sensitive)" } else { "" }));
        }
    }
}

#[test]
fn the_recorded_answers_are_given() {
    let path = root().join("tests/data/skeletons/golden.json");
    if std::env::var_os("RECORD_GOLDEN").is_some() {
        std::fs::write(&path, golden_record::record()).unwrap();
    }
    let golden: Golden = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let mut differences = Vec::new();
    compare("plane", &golden.plane, &mut differences);
    compare("space", &golden.space, &mut differences);
    compare("trees", &golden.trees, &mut differences);
    compare("limited", &golden.limited, &mut differences);
    compare("arms", &golden.arms, &mut differences);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
