//! The problem and the solution of a chain.

use nalgebra::{Isometry3, Point3, UnitQuaternion};

use super::{Element, InputError, LimitedChain, Outcome, Reason, Scratch};
use crate::skeleton::segments::{check_coordinates, check_count, check_depth, check_rotation, check_tolerance};

/// How a problem is solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Largest distance between tip and target \[m\] at which the target counts as met.
    pub tolerance: f64,
    /// Largest number of cycles, over all attempts.
    pub iterations: usize,
    /// Largest number of attempts after the one from the seed, each from another scattered configuration.
    pub restarts: usize,
    /// Number of differences between past cycles for Anderson acceleration; 0 for plain cycles.
    pub acceleration: usize,
}

impl Default for Options {
    /// To 1 µm in 5000 cycles, with up to 50 restarts, 5 differences.
    fn default() -> Self {
        Self { tolerance: 1e-6, iterations: 5000, restarts: 50, acceleration: 5 }
    }
}

/// One problem for the chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem<'a> {
    /// Desired position of the tip \[m\], in the frame in which the root frame is given.
    pub target: Point3<f64>,
    /// The root frame: the position of the first joint, and the orientation in which its limits are given.
    pub root: Isometry3<f64>,
    /// Configuration to start from, n rotations. Those that a joint does not allow are moved to those that it does.
    pub seed: &'a [UnitQuaternion<f64>],
    /// How it is solved.
    pub options: Options,
}

/// The chain's answer. Made by [`LimitedChain::solution`], overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Configuration: the n rotations of the joints, inside the limits to rounding.
    pub rotations: Vec<UnitQuaternion<f64>>,
    /// Orientations of the n segments in the frame in which the root frame is given; x is along the segment.
    pub frames: Vec<UnitQuaternion<f64>>,
    /// The n + 1 ends of the segments \[m\], from the root to the tip.
    pub points: Vec<Point3<f64>>,
    /// For each joint, whether the last cycle that led to this configuration asked for a rotation that it does not allow.
    pub limited: Vec<bool>,
    /// Distance between tip and target \[m\].
    pub distance: f64,
    /// Number of cycles, over all attempts.
    pub iterations: usize,
    /// Number of attempts after the one from the seed.
    pub restarts: usize,
    /// Whether the tip reached the target.
    pub outcome: Outcome,
}

impl LimitedChain {
    /// Memory for an answer.
    #[must_use]
    pub fn solution(&self) -> Solution {
        let joints = self.joints.len();
        Solution {
            rotations: vec![UnitQuaternion::identity(); joints],
            frames: vec![UnitQuaternion::identity(); joints],
            points: vec![Point3::origin(); joints + 1],
            limited: vec![false; joints],
            distance: f64::INFINITY,
            iterations: 0,
            restarts: 0,
            outcome: Outcome::Closest(Reason::NotConverged),
        }
    }

    /// Checks that `problem` is valid for this chain, with this scratch and this solution.
    pub(super) fn check(&self, problem: &Problem, scratch: &Scratch, solution: &Solution) -> Result<(), InputError> {
        let joints = self.joints.len();
        check_count("seed", problem.seed.len(), joints)?;
        check_count("scratch", scratch.joints(), joints)?;
        check_count("solution's list of rotations", solution.rotations.len(), joints)?;
        check_count("solution's list of frames", solution.frames.len(), joints)?;
        check_count("solution's list of points", solution.points.len(), joints + 1)?;
        check_count("solution's list of limited joints", solution.limited.len(), joints)?;
        check_coordinates("target", problem.target.coords.as_slice())?;
        check_coordinates("root", problem.root.translation.vector.as_slice())?;
        check_depth(scratch.depth(), problem.options.acceleration)?;
        check_rotation("orientation of the root frame", &problem.root.rotation)?;
        for (joint, rotation) in problem.seed.iter().enumerate() {
            check_rotation(Element::of("the seed's rotation of joint", joint), rotation)?;
        }
        check_tolerance(problem.options.tolerance)
    }
}
