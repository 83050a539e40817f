//! Publishes and counts statuses, and stores the latest targets.

use std::sync::Arc;

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{ServoStatus, SolveStatus};
use r2r::{Node, QosProfile};

use super::latest::Latest;
use super::report::{Report, TargetOutcome};
use super::warnings::Warnings;
use crate::Result;
use crate::ros::{Lock, Publisher, SERVO_STATUS, STATUS};

/// Publishes and counts statuses, and stores the latest targets.
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

    /// Publishes and counts the outcome of a target.
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

    /// Publishes the status of a motion that has just ended.
    pub(crate) fn report_arrival(&self, mut report: Report, stamp: Time) {
        report.status.joint_state_stamp = stamp;
        self.publish(report);
    }
}

/// Counters since the last report.
#[derive(Default)]
pub(crate) struct Counters(Lock<Counts>);

/// Numbers of targets and queries, and solve times \[s\].
#[derive(Default, Clone)]
pub(crate) struct Counts {
    pub arrived: u64,
    pub answered: u64,
    pub solved: u64,
    pub position_only: u64,
    /// Moving: smooth motion, steps, and lagging arms.
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

    /// Counts a received target.
    pub(crate) fn arrived(&self) {
        self.count(|counts| counts.arrived += 1);
    }

    /// Counts an answered target.
    pub(crate) fn answered(&self, report: &Report) {
        self.count(|counts| {
            counts.answered += 1;
            match report.outcome {
                TargetOutcome::Solved => counts.solved += 1,
                TargetOutcome::PositionOnly => counts.position_only += 1,
                TargetOutcome::StepLimited => counts.under_way += 1,
                TargetOutcome::Invalid
                | TargetOutcome::UnknownFrame
                | TargetOutcome::NoRobot
                | TargetOutcome::FollowingError => {
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

    /// The counts since the last call.
    pub(crate) fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock())
    }
}
