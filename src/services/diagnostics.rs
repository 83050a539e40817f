//! The topic `/diagnostics`: once a second, the counts of targets and queries.

use std::sync::Arc;
use std::time::Duration;

use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use r2r::std_msgs::msg::Header;
use r2r::{Node, QosProfile};

use crate::Result;
use crate::arm::Arm;
use crate::ros::{DIAGNOSTICS, Publisher, task};

/// Time between two reports.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

pub(crate) fn serve(node: &mut Node, arm: &Arc<Arm>) -> Result {
    let publisher = Publisher::<DiagnosticArray>::new(node, DIAGNOSTICS, QosProfile::default())?;
    let (arm, name) = (Arc::clone(arm), node.fully_qualified_name()?);
    task::start(async move {
        let mut ticks = tokio::time::interval(REPORT_PERIOD);
        loop {
            ticks.tick().await;
            publisher.publish(&report(&arm, &name));
        }
    });
    Ok(())
}

fn report(arm: &Arm, name: &str) -> DiagnosticArray {
    let counts = arm.reporter.counters.take();
    let robot = arm.output.configuration().map(|now| Arc::clone(&now.loaded));
    let (is_ok, message) = match &robot {
        None => (false, "there is no robot".to_owned()),
        Some(_) if counts.refused > 0 => (false, format!("{} targets were refused", counts.refused)),
        Some(_) if counts.closest > 0 => (false, format!("{} targets could not be met", counts.closest)),
        Some(_) if counts.position_only > 0 => (true, format!("{} targets were met in position only", counts.position_only)),
        Some(_) => (true, "every target was met".to_owned()),
    };
    #[expect(clippy::cast_precision_loss, reason = "targets of one second")]
    let mean = if counts.answered > 0 { counts.solve_time / counts.answered as f64 } else { 0.0 };
    let tips = robot.as_ref().map(|robot| robot.chain.tip_names());
    let values = [
        ("robot", robot.as_ref().map_or("", |robot| robot.robot.name()).to_owned()),
        ("base link", robot.as_ref().map_or("", |robot| robot.chain.base()).to_owned()),
        ("tip links", tips.unwrap_or_default().join(", ")),
        ("solver", arm.settings().solver.name().to_owned()),
        ("targets per second", counts.arrived.to_string()),
        ("targets replaced by newer ones", counts.arrived.saturating_sub(counts.answered).to_string()),
        ("targets met", counts.solved.to_string()),
        ("targets met in position only", counts.position_only.to_string()),
        ("targets not met", counts.closest.to_string()),
        ("targets refused", counts.refused.to_string()),
        ("queries", counts.queries.to_string()),
        ("queries solved", counts.queries_solved.to_string()),
        ("mean solve time [us]", format!("{:.1}", mean * 1e6)),
        ("longest solve time [us]", format!("{:.1}", counts.longest * 1e6)),
    ];
    let values = values.into_iter().map(|(key, value)| KeyValue { key: key.to_owned(), value }).collect();
    DiagnosticArray {
        header: Header { stamp: arm.clock.stamp(), frame_id: String::new() },
        status: vec![DiagnosticStatus {
            level: if is_ok { DiagnosticStatus::OK as u8 } else { DiagnosticStatus::WARN as u8 },
            name: format!("{name}: inverse kinematics"),
            message,
            hardware_id: "urdf_ik".into(),
            values,
        }],
    }
}
