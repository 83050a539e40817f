//! FABRIK on the joints of robots, alone and polished.

use std::fmt::Write;

use allocation_counter::measure;
use nalgebra::{Isometry3, Translation3};
use urdf_ik::solver::{FabrikOptions, MAX_ACCELERATION, Method};
use urdf_ik::solver::{Mode, Outcome, Pick, Problem, Reason, Solver, Target};

use crate::common::{self, Arm, Random, solve};

fn search<'a>(targets: &'a [Target], seed: &'a [f64]) -> Problem<'a> {
    let mode = Mode::Search { pick: Pick::First, attempts: 2000, random_seed: 0 };
    Problem::new(targets, seed).with_mode(mode)
}

/// A depth of the acceleration.
const DEPTH: usize = 3;

fn alone(acceleration: usize) -> FabrikOptions {
    FabrikOptions::new(acceleration, false)
}

/// Solves random reachable targets and returns how many were met. Checks every claim by independent kinematics.
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
            assert_eq!(solution.is_solved(), within, "{}: {solution:?}", arm.name);
            within
        })
        .count()
}

#[test]
fn robots_reach_their_targets_alone_and_polished() {
    for arm in common::all_arms() {
        for options in [alone(DEPTH), FabrikOptions::default()] {
            let found = met(&arm, &arm.solver().with_method(options).unwrap(), 300, |target| target);
            assert_eq!(found, 300, "{}: {options:?}", arm.name);
        }
    }
}

#[test]
fn every_depth_of_acceleration_meets_all_targets_and_plain_cycles_most() {
    let arm = &common::bundled_arms()[0];
    for depth in 0..=MAX_ACCELERATION {
        let found = met(arm, &arm.solver().with_method(alone(depth)).unwrap(), 50, |target| target);
        assert!(found >= if depth == 0 { 30 } else { 50 }, "{found} of 50 with depth {depth}");
    }
    let beyond = arm.solver().with_method(alone(MAX_ACCELERATION + 5)).unwrap();
    assert_eq!(beyond.method(), Method::Fabrik(alone(MAX_ACCELERATION)));
}

#[test]
fn free_axes_stay_free_and_several_tips_are_reached_together() {
    let masks = [[false, false, false, true, true, true], [false, false, false, false, false, true]];
    for arm in &common::bundled_arms() {
        for free_axes in masks {
            let found = met(arm, &arm.solver().with_method(alone(DEPTH)).unwrap(), 50, |target| {
                target.with_free_axes(free_axes)
            });
            assert_eq!(found, 50, "{}: {free_axes:?}", arm.name);
        }
    }
    let arm = common::two_handed();
    for options in [alone(DEPTH), FabrikOptions::default()] {
        let found = met(&arm, &arm.solver().with_method(options).unwrap(), 100, |target| target);
        assert_eq!(found, 100, "both hands: {options:?}");
    }
}

/// Numbers of plain and accelerated cycles from `seeds` random seeds to nearby targets that both reach.
fn cycles(arm: &Arm, seeds: usize) -> (usize, usize) {
    let (plain, accelerated) =
        (arm.solver().with_method(alone(0)).unwrap(), arm.solver().with_method(alone(DEPTH)).unwrap());
    let free = vec![f64::INFINITY; arm.chain.variables().len()];
    let (mut random, mut sums) = (Random::new(21), (0, 0));
    for _ in 0..seeds {
        let seed = random.positions(&arm.chain);
        let near = seed.iter().zip(arm.chain.variables());
        let near = near.map(|(position, variable)| variable.domain.clamp(position + random.between(-0.3, 0.3)));
        let targets = arm.targets_at(&near.collect::<Vec<f64>>());
        let problem = Problem::new(&targets, &seed).with_mode(Mode::Track { max_step: &free });
        let (slow, quick) = (solve(&plain, &problem), solve(&accelerated, &problem));
        if slow.is_solved() && quick.is_solved() {
            sums = (sums.0 + slow.iterations, sums.1 + quick.iterations);
        }
    }
    sums
}

#[test]
fn acceleration_saves_most_of_the_cycles() {
    let arm = &common::bundled_arms()[0];
    let (plain, accelerated) = cycles(arm, 100);
    println!("{plain} plain cycles, {accelerated} accelerated");
    assert!(accelerated > 0 && 2 * accelerated < plain, "{plain} plain cycles, {accelerated} accelerated");
}

