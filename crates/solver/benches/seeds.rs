//! What the seed decides: `cargo bench --bench seeds`, for some arms only with `-- ARM …`.
//!
//! For each arm, poses at random configurations, solved from seeds within 0.6 and 1 rad of the configuration in each
//! joint: the 90th percentile of the largest move of a joint, of the answer and of the known configuration. Then from
//! random seeds: the solve rate, the mean time (the fastest of several runs of each problem counts), and the median
//! number of distinct answers to one pose.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a measurement fails so")]

use urdf_ik::robot::without_whole_turns;
use urdf_ik::solver::{Mode, Pick, Problem, Scratch, Solution, Solver, Target};
use urdf_ik_testing::measure::{number, words};
use urdf_ik_testing::{Arm, Random, makers_arms};

const POSES: usize = 3000;
/// Runs of each problem, of which the fastest counts.
const RUNS: usize = 5;
/// Poses solved from many random seeds, and the number of seeds.
const POSES_OF_MANY: usize = 50;
const SEEDS: usize = 200;
/// Answers with smaller differences in all joints are the same \[rad\].
const SAME: f64 = 0.1;

fn main() {
    let named = words();
    let arms = ["panda", "iiwa14", "ur5", "gen3"];
    for arm in makers_arms() {
        if if named.is_empty() { arms.contains(&arm.name.as_str()) } else { named.contains(&arm.name) } {
            let mut side = Side::new(&arm);
            for distance in [0.6, 1.0] {
                side.near(distance);
            }
            side.random();
            side.distinct();
        }
    }
}

/// An arm with its solver and memory.
struct Side<'a> {
    arm: &'a Arm,
    solver: Solver,
    scratch: Scratch,
    solution: Solution,
}

impl<'a> Side<'a> {
    fn new(arm: &'a Arm) -> Self {
        let solver = arm.solver();
        Self { arm, scratch: solver.scratch(), solution: solver.solution(), solver }
    }

    fn solve(&mut self, targets: &[Target], seed: &[f64]) -> bool {
        let mode = match std::env::var("ATTEMPTS").ok().and_then(|count| count.parse().ok()) {
            Some(attempts) => Mode::Search { pick: Pick::First, attempts, random_seed: 0 },
            None => Problem::new(targets, seed).mode,
        };
        self.solver.solve(&Problem::new(targets, seed).with_mode(mode), &mut self.scratch, &mut self.solution).unwrap();
        self.solution.is_solved()
    }

    fn largest_move(&self, seed: &[f64]) -> f64 {
        largest_difference(&self.solution.positions, seed)
    }

    fn near(&mut self, distance: f64) {
        let mut random = Random::new(52);
        let (mut moves, mut known, mut solved) = (Vec::new(), Vec::new(), 0);
        for _ in 0..POSES {
            let at = random.positions(&self.arm.chain);
            let domains = self.arm.chain.domains().into_iter();
            let seed: Vec<f64> =
                domains.zip(&at).map(|(domain, at)| domain.clamp(at + random.between(-distance, distance))).collect();
            solved += usize::from(self.solve(&self.arm.targets_at(&at), &seed));
            moves.push(self.largest_move(&seed));
            known.push(largest_difference(&at, &seed));
        }
        let [moves, known] = [moves, known].map(percentile_90);
        println!(
            "{} within {distance} rad: solved {solved}/{POSES}, p90 of the largest move {moves:.3} rad, known {known:.3}",
            self.arm.name
        );
    }

    fn random(&mut self) {
        let mut random = Random::new(53);
        let (mut seconds, mut solved) = (0.0, 0);
        for _ in 0..POSES {
            let [at, seed] = [(); 2].map(|()| random.positions(&self.arm.chain));
            let targets = self.arm.targets_at(&at);
            let times = (0..RUNS).map(|_| {
                self.solve(&targets, &seed);
                self.solution.elapsed.as_secs_f64()
            });
            seconds += times.fold(f64::INFINITY, f64::min);
            solved += usize::from(self.solution.is_solved());
        }
        let mean = 1e6 * seconds / number(POSES);
        println!("{} random seeds: solved {solved}/{POSES}, mean {mean:.2} us", self.arm.name);
    }

    fn distinct(&mut self) {
        let mut random = Random::new(54);
        let mut counts = Vec::new();
        for _ in 0..POSES_OF_MANY {
            let targets = self.arm.targets_at(&random.positions(&self.arm.chain));
            let mut answers: Vec<Vec<f64>> = Vec::new();
            for _ in 0..SEEDS {
                let seed = random.positions(&self.arm.chain);
                self.solve(&targets, &seed);
                let is_known = answers.iter().any(|known| turned_difference(known, &self.solution.positions) < SAME);
                if !is_known {
                    answers.push(self.solution.positions.clone());
                }
            }
            counts.push(answers.len());
        }
        counts.sort_unstable();
        println!("{}: median of {} distinct answers from {SEEDS} seeds", self.arm.name, counts[POSES_OF_MANY / 2]);
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn turned_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| without_whole_turns(a - b).abs()).fold(0.0, f64::max)
}

fn percentile_90(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() * 9 / 10]
}
