//! Reads pitch-yaw arms.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::entries::{LinkEntry, Name, given};
use super::error::{ModelError, refused};
use super::joint::range;
use super::list::{for_each, value};
use super::named::NamedArm;
use super::names::{PointNames, in_segment};
use super::read::{RootFrameEntry, checked_length, yaml};
use crate::Range;
use crate::pitch_yaw::PitchYawArm;
use urdf_ik_mathematics::segments::InputError;

/// A whole file; the contents of its segments are parsed later.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmEntry {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    name: Option<Name>,
    #[serde(default)]
    root: RootFrameEntry,
    segments: Vec<LinkEntry>,
}

/// A segment in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmSegmentEntry {
    name: Name,
    length: f64,
    #[serde(default, deserialize_with = "given")]
    pitch: Option<[f64; 2]>,
    #[serde(default, deserialize_with = "given")]
    yaw: Option<[f64; 2]>,
}

pub(super) fn read(text: &str) -> Result<NamedArm, ModelError> {
    let file: ArmEntry = yaml(text)?;
    let base = value(text, "root", |root: RootFrameEntry| {
        let base = root.pose(3)?.translation.vector.into();
        if root.rotation.is_some() {
            return Err(InputError::model("the root of a pitch_yaw arm has a rotation; give a position alone"));
        }
        Ok(base)
    })?;
    let (mut names, mut lengths, mut pitches, mut yaws) = (PointNames::new(file.root.name()), vec![], vec![], vec![]);
    for_each(text, "segments", &mut |entry: ArmSegmentEntry| {
        names.add(&entry.name)?;
        let in_segment = |wrong| in_segment(&entry.name, &wrong);
        lengths.push(checked_length(entry.length).map_err(in_segment)?);
        pitches.push(bounds("its pitch", entry.pitch).map_err(in_segment)?);
        yaws.push(bounds("its yaw", entry.yaw).map_err(in_segment)?);
        Ok(())
    })
    .map_err(|e| e.with_names(&file.segments))?;
    let bounds = [pitches, yaws].concat();
    let (lower, upper) = bounds.iter().map(|range| (range.lower, range.upper)).unzip();
    let arm = PitchYawArm::new(base.unwrap_or_default(), lengths).and_then(|arm| arm.with_bounds(lower, upper));
    let arm = arm.map_err(refused)?;
    Ok(NamedArm { name: file.name.map_or_else(|| "pitch_yaw".to_owned(), String::from), arm, points: names.points })
}

/// The bounds of a variable \[rad\]; infinite if the file has none.
fn bounds(what: &str, degrees: Option<[f64; 2]>) -> Result<Range, InputError> {
    if degrees.is_some() { range(what, degrees) } else { Ok(Range::new(f64::NEG_INFINITY, f64::INFINITY)) }
}
