//! Publishes statuses, counts them, and keeps what they say of the newest targets.

use std::sync::Arc;

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{ServoStatus, SolveStatus};
use r2r::{Node, QosProfile};

use super::counters::Counters;
use super::latest::Latest;
use super::report::Report;
use super::warnings::Warnings;
use crate::Result;
use crate::ros::{Publisher, SERVO_STATUS, STATUS};

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
