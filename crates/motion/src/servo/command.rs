//! What a servo is commanded.

use nalgebra::{Isometry3, Vector3, Vector6};
use thiserror::Error;

use super::options::ServoOptions;
use urdf_ik_mathematics::spatial::{stacked, turned};
use urdf_ik_robot::Chain;

/// What is commanded at one time.
#[derive(Debug, Clone, Copy)]
pub enum Command<'a> {
    /// To come to rest.
    Rest,
    /// What tips are to do, at most one command for each tip. Tips without one hold where they are.
    Tips(&'a [TipCommand]),
    /// A velocity for each variable \[rad/s or m/s\].
    Velocities(&'a [f64]),
}

/// What one tip is to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TipCommand {
    /// To have a velocity.
    Twist(TipTwist),
    /// To follow a pose.
    Pose(TipPose),
}

/// The velocity that a tip is to have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipTwist {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Velocity of the origin of the tip's frame \[m/s\].
    pub linear: Vector3<f64>,
    /// Angular velocity \[rad/s\].
    pub angular: Vector3<f64>,
    /// Along which axes both are given.
    pub axes: Axes,
}

/// Along which axes a twist is given. Its point is the origin of the tip's frame in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// Those of the base link.
    Base,
    /// Those of the tip, which turn with it: the motion is a screw.
    Tip,
}

/// The pose that a tip is to follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipPose {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Pose of the tip in the base link's frame.
    pub pose: Isometry3<f64>,
}

/// Why a command was refused. The joints then come to rest.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CommandError {
    /// There is no tip of that index.
    #[error("there is no tip with index {tip}; the chain has {tips}")]
    UnknownTip {
        /// The index.
        tip: usize,
        /// Number of tips.
        tips: usize,
    },
    /// Two commands for one tip.
    #[error("the tip {tip} has two commands at one time")]
    TipTwice {
        /// Name of the tip link.
        tip: String,
    },
    /// A number is NaN or infinite.
    #[error("the {what} of {of} must be finite numbers")]
    NotFinite {
        /// Which numbers.
        what: &'static str,
        /// Whose they are.
        of: String,
    },
    /// Not one velocity for each variable.
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
            Command::Rest => Ok(()),
            Command::Velocities(velocities) => {
                let variables = chain.variables();
                if velocities.len() != variables.len() {
                    return Err(CommandError::Length { given: velocities.len(), expected: variables.len() });
                }
                variables
                    .iter()
                    .zip(*velocities)
                    .try_for_each(|(variable, velocity)| check_finite("velocity", &variable.name, [velocity]))
            }
            Command::Tips(tips) => check_tips(chain, tips),
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

/// Checks that all tips are there, none twice, and that all numbers are finite.
fn check_tips(chain: &Chain, commands: &[TipCommand]) -> Result<(), CommandError> {
    for (index, command) in commands.iter().enumerate() {
        let (tip, tips) = (command.tip(), chain.tips());
        let known = tips.get(tip).ok_or(CommandError::UnknownTip { tip, tips: tips.len() })?;
        if commands[..index].iter().any(|other| other.tip() == tip) {
            return Err(CommandError::TipTwice { tip: known.link.clone() });
        }
        match command {
            TipCommand::Twist(twist) => check_finite("twist", &known.link, &stacked(&twist.linear, &twist.angular)),
            TipCommand::Pose(pose) => check_finite("pose", &known.link, &pose.pose.to_homogeneous()),
        }?;
    }
    Ok(())
}

fn check_finite<'a>(
    what: &'static str,
    of: &str,
    numbers: impl IntoIterator<Item = &'a f64>,
) -> Result<(), CommandError> {
    let is_finite = numbers.into_iter().all(|number| number.is_finite());
    if is_finite { Ok(()) } else { Err(CommandError::NotFinite { what, of: of.to_owned() }) }
}

/// What a tip is to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// To stand.
    Hold,
    /// To have a twist along some axes [m/s, rad/s], not faster than it may be.
    Twist(Vector6<f64>, Axes),
    /// To come to a pose.
    Pose(Isometry3<f64>),
}

impl Aim {
    /// The aim of a command.
    pub fn of(command: &TipCommand, options: &ServoOptions) -> Self {
        match command {
            TipCommand::Twist(twist) => Self::Twist(options.limited(&twist.linear, &twist.angular).0, twist.axes),
            TipCommand::Pose(pose) => Self::Pose(pose.pose),
        }
    }

    /// Whether translation and rotation are commanded.
    pub fn commands(&self) -> [bool; 2] {
        match self {
            Self::Hold => [false; 2],
            Self::Twist(twist, _) => [0, 3].map(|row| twist.fixed_rows::<3>(row) != Vector3::zeros()),
            Self::Pose(_) => [true; 2],
        }
    }

    /// Whether it asks for a motion.
    pub fn moves(&self) -> bool {
        self.commands() != [false; 2]
    }

    /// Whether it is a twist that asks for a motion.
    pub fn is_twist(&self) -> bool {
        !self.is_pose() && self.moves()
    }

    pub fn is_pose(&self) -> bool {
        matches!(self, Self::Pose(_))
    }

    /// The axes along which its velocity is given.
    pub fn axes(&self) -> Axes {
        if let Self::Twist(_, axes) = self { *axes } else { Axes::Base }
    }
}

impl Axes {
    /// A twist along these axes of a tip, along those of the base link.
    pub(super) fn to_base(self, pose: &Isometry3<f64>, twist: &Vector6<f64>) -> Vector6<f64> {
        match self {
            Self::Base => *twist,
            Self::Tip => turned(&pose.rotation, twist),
        }
    }
}
