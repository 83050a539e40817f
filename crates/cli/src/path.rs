//! `urdf_ik path`: a Cartesian path to a joint trajectory, as JSON.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};
use urdf_ik::motion::{
    FollowError, FollowOptions, Followed, JointLimit, MotionLimits, Path, PathOptions, PathProblem, Timing, Trajectory,
    follow_watched,
};
use urdf_ik::robot::Chain;
use urdf_ik::solver::{Solver, SolverKind, Target};

use super::Result;
use super::avoidance::{CollisionOptions, Environment};
use super::fk::PoseJson;
use super::input::{read_goals, read_joint_limits, read_json, read_start};
use super::options::{FreeAxes, RobotArguments};
use super::output::{OutputFile, write_pretty};
use super::{path_plot, progress};

#[derive(Args)]
pub struct PathArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// JSON: a list of poses of the tip link in the base link's frame, {"p": [x, y, z], "q_xyzw": [x, y, z, w]}
    #[arg(long, value_name = "FILE.json")]
    waypoints: PathBuf,
    /// Greatest speed along the path [m/s]
    #[arg(long, value_name = "M_PER_S", default_value_t = Timing::default().speed, allow_negative_numbers = true)]
    speed: f64,
    /// Greatest acceleration along the path [m/s²]
    #[arg(long, default_value_t = Timing::default().acceleration, allow_negative_numbers = true)]
    acceleration: f64,
    /// Time from point to point [s]
    #[arg(long, default_value_t = Timing::default().period, allow_negative_numbers = true)]
    period: f64,
    /// Path length before and after a waypoint over which its corner is rounded [m]; 0: the tip stops at corners
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    blend_radius: f64,
    #[command(flatten)]
    free_axes: FreeAxes,
    /// Goals of every point of the path besides the poses, a list of {type: …, …} as YAML or JSON, or the path of such
    /// a file
    #[arg(long, value_name = "GOALS")]
    goals: Option<String>,
    /// Joint positions at the start: joint=position,…, or YAML or JSON, or the path of such a file. The path begins
    /// there, or at the nearest joint positions for its first pose [default: those of all joint positions for the
    /// first pose that complete the path best]
    #[arg(long, value_name = "POSITIONS")]
    start: Option<String>,
    /// Velocity, acceleration and jerk limits: a joint_limits.yaml in MoveIt's format. A joint without limits
    /// has 1 rad/s or m/s, the acceleration that reaches its velocity limit in 0.2 s, and the jerk that
    /// reaches that in 10 ms
    #[arg(long, value_name = "FILE.yaml")]
    joint_limits: Option<PathBuf>,
    /// Effort of the search where the path cannot be tracked to its end, and of the choice of a start: number of
    /// configurations at each pose; 0: tracking alone
    #[arg(long, value_name = "N", default_value_t = FollowOptions::default().search)]
    search: usize,
    #[command(flatten)]
    collisions: CollisionOptions,
    /// Draw the motion as fractions of its limits: positions, velocities, accelerations and jerks of the joints,
    /// and the tip's speed
    #[arg(long, value_name = "FILE.svg", value_parser = OutputFile::svg)]
    plot: Option<OutputFile>,
}

