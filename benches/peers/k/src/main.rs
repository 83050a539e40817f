//! The crate k on the cases of one problem file: `peer_k PROBLEM_FILE RUNS`, or `peer_k --version` for that of k.
//!
//! A problem file is text: the URDF of the chain, the tip link, the time limit \[s\], the tolerance \[m and rad\], the
//! segments of the chain, and the cases. Angles are in radians, lengths in metres, quaternions are x y z w.

use std::error::Error;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::{FromStr, Lines, SplitWhitespace};
use std::time::{Duration, Instant};

use k::nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use k::{Chain, InverseKinematicsSolver, JacobianIkSolver, SerialChain};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// The version of k, as in Cargo.toml.
const VERSION: &str = "0.32.0";
/// Factor of the Newton step: k's default.
const STEP: f64 = 0.5;
/// Steps per attempt. k's default of 10 halvings of the error cannot reach 1e-5.
const STEPS: usize = 100;

type Failure = Box<dyn Error>;

struct Problem {
    arm: SerialChain<f64>,
    limit: Duration,
    tolerance: f64,
    /// The range of positions of random starting points, for each joint.
    ranges: Vec<(f64, f64)>,
    cases: Vec<Case>,
}

struct Case {
    seed: Vec<f64>,
    target: Isometry3<f64>,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|argument| argument == "--version") {
        println!("{VERSION}");
        return Ok(());
    }
    let [_, path, runs] = arguments.as_slice() else {
        return Err("usage: peer_k PROBLEM_FILE RUNS".into());
    };
    // A panic of k is an attempt without a solution, and is not printed.
    std::panic::set_hook(Box::new(|_| {}));
    let problem = read_problem(&std::fs::read_to_string(path)?)?;
    println!("{}", run(&problem, runs.parse()?)?);
    Ok(())
}

fn read_problem(text: &str) -> Result<Problem, Failure> {
    let mut lines = text.lines();
    let chain = Chain::<f64>::from_urdf_file(line(&mut lines)?)?;
    let tip = chain.find_link(line(&mut lines)?).ok_or("the tip link is not in the URDF")?;
    let mut words = line(&mut lines)?.split_whitespace();
    let (limit, tolerance) = (Duration::from_secs_f64(word(&mut words)?), word(&mut words)?);
    let mut ranges = Vec::new();
    for _ in 0..line(&mut lines)?.parse()? {
        let words: Vec<&str> = line(&mut lines)?.split_whitespace().collect();
        let [kind, .., lower, upper] = words.as_slice() else { return Err("a segment is too short".into()) };
        if *kind != "fixed" {
            ranges.push((lower.parse()?, upper.parse()?));
        }
    }
    let mut cases = Vec::new();
    for _ in 0..line(&mut lines)?.parse()? {
        cases.push(read_case(&mut line(&mut lines)?.split_whitespace(), ranges.len())?);
    }
    Ok(Problem { arm: SerialChain::from_end(tip), limit, tolerance, ranges, cases })
}

fn read_case(words: &mut SplitWhitespace, joints: usize) -> Result<Case, Failure> {
    let seed = (0..joints).map(|_| word(words)).collect::<Result<_, _>>()?;
    let mut next = || word(words);
    let place = Translation3::new(next()?, next()?, next()?);
    let [x, y, z, w] = [next()?, next()?, next()?, next()?];
    Ok(Case {
        seed,
        target: Isometry3::from_parts(place, UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))),
    })
}

fn line<'a>(lines: &mut Lines<'a>) -> Result<&'a str, Failure> {
    lines.next().ok_or_else(|| "the problem file ends early".into())
}

fn word<T: FromStr<Err: Error + 'static>>(words: &mut SplitWhitespace) -> Result<T, Failure> {
    Ok(words.next().ok_or("a line of the problem file is too short")?.parse()?)
}

/// Solves each case the requested number of times after one untimed solve; the first run gives the solution, the
/// minimum time \[µs\] counts.
fn run(problem: &Problem, runs: usize) -> Result<String, Failure> {
    let solver = JacobianIkSolver::new(problem.tolerance, problem.tolerance, STEP, STEPS);
    let (mut solutions, mut times) = (Vec::new(), Vec::new());
    search(problem, &solver, problem.cases.first().ok_or("there is no case")?);
    for case in &problem.cases {
        let mut smallest = f64::INFINITY;
        for count in 0..runs {
            let began = Instant::now();
            let solution = search(problem, &solver, case);
            smallest = smallest.min(began.elapsed().as_secs_f64() * 1e6);
            if count == 0 {
                solutions.push(solution.map_or_else(|| "null".to_owned(), |positions| list(&positions)));
            }
        }
        times.push(smallest);
    }
    Ok(format!(r#"{{"solutions":[{}],"times_us":{}}}"#, solutions.join(","), list(&times)))
}

/// Attempts from the seed and then from random configurations, until one succeeds or the time is over.
fn search(problem: &Problem, solver: &JacobianIkSolver<f64>, case: &Case) -> Option<Vec<f64>> {
    let began = Instant::now();
    let mut random = SmallRng::seed_from_u64(1); // the same in each run of a case
    let mut start = case.seed.clone();
    loop {
        let attempt = || {
            problem.arm.set_joint_positions_unchecked(&start);
            solver.solve(&problem.arm, &case.target)
        };
        if matches!(catch_unwind(AssertUnwindSafe(attempt)), Ok(Ok(()))) {
            return Some(problem.arm.joint_positions());
        }
        if began.elapsed() >= problem.limit {
            return None;
        }
        for (position, &(lower, upper)) in start.iter_mut().zip(&problem.ranges) {
            *position = random.random_range(lower..=upper);
        }
    }
}

/// A JSON list. Non-finite numbers become NaN, which Python reads.
fn list(numbers: &[f64]) -> String {
    let mut text = String::new();
    for number in numbers {
        let separator = if text.is_empty() { '[' } else { ',' };
        if number.is_finite() {
            let _ = write!(text, "{separator}{number:?}");
        } else {
            let _ = write!(text, "{separator}NaN");
        }
    }
    text + "]"
}
