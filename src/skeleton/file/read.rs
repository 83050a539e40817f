//! What all kinds of files share: their kind, and their outline, which is read before their segments are.

use nalgebra::{Isometry3, Point3, UnitQuaternion};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::error::{ModelError, refused, refused_by_reader};
use crate::segments::check_coordinates;
use crate::skeleton::joint::is_in_plane;
use crate::yaml::yaml_reader;

/// The value of `kind` in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    #[default]
    Skeleton,
    PitchYaw,
}

/// The part of a file that tells its kind.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    kind: Kind,
}

/// All of a file but what its segments are like. What it says of them is read next, when the names are known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outline {
    #[serde(default, rename = "kind")]
    _kind: IgnoredAny,
    pub name: Option<String>,
    pub dimensions: Option<usize>,
    #[serde(default)]
    pub root: RootEntry,
    pub segments: Vec<Link>,
    pub ends: Option<Vec<String>>,
}

/// The place of a segment in the tree.
#[derive(Deserialize)]
#[serde(expecting = "a segment such as {name: arm, length: 0.3}")]
pub(super) struct Link {
    #[serde(default)]
    pub name: String,
    pub parent: Option<String>,
}

/// The root as a file has it.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RootEntry {
    pub name: Option<String>,
    pub position: Option<Vec<f64>>,
    pub rotation: Option<[f64; 3]>,
}

pub(super) fn kind(text: &str) -> Result<Kind, ModelError> {
    yaml::<Head>(text).map(|head| head.kind)
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
