//! Limits that bind, where they are in the solution.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use plotters::style::{Color, RGBColor};
use urdf_ik_skeleton::{Cone, Configuration, Limit, Range, Segment, Skeleton};

use crate::{self as plot, Canvas, Pen, Result, SERIES, View};

/// The colour of limits.
pub const COLOUR: RGBColor = SERIES[4];

/// Length of a cone over that of its segment.
const SHARE: f64 = 0.6;
/// Points of a border.
const STEPS: u8 = 48;

/// The segments whose joints were `limited`, but for those that cannot turn at all.
pub fn binding(skeleton: &Skeleton, limited: &[bool]) -> Vec<usize> {
    let turns = |segment: &usize| {
        skeleton.segment(*segment).is_some_and(|segment| match segment.joint.limit {
            Limit::Ball { cone, twist } => cone != Cone::circular(0.0) || twist.lower < twist.upper,
            Limit::Hinge { angle, .. } => angle.lower < angle.upper,
            Limit::Free => false,
        })
    };
    (0..limited.len()).filter(|&segment| limited[segment]).filter(turns).collect()
}

/// Draws what the joints of some segments allow, and marks these joints.
pub fn draw(
    canvas: &Canvas,
    view: &View,
    skeleton: &Skeleton,
    configuration: &Configuration,
    segments: &[usize],
) -> Result {
    let orientations = skeleton.orientations(configuration)?;
    for segment in segments.iter().filter_map(|&segment| skeleton.segment(segment)) {
        let Segment { parent, length, joint } = segment;
        let place = configuration.points[parent];
        let frame = Isometry3::from_parts(place.into(), orientations[parent] * joint.rest);
        let mut surface = vec![view.point(&place)];
        let border = border(&joint.limit).map(|direction| frame * Point3::from(direction * (SHARE * length)));
        surface.extend(border.map(|point| view.point(&point)));
        canvas.fill(&surface, COLOUR.mix(0.2))?;
        surface.push(surface[0]);
        let is_cone = matches!(joint.limit, Limit::Ball { .. });
        let line = if is_cone { &surface[1..surface.len() - 1] } else { &surface };
        canvas.line(line, Pen::new(plot::pale(COLOUR, 0.6), 3))?;
        canvas.ring(&surface[0], 16, Pen::new(COLOUR, 5))?;
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
