//! Solves a second of batches on one core and on several, with the bundled arm of seven joints:
//! `cargo bench --bench batch`.
//!
//! Each target is a full pose that the arm can reach, at the default tolerance of 1e-5 m and rad. The batches are
//! compared with separate loops, each on a thread of its own with its share of the problems: the upper bound for the
//! cores. All kinds of runs alternate, and the fastest of each counts: other load only makes them slower.

use std::error::Error;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread::{self, available_parallelism};

use rayon::{ThreadPool, ThreadPoolBuilder};
use urdf_ik::solver::{Problem, Solver, Target};
use urdf_ik_testing::measure::{number, timed};
use urdf_ik_testing::random::Random;
use urdf_ik_testing::{arm_with_tool, reached_at};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Targets of one batch: some milliseconds of work, so that some runs are not interrupted by other work.
const TARGETS: usize = 4000;
/// Runs of each kind, of which the fastest counts.
const RUNS: usize = 150;

fn main() -> Fallible<()> {
    let arm = arm_with_tool("arm7");
    let (chain, solver) = (&arm.chain, arm.solver());
    let mut random = Random::new(5);
    let targets: Vec<Target> = (0..TARGETS).map(|_| reached_at(chain, &random.positions(chain))).collect();
    let seeds: Vec<Vec<f64>> = (0..TARGETS).map(|_| random.positions(chain)).collect();
    let middle = vec![chain.nominal_positions()];
    let cores = available_parallelism()?.get();
    let counts: Vec<usize> = [1, 2, 4, 8].into_iter().filter(|count| *count <= cores).collect();
    let pools: Vec<ThreadPool> =
        counts.iter().map(|count| ThreadPoolBuilder::new().num_threads(*count).build()).collect::<Result<_, _>>()?;
    println!("{TARGETS} targets a batch, best of {RUNS} runs of each kind, {cores} cores");
    println!();
    println!("| from | cores | solved | solves a second | a core | over one core times cores | over separate loops |");
    println!("|---|---|---|---|---|---|---|");
    for (from, seeds) in [("the middle of the joint ranges", &middle), ("random seeds", &seeds)] {
        let problems: Vec<Problem> = targets
            .iter()
            .zip(seeds.iter().cycle())
            .map(|(target, seed)| Problem::new(std::slice::from_ref(target), seed))
            .collect();
        rows(&solver, &problems, from, &pools);
    }
    Ok(())
}

/// Prints how fast `problems` are solved on each of the pools.
fn rows(solver: &Solver, problems: &[Problem], from: &str, pools: &[ThreadPool]) {
    let (mut together, mut separate) = (vec![f64::INFINITY; pools.len()], vec![f64::INFINITY; pools.len()]);
    let mut solved = 0;
    for _ in 0..RUNS {
        for ((pool, together), separate) in pools.iter().zip(&mut together).zip(&mut separate) {
            let (batch, time) = timed(|| pool.install(|| solver.solve_batch(problems, &|| true)));
            *together = together.min(time);
            solved = batch.answers.iter().filter(|answer| answer.is_solved()).count();
            *separate = separate.min(separate_loops(solver, problems, pool.current_num_threads()));
        }
    }
    for ((pool, time), separate) in pools.iter().zip(&together).zip(&separate) {
        let cores = number(pool.current_num_threads());
        let rate = number(problems.len()) / time * 1e6;
        println!(
            "| {from} | {cores} | {solved} | {rate:.0} | {:.0} | {:.3} | {:.3} |",
            rate / cores,
            together[0] / time / cores,
            separate / time
        );
    }
}

/// The time of `threads` threads \[µs\], each for its share of the problems, after all of them have started.
fn separate_loops(solver: &Solver, problems: &[Problem], threads: usize) -> f64 {
    let barrier = Barrier::new(threads);
    let share = |problems: &[Problem]| {
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        barrier.wait();
        let solve_all = || {
            for problem in problems {
                if solver.solve(problem, &mut scratch, &mut solution).is_err() {
                    return;
                }
                black_box(&solution);
            }
        };
        timed(solve_all).1
    };
    thread::scope(|scope| {
        let shares = problems.chunks(problems.len().div_ceil(threads));
        let loops: Vec<_> = shares.map(|problems| scope.spawn(|| share(problems))).collect();
        loops.into_iter().map(|thread| thread.join().unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
    })
}
