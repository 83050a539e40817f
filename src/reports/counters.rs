//! Counts of targets and queries, for those who watch the node.

use super::report::{Report, Verdict};
use crate::ros::Lock;

/// What has happened since the last report.
#[derive(Default)]
pub(crate) struct Counters(Lock<Counts>);

/// Numbers of targets and queries, and times of solves \[s\].
#[derive(Default, Clone)]
pub(crate) struct Counts {
    pub arrived: u64,
    pub answered: u64,
    pub solved: u64,
    pub closest: u64,
    pub refused: u64,
    pub queries: u64,
    pub queries_solved: u64,
    pub solve_time: f64,
    pub longest: f64,
}

impl Counters {
    fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.0.lock());
    }

    /// Counts a target that arrived.
    pub(crate) fn arrived(&self) {
        self.count(|counts| counts.arrived += 1);
    }

    /// Counts a target that was answered, with this report.
    pub(crate) fn answered(&self, report: &Report) {
        self.count(|counts| {
            counts.answered += 1;
            match report.verdict {
                Verdict::Solved => counts.solved += 1,
                Verdict::Invalid | Verdict::UnknownFrame | Verdict::NoRobot => counts.refused += 1,
                _ => counts.closest += 1,
            }
            counts.solve_time += report.status.solve_time;
            counts.longest = counts.longest.max(report.status.solve_time);
        });
    }

    /// Counts answered queries, and how many of them are solved.
    pub(crate) fn queries(&self, answered: u32, solved: u32) {
        self.count(|counts| {
            counts.queries += u64::from(answered);
            counts.queries_solved += u64::from(solved);
        });
    }

    /// What was counted since this was asked last.
    pub(crate) fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock())
    }
}
