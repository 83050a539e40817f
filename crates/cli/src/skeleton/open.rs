//! Which kind of model a file has.

use std::path::Path;

use urdf_ik::files::MAX_URDF_BYTES;
use urdf_ik::skeleton::file::{Model, ModelError};

use super::links::Links;
use super::pitch_yaw::Arm;
use super::session::Session;
use super::tree::Tree;
use crate::Failure;
use crate::input::{place, read_text, robot_from};

/// Opens the model of a file: YAML of a skeleton or of a pitch-yaw arm, or the URDF of an arm of two or three links.
pub fn open(path: &Path) -> Result<Box<dyn Session>, Failure> {
    let text = read_text(path, MAX_URDF_BYTES)?;
    if text.trim_start().starts_with('<') {
        return Ok(Box::new(Links::new(robot_from(&text, path)?)?));
    }
    Ok(match Model::from_yaml(&text).map_err(|e| ModelError { place: place(path), ..e })? {
        Model::Skeleton(model) => Box::new(Tree::new(model)?),
        Model::PitchYaw(model) => Box::new(Arm::new(model)?),
    })
}
