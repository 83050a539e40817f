//! Unreachable targets: the closest configuration, and the reason.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use urdf_ik::robot::Domain;
use urdf_ik::solver::JacobianStep;
use urdf_ik::solver::{Mode, Outcome, Pick, Problem, Reason, Solution, Stop, Target, Unreached};

use crate::common::{
    self, Arm, Random, Share, solve,
    urdf::{self, joint, robot},
};

fn search_from(arm: &Arm, target: Target, seed: &[f64]) -> Solution {
    solve(&arm.solver(), &Problem::new(&[target], seed))
}

fn search_from_nominal(arm: &Arm, target: Target) -> Solution {
    search_from(arm, target, &arm.chain.nominal_positions())
}

fn at(x: f64, y: f64, z: f64) -> Target {
    Target::new(0, Isometry3::translation(x, y, z)).position_only()
}

/// Distance and reach stated by an out-of-reach answer.
fn proof(solution: &Solution) -> (f64, urdf_ik::solver::Reach) {
    match solution.outcome {
        Outcome::Closest(Reason::OutOfReach { target: 0, distance, reach }) => (distance, reach),
        _ => panic!("{solution:?}"),
    }
}

#[test]
fn beyond_the_reach_the_arm_stretches_towards_the_target() {
    let arm = Arm::from_text(&urdf::spherical(0.5, 0.4), "base", &["tip"]);
    let mut random = Random::new(1);
    for farther in [1e-3, 0.1, 1.0, 100.0, 1e6] {
        for _ in 0..10 {
            let direction = random.direction();
            let goal = direction * (0.9 + farther);
            let solution = search_from(&arm, at(goal.x, goal.y, goal.z), &random.positions(&arm.chain));
            let (distance, reach) = proof(&solution);
            assert!(
                (distance - 0.9 - farther).abs() < 1e-9 * distance && (reach.outer - 0.9).abs() < 1e-12,
                "{solution:?}"
            );
            let missed = solution.residuals[0].position;
            assert!(
                (missed - farther).abs() <= 1e-3 * farther.max(0.9),
                "{missed} m missed for {farther} m: {solution:?}"
            );
            let tip = arm.tip_poses(&solution.positions)[0].translation.vector;
            assert!(tip.angle(&direction) < 0.2, "{tip} towards {direction}, {farther} m beyond");
            assert!(solution.stop == Stop::Attempts && solution.attempts <= 48, "it is certain: {solution:?}");
            let sentence = solution.sentence(&arm.chain);
            assert!(sentence.contains("out of reach") && sentence.contains("0.9000"), "{sentence}");
        }
    }
}

#[test]
fn nearer_than_the_reach_the_arm_folds() {
    let arm = Arm::from_text(&urdf::planar(0.5, 0.2), "base", &["tip"]);
    for distance in [0.0, 0.1, 0.29] {
        let solution = search_from(&arm, at(0.6 * distance, 0.8 * distance, 0.0), &[0.2, 0.7]);
        let (found, reach) = proof(&solution);
        assert!((found - distance).abs() < 1e-12 && (reach.inner - 0.3).abs() < 1e-12, "{solution:?}");
        assert!((solution.residuals[0].position - (0.3 - distance)).abs() < 1e-3, "{solution:?}");
    }
    assert!(search_from_nominal(&arm, at(0.18001, 0.24001, 0.0)).is_solved());
    // With a stretched arm and the target at its own base, the error has no gradient.
    let solution = search_from(&arm, at(0.0, 0.0, 0.0), &[0.0, 0.0]);
    assert!((solution.residuals[0].position - 0.3).abs() < 1e-3, "{solution:?}");
}

