//! `urdf_ik evaluate`: solve rate and time over the cases of a file.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use urdf_ik::robot::Chain;
use urdf_ik::solver::{Mode, Pick, Problem, ProblemError, Solution, Solver, Target};
use urdf_ik_plot::short;

use super::avoidance::{AvoidanceOptions, ChainAvoidance, Environment, name_standing_contacts};
use super::evaluate_cases::{Case, CaseFile, CaseSeed, Cases};
use super::evaluate_plot::Solved;
use super::input::{RobotFile, place};
use super::options::{MethodOptions, ToleranceOptions};
use super::output::{OutputFile, write_line};
use super::{Failure, Result, progress};

/// Default number of starting points of one case: more than any time limit permits.
const MAX_ATTEMPTS: usize = 1_000_000;
/// Number of runs of each case. The solution is that of the first one, the time that of the fastest one: one
/// preemption takes longer than hundreds of solves.
const RUNS: usize = 3;

#[derive(Args)]
#[command(group = ArgGroup::new("avoiding").multiple(true))]
pub struct EvaluateArguments {
    /// The case file or scene file; -: standard input
    #[arg(long, value_name = "FILE.json")]
    cases: PathBuf,
    /// The robot's URDF [default: the one that the case file names, relative to it]
    #[arg(long, value_name = "FILE")]
    urdf: Option<PathBuf>,
    #[command(flatten)]
    method: MethodOptions,
    #[command(flatten)]
    avoidance: AvoidanceOptions,
    /// Where each solve of a case file starts [default: nominal]
    #[arg(long, value_enum)]
    seed: Option<CaseSeed>,
    /// Time limit of one solve [ms]
    #[arg(long, default_value_t = 5.0)]
    timeout_ms: f64,
    /// Maximum number of starting points of one solve
    #[arg(long, value_name = "N", default_value_t = MAX_ATTEMPTS)]
    attempts: usize,
    #[command(flatten)]
    tolerance: ToleranceOptions,
    /// Greatest number of cases
    #[arg(long, value_name = "N")]
    max_cases: Option<usize>,
    /// Write the solutions to this file
    #[arg(long, value_name = "OUT.json", value_parser = OutputFile::any)]
    solutions: Option<OutputFile>,
    /// Write the outcome of each case to this file, as a sentence
    #[arg(long, value_name = "OUT.json", value_parser = OutputFile::any)]
    outcomes: Option<OutputFile>,
    /// Write the time of each case to this file [µs]
    #[arg(long, value_name = "OUT.json", value_parser = OutputFile::any)]
    times: Option<OutputFile>,
    /// Draw the percentage of solved cases against the time of a solve
    #[arg(long, value_name = "FILE.svg", value_parser = OutputFile::svg)]
    plot: Option<OutputFile>,
}

/// The result of one case.
struct CaseResult {
    positions: Option<Vec<f64>>,
    outcome: String,
    time: f64,
    iterations: usize,
    restarts: usize,
}

/// Solves the cases. Prints the solve rate and the times \[µs\] as JSON.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &EvaluateArguments, out: &mut impl Write) -> Result {
    let method = arguments.method.method()?;
    let margin = arguments.avoidance.margin()?;
    let file = CaseFile::read(&arguments.cases)?;
    let urdf = RobotFile { path: arguments.urdf.as_deref().unwrap_or(&file.urdf).to_owned(), soft_limits: false };
    let avoidance = &arguments.avoidance;
    let (robot, shapes) = urdf.robot_and_shapes(avoidance.avoid_collisions.then_some(avoidance.missing_shapes))?;
    let chain = Arc::new(Chain::new(&robot, &file.base_link, &file.tips()?)?);
    let cases = Cases::new(&file, &arguments.cases, &robot, &chain, arguments.seed)?;
    let srdf = avoidance.srdf.as_deref().or(file.srdf.as_deref());
    let avoidance = shapes.map(|shapes| ChainAvoidance::new(&robot, &chain, shapes, srdf, margin)).transpose()?;
    let solver = Solver::prepare(method, &chain)?;
    let results = solve_all(arguments, &solver, avoidance.as_ref(), &cases)?;
    let times = sorted(results.iter().map(|result| result.time));
    let evaluation = Evaluation { robot: &file.robot, seed: cases.seed_name(), results: &results, times: &times };
    evaluation.write_files(arguments)?;
    evaluation.report(arguments, out)
}