/// Prints the trajectory. Returns true if the path can be followed to its end.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &PathArguments, out: &mut impl Write) -> Result<bool> {
    let (robot, shapes) = arguments.collisions.robot(&arguments.robot.file)?;
    let chain = Arc::new(arguments.robot.chain(&robot)?);
    if chain.tips().len() != 1 {
        return Err("path takes one --tip".into());
    }
    let solver = Solver::prepare(SolverKind::Jacobian, &chain)?;
    let path = arguments.path()?;
    let limits = read_joint_limits(arguments.joint_limits.as_deref(), &robot)?;
    let limits = MotionLimits::new(&robot, &chain, &limits).or(&JointLimit::DEFAULT);
    let seed = read_start(arguments.start.as_deref(), &robot, &chain)?;
    let free_axes = arguments.free_axes.mask()?;
    let target = Target::new(0, path.pose_at(0.0)).with_free_axes(free_axes);
    let timing = arguments.timing();
    let avoidance = arguments.collisions.avoidance(&robot, &chain, shapes)?;
    let environment = arguments.collisions.environment(avoidance.as_ref(), arguments.start.as_deref())?;
    let goals = read_goals(arguments.goals.as_deref(), &robot, &chain, arguments.start.as_deref())?;
    let problem = PathProblem::new(&path, &target, &seed, &limits)
        .with_goals(&goals)
        .with_free_start(arguments.start.is_none())
        .with_clearance(environment.as_ref().map(Environment::clearance));
    let options = FollowOptions::default().with_search(arguments.search);
    let followed = follow_with_bar(&solver, &problem, &options)?;
    let trajectory = Trajectory::new(&chain, &problem, &followed, &timing)?;
    if let Some(sentence) = trajectory.too_coarse(&followed, &options.deviation) {
        eprintln!("urdf_ik: the trajectory is too coarse: {sentence}");
    }
    if let Some(plot) = &arguments.plot {
        match path_plot::svg(&chain, &problem, &timing, &trajectory)? {
            Some(svg) => plot.write(svg)?,
            None => eprintln!("urdf_ik: no picture is drawn, because nothing of the path can be followed"),
        }
    }
    let mut answer = describe(&chain, &path, &followed, &trajectory);
    if let Some(environment) = &environment {
        let points = trajectory.points.iter().map(|point| point.positions.as_slice());
        answer["nearest"] = environment.nearest(points)?;
    }
    write_pretty(out, &answer)?;
    // Last, so that it is read after all warnings.
    if let Some(stop) = &followed.stop {
        eprintln!("urdf_ik: the path is followed up to {:.1} % of its length: {stop}", 100.0 * followed.fraction);
    }
    Ok(followed.stop.is_none())
}

fn follow_with_bar(solver: &Solver, problem: &PathProblem, options: &FollowOptions) -> Result<Followed, FollowError> {
    let bar = progress::bar("planning the path", 100);
    let watch = |progress: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
        bar.set_position((100.0 * progress) as u64);
        false
    };
    follow_watched(solver, problem, options, &watch)
}

impl PathArguments {
    fn timing(&self) -> Timing {
        Timing::default().with_speed(self.speed).with_acceleration(self.acceleration).with_period(self.period)
    }

    /// The path through the waypoints.
    fn path(&self) -> Result<Path> {
        let waypoints: Vec<PoseJson> = read_json(&self.waypoints)?;
        let pose = |(at, waypoint): (usize, &PoseJson)| waypoint.pose().map_err(|e| format!("waypoint {at}: {e}"));
        let poses = waypoints.iter().enumerate().map(pose).collect::<Result<Vec<_>, _>>()?;
        Ok(Path::new(&poses, PathOptions::default().with_blend_radius(self.blend_radius))?)
    }
}

fn describe(chain: &Chain, path: &Path, followed: &Followed, trajectory: &Trajectory) -> Value {
    let names = chain.variable_names();
    let point = |point: &urdf_ik::motion::TrajectoryPoint| {
        json!({
            "time": point.time,
            "positions": point.positions,
            "velocities": point.velocities,
            "accelerations": point.accelerations,
        })
    };
    let mut answer = json!({
        "fraction": followed.fraction,
        "stop": followed.stop.as_ref().map(ToString::to_string),
        "length": path.length(),
        "position_deviation": trajectory.deviation.position,
        "orientation_deviation": trajectory.deviation.orientation,
        "joint_names": names,
        "points": trajectory.points.iter().map(point).collect::<Vec<_>>(),
    });
    if !trajectory.violations.is_empty() {
        answer["goal_violations"] = json!(trajectory.violations);
    }
    answer
}
