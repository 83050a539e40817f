//! The axes of rotation that a tip holds. Some may be free, and arms of fewer than six joints cannot hold all.

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};

use super::command::Aim;
use urdf_ik_mathematics::spatial::{motion_between, rotation_vector, stacked, swing};

/// The axes of rotation that a tip constrains, along its own axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldAxes([bool; 3]);

impl HeldAxes {
    /// All but the free axes, which count where a twist turns the tip, and under a pose those that have to be free for
    /// the arm.
    pub fn of(aim: &Aim, free_axes: [bool; 6], free_for_arm: [bool; 6]) -> Self {
        let is_turned = matches!(aim, Aim::Twist(..)) && aim.commands()[1];
        Self([3, 4, 5].map(|axis| !(free_axes[axis] && !is_turned || free_for_arm[axis] && aim.is_pose())))
    }

    pub fn are_all(self) -> bool {
        self.0 == [true; 3]
    }

    /// Whether it constrains the rotation about that axis.
    pub fn holds(self, axis: usize) -> bool {
        self.0[axis]
    }

    /// What turns the axes along which rotations count into those of the base link.
    pub fn frame(self, tip: &Isometry3<f64>) -> UnitQuaternion<f64> {
        if self.are_all() { UnitQuaternion::identity() } else { tip.rotation }
    }

    /// A twist with its rotation along the axes of the [frame](Self::frame).
    pub fn in_frame(self, twist: &Vector6<f64>, tip: &Isometry3<f64>) -> Vector6<f64> {
        let [linear, angular] = [0, 3].map(|row| twist.fixed_rows::<3>(row).into_owned());
        stacked(&linear, &(self.frame(tip).inverse() * angular))
    }

    /// What leads a tip to a pose: its translation along the axes of the base link, and the rotation along those of its [frame](Self::frame)
    /// \[m, rad\]. Nothing leads about free axes.
    pub fn way(self, tip: &Isometry3<f64>, pose: &Isometry3<f64>) -> Vector6<f64> {
        let way = motion_between(tip, pose);
        if self.are_all() {
            return way;
        }
        let turn = tip.rotation.inverse() * pose.rotation;
        let mut free = (0..3).filter(|axis| !self.0[*axis]);
        let angular = match (free.next(), free.next()) {
            // The least turn that brings the free axis to its direction.
            (Some(axis), None) => swing(&turn, &Vector3::ith(axis, 1.0)),
            _ => rotation_vector(&turn),
        };
        let held = Vector3::from_fn(|axis, _| if self.0[axis] { angular[axis] } else { 0.0 });
        stacked(&way.fixed_rows::<3>(0).into_owned(), &held)
    }
}
