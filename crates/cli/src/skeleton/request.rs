//! Requests: lines of the stream, or the command line in the same form.

use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use urdf_ik::nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::skeleton::{SkeletonConfiguration, SkeletonOptions, pitch_yaw};
use urdf_ik_text::names::short;

use super::checked::{check_position, rotation};
use super::json::{Object, Targets};
use crate::Result;
use crate::options::StepMethod;

/// Greatest number of combined cycles. The memory of a solve is proportional to it.
const MAX_DIFFERENCES: usize = 100;
/// Greatest number of iterations: a request ends within minutes, even of a long chain.
const MAX_ITERATIONS: usize = 1_000_000;
/// Greatest number of restarts: a request ends within minutes, even of a long chain.
const MAX_RESTARTS: usize = 10_000;

/// A request. Missing keys have their defaults.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SkeletonRequest {
    /// Copied into the answer.
    pub id: Option<Value>,
    /// Names of the points to hold, with priority over targets.
    pub hold: Vec<String>,
    pub targets: Targets<TargetEntry>,
    pub root: RootRequest,
    pub seed: StartEntry,
    pub options: Object<OptionsEntry>,
    /// False: free all joints, and bounds of pitch and yaw.
    pub limits: Option<bool>,
    /// A single pass in place of a solve.
    pub pass: Option<Pass>,
    /// Direction of the last of three links, in the root link's frame.
    pub up: Option<[f64; 3]>,
    /// Step of a pitch-yaw arm.
    pub method: Option<StepMethod>,
    pub path: Option<Object<PathEntry>>,
}

/// A target of a point.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// Name of the point.
    pub point: String,
    /// Position (x, y, z) \[m\].
    pub position: [f64; 3],
    /// Orientation quaternion (x, y, z, w); `None` for any.
    pub orientation: Option<[f64; 4]>,
    /// Weight relative to other targets, from 1e-6 to 1e6; 1 if `None`.
    pub weight: Option<f64>,
}

/// Constraint of the root.
#[derive(Clone, Default, Deserialize)]
#[serde(
    rename_all = "snake_case",
    expecting = "the root must be \"fixed\", \"free\" or {\"position\": [x, y, z]}, with \"orientation\": [x, y, z, w] where it turns"
)]
pub enum RootRequest {
    #[default]
    Fixed,
    Free,
    #[serde(untagged)]
    At(Object<PoseEntry>),
}

/// A pose of the root.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseEntry {
    /// Position (x, y, z) \[m\].
    pub position: [f64; 3],
    /// Orientation quaternion (x, y, z, w); the current one if `None`.
    pub orientation: Option<[f64; 4]>,
}

impl PoseEntry {
    /// The pose \[m\], with the orientation `current` if it has none.
    ///
    /// # Errors
    /// A message if the position is too far away, or the quaternion does not have length 1.
    pub fn pose(&self, current: &UnitQuaternion<f64>) -> Result<Isometry3<f64>> {
        let checked = check_position(self.position).and_then(|()| self.orientation.map_or(Ok(*current), rotation));
        let rotation = checked.map_err(|reason| format!("the root {reason}"))?;
        Ok(Isometry3::from_parts(self.position.into(), rotation))
    }
}

/// Seed of a solve.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartEntry {
    /// The configuration of the previous answer.
    #[default]
    Previous,
    /// The configuration at rest.
    Rest,
    /// A configuration from the file of `--seed`.
    #[serde(skip)]
    Given(SkeletonConfiguration),
}

/// One pass of a cycle.
#[derive(Clone, Copy, PartialEq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// From the ends at their targets to the root
    Forward,
    /// From the fixed root to the ends
    Backward,
}

impl From<StepMethod> for pitch_yaw::StepMethod {
    fn from(method: StepMethod) -> Self {
        match method {
            StepMethod::Damped => Self::DampedLeastSquares,
            StepMethod::Pseudoinverse => Self::Pseudoinverse,
        }
    }
}

/// Discretisation of a path.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathEntry {
    /// Largest distance between successive evenly spaced points of the path \[m\].
    pub longest_step: f64,
}

/// Options of a solve; `None` is the default.
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
    /// Refuses numbers that take too long or too much memory.
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

    /// The options of a skeleton. Defaults depend on `seed`: after a previous answer, they are those of a drag.
    ///
    /// # Errors
    /// A message if the time limit is not a number of seconds above 0.
    pub fn options(&self, seed: &StartEntry) -> Result<SkeletonOptions> {
        let default =
            if let StartEntry::Previous = seed { SkeletonOptions::for_drag() } else { SkeletonOptions::default() };
        let seconds = |limit| Duration::try_from_secs_f64(limit).ok().filter(|limit| !limit.is_zero());
        let refused = |limit| format!("the time limit is {limit:?} s; give a number of seconds above 0");
        let time_limit = self.time_limit.map(|limit| seconds(limit).ok_or_else(|| refused(limit))).transpose()?;
        Ok(default
            .with_tolerance(self.tolerance.unwrap_or(default.tolerance))
            .with_orientation_tolerance(self.orientation_tolerance.unwrap_or(default.orientation_tolerance))
            .with_iterations(self.iterations.unwrap_or(default.iterations))
            .with_restarts(self.restarts.unwrap_or(default.restarts))
            .with_acceleration(self.acceleration.unwrap_or(default.acceleration))
            .with_circles(self.circles.unwrap_or(default.circles))
            .with_polish(self.polish.unwrap_or(default.polish))
            .with_time_limit(time_limit))
    }
}

impl SkeletonRequest {
    /// Checks that the request has only keys in `known`, separated by spaces, and acceptable options. `what` names the
    /// model in the message.
    ///
    /// # Errors
    /// A message that names the first key without meaning, or an option that is too large.
    pub fn check(&self, what: &str, known: &str) -> Result {
        let Object(options) = &self.options;
        options.check()?;
        let given = [
            ("root", !matches!(self.root, RootRequest::Fixed)),
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
                // Switches with names other than their keys.
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

    /// The only target of an arm: a position of the last of its `points`.
    ///
    /// # Errors
    /// A message if there is not exactly one target, or it is another one.
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
