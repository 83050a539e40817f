//! The robot in use, loaded from a parameter, a file or a topic.
//!
//! Bad input at start-up is fatal; missing input is waited for. So a running node either works or reports the missing
//! input, and a launch file with a mistake ends at once.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use nalgebra::Isometry3;

use super::goal_names;
use crate::NodeError;
use crate::Result;
use crate::reports::{Fault, Report, fault};
use crate::ros::Lock;
use urdf_ik_goals::GoalContext;
use urdf_ik_motion::{JointLimits, MotionLimits};
use urdf_ik_parameters::config::{self, Yaml};
use urdf_ik_parameters::{OnUnreachable, Settings};
use urdf_ik_robot::{Chain, ChainError, MeshFolders, Robot, UrdfOptions, read_urdf_file};
use urdf_ik_solver::{
    Method, NotApplicable, Scratch, Solver, SolverKind, Target, free_axes_in_words, names_of_free_axes,
};
use urdf_ik_text::names;

/// A robot with its chain and solvers. A change of tools makes another instance with the same [`Robot`].
pub(crate) struct LoadedRobot {
    /// Its URDF.
    pub text: Arc<str>,
    /// True if the URDF came from the topic. Only then may the topic replace the robot.
    pub from_topic: bool,
    pub robot: Arc<Robot>,
    pub chain: Arc<Chain>,
    pub solver: Solver,
    /// The closed form or the reason why the chain has none, computed on demand.
    closed_form: OnceLock<Result<Solver, NotApplicable>>,
    /// For each tip the axes that its targets should leave free, computed on demand.
    free_axes: OnceLock<Vec<[bool; 6]>>,
    /// The robot with the tools of the last request, which the next request is likely to share.
    with_last_tools: Lock<Option<Arc<Self>>>,
}

impl LoadedRobot {
    fn new(text: Arc<str>, from_topic: bool, robot: Arc<Robot>, chain: Chain) -> Result<Self, NotApplicable> {
        let chain = Arc::new(chain);
        let solver = Solver::prepare(Method::default(), &chain)?;
        let (closed_form, free_axes) = (OnceLock::new(), OnceLock::new());
        Ok(Self { text, from_topic, robot, chain, solver, closed_form, free_axes, with_last_tools: Lock::default() })
    }

