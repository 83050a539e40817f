//! A model with its current configuration, which answers a sequence of requests.

use super::answer::{AnswerOut, Description};
use super::request::SkeletonRequest;
use crate::Result;

/// A model with its current configuration.
pub trait Session {
    fn description(&self) -> Description;

    /// Moves the model as requested. An error leaves it unchanged.
    ///
    /// # Errors
    /// A message if the request is invalid for this model.
    fn answer(&mut self, request: &SkeletonRequest) -> Result<AnswerOut>;

    /// The text of a URDF of the model, with the current pose of its root.
    ///
    /// # Errors
    /// A message if the model cannot be a URDF.
    fn urdf(&self) -> Result<String>;

    /// The picture of the solve of a request, as the text of an SVG file.
    ///
    /// # Errors
    /// A message if the request is invalid, or the model has no picture.
    fn figure(&self, _request: &SkeletonRequest) -> Result<String> {
        Err(format!("--figure has no meaning for a model of the kind {}", self.description().kind).into())
    }
}
