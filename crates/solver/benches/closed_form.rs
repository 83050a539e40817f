//! All solutions by the closed form: `cargo bench --bench closed_form -- CASES.json …`, with case files as
//! `urdf_ik evaluate` reads them; without any, of a general 6R arm.
//!
//! One line for each: the mean time of all solutions inside the limits, each verified by forward kinematics; the mean
//! time of all configurations of the formulas; and their number. All cases are run many times, and the fastest run
//! counts: other load only makes them slower. `benches/peers/all_solutions.py` compares it with EAIK.

use std::error::Error;
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Translation3};
use serde_json::Value;
use urdf_ik::robot::{Chain, ChainPoses, Robot};
use urdf_ik::solver::closed_form::{ClosedForm, JOINTS};
use urdf_ik::solver::{Problem, Solver, SolverKind, Target};
use urdf_ik::spatial::rotation_from;

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Runs through all cases, of which the fastest counts.
const RUNS: usize = 100;

fn main() -> Fallible<()> {
    let files: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if files.is_empty() {
        return measure(&crx()?);
    }
    files.iter().try_for_each(|file| measure(&read(Path::new(file))?))
}

/// Name, chain and targets.
type Cases = (String, Arc<Chain>, Vec<Target>);

/// The cases of a file.
fn read(path: &Path) -> Fallible<Cases> {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let text = |name: &str| file[name].as_str().ok_or(format!("{}: no {name}", path.display()));
    let robot = Robot::from_urdf_file(path.parent().unwrap_or(Path::new(".")).join(text("urdf")?))?;
    let chain = Arc::new(Chain::new(&robot, text("base_link")?, &[text("tip_link")?])?);
    let cases = file["cases"].as_array().ok_or("no cases")?;
    let targets = cases.iter().map(target).collect::<Fallible<_>>()?;
    Ok((text("robot")?.into(), chain, targets))
}

/// The axes of a Fanuc CRX-10iA/L (0.71 m from shoulder to elbow, 0.54 m from there to the wrist, 0.15 m aside), a
/// general 6R arm, and configurations spread over the full turns of its joints.
fn crx() -> Fallible<Cases> {
    let axes = [
        ("0 0 0", "0 0 1"),
        ("0 0 0", "0 1 0"),
        ("0 0 0.71", "0 -1 0"),
        ("0 0 0", "-1 0 0"),
        ("0.54 0 0", "0 -1 0"),
        ("0 0.15 0", "-1 0 0"),
    ];
    let mut text = "<robot name='crx'><link name='l0'/>".to_owned();
    for (index, (xyz, axis)) in axes.into_iter().enumerate() {
        let next = index + 1;
        write!(
            text,
            "<link name='l{next}'/><joint name='j{next}' type='continuous'><parent link='l{index}'/><child link='l{next}'/>\
             <origin xyz='{xyz}'/><axis xyz='{axis}'/></joint>"
        )?;
    }
    let chain = Arc::new(Chain::new(&Robot::from_urdf(&(text + "</robot>"))?, "l0", &["l6"])?);
    let mut poses = ChainPoses::new(&chain);
    // Multiples of incommensurable numbers are evenly distributed.
    let rates = [2.0_f64, 3.0, 5.0, 7.0, 11.0, 13.0].map(f64::sqrt);
    let targets = (1..=400_u32).map(|number| {
        let positions = rates.map(|rate| TAU * (rate * f64::from(number)).fract() - PI);
        chain.forward_kinematics(&positions, &mut poses);
        Target::new(0, poses.tips()[0])
    });
    let targets = targets.collect();
    Ok(("crx".into(), chain, targets))
}

fn measure((name, chain, targets): &Cases) -> Fallible<()> {
    let (solver, form) = (Solver::prepare(SolverKind::ClosedForm, chain)?, ClosedForm::prepare(chain)?);
    let seed = chain.nominal_positions();
    let near: [f64; JOINTS] = seed.as_slice().try_into()?;
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut count = 0;
    let solutions = fastest(targets.len(), &mut || {
        count = 0;
        for target in targets {
            let problem = Problem::new(std::slice::from_ref(target), &seed);
            let found = solver.solve_all(&problem, &mut scratch, &mut solution, &mut |_| ControlFlow::Continue(()));
            count += found.unwrap_or(0);
        }
    });
    let formulas = fastest(targets.len(), &mut || {
        for target in targets {
            black_box(form.solutions(&target.pose, &near));
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "counts of solutions are far below 2^52")]
    let each = count as f64 / targets.len() as f64;
    println!("{name} solutions_us {solutions:.3} formulas_us {formulas:.3} solutions {each:.3}");
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
