//! Skeletons and pitch-yaw arms from YAML, with names for their points.
//!
//! ```
//! use urdf_ik::skeleton::file::Model;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "
//!     root: {name: shoulder, position: [0, 0, 1.4]}
//!     segments:
//!       - {name: elbow, length: 0.3, rest: [0, 90, 0]}
//!       - {name: wrist, length: 0.25, hinge: {axis: [0, -1, 0], range: [0, 140]}}
//! ";
//! let Model::Skeleton(arm) = Model::from_yaml(text)? else { unreachable!() };
//! assert_eq!(arm.points, ["shoulder", "elbow", "wrist"]);
//! assert_eq!(arm.ends, [2]);
//! assert!((arm.rest.points[2].z - 0.85).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! The keys of such a file are in `docs/skeletons.md`, and `config/skeletons/` has examples. A point has the name of the segment that
//! ends there.

mod joint;
mod list;
mod names;
mod pitch_yaw;
mod read;
mod segments;

use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use super::pitch_yaw::PitchYawArm;
use super::{Configuration, Skeleton};
use crate::files::{self, MAX_SETTINGS_BYTES};
use crate::names::sentence;

/// A model from a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A tree of segments.
    Skeleton(NamedSkeleton),
    /// An arm of summed pitch and yaw.
    PitchYaw(NamedArm),
}

/// A skeleton with names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedSkeleton {
    /// Its name.
    pub name: String,
    /// The skeleton itself.
    pub skeleton: Skeleton,
    /// The names of its n + 1 points: the root, then the end of each segment.
    pub points: Vec<String>,
    /// Indices of the points that are meant to have targets.
    pub ends: Vec<usize>,
    /// The configuration with all joints at rest, the root where the file has it.
    pub rest: Configuration,
}

/// A pitch-yaw arm with names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArm {
    /// Its name.
    pub name: String,
    /// The arm itself.
    pub arm: PitchYawArm,
    /// The names of its n + 1 points: the base, then the end of each segment.
    pub points: Vec<String>,
}

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

/// The value of `kind` in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Skeleton,
    PitchYaw,
}

impl Model {
    /// Reads a model from the file at `path`.
    ///
    /// # Errors
    /// [`ModelError`] for a file that cannot be read, and as [`Self::from_yaml`].
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let text = files::read_text(path, MAX_SETTINGS_BYTES).map_err(|e| ModelError {
            place: e.path,
            line: None,
            reason: format!("it cannot be read: {}", e.reason),
        })?;
        Self::from_yaml(&text).map_err(|e| ModelError { place: path.display().to_string(), ..e })
    }

    /// Reads a model from YAML.
    ///
    /// # Errors
    /// [`ModelError`] for a text that is no YAML, has unknown or missing keys, or describes no model: it names the line and the segment.
    pub fn from_yaml(text: &str) -> Result<Self, ModelError> {
        match read::kind(text)? {
            Kind::Skeleton => segments::read(text).map(Self::Skeleton),
            Kind::PitchYaw => pitch_yaw::read(text).map(Self::PitchYaw),
        }
    }
}

impl NamedSkeleton {
    /// The index of the point of that name.
    #[must_use]
    pub fn point(&self, name: &str) -> Option<usize> {
        self.points.iter().position(|point| point == name)
    }
}
