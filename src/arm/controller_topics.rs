//! Topics for controllers: positions, and the states of the servo as trajectories.

use std::time::Duration;

use r2r::QosProfile;
use r2r::std_msgs::msg::Float64MultiArray;
use r2r::trajectory_msgs::msg::JointTrajectory;

use super::configuration_motion::ConfigurationMotion;
use crate::Result;
use crate::messages::convert;
use crate::ros::{JOINT_COMMANDS, Publisher, SERVO_TRAJECTORY, Spinner};
use urdf_ik_parameters::Settings;

/// Queue depth of the topics.
const QUEUE_DEPTH: usize = 10;

/// The topics for controllers.
pub(crate) struct ControllerTopics {
    /// The joints of the positions.
    joints: Vec<String>,
    /// `None` without such joints.
    positions: Option<Publisher<Float64MultiArray>>,
    servo: Publisher<JointTrajectory>,
}

impl ControllerTopics {
    /// Publishes the positions of `command_joints`; without any, the topic does not exist.
    pub(crate) fn new(spinner: &mut Spinner, settings: &Settings) -> Result<Self> {
        let quality = QosProfile::default().keep_last(QUEUE_DEPTH);
        let joints = settings.command_joints.clone();
        let mut positions = None;
        if !joints.is_empty() {
            positions = Some(Publisher::new(spinner, JOINT_COMMANDS, quality.clone())?);
        }
        Ok(Self { joints, positions, servo: Publisher::new(spinner, SERVO_TRAJECTORY, quality)? })
    }

    /// Publishes the current positions.
    pub(crate) fn publish_positions(&self, motion: &ConfigurationMotion) {
        let Some(publisher) = &self.positions else { return };
        let robot = &motion.loaded.robot;
        let position = |name: &String| robot.movable_index(name).map_or(f64::NAN, |joint| motion.positions()[joint]);
        let data = self.joints.iter().map(position).collect();
        publisher.publish(&Float64MultiArray { data, ..Float64MultiArray::default() });
    }

    /// Publishes the current state as a trajectory of one point, after one `period`.
    pub(crate) fn publish_state(&self, motion: &ConfigurationMotion, period: Duration) {
        if self.servo.subscribers() > 0 {
            let state = motion.state(period.as_secs_f64());
            self.servo.publish(&convert::joint_trajectory(&motion.loaded.chain, &[state]));
        }
    }
}
