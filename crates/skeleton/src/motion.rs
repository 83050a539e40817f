//! Small motions of a skeleton: how points and segments move as joints turn, and the transpose of that.
//!
//! With the angular velocity ω_k of each segment relative to the one before, in the frame of all points,
//!
//! ```text
//! w_k = w_parent + ω_k        v_k = v_parent + w_k × (p_k - p_parent)
//! ```
//!
//! are the angular velocity of segment k and the velocity of its end, from the root on. The transpose takes forces and
//! moments at the points to the torques about the joints, from the ends to the root. Each takes O(n), and no matrix is
//! written down. The layout of the vectors is that of [`least_squares`](super::least_squares).

use std::ops::AddAssign;

use nalgebra::{DVector, Point3, Vector3};

use super::tree::Skeleton;

/// Writes the velocities and angular velocities of all points by a `motion`.
pub(super) fn write_velocities(
    skeleton: &Skeleton,
    points: &[Point3<f64>],
    motion: &DVector<f64>,
    image: &mut DVector<f64>,
) {
    image.fixed_rows_mut::<3>(0).copy_from(&three(motion, 3 * points.len()));
    image.fixed_rows_mut::<3>(3).copy_from(&three(motion, 0));
    for (segment, &parent) in skeleton.parents.iter().enumerate() {
        let point = segment + 1;
        let angular = three(image, 6 * parent + 3) + three(motion, 3 * point);
        let linear = three(image, 6 * parent) + angular.cross(&(points[point] - points[parent]));
        image.fixed_rows_mut::<3>(6 * point).copy_from(&linear);
        image.fixed_rows_mut::<3>(6 * point + 3).copy_from(&angular);
    }
}

/// Writes the torques about the joints, and the force on the root, by the forces and moments `loads` at all points. The
/// loads are used up.
pub(super) fn write_torques(
    skeleton: &Skeleton,
    points: &[Point3<f64>],
    loads: &mut DVector<f64>,
    image: &mut DVector<f64>,
) {
    for (segment, &parent) in skeleton.parents.iter().enumerate().rev() {
        let point = segment + 1;
        let force = three(loads, 6 * point);
        let torque = three(loads, 6 * point + 3) + (points[point] - points[parent]).cross(&force);
        image.fixed_rows_mut::<3>(3 * point).copy_from(&torque);
        loads.fixed_rows_mut::<3>(6 * parent).add_assign(force);
        loads.fixed_rows_mut::<3>(6 * parent + 3).add_assign(torque);
    }
    image.fixed_rows_mut::<3>(0).copy_from(&three(loads, 3));
    image.fixed_rows_mut::<3>(3 * points.len()).copy_from(&three(loads, 0));
}

/// Three of the numbers of a vector, from `index` on.
pub(super) fn three(vector: &DVector<f64>, index: usize) -> Vector3<f64> {
    vector.fixed_rows::<3>(index).into_owned()
}
