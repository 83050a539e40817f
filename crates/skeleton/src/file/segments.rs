//! Reads skeletons: each segment is checked and placed at rest while it is parsed.

use nalgebra::{Isometry3, Matrix3, Rotation3, UnitQuaternion, Vector3};
use serde::Deserialize;

use super::entries::{Name, given};
use super::error::{ModelError, refused};
use super::joint::{ConeEntry, HingeEntry, limit};
use super::list::{for_each, value};
use super::named::NamedSkeleton;
use super::names::{PointNames, in_segment};
use super::read::{ModelOutline, RootFrameEntry, checked_length, point, rotation, yaml};
use crate::configuration::{aligned, product};
use crate::{Joint, Segment, Skeleton};
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_text::names::short;

/// Directions with a smaller sine of the angle between them do not define a plane.
const MIN_SINE: f64 = 1e-6;

/// A segment in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentEntry {
    name: Name,
    #[serde(default, deserialize_with = "given")]
    parent: Option<Name>,
    #[serde(default, deserialize_with = "given")]
    length: Option<f64>,
    #[serde(default, deserialize_with = "given")]
    rest: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "given")]
    end: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "given")]
    up: Option<[f64; 3]>,
    #[serde(default, deserialize_with = "given")]
    hinge: Option<HingeEntry>,
    #[serde(default, deserialize_with = "given")]
    cone: Option<ConeEntry>,
    #[serde(default)]
    fixed: bool,
}

/// The segments so far.
struct SkeletonBuilder<'a> {
    outline: &'a ModelOutline,
    dimensions: usize,
    names: PointNames,
    segments: Vec<Segment>,
    /// The frames at rest: of the root, then at the end of each segment.
    frames: Vec<Isometry3<f64>>,
}

pub(super) fn read(text: &str) -> Result<NamedSkeleton, ModelError> {
    let outline: ModelOutline = yaml(text)?;
    let dimensions = outline.dimensions;
    let root = value(text, "root", |root: RootFrameEntry| root.pose(dimensions))?.unwrap_or_default();
    let names = PointNames::new(outline.root.name());
    let mut builder =
        SkeletonBuilder { outline: &outline, dimensions, names, segments: Vec::new(), frames: vec![root] };
    for_each(text, "segments", &mut |entry| builder.add(entry)).map_err(|e| e.with_names(&outline.segments))?;
    let SkeletonBuilder { names, segments, .. } = builder;
    let ends = if outline.ends.is_some() { ends(text, &names)? } else { leaves(&segments) };
    let skeleton =
        if dimensions == 2 { Skeleton::in_plane(&segments) } else { Skeleton::new(&segments) }.map_err(refused)?;
    let name = outline.name.map_or_else(|| "skeleton".to_owned(), String::from);
    let rest = skeleton.place(&root, &vec![UnitQuaternion::identity(); segments.len()]).map_err(refused)?;
    Ok(NamedSkeleton { name, skeleton, points: names.points, ends, rest })
}

/// The points listed as ends.
fn ends(text: &str, names: &PointNames) -> Result<Vec<usize>, ModelError> {
    let mut ends = Vec::new();
    for_each(text, "ends", &mut |name: Name| {
        let (end, shown) = (names.find(&name), short(&name));
        let end = end.ok_or_else(|| InputError::model(format!("'{shown}' is no segment, so it cannot be an end")))?;
        if ends.contains(&end) {
            return Err(InputError::model(format!("'{shown}' is an end already")));
        }
        ends.push(end);
        Ok(())
    })?;
    if ends.is_empty() { Err(refused("it has no ends; name one, or leave out the list")) } else { Ok(ends) }
}

/// The points that no segment continues.
fn leaves(segments: &[Segment]) -> Vec<usize> {
    let mut is_leaf = vec![true; segments.len() + 1];
    for segment in segments {
        is_leaf[segment.parent] = false;
    }
    (1..is_leaf.len()).filter(|point| is_leaf[*point]).collect()
}

impl SkeletonBuilder<'_> {
    fn add(&mut self, entry: SegmentEntry) -> Result<(), InputError> {
        let parent = self.names.parent(&entry.name, entry.parent.as_deref(), &self.outline.segments)?;
        self.names.add(&entry.name)?;
        let (name, frame) = (entry.name.clone(), self.frames[parent]);
        let (length, joint) = self.joint(entry, &frame).map_err(|wrong| in_segment(&name, &wrong))?;
        let turned = product(&frame.rotation, &joint.rest);
        let end = frame.translation.vector + turned * Vector3::x() * length;
        self.frames.push(Isometry3::from_parts(end.into(), turned));
        self.segments.push(Segment { parent, length, joint });
        Ok(())
    }

    /// The length and the joint of a segment that starts at `frame`.
    fn joint(&self, entry: SegmentEntry, frame: &Isometry3<f64>) -> Result<(f64, Joint), InputError> {
        let limit = limit(entry.hinge, entry.cone, entry.fixed, self.dimensions)?;
        let (length, rest) = match (entry.length, entry.end, entry.rest, entry.up) {
            (Some(length), None, rest, None) => (checked_length(length)?, rotation("its rest", rest)?),
            (None, Some(end), None, up) => {
                let end = point("the end", &end, self.dimensions)?;
                let along = end.coords - frame.translation.vector;
                let turned = |length| Ok((length, facing(&frame.rotation, &along, up)?));
                let (length, orientation) = checked_length(along.norm()).and_then(turned)?;
                (length, product(&frame.rotation.inverse(), &orientation))
            }
            _ => {
                return Err(InputError::model(
                    "give its length, which a rest may follow, or its end, which an up may follow",
                ));
            }
        };
        let joint = Joint { limit, rest };
        if self.dimensions == 2 {
            joint.check_in_plane()?;
        }
        Ok((length, joint))
    }
}

/// The rest orientation of a segment in the direction of `along`, with its z axis towards `up`; without `up`, `frame`
/// after the shortest rotation.
fn facing(
    frame: &UnitQuaternion<f64>,
    along: &Vector3<f64>,
    up: Option<[f64; 3]>,
) -> Result<UnitQuaternion<f64>, InputError> {
    let Some(up) = up else { return Ok(aligned(frame, along)) };
    let up = Vector3::from(up);
    let (x, y) = (along.normalize(), up.cross(along));
    let tells = y.norm() > MIN_SINE * up.norm() * along.norm();
    if !tells {
        return Err(InputError::model(
            "its up is no direction, or the direction of the segment itself; give one across it",
        ));
    }
    let y = y.normalize();
    let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)]));
    Ok(UnitQuaternion::from_rotation_matrix(&axes))
}
