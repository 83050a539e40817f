//! A point inside a box.

use std::sync::Arc;

use nalgebra::{Matrix3, Point3, Vector3};

use crate::drawing::{Drawing, Grip, Region, Subject, placed};
use crate::frames::{Aim, Between, Configuration, GoalContext, Middle, Places, Relative, middle};
use crate::goal::{Kind, Requirement, Unit, check_intervals, check_vectors};
use crate::rows::Rows;
use urdf_ik_mathematics::spatial::rotation_from;
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;

/// A point of a link lies inside a box that is fixed to a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The point of the link, and the frame of the box.
    pub between: Between,
    /// Origin of the bounds, in the frame \[m\].
    pub centre: Vector3<f64>,
    /// Axes of the box in the frame: the columns of a rotation matrix.
    pub axes: Matrix3<f64>,
    /// Lower bounds along these axes, from `centre` \[m\]; −∞ leaves that side unbounded.
    pub lower: [f64; 3],
    /// Upper bounds along these axes, from `centre` \[m\]; +∞ leaves that side unbounded.
    pub upper: [f64; 3],
}

impl Position {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let between = Between::read(fields, context)?;
        let axes = rotation_from(fields.numbers_or("q_xyzw", [0.0, 0.0, 0.0, 1.0])?)?;
        Ok(Arc::new(Self {
            between,
            centre: fields.numbers_or("p", [0.0; 3])?.into(),
            axes: axes.to_rotation_matrix().into_inner(),
            lower: fields.bounds("lower", f64::NEG_INFINITY)?,
            upper: fields.bounds("upper", f64::INFINITY)?,
        }))
    }
}

impl Kind for Position {
    fn requirement(&self) -> Requirement {
        Requirement { unit: Unit::Metre, rows: 3, subject: "the point is outside the box" }
    }

    fn places(&self) -> Option<Places> {
        Some(self.between.places())
    }

    fn aim(&self) -> Option<Aim> {
        let middle = self.centre + self.axes * middle(&self.lower, &self.upper)?;
        Some(self.between.aim(|frame| Middle::Position((frame.offset * Point3::from(middle)).coords)))
    }

    fn measure(&self, relative: &Relative, rows: &mut Rows) {
        rows.push_box(&(relative.point - self.centre), &self.axes, [&self.lower, &self.upper]);
    }

    fn check(&self) -> Result<(), Malformed> {
        check_vectors(&[("p", &self.centre), ("point", &self.between.point)])?;
        check_intervals(&self.lower, &self.upper)
    }

    fn drawing(&self, at: &dyn Configuration) -> Option<Drawing> {
        let (frame, relative) = (self.between.frame.pose(at), self.between.places().relative(at));
        let pose = placed(&frame, &self.centre, &self.axes);
        Some(Drawing {
            region: Region::Box { pose, lower: self.lower, upper: self.upper },
            subject: Subject::Point(frame * Point3::from(relative.point)),
            grip: Grip::of_place(&self.between.frame, at, self.centre),
        })
    }
}
