//! What a model answers, and what it says of itself.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use urdf_ik::nalgebra::{Point3, UnitQuaternion};

/// The model, as the first line of the stream has it.
#[derive(Serialize)]
pub struct Description {
    pub name: String,
    pub kind: &'static str,
    pub dimensions: usize,
    /// Names; the root first.
    pub points: Vec<String>,
    pub segments: Vec<SegmentOut>,
    /// Names of the points that are meant to have targets.
    pub ends: Vec<String>,
    pub rest: Rest,
}

/// A segment of a model.
#[derive(Serialize)]
pub struct SegmentOut {
    pub name: String,
    pub parent: String,
    pub length: f64,
    pub joint: &'static str,
    /// As in the file, in degrees; null where there are none.
    pub limits: Value,
}

/// A model at rest.
#[derive(Serialize)]
pub struct Rest {
    pub points: Vec<[f64; 3]>,
    pub orientations: Vec<[f64; 4]>,
}

/// The answer to a request.
#[derive(Serialize, Default)]
pub struct Answer {
    /// The one that the request has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    pub points: Vec<[f64; 3]>,
    pub orientations: Vec<[f64; 4]>,
    /// Names of the segments whose joints are at a limit.
    pub limited: Vec<String>,
    pub residuals: Vec<ResidualOut>,
    pub iterations: usize,
    pub restarts: usize,
    pub accelerated: usize,
    pub is_solved: bool,
    pub microseconds: f64,
    /// Names of the points that are not where they should be held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_held: Option<Vec<String>>,
    /// Of the joints of a figure of hinges, by segment; of the variables of an arm \[rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configurations: Option<Vec<ConfigurationOut>>,
    /// What an arm with a closed form may do without leaving its target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<PathOut>>,
}

/// What is left of a target.
#[derive(Serialize)]
pub struct ResidualOut {
    pub point: String,
    pub distance: f64,
    pub angle: f64,
    pub solved: bool,
    /// Why it is not met, where that is known.
    pub reason: Option<String>,
    /// Whether the reason proves that no configuration meets it.
    pub is_certain: bool,
}

/// One of several configurations of an arm.
#[derive(Serialize)]
pub struct ConfigurationOut {
    pub points: Vec<[f64; 3]>,
    /// By the names of the variables.
    pub positions: BTreeMap<String, f64>,
    /// Whether the limits of the URDF allow it, which the closed forms do not look at.
    pub allowed: bool,
}

/// A configuration on a path.
#[derive(Serialize)]
pub struct PathOut {
    pub points: Vec<[f64; 3]>,
    /// Whether it is one of the even points, and not one in between.
    pub given: bool,
}

pub fn numbers_of_points(points: &[Point3<f64>]) -> Vec<[f64; 3]> {
    points.iter().map(|point| point.coords.into()).collect()
}

pub fn numbers_of_rotations(rotations: &[UnitQuaternion<f64>]) -> Vec<[f64; 4]> {
    rotations.iter().map(|rotation| rotation.coords.into()).collect()
}