    /// True if both are the same robot (joints, links and collision geometry) regardless of tools.
    pub(crate) fn is_same_robot(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.robot, &other.robot)
    }

    /// The robot with these tools, one for each tip of its chain.
    ///
    /// # Errors
    /// [`Fault`] for a tool that is not finite.
    pub(crate) fn with_tools(self: &Arc<Self>, tools: &[Isometry3<f64>]) -> Result<Arc<Self>, Fault> {
        if self.chain.tools() == tools {
            return Ok(Arc::clone(self));
        }
        let mut last = self.with_last_tools.lock();
        if let Some(last) = last.as_ref().filter(|last| last.chain.tools() == tools) {
            return Ok(Arc::clone(last));
        }
        let chain = self.chain.with_tools(tools)?;
        let made = Self::new(Arc::clone(&self.text), self.from_topic, Arc::clone(&self.robot), chain)?;
        Ok(Arc::clone(last.insert(Arc::new(made))))
    }

    /// The robot with the tools of `settings`.
    ///
    /// # Errors
    /// [`Fault`] if the parameter `tool` does not fit the chain.
    pub(crate) fn with_tools_of(self: &Arc<Self>, settings: &Settings) -> Result<Arc<Self>, Fault> {
        self.with_tools(&settings.tools(&self.chain)?).map_err(|fault| fault.of(Settings::tool().name))
    }

    /// The solver selected in `settings` with its options.
    ///
    /// # Errors
    /// [`NotApplicable`] if the closed form is selected and the chain has none.
    pub(crate) fn solver(&self, settings: &Settings) -> Result<Solver, NotApplicable> {
        let method = match settings.solver {
            // Computed once for a robot, not for each target.
            SolverKind::ClosedForm => {
                return self.closed_form.get_or_init(|| self.solver.with_method(Method::ClosedForm)).clone();
            }
            SolverKind::Fabrik => Method::Fabrik(settings.fabrik.options()),
            SolverKind::Jacobian => Method::Jacobian(settings.jacobian.step()),
            other => Method::from(other),
        };
        self.solver.with_method(method)
    }

    /// Size of the robot \[m\], the reference of the sizes of displays.
    pub(crate) fn size(&self) -> f64 {
        let extent = self.solver.reach().iter().map(|reach| reach.extent).fold(0.0, f64::max);
        // A robot that only rotates has no length.
        if extent > 0.0 { extent } else { 1.0 }
    }

    /// Search folders for meshes of the robot.
    pub(crate) fn mesh_folders(&self, settings: &Settings) -> MeshFolders {
        let is_from_file = !self.from_topic && settings.robot_description.is_empty();
        MeshFolders::from_environment(is_from_file.then_some(Path::new(&settings.urdf_file)))
    }

    /// Name of the base link's frame.
    pub(crate) fn base_frame(&self, settings: &Settings) -> String {
        format!("{}{}", settings.frame_prefix, self.chain.base())
    }

    /// The axes that a tip cannot control, which its targets should leave free.
    pub(crate) fn free_axes(&self, tip: usize) -> [bool; 6] {
        let find = || (0..self.chain.tips().len()).map(|tip| self.solver.sensible_free_axes(tip)).collect();
        self.free_axes.get_or_init(find)[tip]
    }

    /// Sets the error of the tip from `target` and the smallest singular value at `positions` of the chain's variables
    /// in `report`.
    pub(crate) fn measure(&self, report: &mut Report, target: &Target, positions: &[f64], scratch: &mut Scratch) {
        report.set_residual(target.residual(&self.chain.poses_at(positions).tips()[target.tip]));
        // An error is only possible for a target that no solver has accepted.
        let smallest = self.solver.smallest_singular_value(&[*target], positions, scratch);
        report.status.smallest_singular_value = smallest.unwrap_or(f64::NAN);
    }

    /// The limits of velocity, acceleration and jerk.
    ///
    /// # Errors
    /// [`Fault`] if `joint_limits` is not in MoveIt's format or names an unknown joint.
    pub(crate) fn limits(&self, settings: &Settings) -> Result<MotionLimits, Fault> {
        let Yaml { place, text } = &*settings.joint_limits;
        let file = JointLimits::from_yaml(text, &self.robot);
        let file = file.map_err(|e| Fault::from(e).of(place).of("joint_limits"))?;
        Ok(MotionLimits::new(&self.robot, &self.chain, &file).or(&settings.default_limits()))
    }
}

/// A loaded robot that is not in use yet.
pub(crate) struct ReadyRobot {
    pub loaded: Arc<LoadedRobot>,
    /// Its first positions if it is not measured (one entry a joint).
    pub initial: Vec<f64>,
    pub limits: MotionLimits,
}

/// Loads a robot and prepares its chain.
///
/// # Errors
/// [`Fault`] about the URDF, the base and tip links, or a parameter with joint names.
pub(crate) fn load(text: String, from_topic: bool, settings: &Settings) -> Result<ReadyRobot, Fault> {
    // A panic must not end the task that reads descriptions.
    panic::catch_unwind(AssertUnwindSafe(|| prepare(text, from_topic, settings))).unwrap_or_else(|_| {
        Err(Fault::new("reading it failed inside urdf_ik; please report this with the description"))
    })
}

