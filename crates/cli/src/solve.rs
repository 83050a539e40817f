//! `urdf_ik solve`: joint positions for the targets of one or several tips, as JSON.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;

use clap::{ArgGroup, Args};
use nalgebra::Isometry3;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use urdf_ik::config::read_map;
use urdf_ik::robot::Chain;
use urdf_ik::solver::{
    JointBounds, Mode, Pick, Preference, Problem, Solution, Solver, Target, Unreached, list_by_joint,
};

use super::Result;
use super::avoidance::{CollisionOptions, Environment};
use super::input::{read_goals, read_positions, read_start};
use super::options::{FreeAxes, MethodOptions, RobotArguments, ToleranceOptions, poses_of};
use super::output::write_pretty;

#[derive(Args)]
#[command(group = ArgGroup::new("wanted"))]
#[command(group = ArgGroup::new("requested").required(true).multiple(true))]
pub struct SolveArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Position [m] and orientation quaternion of the tip link in the base link's frame; with several --tip once for
    /// each, in their order
    #[arg(long, num_args = 7, groups = ["wanted", "requested"], allow_hyphen_values = true,
          value_names = ["X", "Y", "Z", "QX", "QY", "QZ", "QW"])]
    target: Vec<f64>,
    /// Position alone [m], with any orientation, in place of --target
    #[arg(long, num_args = 3, groups = ["wanted", "requested"], allow_hyphen_values = true, value_names = ["X", "Y", "Z"])]
    position: Vec<f64>,
    /// Goals besides the targets or in place of them, a list of {type: …, …} as YAML or JSON, or the
    /// path of such a file
    #[arg(long, group = "requested", value_name = "GOALS")]
    goals: Option<String>,
    #[command(flatten)]
    free_axes: FreeAxes,
    #[command(flatten)]
    tolerance: ToleranceOptions,
    #[command(flatten)]
    method: MethodOptions,
    /// Greatest number of starting points, the seed included; those that lead to collisions do not count
    #[arg(long, value_name = "N", default_value = "100")]
    attempts: NonZeroUsize,
    /// Selects the starting points after those near the seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    random_seed: u64,
    /// Which of several solutions: first, nearest to the seed, or most_manipulable
    #[arg(long, default_value_t = Pick::First)]
    pick: Pick,
    /// Joint positions from which the search starts: joint=position,…, or YAML or JSON, or the path of such a file;
    /// joints that are not named start at 0, or in the middle of their range where 0 is outside [default: the
    /// middle of each range]
    #[arg(long, value_name = "POSITIONS")]
    seed: Option<String>,
    /// Joint positions that the null-space task moves towards, as far as the targets leave the joints free, in
    /// the form of --seed
    #[arg(long, value_name = "POSITIONS")]
    posture: Option<String>,
    /// Bounds of joints within their limits, {joint: [lower, upper]} as YAML or JSON, or the path of such a file;
    /// equal bounds lock a joint
    #[arg(long, value_name = "BOUNDS")]
    bounds: Option<String>,
    /// Weights of the motion of joints from the seed, for a redundant arm, {joint: weight} as YAML or JSON, or the
    /// path of such a file; joints that are not named have 0
    #[arg(long, value_name = "WEIGHTS")]
    move_weights: Option<String>,
    /// What to print where the targets cannot be met: the closest joint positions; those that reach the
    /// position exactly and the orientation as closely as possible (position); or the best of the attempts,
    /// which is faster (stop)
    #[arg(long, value_name = "ANSWER", default_value_t = Unreached::Closest)]
    on_unreachable: Unreached,
    #[command(flatten)]
    collisions: CollisionOptions,
    /// Print all distinct solutions that are found, as a list
    #[arg(long, conflicts_with = "pick")]
    all: bool,
    /// With --all: list also solutions that differ by full revolutions of joints within their limits, the nearest to
    /// the seed first, at most N in all
    #[arg(long, value_name = "N", requires = "all")]
    max_turns: Option<NonZeroUsize>,
}

