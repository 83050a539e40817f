//! A straight line between two waypoints of a path.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A straight line; the orientation turns evenly along it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Pose at its start.
    pub(super) from: Isometry3<f64>,
    /// Change of position for each metre of path, in the base link's frame.
    pub(super) shift: Vector3<f64>,
    /// Rotation vector for each metre of path \[rad/m\]. It is the same in the frame of `from` and in the moving frame.
    pub(super) turn: Vector3<f64>,
    /// Its length of path \[m\].
    pub(super) length: f64,
    /// Index of the waypoint at its end.
    pub(super) waypoint: usize,
}

impl Line {
    /// The pose after `length` metres of path.
    pub(super) fn at(&self, length: f64) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::from(self.from.translation.vector + self.shift * length),
            self.from.rotation * UnitQuaternion::from_scaled_axis(self.turn * length),
        )
    }
}
