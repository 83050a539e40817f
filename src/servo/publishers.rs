//! Notices that a topic has several publishers, which would command the arm in turn.

use std::sync::Arc;
use std::time::Duration;

use super::intake::Intake;
use crate::arm::sources::Source;
use crate::ros::interface::Interface;
use crate::ros::spin::Commands;
use crate::ros::task;

/// How often the publishers are counted, of topics whose commands come in.
const INTERVAL: Duration = Duration::from_secs(1);

/// Counts the publishers of `topics` from time to time, each with its name before remapping and the source that it is. Warns once where
/// there are several.
pub(super) fn watch(intake: &Arc<Intake>, commands: Commands, topics: Vec<(Interface, String, Source)>) {
    let intake = Arc::clone(intake);
    task::start(async move {
        loop {
            tokio::time::sleep(INTERVAL).await;
            for (topic, name, source) in &topics {
                if !intake.arm.sources.lock().is_under_way(*source, INTERVAL) {
                    continue;
                }
                let count = commands.publishers(name).await.len();
                if count > 1 {
                    let sentence = format!("{count} publishers have the topic {name}: the newest command counts");
                    intake.arm.reporter.warnings.warn_once(topic.short_name(), "publishers", &sentence);
                }
            }
        }
    });
}
