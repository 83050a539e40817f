//! What a servo is commanded.

use nalgebra::{Isometry3, Vector3};
use thiserror::Error;

use urdf_ik_robot::Chain;

/// What is commanded at one time.
#[derive(Debug, Clone, Copy)]
pub enum Command<'a> {
    /// To come to rest.
    Rest,
    /// Velocities of tips, at most one for each tip. Tips without one hold where they are, after those that have one.
    Twists(&'a [TipTwist]),
    /// A velocity for each variable \[rad/s or m/s\].
    Velocities(&'a [f64]),
    /// Poses that tips follow, at most one for each tip. Tips without one hold where they are, after those that have one.
    Poses(&'a [TipPose]),
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
                let (given, expected) = (velocities.len(), chain.variables().len());
                if given != expected {
                    return Err(CommandError::Length { given, expected });
                }
                match velocities.iter().position(|velocity| !velocity.is_finite()) {
                    Some(at) => {
                        Err(CommandError::NotFinite { what: "velocity", of: chain.variables()[at].name.clone() })
                    }
                    None => Ok(()),
                }
            }
            Command::Twists(twists) => check_tips(chain, &twists.iter().map(|twist| twist.tip)).and_then(|()| {
                let is_finite = |twist: &TipTwist| twist.linear.iter().chain(&twist.angular).all(|v| v.is_finite());
                finite(chain, "twist", twists.iter().map(|twist| (twist.tip, is_finite(twist))))
            }),
            Command::Poses(poses) => check_tips(chain, &poses.iter().map(|pose| pose.tip)).and_then(|()| {
                let is_finite = |pose: &Isometry3<f64>| {
                    pose.translation.vector.iter().chain(pose.rotation.coords.iter()).all(|v| v.is_finite())
                };
                finite(chain, "pose", poses.iter().map(|pose| (pose.tip, is_finite(&pose.pose))))
            }),
        }
    }
}

/// Checks that all tips are there, and none twice.
fn check_tips(chain: &Chain, tips: &(impl Iterator<Item = usize> + Clone)) -> Result<(), CommandError> {
    let count = chain.tips().len();
    for (index, tip) in tips.clone().enumerate() {
        let known = chain.tips().get(tip).ok_or(CommandError::UnknownTip { tip, tips: count })?;
        if tips.clone().take(index).any(|other| other == tip) {
            return Err(CommandError::TipTwice { tip: known.link.clone() });
        }
    }
    Ok(())
}

fn finite(
    chain: &Chain,
    what: &'static str,
    mut tips: impl Iterator<Item = (usize, bool)>,
) -> Result<(), CommandError> {
    match tips.find(|(_, is_finite)| !is_finite) {
        Some((tip, _)) => Err(CommandError::NotFinite { what, of: chain.tips()[tip].link.clone() }),
        None => Ok(()),
    }
}
