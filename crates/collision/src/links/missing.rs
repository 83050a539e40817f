//! What becomes of collision checks where shapes of links could not be loaded.

use thiserror::Error;

use urdf_ik_text::named_values;
use urdf_ik_text::names::{self, sentence};

named_values! {
    /// What becomes of collision checks where shapes of links could not be loaded. A link that has no shape in the URDF lacks none.
    pub enum MissingShapes("way to treat missing shapes", "ways to treat missing shapes") {
        /// They fail: a clear configuration might still touch the missing shapes.
        Refuse = "refuse",
        /// The links count by the shapes that they have left.
        Ignore = "ignore",
    }
}

/// Links of which shapes could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "shapes of these links could not be loaded, so collisions cannot be excluded: {} ({}); set missing_shapes to ignore where \
     they may count without them",
    names::list(links),
    sentence(reason)
)]
pub struct ShapesMissing {
    /// Names of the links, in the order of the URDF.
    pub links: Vec<String>,
    /// The fault of the first shape.
    pub reason: String,
}

impl MissingShapes {
    /// Checks that no shape is `missing`, where that matters.
    ///
    /// # Errors
    /// [`ShapesMissing`].
    pub fn check(self, missing: Option<&ShapesMissing>) -> Result<(), ShapesMissing> {
        match (self, missing) {
            (Self::Refuse, Some(missing)) => Err(missing.clone()),
            _ => Ok(()),
        }
    }
}
