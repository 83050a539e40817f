//! Very many random targets: all are reached, every claim is verified by independent kinematics, and a second run
//! is bit-identical.
//!
//! `cargo test --release --test solver many:: -- --nocapture` prints the results.

use std::time::{Duration, Instant};

use urdf_ik::solver::{Outcome, Problem, Stop};

use crate::common::{self, Arm, Random};

/// Total number of random problems.
const PROBLEMS: usize = 200_000;

/// The results of one robot's targets.
#[derive(Debug, Default)]
struct Tally {
    problems: usize,
    solved: usize,
    attempts: usize,
    /// Worst residuals \[m, rad\] of the claimed solutions, by the kinematics of the complete robot.
    worst: (f64, f64),
    /// Time of all solves, and the longest.
    took: Duration,
    longest: Duration,
}

/// Solves `count` targets from random seeds, twice, and checks every answer.
fn solve_many(arm: &Arm, count: usize) -> Tally {
    let (solver, again) = (arm.solver(), arm.solver());
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let (mut other_scratch, mut other) = (again.scratch(), again.solution());
    let (mut random, mut tally) = (Random::new(2024), Tally { problems: count, ..Tally::default() });
    for index in 0..count {
        let targets = arm.targets_at(&random.positions(&arm.chain));
        let seed = random.positions(&arm.chain);
        let problem = Problem::new(&targets, &seed);
        let start = Instant::now();
        solver.solve(&problem, &mut scratch, &mut solution).unwrap();
        let took = start.elapsed();
        (tally.took, tally.longest) = (tally.took + took, tally.longest.max(took));
        let apart = arm.errors(&targets, &solution);
        if solution.outcome == Outcome::Solved {
            assert_eq!(solution.stop, Stop::Converged);
            // Two paths of forward kinematics round differently.
            let met = apart.0 <= 1e-5 + 1e-12 && apart.1 <= 1e-5 + 1e-12;
            assert!(met, "{}, target {index}: {apart:?} off: {solution:?}", arm.name);
            tally.worst = (tally.worst.0.max(apart.0), tally.worst.1.max(apart.1));
            tally.solved += 1;
        } else {
            println!("{}, target {index}: {}", arm.name, solution.sentence(&arm.chain));
        }
        tally.attempts += solution.attempts;
        again.solve(&problem, &mut other_scratch, &mut other).unwrap();
        assert_eq!(common::bits(&solution), common::bits(&other), "{}, target {index}: other bits", arm.name);
    }
    tally
}

#[test]
fn every_target_is_reached_with_the_same_bits_twice() {
    let arms = common::all_arms();
    let count = PROBLEMS.div_ceil(arms.len());
    std::thread::scope(|scope| {
        let runs: Vec<_> = arms.iter().map(|arm| (arm, scope.spawn(move || solve_many(arm, count)))).collect();
        for (arm, run) in runs {
            let tally = run.join().unwrap();
            println!("{}: {tally:?}", arm.name);
            assert_eq!(tally.solved, tally.problems, "{}: {tally:?}", arm.name);
        }
    });
}
