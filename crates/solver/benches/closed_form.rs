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

use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::closed_form::{ClosedForm, JOINTS};
use urdf_ik::solver::{Problem, Solver, SolverKind, Target};
use urdf_ik_testing::measure::{CaseFile, least_time, number, words};
use urdf_ik_testing::{pose_from_json, reached_at};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Runs through all cases, of which the fastest counts.
const RUNS: usize = 100;

fn main() -> Fallible<()> {
    let files = words();
    if files.is_empty() {
        return measure(&crx()?);
    }
    files.iter().try_for_each(|file| measure(&read(Path::new(file))))
}

/// Name, chain and targets.
type Cases = (String, Arc<Chain>, Vec<Target>);

/// The cases of a file.
fn read(path: &Path) -> Cases {
    let CaseFile { robot, chain, cases } = CaseFile::read(path);
    let targets = cases.iter().map(|case| Target::new(0, pose_from_json(&case["target"]))).collect();
    (robot, chain, targets)
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
    // Multiples of incommensurable numbers are evenly distributed.
    let rates = [2.0_f64, 3.0, 5.0, 7.0, 11.0, 13.0].map(f64::sqrt);
    let targets = (1..=400_u32).map(|number| {
        let positions = rates.map(|rate| TAU * (rate * f64::from(number)).fract() - PI);
        reached_at(&chain, &positions)
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
    let solutions = least_time(RUNS, || {
        count = 0;
        for target in targets {
            let problem = Problem::new(std::slice::from_ref(target), &seed);
            let found = solver.solve_all(&problem, &mut scratch, &mut solution, &mut |_| ControlFlow::Continue(()));
            count += found.unwrap_or(0);
        }
    });
    let formulas = least_time(RUNS, || {
        for target in targets {
            black_box(form.solutions(&target.pose, &near));
        }
    });
    let cases = number(targets.len());
    let (solutions, formulas, each) = (solutions / cases, formulas / cases, number(count) / cases);
    println!("{name} solutions_us {solutions:.3} formulas_us {formulas:.3} solutions {each:.3}");
    Ok(())
}
