//! What was asked of the tips last, and what became of it: for those who draw it.

use nalgebra::{Isometry3, Point3};

use super::report::{Report, Verdict};
use crate::ros::Lock;
use urdf_ik_motion::Path;
use urdf_ik_solver::Target;

/// Number of points that show a path.
const PATH_POINTS: usize = 200;

/// The newest target of each tip, and the path that the arm follows.
#[derive(Default)]
pub(crate) struct Latest(Lock<LatestTargets>);

/// A copy of [`Latest`] at one moment.
#[derive(Clone, Default)]
pub(crate) struct LatestTargets {
    /// In no order; at most one for each tip.
    pub targets: Vec<LatestTarget>,
    /// Points of the planned path, in the base link's frame \[m\]. Empty where the arm follows none.
    pub path: Vec<Point3<f64>>,
    /// How often all was forgotten until now.
    pub cleared: u64,
}

/// The newest target of a tip.
#[derive(Clone)]
pub(crate) struct LatestTarget {
    pub tip_link: String,
    /// In the base link's frame. `None` where the target was refused before its pose was known there.
    pub pose: Option<Isometry3<f64>>,
    /// Whether the orientation of the pose is asked for: all of it or a part.
    pub has_orientation: bool,
    pub verdict: Verdict,
    /// The verdict as a sentence.
    pub sentence: String,
}

impl Latest {
    /// What is newest now.
    pub(crate) fn now(&self) -> LatestTargets {
        self.0.lock().clone()
    }

    /// Notes the pose of a new target, in the base link's frame. Its status follows.
    pub(crate) fn note_target(&self, tip_link: &str, target: &Target) {
        let mut latest = self.0.lock();
        latest.path.clear();
        let entry = latest.of(tip_link);
        entry.pose = Some(target.pose);
        entry.has_orientation = target.free_axes[3..].contains(&false);
    }

    /// Notes the path that the arm follows to its last pose. Its status follows.
    pub(crate) fn follow(&self, tip_link: &str, path: &Path) {
        let length = path.length();
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let part = |index: usize| length * index as f64 / (PATH_POINTS - 1) as f64;
        // Before the lock, because targets wait for it.
        let points = (0..PATH_POINTS).map(|index| path.pose_at(part(index)).translation.vector.into()).collect();
        let mut latest = self.0.lock();
        latest.path = points;
        let entry = latest.of(tip_link);
        (entry.pose, entry.has_orientation) = (Some(path.pose_at(length)), true);
    }

    /// Notes a report on the newest target of its tip.
    pub(crate) fn note(&self, report: &Report) {
        // A refusal may be about no tip.
        if report.status.tip_link.is_empty() {
            return;
        }
        let mut latest = self.0.lock();
        let target = latest.of(&report.status.tip_link);
        target.verdict = report.verdict;
        target.sentence.clone_from(&report.status.message);
    }

    /// Forgets all, because the arm goes where no target asks it to be.
    pub(crate) fn clear(&self) {
        let mut latest = self.0.lock();
        *latest = LatestTargets { cleared: latest.cleared + 1, ..LatestTargets::default() };
    }
}

impl LatestTargets {
    /// The entry of a tip; a new one where it has none.
    fn of(&mut self, tip_link: &str) -> &mut LatestTarget {
        let index = self.targets.iter().position(|target| target.tip_link == tip_link).unwrap_or_else(|| {
            let tip_link = tip_link.to_owned();
            self.targets.push(LatestTarget {
                tip_link,
                pose: None,
                has_orientation: false,
                verdict: Verdict::Solved,
                sentence: String::new(),
            });
            self.targets.len() - 1
        });
        &mut self.targets[index]
    }
}
