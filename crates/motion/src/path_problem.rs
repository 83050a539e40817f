//! What is asked of a tip on a path, and of the joints on the way.

use super::limits::MotionLimits;
use super::path::Path;
use urdf_ik_collision::Clearance;
use urdf_ik_solver::{Preference, Target};

/// A path for the joints of a chain.
#[derive(Clone, Copy)]
pub struct PathProblem<'a> {
    /// The path of the tip link.
    pub path: &'a Path,
    /// The tip, its tolerance and its free axes. The pose is not used.
    pub target: &'a Target,
    /// Where the arm is: one entry for each variable \[rad or m\].
    pub seed: &'a [f64],
    /// Limits of the chain's variables.
    pub limits: &'a MotionLimits,
    /// What a redundant arm, or one with free axes, prefers on the way.
    pub preference: Preference<'a>,
    /// What the arm has to keep clear of on the way; `None`: collisions do not count.
    pub clearance: Option<Clearance<'a>>,
}

impl PathProblem<'_> {
    /// The target at `length` metres of the path.
    pub(super) fn target_at(&self, length: f64) -> Target {
        Target { pose: self.path.pose_at(length), ..*self.target }
    }
}
