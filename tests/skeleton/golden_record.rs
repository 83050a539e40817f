//! The problems of the golden results, from seeded pseudorandom numbers.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Point3, SVector, UnitQuaternion, Vector3};
use serde::Serialize;
use serde::de::DeserializeOwned;
use urdf_ik::skeleton::points::PointChain;

use crate::common::Random;
use crate::golden::{Arm, Branches, Case, Chain, Limited, Limits, Place, Solve, Target, difference};
use crate::random_chains::{arc, direction, walk};

/// Moves of the targets by which a case may not change, or it is sensitive.
const NUDGES: [f64; 4] = [1.0 - 3e-15, 1.0 - 1e-15, 1.0 + 1e-15, 1.0 + 3e-15];

pub fn rounded(number: f64, digits: f64) -> f64 {
    let rounded = (number * digits).round() / digits;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The points of targets: a chain of one segment, or a point inside a tree, reaches no others.
fn precise(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().map(|number| rounded(*number, 1e10)).collect()
}

/// Few digits, which are the same number in None reader.
fn short<const N: usize>(numbers: [f64; N]) -> [f64; N] {
    numbers.map(|number| rounded(number, 1e3))
}

fn vector(vector: &Vector3<f64>) -> [f64; 3] {
    short([vector.x, vector.y, vector.z])
}

fn turn(random: &mut Random) -> [f64; 4] {
    let turn = UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, 3.1));
    short([turn.w, turn.i, turn.j, turn.k])
}

/// The file: a line for each case.
pub fn record() -> String {
    let sections = [
        section("plane", (0..15).map(|index| chain::<2>(&mut Random::new(100 + index), index))),
        section("space", (0..39).map(|index| chain::<3>(&mut Random::new(200 + index), index))),
        section("trees", (0..36).map(|index| branches(&mut Random::new(300 + index), index))),
        section("limited", (0..36).map(|index| limited(&mut Random::new(400 + index), index))),
        section("arms", (0..23).map(|index| arm(&mut Random::new(500 + index), index))),
    ];
    format!("{{\n{}\n}}\n", sections.join(",\n"))
}

fn section<P: Solve + DeserializeOwned>(name: &str, problems: impl Iterator<Item = P>) -> String {
    let line = |problem: P| {
        // As it is read back.
        let problem: P = serde_json::from_str(&serde_json::to_string(&problem).unwrap()).unwrap();
        let answer = problem.solve();
        let nudged = |factor: &f64| {
            let mut problem = problem.clone();
            problem.scale_targets(*factor);
            difference(&problem.solve(), &answer, 3e-10)
        };
        let change = NUDGES.iter().find_map(nudged);
        println!(
            "{name} {:?} {:?} {} {}: {change:?}",
            answer.outcomes, answer.residuals, answer.iterations, answer.restarts
        );
        line_of(&Case { problem, sensitive: change.is_some(), answer })
    };
    let lines: Vec<_> = problems.map(line).collect();
    format!("\"{name}\": [\n{}\n]", lines.join(",\n"))
}

fn line_of(case: &impl Serialize) -> String {
    serde_json::to_string(case).unwrap()
}

/// Segments, and where the target is.
fn chain<const D: usize>(random: &mut Random, index: u64) -> Chain {
    let step = usize::try_from(index).unwrap();
    let segments = match index {
        35 => 30,
        38 => 100,
        _ => [2, 3, 4, 5, 7, 10, 1, 12][step % 8],
    };
    let collinear = index % 7 == 3;
    let points: Vec<SVector<f64, D>> = match (collinear, index) {
        (true, _) => arc(segments, 0.0),
        (_, 35..) => arc(segments, 1.0),
        _ => walk(random, segments),
    };
    let points: Vec<SVector<f64, D>> = points.iter().map(|point| point.map(|number| rounded(number, 1e4))).collect();
    let chain = PointChain::from_points(&points).unwrap();
    // Points that do not have the lengths.
    let start = if index % 13 == 4 { walk(random, segments) } else { points.clone() };
    let (inner, outer) = (chain.reach().inner, chain.reach().outer);
    let distance = match index % 10 {
        8 => outer * random.between(1.01, 3.0),
        9 if inner > 0.0 => inner * random.between(0.0, 0.9),
        6 => inner + (outer - inner) * random.between(0.95, 0.99),
        _ => inner + (outer - inner) * random.between(0.1, 0.9),
    };
    let along = if collinear { (points[segments] - points[0]).normalize() } else { direction(random) };
    let moved = index % 6 == 5;
    let place = if moved { start[0] + direction::<D>(random) * 0.3 } else { start[0] };
    let short = |point: SVector<f64, D>| point.iter().map(|number| rounded(*number, 1e4)).collect();
    let root = match index % 12 {
        5 | 11 => Place::At(short(place)),
        10 => Place::Free,
        _ => Place::Fixed,
    };
    Chain {
        lengths: chain.lengths().to_vec(),
        points: start.iter().map(|point| short(*point)).collect(),
        target: precise((place + along * distance).as_slice()),
        root,
        acceleration: [0, 5][(step / 2) % 2],
        circles: index % 3 == 2 && index < 35,
        iterations: if index == 20 { 3 } else { 1000 },
    }
}

