//! FABRIK on the joints of robots, alone and polished.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod common;

use allocation_counter::measure;
use common::{Arm, Random, solve};
use nalgebra::Isometry3;
use urdf_ik::solver::fabrik::{GREATEST_ACCELERATION, Options};
use urdf_ik::solver::{Mode, Outcome, Pick, Problem, Reason, Solver, Target};

fn search<'a>(targets: &'a [Target], seed: &'a [f64]) -> Problem<'a> {
    let mode = Mode::Search { pick: Pick::First, attempts: 2000, random_seed: 0 };
    Problem { mode, ..Problem::new(targets, seed) }
}

fn alone(acceleration: usize) -> Options {
    Options { acceleration, polish: false }
}

/// Solves random reachable targets; gives how many were met. Every claim is checked by another path.
fn met(arm: &Arm, solver: &Solver, count: usize, change: impl Fn(Target) -> Target) -> usize {
    let mut random = Random::new(11);
    (0..count)
        .filter(|_| {
            let targets: Vec<Target> = arm.targets_at(&random.positions(&arm.chain)).into_iter().map(&change).collect();
            let solution = solve(solver, &search(&targets, &random.positions(&arm.chain)));
            assert!(arm.chain.contains(&solution.positions), "{}: {solution:?}", arm.name);
            let poses = arm.tip_poses(&solution.positions);
            let within = targets.iter().all(|target| {
                let residual = target.residual(&poses[target.tip]);
                residual.position <= 1e-5 + 1e-12 && residual.orientation <= 1e-5 + 1e-12
            });
            assert_eq!(solution.solved(), within, "{}: {solution:?}", arm.name);
            within
        })
        .count()
}

#[test]
fn robots_reach_their_targets_alone_and_polished() {
    for arm in common::bundled_arms().iter().chain(&common::shared_arms()) {
        let solver = arm.solver().with_fabrik(alone(2));
        let found = met(arm, &solver, 300, |target| target);
        assert!(found >= 299, "{}: {found} of 300 alone", arm.name);
        let solver = solver.with_fabrik(Options::default());
        let found = met(arm, &solver, 300, |target| target);
        assert_eq!(found, 300, "{}: polished", arm.name);
    }
}

#[test]
fn every_depth_of_acceleration_gets_there_and_plain_cycles_most_of_the_way() {
    let arm = &common::bundled_arms()[0];
    for depth in 0..=GREATEST_ACCELERATION {
        let found = met(arm, &arm.solver().with_fabrik(alone(depth)), 50, |target| target);
        assert!(found >= if depth == 0 { 30 } else { 48 }, "{found} of 50 with depth {depth}");
    }
    let beyond = arm.solver().with_fabrik(alone(GREATEST_ACCELERATION + 5));
    let Solver::Fabrik(fabrik) = beyond else { panic!("another solver") };
    assert_eq!(fabrik.options(), alone(GREATEST_ACCELERATION));
}

#[test]
fn free_axes_stay_free_and_several_tips_are_reached_together() {
    let masks = [[false, false, false, true, true, true], [false, false, false, false, false, true]];
    for arm in &common::bundled_arms() {
        for free_axes in masks {
            let found = met(arm, &arm.solver().with_fabrik(alone(2)), 50, |target| Target { free_axes, ..target });
            assert!(found >= 49, "{}: {found} of 50 with {free_axes:?}", arm.name);
        }
    }
    let arm = common::two_handed();
    let found = met(&arm, &arm.solver().with_fabrik(Options::default()), 50, |target| target);
    assert!(found >= 45, "{found} of 50 with both hands");
}

#[test]
fn the_same_question_has_the_same_answer_and_allocates_nothing() {
    let mut random = Random::new(12);
    for arm in common::bundled_arms().iter().chain([&common::two_handed()]) {
        for options in [alone(0), alone(2), alone(6), Options::default()] {
            let solver = arm.solver().with_fabrik(options);
            let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
            for _ in 0..5 {
                let targets = arm.targets_at(&random.positions(&arm.chain));
                let seed = random.positions(&arm.chain);
                let problem = Problem::new(&targets, &seed);
                let allocations = measure(|| solver.solve(&problem, &mut scratch, &mut solution).unwrap());
                assert_eq!(allocations.count_total, 0);
                assert_eq!(common::bits(&solution), common::bits(&solve(&solver, &problem)), "{}", arm.name);
            }
        }
    }
}

#[test]
fn out_of_reach_is_said_and_steps_stay_in_their_bounds() {
    let arm = &common::bundled_arms()[0];
    let seed = arm.chain.nominal_positions();
    for options in [Options::default(), alone(2)] {
        let solver = arm.solver().with_fabrik(options);
        let far = [Target::new(0, Isometry3::translation(5.0, 0.0, 0.5)).position_only()];
        let solution = solve(&solver, &Problem::new(&far, &seed));
        assert!(matches!(solution.outcome, Outcome::Closest(Reason::OutOfReach { .. })), "{solution:?}");
        // Alone it comes near the nearest posture, polished to it.
        let nearest = solve(&arm.solver(), &Problem::new(&far, &seed)).residuals[0].position;
        let missed = solution.residuals[0].position - nearest;
        assert!(missed < if options.polish { 1e-3 } else { 0.5 }, "{missed} m short: {solution:?}");
        let max_step = vec![0.01; seed.len()];
        let mode = Mode::Track { max_step: &max_step };
        let solution = solve(&solver, &Problem { mode, ..Problem::new(&far, &seed) });
        for (position, seed) in solution.positions.iter().zip(&seed) {
            assert!((position - seed).abs() <= 0.01 + 1e-15, "{solution:?}");
        }
    }
}
