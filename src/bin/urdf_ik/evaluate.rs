//! `urdf_ik evaluate`: solve rate and time over the cases of a file.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use nalgebra::{Isometry3, Translation3};
use serde::{Deserialize, Serialize};
use serde_json::json;
use urdf_ik::robot::Chain;
use urdf_ik::solver::{Mode, Pick, Problem, Solver, Target};
use urdf_ik::spatial::rotation_from;

use super::evaluate_plot::Solved;
use super::input::{read_json, read_robot};
use super::options::{MethodOptions, ToleranceOptions};
use super::output::OutputFile;
use super::{Failure, plot, progress};

/// Greatest number of starting points of one case. The time limit comes first.
const ATTEMPTS: usize = 1_000_000;
/// Number of runs of each case. The first one gives the solution, the fastest one the time: one preemption would take longer than hundreds
/// of solves.
const RUNS: usize = 3;

#[derive(Args)]
pub struct Arguments {
    /// The case file; -: standard input
    #[arg(long, value_name = "FILE.json")]
    cases: PathBuf,
    /// The robot's URDF [default: the one that the case file names, relative to it]
    #[arg(long, value_name = "FILE")]
    urdf: Option<PathBuf>,
    #[command(flatten)]
    method: MethodOptions,
    /// Where each solve starts
    #[arg(long, value_enum, default_value = "nominal")]
    seed: Seed,
    /// Time limit of one solve [ms]
    #[arg(long, default_value_t = 5.0)]
    timeout_ms: f64,
    #[command(flatten)]
    tolerance: ToleranceOptions,
    /// Greatest number of cases
    #[arg(long, value_name = "N")]
    max_cases: Option<usize>,
    /// Write the solutions to this file
    #[arg(long, value_name = "OUT.json", value_parser = OutputFile::any)]
    solutions: Option<OutputFile>,
    /// Write the time of each case to this file [µs]
    #[arg(long, value_name = "OUT.json", value_parser = OutputFile::any)]
    times: Option<OutputFile>,
    /// Draw the share of the cases that are solved against the time of a solve
    #[arg(long, value_name = "FILE.svg", value_parser = OutputFile::svg)]
    plot: Option<OutputFile>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Seed {
    /// The middle of each joint's range
    Nominal,
    /// The random joint positions of the case file
    Random,
}

impl Seed {
    fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Random => "random",
        }
    }
}

#[derive(Deserialize)]
struct CaseFile {
    robot: String,
    urdf: PathBuf,
    base_link: String,
    tip_link: String,
    joint_names: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    seed: Vec<f64>,
    seed_random: Vec<f64>,
    target: Pose,
}

#[derive(Deserialize)]
struct Pose {
    p: [f64; 3],
    q_xyzw: [f64; 4],
}

/// The result of one case.
struct CaseResult {
    positions: Option<Vec<f64>>,
    time: f64,
    iterations: usize,
    restarts: usize,
}

pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let method = arguments.method.method()?;
    let file: CaseFile = read_json(&arguments.cases)?;
    let default_path = || arguments.cases.parent().map(|folder| folder.join(&file.urdf)).unwrap_or_default();
    let robot = read_robot(&arguments.urdf.clone().unwrap_or_else(default_path))?;
    let chain = Arc::new(Chain::new(&robot, &file.base_link, &[&file.tip_link])?);
    let order = order_of(&file.joint_names, &chain)?;
    let solver = Solver::prepare(method, &chain)?;
    let count = arguments.max_cases.unwrap_or(usize::MAX);
    let mut results = Vec::new();
    let bar = progress::bar("solving", file.cases.len().min(count));
    for (index, case) in file.cases.iter().take(count).enumerate() {
        bar.inc(1);
        let result = solve_case(arguments, &solver, &order, case);
        results.push(result.map_err(|e| format!("{}, case {index}: {e}", arguments.cases.display()))?);
    }
    drop(bar);
    if results.is_empty() {
        return Err(format!("{}: it has no case to solve", arguments.cases.display()).into());
    }
    if let Some(path) = &arguments.solutions {
        write_list(path, results.iter().map(|result| &result.positions))?;
    }
    if let Some(path) = &arguments.times {
        write_list(path, results.iter().map(|result| result.time))?;
    }
    let times = sorted(results.iter().map(|result| result.time));
    if let Some(plot) = &arguments.plot {
        let svg = picture(arguments, &file.robot, &results, &times)?;
        plot.write(|out| out.write_all(svg.as_bytes()))?;
    }
    report(arguments, &file.robot, &results, &times, out)
}

