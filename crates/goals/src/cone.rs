//! An axis within a cone.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use crate::alignment::{Alignment, check_angle};
use crate::drawing::{Drawing, Grip, GripValue, Region, Subject};
use crate::frames::{Between, Configuration, GoalContext, Places, Relative};
use crate::goal::{Kind, Requirement, Unit, unit_vector};
use crate::rows::Rows;
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;

/// The angle between an axis of a link and a direction of a frame does not exceed a bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Cone {
    /// The link and the frame; the point has no effect.
    pub between: Between,
    /// The axis in the link's frame, a unit vector.
    pub axis: Vector3<f64>,
    /// The direction in the frame, a unit vector.
    pub direction: Vector3<f64>,
    /// Maximum angle between them \[rad\], 0 to π.
    pub angle: f64,
}

impl Cone {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let between = Between::read(fields, context)?;
        let axis = unit_vector("axis", fields.numbers("axis")?)?;
        let direction = unit_vector("direction", fields.numbers("direction")?)?;
        Ok(Arc::new(Self { between, axis, direction, angle: fields.number("angle")? }))
    }
}

impl Kind for Cone {
    fn requirement(&self) -> Requirement {
        Requirement { unit: Unit::Radian, rows: Alignment::rows(self.angle), subject: "the axis is outside the cone" }
    }

    fn places(&self) -> Option<Places> {
        Some(self.between.places())
    }

    fn measure(&self, relative: &Relative, rows: &mut Rows) {
        let axis = relative.rotation * self.axis;
        let alignment = Alignment { axis, direction: self.direction, angle: self.angle };
        alignment.push(rows, |_| Vector3::zeros());
    }

    fn check(&self) -> Result<(), Malformed> {
        check_angle(self.angle)
    }

    fn drawing(&self, at: &dyn Configuration) -> Option<Drawing> {
        let (frame, relative) = (self.between.frame.pose(at), self.between.places().relative(at));
        let apex = frame * Point3::from(relative.point);
        let direction = frame.rotation * self.direction;
        Some(Drawing {
            region: Region::Cone { apex, direction, angle: self.angle },
            subject: Subject::Direction(frame.rotation * (relative.rotation * self.axis)),
            grip: Grip::drawn_at(
                apex.into(),
                "direction",
                &self.between.frame,
                at,
                GripValue::Direction(self.direction),
            ),
        })
    }
}
