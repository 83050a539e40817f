//! How collision checks treat links whose shapes could not be loaded.

use thiserror::Error;

use urdf_ik_text::named_values;
use urdf_ik_text::names::{self, sentence};

named_values! {
    /// How collision checks treat links whose shapes could not be loaded. Links without a `<collision>` element are not
    /// affected.
    #[non_exhaustive]
    pub enum MissingShapes("way to treat missing shapes", "ways to treat missing shapes") {
        /// Collision checks fail, because a missing shape might be in contact.
        Refuse = "refuse",
        /// The links are checked with the shapes that could be loaded.
        Ignore = "ignore",
    }
}

/// Links whose shapes could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "shapes of these links could not be loaded, so collisions cannot be excluded: {} ({}); set missing_shapes to ignore where \
     they may count without them",
    names::list(links),
    sentence(reason)
)]
pub struct MissingShapesError {
    /// Names of the links, in the order of the URDF.
    pub links: Vec<String>,
    /// Reason why the first shape could not be loaded.
    pub reason: String,
}

/// No link has a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("collisions cannot be avoided: no link of the robot has a collision shape")]
pub struct NoShapesError;

impl MissingShapes {
    /// Applies the policy to `missing` shapes.
    ///
    /// # Errors
    /// A clone of `missing` under [`MissingShapes::Refuse`].
    pub fn check(self, missing: Option<&MissingShapesError>) -> Result<(), MissingShapesError> {
        match (self, missing) {
            (Self::Refuse, Some(missing)) => Err(missing.clone()),
            _ => Ok(()),
        }
    }
}
