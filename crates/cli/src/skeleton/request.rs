//! What is asked of a model: a line of the stream, or the command line as one such line.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use urdf_ik::nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::skeleton::{Configuration, Options, pitch_yaw};

use super::checked::{check_position, rotation};
use super::json::{object, object_or_null, short, targets};
use crate::Failure;

/// The memory of a solve grows with the number of differences; more than these help nobody.
const MOST_DIFFERENCES: usize = 100;
/// A request ends within minutes, even of a long chain.
const MOST_ITERATIONS: usize = 1_000_000;
const MOST_RESTARTS: usize = 10_000;

/// A request. What it leaves out has its default.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// It stands in the answer as it is.
    pub id: Option<Value>,
    /// Names of the points that stay where they are; targets give way.
    pub hold: Vec<String>,
    #[serde(deserialize_with = "targets")]
    pub targets: Vec<TargetEntry>,
    pub root: RootEntry,
    pub seed: Seed,
    #[serde(deserialize_with = "object")]
    pub options: OptionsEntry,
    pub limits: Option<bool>,
    pub pass: Option<Pass>,
    pub up: Option<[f64; 3]>,
    pub method: Option<MethodName>,
    #[serde(deserialize_with = "object_or_null")]
    pub path: Option<PathEntry>,
}

/// A target of a point.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    pub point: String,
    pub position: [f64; 3],
    pub orientation: Option<[f64; 4]>,
    pub weight: Option<f64>,
}

/// Where the root belongs.
#[derive(Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "the root must be \"fixed\", \"free\" or {\"position\": [x, y, z]}, with \"orientation\": [x, y, z, w] where it turns"
)]
pub enum RootEntry {
    Named(RootName),
    At(#[serde(deserialize_with = "object")] PoseEntry),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootName {
    Fixed,
    Free,
}

impl Default for RootEntry {
    fn default() -> Self {
        Self::Named(RootName::Fixed)
    }
}

/// A pose; without an orientation, that which is there stays.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseEntry {
    pub position: [f64; 3],
    pub orientation: Option<[f64; 4]>,
}

impl PoseEntry {
    pub fn pose(&self, current: &UnitQuaternion<f64>) -> Result<Isometry3<f64>, Failure> {
        check_position(self.position).map_err(|reason| format!("the root {reason}"))?;
        let rotation =
            self.orientation.map_or(Ok(*current), rotation).map_err(|reason| format!("the root {reason}"))?;
        Ok(Isometry3::from_parts(self.position.into(), rotation))
    }
}

/// Where a solve starts.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seed {
    #[default]
    Previous,
    Rest,
    /// Of a file that the command line names.
    #[serde(skip)]
    Given(Configuration),
}

/// One pass of a cycle.
#[derive(Clone, Copy, PartialEq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// From the ends, which are put to their targets, to the root
    Forward,
    /// From the root, which is put in its place, to the ends
    Backward,
}

/// How the pitch-yaw arm finds a step.
#[derive(Clone, Copy, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum MethodName {
    Damped,
    Pseudoinverse,
}

impl From<MethodName> for pitch_yaw::Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Damped => Self::DampedLeastSquares,
            MethodName::Pseudoinverse => Self::Pseudoinverse,
        }
    }
}

/// How a path is cut.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathEntry {
    pub longest_step: f64,
}

/// The options that are not at their defaults.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionsEntry {
    pub tolerance: Option<f64>,
    pub orientation_tolerance: Option<f64>,
    pub iterations: Option<usize>,
    pub restarts: Option<usize>,
    pub acceleration: Option<usize>,
    pub circles: Option<bool>,
    pub polish: Option<bool>,
    /// \[s\]
    pub time_limit: Option<f64>,
}

impl OptionsEntry {
    /// The options of a skeleton.
    pub fn options(&self) -> Result<Options, Failure> {
        let default = Options::default();
        let acceleration = self.acceleration.unwrap_or(default.acceleration);
        for (key, asked, most) in [
            ("acceleration is", Some(acceleration), MOST_DIFFERENCES),
            ("iterations are", self.iterations, MOST_ITERATIONS),
            ("restarts are", self.restarts, MOST_RESTARTS),
        ] {
            if let Some(asked) = asked.filter(|asked| *asked > most) {
                return Err(format!("the {key} {asked}; the most is {most}").into());
            }
        }
        let time_limit = self.time_limit.map(Duration::try_from_secs_f64).transpose();
        let time_limit =
            time_limit.ok().filter(|limit| limit.is_none_or(|limit| !limit.is_zero())).ok_or_else(|| {
                format!(
                    "the time limit is {:?} s; give a number of seconds above 0",
                    self.time_limit.unwrap_or_default()
                )
            })?;
        Ok(Options {
            tolerance: self.tolerance.unwrap_or(default.tolerance),
            orientation_tolerance: self.orientation_tolerance.unwrap_or(default.orientation_tolerance),
            iterations: self.iterations.unwrap_or(default.iterations),
            restarts: self.restarts.unwrap_or(default.restarts),
            acceleration,
            circles: self.circles.unwrap_or(default.circles),
            polish: self.polish.unwrap_or(default.polish),
            time_limit,
        })
    }
}

impl Request {
    /// Refuses keys that have no meaning for `what`, where the request has them; `known` are those that have one.
    pub fn check(&self, what: &str, known: &[&str]) -> Result<(), Failure> {
        let options = &self.options;
        let given = [
            ("root", !matches!(self.root, RootEntry::Named(RootName::Fixed))),
            ("limits", self.limits.is_some()),
            ("pass", self.pass.is_some()),
            ("up", self.up.is_some()),
            ("method", self.method.is_some()),
            ("path", self.path.is_some()),
            ("tolerance", options.tolerance.is_some()),
            ("orientation_tolerance", options.orientation_tolerance.is_some()),
            ("iterations", options.iterations.is_some()),
            ("restarts", options.restarts.is_some()),
            ("acceleration", options.acceleration.is_some()),
            ("circles", options.circles.is_some()),
            ("polish", options.polish.is_some()),
            ("time_limit", options.time_limit.is_some()),
            ("hold", !self.hold.is_empty()),
        ];
        match given.into_iter().find(|(key, is_given)| *is_given && !known.contains(key)) {
            Some((key, _)) => {
                // Switches whose names say something else.
                let switch = match key {
                    "path" => " (--longest-step)",
                    "limits" => " (--no-limits)",
                    "polish" => " (--no-polish)",
                    _ => "",
                };
                Err(format!("{key}{switch} has no meaning for {what}").into())
            }
            None => Ok(()),
        }
    }

    /// The only target, which must be a position for the last point of an arm.
    pub fn only_target(&self, points: &[String]) -> Result<&TargetEntry, Failure> {
        let [target] = self.targets.as_slice() else {
            return Err(format!("there are {} targets; an arm takes 1", self.targets.len()).into());
        };
        let tip = points.last().map_or("", String::as_str);
        if target.point != tip {
            return Err(
                format!("the target is for '{}'; an arm takes one for its tip, '{tip}'", short(&target.point)).into()
            );
        }
        if target.orientation.is_some() || target.weight.is_some() {
            return Err("the target of an arm is a position alone; leave out orientation and weight".into());
        }
        Ok(target)
    }
}
