//! The JSON of models and answers.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use urdf_ik::skeleton::SkeletonConfiguration;

/// The description of a model, as in the first line of the stream.
#[derive(Serialize)]
pub struct Description {
    pub name: String,
    /// `skeleton`, `pitch_yaw`, `two_link` or `three_link`.
    pub kind: &'static str,
    /// 2 for a planar model, otherwise 3.
    pub dimensions: usize,
    /// Names of the points, the root first.
    pub points: Vec<String>,
    pub segments: Vec<SegmentOut>,
    /// Names of the points that usually have targets.
    pub ends: Vec<String>,
    /// The configuration at rest.
    pub rest: PointsOut,
}

impl Description {
    /// Describes an arm, a series of segments. `points` are the names of its points from the base to the tip; `shapes`
    /// has the length \[m\], joint and limits \[°\] of each segment.
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
    /// Name of the segment and of the point at its end.
    pub name: String,
    /// Name of the point at its beginning.
    pub parent: String,
    /// Length \[m\].
    pub length: f64,
    /// Kind of the joint at its beginning: `free`, `hinge`, `cone` or `other`.
    pub joint: &'static str,
    /// Limits of the joint \[°\], as in the file; null without limits.
    pub limits: Value,
}

/// The configuration of a model, in the model's frame: for a URDF, the frame of its root link.
#[derive(Serialize, Default)]
pub struct PointsOut {
    /// Position (x, y, z) of each point \[m\], the root first.
    pub points: Vec<[f64; 3]>,
    /// Orientation quaternion (x, y, z, w) at each point, in the same order.
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
    /// The `id` of the request, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    #[serde(flatten)]
    /// The configuration reached.
    pub pose: PointsOut,
    /// Names of the segments whose joints are at a limit.
    pub limited: Vec<String>,
    /// The residual of each target.
    pub residuals: Vec<ResidualOut>,
    pub iterations: usize,
    pub restarts: usize,
    pub accelerated: usize,
    /// True if all targets are met, and held points and a fixed root are in place.
    pub is_solved: bool,
    /// Duration of the solve \[µs\].
    pub microseconds: f64,
    /// Names of the points that could not be held; `None` if none had to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_held: Option<Vec<String>>,
    /// Joint positions \[rad\], by segment for a skeleton of hinges, by variable for an arm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<BTreeMap<String, f64>>,
    /// All configurations of an arm with a closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configurations: Option<Vec<ConfigurationOut>>,
    /// Self-motions of an arm with a closed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<Vec<&'static str>>,
    /// The configurations on the requested path, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<PathOut>>,
}

/// The remaining error of a target.
#[derive(Serialize)]
pub struct ResidualOut {
    /// Name of the point that has the target.
    pub point: String,
    /// Distance of the point from its target \[m\].
    pub distance: f64,
    /// Angle from the target orientation, or of the last of three links from `up` \[rad\]; otherwise 0.
    pub angle: f64,
    /// True if the target is met.
    pub solved: bool,
    /// The reason why it is not met, if known.
    pub reason: Option<String>,
    /// True if the reason proves that no configuration meets the target.
    pub is_certain: bool,
}

/// One of several configurations of an arm.
#[derive(Serialize)]
pub struct ConfigurationOut {
    /// Position of each point \[m\], in the root link's frame.
    pub points: Vec<[f64; 3]>,
    /// Joint positions by variable \[rad\].
    pub positions: BTreeMap<String, f64>,
    /// True if it is within the limits of the URDF. Closed forms ignore them.
    pub allowed: bool,
}

/// A configuration on a path.
#[derive(Serialize)]
pub struct PathOut {
    /// Position of each point \[m\], the root first.
    pub points: Vec<[f64; 3]>,
    /// True for the evenly spaced points, false for points in between.
    pub given: bool,
}

/// Calls `work`. Returns its result and its duration \[µs\].
///
/// # Errors
/// The error of `work`.
pub fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let begin = Instant::now();
    let done = work()?;
    Ok((done, begin.elapsed().as_secs_f64() * 1e6))
}
