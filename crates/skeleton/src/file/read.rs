//! What all kinds of files share: why a model is not read, its kind, and its outline, which is read before its segments are.

use nalgebra::{Isometry3, Point3, UnitQuaternion};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use thiserror::Error;

use super::list::for_value;
use super::names::{Link, Name, given};
use crate::joint::is_in_plane;
use urdf_ik_mathematics::segments::{FARTHEST, check_coordinates};
use urdf_ik_text::names::{number, sentence};
use urdf_ik_text::yaml::yaml_reader;

/// Greatest number of characters before what is left out of a sentence of the reader.
const BEGIN: usize = 300;
/// Number of characters after it.
const END: usize = 60;

/// Why a model was not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}{}: {}", .line.map(|line| format!(", line {line}")).unwrap_or_default(), sentence(reason))]
pub struct ModelError {
    /// The path of the file, or what else the text is.
    pub place: String,
    /// The line where it is wrong, from 1, if one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

/// The error of a text where no line is to blame.
#[expect(clippy::needless_pass_by_value, reason = "an argument of map_err")]
pub(super) fn refused(reason: impl ToString) -> ModelError {
    ModelError { place: "the model".to_owned(), line: None, reason: reason.to_string() }
}

/// The error of the YAML reader, its line apart from its sentence.
pub(super) fn refused_by_reader(error: &serde_yaml::Error) -> ModelError {
    let sentence = error.to_string();
    let Some(at) = error.location() else { return refused(sentence) };
    let end = format!(" at line {} column {}", at.line(), at.column());
    let mut words = sentence.replacen(&end, "", 1);
    for (of_rust, plain) in [
        ("expected f64", "expected a number"),
        ("expected usize", "expected a whole number"),
        ("unit value", "nothing"),
    ] {
        words = words.replace(of_rust, plain);
    }
    ModelError { line: Some(at.line()), ..refused(without_middle(words)) }
}

/// A sentence without the middle of a long text that it quotes.
fn without_middle(sentence: String) -> String {
    let mut bounds = sentence.char_indices().map(|(at, _)| at);
    let (Some(begin), Some(end)) = (bounds.nth(BEGIN), bounds.nth_back(END - 1)) else { return sentence };
    format!("{} … {}", &sentence[..begin], &sentence[end..])
}

impl ModelError {
    /// This error with the name of the segment where the reader counts: `segments[0].length` is the length of the first of `links`.
    pub(super) fn with_names(self, links: &[Link]) -> Self {
        let named = || {
            let (index, rest) = self.reason.strip_prefix("segments[")?.split_once(']')?;
            let name = &links.get(index.parse::<usize>().ok()?)?.name;
            let rest = rest.trim_start_matches(['.', ':', ' ']);
            (!name.is_empty()).then(|| format!("segment '{}': {rest}", &**name))
        };
        Self { reason: named().unwrap_or(self.reason), ..self }
    }
}

/// The value of `kind` in a file.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(try_from = "Name")]
pub(super) enum Kind {
    #[default]
    Skeleton,
    PitchYaw,
}

impl TryFrom<Name> for Kind {
    type Error = String;

    fn try_from(name: Name) -> Result<Self, String> {
        match &*name {
            "skeleton" => Ok(Self::Skeleton),
            "pitch_yaw" => Ok(Self::PitchYaw),
            other => Err(format!("there is no kind '{other}'; the kinds are skeleton and pitch_yaw")),
        }
    }
}

/// The number of coordinates of a point.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "usize")]
pub(super) struct Dimensions(pub usize);

impl Default for Dimensions {
    fn default() -> Self {
        Self(3)
    }
}

impl TryFrom<usize> for Dimensions {
    type Error = String;

    fn try_from(found: usize) -> Result<Self, String> {
        if (2..=3).contains(&found) { Ok(Self(found)) } else { Err(format!("it has {found} dimensions; give 2 or 3")) }
    }
}

/// All of a file but what its segments are like. What it says of them is read next, when the names are known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with segments")]
pub(super) struct Outline {
    #[serde(default, rename = "kind")]
    _kind: IgnoredAny,
    pub name: Option<Name>,
    #[serde(default)]
    pub dimensions: Dimensions,
    #[serde(default)]
    pub root: RootEntry,
    pub segments: Vec<Link>,
    #[serde(default, deserialize_with = "given")]
    pub ends: Option<Vec<Name>>,
}

/// The root as a file has it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, expecting = "a root such as {name: hip, position: [0, 0, 1]}")]
pub(super) struct RootEntry {
    pub name: Option<Name>,
    pub position: Option<Vec<f64>>,
    pub rotation: Option<[f64; 3]>,
}

pub(super) fn kind(text: &str) -> Result<Kind, ModelError> {
    let mut kind = Kind::default();
    for_value(text, "kind", |found| {
        kind = found;
        Ok(())
    })?;
    Ok(kind)
}

/// Reads `text` as a whole.
pub(super) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, ModelError> {
    let reader = yaml_reader(text).map_err(refused)?;
    T::deserialize(reader).map_err(|e| refused_by_reader(&e))
}

impl RootEntry {
    /// Its name, `root` where the file has none.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("root")
    }

    /// The root frame in `dimensions`.
    pub(super) fn pose(&self, dimensions: usize) -> Result<Isometry3<f64>, String> {
        let position = match &self.position {
            Some(position) => point("the root", position, dimensions)?,
            None => Point3::origin(),
        };
        let rotation = rotation("the root's rotation", self.rotation)?;
        if dimensions == 2 && !is_in_plane(&rotation) {
            return Err("the root's rotation leaves the plane; with 2 dimensions roll and pitch must be 0".to_owned());
        }
        Ok(Isometry3::from_parts(position.into(), rotation))
    }
}

/// A length that a segment can have.
pub(super) fn checked_length(length: f64) -> Result<f64, String> {
    if length > 0.0 && length <= FARTHEST {
        return Ok(length);
    }
    Err(format!("it is {} m long; its length must be a finite number above 0, at most {FARTHEST:e}", number(length)))
}

/// The point \[m\] of `coordinates`, as many as there are `dimensions`; `name` is what an error calls it.
pub(super) fn point(name: &'static str, coordinates: &[f64], dimensions: usize) -> Result<Point3<f64>, String> {
    if coordinates.len() != dimensions {
        return Err(format!("{name} has {} coordinates; give {dimensions}", coordinates.len()));
    }
    check_coordinates(name, coordinates).map_err(|e| e.to_string())?;
    Ok(Point3::from_slice(&[coordinates, &[0.0]].concat()[..3]))
}

/// The rotation by roll, pitch and yaw \[degrees\], about the fixed axes x, y and z in this order; none is the identity.
pub(super) fn rotation(what: &str, angles: Option<[f64; 3]>) -> Result<UnitQuaternion<f64>, String> {
    let [roll, pitch, yaw] = angles.unwrap_or_default().map(f64::to_radians);
    if [roll, pitch, yaw].iter().any(|angle| !angle.is_finite()) {
        return Err(format!("{what} has an angle that is no finite number; give roll, pitch and yaw in degrees"));
    }
    Ok(UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}
