//! The switches of `urdf_ik skeleton`, from which a request is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args};
use serde::Deserialize;
use urdf_ik::skeleton::SkeletonConfiguration;

use super::answer::Description;
use super::checked::rotation;
use super::json::Object;
use super::request::{Pass, PathEntry, PoseEntry, RootRequest, SkeletonRequest, StartEntry};
use crate::Result;
use crate::input::{place, read_json};
use crate::options::StepMethod;

/// Switches of a request.
#[derive(Args)]
#[group(requires = "targets")]
pub struct Switches {
    /// Free the root, which then follows the targets
    #[arg(long)]
    free_root: bool,
    /// Move the root to this position [m] and orientation quaternion
    #[arg(long, num_args = 7, action = ArgAction::Set, conflicts_with = "free_root", allow_hyphen_values = true,
          value_names = ["X", "Y", "Z", "QX", "QY", "QZ", "QW"])]
    root: Option<Vec<f64>>,
    /// Start from the points and orientations of an earlier answer [default: at rest]
    #[arg(long, value_name = "FILE.json")]
    seed: Option<PathBuf>,
    /// Free all joints, and bounds of pitch and yaw
    #[arg(long)]
    no_limits: bool,
    /// Single passes in this order instead of a solve, separated by commas: forward, backward. The exit status is 0 for
    /// any result
    #[arg(long = "pass", value_name = "PASSES", value_delimiter = ',', conflicts_with = "figure")]
    passes: Vec<Pass>,
    /// Hold a point in place, with priority over targets. May be repeated
    #[arg(long, value_name = "POINT")]
    hold: Vec<String>,
    /// Direction of the last of three links [default: 0 0 1]
    #[arg(long, num_args = 3, action = ArgAction::Set, allow_hyphen_values = true, value_names = ["X", "Y", "Z"])]
    up: Option<Vec<f64>>,
    /// Step of a pitch-yaw arm [default: damped]
    #[arg(long, value_enum)]
    method: Option<StepMethod>,
    /// Move a pitch-yaw arm on a straight line, in even steps of at most this length [m]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    longest_step: Option<f64>,
}

/// The configuration in an earlier answer.
#[derive(Deserialize)]
struct Earlier {
    points: BTreeMap<String, [f64; 3]>,
    orientations: BTreeMap<String, [f64; 4]>,
}

impl Switches {
    /// The request to the described `model`, without targets and passes.
    ///
    /// # Errors
    /// A message if the file of `--seed` cannot be read or does not have all points of the model.
    pub fn request(&self, model: &Description) -> Result<SkeletonRequest> {
        let root = match &self.root {
            Some(numbers) => RootRequest::At(Object(PoseEntry {
                position: [0, 1, 2].map(|index| numbers[index]),
                orientation: Some([3, 4, 5, 6].map(|index| numbers[index])),
            })),
            None if self.free_root => RootRequest::Free,
            None => RootRequest::Fixed,
        };
        let seed = self.seed.as_deref().map(|path| read_seed(path, &model.points)).transpose()?;
        Ok(SkeletonRequest {
            root,
            seed: seed.map_or(StartEntry::Rest, StartEntry::Given),
            limits: self.no_limits.then_some(false),
            hold: self.hold.clone(),
            up: self.up.as_ref().map(|up| [up[0], up[1], up[2]]),
            method: self.method,
            path: self.longest_step.map(|longest_step| Object(PathEntry { longest_step })),
            ..SkeletonRequest::default()
        })
    }

    /// The requested passes in their order, or one `None` for a whole solve.
    pub fn passes(&self) -> Vec<Option<Pass>> {
        if self.passes.is_empty() { vec![None] } else { self.passes.iter().copied().map(Some).collect() }
    }
}

/// The configuration in an earlier answer, whose points have these `names`.
fn read_seed(path: &Path, names: &[String]) -> Result<SkeletonConfiguration> {
    let Object(earlier) = read_json::<Object<Earlier>>(path)?;
    let missing = |name: &str| format!("{}: there is no point or no orientation '{name}'", place(path));
    let mut seed = SkeletonConfiguration::default();
    for name in names {
        let point = earlier.points.get(name).ok_or_else(|| missing(name))?;
        let orientation = earlier.orientations.get(name).ok_or_else(|| missing(name))?;
        seed.points.push((*point).into());
        let rotation = rotation(*orientation).map_err(|reason| format!("{}: '{name}' {reason}", place(path)))?;
        seed.orientations.push(rotation);
    }
    Ok(seed)
}
