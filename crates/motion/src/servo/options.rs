//! How a servo moves.

use std::fmt;
use std::str::FromStr;

use nalgebra::{Vector3, Vector6};
use thiserror::Error;
use urdf_ik_mathematics::spatial::stacked;

/// How a [`Servo`](super::Servo) moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServoOptions {
    /// Greatest speed of the origin of a tip's frame \[m/s\].
    pub linear_speed: f64,
    /// Greatest angular speed of a tip \[rad/s\].
    pub angular_speed: f64,
    /// What is kept first where joint limits or contacts allow only a part of a twist.
    pub priority: Priority,
    /// What the tips do where the line goes on beyond a joint limit.
    pub held_back: HeldBack,
    /// How far the translation \[m\] and the rotation \[rad\] of what is not commanded may give way along contacts: 0 is not at all.
    pub give: [f64; 2],
}

impl Default for ServoOptions {
    /// 0.5 m/s, 1.5 rad/s, translation first, waiting on the line; along contacts 2 cm and 0.1 rad give way.
    fn default() -> Self {
        Self {
            linear_speed: 0.5,
            angular_speed: 1.5,
            priority: Priority::default(),
            held_back: HeldBack::default(),
            give: [0.02, 0.1],
        }
    }
}

impl ServoOptions {
    /// How many times, at most `most`, a motion with such speeds \[m/s, rad/s\] the greatest speeds allow.
    pub(super) fn factor(&self, linear: f64, angular: f64, most: f64) -> f64 {
        (self.linear_speed / linear).min(self.angular_speed / angular).min(most)
    }

    /// A twist \[m/s, rad/s\] that is no faster than the greatest speeds, and whether it had to be made slower for that.
    pub(super) fn limited(&self, linear: &Vector3<f64>, angular: &Vector3<f64>) -> (Vector6<f64>, bool) {
        // The greatest numbers have no square.
        let size = linear.amax().max(angular.amax()).max(1.0);
        let twist = stacked(&(linear / size), &(angular / size));
        let speed = |row: usize| twist.fixed_rows::<3>(row).norm();
        let factor = self.factor(speed(0), speed(3), size);
        (twist * factor, factor < size)
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

impl FromStr for Priority {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("priority", &Self::ALL.map(|priority| (priority.name(), priority)), name)
    }
}

/// What tips do where joint limits hold them back. At contacts they always slide, and at singularities they always wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeldBack {
    /// They wait on their line.
    #[default]
    Wait,
    /// They go on beside it: along the part of the twist that the limits allow.
    Slide,
}

impl HeldBack {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Wait, Self::Slide];

    /// Its name in parameters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Slide => "slide",
        }
    }
}

impl FromStr for HeldBack {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("way to be held back", &Self::ALL.map(|way| (way.name(), way)), name)
    }
}

/// A word that names none of the values of an option.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no {what} '{name}'; choose one of: {}", known.join(", "))]
pub struct UnknownName {
    /// What it should name.
    pub what: &'static str,
    /// The given word.
    pub name: String,
    /// The words that there are.
    pub known: Vec<&'static str>,
}

/// The value of that name.
fn named<T: Copy>(what: &'static str, values: &[(&'static str, T)], name: &str) -> Result<T, UnknownName> {
    let found = values.iter().find(|(word, _)| *word == name);
    found.map(|(_, value)| *value).ok_or_else(|| UnknownName {
        what,
        name: name.to_owned(),
        known: values.iter().map(|(word, _)| *word).collect(),
    })
}
