//! The distance of a point from another point or from a line.

use std::sync::Arc;

use nalgebra::{Matrix3, Point3, Vector3};

use crate::alignment::perpendicular;
use crate::drawing::{Drawing, Grip, Region, Subject, axes_along, placed};
use crate::frames::{Between, Configuration, GoalContext, Places, Relative};
use crate::goal::{Kind, Requirement, Unit, check_intervals, check_vectors, unit_vector};
use crate::rows::{Row, Rows};
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;

/// Distance below which its direction is rounding \[m\].
const MIN_DISTANCE: f64 = 1e-12;

/// The distance of a point of a link from a point of a frame, or from a line through that point, lies within bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Distance {
    /// The point of the link, and the frame of the other point.
    pub between: Between,
    /// The other point in the frame \[m\].
    pub centre: Vector3<f64>,
    /// Direction of the line in the frame, a unit vector; `None` for the distance from the point.
    pub line: Option<Vector3<f64>>,
    /// Lower and upper bound of the distance \[m\]. The upper one is at least 0; +∞ leaves that side unbounded.
    pub bounds: [f64; 2],
}

impl Distance {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let between = Between::read(fields, context)?;
        let line = match fields.optional("direction") {
            Some(_) => Some(unit_vector("direction", fields.numbers("direction")?)?),
            None => None,
        };
        let bounds = [fields.number_or("lower", 0.0)?, fields.number_or("upper", f64::INFINITY)?];
        Ok(Arc::new(Self { between, centre: fields.numbers_or("p", [0.0; 3])?.into(), line, bounds }))
    }
}

impl Kind for Distance {
    fn requirement(&self) -> Requirement {
        // At a distance of 0 the direction is undefined, but all three components are 0.
        let rows = if self.bounds[1] == 0.0 { 3 } else { 1 };
        Requirement { unit: Unit::Metre, rows, subject: "the distance is outside its bounds" }
    }

    fn places(&self) -> Option<Places> {
        Some(self.between.places())
    }

    fn measure(&self, relative: &Relative, rows: &mut Rows) {
        let across = self.line.map_or(Matrix3::identity(), |line| Matrix3::identity() - line * line.transpose());
        let offset = across * (relative.point - self.centre);
        if self.bounds[1] == 0.0 {
            for axis in 0..3 {
                let row = Row { value: offset[axis], interval: [0.0; 2] };
                rows.push(row, [across.column(axis).into_owned(), Vector3::zeros()]);
            }
            return;
        }
        let distance = offset.norm();
        let force = match self.line {
            _ if distance > MIN_DISTANCE => offset / distance,
            Some(line) => perpendicular(&line),
            None => Vector3::x(),
        };
        rows.push(Row { value: distance, interval: self.bounds }, [force, Vector3::zeros()]);
    }

    fn check(&self) -> Result<(), Malformed> {
        check_vectors(&[("p", &self.centre), ("point", &self.between.point)])?;
        let [lower, upper] = self.bounds;
        if upper < 0.0 {
            return Err(format!("no distance is below its 'upper' of {upper}").into());
        }
        check_intervals(&[lower], &[upper])
    }

    fn drawing(&self, at: &dyn Configuration) -> Option<Drawing> {
        let (frame, relative) = (self.between.frame.pose(at), self.between.places().relative(at));
        let region = match &self.line {
            None => Region::Shell { centre: frame * Point3::from(self.centre), radii: self.bounds },
            Some(line) => Region::Tube { pose: placed(&frame, &self.centre, &axes_along(line)), radii: self.bounds },
        };
        let subject = Subject::Point(frame * Point3::from(relative.point));
        Some(Drawing { region, subject, grip: Grip::of_place(&self.between.frame, at, self.centre) })
    }
}
