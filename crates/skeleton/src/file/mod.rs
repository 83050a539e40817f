//! Reads skeletons and pitch-yaw arms with named points from YAML.
//!
//! ```
//! use urdf_ik_skeleton::file::Model;
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
//! `docs/skeletons.md` documents the format, and `config/skeletons/` has examples. A point has the name of the segment
//! that ends there.

mod entries;
mod error;
mod joint;
mod list;
mod named;
mod names;
mod pitch_yaw;
mod read;
mod segments;
mod solve;

use std::path::Path;

use list::value;
use read::ModelKind;
use urdf_ik_text::files::{self, MAX_SETTINGS_BYTES};

pub use error::ModelError;
pub use named::{NamedArm, NamedSkeleton, NotAHinge, UnknownPoint};
pub use solve::NamedSolution;

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
        match value(text, "kind", Ok)?.unwrap_or_default() {
            ModelKind::Skeleton => segments::read(text).map(Self::Skeleton),
            ModelKind::PitchYaw => pitch_yaw::read(text).map(Self::PitchYaw),
        }
    }
}
