//! Largest joint displacement of seven-joint arms from the seed: `cargo bench --bench least_move -- CASES.json …`,
//! with case files as `urdf_ik evaluate` reads them.
//!
//! Two lines for each file, one for each kind of seed: how many cases the closed form solves, the mean time of a
//! solve (the fastest of several runs of each case counts: other work on the machine only makes them slower), and in
//! how many cases the best of 1000 restarts of the search has a smaller largest move of a joint, by more than 1e-3
//! and by more than 1e-6 rad. The best of the restarts is the better of two: the nearest of all configurations that
//! they reach, and the nearest of those where they settle near the seed. That takes up to a minute for a file of 400
//! cases; `--quick` skips the second.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;
use urdf_ik::solver::{Mode, Pick, Problem, Scratch, Solution, Solver, SolverKind, Target, Tolerance};
use urdf_ik_testing::measure::{CaseFile, number, words};
use urdf_ik_testing::pose_from_json;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Runs of each case, of which the fastest counts.
const RUNS: usize = 20;
/// Starting points of the search.
const ATTEMPTS: usize = 1000;
/// A move counts as smaller if the difference exceeds this \[rad\].
const MARGINS: [f64; 2] = [1e-3, 1e-6];

fn main() -> Fallible<()> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let files = words();
    if files.is_empty() {
        println!("nothing to compare: name case files, cargo bench --bench least_move -- CASES.json …");
    }
    files.iter().try_for_each(|file| {
        ["seed", "seed_random"].into_iter().try_for_each(|seeds| compare(Path::new(file), seeds, quick))
    })
}

fn compare(path: &Path, seeds: &str, quick: bool) -> Fallible<()> {
    let CaseFile { robot, chain, cases } = CaseFile::read(path);
    let mut closed_form = Side::new(Solver::prepare(SolverKind::ClosedForm, &chain)?);
    let mut search = Side::new(Solver::prepare(SolverKind::Jacobian, &chain)?);
    let (mut solved, mut microseconds, mut beaten) = (0, 0.0, [0; MARGINS.len()]);
    for case in &cases {
        let (target, seed) = ([target(case)], serde_json::from_value::<Vec<f64>>(case[seeds].clone())?);
        let problem = Problem::new(&target, &seed);
        let ours = closed_form.least_of_one(&problem);
        solved += usize::from(ours.is_finite());
        microseconds += closed_form.fastest(&problem);
        let mode = Mode::Search { pick: Pick::Nearest, attempts: ATTEMPTS, random_seed: 0 };
        let mut theirs = search.least_of_one(&problem.with_mode(mode));
        if !quick {
            theirs = theirs.min(search.least_of_all(&problem.with_mode(mode)));
        }
        for (beaten, margin) in beaten.iter_mut().zip(MARGINS) {
            *beaten += usize::from(theirs < ours - margin);
        }
    }
    let seeds = if seeds == "seed" { "nominal" } else { "random" };
    let count = cases.len();
    let (mean, [coarse, fine]) = (microseconds / number(count), beaten);
    println!("{robot} {seeds} solved {solved}/{count} mean_us {mean:.2} beaten {coarse}/{count} {fine}/{count}");
    Ok(())
}

/// A solver and its memory.
struct Side {
    solver: Solver,
    scratch: Scratch,
    solution: Solution,
}

impl Side {
    fn new(solver: Solver) -> Self {
        Self { scratch: solver.scratch(), solution: solver.solution(), solver }
    }

    /// The largest move of a joint in its solution \[rad\], infinite where it has none.
    fn least_of_one(&mut self, problem: &Problem) -> f64 {
        let met =
            self.solver.solve(problem, &mut self.scratch, &mut self.solution).is_ok() && self.solution.is_solved();
        if met { largest_move(&self.solution, problem.seed) } else { f64::INFINITY }
    }

    /// The smallest one of all its solutions.
    fn least_of_all(&mut self, problem: &Problem) -> f64 {
        let mut least = f64::INFINITY;
        let found = self.solver.solve_all(problem, &mut self.scratch, &mut self.solution, &mut |solution| {
            least = least.min(largest_move(solution, problem.seed));
            ControlFlow::Continue(())
        });
        if found.is_ok() { least } else { f64::INFINITY }
    }

    /// The time of its fastest solve \[µs\].
    fn fastest(&mut self, problem: &Problem) -> f64 {
        let mut time = |_| match self.solver.solve(problem, &mut self.scratch, &mut self.solution) {
            Ok(()) => self.solution.elapsed.as_secs_f64() * 1e6,
            Err(_) => f64::INFINITY,
        };
        (0..RUNS).map(&mut time).fold(f64::INFINITY, f64::min)
    }
}

fn largest_move(solution: &Solution, seed: &[f64]) -> f64 {
    solution.positions.iter().zip(seed).map(|(position, seed)| (position - seed).abs()).fold(0.0, f64::max)
}

fn target(case: &Value) -> Target {
    let tolerance = Tolerance { position: 1e-9, orientation: 1e-9 };
    Target::new(0, pose_from_json(&case["target"])).with_tolerance(tolerance)
}
