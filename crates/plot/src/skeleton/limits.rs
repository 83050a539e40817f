//! Limits that bind in the solution.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};
use plotters::element::{Circle, PathElement, Polygon};
use plotters::style::{Color, RGBColor};
use urdf_ik_skeleton::{Limit, Range, Segment, Skeleton, SkeletonConfiguration};

use crate::canvas::{Canvas, Projection};
use crate::{PlotResult, SERIES, pale};

/// Colour of joint limits.
pub const COLOUR: RGBColor = SERIES[4];

/// Length of a cone over that of its segment.
const CONE_LENGTH: f64 = 0.6;
/// Points of a border.
const STEPS: u8 = 48;

/// Marks the joints that are `limited` (one entry per segment), and draws their ranges. Fixed joints are omitted.
///
/// # Errors
/// An error of plotters, or of the skeleton if the configuration does not fit it.
pub fn draw(
    canvas: &Canvas,
    view: &Projection,
    skeleton: &Skeleton,
    configuration: &SkeletonConfiguration,
    limited: &[bool],
) -> PlotResult {
    let orientations = skeleton.orientations(configuration)?;
    let limited = (0..limited.len()).filter(|segment| limited[*segment]).filter_map(|index| skeleton.segment(index));
    for Segment { parent, length, joint } in limited.filter(|segment| !segment.joint.limit.is_stiff()) {
        let origin = configuration.points[parent];
        let frame = Isometry3::from_parts(origin.into(), orientations[parent] * joint.rest);
        let border = border(&joint.limit).into_iter();
        let place = |direction| view.place(&(frame * Point3::from(CONE_LENGTH * length * direction)));
        let mut outline: Vec<_> = [view.place(&origin)].into_iter().chain(border.map(place)).collect();
        canvas.draw(&Polygon::new(outline.clone(), COLOUR.mix(0.2)))?;
        canvas.draw(&Circle::new(outline[0], 16, COLOUR.stroke_width(5)))?;
        outline.push(outline[0]);
        // The border of a cone is closed without its apex.
        let is_cone = matches!(joint.limit, Limit::Ball { .. });
        let line = if is_cone { &outline[1..outline.len() - 1] } else { &outline };
        canvas.draw(&PathElement::new(line, pale(COLOUR, 0.6).stroke_width(3)))?;
    }
    Ok(())
}

/// Unit vectors along the segment at the border of a joint's range, in the frame of the joint.
fn border(limit: &Limit) -> Vec<Vector3<f64>> {
    let direction = |share: f64| match *limit {
        Limit::Ball { cone, .. } => {
            let azimuth = TAU * share;
            let ((across, along), (up, left)) = (cone.limit(azimuth).sin_cos(), azimuth.sin_cos());
            Vector3::new(along, across * left, across * up)
        }
        Limit::Hinge { axis, angle: Range { lower, upper } } => {
            UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), lower + share * (upper - lower)) * Vector3::x()
        }
        _ => Vector3::x(),
    };
    (0..=STEPS).map(|step| direction(f64::from(step) / f64::from(STEPS))).collect()
}
