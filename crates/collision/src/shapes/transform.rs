//! Rigid transforms as rotation matrices, and conversions to parry's types.

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};
use parry3d_f64::math::{Pose, Rotation, Vector as Point};

/// A rigid transform: the axes (columns) and origin of a frame in another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transform {
    pub rotation: Matrix3<f64>,
    pub origin: Vector3<f64>,
}

impl Transform {
    /// The identity: the frame of the root link.
    pub const ROOT: Self =
        Self { rotation: Matrix3::new(1., 0., 0., 0., 1., 0., 0., 0., 1.), origin: Vector3::new(0., 0., 0.) };

    pub fn of(pose: &Isometry3<f64>) -> Self {
        Self { rotation: pose.rotation.to_rotation_matrix().into_inner(), origin: pose.translation.vector }
    }

    /// The transform as a pose of the library parry.
    pub fn pose(&self) -> Pose {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(self.rotation));
        pose(&Isometry3::from_parts(self.origin.into(), rotation))
    }

    /// The composition: `other`, which is relative to `self`, in the parent frame of `self`.
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        Self { rotation: self.rotation * other.rotation, origin: self.point(&other.origin) }
    }

    #[inline(always)]
    pub fn point(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.origin
    }

    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, origin: -(rotation * self.origin) }
    }
}

/// A pose in parry's type.
pub(crate) fn pose(pose: &Isometry3<f64>) -> Pose {
    let rotation = pose.rotation.coords;
    let rotation = Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w);
    Pose::from_parts(point(&pose.translation.vector), rotation)
}

/// A vector in parry's type.
#[inline(always)]
pub(crate) fn point(vector: &Vector3<f64>) -> Point {
    Point::new(vector.x, vector.y, vector.z)
}

/// A vector in nalgebra's type.
#[inline(always)]
pub(crate) fn vector(point: Point) -> Vector3<f64> {
    point.to_array().into()
}
