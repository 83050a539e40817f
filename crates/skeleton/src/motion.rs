//! Small motions of a skeleton: how points and segments move as joints turn, and the transpose of that.
//!
//! With the angular velocity ω_k of each segment relative to the one before, in the frame of all points,
//!
//! ```text
//! w_k = w_parent + ω_k        v_k = v_parent + w_k × (p_k - p_parent)
//! ```
//!
//! are the angular velocity of segment k and the velocity of its end, from the root on. The transpose takes forces and
//! moments at the points to the torques about the joints, from the ends to the root. Forces that stay as they are have
//! other torques after a motion, which is what bends the squares of the errors. Each takes O(n), and no matrix is
//! written down. The layout of the vectors is that of [`least_squares`](super::least_squares).

use std::ops::AddAssign;

use nalgebra::{DVector, Point3, Vector3};

/// What moves: where the points are, of each segment the point at which it begins, and the segments that lead to a
/// target, from the root on. The others follow.
#[derive(Clone, Copy)]
pub(super) struct Figure<'a> {
    pub points: &'a [Point3<f64>],
    pub parents: &'a [usize],
    pub leading: &'a [usize],
}

impl Figure<'_> {
    /// The points at which each leading segment begins and ends.
    fn segments(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        self.leading.iter().map(|&segment| (self.parents[segment], segment + 1))
    }

    /// Writes the velocities and angular velocities of the points by a `motion`.
    pub(super) fn write_velocities(&self, motion: &DVector<f64>, image: &mut DVector<f64>) {
        image.fixed_rows_mut::<3>(0).copy_from(&three(motion, 3 * self.points.len()));
        image.fixed_rows_mut::<3>(3).copy_from(&three(motion, 0));
        for (parent, point) in self.segments() {
            let angular = three(image, 6 * parent + 3) + three(motion, 3 * point);
            let linear = three(image, 6 * parent) + angular.cross(&(self.points[point] - self.points[parent]));
            image.fixed_rows_mut::<3>(6 * point).copy_from(&linear);
            image.fixed_rows_mut::<3>(6 * point + 3).copy_from(&angular);
        }
    }

    /// Adds to `torques` those about the joints, and the force on the root, by the forces and moments `loads` at the
    /// points. To the loads of each point it adds those beyond.
    pub(super) fn add_torques(&self, loads: &mut DVector<f64>, torques: &mut DVector<f64>) {
        for (parent, point) in self.segments().rev() {
            let force = three(loads, 6 * point);
            let torque = three(loads, 6 * point + 3) + (self.points[point] - self.points[parent]).cross(&force);
            torques.fixed_rows_mut::<3>(3 * point).add_assign(torque);
            loads.fixed_rows_mut::<3>(6 * parent).add_assign(force);
            loads.fixed_rows_mut::<3>(6 * parent + 3).add_assign(torque);
        }
        torques.fixed_rows_mut::<3>(0).add_assign(three(loads, 3));
        torques.fixed_rows_mut::<3>(3 * self.points.len()).add_assign(three(loads, 0));
    }

    /// Subtracts from `response` how the torques of forces that stay change by a `motion`, which has these `velocities`.
    /// `loads` and `torques` are those of [`Self::add_torques`].
    ///
    /// That is how the squares of the errors bend beside what the Jacobian tells. With the force F_k and the torque τ_k
    /// of segment k, it is the change of the moment of all forces beyond, Σ (v_k - v_parent) × F_k, less that by the
    /// turn of the joint's own frame, (w_parent + ω_k / 2) × τ_k. Half of ω_k makes it symmetric.
    pub(super) fn subtract_bending(
        &self,
        [motion, velocities]: [&DVector<f64>; 2],
        [loads, torques]: [&DVector<f64>; 2],
        beyond: &mut [Vector3<f64>],
        response: &mut DVector<f64>,
    ) {
        let bend = |point: usize, turn: Vector3<f64>, moment: Vector3<f64>| {
            moment - (turn + three(motion, 3 * point) * 0.5).cross(&three(torques, 3 * point))
        };
        beyond.fill(Vector3::zeros());
        for (parent, point) in self.segments().rev() {
            let along = three(velocities, 6 * point) - three(velocities, 6 * parent);
            let moment = beyond[point] + along.cross(&three(loads, 6 * point));
            beyond[parent] += moment;
            let bending = bend(point, three(velocities, 6 * parent + 3), moment);
            response.fixed_rows_mut::<3>(3 * point).add_assign(-bending);
        }
        response.fixed_rows_mut::<3>(0).add_assign(-bend(0, Vector3::zeros(), beyond[0]));
    }
}

/// Three of the numbers of a vector, from `index` on.
pub(super) fn three(vector: &DVector<f64>, index: usize) -> Vector3<f64> {
    vector.fixed_rows::<3>(index).into_owned()
}
