//! FABRIK on chains of points, in the plane and in space.
//!
//! A chain is n segments of lengths l_1 … l_n \[m\] between n + 1 points p_0 … p_n: the root p_0, the joints, the tip p_n. The
//! joints rotate freely and have no limits, so that the points alone are the configuration. All points are in one frame, which the
//! caller chooses; `D`, 2 or 3, is the number of their coordinates.
//!
//! **The algorithm** (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the inverse kinematics problem"). A cycle
//! has two passes. Forward reaching puts the tip at the target and draws each joint, from the tip to the root, along a straight
//! line towards where it was until its segment has its length. Backward reaching puts the root back in its place and does the same
//! from the root to the tip. That is repeated until the tip is at the target within a tolerance.
//!
//! **Why it converges.** A joint that is drawn to the sphere around its moved neighbour moves by no more than that neighbour did,
//! because it was on the sphere around the neighbour before. So the root is moved by no more than the tip was, and on the way
//! back the tip by no more than the root: the distance between tip and target never grows from one cycle to the next. It stays
//! the same only where every joint moves along its segment, that is where the chain and the target lie in one line. There
//! the algorithm makes no progress, even if the target is in reach. The chain is then bent into an arc as high as the gap needs, at
//! most a hundredth of the reach and each further time twice that, always to the same side, and the cycles continue. All this holds
//! for one chain with a fixed root and no limits.
//!
//! **Reach.** The tip can reach exactly the points whose distance from the root is within [`PointChain::reach`]: from
//! max(0, 2 · longest - sum) to the sum. For a target farther away the chain is stretched
//! towards it in one pass, as published; for one too near it is folded to the configuration whose tip is nearest, where the
//! published algorithm would never end. Targets within the tolerance of these limits get the same configurations, which meet them.
//!
//! **Acceleration.** A cycle is a map of the joints onto themselves, and near a stretched chain it converges slowly: its rate
//! approaches 1. Anderson acceleration combines the last few cycles ([`Options::acceleration`]). The lengths of the segments are
//! then restored, and the accelerated configuration is taken only if its tip is closer to the target than that of the plain cycle,
//! so that the distance still never grows.
//!
//! **Circles.** After the forward pass there are two partial chains, one from the root as far as the backward pass has come, the
//! other from the target. A joint between the two lies on a circle, that in which the spheres around its neighbours
//! meet ([`circle_between`]). Where they meet, the chain can be closed at once ([`Options::circles`]).
//!
//! ```
//! use nalgebra::Vector2;
//! use urdf_ik::skeleton::points::{Options, Outcome, PointChain, Problem, Root};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let start: Vec<_> = (0..5).map(|i| Vector2::new(0.25 * f64::from(i), 0.0)).collect();
//! let chain = PointChain::from_points(&start)?;
//! let options = Options::default();
//! let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
//!
//! let target = Vector2::new(0.3, 0.5);
//! let problem = Problem { target, root: Root::Fixed, points: &start, options };
//! chain.solve(&problem, &mut scratch, &mut solution)?;
//! assert_eq!(solution.outcome, Outcome::Solved);
//! assert!((solution.points[4] - target).norm() <= 1e-6);
//! # Ok(())
//! # }
//! ```

mod circle;
mod passes;
mod problem;
mod solve;

use nalgebra::SVector;

pub use crate::skeleton::segments::{Element, InputError, Outcome, Reason, Root};
use crate::skeleton::segments::{Reach, check_coordinates, check_count, check_length, check_total};
pub use circle::{Circle, circle_between};
pub use problem::{Options, Problem, ProblemError, Solution};
pub use solve::Scratch;

/// A chain of points, given by the lengths of its segments. See the [module](self).
#[derive(Debug, Clone, PartialEq)]
pub struct PointChain<const D: usize> {
    lengths: Vec<f64>,
    reach: Reach,
    /// Index of the (first) longest segment.
    longest: usize,
}

impl<const D: usize> PointChain<D> {
    /// A chain with segments of `lengths` \[m\], from the root to the tip. A segment may have length 0: its two points then
    /// coincide.
    ///
    /// # Errors
    /// [`InputError`] where there is no segment, or a length is not finite, negative or too large.
    pub fn new(lengths: Vec<f64>) -> Result<Self, InputError> {
        const { assert!(D == 2 || D == 3, "a chain lies in the plane or in space") };
        if lengths.is_empty() {
            return Err(InputError::Empty { what: "segment" });
        }
        for (segment, &length) in lengths.iter().enumerate() {
            check_length(Element::of("segment", segment), length)?;
        }
        let reach = Reach::of(&lengths);
        check_total(reach.outer)?;
        let longest = (0..lengths.len()).fold(0, |a, b| if lengths[b] > lengths[a] { b } else { a });
        Ok(Self { lengths, reach, longest })
    }

    /// A chain whose segments have the distances between successive `points` (n + 1 entries \[m\]).
    ///
    /// # Errors
    /// [`InputError`] where there are fewer than two points, or a coordinate is not finite or too large.
    pub fn from_points(points: &[SVector<f64, D>]) -> Result<Self, InputError> {
        check_points(points)?;
        Self::new(points.windows(2).map(|ends| (ends[1] - ends[0]).norm()).collect())
    }

    /// Lengths of the n segments \[m\], from the root to the tip.
    #[must_use]
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Number of segments, n; there are n + 1 points.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.lengths.len()
    }

    /// The distances from the root that the tip can have.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Forward reaching, the first pass of a cycle: puts the tip of `points` (n + 1 entries \[m\]) at `target` \[m\] and draws
    /// every other point, from the tip to the root, towards where it was until its segment has its length.
    ///
    /// # Errors
    /// [`InputError`] where there are not n + 1 points, or a coordinate is not finite or too large.
    pub fn reach_forward(&self, target: &SVector<f64, D>, points: &mut [SVector<f64, D>]) -> Result<(), InputError> {
        self.check_posture(points)?;
        check_coordinates("target", target.as_slice())?;
        self.forward(target, points);
        Ok(())
    }

    /// Backward reaching, the second pass of a cycle: puts the root of `points` (n + 1 entries \[m\]) at `root` \[m\] and draws
    /// every other point, from the root to the tip, towards where it was until its segment has its length.
    ///
    /// # Errors
    /// As [`Self::reach_forward`].
    pub fn reach_backward(&self, root: &SVector<f64, D>, points: &mut [SVector<f64, D>]) -> Result<(), InputError> {
        self.check_posture(points)?;
        check_coordinates("root", root.as_slice())?;
        self.backward(root, points);
        Ok(())
    }

    fn check_posture(&self, points: &[SVector<f64, D>]) -> Result<(), InputError> {
        check_count("list of points", points.len(), self.segments() + 1)?;
        check_points(points)
    }
}

fn check_points<const D: usize>(points: &[SVector<f64, D>]) -> Result<(), InputError> {
    points
        .iter()
        .enumerate()
        .try_for_each(|(point, place)| check_coordinates(Element::of("point", point), place.as_slice()))
}