/// Appends `segments` points in a row to the point `from`. Returns the last one.
fn grow(parents: &mut Vec<Option<usize>>, mut from: usize, segments: usize) -> usize {
    for _ in 0..segments {
        parents.push(Some(from));
        from = parents.len() - 1;
    }
    from
}

/// A configuration of a tree from the origin, whose branches bend by an amount that grows with `bend`.
fn sample(random: &mut Random, parents: &[Option<usize>], lengths: &[f64], bend: f64) -> Vec<Vector3<f64>> {
    let mut points = vec![Vector3::zeros(); parents.len()];
    let mut directions = vec![Vector3::z(); points.len()];
    for (point, parent) in parents.iter().enumerate() {
        if let Some(parent) = *parent {
            directions[point] = (directions[parent] + random.direction() * bend).normalize();
            points[point] = points[parent] + directions[point] * lengths[point];
        }
    }
    points
}

fn branches(random: &mut Random, index: u64) -> Branches {
    let (kind, ends) = (index % 8, 2 + usize::try_from(index / 8 % 4).unwrap());
    let mut parents = vec![None];
    let trunk = grow(&mut parents, 0, 1 + random.below(2));
    let second = if index.is_multiple_of(2) { trunk } else { grow(&mut parents, trunk, 1 + random.below(2)) };
    let mut tips = Vec::new();
    for end in 0..ends {
        let from = if end < ends.div_ceil(2).max(2) { second } else { trunk };
        tips.push(grow(&mut parents, from, 1 + random.below(3)));
    }
    let length = |parent: &Option<usize>| if parent.is_some() { rounded(random.between(0.1, 0.5), 1e3) } else { 0.0 };
    let lengths: Vec<f64> = parents.iter().map(length).collect();
    let goal = sample(random, &parents, &lengths, if index < 20 { 0.7 } else { 3.0 });
    let points = sample(random, &parents, &lengths, if kind == 7 { 0.0 } else { 1.5 });
    let target = |point: &usize| Target {
        point: *point,
        position: goal[*point].map(|number| rounded(number, 1e7)).into(),
        weight: 1.0,
    };
    let mut targets: Vec<Target> = tips.iter().map(target).collect();
    let mut root = if index % 16 > 8 { Place::Free } else { Place::Fixed };
    match kind {
        1 => root = Place::Free,
        2 => targets.push(target(&parents[tips[0]].unwrap())),
        // Two ends are pulled apart.
        3 | 6 => {
            let away = [1.0, -1.0].map(|sign| Vector3::new(0.2, sign, 0.5) * random.between(1.0, 2.0));
            (targets[0].position, targets[1].position) = (vector(&away[0]), vector(&away[1]));
            targets[0].weight = [1.0, 4.0, 0.25][usize::try_from(index / 8 % 3).unwrap()];
            root = if kind == 3 { Place::Free } else { Place::Fixed };
        }
        4 => {
            targets[0].position = vector(&(random.direction() * random.between(3.0, 6.0)));
            root = Place::Fixed;
        }
        5 => {
            let moved = random.direction() * 0.5;
            root = Place::At(vector(&moved).to_vec());
            for target in &mut targets {
                target.position = vector(&(Vector3::from(target.position) + moved));
            }
        }
        _ => (),
    }
    let points = points.iter().map(vector).collect();
    Branches { parents, lengths, points, targets, root, iterations: 3000, restarts: 10 }
}

