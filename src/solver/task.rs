//! The equations that a set of targets poses: residuals and their derivatives, in the tips' frames.
//!
//! Rows are in radians: position rows are divided by a length scale, so that one radian of orientation error weighs as
//! much as that length of position error. Axes that are free have zero rows.

use nalgebra::{Isometry3, Point3, Vector3, Vector6};

use super::problem::Target;
use super::solution::Residual;
use crate::robot::{Chain, ChainPoses};
use crate::spatial;

/// How targets are weighed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    /// Metres that weigh as much as one radian.
    pub length_scale: f64,
}

/// What separates a tip from its target.
pub(super) struct Difference {
    /// Rows of the task \[rad\], in the tip's frame.
    pub rows: Vector6<f64>,
    /// The same as distance and angle.
    pub residual: Residual,
}

impl Task {
    /// What separates the tip link at `pose` from `target`.
    pub(super) fn difference(self, target: &Target, pose: &Isometry3<f64>) -> Difference {
        let (linear, angular) = target.difference(pose);
        Difference {
            rows: spatial::stacked(&(linear / self.length_scale), &angular),
            residual: Residual { position: linear.norm(), orientation: angular.norm() },
        }
    }

    /// Squared norm of all rows \[rad²\].
    pub(super) fn squared_error(self, targets: &[Target], poses: &ChainPoses) -> f64 {
        targets.iter().map(|target| self.difference(target, &poses.tips()[target.tip]).rows.norm_squared()).sum()
    }

    /// Writes the derivative of `target`'s rows by each variable, sign turned: a step that solves `columns · step = rows`
    /// removes the difference to first order.
    pub(super) fn columns(self, chain: &Chain, target: &Target, poses: &ChainPoses, columns: &mut [Vector6<f64>]) {
        let pose = &poses.tips()[target.tip];
        // Where a position axis of the turning tip frame is free, the others see the target swing past: the derivative is
        // that of the point of the tip link which stands at the target.
        let point = if target.full_position() { pose.translation.vector } else { target.pose.translation.vector };
        chain.jacobian(poses, target.tip, &Point3::from(point), columns);
        let to_tip = pose.rotation.inverse().to_rotation_matrix();
        for column in columns {
            let linear = to_tip * Vector3::new(column[0], column[1], column[2]) / self.length_scale;
            let angular = to_tip * Vector3::new(column[3], column[4], column[5]);
            let (free_linear, free_angular) = target.free_axes.split_at(3);
            *column = spatial::stacked(&masked(linear, free_linear), &masked(angular, free_angular));
        }
    }
}

impl Target {
    /// How far a tip link at `pose` (base link's frame) is from the target, over the axes that count.
    #[must_use]
    pub fn residual(&self, pose: &Isometry3<f64>) -> Residual {
        let (linear, angular) = self.difference(pose);
        Residual { position: linear.norm(), orientation: angular.norm() }
    }

    /// Linear \[m\] and angular \[rad\] difference in the tip's frame, free axes at zero.
    fn difference(&self, pose: &Isometry3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let relative = pose.inv_mul(&self.pose);
        let angular = match &self.free_axes[3..] {
            [false, false, false] => spatial::rotation_vector(&relative.rotation),
            [true, false, false] => spatial::swing(&relative.rotation, &Vector3::x()),
            [false, true, false] => spatial::swing(&relative.rotation, &Vector3::y()),
            [false, false, true] => spatial::swing(&relative.rotation, &Vector3::z()),
            [true, true, true] => Vector3::zeros(),
            free => masked(spatial::rotation_vector(&relative.rotation), free),
        };
        (masked(relative.translation.vector, &self.free_axes[..3]), angular)
    }
}

impl Residual {
    /// Whether the residual is within `fraction` of the target's tolerance.
    pub(super) fn within(&self, target: &Target, fraction: f64) -> bool {
        self.position <= fraction * target.tolerance.position
            && self.orientation <= fraction * target.tolerance.orientation
    }
}

fn masked(mut vector: Vector3<f64>, free: &[bool]) -> Vector3<f64> {
    for (entry, free) in vector.iter_mut().zip(free) {
        if *free {
            *entry = 0.0;
        }
    }
    vector
}
