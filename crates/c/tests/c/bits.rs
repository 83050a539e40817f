//! A C program gets the same bits as a Rust program.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::robot::{Chain, ChainPoses};
use urdf_ik::solver::{Problem, Solver, SolverKind, Target};
use urdf_ik::spatial::rotation_from;
use urdf_ik_testing::{self as common, Random};

use crate::{compile, program, run, test_folder};

/// Problems of each robot.
const PROBLEMS: usize = 2500;

/// Writes 64-bit numbers in the format of the program.
fn write(file: &Path, numbers: &[f64]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    std::fs::write(file, bytes).unwrap();
}

fn read(file: &Path) -> Vec<f64> {
    let bytes = std::fs::read(file).unwrap();
    bytes.chunks_exact(8).map(|bytes| f64::from_ne_bytes(bytes.try_into().unwrap())).collect()
}

/// Targets within reach and, one in five, anywhere, each with a seed, as numbers: the seed, position and orientation.
fn draw(chain: &Chain, random: &mut Random) -> Vec<(Target, Vec<f64>)> {
    let mut poses = ChainPoses::new(chain);
    let problem = |index| {
        chain.forward_kinematics(&random.positions(chain), &mut poses);
        let mut pose = poses.tips()[0];
        if index % 5 == 4 {
            pose.translation.vector *= 1.5;
        }
        (Target::new(0, pose), random.positions(chain))
    };
    (0..PROBLEMS).map(problem).collect()
}

#[test]
fn ten_thousand_answers_have_the_same_bits() {
    let solve = compile("cc", &program("bits.c"), &["-std=c11"]);
    let mut random = Random::new(1);
    for (robot, tip, kind) in [
        ("panda.urdf", "panda_hand_tcp", SolverKind::Jacobian),
        ("mixed_joints.urdf", "tool", SolverKind::Jacobian),
        ("ur5_robot.urdf", "tool0", SolverKind::ClosedForm),
        ("dual_arm.urdf", "left_hand", SolverKind::Fabrik),
    ] {
        let chain = Arc::new(Chain::with_defaults(&common::load(robot), None, &[tip]).unwrap());
        let problems = draw(&chain, &mut random);
        let solver = Solver::prepare(kind, &chain).unwrap();
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let (mut asked, mut expected) = (Vec::new(), Vec::new());
        for (target, seed) in &problems {
            asked.extend(seed);
            asked.extend(target.pose.translation.vector.iter().chain(target.pose.rotation.coords.iter()));
            // The interface normalises the program's quaternion, which may change its last bit.
            let rotation = rotation_from(target.pose.rotation.coords.into()).unwrap();
            let target = [(*target).with_pose(Isometry3::from_parts(target.pose.translation, rotation))];
            solver.solve(&Problem::new(&target, seed), &mut scratch, &mut solution).unwrap();
            let worst = solution.worst_residual();
            expected.extend(&solution.positions);
            expected.extend([f64::from(u8::from(solution.is_solved())), worst.position, worst.orientation]);
        }
        let [asked_file, answered_file] = ["asked", "answered"].map(|name| test_folder().join(name));
        write(&asked_file, &asked);
        run(Command::new(&solve)
            .arg(common::urdf_path(robot))
            .arg(tip)
            .arg(kind.name())
            .args([&asked_file, &answered_file]));
        let answered = read(&answered_file);
        // Once in sequence, and once as a batch on two threads.
        assert_eq!(answered.len(), 2 * expected.len(), "{robot} {kind}");
        for answers in answered.chunks_exact(expected.len()) {
            let same = answers.iter().zip(&expected).all(|(one, other)| one.to_bits() == other.to_bits());
            assert!(same, "{robot} {kind}");
        }
    }
}
