//! Limits that bind, where they are in the solution.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use plotters::style::Color;
use urdf_ik::nalgebra;
use urdf_ik::skeleton::{Cone, Limit, Range, Segment};

use super::{Drawn, LIMIT};
use crate::Failure;
use crate::plot::{self, Canvas, Pen, View};

/// Length of a cone over that of its segment.
const SHARE: f64 = 0.6;
/// Points of a border.
const STEPS: u8 = 48;

/// The segments whose joints asked for more than they allow in the solution, but for those that cannot turn at all.
pub fn binding(drawn: &Drawn) -> impl Iterator<Item = usize> {
    let limited = drawn.solution.limited.iter().enumerate().filter(|(_, limited)| **limited);
    limited.map(|(segment, _)| segment).filter(|&segment| {
        drawn.skeleton.segment(segment).is_some_and(|segment| match segment.joint.limit {
            Limit::Ball { cone, twist } => cone != Cone::circular(0.0) || twist.lower < twist.upper,
            Limit::Hinge { angle, .. } => angle.lower < angle.upper,
            Limit::Free => false,
        })
    })
}

/// Draws the range of every limit that binds.
pub fn draw(canvas: &Canvas, view: &View, drawn: &Drawn) -> Result<(), Failure> {
    let configuration = &drawn.solution.configuration;
    let orientations = drawn.skeleton.orientations(configuration)?;
    for index in binding(drawn) {
        let Some(segment) = drawn.skeleton.segment(index) else { continue };
        let Segment { parent, length, joint } = segment;
        let place = configuration.points[parent];
        let frame = Isometry3::from_parts(place.into(), orientations[parent] * joint.rest);
        let mut surface = vec![view.point(&place)];
        let border = border(&joint.limit).map(|direction| frame * Point3::from(direction * (SHARE * length)));
        surface.extend(border.map(|point| view.point(&point)));
        canvas.fill(&surface, LIMIT.mix(0.2))?;
        surface.push(surface[0]);
        let is_cone = matches!(joint.limit, Limit::Ball { .. });
        canvas.line(
            if is_cone { &surface[1..surface.len() - 1] } else { &surface },
            Pen::new(plot::pale(LIMIT, 0.6), 3),
        )?;
    }
    Ok(())
}

/// The directions at the border of what a joint allows, in its frame.
fn border(limit: &Limit) -> Box<dyn Iterator<Item = Vector3<f64>>> {
    let shares = (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
    match *limit {
        Limit::Free => Box::new(std::iter::empty()),
        Limit::Ball { cone, .. } => Box::new(shares.map(move |share| {
            let azimuth = TAU * share;
            let ((across, along), (up, left)) = (cone.limit(azimuth).sin_cos(), azimuth.sin_cos());
            Vector3::new(along, across * left, across * up)
        })),
        Limit::Hinge { axis, angle: Range { lower, upper } } => Box::new(shares.map(move |share| {
            let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), lower + share * (upper - lower));
            turn * Vector3::x()
        })),
    }
}
