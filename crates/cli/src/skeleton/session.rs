//! A model with its current configuration, which answers a sequence of requests.

use super::answer::{AnswerOut, Description};
use super::request::SkeletonRequest;
use crate::Result;

/// A model with its current configuration.
pub trait Session {
    fn description(&self) -> Description;

    /// Moves the model by a request. An error leaves it unchanged.
    fn answer(&mut self, request: &SkeletonRequest) -> Result<AnswerOut>;

    /// The model as a URDF, with the current pose of its root.
    fn urdf(&self) -> Result<String>;

    /// The picture of the solve of a request, as SVG.
    fn figure(&self, _request: &SkeletonRequest) -> Result<String> {
        Err(format!("--figure has no meaning for a model of the kind {}", self.description().kind).into())
    }
}