#[test]
fn a_path_is_followed_without_a_jump() {
    let arm = &common::bundled_arms()[0];
    let free = vec![f64::INFINITY; arm.chain.variables().len()];
    let mut last: Vec<f64> = arm.chain.variables().iter().map(|variable| variable.domain.at(0.6)).collect();
    let start = arm.tip_poses(&last)[0];
    for options in [alone(0), alone(DEPTH), FabrikOptions::default()] {
        let solver = arm.solver().with_method(options).unwrap();
        for step in 1..=400 {
            let angle = std::f64::consts::TAU * f64::from(step) / 400.0;
            let at = Translation3::new(0.1 * (angle.cos() - 1.0), 0.1 * angle.sin(), 0.05 * angle.sin());
            let targets = [Target::new(0, at * start)];
            let problem = Problem::new(&targets, &last).with_mode(Mode::Track { max_step: &free });
            let solution = solve(&solver, &problem);
            assert!(solution.is_solved(), "{options:?}, step {step}: {solution:?}");
            let largest = last.iter().zip(&solution.positions).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
            // The tip moves by 1.8 mm per step.
            assert!(largest < 0.02, "{options:?}, step {step}: {largest} rad");
            last = solution.positions;
        }
    }
}

#[test]
fn the_same_problem_has_the_same_solution_and_allocates_nothing() {
    let mut random = Random::new(12);
    for arm in common::bundled_arms().iter().chain([&common::two_handed()]) {
        for options in [alone(0), alone(DEPTH), alone(6), FabrikOptions::default()] {
            let solver = arm.solver().with_method(options).unwrap();
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

/// Answers of used scratch against those of new scratch, in every mode, with as many targets as there are
/// tips and with fewer.
#[test]
fn earlier_use_of_the_scratch_does_not_matter() {
    let mut random = Random::new(13);
    for arm in common::bundled_arms().iter().chain([&common::two_handed()]) {
        let free = vec![f64::INFINITY; arm.chain.variables().len()];
        let one = Mode::Search { pick: Pick::First, attempts: 1, random_seed: 0 };
        for options in [alone(0), alone(DEPTH), FabrikOptions::default()] {
            let solver = arm.solver().with_method(options).unwrap();
            let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
            for mode in [one, Mode::search(), Mode::Track { max_step: &free }].repeat(15) {
                let mut targets = arm.targets_at(&random.positions(&arm.chain));
                targets.truncate(1 + random.below(targets.len()));
                let seed = random.positions(&arm.chain);
                let problem = Problem::new(&targets, &seed).with_mode(mode);
                solver.solve(&problem, &mut scratch, &mut solution).unwrap();
                let fresh = solve(&solver, &problem);
                assert_eq!(common::bits(&solution), common::bits(&fresh), "{}: {options:?}, {mode:?}", arm.name);
            }
        }
    }
}

#[test]
fn a_mimic_joint_with_multiplier_zero_does_no_harm() {
    let limits = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
    for (kind, limits) in [("revolute", limits), ("prismatic", limits), ("continuous", "")] {
        let mut text = String::from("<robot name='r'><link name='l0'/>");
        for joint in 1..=7 {
            let axis = ["0 0 1", "0 1 0"][joint % 2];
            // The fourth mimics the third with a multiplier of 0.
            let (kind, limits, mimic) = if joint == 4 {
                (kind, limits, "<mimic joint='j3' multiplier='0' offset='0.2'/>")
            } else {
                ("continuous", "", "")
            };
            let parent = joint - 1;
            write!(
                text,
                "<link name='l{joint}'/><joint name='j{joint}' type='{kind}'><parent link='l{parent}'/><child link='l{joint}'/>\
                 <origin xyz='0.05 0.02 0.2'/><axis xyz='{axis}'/>{limits}{mimic}</joint>",
            )
            .unwrap();
        }
        let arm = Arm::from_text(&(text + "</robot>"), "l0", &["l7"]);
        for options in [alone(DEPTH), FabrikOptions::default()] {
            let found = met(&arm, &arm.solver().with_method(options).unwrap(), 50, |target| target);
            assert_eq!(found, 50, "{kind}, {options:?}");
        }
    }
}

#[test]
fn out_of_reach_is_reported_and_steps_stay_in_their_bounds() {
    let arm = &common::bundled_arms()[0];
    let seed = arm.chain.nominal_positions();
    for options in [FabrikOptions::default(), alone(DEPTH)] {
        let solver = arm.solver().with_method(options).unwrap();
        let far = [Target::new(0, Isometry3::translation(5.0, 0.0, 0.5)).position_only()];
        let solution = solve(&solver, &Problem::new(&far, &seed));
        assert!(matches!(solution.outcome, Outcome::Closest(Reason::OutOfReach { .. })), "{solution:?}");
        // FABRIK alone comes near the nearest configuration, the polish reaches it.
        let nearest = solve(&arm.solver(), &Problem::new(&far, &seed)).residuals[0].position;
        let missed = solution.residuals[0].position - nearest;
        assert!(missed < if options.polish { 1e-3 } else { 0.01 }, "{missed} m short: {solution:?}");
        let max_step = vec![0.01; seed.len()];
        let mode = Mode::Track { max_step: &max_step };
        let solution = solve(&solver, &Problem::new(&far, &seed).with_mode(mode));
        for (position, seed) in solution.positions.iter().zip(&seed) {
            assert!((position - seed).abs() <= 0.01 + 1e-15, "{solution:?}");
        }
    }
}
