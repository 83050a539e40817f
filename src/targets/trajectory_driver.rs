//! The driver of the parameter `trajectory_action`, which executes each path as a goal of FollowJointTrajectory. The
//! command follows the path at the same time, so that the arm is supervised as with any other motion.

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::control_msgs::action::FollowJointTrajectory::{self, Feedback, Goal, Result as DriverResult};
use r2r::sensor_msgs::msg::JointState;

use super::FEEDBACK_PERIOD;
use crate::Result;
use crate::arm::Arm;
use crate::messages::convert;
use crate::reports::Refused;
use crate::robot_in_use::Configuration;
use crate::ros::action_client::ANSWER_TIMEOUT;
use crate::ros::{AcceptedGoal, Action, ActionClient, GoalNews, NotAccepted, Spinner};
use urdf_ik_motion::TrajectoryPoint;
use urdf_ik_parameters::{Refusal, Settings};
use urdf_ik_robot::Chain;
use urdf_ik_text::names;

impl Action for FollowJointTrajectory::Action {}

/// Time without feedback, and without a result after the end of a trajectory, after which a driver counts as lost.
const SILENCE: Duration = Duration::from_secs(2);

/// The driver of a parameter.
pub(super) struct TrajectoryDriver {
    name: String,
    client: Arc<ActionClient<FollowJointTrajectory::Action>>,
}

/// A path that a driver executes. Its goal is canceled when it is dropped before its end.
pub(super) struct DrivenPath {
    goal: AcceptedGoal<FollowJointTrajectory::Action>,
    name: String,
    /// The speed of the trajectory.
    speed_scale: f64,
    /// When the driver counts as lost.
    deadline: Instant,
    latest: Option<Feedback>,
}

impl TrajectoryDriver {
    /// # Errors
    /// [`Refusal`] if the parameter is not a name.
    pub(super) fn new(spinner: &mut Spinner, settings: &Settings) -> Result<Option<Self>> {
        let Some(name) = settings.trajectory_action.clone() else { return Ok(None) };
        let client = ActionClient::new(spinner, &name).map_err(|e| {
            Refusal(format!("trajectory_action: '{}' is not the name of an action: {e}", names::short(&name)))
        })?;
        Ok(Some(Self { name, client }))
    }

    /// Sends a trajectory, which starts as soon as the driver has accepted it.
    ///
    /// # Errors
    /// [`Refused`] if the driver does not accept it, with a `speed_scale` of 0, and without measurements.
    pub(super) async fn start(
        &self,
        arm: &Arm,
        chain: &Chain,
        points: &[TrajectoryPoint],
    ) -> Result<DrivenPath, Refused> {
        let settings = arm.settings();
        if settings.measured_timeout.is_zero() {
            let sentence = "measured_timeout is 0, so that nothing shows where a driver has stopped: set it above 0";
            return Err(Refused::invalid("measured_timeout", sentence));
        }
        let speed_scale = settings.speed_scale;
        if speed_scale <= 0.0 {
            let sentence = "speed_scale is 0, and a driver cannot wait for it: raise it, then send the path again";
            return Err(Refused::invalid("speed_scale", sentence));
        }
        let trajectory = convert::joint_trajectory(chain, &slowed(points, speed_scale));
        let name = names::short(&self.name).to_string();
        let goal = self.client.send(Goal { trajectory, ..Goal::default() }).await.map_err(|reason| {
            let sentence = match reason {
                NotAccepted::NoAnswer => format!(
                    "no driver has answered on {name} (trajectory_action) within {} s: start its controller",
                    ANSWER_TIMEOUT.as_secs_f64()
                ),
                NotAccepted::Rejected => format!("the driver {name} rejected the path: its log has the reason"),
            };
            Refused::invalid("trajectory_action", sentence)
        })?;
        let duration = points.last().map_or(0.0, |last| last.time / speed_scale);
        let deadline = Instant::now() + Duration::try_from_secs_f64(duration).unwrap_or_default() + SILENCE;
        Ok(DrivenPath { goal, name, speed_scale, deadline, latest: None })
    }
}

/// A trajectory at a fraction of its speed.
fn slowed(points: &[TrajectoryPoint], scale: f64) -> Vec<TrajectoryPoint> {
    let slowed = |point: &TrajectoryPoint| TrajectoryPoint {
        time: point.time / scale,
        velocities: point.velocities.iter().map(|velocity| velocity * scale).collect(),
        accelerations: point.accelerations.iter().map(|acceleration| acceleration * scale * scale).collect(),
        ..point.clone()
    };
    points.iter().map(slowed).collect()
}

impl DrivenPath {
    /// Waits for the success of the driver.
    ///
    /// # Errors
    /// A sentence if the driver fails or is lost, or must be stopped because `speed_scale` has changed.
    pub(super) async fn success(&mut self, arm: &Arm) -> Result<(), String> {
        loop {
            self.check(arm)?;
            let name = &self.name;
            let news = tokio::select! {
                biased;
                news = self.goal.next() => news,
                () = tokio::time::sleep(FEEDBACK_PERIOD) => continue,
            };
            match news {
                GoalNews::Feedback(feedback) => {
                    self.latest = Some(feedback);
                    self.deadline = Instant::now() + SILENCE;
                }
                GoalNews::Succeeded => return Ok(()),
                GoalNews::Failed(result) => return Err(failure(name, &result)),
                GoalNews::Unknown => return Err(format!("the driver {name} has lost the path: was it restarted?")),
            }
        }
    }

    /// # Errors
    /// A sentence if the driver is lost, or if `speed_scale` has changed.
    fn check(&self, arm: &Arm) -> Result<(), String> {
        if Instant::now() > self.deadline {
            let (name, time) = (&self.name, SILENCE.as_secs_f64());
            return Err(format!("the driver {name} has been silent for {time} s: check its controller"));
        }
        if arm.settings().speed_scale.to_bits() != self.speed_scale.to_bits() {
            return Err("speed_scale was changed, which a driver does not know: send the path again".into());
        }
        Ok(())
    }

    /// The configuration by the latest feedback; joints that it does not name are as in `now`.
    pub(super) fn actual(&self, now: &Configuration) -> Option<Vec<f64>> {
        let Feedback { joint_names, actual, .. } = self.latest.as_ref()?;
        let state =
            JointState { name: joint_names.clone(), position: actual.positions.clone(), ..JointState::default() };
        let mut positions = now.positions.clone();
        convert::overlay(&now.loaded.robot, "feedback", &state, &mut positions).ok()?;
        Some(positions)
    }

    /// Cancels the goal and waits until the driver has ended it.
    pub(super) async fn stop(mut self) {
        self.goal.cancel();
        let ended = async { while let GoalNews::Feedback(_) = self.goal.next().await {} };
        // The measurements show whether a driver without an answer has stopped.
        let _ = tokio::time::timeout(ANSWER_TIMEOUT, ended).await;
    }
}

fn failure(name: &str, result: &DriverResult) -> String {
    let DriverResult { error_code, error_string } = result;
    let reason = if error_string.is_empty() { "no reason was given" } else { &names::sentence(error_string) };
    format!("the driver {name} has ended the path early: {reason} (error_code {error_code})")
}
