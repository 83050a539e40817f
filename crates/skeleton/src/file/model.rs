//! A model of any kind, read from its file.

use std::path::Path;

use super::error::ModelError;
use super::named::{NamedArm, NamedSkeleton};
use super::read::{ModelKind, kind};
use super::{pitch_yaw, segments};
use urdf_ik_text::files::{self, MAX_SETTINGS_BYTES};

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
