//! Publishes and counts statuses, and stores the latest targets.

use std::sync::Arc;

use r2r::QosProfile;
use r2r::builtin_interfaces::msg::Time;
use r2r::urdf_ik::msg::{ServoStatus, SolveStatus};

use super::latest::LatestTargets;
use super::report::{Report, TargetOutcome};
use super::warnings::Warnings;
use crate::Result;
use crate::ros::{Lock, Publisher, SERVO_STATUS, STATUS, Spinner};

/// Publishes and counts statuses, and stores the latest targets.
pub(crate) struct Reporter {
    /// The node's name with its namespace.
    pub node: String,
    publisher: Publisher<SolveStatus>,
    pub servo: Publisher<ServoStatus>,
    pub latest: Lock<LatestTargets>,
    pub counts: Lock<Counts>,
    pub warnings: Arc<Warnings>,
}

impl Reporter {
    pub(crate) fn new(spinner: &mut Spinner, warnings: Arc<Warnings>) -> Result<Self> {
        let quality = QosProfile::default().keep_last(10);
        let publisher = Publisher::new(spinner, STATUS, quality.clone())?;
        let servo = Publisher::new(spinner, SERVO_STATUS, quality)?;
        let node = spinner.node.fully_qualified_name()?;
        Ok(Self { node, publisher, servo, latest: Lock::default(), counts: Lock::default(), warnings })
    }

    /// Publishes and counts the outcome of a target.
    pub(crate) fn report(&self, report: Report) {
        self.counts.lock().add_answer(&report);
        self.publish(report);
    }

    fn publish(&self, report: Report) {
        self.latest.lock().note(&report);
        self.publisher.publish(&report.message());
    }

    /// Publishes the status of a motion that has just ended.
    pub(crate) fn report_arrival(&self, mut report: Report, stamp: Time) {
        report.status.joint_state_stamp = stamp;
        if let Some(listener) = report.listener.take() {
            // It may no longer listen.
            let _ = listener.send(report.clone());
        }
        self.publish(report);
    }
}

/// Numbers of targets and queries since the last report, and solve times \[s\].
#[derive(Default)]
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

impl Counts {
    /// Counts an answered target.
    fn add_answer(&mut self, report: &Report) {
        self.answered += 1;
        match report.outcome {
            TargetOutcome::Solved => self.solved += 1,
            TargetOutcome::PositionOnly => self.position_only += 1,
            TargetOutcome::StepLimited => self.under_way += 1,
            TargetOutcome::Invalid
            | TargetOutcome::UnknownFrame
            | TargetOutcome::NoRobot
            | TargetOutcome::FollowingError => self.refused += 1,
            _ => self.closest += 1,
        }
        self.solve_time += report.status.solve_time;
        self.longest = self.longest.max(report.status.solve_time);
    }

    /// Counts `answered` queries, and how many of them are `solved`.
    pub(super) fn add_queries(&mut self, answered: u32, solved: u32) {
        self.queries += u64::from(answered);
        self.queries_solved += u64::from(solved);
    }
}