/// Solves the cases in order. Permanent contacts are named once, on standard error.
fn solve_all(
    arguments: &EvaluateArguments,
    solver: &Solver,
    avoidance: Option<&ChainAvoidance>,
    cases: &Cases,
) -> Result<Vec<CaseResult>> {
    let count = cases.len().min(arguments.max_cases.unwrap_or(usize::MAX));
    if count == 0 {
        return Err(format!("{}: it has no case to solve", place(&arguments.cases)).into());
    }
    let deadline = Duration::try_from_secs_f64(arguments.timeout_ms / 1e3)?;
    let bar = progress::bar("solving", count);
    let mut contacts = BTreeSet::new();
    let mut solve = |index: usize| {
        bar.inc(1);
        let Case { seed, target, goals, rest, world } = cases.read(index)?;
        let environment = avoidance.map(|avoidance| avoidance.in_world(world, rest)).transpose()?;
        if let Some(environment) = &environment {
            contacts.extend(environment.static_contacts()?);
        }
        let target = target.map(|pose| Target::new(0, pose).with_tolerance(arguments.tolerance.tolerance()));
        let problem = Problem::new(target.as_slice(), &seed)
            .with_goals(&goals)
            .with_mode(Mode::Search { pick: Pick::First, attempts: arguments.attempts, random_seed: 0 })
            .with_deadline(Some(deadline))
            .with_clearance(environment.as_ref().map(Environment::clearance));
        let (solution, time) = timed(solver, &problem)?;
        Ok(CaseResult {
            positions: solution.is_solved().then(|| cases.in_order(&solution.positions)),
            outcome: solution.sentence(solver.chain()),
            time,
            iterations: solution.iterations,
            restarts: solution.attempts - 1,
        })
    };
    let named = |index, e: Failure| format!("{}, case {index}: {e}", place(&arguments.cases)).into();
    let results = (0..count).map(|index| solve(index).map_err(|e| named(index, e))).collect();
    drop(bar);
    name_standing_contacts(&contacts);
    results
}

/// The solution of the first run, and the time of the fastest one \[µs\].
fn timed(solver: &Solver, problem: &Problem) -> Result<(Solution, f64), ProblemError> {
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    solver.solve(problem, &mut scratch, &mut solution)?;
    let mut time = solution.elapsed;
    let mut again = solver.solution();
    for _ in 1..RUNS {
        solver.solve(problem, &mut scratch, &mut again)?;
        time = time.min(again.elapsed);
    }
    Ok((solution, time.as_secs_f64() * 1e6))
}

/// Times in ascending order.
fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// A percentile of sorted times.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

/// The results of all cases.
struct Evaluation<'a> {
    robot: &'a str,
    /// The name of the seeds.
    seed: &'a str,
    results: &'a [CaseResult],
    /// The times in ascending order \[µs\].
    times: &'a [f64],
}

impl Evaluation<'_> {
    fn write_files(&self, arguments: &EvaluateArguments) -> Result {
        let write = |file: &Option<OutputFile>, entry: fn(&CaseResult) -> Value| match file {
            Some(file) => file.write(self.results.iter().map(entry).collect::<Value>().to_string()),
            None => Ok(()),
        };
        write(&arguments.solutions, |result| json!(result.positions))?;
        write(&arguments.outcomes, |result| json!(result.outcome))?;
        write(&arguments.times, |result| json!(result.time))?;
        if let Some(file) = &arguments.plot {
            file.write(self.picture(arguments)?)?;
        }
        Ok(())
    }

    fn picture(&self, arguments: &EvaluateArguments) -> Result<String> {
        let solved = self.results.iter().filter(|result| result.positions.is_some());
        let solved = sorted(solved.map(|result| result.time));
        let solver = arguments.method.solver.name();
        let title = format!("{}, solver {solver}, from {} positions", short(self.robot), self.seed);
        let marks = [("median", percentile(self.times, 50)), ("95 %", percentile(self.times, 95))];
        Solved { title, times: &solved, cases: self.results.len(), marks }.svg()
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of cases and iterations are far below 2^52")]
    fn report(&self, arguments: &EvaluateArguments, out: &mut impl Write) -> Result {
        let Self { robot, seed, results, times } = self;
        let mean = |total: f64| total / results.len() as f64;
        let report = json!({
            "robot": robot,
            "solver": arguments.method.solver.name(),
            "seed": seed,
            "cases": results.len(),
            "solved": results.iter().filter(|result| result.positions.is_some()).count(),
            "mean_us": mean(times.iter().sum()),
            "median_us": percentile(times, 50),
            "p95_us": percentile(times, 95),
            "p99_us": percentile(times, 99),
            "max_us": times[times.len() - 1],
            "mean_iterations": mean(results.iter().map(|result| result.iterations as f64).sum()),
            "mean_restarts": mean(results.iter().map(|result| result.restarts as f64).sum()),
        });
        write_line(out, &report)
    }
}
