//! Models of any kind, read from files.

use std::path::Path;

use super::error::ModelError;
use super::named::{NamedArm, NamedSkeleton};
use super::read::{ModelKind, kind};
use super::{pitch_yaw, segments};
use urdf_ik_text::files::{self, MAX_SETTINGS_BYTES};

/// Some editors add it; the YAML parser would take it for a separate document.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A model read from a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A tree of segments with joints.
    Skeleton(NamedSkeleton),
    /// A pitch-yaw arm.
    PitchYaw(NamedArm),
}

impl Model {
    /// Reads a model from a YAML file.
    ///
    /// # Errors
    /// [`ModelError`] if the file cannot be read or is invalid; see [`Self::from_yaml`].
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let text = files::read_text(path, MAX_SETTINGS_BYTES).map_err(|e| ModelError {
            place: e.path,
            line: None,
            reason: format!("it cannot be read: {}", e.reason),
        })?;
        Self::from_yaml(&text).map_err(|e| ModelError { place: path.display().to_string(), ..e })
    }

    /// Parses a model from YAML.
    ///
    /// # Errors
    /// [`ModelError`] if the text is not YAML, has unknown or missing keys, or describes an invalid model; it names the
    /// line and the segment.
    pub fn from_yaml(text: &str) -> Result<Self, ModelError> {
        let text = text.trim_start_matches(BYTE_ORDER_MARK);
        match kind(text)? {
            ModelKind::Skeleton => segments::read(text).map(Self::Skeleton),
            ModelKind::PitchYaw => pitch_yaw::read(text).map(Self::PitchYaw),
        }
    }
}
