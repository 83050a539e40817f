//! Several tips that share joints, and the weights of their targets.

use urdf_ik::solver::{Problem, Target};

use crate::common::{self, Arm, Random};

/// Random problems of each robot.
const ROUNDS: usize = 60;

/// Robots with two arms on a movable torso.
fn two_armed() -> Vec<Arm> {
    let talos = common::load("talos_full_v2.urdf");
    vec![common::two_handed(), Arm::new("talos", talos, "base_link", &["arm_left_7_link", "arm_right_7_link"])]
}

#[test]
fn joints_of_the_torso_are_variables_of_both_tips_and_counted_once() {
    for arm in two_armed() {
        let names: Vec<&str> = arm.chain.variables().iter().map(|variable| variable.name.as_str()).collect();
        let torso = names.iter().filter(|name| name.contains("torso")).count();
        assert_eq!((names.len(), torso), (16, 2), "{}: {names:?}", arm.name);
        let [left, right] = arm.chain.tips() else { panic!("{:?}", arm.chain.tips()) };
        let shared = left.variables.iter().filter(|variable| right.variables.contains(variable)).count();
        assert_eq!((left.variables.len(), right.variables.len(), shared), (9, 9, 2), "{}", arm.name);
    }
}

#[test]
fn both_tips_reach_full_poses_and_positions_at_once() {
    for arm in two_armed() {
        let (solver, mut random) = (arm.solver(), Random::new(41));
        let mut solved = 0_usize;
        for round in 0..ROUNDS {
            let mut targets = arm.targets_at(&random.positions(&arm.chain));
            if round % 3 == 1 {
                targets[1] = targets[1].position_only();
            }
            if round % 3 == 2 {
                targets.swap(0, 1);
            }
            let seed = random.positions(&arm.chain);
            let solution = common::solve(&solver, &Problem::new(&targets, &seed));
            assert!(arm.chain.contains(&solution.positions) && solution.residuals.len() == 2);
            let poses = arm.tip_poses(&solution.positions);
            for (target, residual) in targets.iter().zip(&solution.residuals) {
                let found = target.residual(&poses[target.tip]);
                assert!((found.position - residual.position).abs() < 1e-12, "{found:?} {residual:?}");
                assert!((found.orientation - residual.orientation).abs() < 1e-9, "{found:?} {residual:?}");
                assert!(!solution.is_solved() || (found.position <= 1.000_001e-5 && found.orientation <= 1.000_001e-5));
            }
            solved += usize::from(solution.is_solved());
        }
        println!("{}: {solved} of {ROUNDS} solved", arm.name);
        assert!(solved * 20 >= ROUNDS * 19, "{}: {solved}", arm.name);
    }
}

#[test]
fn a_tip_without_target_does_not_hinder_the_other() {
    for arm in two_armed() {
        let (solver, mut random) = (arm.solver(), Random::new(42));
        for round in 0..ROUNDS {
            let targets = [arm.targets_at(&random.positions(&arm.chain))[round % 2]];
            let seed = random.positions(&arm.chain);
            let solution = common::solve(&solver, &Problem::new(&targets, &seed));
            assert!(solution.is_solved() && solution.residuals.len() == 1, "{}: {solution:?}", arm.name);
            // Joints that only move the other tip stay at the start of the attempt.
            assert!(arm.chain.contains(&solution.positions));
        }
    }
}

#[test]
fn a_target_of_higher_weight_is_missed_by_less() {
    for arm in two_armed() {
        let (solver, mut random) = (arm.solver(), Random::new(43));
        let (mut sums, mut kept) = ([[0.0; 2]; 3], 0_usize);
        for _ in 0..ROUNDS {
            // Each hand can reach its target alone, but one is in front and the other behind, so that the torso would
            // have to turn both ways.
            let mut targets = arm.targets_at(&random.positions(&arm.chain));
            for (target, forward) in targets.iter_mut().zip([0.9, -0.9]) {
                *target = target.position_only();
                target.pose.translation.vector.x = forward;
            }
            let seed = random.positions(&arm.chain);
            let mut missed = |weights: [f64; 2]| {
                for (target, weight) in targets.iter_mut().zip(weights) {
                    target.weight = weight;
                }
                let solution = common::solve(&solver, &Problem::new(&targets, &seed));
                assert!(arm.chain.contains(&solution.positions));
                [solution.residuals[0].position, solution.residuals[1].position]
            };
            let all = [missed([20.0, 1.0]), missed([1.0, 1.0]), missed([1.0, 20.0])];
            kept += usize::from(all[0][0] <= all[2][0] + 1e-3 && all[2][1] <= all[0][1] + 1e-3);
            for (sum, one) in sums.iter_mut().zip(all) {
                (sum[0], sum[1]) = (sum[0] + one[0], sum[1] + one[1]);
            }
        }
        println!("{}: {kept} of {ROUNDS} in order; left heavy, even, right heavy: {sums:.3?}", arm.name);
        let [left, even, right] = sums;
        assert!(left[0] < even[0] && even[0] < right[0] && right[1] < even[1] && even[1] < left[1], "{sums:?}");
        assert!(kept * 5 >= ROUNDS * 4, "{kept}");
    }
}

#[test]
fn the_weight_of_a_target_by_itself_does_not_matter() {
    for arm in common::bundled_arms() {
        let (solver, mut random) = (arm.solver(), Random::new(44));
        for _ in 0..ROUNDS / 4 {
            let targets = arm.targets_at(&random.positions(&arm.chain));
            let seed = random.positions(&arm.chain);
            let plain = common::solve(&solver, &Problem::new(&targets, &seed));
            let singular = |targets: &[Target]| {
                solver.smallest_singular_value(targets, &plain.positions, &mut solver.scratch()).unwrap()
            };
            for weight in [1e-300, 1e-30, 1e-14, 1e-3, 1e6, 1e30, 1e300] {
                let weighed = [targets[0].with_weight(weight)];
                let solution = common::solve(&solver, &Problem::new(&weighed, &seed));
                assert!(solution.is_solved() && arm.chain.contains(&solution.positions), "{weight:e}: {solution:?}");
                assert_eq!(singular(&weighed), singular(&targets), "{weight:e}");
            }
        }
    }
}
