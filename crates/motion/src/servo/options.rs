//! The options of a servo.

use nalgebra::{Vector3, Vector6};
use thiserror::Error;

use urdf_ik_mathematics::spatial::stacked;
use urdf_ik_text::named_values;
use urdf_ik_text::names::number;

/// The options of a [`Servo`](super::Servo).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServoOptions {
    /// Maximum speed of the origin of a tip's frame \[m/s\].
    pub linear_speed: f64,
    /// Maximum angular speed of a tip \[rad/s\].
    pub angular_speed: f64,
    /// The part of a twist that has priority at the end of a line, where joint limits or contacts allow only a part of
    /// it.
    pub priority: Priority,
    /// Maximum angle between the commanded motion and the motion at a joint limit, singularity or contact \[rad\]. With
    /// 0, the tips stay on their line and wait. One radian of a tip counts as 0.3 times the size of the arm.
    pub max_deviation_angle: f64,
    /// Slack of the uncommanded axes: maximum deviation of the translation \[m\], then of the rotation \[rad\]. With 0,
    /// there is none.
    pub slack: [f64; 2],
    /// Free axes of the tip's frame, x, y, z, then rotations about x, y, z, as in
    /// [`Target::free_axes`](urdf_ik_solver::Target::free_axes). Only rotations can be free: the tip may rotate about
    /// such an axis unless a twist commands a rotation.
    pub free_axes: [bool; 6],
}

/// Why options are invalid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ServoOptionsError {
    /// A value is not a finite number in its range.
    #[error("{option} is {}; it must be a finite number, {range}", number(*value))]
    Value {
        /// Name of the option.
        option: &'static str,
        /// The invalid value \[m/s, rad/s, rad or m\].
        value: f64,
        /// Description of the valid range.
        range: &'static str,
    },
    /// A translation is free.
    #[error("free_axes of a servo must be some of rx, ry, rz: it leaves no translation free")]
    FreeTranslation,
}

impl Default for ServoOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl ServoOptions {
    /// The defaults of the library, of the node's parameters and of Python: 0.5 m/s, 1.5 rad/s, translation first, a
    /// deviation angle of 60°, a slack of 2 cm and 0.1 rad.
    pub const DEFAULT: Self = Self {
        linear_speed: 0.5,
        angular_speed: 1.5,
        priority: Priority::Translation,
        max_deviation_angle: 1.05,
        slack: [0.02, 0.1],
        free_axes: [false; 6],
    };

    /// Checks that all values are in their ranges. The names in errors are those of Python.
    ///
    /// # Errors
    /// [`ServoOptionsError`] for the first invalid option.
    pub fn check(&self) -> Result<(), ServoOptionsError> {
        let check = |option, value: f64, is_in_range, range| {
            let is_valid = value.is_finite() && is_in_range;
            if is_valid { Ok(()) } else { Err(ServoOptionsError::Value { option, value, range }) }
        };
        let above = |option, value| check(option, value, value > 0.0, "greater than 0");
        let least = |option, value| check(option, value, value >= 0.0, "0 or greater");
        above("linear_speed", self.linear_speed)?;
        above("angular_speed", self.angular_speed)?;
        least("max_deviation_angle", self.max_deviation_angle)?;
        least("slack_position", self.slack[0])?;
        least("slack_orientation", self.slack[1])?;
        if self.free_axes[..3].contains(&true) { Err(ServoOptionsError::FreeTranslation) } else { Ok(()) }
    }

    /// The factor, at most `most`, by which a motion with this twist \[m/s, rad/s\] can be scaled within the maximum
    /// speeds.
    pub(super) fn factor(&self, twist: &Vector6<f64>, most: f64) -> f64 {
        let [linear, angular] = [0, 3].map(|row| twist.fixed_rows::<3>(row).norm());
        (self.linear_speed / linear).min(self.angular_speed / angular).min(most)
    }

    /// A twist \[m/s, rad/s\] scaled to the maximum speeds, and whether it exceeded them.
    pub(super) fn limited(&self, linear: &Vector3<f64>, angular: &Vector3<f64>) -> (Vector6<f64>, bool) {
        // The greatest numbers have no square.
        let size = linear.amax().max(angular.amax()).max(1.0);
        let twist = stacked(&(linear / size), &(angular / size));
        let factor = self.factor(&twist, size);
        (twist * factor, factor < size)
    }
}

named_values! {
    /// The part of a twist that has priority where joint limits or contacts allow only a part of it.
    pub enum Priority("priority", "priorities") {
        /// The translation.
        Translation = "translation",
        /// The rotation.
        Rotation = "rotation",
        /// The motion nearest to the whole twist.
        Both = "both",
    }

    /// The behaviour at a joint limit: a name for a value of [`ServoOptions::max_deviation_angle`].
    pub enum HeldBack("behaviour at a limit", "behaviours at a limit") {
        /// An angle of 0: the tips wait on their line.
        Wait = "wait",
        /// The default angle: they slide along the limit.
        Slide = "slide",
    }
}

impl HeldBack {
    /// The maximum deviation angle that this name stands for \[rad\].
    pub fn max_deviation_angle(self) -> f64 {
        match self {
            Self::Wait => 0.0,
            Self::Slide => ServoOptions::DEFAULT.max_deviation_angle,
        }
    }
}
