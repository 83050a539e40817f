//! Settings that combine several parameters.

use std::time::Duration;

use nalgebra::Isometry3;

use super::setting::JacobianMethod;
use super::table::{FabrikSettings, JacobianSettings, PathSettings, ServoSettings, Settings};
use super::value::Refusal;
use urdf_ik_goals::Goal;
use urdf_ik_motion::servo::{HeldBack, ServoOptions};
use urdf_ik_motion::{FollowOptions, JointLimit, Timing};
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_solver::{FabrikOptions, JacobianStep, Tolerance};

impl Settings {
    /// Tolerance of targets: of positions \[m\] and of orientations \[rad\].
    pub fn tolerance(&self) -> Tolerance {
        Tolerance { position: self.position_tolerance, orientation: self.orientation_tolerance }
    }

    /// Positions \[rad or m\] at start-up and after a reset, one per joint of `robot`.
    ///
    /// # Errors
    /// [`Refusal`] if `initial_posture` does not fit the robot.
    pub fn initial_positions(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        self.initial_posture.apply(robot).map_err(|e| Self::initial_posture().refuse(e))
    }

    /// Preferred positions \[rad or m\] of the null-space task, one per joint of `robot`.
    ///
    /// # Errors
    /// [`Refusal`] if `posture` does not fit the robot.
    pub fn posture_positions(&self, robot: &Robot) -> Result<Vec<f64>, Refusal> {
        self.posture.apply(robot).map_err(|e| Self::posture().refuse(e))
    }

    /// The goals of the servo for a chain: the `standing` ones, then those of `servo.workspace`.
    ///
    /// # Errors
    /// [`Refusal`] if a goal of the workspace has invalid numbers.
    pub fn servo_goals(&self, standing: &[Goal], chain: &Chain) -> Result<Vec<Goal>, Refusal> {
        let inside = self.servo.workspace.goals(chain).map_err(|e| Self::goals().refuse(e.to_string()))?;
        Ok(standing.iter().cloned().chain(inside).collect())
    }

    /// The tool pose of each tip of `chain`, in the order of its tips, in the tip link's frame (translation \[m\]).
    ///
    /// # Errors
    /// [`Refusal`] if `tool` names a link that is not a tip.
    pub fn tools(&self, chain: &Chain) -> Result<Vec<Isometry3<f64>>, Refusal> {
        self.tool.of(chain).map_err(|e| Self::tool().refuse(e))
    }

    /// Time between published messages, the inverse of `publish_rate`.
    pub fn publish_period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.publish_rate)
    }

    /// The options of the servo. A deprecated parameter takes precedence if it differs from its default.
    pub fn servo_options(&self) -> ServoOptions {
        let ServoSettings {
            linear_speed, angular_speed, priority, max_deviation_angle, held_back, slack, give, ..
        } = self.servo;
        let newer = |old: f64, new: f64, default: f64| if old == default { new } else { old };
        let [position, orientation] = ServoOptions::DEFAULT.slack;
        let slack =
            [newer(give.position, slack.position, position), newer(give.orientation, slack.orientation, orientation)];
        let default_angle = ServoOptions::DEFAULT.max_deviation_angle;
        let max_deviation_angle = newer(held_back.max_deviation_angle(), max_deviation_angle, default_angle);
        let free_axes = self.free_axes;
        ServoOptions { linear_speed, angular_speed, priority, max_deviation_angle, slack, free_axes }
    }

    /// A warning for each deprecated parameter in use, with its replacement.
    pub fn deprecations(&self) -> Vec<String> {
        let [position, orientation] = ServoOptions::DEFAULT.slack;
        let names = [
            (self.servo.held_back != HeldBack::Slide, ["servo.held_back", "servo.max_deviation_angle"]),
            (self.servo.give.position != position, ["servo.give.position", "servo.slack.position"]),
            (self.servo.give.orientation != orientation, ["servo.give.orientation", "servo.slack.orientation"]),
        ];
        let warning = |[old, new]: [&str; 2]| format!("the parameter {old} is deprecated: use {new}");
        names.into_iter().filter(|(is_used, _)| *is_used).map(|(_, names)| warning(names)).collect()
    }

    /// Default motion limits of joints without their own: velocity \[rad/s or m/s\], acceleration \[rad/s² or m/s²\]
    /// and jerk \[rad/s³ or m/s³\]. `None` for limits that are derived from others.
    pub fn default_limits(&self) -> JointLimit {
        JointLimit {
            velocity: Some(self.default_velocity),
            acceleration: self.default_acceleration,
            jerk: self.default_jerk,
        }
    }
}

impl PathSettings {
    /// Timing of a path: its speed \[m/s\] and acceleration \[m/s²\], with trajectory points at intervals of `period`
    /// \[s\].
    pub fn timing(&self, period: f64) -> Timing {
        Timing::default().with_speed(self.speed).with_acceleration(self.acceleration).with_period(period)
    }

    /// Options of path following: the allowed deviation of the tip \[m, rad\], and the effort of the search.
    pub fn follow(&self) -> FollowOptions {
        let deviation = Tolerance { position: self.position_deviation, orientation: self.orientation_deviation };
        FollowOptions::default().with_deviation(deviation).with_search(self.search)
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
