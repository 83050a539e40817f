//! The description of a skeleton, and the skeleton without limits.

use serde_json::{Value, json};
use urdf_ik::skeleton::file::NamedSkeleton;
use urdf_ik::skeleton::{InputError, Joint, Limit, Range, Segment, Skeleton};

use super::answer::{Description, PointsOut, SegmentOut};

pub fn describe(model: &NamedSkeleton) -> Description {
    let segments = segments(&model.skeleton).zip(&model.points[1..]).map(|(segment, name)| {
        let (joint, limits) = limits(&segment.joint.limit);
        SegmentOut {
            name: name.clone(),
            parent: model.points[segment.parent].clone(),
            length: segment.length,
            joint,
            limits,
        }
    });
    Description {
        name: model.name.clone(),
        kind: "skeleton",
        dimensions: if model.skeleton.is_planar() { 2 } else { 3 },
        points: model.points.clone(),
        segments: segments.collect(),
        ends: model.ends.iter().map(|end| model.points[*end].clone()).collect(),
        rest: PointsOut::from(&model.rest),
    }
}

/// The skeleton with all joints free, except fixed ones, which are part of its shape.
///
/// # Errors
/// [`InputError`] if the segments are not a valid skeleton.
pub fn without_limits(skeleton: &Skeleton) -> Result<Skeleton, InputError> {
    let freed = |segment: Segment| {
        let limit = if segment.joint.limit.is_stiff() { segment.joint.limit } else { Limit::Free };
        segment.with_joint(Joint { limit, ..segment.joint })
    };
    let segments: Vec<_> = segments(skeleton).map(freed).collect();
    if skeleton.is_planar() { Skeleton::in_plane(&segments) } else { Skeleton::new(&segments) }
}

fn segments(skeleton: &Skeleton) -> impl Iterator<Item = Segment> {
    (0..skeleton.segment_count()).filter_map(|index| skeleton.segment(index))
}

/// The kind of a joint, and its limits as in a file.
fn limits(limit: &Limit) -> (&'static str, Value) {
    match limit {
        Limit::Free => ("free", Value::Null),
        Limit::Hinge { axis, angle } => {
            let axis: [f64; 3] = (*axis).into();
            ("hinge", json!({ "axis": axis, "range": range(angle) }))
        }
        Limit::Ball { cone, twist } => {
            let [up, down, left, right] = [cone.up, cone.down, cone.left, cone.right].map(degrees);
            ("cone", json!({ "up": up, "down": down, "left": left, "right": right, "twist": range(twist) }))
        }
        _ => ("other", Value::Null),
    }
}

/// The lower and the upper end of a range \[rad\], converted to degrees.
pub fn range(range: &Range) -> [f64; 2] {
    [range.lower, range.upper].map(degrees)
}

/// An angle \[rad\] in degrees, rounded to undo the conversion to radians.
fn degrees(angle: f64) -> f64 {
    (angle.to_degrees() * 1e9).round() / 1e9
}
