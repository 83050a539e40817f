//! The topic `/diagnostics`: once a second, the counts of targets and queries.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use r2r::QosProfile;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use r2r::std_msgs::msg::Header;

use super::report::{Report, Verdict};
use crate::ros::interface::DIAGNOSTICS;
use crate::ros::publisher::Publisher;
use crate::{NodeError, Shared};

/// Time between two reports.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// What has happened since the last report.
#[derive(Default)]
pub(crate) struct Counters(Mutex<Counts>);

#[derive(Default, Clone)]
struct Counts {
    arrived: u64,
    answered: u64,
    solved: u64,
    closest: u64,
    refused: u64,
    queries: u64,
    queries_solved: u64,
    solve_time: f64,
    longest: f64,
}

impl Counters {
    fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
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
            counts.solve_time += report.solve_time.as_secs_f64();
            counts.longest = counts.longest.max(report.solve_time.as_secs_f64());
        });
    }

    /// Counts answered queries, and how many of them are solved.
    pub(crate) fn queries(&self, answered: u32, solved: u32) {
        self.count(|counts| {
            counts.queries += u64::from(answered);
            counts.queries_solved += u64::from(solved);
        });
    }

    fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) fn serve(node: &mut r2r::Node, shared: &Arc<Shared>) -> Result<(), NodeError> {
    let publisher = Publisher::<DiagnosticArray>::new(node, DIAGNOSTICS, QosProfile::default())?;
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(REPORT_PERIOD);
        loop {
            ticks.tick().await;
            publisher.publish(&report(&shared));
        }
    });
    Ok(())
}

fn report(shared: &Shared) -> DiagnosticArray {
    let counts = shared.counters.take();
    let robot = shared.output.configuration().map(|now| Arc::clone(&now.loaded));
    let (is_ok, message) = match &robot {
        None => (false, "there is no robot".to_owned()),
        Some(_) if counts.refused > 0 => (false, format!("{} targets were refused", counts.refused)),
        Some(_) if counts.closest > 0 => (false, format!("{} targets could not be met", counts.closest)),
        Some(_) => (true, "every target was met".to_owned()),
    };
    #[expect(clippy::cast_precision_loss, reason = "targets of one second")]
    let mean = if counts.answered > 0 { counts.solve_time / counts.answered as f64 } else { 0.0 };
    let tips = robot.as_ref().map(|robot| robot.chain.tip_names());
    let values = [
        ("robot", robot.as_ref().map_or("", |robot| robot.robot.name()).to_owned()),
        ("base link", robot.as_ref().map_or("", |robot| robot.chain.base()).to_owned()),
        ("tip links", tips.unwrap_or_default().join(", ")),
        ("solver", shared.settings().solver.name().to_owned()),
        ("targets per second", counts.arrived.to_string()),
        ("targets replaced by newer ones", counts.arrived.saturating_sub(counts.answered).to_string()),
        ("targets met", counts.solved.to_string()),
        ("targets not met", counts.closest.to_string()),
        ("targets refused", counts.refused.to_string()),
        ("queries", counts.queries.to_string()),
        ("queries solved", counts.queries_solved.to_string()),
        ("mean solve time [us]", format!("{:.1}", mean * 1e6)),
        ("longest solve time [us]", format!("{:.1}", counts.longest * 1e6)),
    ];
    let values = values.into_iter().map(|(key, value)| KeyValue { key: key.to_owned(), value }).collect();
    DiagnosticArray {
        header: Header { stamp: shared.clock.stamp(), frame_id: String::new() },
        status: vec![DiagnosticStatus {
            level: if is_ok { DiagnosticStatus::OK as u8 } else { DiagnosticStatus::WARN as u8 },
            name: format!("{}: inverse kinematics", shared.name),
            message,
            hardware_id: "urdf_ik".into(),
            values,
        }],
    }
}
