//! `urdf_ik fk` and `urdf_ik solve`: single queries, answered as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use nalgebra::{Isometry3, Translation3};
use serde::Serialize;
use serde_json::{Value, json};
use urdf_ik::config::NamedPositions;
use urdf_ik::robot::Robot;
use urdf_ik::solver::{
    Mode, Pick, Preference, Problem, ProblemError, Solution, Solver, SolverKind, Target, free_axes_from_names,
};
use urdf_ik::spatial::rotation_from;

use super::{Failure, RobotArguments, read_json, read_robot};

/// Greatest number of starting points of one solve.
const ATTEMPTS: usize = 100;

#[derive(Args)]
pub struct FkArguments {
    /// The robot's URDF
    #[arg(long, value_name = "FILE")]
    urdf: PathBuf,
    /// JSON: a list of {joint: position}; joints that are not named are at 0, mimic joints follow their master
    #[arg(long, value_name = "FILE.json")]
    positions: PathBuf,
}

/// A pose as the command line writes it.
#[derive(Serialize)]
struct PoseOut {
    p: [f64; 3],
    q_xyzw: [f64; 4],
}

impl From<&Isometry3<f64>> for PoseOut {
    fn from(pose: &Isometry3<f64>) -> Self {
        Self { p: pose.translation.vector.into(), q_xyzw: pose.rotation.coords.into() }
    }
}

pub fn fk(arguments: &FkArguments, out: &mut impl Write) -> Result<(), Failure> {
    let robot = read_robot(&arguments.urdf)?;
    let samples: Vec<BTreeMap<String, f64>> = read_json(&arguments.positions)?;
    let mut answers = Vec::with_capacity(samples.len());
    for sample in &samples {
        let poses = robot.link_poses(&positions(&robot, sample)?);
        let links = robot.links().iter().zip(&poses);
        answers.push(links.map(|(link, pose)| (link.name.as_str(), PoseOut::from(pose))).collect::<BTreeMap<_, _>>());
    }
    serde_json::to_writer(&mut *out, &answers)?;
    writeln!(out)?;
    Ok(())
}

fn positions(robot: &Robot, sample: &BTreeMap<String, f64>) -> Result<Vec<f64>, Failure> {
    let mut positions = vec![0.0; robot.joints().len()];
    for (name, position) in sample {
        let index = robot.joint_index(name).ok_or_else(|| format!("the robot has no joint '{name}'"))?;
        positions[index] = *position;
    }
    robot.apply_mimic(&mut positions);
    Ok(positions)
}

#[derive(Args)]
pub struct SolveArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Position [m] and orientation quaternion of the tip link in the base link's frame
    #[arg(long, num_args = 7, required = true, allow_hyphen_values = true,
          value_names = ["X", "Y", "Z", "QX", "QY", "QZ", "QW"])]
    target: Vec<f64>,
    /// Solver
    #[arg(long, default_value_t = SolverKind::Jacobian)]
    solver: SolverKind,
    /// Which of several solutions: first, nearest to the middle of the joint ranges, or most_manipulable
    #[arg(long, default_value_t = Pick::First)]
    pick: Pick,
    /// Axes of the tip link's frame that need not match, separated by commas: translation along x, y, z, rotation rx, ry, rz about them
    #[arg(long, value_name = "AXES", value_delimiter = ',')]
    free_axes: Vec<String>,
    /// Joint positions that the null-space task moves towards, as far as the target leaves the joints free: YAML, joint: position, or the
    /// path of such a file; joints that are not named move to 0, or to the middle of their range where 0 is outside
    #[arg(long, value_name = "YAML")]
    posture: Option<String>,
    /// Print all distinct solutions that are found, as a list
    #[arg(long, conflicts_with = "pick")]
    all: bool,
}

/// Prints the solution. Returns whether it meets the target.
pub fn solve(arguments: &SolveArguments, out: &mut impl Write) -> Result<bool, Failure> {
    let robot = arguments.robot.robot()?;
    if arguments.robot.tips.len() != 1 {
        return Err("solve takes one --tip".into());
    }
    let chain = Arc::new(arguments.robot.chain(&robot)?);
    let &[x, y, z, qx, qy, qz, qw] = arguments.target.as_slice() else {
        return Err("--target takes seven numbers".into());
    };
    let pose = Isometry3::from_parts(Translation3::new(x, y, z), rotation_from([qx, qy, qz, qw])?);
    let solver = Solver::prepare(arguments.solver, &chain)?;
    let seed = chain.nominal_positions();
    let free_axes = free_axes_from_names(arguments.free_axes.iter().map(String::as_str))?;
    let targets = [Target { free_axes, ..Target::new(0, pose) }];
    let posture = match &arguments.posture {
        Some(text) => Some(chain.positions_from(&NamedPositions::read(text)?.apply(&robot)?)),
        None => None,
    };
    let problem = Problem {
        mode: Mode::Search { pick: arguments.pick, attempts: ATTEMPTS, random_seed: 0 },
        preference: Preference { posture: posture.as_deref(), posture_weight: 1.0, ..Preference::default() },
        ..Problem::new(&targets, &seed)
    };
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let describe = |solution: &Solution| describe(&solver, &targets, solution);
    let answer = if arguments.all {
        let mut found = Vec::new();
        solver.solve_all(&problem, &mut scratch, &mut solution, &mut |solution| {
            found.push(describe(solution));
            ControlFlow::Continue(())
        })?;
        Value::Array(found.into_iter().collect::<Result<_, _>>()?)
    } else {
        solver.solve(&problem, &mut scratch, &mut solution)?;
        describe(&solution)?
    };
    serde_json::to_writer_pretty(&mut *out, &answer)?;
    writeln!(out)?;
    Ok(answer.as_array().map_or(solution.is_solved(), |found| !found.is_empty()))
}

/// A solution as JSON.
fn describe(solver: &Solver, targets: &[Target], solution: &Solution) -> Result<Value, ProblemError> {
    let chain = solver.chain();
    let smallest_singular_value =
        solver.smallest_singular_value(targets, &solution.positions, &mut solver.scratch())?;
    let positions: serde_json::Map<_, _> =
        chain.variables().iter().zip(&solution.positions).map(|(v, p)| (v.name.clone(), json!(p))).collect();
    Ok(json!({
        "solved": solution.is_solved(),
        "outcome": solution.sentence(chain),
        "positions": positions,
        "position_error": solution.residuals[0].position,
        "orientation_error": solution.residuals[0].orientation,
        "smallest_singular_value": smallest_singular_value,
        "iterations": solution.iterations,
        "attempts": solution.attempts,
        "time_us": solution.elapsed.as_secs_f64() * 1e6,
    }))
}
