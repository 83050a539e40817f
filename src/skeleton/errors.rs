//! How far a configuration is from its targets.

use super::problem::Problem;
use super::state::{Aims, State};

/// The errors of a configuration, as roots of weighted sums of squares \[m\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Errors {
    /// Over the targets that may be met. An angle counts as the distance of a point that far from the axis as [`Errors::of`] is told.
    near: f64,
    /// Over those out of reach: the distance beyond the unavoidable one.
    far: f64,
    /// Whether all targets that may be met are, and whether those out of reach are as near as they can be.
    near_is_met: bool,
    far_is_met: bool,
}

impl Errors {
    pub(super) fn of(problem: &Problem, aims: &Aims, arm: f64, state: &State) -> Self {
        let (mut near, mut far, mut near_is_met) = (0.0, 0.0, true);
        for (index, target) in problem.targets.iter().enumerate() {
            let distance = (state.points[target.point] - target.position).norm();
            if let Some(least) = aims.far(index) {
                far += target.weight * (distance - least).powi(2);
                continue;
            }
            let orientation = target.orientation.zip(state.orientations.get(target.point));
            let angle = orientation.map_or(0.0, |(wish, orientation)| orientation.angle_to(&wish));
            near += target.weight * (distance * distance + (arm * angle).powi(2));
            near_is_met &= distance <= problem.options.tolerance && angle <= problem.options.orientation_tolerance;
        }
        let (near, far) = (near.sqrt(), far.sqrt());
        Self { near, far, near_is_met, far_is_met: far <= problem.options.tolerance }
    }

    /// Whether nothing is left to do.
    pub(super) fn are_met(&self) -> bool {
        self.near_is_met && self.far_is_met
    }

    /// Whether all targets are met that may be.
    pub(super) fn near_is_met(&self) -> bool {
        self.near_is_met
    }

    /// What has to fall: over the targets that may be met, and over those out of reach.
    pub(super) fn reducible(&self) -> [f64; 2] {
        [if self.near_is_met { 0.0 } else { self.near }, self.far]
    }

    /// Targets that may be met come before those out of reach.
    pub(super) fn is_nearer_than(&self, other: &Self) -> bool {
        if self.near_is_met && other.near_is_met {
            return self.far < other.far;
        }
        self.near < other.near
    }
}
