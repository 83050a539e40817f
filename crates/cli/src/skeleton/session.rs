//! A model and where it is: it answers one request after the other.

use super::answer::{Answer, Description};
use super::request::Request;
use crate::Result;

/// A model and where it is.
pub trait Session {
    fn description(&self) -> Description;

    /// Moves the model as the request says. After an error it is where it was.
    fn answer(&mut self, request: &Request) -> Result<Answer>;

    /// The model as a URDF, its root where it is.
    fn urdf(&self) -> Result<String>;

    /// The picture of how a request is solved, as SVG.
    fn figure(&self, _request: &Request) -> Result<String> {
        Err(format!("--figure has no meaning for a model of the kind {}", self.description().kind).into())
    }
}
