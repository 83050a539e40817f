//! The centre of mass inside a box.

use std::sync::Arc;

use nalgebra::{Matrix3, Point3, Vector3};

use crate::drawing::{Drawing, Grip, Region, Subject, placed};
use crate::frames::{Configuration, GoalContext, Place, Places, Relative, named_frame};
use crate::goal::{Kind, Requirement, Unit, check_intervals, check_vectors};
use crate::rows::{MAX_ROWS, Rows};
use urdf_ik_mathematics::spatial::rotation_from;
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;

/// The centre of mass of the robot lies inside a box that is fixed to a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct CenterOfMass {
    /// The bodies: for each one its share of the whole mass \[-\], and the place of its centre of mass.
    pub bodies: Vec<(f64, Place)>,
    /// The frame of the box.
    pub frame: Place,
    /// Origin of the bounds, in the frame \[m\].
    pub centre: Vector3<f64>,
    /// Axes of the box in the frame: the columns of a rotation matrix.
    pub axes: Matrix3<f64>,
    /// Lower bounds along these axes, from `centre` \[m\]; −∞ leaves that side unbounded.
    pub lower: [f64; 3],
    /// Upper bounds along these axes, from `centre` \[m\]; +∞ leaves that side unbounded.
    pub upper: [f64; 3],
}

impl CenterOfMass {
    pub(crate) fn read(fields: &mut Fields, context: &GoalContext) -> Result<Arc<dyn Kind>, Malformed> {
        let axes = rotation_from(fields.numbers_or("q_xyzw", [0.0, 0.0, 0.0, 1.0])?)?;
        Ok(Arc::new(Self {
            bodies: bodies(context)?,
            frame: named_frame(fields, context)?,
            centre: fields.numbers_or("p", [0.0; 3])?.into(),
            axes: axes.to_rotation_matrix().into_inner(),
            lower: fields.bounds("lower", f64::NEG_INFINITY)?,
            upper: fields.bounds("upper", f64::INFINITY)?,
        }))
    }
}

/// The links with a mass. Those that the same joint moves are one body.
fn bodies(context: &GoalContext) -> Result<Vec<(f64, Place)>, Malformed> {
    let GoalContext { robot, chain, positions, .. } = *context;
    // For the base link and each joint: the mass, and its product with the centre.
    let mut sums = vec![(0.0, Vector3::zeros()); chain.joints().len() + 1];
    for (index, link) in robot.links().iter().enumerate() {
        let Some(mass) = link.mass else { continue };
        let (joint, offset) = chain.attachment(robot, index, positions);
        let (sum, moment) = &mut sums[joint.map_or(0, |joint| joint + 1)];
        *sum += mass.mass;
        *moment += (offset * Point3::from(mass.centre)).coords * mass.mass;
    }
    let whole: f64 = sums.iter().map(|(mass, _)| mass).sum();
    if whole <= 0.0 {
        return Err("the URDF of the robot has no masses".into());
    }
    let body = |(index, (mass, moment)): (usize, (f64, Vector3<f64>))| {
        let place = Place { joint: index.checked_sub(1), ..Place::base() };
        (mass > 0.0).then(|| (mass / whole, place.shifted(&(moment / mass))))
    };
    Ok(sums.into_iter().enumerate().filter_map(body).collect())
}

impl Kind for CenterOfMass {
    fn requirement(&self) -> Requirement {
        Requirement { unit: Unit::Metre, rows: MAX_ROWS, subject: "the centre of mass is outside the box" }
    }

    fn places(&self) -> Option<Places> {
        Some(Places { points: self.bodies.clone(), frame: self.frame })
    }

    fn measure(&self, relative: &Relative, rows: &mut Rows) {
        rows.push_box(&(relative.point - self.centre), &self.axes, [&self.lower, &self.upper]);
    }

    fn check(&self) -> Result<(), Malformed> {
        check_vectors(&[("p", &self.centre)])?;
        check_intervals(&self.lower, &self.upper)
    }

    fn drawing(&self, at: &dyn Configuration) -> Option<Drawing> {
        let pose = placed(&self.frame.pose(at), &self.centre, &self.axes);
        Some(Drawing {
            region: Region::Box { pose, lower: self.lower, upper: self.upper },
            subject: Subject::Point(self.places()?.point(at)),
            grip: Grip::of_place(&self.frame, at, self.centre),
        })
    }
}
