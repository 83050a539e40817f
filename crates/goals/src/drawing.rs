//! The shape of a goal in one configuration, for displays: values in the base link's frame.

use nalgebra::{Isometry3, IsometryMatrix3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::alignment::perpendicular;
use crate::frames::{Configuration, Place};

/// A goal in one configuration. It is met if its region contains its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// All places, directions or orientations that meet the goal.
    pub region: Region,
    /// The part of the robot that must be in the region; for a gaze, the point to see.
    pub subject: Subject,
    /// The field that a handle changes; `None` if joints move the frame of the goal.
    pub grip: Option<Grip>,
}

/// A set of places, directions or orientations in the base link's frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// A box, closed or unbounded on some sides.
    Box {
        /// Pose of the box: its axes, and the origin of its bounds \[m\].
        pose: IsometryMatrix3<f64>,
        /// Lower bounds along the axes, from the origin of `pose` \[m\]; −∞ leaves that side unbounded.
        lower: [f64; 3],
        /// Upper bounds along the axes, from the origin of `pose` \[m\]; +∞ leaves that side unbounded.
        upper: [f64; 3],
    },
    /// The places between two concentric spheres.
    Shell {
        /// Their centre \[m\].
        centre: Point3<f64>,
        /// Inner and outer radius \[m\]. No inner surface for 0 or less, no outer one for +∞.
        radii: [f64; 2],
    },
    /// The places between two coaxial cylinders of infinite length.
    Tube {
        /// Pose (translation \[m\]) whose z axis is the axis of both.
        pose: IsometryMatrix3<f64>,
        /// Inner and outer radius \[m\]. No inner surface for 0 or less, no outer one for +∞.
        radii: [f64; 2],
    },
    /// The directions within an angle of a direction, drawn as a cone.
    Cone {
        /// The apex \[m\].
        apex: Point3<f64>,
        /// The direction of the cone's axis, a unit vector.
        direction: Vector3<f64>,
        /// Angle between that axis and the side of the cone \[rad\], 0 to π.
        angle: f64,
    },
    /// An orientation, with the link's origin \[m\] as its place.
    Axes(IsometryMatrix3<f64>),
}

/// The content of a region, in the base link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A place \[m\].
    Point(Point3<f64>),
    /// A direction from the apex of a cone, a unit vector.
    Direction(Vector3<f64>),
    /// The pose of a link (translation \[m\]).
    Axes(IsometryMatrix3<f64>),
}

/// A field of a goal that people change by a handle.
#[derive(Debug, Clone, PartialEq)]
pub struct Grip {
    /// The name of the field.
    pub field: &'static str,
    /// Pose of the frame of the value, in the base link's frame (translation \[m\]). For a direction, its origin is the
    /// apex of the cone; for an orientation, the origin of the link.
    pub frame: IsometryMatrix3<f64>,
    /// The value in that frame.
    pub value: GripValue,
}

/// A value that a handle changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GripValue {
    /// A place \[m\].
    Place(Vector3<f64>),
    /// A unit vector.
    Direction(Vector3<f64>),
    /// An orientation.
    Orientation(Rotation3<f64>),
}

impl Grip {
    /// The field `p` of a goal; `None` if joints move its frame.
    pub(crate) fn of_place(frame: &Place, at: &dyn Configuration, place: Vector3<f64>) -> Option<Self> {
        Self::new("p", frame, frame.pose(at), GripValue::Place(place))
    }

    /// A field of a goal that is drawn at `origin`, such as an apex or a link; `None` if joints move its frame.
    pub(crate) fn drawn_at(
        origin: Translation3<f64>,
        field: &'static str,
        frame: &Place,
        at: &dyn Configuration,
        value: GripValue,
    ) -> Option<Self> {
        Self::new(field, frame, IsometryMatrix3::from_parts(origin, frame.pose(at).rotation), value)
    }

    fn new(field: &'static str, of: &Place, frame: IsometryMatrix3<f64>, value: GripValue) -> Option<Self> {
        of.joint.is_none().then_some(Self { field, frame, value })
    }

    /// True for an orientation: its handle rotates in place.
    pub fn turns(&self) -> bool {
        matches!(self.value, GripValue::Orientation(_))
    }

    /// The pose of the handle in the base link's frame (translation \[m\]). The handle of a direction is at `distance`
    /// \[m\] from the apex. Only the handle of an orientation is rotated; others have the axes of the base link.
    pub fn pose(&self, distance: f64) -> Isometry3<f64> {
        let place = |vector: Vector3<f64>| Isometry3::from(self.frame * Point3::from(vector));
        match self.value {
            GripValue::Place(vector) => place(vector),
            GripValue::Direction(vector) => place(vector * distance),
            GripValue::Orientation(orientation) => nalgebra::convert(self.frame * orientation),
        }
    }

    /// The numbers of the field if the handle is at `pose` in the base link's frame (translation \[m\]): x, y, z of a
    /// place \[m\] or of a unit vector, or the quaternion x, y, z, w of an orientation, all in [`Grip::frame`]. `None`
    /// for a direction of length 0.
    pub fn numbers_for(&self, pose: &Isometry3<f64>) -> Option<Vec<f64>> {
        let place = self.frame.inverse_transform_point(&pose.translation.vector.into()).coords;
        let vector = match self.value {
            GripValue::Place(_) => place,
            GripValue::Direction(_) => place.try_normalize(0.0)?,
            GripValue::Orientation(_) => {
                let orientation = UnitQuaternion::from_rotation_matrix(&self.frame.rotation).inverse() * pose.rotation;
                return Some(orientation.coords.as_slice().to_vec());
            }
        };
        Some(vector.as_slice().to_vec())
    }
}

/// A pose in a frame with these axes, in the base link's frame.
pub(crate) fn placed(frame: &IsometryMatrix3<f64>, centre: &Vector3<f64>, axes: &Matrix3<f64>) -> IsometryMatrix3<f64> {
    frame * IsometryMatrix3::from_parts(Translation3::from(*centre), Rotation3::from_matrix_unchecked(*axes))
}

/// Axes of which z is along a unit vector.
pub(crate) fn axes_along(direction: &Vector3<f64>) -> Matrix3<f64> {
    let x = perpendicular(direction);
    Matrix3::from_columns(&[x, direction.cross(&x), *direction])
}
