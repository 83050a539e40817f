//! The parts shared by all kinds of files: the kind, and the outline, which is parsed before the segments.

use nalgebra::{Isometry3, Point3, UnitQuaternion};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, IgnoredAny};

use super::entries::{LinkEntry, Name, given};
use super::error::{ModelError, refused, refused_by_reader};
use crate::joint::is_in_plane;
use urdf_ik_mathematics::segments::{InputError, MAX_COORDINATE, check_coordinates};
use urdf_ik_text::names::number;
use urdf_ik_text::yaml::yaml_reader;

/// The value of `kind`.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(try_from = "Name")]
pub(super) enum ModelKind {
    #[default]
    Skeleton,
    PitchYaw,
}

impl TryFrom<Name> for ModelKind {
    type Error = InputError;

    fn try_from(name: Name) -> Result<Self, InputError> {
        match &*name {
            "skeleton" => Ok(Self::Skeleton),
            "pitch_yaw" => Ok(Self::PitchYaw),
            other => {
                Err(InputError::model(format!("there is no kind '{other}'; the kinds are skeleton and pitch_yaw")))
            }
        }
    }
}

/// Reads the number of coordinates of a point.
fn dimensions<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    match usize::deserialize(deserializer)? {
        found @ 2..=3 => Ok(found),
        found => Err(D::Error::custom(format!("it has {found} dimensions; give 2 or 3"))),
    }
}

fn three() -> usize {
    3
}

/// The whole file; the contents of its segments are parsed later, when all names are known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a mapping with segments")]
pub(super) struct ModelOutline {
    #[serde(default, rename = "kind")]
    _kind: IgnoredAny,
    pub name: Option<Name>,
    #[serde(default = "three", deserialize_with = "dimensions")]
    pub dimensions: usize,
    #[serde(default)]
    pub root: RootFrameEntry,
    pub segments: Vec<LinkEntry>,
    #[serde(default, deserialize_with = "given")]
    pub ends: Option<Vec<Name>>,
}

/// The root in a file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, expecting = "a root such as {name: hip, position: [0, 0, 1]}")]
pub(super) struct RootFrameEntry {
    pub name: Option<Name>,
    pub position: Option<Vec<f64>>,
    pub rotation: Option<[f64; 3]>,
}

/// Parses `text` as a whole.
pub(super) fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, ModelError> {
    let reader = yaml_reader(text).map_err(refused)?;
    T::deserialize(reader).map_err(|e| refused_by_reader(&e))
}

impl RootFrameEntry {
    /// Its name; `root` by default.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("root")
    }

    /// The root frame in 2 or 3 `dimensions`.
    pub(super) fn pose(&self, dimensions: usize) -> Result<Isometry3<f64>, InputError> {
        let position = match &self.position {
            Some(position) => point("the root", position, dimensions)?,
            None => Point3::origin(),
        };
        let rotation = rotation("the root's rotation", self.rotation)?;
        if dimensions == 2 && !is_in_plane(&rotation) {
            return Err(InputError::model(
                "the root's rotation leaves the plane; with 2 dimensions roll and pitch must be 0",
            ));
        }
        Ok(Isometry3::from_parts(position.into(), rotation))
    }
}

/// Checks the length of a segment \[m\].
pub(super) fn checked_length(length: f64) -> Result<f64, InputError> {
    if length > 0.0 && length <= MAX_COORDINATE {
        return Ok(length);
    }
    Err(InputError::model(format!(
        "it is {} m long; its length must be a finite number above 0, at most {MAX_COORDINATE:e}",
        number(length)
    )))
}

/// A point from as many `coordinates` \[m\] as `dimensions`; errors call it `name`.
pub(super) fn point(name: &'static str, coordinates: &[f64], dimensions: usize) -> Result<Point3<f64>, InputError> {
    if coordinates.len() != dimensions {
        return Err(InputError::model(format!("{name} has {} coordinates; give {dimensions}", coordinates.len())));
    }
    check_coordinates(name, coordinates)?;
    Ok(Point3::from_slice(&[coordinates, &[0.0]].concat()[..3]))
}

/// The rotation of roll, pitch and yaw \[degrees\] about the fixed axes x, y and z, in this order; `None` is the
/// identity.
pub(super) fn rotation(what: &str, angles: Option<[f64; 3]>) -> Result<UnitQuaternion<f64>, InputError> {
    let [roll, pitch, yaw] = angles.unwrap_or_default().map(f64::to_radians);
    if [roll, pitch, yaw].iter().any(|angle| !angle.is_finite()) {
        return Err(InputError::model(format!(
            "{what} has an angle that is no finite number; give roll, pitch and yaw in degrees"
        )));
    }
    Ok(UnitQuaternion::from_euler_angles(roll, pitch, yaw))
}