fn prepare(text: String, from_topic: bool, settings: &Settings) -> Result<ReadyRobot, Fault> {
    let robot = Robot::from_urdf_with(&text, UrdfOptions { soft_limits: settings.soft_limits })?;
    let tips: Vec<&str> = settings.tip_links.iter().map(String::as_str).collect();
    let chain = Chain::with_defaults(&robot, settings.base_link.as_deref(), &tips).map_err(|e| match e {
        ChainError::TipNeeded { .. } => {
            fault!("{e}. Set the parameter tip_links; of a launch file, the argument tip_link")
        }
        ChainError::UnknownLink { .. } => fault!(
            "{e}. Correct the parameter base_link or tip_links; of a launch file, the argument base_link or tip_link"
        ),
        _ => e.into(),
    })?;
    let loaded = Arc::new(LoadedRobot::new(text.into(), from_topic, Arc::new(robot), chain)?);
    let loaded = loaded.with_tools_of(settings)?;
    loaded.solver(settings).map_err(|sentence| fault!("{sentence} (parameter solver)"))?;
    let robot = &*loaded.robot;
    let initial = settings.initial_positions(robot)?;
    settings.posture_positions(robot)?;
    let context = GoalContext { robot, chain: &loaded.chain, positions: &initial, frames: &[] };
    goal_names::check_standing(settings, &context)?;
    let limits = loaded.limits(settings)?;
    for joint in &settings.command_joints {
        config::movable_index(robot, joint).map_err(|e| Settings::command_joints().refuse(e))?;
    }
    Ok(ReadyRobot { loaded, initial, limits })
}

impl ReadyRobot {
    /// Logs the robot's properties and warnings.
    pub(crate) fn log_summary(&self, settings: &Settings) {
        let LoadedRobot { robot, chain, .. } = &*self.loaded;
        for warning in robot.warnings() {
            log::warn!("{warning}");
        }
        if let Some(sentence) = robot.followers_beyond_limits() {
            log::warn!("{sentence}");
        }
        log::info!(
            "robot {}: chain from {} to {}, with the joints {}",
            names::short(robot.name()),
            names::short(chain.base()),
            names::list(&chain.tip_names()),
            names::list(&chain.variable_names())
        );
        warn_about_axes(&self.loaded, settings);
        for warning in settings.deprecations() {
            log::warn!("{warning}");
        }
    }
}

/// Warns about tips that cannot control all six axes, unless the settings free enough axes or set `on_unreachable` to
/// position.
fn warn_about_axes(loaded: &LoadedRobot, settings: &Settings) {
    if settings.on_unreachable == OnUnreachable::Position {
        return;
    }
    let count = |free: &[bool; 6]| free.iter().filter(|free| **free).count();
    let given = count(&settings.free_axes);
    for (index, tip) in loaded.chain.tips().iter().enumerate() {
        let free = loaded.free_axes(index);
        if count(&free) <= given {
            continue;
        }
        log::warn!(
            "{} can follow {} of 6 axes, so most poses of ~/target_pose cannot be met: set the parameter on_unreachable to position, \
             which reaches the position and as much of the orientation as possible, or free_axes to [{}] ({}), or free_axes of a request, \
             or send ~/target_point, which asks for the position alone",
            tip.link,
            6 - count(&free),
            names_of_free_axes(free).join(", "),
            free_axes_in_words(free)
        );
    }
}

/// The robot of the parameters, if any.
///
/// # Errors
/// [`NodeError::Robot`] if it cannot be used.
pub(crate) fn of_parameters(settings: &Settings) -> Result<Option<ReadyRobot>> {
    let (parameter, text) = if !settings.robot_description.is_empty() {
        (Settings::robot_description(), Ok(settings.robot_description.clone()))
    } else if !settings.urdf_file.is_empty() {
        (Settings::urdf_file(), read_urdf_file(&settings.urdf_file).map_err(Fault::from))
    } else {
        return Ok(None);
    };
    let ready = text.and_then(|text| load(text, false, settings));
    Ok(Some(ready.map_err(|fault| NodeError::Robot { parameter: parameter.name, reason: fault.into() })?))
}
