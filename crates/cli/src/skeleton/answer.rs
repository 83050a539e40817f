//! The JSON of models and answers.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use urdf_ik::skeleton::SkeletonConfiguration;

/// The model as in the first line of the stream.
#[derive(Serialize)]
pub struct Description {
    pub name: String,
    pub kind: &'static str,
    pub dimensions: usize,
    /// Names; the root first.
    pub points: Vec<String>,
    pub segments: Vec<SegmentOut>,
    /// Names of the points that usually have targets.
    pub ends: Vec<String>,
    pub rest: PointsOut,
}

impl Description {
    /// Describes an arm, a series of segments with these lengths \[m\], joints and limits.
    pub fn of_arm(
        name: &str,
        kind: &'static str,
        points: &[String],
        rest: PointsOut,
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
    /// As in the file, in degrees; null without limits.
    pub limits: Value,
}

/// The configuration of a model: positions \[m\] and orientations (x, y, z, w) of its points.
#[derive(Serialize, Default)]
pub struct PointsOut {
    pub points: Vec<[f64; 3]>,
    pub orientations: Vec<[f64; 4]>,
}

impl From<&SkeletonConfiguration> for PointsOut {
    fn from(configuration: &SkeletonConfiguration) -> Self {
        let SkeletonConfiguration { points, orientations } = configuration;
        let points = points.iter().map(|point| point.coords.into()).collect();
        Self { points, orientations: orientations.iter().map(|rotation| rotation.coords.into()).collect() }
    }
}

/// The answer to a request.
#[derive(Serialize, Default)]
pub struct AnswerOut {
    /// The id of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    #[serde(flatten)]
    pub pose: PointsOut,
    /// Names of the segments whose joints are at a limit.
    pub limited: Vec<String>,
    pub residuals: Vec<ResidualOut>,
    pub iterations: usize,
    pub restarts: usize,
    pub accelerated: usize,
    pub is_solved: bool,
    pub microseconds: f64,
    /// Names of the points that could not be held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_held: Option<Vec<String>>,
    /// Joint positions by segment for a skeleton of hinges, by variable for an arm \[rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<BTreeMap<String, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configurations: Option<Vec<ConfigurationOut>>,
    /// Self-motions of an arm with a closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<PathOut>>,
}

/// The remaining error of a target: distance \[m\] and angle \[rad\].
#[derive(Serialize)]
pub struct ResidualOut {
    pub point: String,
    pub distance: f64,
    pub angle: f64,
    pub solved: bool,
    /// Why it is not met, if known.
    pub reason: Option<String>,
    /// True if the reason proves that no configuration meets the target.
    pub is_certain: bool,
}

/// One of several configurations of an arm.
#[derive(Serialize)]
pub struct ConfigurationOut {
    pub points: Vec<[f64; 3]>,
    /// By variable \[rad\].
    pub positions: BTreeMap<String, f64>,
    /// Whether it is within the limits of the URDF, which closed forms ignore.
    pub allowed: bool,
}

/// A configuration on a path.
#[derive(Serialize)]
pub struct PathOut {
    pub points: Vec<[f64; 3]>,
    /// True for the evenly spaced points, false for points in between.
    pub given: bool,
}

/// The result of `work`, and its duration \[µs\].
pub fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let begin = Instant::now();
    let done = work()?;
    Ok((done, begin.elapsed().as_secs_f64() * 1e6))
}
