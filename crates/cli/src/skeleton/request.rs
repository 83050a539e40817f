//! What is asked of a model: a line of the stream, or the command line as one such line.

use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use urdf_ik::nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::skeleton::{Configuration, Options, pitch_yaw};
use urdf_ik_text::names::short;

use super::checked::{check_position, rotation};
use super::json::{Object, Targets};
use crate::Result;

/// The memory of a solve grows with the number of differences; more than these help nobody.
const MAX_DIFFERENCES: usize = 100;
/// Greatest number of iterations: a request ends within minutes, even of a long chain.
const MAX_ITERATIONS: usize = 1_000_000;
/// Greatest number of restarts: a request ends within minutes, even of a long chain.
const MAX_RESTARTS: usize = 10_000;

/// A request. What it leaves out has its default.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// It stands in the answer as it is.
    pub id: Option<Value>,
    /// Names of the points that stay where they are; targets give way.
    pub hold: Vec<String>,
    pub targets: Targets<TargetEntry>,
    pub root: RootEntry,
    pub seed: Seed,
    pub options: Object<OptionsEntry>,
    pub limits: Option<bool>,
    pub pass: Option<Pass>,
    pub up: Option<[f64; 3]>,
    pub method: Option<MethodName>,
    pub path: Option<Object<PathEntry>>,
}

/// A target of a point.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    pub point: String,
    pub position: [f64; 3],
    pub orientation: Option<[f64; 4]>,
    pub weight: Option<f64>,
}

/// Where the root belongs.
#[derive(Clone, Default, Deserialize)]
#[serde(
    rename_all = "snake_case",
    expecting = "the root must be \"fixed\", \"free\" or {\"position\": [x, y, z]}, with \"orientation\": [x, y, z, w] where it turns"
)]
pub enum RootEntry {
    #[default]
    Fixed,
    Free,
    #[serde(untagged)]
    At(Object<PoseEntry>),
}

/// A pose; without an orientation, that which is there stays.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseEntry {
    pub position: [f64; 3],
    pub orientation: Option<[f64; 4]>,
}

impl PoseEntry {
    pub fn pose(&self, current: &UnitQuaternion<f64>) -> Result<Isometry3<f64>> {
        let checked = check_position(self.position).and_then(|()| self.orientation.map_or(Ok(*current), rotation));
        let rotation = checked.map_err(|reason| format!("the root {reason}"))?;
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
#[derive(Args, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[group(requires = "targets")]
pub struct OptionsEntry {
    /// Largest distance from a target at which it is met [m] [default: 1e-6]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// Largest angle from a target at which it is met [rad] [default: 1e-6]
    #[arg(long, value_name = "RAD", allow_negative_numbers = true)]
    pub orientation_tolerance: Option<f64>,
    /// Greatest number of cycles, over all attempts [default: 5000; of a pitch-yaw arm, 500 steps]
    #[arg(long, value_name = "N")]
    pub iterations: Option<usize>,
    /// Greatest number of attempts after the one from the seed [default: 200, in a drag 50; of a pitch-yaw arm, 100]
    #[arg(long, value_name = "N")]
    pub restarts: Option<usize>,
    /// Number of earlier cycles that are combined; 0: FABRIK as published [default: 5]
    #[arg(long, value_name = "N")]
    pub acceleration: Option<usize>,
    /// Close chains by the circle in which two spheres meet
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub circles: Option<bool>,
    /// Leave out the least squares after cycles that have stalled
    #[arg(long = "no-polish", num_args = 0, default_missing_value = "false")]
    pub polish: Option<bool>,
    /// End after this time with the nearest configuration so far [s] [default: none]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

impl OptionsEntry {
    /// Refuses numbers with which a solve would not end, or needs too much memory.
    fn check(&self) -> Result {
        let bounded = [
            ("acceleration is", self.acceleration, MAX_DIFFERENCES),
            ("iterations are", self.iterations, MAX_ITERATIONS),
            ("restarts are", self.restarts, MAX_RESTARTS),
        ];
        match bounded.into_iter().find_map(|(key, asked, most)| Some((key, asked.filter(|asked| *asked > most)?, most)))
        {
            Some((key, asked, most)) => Err(format!("the {key} {asked}; the most is {most}").into()),
            None => Ok(()),
        }
    }

    /// The options of a skeleton that starts there.
    pub fn options(&self, seed: &Seed) -> Result<Options> {
        let default = if let Seed::Previous = seed { Options::of_a_drag() } else { Options::default() };
        let seconds = |limit| Duration::try_from_secs_f64(limit).ok().filter(|limit| !limit.is_zero());
        let refused = |limit| format!("the time limit is {limit:?} s; give a number of seconds above 0");
        let time_limit = self.time_limit.map(|limit| seconds(limit).ok_or_else(|| refused(limit))).transpose()?;
        Ok(Options {
            tolerance: self.tolerance.unwrap_or(default.tolerance),
            orientation_tolerance: self.orientation_tolerance.unwrap_or(default.orientation_tolerance),
            iterations: self.iterations.unwrap_or(default.iterations),
            restarts: self.restarts.unwrap_or(default.restarts),
            acceleration: self.acceleration.unwrap_or(default.acceleration),
            circles: self.circles.unwrap_or(default.circles),
            polish: self.polish.unwrap_or(default.polish),
            time_limit,
        })
    }
}

impl Request {
    /// Refuses keys that have no meaning for `what`, where the request has them; `known` are those that have one.
    pub fn check(&self, what: &str, known: &str) -> Result {
        let Object(options) = &self.options;
        options.check()?;
        let given = [
            ("root", !matches!(self.root, RootEntry::Fixed)),
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
        match given.into_iter().find(|(key, is_given)| *is_given && !known.split(' ').any(|known| known == *key)) {
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
    pub fn only_target(&self, points: &[String]) -> Result<&TargetEntry> {
        let [target] = &*self.targets.0 else {
            return Err(format!("there are {} targets; an arm takes 1", self.targets.0.len()).into());
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
