//! What several parameters say together.

use std::time::Duration;

use nalgebra::Isometry3;

use super::config::NamedPositions;
use super::definition::Definition;
use super::setting::JacobianMethod;
use super::table::{FabrikSettings, JacobianSettings, PathSettings, ServoSettings, Settings};
use super::value::Refusal;
use urdf_ik_motion::servo::ServoOptions;
use urdf_ik_motion::{FollowOptions, JointLimit, Timing};
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_solver::{FabrikOptions, JacobianStep, Tolerance};

impl Settings {
    /// When a target counts as reached.
    pub fn tolerance(&self) -> Tolerance {
        Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance }
    }

    /// Positions of all joints at the start and after a reset \[rad or m\].
    ///
    /// # Errors
    /// [`Refusal`] where `initial_posture` does not fit the robot.
    pub fn initial_positions(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        positions_of(Self::initial_posture(), &self.initial_posture, robot)
    }

    /// Positions of all joints that the null-space task moves towards \[rad or m\].
    ///
    /// # Errors
    /// [`Refusal`] where `posture` does not fit the robot.
    pub fn posture_positions(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        positions_of(Self::posture(), &self.posture, robot)
    }

    /// The tool of each tip of `chain`, in the frame of its link.
    ///
    /// # Errors
    /// [`Refusal`] where `tool` names what is no tip.
    pub fn tools(&self, chain: &Chain) -> Result<Vec<Isometry3<f64>>, Refusal> {
        self.tool.of(chain).map_err(|e| Refusal(format!("{}: {e}", Self::tool().name)))
    }

    /// The time between two states, by `publish_rate`.
    pub fn publish_period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.publish_rate)
    }

    /// How a servo moves.
    pub fn servo_options(&self) -> ServoOptions {
        let ServoSettings { linear_speed, angular_speed, priority, held_back, give, .. } = self.servo;
        let give = [give.position, give.orientation];
        ServoOptions { linear_speed, angular_speed, priority, held_back, give, free_axes: self.free_axes }
    }

    /// The limits of joints that have none of their own; `None` where they are derived.
    pub fn default_limits(&self) -> JointLimit {
        JointLimit {
            velocity: Some(self.default_velocity),
            acceleration: self.default_acceleration,
            jerk: self.default_jerk,
        }
    }
}

fn positions_of(parameter: &Definition, positions: &NamedPositions, robot: &Robot) -> Result<Vec<f64>, Refusal> {
    positions.apply(robot).map_err(|e| Refusal(format!("{}: {e}", parameter.name)))
}

impl PathSettings {
    /// Speed and acceleration along a path whose configurations are `period` \[s\] apart.
    pub fn timing(&self, period: f64) -> Timing {
        Timing { speed: self.speed, acceleration: self.acceleration, period }
    }

    /// How closely the tip follows a path.
    pub fn follow(&self) -> FollowOptions {
        let deviation = Tolerance { position: self.position_deviation, orientation: self.orientation_deviation };
        FollowOptions { deviation, ..FollowOptions::default() }
    }
}

impl JacobianSettings {
    /// How a step is computed from the Jacobian.
    pub fn step(&self) -> JacobianStep {
        match self.method {
            JacobianMethod::Damped => JacobianStep::Damped { damping: self.damping },
            JacobianMethod::Pseudoinverse => JacobianStep::Pseudoinverse,
        }
    }
}

impl FabrikSettings {
    /// The options of FABRIK.
    pub fn options(&self) -> FabrikOptions {
        FabrikOptions { acceleration: self.acceleration, polish: self.polish }
    }
}

#[cfg(test)]
mod tests;