/// Prints the solution. Returns true if it meets the targets.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &SolveArguments, out: &mut impl Write) -> Result<bool> {
    let (robot, shapes) = arguments.collisions.robot(&arguments.robot.file)?;
    let chain = Arc::new(arguments.robot.chain(&robot)?);
    let targets = arguments.targets(&chain)?;
    let solver = Solver::prepare(arguments.method.method()?, &chain)?;
    let seed = read_start(arguments.seed.as_deref(), &robot, &chain)?;
    let posture = arguments.posture.as_deref().map(|text| read_positions(text, &robot)).transpose()?;
    let posture = posture.map(|all| chain.positions_from(&all));
    let goals = read_goals(arguments.goals.as_deref(), &robot, &chain, arguments.seed.as_deref())?;
    let bounds = by_joint("bounds", arguments.bounds.as_deref(), JointBounds::NONE, &chain)?;
    let bounds = bounds.map(|bounds| JointBounds::new(&chain, &bounds)).transpose()?;
    let move_weights = by_joint("move_weights", arguments.move_weights.as_deref(), 0.0, &chain)?;
    let avoidance = arguments.collisions.avoidance(&robot, &chain, shapes)?;
    let environment = arguments.collisions.environment(avoidance.as_ref(), arguments.seed.as_deref())?;
    let problem = Problem::new(&targets, &seed)
        .with_goals(&goals)
        .with_mode(Mode::Search {
            pick: arguments.pick,
            attempts: arguments.attempts.get(),
            random_seed: arguments.random_seed,
        })
        .with_bounds(bounds.as_ref().map(JointBounds::as_bounds))
        .with_preference(Preference {
            posture: posture.as_deref(),
            posture_weight: 1.0,
            move_weights: move_weights.as_deref(),
            ..Preference::default()
        })
        .with_clearance(environment.as_ref().map(Environment::clearance))
        .with_unreached(arguments.on_unreachable);
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let describe = |solution: &Solution| describe(&solver, &targets, environment.as_ref(), solution);
    let answer = if arguments.all {
        let found = match arguments.max_turns {
            Some(most) => solver.solve_all_turns(&problem, &mut scratch, most.get())?.solutions,
            None => solver.all_solutions(&problem, &mut scratch)?,
        };
        Value::Array(found.iter().map(describe).collect::<Result<_, _>>()?)
    } else {
        solver.solve(&problem, &mut scratch, &mut solution)?;
        describe(&solution)?
    };
    write_pretty(out, &answer)?;
    Ok(answer.as_array().map_or(solution.is_solved(), |found| !found.is_empty()))
}

impl SolveArguments {
    /// The targets, one for each tip of the chain.
    fn targets(&self, chain: &Chain) -> Result<Vec<Target>> {
        let mut poses = poses_of(&self.target)?;
        poses.extend(self.position.chunks_exact(3).map(|at| Isometry3::translation(at[0], at[1], at[2])));
        let tips = chain.tip_names();
        if poses.is_empty() && self.goals.is_some() {
            return Ok(Vec::new());
        }
        if poses.len() != tips.len() {
            let (count, tips) = (poses.len(), tips.join(", "));
            return Err(format!("each tip link needs 1 target, in this order: {tips}; {count} given").into());
        }
        let (free_axes, tolerance) = (self.free_axes.mask()?, self.tolerance.tolerance());
        let target = |(tip, pose)| {
            let target = Target::new(tip, pose).with_free_axes(free_axes).with_tolerance(tolerance);
            if self.position.is_empty() { target } else { target.position_only() }
        };
        Ok(poses.into_iter().enumerate().map(target).collect())
    }
}

/// A value of each variable from an option of the name `what`, {joint: value}, or `default` for a joint that is not
/// named; `None` without the option.
fn by_joint<T: Copy + DeserializeOwned>(
    what: &'static str,
    text: Option<&str>,
    default: T,
    chain: &Chain,
) -> Result<Option<Vec<T>>> {
    let Some(text) = text else { return Ok(None) };
    let named = read_map::<T>(text, "names to values, as YAML or JSON")
        .map_err(|e| format!("--{}: {e}", what.replace('_', "-")))?;
    Ok(Some(list_by_joint(chain, what, default, named.iter().map(|(joint, value)| (joint.as_str(), *value)))?))
}

/// A solution as JSON. Its errors are the greatest ones over all tips.
fn describe(
    solver: &Solver,
    targets: &[Target],
    environment: Option<&Environment>,
    solution: &Solution,
) -> Result<Value> {
    let (chain, worst) = (solver.chain(), solution.worst_residual());
    let singular_value = || solver.smallest_singular_value(targets, &solution.positions, &mut solver.scratch());
    let smallest_singular_value = if targets.is_empty() { None } else { Some(singular_value()?) };
    let positions: serde_json::Map<_, _> =
        chain.variables().iter().zip(&solution.positions).map(|(v, p)| (v.name.clone(), json!(p))).collect();
    let scene = environment.map(|environment| environment.clearance().scene);
    let mut answer = json!({
        "solved": solution.is_solved(),
        "outcome": solution.sentence_in(chain, scene),
        "positions": positions,
        "position_error": worst.position,
        "orientation_error": worst.orientation,
        "smallest_singular_value": smallest_singular_value,
        "iterations": solution.iterations,
        "attempts": solution.attempts,
        "time_us": solution.elapsed.as_secs_f64() * 1e6,
    });
    if !solution.violations.is_empty() {
        answer["goal_violations"] = json!(solution.violations);
    }
    if let Some(environment) = environment {
        answer["nearest"] = environment.nearest([&*solution.positions])?;
    }
    Ok(answer)
}
