//! The topic `/diagnostics`: counts of targets and queries and problems of the ROS graph, once a second.

use std::sync::Arc;
use std::time::Duration;

use r2r::QosProfile;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use r2r::std_msgs::msg::Header;

use crate::Result;
use crate::arm::Arm;
use crate::reports::graph;
use crate::ros::{Commands, DIAGNOSTICS, Publisher, Spinner, constants, task};
use urdf_ik_text::names;

constants! { u8: DiagnosticStatus { OK, WARN, ERROR } }

/// Period of reports.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// Publishes the counters. Checks all topics to which `spinner` has subscribed.
pub(crate) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>, commands: Commands) -> Result {
    let publisher = Publisher::<DiagnosticArray>::new(spinner, DIAGNOSTICS, QosProfile::default())?;
    let arm = Arc::clone(arm);
    let faults = graph::watch(commands, spinner.subscribed.clone(), Arc::clone(&arm.reporter.warnings));
    task::start(async move {
        let mut ticks = tokio::time::interval(REPORT_PERIOD);
        loop {
            ticks.tick().await;
            let report = report(&arm, &faults.borrow());
            publisher.publish(&report);
        }
    });
    Ok(())
}

/// The age of the oldest measurement in use \[s\] as text; `None` if no measurement is expected or one is missing.
fn age_of_measurements(arm: &Arm) -> Option<String> {
    let now = arm.output.configuration()?;
    let measured = arm.measured.of_variables(arm.settings().measured_timeout, &now.loaded)?;
    let ages = measured.into_iter().map(|measurement| measurement.map(|measurement| measurement.at.elapsed()));
    let oldest = ages.collect::<Option<Vec<_>>>()?.into_iter().max()?;
    Some(format!("{:.3}", oldest.as_secs_f64()))
}

/// The report on a graph with these problems.
fn report(arm: &Arm, faults: &[String]) -> DiagnosticArray {
    let counts = std::mem::take(&mut *arm.reporter.counts.lock());
    let robot = arm.output.configuration().map(|now| Arc::clone(&now.loaded));
    let halted = arm.output.halted();
    let (level, message) = match (&robot, &halted) {
        (None, _) => (WARN, "there is no robot".to_owned()),
        (_, Some(sentence)) => (ERROR, sentence.clone()),
        _ if counts.refused > 0 => (WARN, format!("{} targets were refused", counts.refused)),
        _ if counts.closest > 0 => (WARN, format!("{} targets could not be met", counts.closest)),
        _ if counts.position_only > 0 => (OK, format!("{} targets were met in position only", counts.position_only)),
        _ => (OK, "every target was met or is followed".to_owned()),
    };
    let level = if faults.is_empty() { level } else { level.max(WARN) };
    let message = if faults.is_empty() { message } else { format!("{message}; {}", names::list(faults)) };
    #[expect(clippy::cast_precision_loss, reason = "targets of one second")]
    let mean = if counts.answered > 0 { counts.solve_time / counts.answered as f64 } else { 0.0 };
    let tips = robot.as_ref().map(|robot| robot.chain.tip_names());
    let difference = arm.output.greatest_difference();
    let values = [
        ("robot", robot.as_ref().map_or("", |robot| robot.robot.name()).to_owned()),
        ("base link", robot.as_ref().map_or("", |robot| robot.chain.base()).to_owned()),
        ("tip links", tips.unwrap_or_default().join(", ")),
        ("solver", arm.settings().solver.name().to_owned()),
        ("targets per second", counts.arrived.to_string()),
        ("targets replaced by newer ones", counts.arrived.saturating_sub(counts.answered).to_string()),
        ("targets met", counts.solved.to_string()),
        ("targets met in position only", counts.position_only.to_string()),
        ("targets under way", counts.under_way.to_string()),
        ("targets not met", counts.closest.to_string()),
        ("targets refused", counts.refused.to_string()),
        ("queries", counts.queries.to_string()),
        ("queries solved", counts.queries_solved.to_string()),
        ("mean solve time [us]", format!("{:.1}", mean * 1e6)),
        ("longest solve time [us]", format!("{:.1}", counts.longest * 1e6)),
        ("age of the measurements [s]", age_of_measurements(arm).unwrap_or_default()),
        ("greatest difference of the measurements from the commands", difference.unwrap_or_default()),
    ];
    let values = values.into_iter().map(|(key, value)| KeyValue { key: key.to_owned(), value }).collect();
    DiagnosticArray {
        header: Header { stamp: arm.clock.stamp(), frame_id: String::new() },
        status: vec![DiagnosticStatus {
            level,
            name: format!("{}: inverse kinematics", arm.reporter.node),
            message,
            hardware_id: "urdf_ik".into(),
            values,
        }],
    }
}
