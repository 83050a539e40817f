//! One problem, and what follows from it before anything moves.

use nalgebra::{Isometry3, Translation3};

use super::{Problem, Root, Skeleton};
use urdf_ik_mathematics::segments::Reach;

/// One problem, and what follows from it alone.
pub(super) struct Setup<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a Problem<'a>,
    /// The root frame, unless it is free.
    pub root: Option<Isometry3<f64>>,
    /// Whether limits or targets ask for orientations.
    pub has_orientations: bool,
    /// Whether it is one row of free segments from a fixed root to one target at its end. Then the error never grows
    /// from one cycle to the next, and a stall means a straight line.
    pub is_single_chain: bool,
    /// The distances that the last point can have from the root.
    pub reach: Reach,
    /// The distance \[m\] from an axis at which an angle counts as a distance: the mean length of segments.
    pub arm: f64,
}

impl<'a> Setup<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, problem: &'a Problem) -> Self {
        let Problem { seed, targets, .. } = problem;
        let orientation = seed.orientations.first().copied().unwrap_or_default();
        let root = match problem.root {
            Root::Fixed => Some(Isometry3::from_parts(Translation3::from(seed.points[0]), orientation)),
            Root::At(place) => Some(place),
            Root::Free => None,
        };
        let has_orientations = !skeleton.is_free() || targets.iter().any(|target| target.orientation.is_some());
        let only_end = matches!(targets, [target] if target.point == skeleton.segment_count());
        let is_single_chain = skeleton.is_chain() && only_end && root.is_some() && !has_orientations;
        let count = f64::from(u32::try_from(skeleton.segment_count()).unwrap_or(u32::MAX));
        let arm = skeleton.total_length() / count;
        let reach = skeleton.reach_between(0, skeleton.segment_count());
        Self { skeleton, problem, root, has_orientations, is_single_chain, reach, arm }
    }
}
