//! Random reachable poses, from the middle of the joint ranges and from random seeds.

use std::time::Duration;

use crate::common::measure::{Times, number};
use crate::common::{Arm, Random};
use crate::{WAYS, Way, ratio};
use urdf_ik::solver::{FabrikOptions, Mode, Pick, Problem, Solution};

/// Poses of each arm, each from two seeds.
const POSES: usize = 400;
/// Number of repetitions of each; the fastest counts.
const RUNS: usize = 3;
/// The time available in a control cycle.
const DEADLINE: Duration = Duration::from_millis(5);

/// The results of many solves.
#[derive(Default)]
struct Tally {
    solved: usize,
    cycles: usize,
    attempts: usize,
    /// Of each solve.
    times: Times,
}

impl Tally {
    fn of(arm: &Arm, way: Way) -> Self {
        let solver = way.solver(arm);
        let (mut scratch, mut first, mut again) = (solver.scratch(), solver.solution(), solver.solution());
        let (mut random, mut tally) = (Random::new(31), Self::default());
        let mode = Mode::Search { pick: Pick::First, attempts: usize::MAX, random_seed: 0 };
        for _ in 0..POSES {
            let targets = arm.targets_at(&random.positions(&arm.chain));
            for seed in [arm.chain.nominal_positions(), random.positions(&arm.chain)] {
                let problem = Problem::new(&targets, &seed).with_mode(mode).with_deadline(Some(DEADLINE));
                let mut solve = |solution: &mut Solution| solver.solve(&problem, &mut scratch, solution).is_ok();
                let solved = solve(&mut first) && first.is_solved();
                let mut least = first.elapsed;
                for _ in 1..RUNS {
                    solve(&mut again);
                    least = least.min(again.elapsed);
                }
                tally.solved += usize::from(solved);
                tally.cycles += first.iterations;
                tally.attempts += first.attempts;
                tally.times.0.push(least.as_secs_f64() * 1e6);
            }
        }
        tally
    }

    fn solved(&self) -> f64 {
        100.0 * ratio(self.solved, self.times.0.len())
    }
}

/// The four ways on every arm.
pub fn compare(arms: &[Arm]) {
    println!(
        "{POSES} random reachable poses for each arm, each from the middle of the joint ranges and from a random seed,"
    );
    println!(
        "to 1e-5 m and rad within 5 ms. Cycles (or iterations) are of one configuration; starting points are all that were tried.\n"
    );
    println!(
        "| arm | way | solved | cycles | starting points | mean | 99 % below |\n|---|---|---:|---:|---:|---:|---:|"
    );
    for arm in arms {
        for way in WAYS {
            let tally = Tally::of(arm, way);
            let (mean, high) = (tally.times.mean(), tally.times.percentile(99));
            println!(
                "| {} | {} | {:.2} % | {:.1} | {:.1} | {mean:.1} µs | {high:.1} µs |",
                arm.name,
                way.name,
                tally.solved(),
                ratio(tally.cycles, tally.times.0.len()),
                ratio(tally.attempts, tally.times.0.len()),
            );
        }
    }
}

/// FABRIK alone by every depth of its acceleration, all arms together.
pub fn depths(arms: &[Arm]) {
    println!("\nFABRIK alone on the same, all arms together, by the depth of the acceleration:\n");
    println!("| depth | solved | cycles | mean |\n|---|---:|---:|---:|");
    for acceleration in 0..=6 {
        let way = Way { name: "", options: Some(FabrikOptions::new(acceleration, false)) };
        let tallies: Vec<Tally> = arms.iter().map(|arm| Tally::of(arm, way)).collect();
        let over = |part: &dyn Fn(&Tally) -> f64| tallies.iter().map(part).sum::<f64>() / number(tallies.len());
        println!(
            "| {acceleration} | {:.2} % | {:.1} | {:.1} µs |",
            over(&Tally::solved),
            over(&|tally| ratio(tally.cycles, tally.times.0.len())),
            over(&|tally| tally.times.mean()),
        );
    }
}
