//! URDFs and SRDFs: refused with a sentence, or robots with finite kinematics.

use std::sync::{Arc, LazyLock};

use nalgebra::Isometry3;
use urdf_ik::collision::{LinkPair, LinkShapes, Pairs, Srdf};
use urdf_ik::robot::{Chain, ChainError, ChainPoses, MeshFolders, Robot, UrdfError, Visuals};
use urdf_ik::solver::{Mode, Pick, Problem, Solver, SolverKind, Target};
use urdf_ik_testing::{Random, urdf_path};

use crate::check_message;

/// One in this many valid robots is also solved.
const SOLVED: usize = 25;

/// A robot with shapes, and its URDF.
pub static ARM: LazyLock<(Robot, String)> = LazyLock::new(|| {
    let text = std::fs::read_to_string(urdf_path("arm6.urdf")).unwrap();
    (Robot::from_urdf(&text).unwrap(), text)
});

pub fn urdf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    Visuals::of_urdf(&text);
    match Robot::from_urdf(&text) {
        Ok(robot) => {
            let mut random = Random::from_bytes(bytes);
            let is_solved = random.once_in(SOLVED);
            check(&robot, &mut random, is_solved);
            if let Err(error) = LinkShapes::of_urdf(&text, &robot, &MeshFolders::new([], None)) {
                check_message(&error.to_string());
            }
        }
        Err(error) => {
            // Only control characters inside a name are left for the typed reader to find.
            let known = !matches!(&error, UrdfError::Reader { reason } if !reason.contains("Invalid character"));
            assert!(known, "not told by name: {error}");
            check_message(&error.to_string());
        }
    }
}

pub fn srdf(bytes: &[u8]) {
    let (robot, urdf) = &*ARM;
    match Srdf::from_text(&String::from_utf8_lossy(bytes)) {
        Ok(srdf) => {
            let shapes = LinkShapes::of_urdf(urdf, robot, &MeshFolders::new([], None)).unwrap();
            let name = |link: usize| robot.links()[link].name.as_str();
            let is_checked = |pair: &LinkPair| srdf.allows(name(pair.0[0]), name(pair.0[1])).is_none();
            match (srdf.unknown_links(robot), Pairs::of_robot(robot, &shapes, Some(&srdf))) {
                (Ok(_), Ok(pairs)) => assert!(pairs.checked.iter().all(is_checked)),
                (one, other) => {
                    for error in [one.err(), other.err()].into_iter().flatten() {
                        check_message(&error.to_string());
                    }
                }
            }
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// Checks that a robot has finite chains, or errors that say why not.
fn check(robot: &Robot, random: &mut Random, is_solved: bool) {
    for leaf in robot.leaves() {
        match Chain::with_defaults(robot, None, &[leaf]) {
            Ok(chain) => check_chain(&Arc::new(chain), random, is_solved),
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

fn check_chain(chain: &Arc<Chain>, random: &mut Random, is_solved: bool) {
    assert!(chain.contains(&chain.nominal_positions()), "{:?}", chain.variables());
    let positions = random.positions(chain);
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(&positions, &mut poses);
    let pose = poses.tips()[0];
    let finite = |pose: &Isometry3<f64>| pose.to_matrix().iter().all(|entry| entry.is_finite());
    assert!(finite(&pose), "{pose} at {positions:?}");
    if !is_solved {
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
