//! What a servo is commanded.

use nalgebra::{Isometry3, Vector3, Vector6};
use thiserror::Error;

use super::options::ServoOptions;
use urdf_ik_mathematics::spatial::{stacked, turned};
use urdf_ik_robot::Chain;

/// The command of one step.
#[derive(Debug, Clone, Copy)]
pub enum Command<'a> {
    /// The joints come to rest.
    Rest,
    /// Commands for tips, at most one for each. A tip without a command holds its pose.
    Tips(&'a [TipCommand]),
    /// Velocities of the chain's n variables \[rad/s or m/s\].
    Velocities(&'a [f64]),
}

/// The command for one tip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TipCommand {
    /// Move at a velocity.
    Twist(TipTwist),
    /// Follow a pose.
    Pose(TipPose),
}

/// A commanded velocity of a tip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipTwist {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Velocity of the origin of the tip's frame \[m/s\], along `axes`.
    pub linear: Vector3<f64>,
    /// Angular velocity \[rad/s\], along `axes`.
    pub angular: Vector3<f64>,
    /// The axes of both velocities.
    pub axes: Axes,
}

/// The axes of a twist. Its reference point is the origin of the tip's frame in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// The axes of the base link.
    Base,
    /// The axes of the tip. They turn with it: the motion is a screw.
    Tip,
}

/// A pose for a tip to follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipPose {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Pose of the tip in the base link's frame.
    pub pose: Isometry3<f64>,
}

/// Why a command was rejected. The joints then come to rest.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CommandError {
    /// There is no tip with that index.
    #[error("there is no tip with index {tip}; the chain has {tips}")]
    UnknownTip {
        /// The unknown index.
        tip: usize,
        /// Number of tips of the chain.
        tips: usize,
    },
    /// A tip has two commands.
    #[error("the tip {tip} has two commands at one time")]
    TipTwice {
        /// Name of the tip link.
        tip: String,
    },
    /// A number is NaN or infinite.
    #[error("the {what} of {of} must be finite numbers")]
    NotFinite {
        /// Kind of the numbers.
        what: &'static str,
        /// Name of the tip or variable that they belong to.
        of: String,
    },
    /// The number of velocities differs from the number of variables.
    #[error("there are {given} velocities for {expected} variables")]
    Length {
        /// Number of velocities.
        given: usize,
        /// Number of variables.
        expected: usize,
    },
}

impl Command<'_> {
    /// Checks that the command makes sense for `chain`.
    pub(super) fn check(&self, chain: &Chain) -> Result<(), CommandError> {
        match self {
            Self::Rest => Ok(()),
            Self::Velocities(velocities) => check_velocities(chain, velocities),
            Self::Tips(tips) => check_tips(chain, tips),
        }
    }
}

impl TipCommand {
    /// Index of the tip among [`Chain::tips`].
    pub fn tip(&self) -> usize {
        match self {
            Self::Twist(twist) => twist.tip,
            Self::Pose(pose) => pose.tip,
        }
    }
}

/// Checks that there is one finite number for each variable.
fn check_velocities(chain: &Chain, velocities: &[f64]) -> Result<(), CommandError> {
    let (variables, given) = (chain.variables(), velocities.len());
    if given != variables.len() {
        return Err(CommandError::Length { given, expected: variables.len() });
    }
    variables
        .iter()
        .zip(velocities)
        .try_for_each(|(variable, value)| check_finite("velocity", &variable.name, &[*value]))
}

/// Checks that all tips are there, none twice, and that all numbers are finite.
fn check_tips(chain: &Chain, commands: &[TipCommand]) -> Result<(), CommandError> {
    for (index, command) in commands.iter().enumerate() {
        let (tip, tips) = (command.tip(), chain.tips());
        let known = tips.get(tip).ok_or(CommandError::UnknownTip { tip, tips: tips.len() })?;
        if commands[..index].iter().any(|other| other.tip() == tip) {
            return Err(CommandError::TipTwice { tip: known.link.clone() });
        }
        match command {
            TipCommand::Twist(twist) => {
                check_finite("twist", &known.link, stacked(&twist.linear, &twist.angular).as_slice())
            }
            TipCommand::Pose(pose) => check_finite("pose", &known.link, pose.pose.to_homogeneous().as_slice()),
        }?;
    }
    Ok(())
}

fn check_finite(what: &'static str, of: &str, numbers: &[f64]) -> Result<(), CommandError> {
    let is_finite = numbers.iter().all(|number| number.is_finite());
    if is_finite { Ok(()) } else { Err(CommandError::NotFinite { what, of: of.to_owned() }) }
}

/// The aim of a tip in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// Hold the pose.
    Hold,
    /// Move with a twist along some axes: linear, then angular velocity \[m/s, rad/s\], within the maximum speeds.
    Twist(Vector6<f64>, Axes),
    /// Reach a pose in the base link's frame.
    Pose(Isometry3<f64>),
}

impl Aim {
    /// The aim of a command, within the maximum speeds of `options`.
    pub fn of(command: &TipCommand, options: &ServoOptions) -> Self {
        match command {
            TipCommand::Twist(twist) => Self::Twist(options.limited(&twist.linear, &twist.angular).0, twist.axes),
            TipCommand::Pose(pose) => Self::Pose(pose.pose),
        }
    }

    /// True for translation, then for rotation, if it is commanded.
    pub fn commands(&self) -> [bool; 2] {
        match self {
            Self::Hold => [false; 2],
            Self::Twist(twist, _) => [0, 3].map(|row| twist.fixed_rows::<3>(row) != Vector3::zeros()),
            Self::Pose(_) => [true; 2],
        }
    }

    /// True if the aim requires a motion.
    pub fn moves(&self) -> bool {
        self.commands() != [false; 2]
    }

    /// True for a twist that requires a motion.
    pub fn is_twist(&self) -> bool {
        !self.is_pose() && self.moves()
    }

    /// True for a pose.
    pub fn is_pose(&self) -> bool {
        matches!(self, Self::Pose(_))
    }

    /// The axes of its velocity.
    pub fn axes(&self) -> Axes {
        if let Self::Twist(_, axes) = self { *axes } else { Axes::Base }
    }
}

impl Axes {
    /// Converts a `twist` (linear, then angular) along these axes of a tip to the axes of the base link. `pose` is that
    /// of the tip in the base link's frame.
    pub(super) fn to_base(self, pose: &Isometry3<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
        match self {
            Self::Base => *twist,
            Self::Tip => turned(&pose.rotation, twist),
        }
    }
}