#[test]
fn targets_claimed_out_of_reach_are() {
    for arm in common::bundled_arms() {
        let mut random = Random::new(2);
        for _ in 0..20 {
            // A reachable target is never claimed out of reach, and others are missed by at least the claimed distance.
            let reached = arm.targets_at(&random.positions(&arm.chain))[0];
            assert!(!matches!(search_from_nominal(&arm, reached).outcome, Outcome::Closest(Reason::OutOfReach { .. })));
            let goal = random.direction() * random.between(3.0, 6.0);
            for target in
                [at(goal.x, goal.y, goal.z), Target::new(0, Isometry3::from_parts(goal.into(), reached.pose.rotation))]
            {
                let solution = search_from_nominal(&arm, target);
                let (distance, reach) = proof(&solution);
                assert!(distance > reach.outer);
                assert!(solution.residuals[0].position >= distance - reach.outer - 1e-9, "{solution:?}");
                let (missed, _) = arm.errors(&[target], &solution);
                assert!((missed - solution.residuals[0].position).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn without_the_closest_configuration_the_attempts_alone_decide() {
    let arm = &common::bundled_arms()[0];
    let (solver, seed, mut random) = (arm.solver(), arm.chain.nominal_positions(), Random::new(4));
    let mut missed = 0;
    for index in 0..60 {
        let mut target = arm.targets_at(&random.positions(&arm.chain))[0];
        if index % 2 == 1 {
            // Turned, it may or may not be reachable.
            target.pose.rotation *= UnitQuaternion::from_scaled_axis(random.direction() * 2.0);
        }
        let [with, without] = [Unreached::Closest, Unreached::Stop].map(|unreached| {
            let targets = [target];
            solve(&solver, &Problem::new(&targets, &seed).with_unreached(unreached))
        });
        assert!(arm.chain.contains(&without.positions) && without.iterations <= with.iterations, "{without:?}");
        if without.is_solved() {
            assert_eq!(common::bits(&without), common::bits(&with));
        } else if !matches!(without.outcome, Outcome::Closest(Reason::OutOfReach { .. })) {
            missed += 1;
            assert!(without.attempts == 100 && without.iterations < with.iterations, "{without:?} {with:?}");
            assert_eq!(without.outcome, Outcome::Closest(Reason::NotConverged));
            assert!(without.squared_error >= with.squared_error, "{without:?} {with:?}");
        }
    }
    assert!(missed > 3, "{missed}");
    let targets = [at(9.0, 0.0, 0.0)];
    let far = solve(&solver, &Problem::new(&targets, &seed).with_unreached(Unreached::Stop));
    assert!(proof(&far).0 > 8.0 && far.attempts == 0 && far.iterations == 0 && far.positions == seed, "{far:?}");
}

#[test]
fn a_wrist_out_of_reach_is_detected_though_the_tip_is_in_reach() {
    let arm = &common::bundled_arms()[0];
    // The tip is within reach, but the hand points back at the arm from beyond.
    let pose = Isometry3::from_parts(
        Translation3::new(1.1, 0.0, 0.12),
        UnitQuaternion::from_euler_angles(0.0, -FRAC_PI_2, 0.0),
    );
    let solution = search_from_nominal(arm, Target::new(0, pose));
    let (distance, reach) = proof(&solution);
    assert!((distance - 1.19).abs() < 1e-3 && (reach.outer - 1.04).abs() < 1e-9, "{distance} {reach:?}");
    assert!(!matches!(
        search_from_nominal(arm, at(1.1, 0.0, 0.12)).outcome,
        Outcome::Closest(Reason::OutOfReach { .. })
    ));
}

#[test]
fn joint_limits_that_block_a_target_are_named() {
    let limited = |name: &str, parent: &str, child: &str, x: f64| {
        let inside = format!("<origin xyz='{x} 0 0'/><axis xyz='0 0 1'/><limit lower='-0.5' upper='0.5'/>");
        joint(name, "revolute", parent, child, &inside)
    };
    let joints = limited("shoulder", "base", "upper", 0.0)
        + &limited("elbow", "upper", "lower", 0.5)
        + &urdf::fixed("end", "lower", "tip", "0.4 0 0");
    let arm = Arm::from_text(&robot("base upper lower tip", &joints), "base", &["tip"]);
    for (sign, method) in
        [(1.0, JacobianStep::default()), (-1.0, JacobianStep::default()), (1.0, JacobianStep::Pseudoinverse)]
    {
        let solver = arm.solver().with_method(method).unwrap();
        let targets = [at(0.0, 0.8 * sign, 0.0)];
        let problem = Problem::new(&targets, &[0.0, 0.0]);
        let solution = solve(&solver, &problem);
        assert_eq!(solution.outcome, Outcome::Closest(Reason::JointLimits), "{solution:?}");
        assert_eq!((solution.saturated.as_slice(), solution.positions.as_slice()), (&[0, 1][..], &[0.5 * sign; 2][..]));
        let sentence = solution.sentence(&arm.chain);
        assert!(sentence.contains("limits") && sentence.contains("shoulder, elbow"), "{sentence}");
        assert_eq!((solution.stop, solution.attempts), (Stop::Attempts, 100));
    }
}

#[test]
fn more_axes_than_joints_give_the_closest_configuration() {
    let arm = Arm::from_text(&urdf::planar(0.5, 0.4), "base", &["tip"]);
    // Out of the plane by 0.1 m, which no joint can change.
    let solution = search_from_nominal(&arm, at(0.5, 0.3, 0.1));
    assert_eq!(solution.outcome, Outcome::Closest(Reason::NotConverged));
    assert!((solution.residuals[0].position - 0.1).abs() < 1e-6, "{solution:?}");
    assert!(solution.saturated.is_empty());
    let mut in_plane = at(0.5, 0.3, 0.1);
    in_plane.free_axes[2] = true;
    assert!(search_from_nominal(&arm, in_plane).is_solved());
}

#[test]
fn every_answer_is_inside_the_limits_and_finite() {
    let mut random = Random::new(3);
    for arm in common::bundled_arms() {
        let mut limits = 0;
        for round in 0..60 {
            let rotation = UnitQuaternion::from_euler_angles(random.between(-3.0, 3.0), random.between(-1.5, 1.5), 0.3);
            let position = random.direction() * random.between(0.0, 1.5);
            let mut target = Target::new(0, Isometry3::from_parts(position.into(), rotation));
            target.free_axes[round % 6] = round % 2 == 0;
            let solution = search_from_nominal(&arm, target);
            assert!(arm.chain.contains(&solution.positions), "{solution:?}");
            assert!(solution.residuals[0].position.is_finite() && solution.residuals[0].orientation.is_finite());
            for &variable in &solution.saturated {
                let Domain::Interval { lower, upper } = arm.chain.variables()[variable].domain else {
                    panic!("no limit")
                };
                assert!([lower, upper].contains(&solution.positions[variable]), "{solution:?}");
                limits += 1;
            }
        }
        assert!(limits > 0, "{}: limits were never met: no test", arm.name);
    }
}

/// A planar arm of two links with one elbow posture, by its limits.
fn elbow_up() -> Arm {
    let limited = |name: &str, parent: &str, child: &str, x: f64, (lower, upper): (f64, f64)| {
        let inside = format!("<origin xyz='{x} 0 0'/><axis xyz='0 0 1'/><limit lower='{lower}' upper='{upper}'/>");
        joint(name, "revolute", parent, child, &inside)
    };
    let joints = limited("shoulder", "base", "upper", 0.0, (-0.5, 0.5))
        + &limited("elbow", "upper", "lower", 0.5, (0.0, 2.0))
        + &urdf::fixed("end", "lower", "tip", "0.4 0 0");
    Arm::from_text(&robot("base upper lower tip", &joints), "base", &["tip"])
}

#[test]
fn joint_limits_are_blamed_only_where_the_target_is_met_without_them() {
    let (arm, seed) = (elbow_up(), [0.0, 1.0]);
    let ask = |target: Target, attempts: usize| {
        let mode = Mode::Search { pick: Pick::First, attempts, random_seed: 0 };
        solve(&arm.solver(), &Problem::new(&[target], &seed).with_mode(mode))
    };
    let (blocked, off_plane) = (at(0.0, 0.8, 0.0), at(0.0, 0.8, 0.1));
    let found = ask(blocked, 100);
    assert!(found.outcome == Outcome::Closest(Reason::JointLimits) && !found.saturated.is_empty(), "{found:?}");
    // Joints are at their limits here as well, but the arm could not leave its plane without limits either.
    let found = ask(off_plane, 100);
    assert!(found.outcome == Outcome::Closest(Reason::NotConverged) && !found.saturated.is_empty(), "{found:?}");
    assert!(found.sentence(&arm.chain).contains("no solution was found in 100 attempts"), "{found:?}");
    // A few attempts may have missed a solution within the limits.
    for attempts in [1, 10, 99] {
        assert_eq!(ask(blocked, attempts).outcome, Outcome::Closest(Reason::NotConverged), "{attempts}");
    }
}

#[test]
fn distances_that_are_nearly_alike_are_told_apart() {
    let arm = Arm::from_text(&urdf::planar(0.5, 0.4), "base", &["tip"]);
    let mut target = at(0.9 + 2e-6, 0.0, 0.0);
    target.tolerance.position = 1e-9;
    let sentence = search_from_nominal(&arm, target).sentence(&arm.chain);
    assert!(sentence.contains("0.900002 m") && sentence.contains("to 0.900000 m"), "{sentence}");
}

#[test]
fn the_closest_configuration_is_as_near_as_the_best_of_many_searches() {
    let mut beaten = Share { failed: 0, of: 0 };
    for arm in common::all_arms() {
        let (solver, mut random) = (arm.solver(), Random::new(21));
        let reach = solver.reach()[0].tip.outer;
        for _ in 0..6 {
            let mut pose = arm.targets_at(&random.positions(&arm.chain))[0].pose;
            pose.translation.vector = random.direction() * reach * random.between(0.3, 1.2);
            let found = search_from_nominal(&arm, Target::new(0, pose));
            let best = (0..20).map(|_| search_from(&arm, Target::new(0, pose), &random.positions(&arm.chain)));
            let best = best.map(|solution| solution.squared_error).fold(f64::INFINITY, f64::min);
            if !found.is_solved() && best > 1e-6 {
                let ratio = (found.squared_error / best).sqrt();
                println!("{}: {ratio} times the error of the best", arm.name);
                assert!(ratio < 1.5, "{}: {ratio} times the error of the best, {found:?}", arm.name);
                beaten.failed += usize::from(ratio > 1.01);
            }
            beaten.of += 1;
        }
    }
    println!("{beaten:?}");
    beaten.assert_at_most(0.03, "searches that found a configuration nearer by a hundredth");
}
