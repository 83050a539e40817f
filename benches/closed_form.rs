//! All solutions by the closed form: `cargo bench --bench closed_form -- CASES.json …`, with case files as `urdf_ik evaluate` reads
//! them.
//!
//! One line for each file: mean time of a call that gives every solution inside the limits, each measured by forward kinematics, of one
//! that gives every posture as the formulas have it, and how many there are. All cases are run through many times, and the fastest
//! run counts: other work on the machine only ever makes them slower. `benches/peers/all_solutions.py` sets EAIK beside it.

use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Translation3};
use serde_json::Value;
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::closed_form::{ClosedForm, JOINTS};
use urdf_ik::solver::{Problem, Solver, SolverKind, Target};
use urdf_ik::spatial::rotation_from;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Runs through all cases, of which the fastest counts.
const RUNS: usize = 100;

fn main() -> Fallible<()> {
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        measure(Path::new(&path))?;
    }
    Ok(())
}

fn measure(path: &Path) -> Fallible<()> {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let text = |name: &str| file[name].as_str().ok_or(format!("{}: no {name}", path.display()));
    let robot = Robot::from_urdf_file(path.parent().unwrap_or(Path::new(".")).join(text("urdf")?))?;
    let chain = Arc::new(Chain::new(&robot, text("base_link")?, &[text("tip_link")?])?);
    let (solver, form) = (Solver::prepare(SolverKind::ClosedForm, &chain)?, ClosedForm::prepare(&chain)?);
    let cases = file["cases"].as_array().ok_or("no cases")?;
    let targets: Vec<Target> = cases.iter().map(target).collect::<Fallible<_>>()?;
    let seed = chain.nominal_positions();
    let near: [f64; JOINTS] = seed.as_slice().try_into()?;
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut count = 0;
    let solutions = fastest(targets.len(), &mut || {
        count = 0;
        for target in &targets {
            let problem = Problem::new(std::slice::from_ref(target), &seed);
            let found = solver.solve_all(&problem, &mut scratch, &mut solution, &mut |_| ControlFlow::Continue(()));
            count += found.unwrap_or(0);
        }
    });
    let postures = fastest(targets.len(), &mut || {
        for target in &targets {
            black_box(form.postures(&target.pose, &near));
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "counts of solutions are far below 2^52")]
    let each = count as f64 / targets.len() as f64;
    println!("{} solutions_us {solutions:.3} postures_us {postures:.3} solutions {each:.3}", text("robot")?);
    Ok(())
}

/// The mean time of one of `count` calls \[µs\] in the fastest run.
#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
fn fastest(count: usize, run: &mut dyn FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min) * 1e6 / count as f64
}

fn target(case: &Value) -> Fallible<Target> {
    let [x, y, z]: [f64; 3] = serde_json::from_value(case["target"]["p"].clone())?;
    let rotation = rotation_from(serde_json::from_value(case["target"]["q_xyzw"].clone())?)?;
    Ok(Target::new(0, Isometry3::from_parts(Translation3::new(x, y, z), rotation)))
}
