//! Differential kinematics of a skeleton, and its transpose, in O(n) and without matrices.
//!
//! With the angular velocity ω_k of each segment relative to its parent, in the common frame,
//!
//! ```text
//! w_k = w_parent + ω_k        v_k = v_parent + w_k × (p_k - p_parent)
//! ```
//!
//! are the angular velocity of segment k and the velocity of its end, from the root on. The transpose maps forces and
//! moments at the points to torques at the joints, from the ends to the root. Constant forces have other torques after
//! a motion, which is the curvature of the squared errors. The layout of the vectors is that of
//! [`least_squares`](super::least_squares).

use std::ops::AddAssign;

use nalgebra::{DVector, Point3, Vector3};

/// The kinematics of the leading segments, those with a target at or beyond their end, from the root on: all points,
/// parents of all segments, and indices of the leading ones.
#[derive(Clone, Copy)]
pub(super) struct LeadingTree<'a> {
    pub points: &'a [Point3<f64>],
    pub parents: &'a [usize],
    pub leading: &'a [usize],
}

impl LeadingTree<'_> {
    /// The start and end point of each leading segment.
    fn segments(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        self.leading.iter().map(|&segment| (self.parents[segment], segment + 1))
    }

    /// Writes the velocities and angular velocities of the points for a `motion`.
    pub(super) fn write_velocities(&self, motion: &DVector<f64>, image: &mut DVector<f64>) {
        image.fixed_rows_mut::<3>(0).copy_from(&vector_at(motion, 3 * self.points.len()));
        image.fixed_rows_mut::<3>(3).copy_from(&vector_at(motion, 0));
        for (parent, point) in self.segments() {
            let angular = vector_at(image, 6 * parent + 3) + vector_at(motion, 3 * point);
            let linear = vector_at(image, 6 * parent) + angular.cross(&(self.points[point] - self.points[parent]));
            image.fixed_rows_mut::<3>(6 * point).copy_from(&linear);
            image.fixed_rows_mut::<3>(6 * point + 3).copy_from(&angular);
        }
    }

    /// Adds the joint torques and the force on the root caused by forces and moments `loads` at the points to
    /// `torques`. Accumulates in `loads` everything beyond each point.
    pub(super) fn add_torques(&self, loads: &mut DVector<f64>, torques: &mut DVector<f64>) {
        for (parent, point) in self.segments().rev() {
            let force = vector_at(loads, 6 * point);
            let torque = vector_at(loads, 6 * point + 3) + (self.points[point] - self.points[parent]).cross(&force);
            torques.fixed_rows_mut::<3>(3 * point).add_assign(torque);
            loads.fixed_rows_mut::<3>(6 * parent).add_assign(force);
            loads.fixed_rows_mut::<3>(6 * parent + 3).add_assign(torque);
        }
        torques.fixed_rows_mut::<3>(0).add_assign(vector_at(loads, 3));
        torques.fixed_rows_mut::<3>(3 * self.points.len()).add_assign(vector_at(loads, 0));
    }

    /// Subtracts from `response` the change of the torques of constant forces under a `motion` with these `velocities`.
    /// `loads` and `torques` are those of [`Self::add_torques`].
    ///
    /// This is the curvature of the squared errors beyond Gauss-Newton. With force F_k and torque τ_k of segment k, it
    /// is the change of the moment of all forces beyond, Σ (v_k - v_parent) × F_k, minus the rotation of the joint's
    /// own frame, (w_parent + ω_k / 2) × τ_k. Half of ω_k makes it symmetric.
    pub(super) fn subtract_bending(
        &self,
        [motion, velocities]: [&DVector<f64>; 2],
        [loads, torques]: [&DVector<f64>; 2],
        beyond: &mut [Vector3<f64>],
        response: &mut DVector<f64>,
    ) {
        let bend = |point: usize, turn: Vector3<f64>, moment: Vector3<f64>| {
            moment - (turn + vector_at(motion, 3 * point) * 0.5).cross(&vector_at(torques, 3 * point))
        };
        beyond.fill(Vector3::zeros());
        for (parent, point) in self.segments().rev() {
            let along = vector_at(velocities, 6 * point) - vector_at(velocities, 6 * parent);
            let moment = beyond[point] + along.cross(&vector_at(loads, 6 * point));
            beyond[parent] += moment;
            let bending = bend(point, vector_at(velocities, 6 * parent + 3), moment);
            response.fixed_rows_mut::<3>(3 * point).add_assign(-bending);
        }
        response.fixed_rows_mut::<3>(0).add_assign(-bend(0, Vector3::zeros(), beyond[0]));
    }
}

/// Three entries of a vector, from `index` on.
pub(super) fn vector_at(vector: &DVector<f64>, index: usize) -> Vector3<f64> {
    vector.fixed_rows::<3>(index).into_owned()
}
