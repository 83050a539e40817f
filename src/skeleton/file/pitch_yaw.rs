//! Arms of summed pitch and yaw.

use nalgebra::Point3;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::{ModelError, refused};
use super::joint::range;
use super::list::for_each;
use super::named::NamedArm;
use super::names::Names;
use super::read::{RootEntry, yaml};
use crate::names::{number, short};
use crate::skeleton::Range;
use crate::skeleton::pitch_yaw::PitchYawArm;

/// A whole file but its segments, which are read next.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmEntry {
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    name: Option<String>,
    #[serde(default)]
    root: RootEntry,
    #[serde(rename = "segments")]
    _segments: Vec<IgnoredAny>,
}

/// A segment as a file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SegmentEntry {
    name: String,
    length: f64,
    pitch: Option<[f64; 2]>,
    yaw: Option<[f64; 2]>,
}

pub(super) fn read(text: &str) -> Result<NamedArm, ModelError> {
    let file: ArmEntry = yaml(text)?;
    let base = Point3::from(file.root.pose(3).map_err(refused)?.translation.vector);
    if file.root.rotation.is_some() {
        return Err(refused("the root of a pitch_yaw arm has a rotation; give a position alone"));
    }
    let (mut names, mut lengths, mut pitches, mut yaws) = (Names::new(file.root.name()), vec![], vec![], vec![]);
    for_each(text, "segments", |entry: SegmentEntry| {
        names.add(&entry.name)?;
        let in_segment = |reason| format!("segment '{}': {reason}", short(&entry.name));
        if !(entry.length.is_finite() && entry.length > 0.0) {
            let length = number(entry.length);
            return Err(in_segment(format!("it is {length} m long; its length must be a finite number above 0")));
        }
        lengths.push(entry.length);
        pitches.push(bounds("its pitch", entry.pitch).map_err(in_segment)?);
        yaws.push(bounds("its yaw", entry.yaw).map_err(in_segment)?);
        Ok(())
    })?;
    let bounds = [pitches, yaws].concat();
    let (lower, upper) = bounds.iter().map(|range| (range.lower, range.upper)).unzip();
    let arm = PitchYawArm::new(base, lengths).and_then(|arm| arm.with_bounds(lower, upper)).map_err(refused)?;
    Ok(NamedArm { name: file.name.unwrap_or_else(|| "pitch_yaw".to_owned()), arm, points: names.points })
}

/// The bounds of a variable \[rad\], infinite where the file has none.
fn bounds(what: &str, degrees: Option<[f64; 2]>) -> Result<Range, String> {
    if degrees.is_some() { range(what, degrees) } else { Ok(Range::new(f64::NEG_INFINITY, f64::INFINITY)) }
}
