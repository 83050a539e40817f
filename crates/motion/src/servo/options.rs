//! How a servo moves.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How a [`Servo`](super::Servo) moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServoOptions {
    /// Greatest speed of the origin of a tip's frame \[m/s\].
    pub linear_speed: f64,
    /// Greatest angular speed of a tip \[rad/s\].
    pub angular_speed: f64,
    /// What is kept first where joint limits or contacts allow only a part of a twist.
    pub priority: Priority,
}

impl Default for ServoOptions {
    /// 0.5 m/s, 1.5 rad/s, translation first.
    fn default() -> Self {
        Self { linear_speed: 0.5, angular_speed: 1.5, priority: Priority::default() }
    }
}

impl ServoOptions {
    /// The share of a twist of such speeds that the greatest speeds allow.
    pub(super) fn scale(&self, linear: f64, angular: f64) -> f64 {
        (self.linear_speed / linear).min(self.angular_speed / angular).min(1.0)
    }
}

/// What is kept first where joint limits or contacts allow only a part of a twist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Priority {
    /// The translation; the rotation as far as it leaves that as it is.
    #[default]
    Translation,
    /// The rotation; the translation as far as it leaves that as it is.
    Rotation,
    /// Both alike: what is nearest to the whole twist, where a radian counts as much as the solver's length scale.
    Both,
}

impl Priority {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Translation, Self::Rotation, Self::Both];

    /// Its name in parameters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not the name of a [`Priority`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no priority '{name}'; the priorities are: {}", Priority::ALL.map(Priority::name).join(", "))]
pub struct UnknownPriority {
    /// The given name.
    pub name: String,
}

impl FromStr for Priority {
    type Err = UnknownPriority;

    fn from_str(name: &str) -> Result<Self, UnknownPriority> {
        let found = Self::ALL.into_iter().find(|priority| priority.name() == name);
        found.ok_or_else(|| UnknownPriority { name: name.to_owned() })
    }
}
