//! Damaged robot descriptions: thousands of mutations of the bundled ones never panic, and the accepted ones are sound.

use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::robot::{Chain, ChainError, ChainPoses, Robot, UrdfError};
use urdf_ik::solver::{Mode, Pick, Problem, Solver, SolverKind, Target};

use crate::common::{self, Random, urdf};

const MUTATIONS: usize = 6000;
/// One in this many of the valid robots is also solved.
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

/// Links and joints between them at random load where they are a tree, and only there.
#[test]
fn random_joints_load_where_they_are_a_tree() {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let (mut random, mut trees, mut refused) = (Random::new(8), 0, 0);
    for _ in 0..4000 {
        let links = &NAMES[..=random.below(5)];
        // Now and then one more joint, or a link that is not there.
        let count = links.len() - 1 + usize::from(random.below(8) == 0);
        let known = links.len() + usize::from(random.below(30) == 0);
        let joints: Vec<[usize; 2]> = (0..count).map(|_| [(); 2].map(|()| random.below(known))).collect();
        let joint = |(index, [parent, child]): (usize, &[usize; 2])| {
            urdf::fixed(&format!("j{index}"), NAMES[*parent], NAMES[*child], "0 0 1")
        };
        let text = urdf::robot(&links.join(" "), &joints.iter().enumerate().map(joint).collect::<String>());
        match (Robot::from_urdf(&text), is_tree(links.len(), &joints)) {
            (Ok(robot), true) => {
                trees += 1;
                let poses = robot.link_poses(&robot.neutral_positions());
                for (index, [parent, child]) in joints.iter().enumerate() {
                    let up = poses[robot.link_index(NAMES[*child]).unwrap()].translation.z
                        - poses[robot.link_index(NAMES[*parent]).unwrap()].translation.z;
                    assert_eq!(up, 1.0, "joint {index} of {text}");
                }
            }
            (Err(error), false) => {
                refused += 1;
                assert!(!matches!(error, UrdfError::Reader { .. }), "not told by name: {error}\n{text}");
            }
            (found, is_tree) => panic!("{is_tree}, but {:?}\n{text}", found.map(|robot| robot.links().len())),
        }
    }
    println!("{trees} trees, {refused} refused");
    assert!(trees > 400 && refused > 400, "{trees} trees, {refused} refused");
}

/// Whether these joints, each from a parent to a child, make one tree of as many links.
fn is_tree(links: usize, joints: &[[usize; 2]]) -> bool {
    let parents = |link| joints.iter().filter(move |joint| joint[1] == link);
    let climbs_to_the_root = |link| {
        let (mut at, mut steps) = (link, 0);
        while let Some([parent, _]) = parents(at).next() {
            (at, steps) = (*parent, steps + 1);
            if steps > links {
                return None;
            }
        }
        Some(at)
    };
    joints.iter().flatten().all(|link| *link < links)
        && (0..links).all(|link| parents(link).count() <= 1 && climbs_to_the_root(link) == climbs_to_the_root(0))
        && climbs_to_the_root(0).is_some()
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
                        | ChainError::ZeroAxis { .. }
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
        let problem = Problem::new(&targets, &positions).with_mode(mode);
        if solver.solve(&problem, &mut solver.scratch(), &mut solution).is_ok() {
            assert!(chain.contains(&solution.positions), "{solution:?}");
        }
    }
}
