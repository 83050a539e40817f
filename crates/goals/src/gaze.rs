//! A point in the line of sight of an axis.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use crate::alignment::{Alignment, check_angle};
use crate::drawing::{Drawing, Grip, Region, Subject};
use crate::frames::{Between, Configuration, GoalContext, Places, Relative};
use crate::goal::{Kind, Requirement, Unit, check_vectors, unit_vector};
use crate::rows::Rows;
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;

/// Distance below which the line of sight has no direction \[m\].
const MIN_DISTANCE: f64 = 1e-9;

/// The line of sight from a point of a link to a point of a frame deviates from an axis of the link by no more than an
/// angle.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaze {
    /// The link, its point of view, and the frame of the seen point.
    pub between: Between,
    /// The axis of sight in the link's frame, a unit vector.
    pub axis: Vector3<f64>,
    /// The point to see, in the frame \[m\].
    pub seen: Vector3<f64>,
    /// Maximum angle between axis and line of sight \[rad\], 0 to π.
    pub angle: f64,
}

impl Gaze {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let between = Between::read(fields, context)?;
        let axis = unit_vector("axis", fields.numbers("axis")?)?;
        let seen = fields.numbers_or("p", [0.0; 3])?.into();
        Ok(Arc::new(Self { between, axis, seen, angle: fields.number("angle")? }))
    }
}

impl Kind for Gaze {
    fn requirement(&self) -> Requirement {
        Requirement {
            unit: Unit::Radian,
            rows: Alignment::rows(self.angle),
            subject: "the line of sight deviates from the axis",
        }
    }

    fn places(&self) -> Option<Places> {
        Some(self.between.places())
    }

    fn measure(&self, relative: &Relative, rows: &mut Rows) {
        let axis = relative.rotation * self.axis;
        let sight = self.seen - relative.point;
        let distance = sight.norm();
        // From the point itself nothing can be seen.
        let direction = if distance > MIN_DISTANCE { sight / distance } else { -axis };
        let alignment = Alignment { axis, direction, angle: self.angle };
        // The line of sight turns by v × sight / distance² where the point of view moves with v.
        let squared = distance.max(MIN_DISTANCE).powi(2);
        alignment.push(rows, |normal| normal.cross(&sight) / squared);
    }

    fn check(&self) -> Result<(), Malformed> {
        check_vectors(&[("p", &self.seen), ("point", &self.between.point)])?;
        check_angle(self.angle)
    }

    fn drawing(&self, at: &dyn Configuration) -> Option<Drawing> {
        let (frame, relative) = (self.between.frame.pose(at), self.between.places().relative(at));
        let apex = frame * Point3::from(relative.point);
        let direction = frame.rotation * (relative.rotation * self.axis);
        Some(Drawing {
            region: Region::Cone { apex, direction, angle: self.angle },
            subject: Subject::Point(frame * Point3::from(self.seen)),
            grip: Grip::of_place(&self.between.frame, at, self.seen),
        })
    }
}
