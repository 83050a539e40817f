//! What the servo is commanded, related to the robot.

use nalgebra::{Isometry3, Vector3};

/// A command as the servo takes it.
pub(crate) struct Input {
    /// Name of its topic, for messages to a person.
    pub topic: &'static str,
    pub wish: Wish,
}

/// What a command asks for.
pub(crate) enum Wish {
    /// A velocity of a tip.
    Twist(Twist),
    /// A velocity for each variable \[rad/s or m/s\].
    Jog(Vec<f64>),
    /// A pose of a tip.
    Pose(Pose),
}

/// A velocity of a tip.
pub(crate) struct Twist {
    /// Index of the tip.
    pub tip: usize,
    /// \[m/s\], of the origin of the tip's frame.
    pub linear: Vector3<f64>,
    /// \[rad/s\].
    pub angular: Vector3<f64>,
    /// Along whose axes both are given.
    pub axes: LinkAxes,
}

/// The axes of a link, wherever it is at each moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkAxes {
    Base,
    /// Of the tip itself.
    Tip,
    /// Of another link of the robot, by its index.
    Link(usize),
}

/// A pose of a tip.
pub(crate) struct Pose {
    /// Index of the tip.
    pub tip: usize,
    /// The pose in its frame.
    pub in_frame: Isometry3<f64>,
    /// Name of the frame.
    pub frame: String,
    /// Pose of the frame in the base link's frame, when the command arrived.
    pub frame_in_base: Isometry3<f64>,
    /// Whether only how it moves counts, from where the tip is.
    pub is_relative: bool,
}

impl Twist {
    /// Whether it asks the tip to stand.
    pub(crate) fn is_zero(&self) -> bool {
        self.linear.iter().chain(&self.angular).all(|v| *v == 0.0)
    }
}

impl Wish {
    /// Whether it asks the arm to stand.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Twist(twist) => twist.is_zero(),
            Self::Jog(velocities) => velocities.iter().all(|v| *v == 0.0),
            Self::Pose(_) => false,
        }
    }
}
