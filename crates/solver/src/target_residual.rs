//! The residual of a tip from its target, over the axes that are not free.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::{Residual, Target};
use urdf_ik_mathematics::spatial;

impl Target {
    /// The distance \[m\] and the angle \[rad\] between a tip at `pose` and the target, over the constrained axes.
    /// `pose` is in the base link's frame \[m\].
    pub fn residual(&self, pose: &Isometry3<f64>) -> Residual {
        let (linear, angular) = self.difference(pose);
        Residual { position: linear.norm(), orientation: angular.norm() }
    }

    /// Linear difference \[m\] and rotation vector \[rad\] from a tip at `pose` to the target, in the tip's frame. Free
    /// axes are zero. `pose` is in the base link's frame \[m\].
    #[doc(hidden)]
    pub fn difference(&self, pose: &Isometry3<f64>) -> (Vector3<f64>, Vector3<f64>) {
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

    /// The target displaced by `steps` times its difference from `start` (base link's frame), along a straight line
    /// and about a constant axis. -1 gives `start` over the axes that are not free, and -0.5 the pose halfway.
    pub(crate) fn extrapolated(&self, start: &Isometry3<f64>, steps: f64) -> Self {
        let (linear, angular) = self.difference(start);
        let shift = Translation3::from(start.rotation * linear * steps);
        let turn = UnitQuaternion::from_scaled_axis(start.rotation * angular * steps);
        let translation = shift * self.pose.translation;
        Self { pose: Isometry3::from_parts(translation, turn * self.pose.rotation), ..*self }
    }
}

impl Residual {
    /// True if the position error \[m\] and the orientation error \[rad\] are within the tolerance of `target`.
    pub fn within(&self, target: &Target) -> bool {
        self.position <= target.tolerance.position && self.orientation <= target.tolerance.orientation
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
