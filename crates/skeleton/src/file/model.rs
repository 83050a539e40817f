//! Models of any kind, read from their files, with names for their points.

use std::path::Path;

use thiserror::Error;

use super::error::ModelError;
use super::read::{ModelKind, kind};
use super::{pitch_yaw, segments};
use crate::pitch_yaw::PitchYawArm;
use crate::{Configuration, Skeleton};
use urdf_ik_text::files::{self, MAX_SETTINGS_BYTES};
use urdf_ik_text::names::{list, short};

/// Some editors begin a file with it; the reader would take it for a document of its own.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A model from a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A tree of segments.
    Skeleton(NamedSkeleton),
    /// An arm of summed pitch and yaw.
    PitchYaw(NamedArm),
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
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        match kind(text)? {
            ModelKind::Skeleton => segments::read(text).map(Self::Skeleton),
            ModelKind::PitchYaw => pitch_yaw::read(text).map(Self::PitchYaw),
        }
    }
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

/// A model has no point of that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no point '{}'; the ends are {}", short(name), list(ends))]
pub struct UnknownPoint {
    /// The name given.
    pub name: String,
    /// The names of the model's ends.
    pub ends: Vec<String>,
}

impl NamedSkeleton {
    /// The index of the point of that name.
    #[must_use]
    pub fn point(&self, name: &str) -> Option<usize> {
        self.points.iter().position(|point| point == name)
    }

    /// The index of the point of that name, for a target.
    ///
    /// # Errors
    /// [`UnknownPoint`] where there is none.
    pub fn target_point(&self, name: &str) -> Result<usize, UnknownPoint> {
        self.point(name).ok_or_else(|| UnknownPoint {
            name: name.to_owned(),
            ends: self.ends.iter().map(|end| self.points[*end].clone()).collect(),
        })
    }
}
