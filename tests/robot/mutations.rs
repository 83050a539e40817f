//! Damaged robot descriptions: thousands of mutations of the bundled ones never panic, and what loads is sound.

use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::robot::{Chain, ChainError, ChainPoses, Robot, UrdfError};
use urdf_ik::solver::{Mode, Pick, Problem, Solver, SolverKind, Target};

use crate::common::{self, Random};

const MUTATIONS: usize = 6000;
/// One in this many of those that load is also solved for.
const SOLVED: usize = 25;

const FILES: [&str; 3] = ["arm7.urdf", "mixed_joints.urdf", "two_arms.urdf"];

/// Text that is inserted at any place.
const SNIPPETS: [&str; 16] = [
    "<",
    ">",
    "\"",
    "/>",
    "</joint>",
    "</robot>",
    "<joint>",
    "<link name=\"tool0\"/>",
    "<!--",
    "]]>",
    "&",
    "&#0;",
    "\0",
    "é",
    "<mimic joint=\"elbow_joint\"/>",
    "<limit lower=\"1\" upper=\"-1\"/>",
];

/// Text that replaces the value of an attribute.
const VALUES: [&str; 20] = [
    "",
    "0",
    "-1",
    "nan",
    "inf",
    "1e999",
    "-1e308",
    "1.7e308",
    "1e-320",
    "1e150",
    "0 0 0",
    "1 2",
    "1e200 0 -1e200",
    "fixed",
    "prismatic",
    "floating",
    "base_link",
    "torso_lift_link",
    "carriage_joint",
    "${x}",
];

#[test]
fn damaged_descriptions_are_refused_or_sound() {
    let texts: Vec<String> =
        FILES.iter().map(|file| std::fs::read_to_string(common::urdf_path(file)).unwrap()).collect();
    let mut random = Random::new(2024);
    let (mut loaded, mut refused) = (0, 0);
    for round in 0..MUTATIONS {
        let mut bytes = texts[round % texts.len()].clone().into_bytes();
        for _ in 0..=random.below(3) {
            mutate(&mut bytes, &mut random);
        }
        let text = String::from_utf8_lossy(&bytes);
        match Robot::from_urdf(&text) {
            Ok(robot) => {
                loaded += 1;
                check(&robot, &mut random, loaded % SOLVED == 0);
            }
            Err(error) => {
                refused += 1;
                // Only control characters inside a name are left for the typed reader to find.
                let known = !matches!(&error, UrdfError::Reader { reason } if !reason.contains("Invalid character"));
                assert!(known, "not told by name: {error}");
            }
        }
    }
    println!("{loaded} loaded, {refused} refused");
    assert!(
        loaded > MUTATIONS / 10 && refused > MUTATIONS / 10,
        "{loaded} loaded, {refused} refused: no test of either"
    );
}

#[test]
fn descriptions_that_end_early_are_refused() {
    let mut random = Random::new(7);
    for file in FILES {
        let text = std::fs::read_to_string(common::urdf_path(file)).unwrap();
        let end = text.rfind("</robot>").unwrap();
        for _ in 0..300 {
            let cut = random.below(end);
            assert!(text.is_char_boundary(cut) && Robot::from_urdf(&text[..cut]).is_err(), "{file} up to {cut}");
        }
    }
}

/// Pieces of XML in any order: every answer is an answer, whatever it is.
#[test]
fn heaps_of_pieces_are_answered() {
    let pieces = [
        "<robot name='r'>",
        "<joint name='j' type='revolute'>",
        "<a>",
        "</a>",
        "<parent link='a'/>",
        "<child link='b'/>",
    ];
    let mut random = Random::new(8);
    for _ in 0..2000 {
        let mut text = String::new();
        for _ in 0..random.below(60) {
            let all = pieces.len() + SNIPPETS.len();
            let piece = random.below(all);
            text += pieces.get(piece).unwrap_or_else(|| &SNIPPETS[piece - pieces.len()]);
        }
        let _ = Robot::from_urdf(&text);
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(60)).min(bytes.len());
    match random.below(6) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        3 => {
            let snippet = SNIPPETS[random.below(SNIPPETS.len())];
            bytes.splice(at..at, snippet.bytes());
        }
        _ => replace_value(bytes, at, VALUES[random.below(VALUES.len())]),
    }
}

/// Replaces the text between the first pair of quotes after `at`.
fn replace_value(bytes: &mut Vec<u8>, at: usize, value: &str) {
    let quote = |from: usize| bytes[from..].iter().position(|byte| *byte == b'"').map(|found| from + found);
    let range = quote(at).and_then(|open| Some((open + 1, quote(open + 1)?)));
    if let Some((open, close)) = range {
        bytes.splice(open..close, value.bytes());
    }
}

/// Checks that a robot that loads has finite chains, or errors that say why not.
fn check(robot: &Robot, random: &mut Random, solve: bool) {
    for leaf in robot.leaves() {
        match Chain::with_defaults(robot, None, &[leaf]) {
            Ok(chain) => check_chain(&Arc::new(chain), random, solve),
            Err(error) => {
                let expected = matches!(
                    error,
                    ChainError::Empty { .. }
                        | ChainError::NotOneAxis { .. }
                        | ChainError::LimitsReversed { .. }
                        | ChainError::NoCommonRange { .. }
                );
                assert!(expected, "{error}");
            }
        }
    }
}

fn check_chain(chain: &Arc<Chain>, random: &mut Random, solve: bool) {
    assert!(chain.contains(&chain.nominal_positions()), "{:?}", chain.variables());
    let positions = random.positions(chain);
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(&positions, &mut poses);
    let pose = poses.tips()[0];
    let finite = |pose: &Isometry3<f64>| pose.to_matrix().iter().all(|entry| entry.is_finite());
    assert!(finite(&pose), "{pose} at {positions:?}");
    if !solve {
        return;
    }
    let Ok(solver) = Solver::prepare(SolverKind::Jacobian, chain) else { return };
    let mut solution = solver.solution();
    for pose in [pose, Isometry3::translation(0.3, 0.2, 0.5)] {
        let targets = [Target::new(0, pose)];
        let mode = Mode::Search { pick: Pick::First, attempts: 3, random_seed: 0 };
        let problem = Problem { mode, ..Problem::new(&targets, &positions) };
        if solver.solve(&problem, &mut solver.scratch(), &mut solution).is_ok() {
            assert!(chain.contains(&solution.positions), "{solution:?}");
        }
    }
}
