//! Paths on straight lines through waypoints, as joint trajectories.

use std::ffi::{CString, c_char};
use std::ptr;

use urdf_ik::motion::{
    FollowOptions, Followed, JointLimit, JointLimits, MotionLimits, Path, PathOptions, PathProblem, Timing, Trajectory,
    TrajectoryPoint, follow,
};
use urdf_ik::robot::Chain;

use crate::arm::UrdfIkArm;
use crate::failure::{Failure, UrdfIkStatus, c_text, guarded, guarded_or};
use crate::goals::read_goals;
use crate::plain_structs::check_reserved;
use crate::pointers::{hand_out, optional_text, reference, take_back};
use crate::problem::{UrdfIkProblem, optional_positions, urdf_ik_problem};
use crate::robot::RobotData;

/// How a path is followed. urdf_ik_path_options() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkPathOptions {
    /// Distance from a waypoint at which its corner is rounded [m]; 0: a stop at each corner. Default: 0.
    pub blend_radius: f64,
    /// Largest speed along the path [m/s]. Default: 0.1.
    pub speed: f64,
    /// Largest acceleration along the path [m/s^2]. Default: 0.5.
    pub acceleration: f64,
    /// Time step of the trajectory [s]. Default: 0.01.
    pub period: f64,
    /// Effort of the search for other self-motions and branches where the path cannot be tracked to its end, and of
    /// the choice of a start: number of configurations of each pose. 0: tracking alone. Default: 100.
    pub search: usize,
    /// Text of a joint_limits.yaml in MoveIt's format (UTF-8). NULL, and for joints that it leaves out: the velocity
    /// of the URDF, or 1; the acceleration that reaches it in 0.2 s; the jerk that reaches that in 10 ms.
    pub joint_limits: *const c_char,
    /// For fields of later versions: 0.
    pub reserved: [u64; 8],
}

/// Joint positions at equally spaced times, from rest to rest, as far as the path can be followed. Owned by the
/// library; later versions may append fields.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct UrdfIkTrajectory {
    /// Number of points T; 0 if no part of the path can be followed.
    pub count: usize,
    /// Times, T entries [s], from 0.
    pub times: *const f64,
    /// Joint positions, T rows of n entries [rad or m], within the joint limits.
    pub positions: *const f64,
    /// Joint velocities, T rows of n entries [rad/s or m/s].
    pub velocities: *const f64,
    /// Joint accelerations, T rows of n entries [rad/s^2 or m/s^2].
    pub accelerations: *const f64,
    /// Fraction of the path length that is followed; exactly 1 if the last pose is reached.
    pub fraction: f64,
    /// Where and why the trajectory ends early, as a sentence (UTF-8); NULL if it is complete.
    pub reason: *const c_char,
    /// Largest distance of the tip from the path [m], along the axes that are not free.
    pub position_deviation: f64,
    /// Largest angle of the tip from the path [rad], about the axes that are not free.
    pub orientation_deviation: f64,
    /// Largest violation of each goal along the trajectory [m or rad].
    pub violations: *const f64,
    /// Number of violations; 0 without goals or without points.
    pub violation_count: usize,
}

/// A trajectory with its memory.
#[repr(C)]
struct OwnedTrajectory {
    public: UrdfIkTrajectory,
    numbers: [Vec<f64>; 5],
    reason: Option<CString>,
}

impl OwnedTrajectory {
    fn new(followed: &Followed, trajectory: &Trajectory) -> Self {
        let points = &trajectory.points;
        let rows = |of: fn(&TrajectoryPoint) -> &[f64]| points.iter().flat_map(of).copied().collect::<Vec<f64>>();
        let numbers = [
            points.iter().map(|point| point.time).collect(),
            rows(|point| &point.positions),
            rows(|point| &point.velocities),
            rows(|point| &point.accelerations),
            trajectory.violations.clone(),
        ];
        let reason = followed.stop.as_ref().map(|stop| c_text(&stop.to_string()));
        let [times, positions, velocities, accelerations, violations] = numbers.each_ref().map(Vec::as_ptr);
        let public = UrdfIkTrajectory {
            count: points.len(),
            times,
            positions,
            velocities,
            accelerations,
            fraction: followed.fraction,
            reason: reason.as_ref().map_or(ptr::null(), |reason| reason.as_ptr()),
            position_deviation: trajectory.deviation.position,
            orientation_deviation: trajectory.deviation.orientation,
            violations,
            violation_count: trajectory.violations.len(),
        };
        Self { public, numbers, reason }
    }
}

/// Default options of a path.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_path_options() -> UrdfIkPathOptions {
    let Timing { speed, acceleration, period, .. } = Timing::default();
    let search = FollowOptions::default().search;
    UrdfIkPathOptions { speed, acceleration, period, search, ..UrdfIkPathOptions::default() }
}

