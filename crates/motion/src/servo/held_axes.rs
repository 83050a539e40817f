//! The axes of rotation that the arm of a tip can hold. Arms of fewer than six joints leave some of them free.

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};

use super::line::between;
use urdf_ik_mathematics::spatial::{rotation_vector, stacked};

/// Which axes of rotation a tip holds, along its own axes.
#[derive(Debug, Clone, Copy)]
pub struct HeldAxes([bool; 3]);

impl HeldAxes {
    /// All but those of the free axes of a target.
    pub fn beside(free_axes: [bool; 6]) -> Self {
        Self([3, 4, 5].map(|axis| !free_axes[axis]))
    }

    pub fn are_all(self) -> bool {
        self.0 == [true; 3]
    }

    /// The rows of a twist that count where rotation does.
    pub fn rows(self) -> impl Iterator<Item = usize> {
        (0..6).filter(move |row| *row < 3 || self.0[row - 3])
    }

    /// What turns the axes along which rotations count into those of the base link.
    pub fn frame(self, tip: &Isometry3<f64>) -> UnitQuaternion<f64> {
        if self.are_all() { UnitQuaternion::identity() } else { tip.rotation }
    }

    /// What leads a tip to a pose: its translation along the axes of the base link, and the rotation along those of its [frame](Self::frame)
    /// \[m, rad\]. Nothing leads about free axes.
    pub fn way(self, tip: &Isometry3<f64>, pose: &Isometry3<f64>) -> Vector6<f64> {
        let way = between(tip, pose);
        if self.are_all() {
            return way;
        }
        let turn = tip.rotation.inverse() * pose.rotation;
        let mut free = (0..3).filter(|axis| !self.0[*axis]);
        let angular = match (free.next(), free.next()) {
            // The least turn that brings the free axis to its direction.
            (Some(axis), None) => {
                let from = Vector3::ith(axis, 1.0);
                UnitQuaternion::rotation_between(&from, &(turn * from))
                    .map_or_else(Vector3::zeros, |turn| turn.scaled_axis())
            }
            _ => rotation_vector(&turn),
        };
        let held = Vector3::from_fn(|axis, _| if self.0[axis] { angular[axis] } else { 0.0 });
        stacked(&way.fixed_rows::<3>(0).into_owned(), &held)
    }
}
