//! The latest targets of the tips and their outcomes, for displays.

use nalgebra::{Isometry3, Point3};

use super::report::{Report, TargetOutcome};
use crate::ros::Lock;
use urdf_ik_motion::Path;
use urdf_ik_solver::Target;

/// Number of points of a displayed path.
const PATH_POINTS: usize = 200;

/// The latest target of each tip, and the current path.
#[derive(Clone, Default)]
pub(crate) struct LatestTargets {
    /// At most one for each tip, in no order.
    pub targets: Vec<LatestTarget>,
    /// Points of the planned path in the base link's frame \[m\]. Empty without a path.
    pub path: Vec<Point3<f64>>,
    /// How often everything was discarded.
    pub cleared: u64,
}

/// The latest target of a tip.
#[derive(Clone, Default)]
pub(crate) struct LatestTarget {
    pub tip_link: String,
    /// In the base link's frame. `None` if the target was refused before it was transformed.
    pub pose: Option<Isometry3<f64>>,
    /// True if at least one rotation axis of the pose is constrained.
    pub has_orientation: bool,
    pub outcome: TargetOutcome,
    /// The outcome as a sentence.
    pub sentence: String,
}

impl LatestTargets {
    /// Stores the pose of a new target in the base link's frame. Its status follows.
    pub(crate) fn note_target(&mut self, tip_link: &str, target: &Target) {
        self.path.clear();
        let entry = self.of(tip_link);
        entry.pose = Some(target.pose);
        entry.has_orientation = target.free_axes[3..].contains(&false);
    }

    /// Stores the path that the arm follows, and its last pose as target. Its status follows.
    pub(crate) fn follow(latest: &Lock<Self>, tip_link: &str, path: &Path) {
        let length = path.length();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let part = |index: usize| length * index as f64 / (PATH_POINTS - 1) as f64;
        // Before the lock, because targets wait for it.
        let points = (0..PATH_POINTS).map(|index| path.pose_at(part(index)).translation.vector.into()).collect();
        let mut latest = latest.lock();
        latest.path = points;
        let entry = latest.of(tip_link);
        (entry.pose, entry.has_orientation) = (Some(path.pose_at(length)), true);
    }

    /// Stores a report on the latest target of its tip.
    pub(crate) fn note(&mut self, report: &Report) {
        // A refusal may refer to no tip.
        if report.status.tip_link.is_empty() {
            return;
        }
        let target = self.of(&report.status.tip_link);
        target.outcome = report.outcome;
        target.sentence.clone_from(&report.status.message);
    }

    /// Discards everything because the arm moves without a target.
    pub(crate) fn clear(&mut self) {
        *self = Self { cleared: self.cleared + 1, ..Self::default() };
    }

    /// The entry of a tip, created if missing.
    fn of(&mut self, tip_link: &str) -> &mut LatestTarget {
        let index = self.targets.iter().position(|target| target.tip_link == tip_link).unwrap_or_else(|| {
            self.targets.push(LatestTarget { tip_link: tip_link.to_owned(), ..LatestTarget::default() });
            self.targets.len() - 1
        });
        &mut self.targets[index]
    }
}
