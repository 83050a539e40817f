//! Tools on the tip links: targets refer to the tool.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3, Vector6};
use urdf_ik::robot::{ChainError, ChainPoses};
use urdf_ik::solver::{Problem, Solver, SolverKind, Target};

use crate::common::{self, Arm, Random, bits, solve};

/// A tool that is neither straight nor short.
fn bent(random: &mut Random) -> Isometry3<f64> {
    let turn = Vector3::from_fn(|_, _| random.between(-2.0, 2.0));
    Isometry3::new(Vector3::from_fn(|_, _| random.between(-0.3, 0.3)), turn)
}

fn with_tools(arm: &Arm, tools: &[Isometry3<f64>]) -> Arm {
    let chain = Arc::new(arm.chain.with_tools(tools).unwrap());
    Arm { name: format!("{} with tools", arm.name), robot: arm.robot.clone(), chain }
}

fn with_bent_tools(arm: &Arm, random: &mut Random) -> Arm {
    let tools: Vec<_> = arm.chain.tips().iter().map(|_| bent(random)).collect();
    with_tools(arm, &tools)
}

#[test]
fn every_solver_brings_the_tool_to_the_target() {
    let mut random = Random::new(61);
    for arm in common::all_arms().into_iter().chain([common::two_handed()]) {
        let tooled = with_bent_tools(&arm, &mut random);
        for solver in SolverKind::ALL.into_iter().filter_map(|kind| Solver::prepare(kind, &tooled.chain).ok()) {
            for _ in 0..20 {
                // By the kinematics of the complete robot: the pose of the link, times the tool.
                let poses = arm.tip_poses(&random.positions(&arm.chain));
                let poses = poses.iter().zip(tooled.chain.tools()).map(|(link, tool)| link * tool);
                let targets: Vec<_> = poses.enumerate().map(|(tip, pose)| Target::new(tip, pose)).collect();
                let seed = random.positions(&arm.chain);
                let solution = solve(&solver, &Problem::new(&targets, &seed));
                assert!(solution.is_solved(), "{} {:?}: {solution:?}", tooled.name, solver.method());
                let links = arm.tip_poses(&solution.positions);
                for target in &targets {
                    let tool = links[target.tip] * tooled.chain.tools()[target.tip];
                    let (metres, radians) = common::distance(&tool, &target.pose);
                    assert!(metres <= 1.001e-5 && radians <= 1.001e-5, "{}: {metres:e} {radians:e}", tooled.name);
                }
            }
        }
    }
}

#[test]
fn a_free_axis_is_one_of_the_tool() {
    let mut random = Random::new(62);
    let arm = common::arms_named(&["panda"]).swap_remove(0);
    let sideways = Isometry3::new(Vector3::new(0.1, 0.0, 0.05), Vector3::new(0.0, 1.2, 0.0));
    let tooled = with_tools(&arm, &[sideways]);
    let solver = tooled.solver();
    for _ in 0..30 {
        let target = tooled.targets_at(&random.positions(&arm.chain))[0];
        let turned = target.pose * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), random.between(-3.0, 3.0));
        let free_axes = [false, false, false, false, false, true];
        let seed = random.positions(&arm.chain);
        let solution = solve(&solver, &Problem::new(&[target.with_pose(turned).with_free_axes(free_axes)], &seed));
        assert!(solution.is_solved(), "{solution:?}");
        let tool = arm.tip_poses(&solution.positions)[0] * sideways;
        let tilt = (tool.rotation * Vector3::z()).angle(&(turned.rotation * Vector3::z()));
        assert!(tilt <= 1e-5 && (tool.translation.vector - turned.translation.vector).norm() <= 1e-5);
    }
}

#[test]
fn the_jacobian_is_that_of_the_tool_point() {
    let mut random = Random::new(63);
    let tooled = with_bent_tools(&common::arms_named(&["panda"]).swap_remove(0), &mut random);
    let chain = &tooled.chain;
    let (mut poses, mut columns) = (ChainPoses::new(chain), vec![Vector6::zeros(); chain.variables().len()]);
    let positions = random.positions(chain);
    chain.forward_kinematics(&positions, &mut poses);
    let at = poses.tips()[0];
    chain.jacobian(&poses, 0, &Point3::from(at.translation.vector), &mut columns);
    for (variable, column) in columns.iter().enumerate() {
        let moved = |by: f64| {
            let mut positions = positions.clone();
            positions[variable] += by;
            tooled.tip_poses(&positions)[0].translation.vector
        };
        let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!((slope - column.fixed_rows::<3>(0)).norm() < 1e-8, "variable {variable}");
    }
}

#[test]
fn without_a_tool_every_bit_is_as_before() {
    let mut random = Random::new(64);
    for arm in common::bundled_arms().into_iter().chain([common::two_handed()]) {
        let none = vec![Isometry3::identity(); arm.chain.tips().len()];
        let back = with_tools(&with_bent_tools(&arm, &mut random), &none);
        assert_eq!(back.chain, arm.chain);
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let seed = random.positions(&arm.chain);
        let [one, other] = [&arm, &back].map(|arm| bits(&solve(&arm.solver(), &Problem::new(&targets, &seed))));
        assert_eq!(one, other, "{}", arm.name);
    }
}

#[test]
fn bad_tools_are_refused_by_name() {
    let arm = common::bundled_arms().swap_remove(0);
    assert_eq!(arm.chain.with_tools(&[]), Err(ChainError::ToolCount { tools: 0, tips: 1 }));
    let nan = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(f64::NAN, 0.0, 0.0, 0.0));
    let far = [f64::NAN, f64::INFINITY, 1e300].map(|x| Isometry3::translation(x, 0.0, 0.0));
    for bad in far.into_iter().chain([Isometry3::from_parts(Vector3::zeros().into(), nan)]) {
        let tip = arm.chain.tips()[0].link.clone();
        assert_eq!(arm.chain.with_tools(&[bad]), Err(ChainError::Tool { tip }));
    }
}
