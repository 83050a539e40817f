//! Warns about topics with several publishers, which would command the arm alternately.

use std::sync::Arc;
use std::time::Duration;

use crate::arm::Arm;
use crate::arm::sources::Source;
use crate::ros::{Commands, Interface, task};

/// Polling period of the publishers of active topics.
const INTERVAL: Duration = Duration::from_secs(1);

/// Polls the publishers of `topics`, each with its name before remapping and its source. Warns once about several
/// publishers.
pub(super) fn watch(arm: &Arc<Arm>, commands: Commands, topics: Vec<(Interface, String, Source)>) {
    let arm = Arc::clone(arm);
    task::start(async move {
        loop {
            tokio::time::sleep(INTERVAL).await;
            for (topic, name, source) in &topics {
                if !arm.sources.lock().is_active(*source, INTERVAL) {
                    continue;
                }
                let count = commands.publishers(name).await.len();
                if count > 1 {
                    let sentence = format!("{count} publishers have the topic {name}: the latest command applies");
                    arm.reporter.warnings.warn_once(topic.short_name(), "publishers", &sentence);
                }
            }
        }
    });
}
