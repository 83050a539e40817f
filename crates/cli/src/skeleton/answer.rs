//! What a model answers, and what it says of itself.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use urdf_ik::skeleton::Configuration;

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
    pub rest: Pose,
}

impl Description {
    /// An arm: a row of segments with these lengths \[m\], joints and limits.
    pub fn of_arm(
        name: &str,
        kind: &'static str,
        points: &[String],
        rest: Pose,
        shapes: impl Iterator<Item = (f64, &'static str, Value)>,
    ) -> Self {
        let segment = |(ends, (length, joint, limits)): (&[String], _)| SegmentOut {
            name: ends[1].clone(),
            parent: ends[0].clone(),
            length,
            joint,
            limits,
        };
        let segments = points.windows(2).zip(shapes).map(segment).collect();
        let ends = points.last().into_iter().cloned().collect();
        Self { name: name.to_owned(), kind, dimensions: 3, points: points.to_vec(), segments, ends, rest }
    }
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

/// Where a model is.
#[derive(Serialize, Default)]
pub struct Pose {
    pub points: Vec<[f64; 3]>,
    pub orientations: Vec<[f64; 4]>,
}

impl From<&Configuration> for Pose {
    fn from(configuration: &Configuration) -> Self {
        let Configuration { points, orientations } = configuration;
        let points = points.iter().map(|point| point.coords.into()).collect();
        Self { points, orientations: orientations.iter().map(|rotation| rotation.coords.into()).collect() }
    }
}

/// The answer to a request.
#[derive(Serialize, Default)]
pub struct Answer {
    /// The one that the request has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    #[serde(flatten)]
    pub pose: Pose,
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

/// What `work` gives, and the time that it took \[µs\].
pub fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let begin = Instant::now();
    let done = work()?;
    Ok((done, begin.elapsed().as_secs_f64() * 1e6))
}