fn write_list(file: &OutputFile, entries: impl Iterator<Item = impl Serialize>) -> Result<(), Failure> {
    let entries: Vec<_> = entries.collect();
    file.write(|out| Ok(serde_json::to_writer(out, &entries)?))
}

/// For each of the file's joints, the index of the chain's variable.
fn order_of(names: &[String], chain: &Chain) -> Result<Vec<usize>, Failure> {
    let index = |name: &String| {
        let found = chain.variables().iter().position(|variable| variable.name == *name);
        found.ok_or_else(|| format!("the case file names the joint '{name}', but the chain does not have it"))
    };
    let order = names.iter().map(index).collect::<Result<Vec<_>, _>>()?;
    if let Some(twice) = (1..order.len()).find(|&at| order[..at].contains(&order[at])) {
        return Err(format!("the case file names the joint '{}' twice", names[twice]).into());
    }
    if order.len() == chain.variables().len() {
        Ok(order)
    } else {
        Err(format!("the case file names {} joints, but the chain has {}", order.len(), chain.variables().len()).into())
    }
}

fn solve_case(arguments: &Arguments, solver: &Solver, order: &[usize], case: &Case) -> Result<CaseResult, Failure> {
    let given = match arguments.seed {
        Seed::Nominal => &case.seed,
        Seed::Random => &case.seed_random,
    };
    if given.len() != order.len() {
        return Err(format!("the seed has {} entries for {} joints", given.len(), order.len()).into());
    }
    let mut seed = vec![0.0; order.len()];
    for (&variable, &position) in order.iter().zip(given) {
        seed[variable] = position;
    }
    let [x, y, z] = case.target.p;
    let pose = Isometry3::from_parts(Translation3::new(x, y, z), rotation_from(case.target.q_xyzw)?);
    let targets = [Target { tolerance: arguments.tolerance.tolerance(), ..Target::new(0, pose) }];
    let problem = Problem {
        mode: Mode::Search { pick: Pick::First, attempts: ATTEMPTS, random_seed: 0 },
        deadline: Some(Duration::try_from_secs_f64(arguments.timeout_ms / 1e3)?),
        ..Problem::new(&targets, &seed)
    };
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    solver.solve(&problem, &mut scratch, &mut solution)?;
    let mut time = solution.elapsed;
    let mut again = solver.solution();
    for _ in 1..RUNS {
        solver.solve(&problem, &mut scratch, &mut again)?;
        time = time.min(again.elapsed);
    }
    Ok(CaseResult {
        positions: solution.is_solved().then(|| order.iter().map(|&variable| solution.positions[variable]).collect()),
        time: time.as_secs_f64() * 1e6,
        iterations: solution.iterations,
        restarts: solution.attempts - 1,
    })
}

/// Times, the shortest first.
fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// The time that so many of a hundred solves do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn picture(arguments: &Arguments, robot: &str, results: &[CaseResult], times: &[f64]) -> Result<String, Failure> {
    let solved = sorted(results.iter().filter(|result| result.positions.is_some()).map(|result| result.time));
    let (solver, seed) = (arguments.method.solver.name(), arguments.seed.name());
    let title = format!("{}, solver {solver}, from {seed} positions", plot::short(robot));
    let marks = [("median", percentile(times, 50)), ("95 %", percentile(times, 95))];
    Solved { title, times: &solved, cases: results.len(), marks }.svg()
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases and iterations are far below 2^52")]
fn report(
    arguments: &Arguments,
    robot: &str,
    results: &[CaseResult],
    times: &[f64],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mean = |total: f64| total / results.len() as f64;
    let report = json!({
        "robot": robot,
        "solver": arguments.method.solver.name(),
        "seed": arguments.seed.name(),
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
    serde_json::to_writer(&mut *out, &report)?;
    writeln!(out)?;
    Ok(())
}
