//! A problem with derived constants, and the errors of configurations.

use nalgebra::{Isometry3, Translation3};

use super::posture::{Goals, Posture};
use super::{Root, Skeleton, SkeletonProblem, SkeletonTarget};
use urdf_ik_mathematics::segments::Reach;

/// A problem with derived constants.
pub(super) struct SkeletonSetup<'a> {
    pub skeleton: &'a Skeleton,
    pub problem: &'a SkeletonProblem<'a>,
    /// The root frame \[m\] in the common frame; `None` if it is free.
    pub root: Option<Isometry3<f64>>,
    /// True if limits or targets need orientations.
    pub has_orientations: bool,
    /// True for a chain of free segments with a fixed root and one target at its end. Then the error never increases
    /// from cycle to cycle, and a stall means a straight line.
    pub is_single_chain: bool,
    /// Interval of possible distances of the last point from the root \[m\].
    pub reach: Reach,
    /// Lever arm that converts angles to distances \[m\]: the mean segment length.
    pub arm: f64,
}

impl<'a> SkeletonSetup<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, problem: &'a SkeletonProblem) -> Self {
        let SkeletonProblem { seed, targets, .. } = problem;
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

/// The errors of a configuration, as roots of weighted sums of squares \[m\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Of targets within reach; angles are converted by `arm`.
    near: f64,
    /// Of targets out of reach, beyond the unavoidable distance.
    far: f64,
    /// True if all targets within reach are met.
    pub near_is_met: bool,
    /// True if all targets out of reach are as near as possible.
    far_is_met: bool,
}

impl SkeletonTarget {
    /// The distance \[m\] and angle \[rad\] between the target and its point in `posture`; angle 0 without an
    /// orientation.
    pub(super) fn apart(&self, posture: &Posture) -> (f64, f64) {
        let distance = (posture.points[self.point] - self.position).norm();
        let orientations = self.orientation.zip(posture.orientations.get(self.point));
        (distance, orientations.map_or(0.0, |(wanted, orientation)| orientation.angle_to(&wanted)))
    }
}

impl SkeletonSetup<'_> {
    pub(super) fn errors(&self, goals: &Goals, posture: &Posture) -> Errors {
        let Self { problem, arm, .. } = self;
        let (mut near, mut far, mut near_is_met) = (0.0, 0.0, true);
        for (index, target) in problem.targets.iter().enumerate() {
            let (distance, angle) = target.apart(posture);
            if let Some((_, least)) = goals.far[index] {
                far += goals.weights[index] * (distance - least).powi(2);
                continue;
            }
            near += goals.weights[index] * (distance * distance + (arm * angle).powi(2));
            near_is_met &= problem.options.allow(distance, angle);
        }
        let (near, far) = (near.sqrt(), far.sqrt());
        Errors { near, far, near_is_met, far_is_met: far <= problem.options.tolerance }
    }
}

impl Errors {
    /// True if all errors are met.
    pub(super) fn are_met(&self) -> bool {
        self.near_is_met && self.far_is_met
    }

    /// The errors to reduce: of targets within reach, and of those out of reach.
    pub(super) fn reducible(&self) -> [f64; 2] {
        [if self.near_is_met { 0.0 } else { self.near }, self.far]
    }

    /// Total error.
    pub(super) fn sum(&self) -> f64 {
        self.near + self.far
    }

    pub(super) fn is_nearer_than(&self, other: &Self) -> bool {
        self.is_nearer_by(0.0, other)
    }

    /// True if this is nearer by more than `margin` \[m\]. Targets within reach come first.
    pub(super) fn is_nearer_by(&self, margin: f64, other: &Self) -> bool {
        match (self.near_is_met, other.near_is_met) {
            (true, true) => self.far + margin < other.far,
            (false, false) => self.near + margin < other.near,
            (is_met, _) => is_met,
        }
    }
}
