//! Commands of the servo, related to the robot.

use nalgebra::{Isometry3, Vector3};

use urdf_ik_parameters::ClutchSettings;

/// A command of the servo.
pub(crate) struct ServoInput {
    /// Name of its topic, for messages to a person.
    pub topic: &'static str,
    pub command: ServoCommand,
}

/// The value of a command.
pub(crate) enum ServoCommand {
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
    /// The axes of both vectors.
    pub axes: LinkAxes,
}

/// The axes of a link at its current orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkAxes {
    Base,
    /// Of the tip.
    Tip,
    /// Of another link of the robot, by index.
    Link(usize),
}

/// A pose of a tip.
pub(crate) struct Pose {
    /// Index of the tip.
    pub tip: usize,
    /// The pose in this frame.
    pub in_frame: Isometry3<f64>,
    /// Name of the frame.
    pub frame: String,
    /// Pose of the frame in the base link's frame, on arrival of the command.
    pub frame_in_base: Isometry3<f64>,
    /// Set if it is the pose of a hand: the tip follows only its motion.
    pub hand: Option<HandInput>,
}

/// A pose of a hand with a closed clutch.
#[derive(Clone, Copy)]
pub(crate) struct HandInput {
    /// Time of the measurement \[ns\]; `None` if the hand may have any speed.
    pub stamp: Option<i64>,
    pub settings: ClutchSettings,
}

impl ServoCommand {
    /// Index of the tip that it moves; `None` for all joints.
    pub(crate) fn tip(&self) -> Option<usize> {
        match self {
            Self::Twist(twist) => Some(twist.tip),
            Self::Pose(pose) => Some(pose.tip),
            Self::Jog(_) => None,
        }
    }

    /// True for a zero velocity command.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Twist(twist) => twist.linear.iter().chain(&twist.angular).all(|v| *v == 0.0),
            Self::Jog(velocities) => velocities.iter().all(|v| *v == 0.0),
            Self::Pose(_) => false,
        }
    }
}
