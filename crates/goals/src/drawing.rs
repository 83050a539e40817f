//! The shape of a goal in one configuration, for displays: values in the base link's frame.

use nalgebra::{IsometryMatrix3, Matrix3, Point3, Rotation3, Translation3, Vector3};

use crate::alignment::perpendicular;
use crate::frames::{Configuration, Place};

/// A goal in one configuration: it is met where its region contains its subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// All places, directions or orientations that meet the goal.
    pub region: Region,
    /// The part of the robot that the region bounds, or the place that it is to see.
    pub subject: Subject,
    /// The field that a handle changes; `None` if the frame of the goal moves.
    pub grip: Option<Grip>,
}

/// A set of places, directions or orientations in the base link's frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// A box.
    Box {
        /// Its axes and the origin of its bounds \[m\].
        pose: IsometryMatrix3<f64>,
        /// Bounds along the axes \[m\]; infinite for none.
        lower: [f64; 3],
        /// Upper bounds \[m\].
        upper: [f64; 3],
    },
    /// The places between two spheres.
    Shell {
        /// Their centre \[m\].
        centre: Point3<f64>,
        /// Their radii \[m\]; 0 or less, or infinite, for none.
        radii: [f64; 2],
    },
    /// The places between two cylinders without ends.
    Tube {
        /// The z axis is the axis of both \[m\].
        pose: IsometryMatrix3<f64>,
        /// Their radii \[m\]; 0 or less, or infinite, for none.
        radii: [f64; 2],
    },
    /// The directions within an angle of another one.
    Cone {
        /// The apex \[m\].
        apex: Point3<f64>,
        /// The direction, a unit vector.
        direction: Vector3<f64>,
        /// The angle \[rad\], 0 to π.
        angle: f64,
    },
    /// An orientation, at the place of the link \[m\].
    Axes(IsometryMatrix3<f64>),
}

/// The content of a region, in the base link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// A place \[m\].
    Point(Point3<f64>),
    /// A direction from the apex of a cone, a unit vector.
    Direction(Vector3<f64>),
    /// The frame of a link \[m\].
    Axes(IsometryMatrix3<f64>),
}

/// A vector among the fields of a goal that people move by a handle.
#[derive(Debug, Clone, PartialEq)]
pub struct Grip {
    /// The name of the field.
    pub field: &'static str,
    /// The frame of the vector, in the base link's frame \[m\]. That of a direction is moved to the apex of its cone.
    pub frame: IsometryMatrix3<f64>,
    /// The vector: a place \[m\], or a unit vector.
    pub vector: Vector3<f64>,
    /// True for a direction.
    pub is_direction: bool,
}

impl Grip {
    /// The field `p` of a goal; `None` if joints move its frame.
    pub(crate) fn of_place(frame: &Place, at: &dyn Configuration, vector: Vector3<f64>) -> Option<Self> {
        let is_fixed = frame.joint.is_none();
        is_fixed.then(|| Self { field: "p", frame: frame.pose(at), vector, is_direction: false })
    }

    /// The field `direction` of a goal that is drawn from an apex; `None` if joints move its frame.
    pub(crate) fn of_direction(
        frame: &Place,
        at: &dyn Configuration,
        vector: Vector3<f64>,
        apex: Point3<f64>,
    ) -> Option<Self> {
        let at_apex = IsometryMatrix3::from_parts(apex.into(), frame.pose(at).rotation);
        frame.joint.is_none().then_some(Self { field: "direction", frame: at_apex, vector, is_direction: true })
    }

    /// The place of the handle in the base link's frame \[m\]; of a direction at a distance \[m\] from the apex.
    pub fn place(&self, distance: f64) -> Point3<f64> {
        let length = if self.is_direction { distance } else { 1.0 };
        self.frame * Point3::from(self.vector * length)
    }

    /// The vector for another place of the handle in the base link's frame; `None` for a direction without length.
    pub fn vector_for(&self, place: &Point3<f64>) -> Option<Vector3<f64>> {
        let vector = self.frame.inverse_transform_point(place).coords;
        if self.is_direction { vector.try_normalize(0.0) } else { Some(vector) }
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
