//! A model and where it is: it answers one request after the other.

use std::path::Path;

use urdf_ik::files::MAX_URDF_BYTES;
use urdf_ik::skeleton::file::{Model, ModelError};

use super::answer::{Answer, Description};
use super::links::Links;
use super::pitch_yaw::Arm;
use super::request::Request;
use super::tree::Tree;
use crate::Failure;
use crate::input::{place, read_text, robot_from};

/// A model and where it is.
pub trait Session {
    fn description(&self) -> Description;

    /// Moves the model as the request says. After an error it is where it was.
    fn answer(&mut self, request: &Request) -> Result<Answer, Failure>;

    /// The model as a URDF, its root where it is.
    fn urdf(&self) -> Result<String, Failure>;

    /// The picture of how a request is solved, as SVG.
    fn figure(&self, _request: &Request) -> Result<String, Failure> {
        Err(format!("--figure has no meaning for a model of the kind {}", self.description().kind).into())
    }
}

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
