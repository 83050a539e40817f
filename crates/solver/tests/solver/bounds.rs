//! Bounds of the variables in one problem: small moves, locked joints.

use std::f64::consts::{PI, TAU};

use urdf_ik::robot::{Chain, Domain};
use urdf_ik::solver::{Bounds, Mode, Outcome, Pick, Problem, ProblemError, Reason, Solution, Solver, SolverKind};

use crate::common::{
    self, Arm, Random, Share, all_solutions, bits, solve,
    urdf::{robot, turn},
};

/// Bounds around `seed`.
struct Around {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Around {
    fn new(seed: &[f64], most: f64) -> Self {
        Self {
            lower: seed.iter().map(|seed| seed - most).collect(),
            upper: seed.iter().map(|seed| seed + most).collect(),
        }
    }

    fn bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }

    /// Checks that positions are within the bounds and the limits.
    fn check(&self, chain: &Chain, solution: &Solution) {
        assert!(chain.contains(&solution.positions), "{solution:?}");
        for (i, position) in solution.positions.iter().enumerate() {
            let range = self.lower[i]..=self.upper[i];
            assert!(range.contains(position), "joint {i} at {position}, not in {range:?}: {solution:?}");
        }
    }
}

/// Every solver that serves the chain.
fn solvers(arm: &Arm) -> Vec<Solver> {
    SolverKind::ALL.into_iter().filter_map(|kind| Solver::prepare(kind, &arm.chain).ok()).collect()
}

/// A configuration no farther from `seed` than `most` in any variable.
fn near(random: &mut Random, chain: &Chain, seed: &[f64], most: f64) -> Vec<f64> {
    let one = |(domain, seed): (Domain, &f64)| domain.clamp(seed + random.between(-most, most));
    chain.domains().into_iter().zip(seed).map(one).collect()
}

#[test]
fn a_solution_is_no_farther_from_the_seed_than_asked() {
    let mut random = Random::new(1);
    for arm in common::all_arms().into_iter().chain([common::two_handed()]) {
        for solver in solvers(&arm) {
            let mut missed = Share { failed: 0, of: 200 };
            for index in 0..200 {
                let seed = random.positions(&arm.chain);
                let most = [0.05, 0.3, 1.0][index % 3];
                let around = Around::new(&seed, most);
                let targets = arm.targets_at(&near(&mut random, &arm.chain, &seed, most));
                let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
                let solution = solve(&solver, &problem);
                around.check(&arm.chain, &solution);
                missed.failed += usize::from(!solution.is_solved());
            }
            missed.assert_at_most(0.02, &format!("{}, {}", arm.name, solver.method().kind()));
        }
    }
}

#[test]
fn a_joint_can_be_locked() {
    let mut random = Random::new(2);
    for arm in common::arms_named(&["panda", "iiwa14", "gen3", "fetch7", "talos7", "arm7"]) {
        for solver in solvers(&arm) {
            let mut missed = Share { failed: 0, of: 150 };
            for index in 0..150 {
                let (goal, mut seed) = (random.positions(&arm.chain), random.positions(&arm.chain));
                let locked = index % seed.len();
                seed[locked] = goal[locked];
                let mut around = Around::new(&seed, f64::INFINITY);
                (around.lower[locked], around.upper[locked]) = (seed[locked], seed[locked]);
                let targets = arm.targets_at(&goal);
                let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
                let solution = solve(&solver, &problem);
                around.check(&arm.chain, &solution);
                missed.failed += usize::from(!solution.is_solved());
            }
            missed.assert_at_most(0.01, &format!("{}, {}", arm.name, solver.method().kind()));
        }
    }
}

#[test]
fn bounds_beyond_the_limits_change_no_bit() {
    let mut random = Random::new(3);
    for arm in common::all_arms() {
        for solver in solvers(&arm) {
            for _ in 0..20 {
                let seed = random.positions(&arm.chain);
                let around = Around::new(&seed, f64::INFINITY);
                let targets = arm.targets_at(&random.positions(&arm.chain));
                let plain = Problem::new(&targets, &seed);
                let bounded = plain.with_bounds(Some(around.bounds()));
                assert_eq!(bits(&solve(&solver, &bounded)), bits(&solve(&solver, &plain)), "{}", arm.name);
            }
        }
    }
}

/// An arm of three continuous joints about parallel axes.
fn planar() -> Arm {
    let joints = turn("one", "base", "a", "0 0 0", "0 0 1")
        + &turn("two", "a", "b", "1 0 0", "0 0 1")
        + &turn("three", "b", "tip", "1 0 0", "0 0 1");
    Arm::from_text(&robot("base a b tip", &joints), "base", &["tip"])
}

