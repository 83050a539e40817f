//! How far a configuration is from its targets.

use super::Target;
use super::posture::{Goals, Posture};
use super::setup::Setup;

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
