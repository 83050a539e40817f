//! Parts of plain structs: poses, and words for fields of later versions. `Default` of a plain struct has 0 and NULL in
//! all fields but poses; the function that initialises it sets the others.

use nalgebra::{Isometry3, Translation3};
use urdf_ik::spatial::{NotARotation, rotation_from};

use crate::failure::Failure;

/// A position [m], and an orientation as a unit quaternion x, y, z, w.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UrdfIkPose {
    /// x, y, z [m].
    pub position: [f64; 3],
    /// Quaternion x, y, z, w, with the scalar last.
    pub orientation: [f64; 4],
}

impl Default for UrdfIkPose {
    /// The identity.
    fn default() -> Self {
        Self::from(&Isometry3::identity())
    }
}

impl From<&Isometry3<f64>> for UrdfIkPose {
    fn from(pose: &Isometry3<f64>) -> Self {
        Self { position: pose.translation.vector.into(), orientation: pose.rotation.coords.into() }
    }
}

/// Converts a pose to the type of the library.
pub(crate) fn isometry(pose: &UrdfIkPose) -> Result<Isometry3<f64>, NotARotation> {
    Ok(Isometry3::from_parts(Translation3::from(pose.position), rotation_from(pose.orientation)?))
}

/// Refuses fields of later versions, and structs that were not initialised.
pub(crate) fn check_reserved(reserved: &[u64], what: &str, initialised_by: &str) -> Result<(), Failure> {
    if reserved.iter().all(|word| *word == 0) {
        return Ok(());
    }
    Err(Failure::argument(format!(
        "the words reserved of {what} are not 0: initialise it by {initialised_by}(), or install the library that the \
         program was built for"
    )))
}