#[test]
fn bounds_are_of_positions_as_they_stand() {
    let arm = planar();
    let (solver, goal) = (arm.solver(), [0.2, 0.5, -0.3]);
    let targets = arm.targets_at(&goal);
    for turns in [0.0, 3.0, -1000.0] {
        let seed: Vec<f64> = goal.iter().map(|position| position + turns * TAU + 0.1).collect();
        let around = Around::new(&seed, 0.2);
        let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
        let solution = solve(&solver, &problem);
        around.check(&arm.chain, &solution);
        assert!(solution.is_solved(), "{solution:?}");
        // The solution a whole revolution away does not count.
        let seed: Vec<f64> = seed.iter().map(|position| position + PI).collect();
        let around = Around::new(&seed, 2.0);
        let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
        let solution = solve(&solver, &problem);
        around.check(&arm.chain, &solution);
        assert!(!solution.is_solved() && !solution.saturated.is_empty(), "{solution:?}");
    }
    // With more than a revolution of range, the revolution inside the bounds is found.
    let seed = [10.0; 3];
    let around = Around::new(&seed, PI + 0.01);
    let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
    let solution = solve(&solver, &problem);
    around.check(&arm.chain, &solution);
    assert!(solution.is_solved(), "{solution:?}");
}

#[test]
fn every_way_to_solve_keeps_the_bounds() {
    let mut random = Random::new(4);
    for arm in common::arms_named(&["ur5", "panda", "fetch7", "mixed_joints"]) {
        for solver in solvers(&arm) {
            let mut found = 0;
            for _ in 0..20 {
                let seed = random.positions(&arm.chain);
                let around = Around::new(&seed, 1.2);
                let targets = arm.targets_at(&near(&mut random, &arm.chain, &seed, 1.2));
                let steps = vec![0.8; seed.len()];
                for mode in [
                    Mode::Search { pick: Pick::Nearest, attempts: 60, random_seed: 1 },
                    Mode::Search { pick: Pick::MostManipulable, attempts: 60, random_seed: 1 },
                    Mode::Track { max_step: &steps },
                ] {
                    let problem = Problem::new(&targets, &seed).with_mode(mode).with_bounds(Some(around.bounds()));
                    let solution = solve(&solver, &problem);
                    around.check(&arm.chain, &solution);
                    let mut on_cores = solver.solution();
                    let mut scratches = vec![solver.scratch(), solver.scratch()];
                    solver.solve_on(&problem, &mut scratches, &mut on_cores).unwrap();
                    around.check(&arm.chain, &on_cores);
                }
                let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
                let all = all_solutions(&solver, &problem);
                for solution in &all {
                    around.check(&arm.chain, solution);
                }
                found += all.len();
                let batch = solver.solve_batch(&[problem], &|| true);
                assert_eq!(batch.positions, solve(&solver, &problem).positions);
            }
            assert!(found >= 18, "{}: {found}", arm.name);
        }
    }
}

#[test]
fn bounds_in_the_way_are_named_as_limits_are() {
    let arm = &common::arms_named(&["ur5"])[0];
    let seed = arm.chain.nominal_positions();
    let around = Around::new(&seed, 0.2);
    let mut goal = seed.clone();
    goal[0] += 1.0;
    let targets = arm.targets_at(&goal);
    let problem = Problem::new(&targets, &seed).with_bounds(Some(around.bounds()));
    let solution = solve(&arm.solver(), &problem);
    around.check(&arm.chain, &solution);
    assert_eq!(solution.outcome, Outcome::Closest(Reason::JointLimits), "{solution:?}");
    assert!(solution.saturated.contains(&0) && solution.positions[0] == seed[0] + 0.2, "{solution:?}");
}

#[test]
fn bounds_that_leave_no_position_are_refused() {
    let arm = &common::arms_named(&["panda"])[0];
    let (solver, seed) = (arm.solver(), arm.chain.nominal_positions());
    let targets = arm.targets_at(&seed);
    let refused = |lower: &[f64], upper: &[f64]| {
        let problem = Problem::new(&targets, &seed).with_bounds(Some(Bounds { lower, upper }));
        solver.solve(&problem, &mut solver.scratch(), &mut solver.solution()).unwrap_err()
    };
    let (low, high) = (vec![f64::NEG_INFINITY; 7], vec![f64::INFINITY; 7]);
    for (lower, upper) in [
        (9.0, 10.0),
        (0.5, 0.4),
        (f64::NAN, 1.0),
        (0.0, f64::NAN),
        (f64::INFINITY, f64::INFINITY),
        (f64::NEG_INFINITY, f64::NEG_INFINITY),
    ] {
        let (mut lower_bounds, mut upper_bounds) = (low.clone(), high.clone());
        (lower_bounds[2], upper_bounds[2]) = (lower, upper);
        let error = refused(&lower_bounds, &upper_bounds);
        assert!(matches!(error, ProblemError::Bounds { .. }), "{error}");
        assert!(error.to_string().contains(&arm.chain.variables()[2].name), "{error}");
    }
    let error = refused(&low[..6], &high);
    assert!(matches!(error, ProblemError::Length { what: "lower bounds", found: 6, expected: 7 }), "{error}");
    let error = refused(&low, &high[..6]);
    assert!(matches!(error, ProblemError::Length { what: "upper bounds", .. }), "{error}");
    let arm = planar();
    let problem = Problem::new(&targets, &[0.0; 3])
        .with_bounds(Some(Bounds { lower: &[f64::INFINITY; 3], upper: &[f64::INFINITY; 3] }));
    let solver = arm.solver();
    let error = solver.solve(&problem, &mut solver.scratch(), &mut solver.solution()).unwrap_err();
    assert!(error.to_string().contains("its limits none"), "{error}");
}
