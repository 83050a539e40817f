//! Planning of Cartesian paths: from poses to a trajectory.

use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::Pose;

use super::problem::NullSpaceTask;
use crate::messages::convert;
use crate::reports::{RefuseAs, Refused, TargetOutcome};
use crate::robot_in_use::LoadedRobot;
use crate::surroundings::Avoidance;
use urdf_ik_goals::Goal;
use urdf_ik_motion::{Followed, Path, PathOptions, PathProblem, PathStop, StopReason, Trajectory, follow_watched};
use urdf_ik_parameters::Settings;
use urdf_ik_solver::{Interruption, Residual, Solver, Target};

/// A path to be planned.
pub(crate) struct PathToPlan {
    pub loaded: Arc<LoadedRobot>,
    /// Poses of the tip in the base link's frame.
    pub poses: Vec<Isometry3<f64>>,
    /// The tip, its tolerance and its free axes. The pose is ignored.
    pub pattern: Target,
    /// Goals of every configuration along the path.
    pub goals: Vec<Goal>,
    /// Start of the arm: positions of the chain's variables.
    pub start: Vec<f64>,
    /// Where the path starts.
    pub from: PathStart,
    pub avoidance: Option<Avoidance>,
    /// Time between two points of the trajectory \[s\].
    pub period: f64,
    pub settings: Settings,
}

/// Start of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathStart {
    /// The current pose of the tip.
    Tip,
    /// The first pose, in the configuration nearest to the current one.
    FirstPose,
    /// The first pose, in any configuration.
    Free,
}

/// A planned path.
pub(crate) struct PathPlan {
    pub solver: Solver,
    pub path: Path,
    pub trajectory: Trajectory,
    /// Fraction of the path's length that the trajectory covers.
    pub fraction: f64,
    /// Place and reason of a premature end.
    pub stop: Option<PathStop>,
    /// A sentence if its points are too far apart for the allowed path deviation.
    too_coarse: Option<String>,
    /// Error of the tip from the last pose of the path at the end of the trajectory, or at present without a
    /// trajectory.
    pub end: Residual,
    /// Index of the next pose at a premature end.
    pub stop_index: usize,
}

/// The poses of a path, from messages in the frame with the pose `origin`.
///
/// # Errors
/// [`Refused`] with an invalid pose, or without poses.
pub(crate) fn poses(messages: &[Pose], origin: &Isometry3<f64>) -> Result<Vec<Isometry3<f64>>, Refused> {
    if messages.is_empty() {
        return Err(Refused::invalid("poses", "poses is empty; a path needs at least one pose"));
    }
    let pose = |(index, message)| {
        let pose = convert::pose(message).map_err(|fault| fault.of(format_args!("poses[{index}]")));
        pose.map(|pose| origin * pose).refuse_as("poses")
    };
    messages.iter().enumerate().map(pose).collect()
}

impl PathToPlan {
    /// Plans the path until `interruption` is true. This may take seconds.
    ///
    /// # Errors
    /// [`Refused`] for invalid poses or settings, and if it was interrupted. A path that cannot be followed to its end
    /// is no error.
    pub(crate) fn plan(mut self, interruption: Interruption) -> Result<PathPlan, Refused> {
        let chain = &self.loaded.chain;
        let mut poses = chain.poses_at(&self.start);
        let tip = poses.tips()[self.pattern.tip];
        // Number of waypoints before the first pose: the current tip pose, if the path starts there.
        let before = usize::from(self.from == PathStart::Tip);
        if self.from == PathStart::Tip {
            self.poses.insert(0, tip);
        }
        let settings = &self.settings;
        let options = PathOptions::default().with_blend_radius(settings.path.blend_radius);
        let path = Path::new(&self.poses, options).refuse_as("path")?;
        let solver = self.loaded.solver(settings).refuse_as("path")?;
        let limits = self.loaded.limits(settings).refuse_as("path")?;
        let null_space_task = NullSpaceTask::new(&self.loaded, settings)?;
        let problem = PathProblem::new(&path, &self.pattern, &self.start, &limits)
            .with_goals(&self.goals)
            .with_free_start(self.from == PathStart::Free)
            .with_preference(null_space_task.preference())
            .with_clearance(self.avoidance.as_ref().map(Avoidance::clearance));
        let watch = |_| interruption();
        let followed = follow_watched(&solver, &problem, &settings.path.follow(), &watch).refuse_as("path")?;
        let trajectory =
            Trajectory::new(chain, &problem, &followed, &settings.path.timing(self.period)).refuse_as("path")?;
        let last = trajectory.points.last().map_or(&self.start, |point| &point.positions);
        chain.forward_kinematics(last, &mut poses);
        let target = self.pattern.with_pose(path.pose_at(path.length()));
        let end = target.residual(&poses.tips()[target.tip]);
        let too_coarse = trajectory.too_coarse(&followed, &settings.path.follow().deviation);
        let Followed { fraction, stop, .. } = followed;
        let stop_index = stop.as_ref().map_or(0, |stop| stop.waypoint.saturating_sub(before));
        Ok(PathPlan { solver, path, trajectory, fraction, stop, too_coarse, end, stop_index })
    }
}

impl PathPlan {
    /// Duration of the trajectory \[s\].
    pub(crate) fn duration(&self) -> f64 {
        self.trajectory.points.last().map_or(0.0, |last| last.time)
    }

    /// The outcome: success, or why the path ends prematurely.
    pub(crate) fn outcome(&self) -> TargetOutcome {
        match self.stop.as_ref().map(|stop| &stop.reason) {
            None => TargetOutcome::Solved,
            Some(StopReason::OutOfReach { .. }) => TargetOutcome::OutOfReach,
            Some(StopReason::JointLimits { .. }) => TargetOutcome::JointLimits,
            Some(StopReason::Collision { .. }) => TargetOutcome::Collision,
            Some(_) => TargetOutcome::NotConverged,
        }
    }

    /// The covered part of the path, the reason of a premature end, and a warning about coarse points.
    pub(crate) fn sentence(&self) -> String {
        let (length, time) = (self.path.length(), self.duration());
        let covered = match &self.stop {
            None => format!("the whole path of {length:.4} m takes {time:.3} s"),
            Some(stop) => format!("{:.1} % of the path: {stop}", 100.0 * self.fraction),
        };
        self.too_coarse.as_ref().map_or_else(|| covered.clone(), |sentence| format!("{covered}; but {sentence}"))
    }
}
