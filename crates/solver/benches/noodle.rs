//! Measurements of noodles: how fast and how reliably each solver meets targets with long arms, and the time of an
//! iteration by the number of joints. Prints tables: `cargo bench --bench noodle`.
//!
//! All noodles are 1 m long and have no limits; the tolerances are 1e-5 m and rad, the attempts 200.

use std::error::Error;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;
use urdf_ik::robot::{Chain, Noodle, NoodleJoints, Robot};
use urdf_ik::solver::{FabrikOptions, Mode, Pick, Problem, Solver, SolverKind, Target};
use urdf_ik_testing::measure::{Times, number, timed};
use urdf_ik_testing::random::Random;
use urdf_ik_testing::reached_at;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Segments of the noodles.
const SEGMENTS: [usize; 3] = [10, 100, 1000];
/// Those with a measured iteration.
const MEASURED: [usize; 7] = [10, 30, 100, 300, 1000, 3000, 10_000];
/// Targets of one row, and repetitions of each, of which the fastest counts.
const TARGETS: usize = 60;
const RUNS: usize = 2;
/// Configurations that one iteration computes.
const CONFIGURATIONS: f64 = 4.0;

fn main() -> Fallible<()> {
    println!(
        "| joints | targets | from | solver | solved of {TARGETS} | mean time [µs] | median [µs] | iterations | attempts |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for joints in [NoodleJoints::Alternating, NoodleJoints::Ball] {
        for segments in SEGMENTS {
            solves(joints, segments)?;
        }
    }
    println!();
    println!("| joints | hinges | solver | iteration of four configurations [µs] | per hinge [ns] |");
    println!("|---|---|---|---|---|");
    for joints in [NoodleJoints::Alternating, NoodleJoints::Ball] {
        for segments in MEASURED {
            iterations(joints, segments)?;
        }
    }
    Ok(())
}

fn chain(joints: NoodleJoints, segments: usize) -> Fallible<Arc<Chain>> {
    let urdf = Noodle { joints, ..Noodle::new(segments) }.urdf()?;
    Ok(Arc::new(Chain::with_defaults(&Robot::from_urdf(&urdf)?, None, &[])?))
}

fn solvers(chain: &Arc<Chain>) -> Fallible<[(&'static str, Solver); 3]> {
    let newton = Solver::prepare(SolverKind::Jacobian, chain)?;
    let fabrik = |polish| newton.with_method(FabrikOptions::new(3, polish));
    Ok([("fabrik alone", fabrik(false)?), ("fabrik", fabrik(true)?), ("jacobian", newton)])
}

/// The hinges about each axis bend together as one slow wave.
fn smooth(chain: &Chain, random: &mut Random) -> Vec<f64> {
    let count = number(chain.variables().len());
    let waves = [0, 1, 2].map(|_| (random.between(0.3, PI), random.between(0.2, 1.2), random.between(0.0, 1.0)));
    let position = |(index, joint): (usize, &urdf_ik::robot::ChainJoint)| {
        let (bend, frequency, phase) = waves[joint.axis.into_inner().iamax()];
        3.0 * bend / count * (TAU * (frequency * number(index) / count + phase)).sin()
    };
    chain.joints().iter().enumerate().map(position).collect()
}

fn rough(chain: &Chain, random: &mut Random) -> Vec<f64> {
    chain.variables().iter().map(|_| random.between(-PI, PI)).collect()
}

/// The rows of one noodle.
fn solves(joints: NoodleJoints, segments: usize) -> Fallible<()> {
    let chain = chain(joints, segments)?;
    let straight = chain.nominal_positions();
    for (shape, draw) in [("smooth", smooth as fn(&Chain, &mut Random) -> Vec<f64>), ("rough", rough)] {
        let mut random = Random::new(31);
        let questions: Vec<_> = (0..TARGETS)
            .map(|_| (reached_at(&chain, &draw(&chain, &mut random)), rough(&chain, &mut random)))
            .collect();
        for from in ["straight", "random"] {
            for (name, solver) in &solvers(&chain)? {
                let seeded =
                    questions.iter().map(|(target, seed)| (target, if from == "random" { seed } else { &straight }));
                print!("| {segments} {joints:?} | {shape} | {from} | {name} | ");
                row(solver, seeded)?;
            }
        }
    }
    Ok(())
}

fn row<'a>(solver: &Solver, questions: impl Iterator<Item = (&'a Target, &'a Vec<f64>)>) -> Fallible<()> {
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let (mut solved, mut times, mut iterations, mut attempts) = (0, Times::default(), 0, 0);
    for (target, seed) in questions {
        let targets = [*target];
        let mode = Mode::Search { pick: Pick::First, attempts: 200, random_seed: 0 };
        let problem = Problem::new(&targets, seed).with_mode(mode);
        let mut least = Duration::MAX;
        for _ in 0..RUNS {
            solver.solve(&problem, &mut scratch, &mut solution)?;
            least = least.min(solution.elapsed);
        }
        solved += usize::from(solution.is_solved());
        (iterations, attempts) = (iterations + solution.iterations, attempts + solution.attempts);
        times.0.push(least.as_secs_f64() * 1e6);
    }
    let count = number(times.0.len());
    println!(
        "{solved} | {:.1} | {:.1} | {:.1} | {:.1} |",
        times.mean(),
        times.percentile(50),
        number(iterations) / count,
        number(attempts) / count
    );
    Ok(())
}

/// The time of an iteration: an unsuccessful search, for a target whose position is just within reach but with
/// tolerances below rounding.
fn iterations(joints: NoodleJoints, segments: usize) -> Fallible<()> {
    let chain = chain(joints, segments)?;
    let straight = chain.nominal_positions();
    for (name, solver) in &solvers(&chain)? {
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let mut far = Target::new(0, Isometry3::translation(0.0, 0.0, -0.5));
        (far.tolerance.position, far.tolerance.orientation) = (1e-300, 1e-300);
        let targets = [far];
        let mode = Mode::Search { pick: Pick::First, attempts: 16, random_seed: 0 };
        let problem = Problem::new(&targets, &straight).with_mode(mode);
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let (solved, time) = timed(|| solver.solve(&problem, &mut scratch, &mut solution));
            solved?;
            least = least.min(time / number(solution.iterations));
        }
        let (four, hinges) = (least * CONFIGURATIONS, number(chain.variables().len()));
        println!("| {segments} {joints:?} | {hinges} | {name} | {:.2} | {:.1} |", four, four * 1e3 / hinges);
    }
    Ok(())
}
