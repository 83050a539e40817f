//! Publishes statuses, counts them, and keeps what they say of the newest targets.

use std::sync::Arc;

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{ServoStatus, SolveStatus};
use r2r::{Node, QosProfile};

use super::latest::Latest;
use super::report::{Report, Verdict};
use super::warnings::Warnings;
use crate::Result;
use crate::ros::{Lock, Publisher, SERVO_STATUS, STATUS};

/// Publishes statuses, counts them, and keeps what they say of the newest targets.
pub(crate) struct Reporter {
    publisher: Publisher<SolveStatus>,
    pub servo: Publisher<ServoStatus>,
    pub latest: Latest,
    pub counters: Counters,
    pub warnings: Arc<Warnings>,
}

impl Reporter {
    pub(crate) fn new(node: &mut Node, warnings: Arc<Warnings>) -> Result<Self> {
        let quality = QosProfile::default().keep_last(10);
        let publisher = Publisher::new(node, STATUS, quality.clone())?;
        let servo = Publisher::new(node, SERVO_STATUS, quality)?;
        Ok(Self { publisher, servo, latest: Latest::default(), counters: Counters::default(), warnings })
    }

    /// Publishes the answer to a target and counts it.
    pub(crate) fn report(&self, report: Report) {
        self.counters.answered(&report);
        self.publish(report);
    }

    fn publish(&self, report: Report) {
        self.latest.note(&report);
        self.publisher.publish(&report.message());
    }

    /// Publishes the status of the servo after a tick.
    pub(crate) fn report_servo(&self, status: ServoStatus, header: Header) {
        self.servo.publish(&ServoStatus { header, ..status });
    }

    /// Publishes the status of a motion that has ended now.
    pub(crate) fn report_arrival(&self, mut report: Report, stamp: Time) {
        report.status.joint_state_stamp = stamp;
        self.publish(report);
    }
}

/// What has happened since the last report.
#[derive(Default)]
pub(crate) struct Counters(Lock<Counts>);

/// Numbers of targets and queries, and times of solves \[s\].
#[derive(Default, Clone)]
pub(crate) struct Counts {
    pub arrived: u64,
    pub answered: u64,
    pub solved: u64,
    pub position_only: u64,
    /// On their way: smooth motion, steps, and arms that lag.
    pub under_way: u64,
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
                Verdict::PositionOnly => counts.position_only += 1,
                Verdict::StepLimited => counts.under_way += 1,
                Verdict::Invalid | Verdict::UnknownFrame | Verdict::NoRobot | Verdict::FollowingError => {
                    counts.refused += 1;
                }
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
