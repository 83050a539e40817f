//! Settings that combine several parameters.

use std::time::Duration;

use nalgebra::Isometry3;

use super::setting::JacobianMethod;
use super::table::{FabrikSettings, JacobianSettings, PathSettings, ServoSettings, Settings};
use super::value::Refusal;
use urdf_ik_motion::servo::ServoOptions;
use urdf_ik_motion::{FollowOptions, JointLimit, Timing};
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_solver::{FabrikOptions, JacobianStep, Tolerance};

impl Settings {
    /// Tolerance of targets \[m, rad\].
    pub fn tolerance(&self) -> Tolerance {
        Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance }
    }

    /// Positions of all joints of the robot at start-up and after a reset \[rad or m\].
    ///
    /// # Errors
    /// [`Refusal`] if `initial_posture` does not fit the robot.
    pub fn initial_positions(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        self.initial_posture.apply(robot).map_err(|e| Self::initial_posture().refuse(e))
    }

    /// Preferred positions of all joints of the robot for the null-space task \[rad or m\].
    ///
    /// # Errors
    /// [`Refusal`] if `posture` does not fit the robot.
    pub fn posture_positions(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        self.posture.apply(robot).map_err(|e| Self::posture().refuse(e))
    }

    /// The tool pose of each tip of `chain`, in the tip link's frame \[m\].
    ///
    /// # Errors
    /// [`Refusal`] if `tool` names a link that is not a tip.
    pub fn tools(&self, chain: &Chain) -> Result<Vec<Isometry3<f64>>, Refusal> {
        self.tool.of(chain).map_err(|e| Self::tool().refuse(e))
    }

    /// Time between messages, the inverse of `publish_rate`.
    pub fn publish_period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.publish_rate)
    }

    /// The options of the servo.
    pub fn servo_options(&self) -> ServoOptions {
        let ServoSettings { linear_speed, angular_speed, priority, held_back, workspace, give, .. } = self.servo;
        let (give, free_axes) = ([give.position, give.orientation], self.free_axes);
        ServoOptions { linear_speed, angular_speed, priority, held_back, give, free_axes, workspace }
    }

    /// Default motion limits for joints without their own \[rad/s, rad/s², rad/s³; m for prismatic joints\]; `None`
    /// for derived limits.
    pub fn default_limits(&self) -> JointLimit {
        JointLimit {
            velocity: Some(self.default_velocity),
            acceleration: self.default_acceleration,
            jerk: self.default_jerk,
        }
    }
}

impl PathSettings {
    /// Speed and acceleration along a path, for trajectory points at intervals of `period` \[s\].
    pub fn timing(&self, period: f64) -> Timing {
        Timing::default().with_speed(self.speed).with_acceleration(self.acceleration).with_period(period)
    }

    /// Options of path following, with the allowed deviation of the tip.
    pub fn follow(&self) -> FollowOptions {
        let deviation = Tolerance { position: self.position_deviation, orientation: self.orientation_deviation };
        FollowOptions::default().with_deviation(deviation)
    }
}

impl JacobianSettings {
    /// Step method of the solver `jacobian`.
    pub fn step(&self) -> JacobianStep {
        match self.method {
            JacobianMethod::Damped => JacobianStep::Damped { damping: self.damping },
            JacobianMethod::Pseudoinverse => JacobianStep::Pseudoinverse,
        }
    }
}

impl FabrikSettings {
    /// Options of the solver `fabrik`.
    pub fn options(&self) -> FabrikOptions {
        FabrikOptions::new(self.acceleration, self.polish)
    }
}

#[cfg(test)]
mod tests;