/// The kinds of joints of examples/fabrik_limiter.rs, and all of them mixed, with rest orientations.
fn limits(random: &mut Random, kind: usize, joint: usize) -> Limits {
    let mut rest = None;
    let ball = |cone: [f64; 4], twist: Option<[f64; 2]>, rest: Option<[f64; 4]>| Limits::Ball { cone, twist, rest };
    let hinge =
        |axis: [f64; 3], angle: [f64; 2], rest: Option<[f64; 4]>| Limits::Hinge { axis, angle: short(angle), rest };
    let quarter = 0.5 * PI;
    match kind {
        0 => Limits::Free,
        1 => ball(short([PI / 3.0; 4]), None, rest),
        2 => ball(short([PI / 6.0; 4]), None, rest),
        3 => ball(short([(); 4].map(|()| random.between(0.1, 2.0))), Some(short([-PI / 6.0, PI / 6.0])), rest),
        4 => hinge([0.0, 0.0, 1.0], [-quarter, quarter], rest),
        5 => hinge([0.0, 0.0, 1.0], [0.0, quarter], rest),
        6 if joint.is_multiple_of(2) => hinge([0.0, 0.0, 1.0], [-quarter, quarter], rest),
        6 => hinge([0.0, 1.0, 0.0], [-quarter, quarter], rest),
        _ => {
            rest = Some(turn(random));
            if random.below(2) == 0 {
                let axis = vector(&random.direction());
                return hinge(axis, [random.between(-2.0, 0.0), random.between(0.0, 2.0)], rest);
            }
            ball(
                short([(); 4].map(|()| random.between(0.1, 3.1))),
                Some(short([random.between(-3.0, 0.0), random.between(0.0, 3.0)])),
                rest,
            )
        }
    }
}

fn limited(random: &mut Random, index: u64) -> Limited {
    let step = usize::try_from(index).unwrap();
    let count = [3, 4, 6, 5, 3, 4, 2, 6, 3, 8][step % 10];
    let joints: Vec<_> = (0..count).map(|joint| limits(random, step % 8, joint)).collect();
    let (root, orientation) = match index % 3 {
        0 => (vector(&random.direction()), turn(random)),
        _ => ([0.0; 3], [1.0, 0.0, 0.0, 0.0]),
    };
    let mut problem = Limited {
        joints,
        lengths: (0..count).map(|_| rounded(random.between(0.1, 0.3), 1e3)).collect(),
        seed: (0..count).map(|_| turn(random)).collect(),
        target: [9.0, 0.0, 0.0],
        root,
        orientation,
        acceleration: [5, 0][(step / 8) % 2],
        iterations: 0,
        restarts: 0,
    };
    // Without any cycle the answer is the seed, moved to what the limits allow.
    let goal = problem.solve().points;
    problem.target = match index % 10 {
        // Out of reach, and perhaps out of the limits.
        8 => vector(&(random.direction() * 9.0)),
        9 => vector(
            &(Isometry3::from_parts(root.into(), UnitQuaternion::identity()) * Point3::from(random.direction() * 0.3))
                .coords,
        ),
        _ => [0, 1, 2].map(|axis| rounded(goal[count][axis], 1e10)),
    };
    problem.seed = (0..count).map(|_| turn(random)).collect();
    (problem.iterations, problem.restarts) = (5000, 50);
    problem
}

fn arm(random: &mut Random, index: u64) -> Arm {
    let path = index >= 20;
    let count = if path { 3 } else { [1, 2, 3, 4, 6][usize::try_from(index % 5).unwrap()] };
    let base = if index.is_multiple_of(3) { vector(&random.direction()) } else { [0.0; 3] };
    let lengths: Vec<f64> = (0..count).map(|_| rounded(random.between(0.1, 0.5), 1e3)).collect();
    let angle = |random: &mut Random, most: f64| rounded(random.between(-most, most), 1e4);
    let most: Vec<f64> = (0..2 * count).map(|_| rounded(random.between(0.2, 1.0), 1e3)).collect();
    let bounds = (index % 4 == 3 && !path).then(|| [most.iter().map(|most| -most).collect(), most.clone()]);
    let mut problem = Arm {
        base,
        lengths,
        bounds,
        seed: most.iter().map(|most| angle(random, *most)).collect(),
        target: [9.0, 0.0, 0.0],
        pseudoinverse: index % 2 == 1,
        iterations: 0,
        steps: None,
    };
    let goal = problem.solve().points;
    problem.target = match index {
        7 | 12 | 21 => vector(&(random.direction() * 3.0)),
        10 => base,
        _ => [0, 1, 2].map(|axis| rounded(goal[count][axis], 1e10)),
    };
    problem.seed =
        if index == 13 { vec![0.0; 2 * count] } else { most.iter().map(|most| angle(random, *most)).collect() };
    problem.iterations = 500;
    problem.steps = path.then_some([0.1, 0.25]);
    problem
}