/// Plans the fastest joint trajectory within the joint limits that moves the tip on straight lines through waypoints:
/// the targets of `problem`, all of the only tip, with the free axes and tolerances of the first. The path begins at
/// the seed, or at the solution for its first pose that is nearest to it; if the seed is NULL, at the solution that
/// completes the path best. `goals`, `avoid` and the null-space tasks apply to every point; other fields than these
/// must have their defaults. `options` may be NULL for the defaults. A path that cannot be followed to its end is no
/// failure: see UrdfIkTrajectory.
///
/// # Safety
/// `arm` is an arm; `problem` is a problem; `options` is NULL or points to options; `trajectory` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_path(
    arm: *const UrdfIkArm,
    problem: *const UrdfIkProblem,
    options: *const UrdfIkPathOptions,
    trajectory: *mut *mut UrdfIkTrajectory,
) -> UrdfIkStatus {
    guarded(|| {
        let (arm, problem) = unsafe { (reference(arm, "arm")?, reference(problem, "problem")?) };
        let options = unsafe { options.as_ref() }.copied().unwrap_or_else(|| urdf_ik_path_options());
        let made = unsafe { plan(arm, problem, &options) }?;
        unsafe { hand_out(trajectory.cast(), made, "trajectory") }
    })
}

/// Frees a trajectory.
///
/// # Safety
/// `trajectory` is NULL, or a trajectory that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_trajectory_free(trajectory: *mut UrdfIkTrajectory) {
    guarded_or((), || unsafe { take_back(trajectory.cast::<OwnedTrajectory>()) });
}

/// # Safety
/// The pointers of `given` and `options` are NULL or valid.
unsafe fn plan(
    arm: &UrdfIkArm,
    given: &UrdfIkProblem,
    options: &UrdfIkPathOptions,
) -> Result<OwnedTrajectory, Failure> {
    let (data, solver) = (&arm.robot, &arm.solver);
    let chain = solver.chain();
    check_reserved(&options.reserved, "the options", "urdf_ik_path_options")?;
    check_fields(given)?;
    let mut targets = Vec::new();
    unsafe { given.push_targets(&mut targets) }?;
    let Some(first) = targets.first().filter(|_| chain.tips().len() == 1 && targets.iter().all(|it| it.tip == 0))
    else {
        return Err(Failure::problem("a path has one tip: make an arm with that tip alone, and targets of tip 0"));
    };
    let waypoints: Vec<_> = targets.iter().map(|target| target.pose).collect();
    let path_options = PathOptions::default().with_blend_radius(options.blend_radius);
    let path = Path::new(&waypoints, path_options).map_err(Failure::problem)?;
    let limits = unsafe { motion_limits(options.joint_limits, data, chain) }?;
    let nominal = chain.nominal_positions();
    let seed = unsafe { optional_positions(given.seed, chain) }?;
    let world = unsafe { given.world() }.map(|world| &**world);
    let goals = unsafe { given.goals() }?.map(|text| read_goals(text, data, chain, world)).transpose()?;
    let problem = PathProblem::new(&path, first, seed.unwrap_or(&nominal), &limits)
        .with_free_start(seed.is_none())
        .with_goals(goals.as_deref().unwrap_or_default())
        .with_preference(unsafe { given.preference(chain) }?)
        .with_clearance(world.map(|world| world.clearance(data, solver)).transpose()?);
    let follow_options = FollowOptions::default().with_search(options.search);
    let followed = follow(solver, &problem, &follow_options).map_err(Failure::problem)?;
    let timing =
        Timing::default().with_speed(options.speed).with_acceleration(options.acceleration).with_period(options.period);
    let trajectory = Trajectory::new(chain, &problem, &followed, &timing).map_err(Failure::problem)?;
    Ok(OwnedTrajectory::new(&followed, &trajectory))
}

/// Refuses fields that a path does not have.
fn check_fields(problem: &UrdfIkProblem) -> Result<(), Failure> {
    check_reserved(&problem.reserved, "the problem", "urdf_ik_problem")?;
    let UrdfIkProblem { pick, attempts, random_seed, closest, .. } = urdf_ik_problem();
    let set = [
        ("max_step", !problem.max_step.is_null()),
        ("lower", !problem.lower.is_null()),
        ("upper", !problem.upper.is_null()),
        ("accepts", problem.accepts.is_some()),
        ("cost", problem.cost.is_some()),
        ("timeout", problem.timeout != 0.0),
        ("max_turns", problem.max_turns != 0),
        ("move_weights", !problem.move_weights.is_null()),
        ("pick", problem.pick != pick),
        ("attempts", problem.attempts != attempts),
        ("random_seed", problem.random_seed != random_seed),
        ("closest", problem.closest != closest),
    ];
    match set.iter().find(|(_, is_set)| *is_set) {
        Some((field, _)) => Err(Failure::problem(format!("a path has no {field}: leave its default"))),
        None => Ok(()),
    }
}

/// The motion limits of the arm: those of the URDF, overridden by the text of a joint_limits.yaml.
///
/// # Safety
/// `text` is NULL, or points to a text.
pub(crate) unsafe fn motion_limits(
    text: *const c_char,
    data: &RobotData,
    chain: &Chain,
) -> Result<MotionLimits, Failure> {
    let text = unsafe { optional_text(text, "joint_limits") }?.unwrap_or_default();
    let limits = JointLimits::from_yaml(text, &data.robot).map_err(Failure::problem)?;
    Ok(MotionLimits::new(&data.robot, chain, &limits).or(&JointLimit::DEFAULT))
}
