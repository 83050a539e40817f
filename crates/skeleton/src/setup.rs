//! One problem, what follows from it before anything moves, and how far a configuration is from its targets.

use nalgebra::{Isometry3, Translation3};

use super::posture::{Goals, Posture};
use super::{Problem, Root, Skeleton, Target};
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

/// The errors of a configuration, as roots of weighted sums of squares \[m\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Over the targets that may be met. An angle counts as the distance of a point that is `arm` from the axis.
    near: f64,
    /// Over those out of reach: the distance beyond the unavoidable one.
    far: f64,
    /// Whether all targets that may be met are.
    pub near_is_met: bool,
    /// Whether those out of reach are as near as they can be.
    far_is_met: bool,
}

impl Target {
    /// The distance \[m\] and the angle \[rad\] between the target and its point in `posture`; no angle where it has no
    /// orientation.
    pub(super) fn apart(&self, posture: &Posture) -> (f64, f64) {
        let distance = (posture.points[self.point] - self.position).norm();
        let orientations = self.orientation.zip(posture.orientations.get(self.point));
        (distance, orientations.map_or(0.0, |(wanted, orientation)| orientation.angle_to(&wanted)))
    }
}

impl Setup<'_> {
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
    /// Whether nothing is left to do.
    pub(super) fn are_met(&self) -> bool {
        self.near_is_met && self.far_is_met
    }

    /// What has to fall: over the targets that may be met, and over those out of reach.
    pub(super) fn reducible(&self) -> [f64; 2] {
        [if self.near_is_met { 0.0 } else { self.near }, self.far]
    }

    /// The errors of all targets together.
    pub(super) fn sum(&self) -> f64 {
        self.near + self.far
    }

    pub(super) fn is_nearer_than(&self, other: &Self) -> bool {
        self.is_nearer_by(0.0, other)
    }

    /// Whether it is nearer by more than `margin` \[m\]. Targets that may be met come before those out of reach.
    pub(super) fn is_nearer_by(&self, margin: f64, other: &Self) -> bool {
        match (self.near_is_met, other.near_is_met) {
            (true, true) => self.far + margin < other.far,
            (false, false) => self.near + margin < other.near,
            (is_met, _) => is_met,
        }
    }
}
