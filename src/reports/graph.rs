//! Problems of the ROS graph: publishers with incompatible quality of service, and another node with the same name.
//!
//! r2r reports no QoS events, and lists only publishers. The node therefore polls the publishers of its topics. A
//! subscription of another node that requests more than this node offers is reported by that node's client library.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::warnings::Warnings;
use crate::ros::quality::{Mismatch, mismatches};
use crate::ros::spin::{Commands, Subscribed};
use crate::ros::{PARAMETER_EVENTS, ROSOUT, task};
use urdf_ik_text::names::short;

/// The middleware's name for a discovered publisher whose node is not known yet.
const NOT_YET_KNOWN: &str = "_NODE_NAME_UNKNOWN_";
/// Polling period of the graph.
const PAUSE: Duration = Duration::from_secs(1);

/// Starts monitoring, and logs each new problem. Returns the current problems, each in a few words. `subscribed` are
/// the node's subscriptions.
pub(crate) fn watch(
    commands: Commands,
    subscribed: Vec<Subscribed>,
    warnings: Arc<Warnings>,
) -> watch::Receiver<Vec<String>> {
    let (sender, found) = watch::channel(Vec::new());
    task::start(async move {
        loop {
            let mut faults = Vec::from_iter(same_name(&commands, &warnings).await);
            for subscribed in &subscribed {
                faults.extend(incompatible(&commands, &warnings, subscribed).await);
            }
            sender.send_replace(faults);
            tokio::time::sleep(PAUSE).await;
        }
    });
    found
}

/// Publishers whose messages the subscription does not receive.
async fn incompatible(
    commands: &Commands,
    warnings: &Warnings,
    Subscribed { topic, quality }: &Subscribed,
) -> Vec<String> {
    let mut faults = Vec::new();
    let full = commands.names.resolve(topic);
    for publisher in commands.publishers(topic).await {
        let node = short(&publisher.node);
        if node.ends_with(NOT_YET_KNOWN) {
            continue;
        }
        for Mismatch { policy, offered, requested } in mismatches(&publisher.quality, quality) {
            let sentence = format!(
                "messages of node '{node}' are not received: its publisher offers {policy} {offered}, but {requested} is requested; \
                 publish with {policy} {requested}"
            );
            warnings.warn_once(&full, &format!("{policy} of {node}"), &sentence);
            faults.push(format!("unheard ({policy}): {full} of {node}"));
        }
    }
    faults
}

/// Another node with the same name: several nodes publish its log or parameter events.
async fn same_name(commands: &Commands, warnings: &Warnings) -> Option<String> {
    let own = commands.names.node.as_str();
    let mut nodes = 0;
    for topic in [PARAMETER_EVENTS, ROSOUT] {
        let publishers = commands.publishers(topic.name).await;
        nodes = nodes.max(publishers.iter().filter(|publisher| publisher.node == own).count());
    }
    let fault = (nodes > 1).then(|| format!("{nodes} nodes have the name {own}"))?;
    let sentence = format!(
        "{fault}: their topics and services are mixed up; start the others with another name (-r __node:=NAME or \
         -r __ns:=NAMESPACE). A node that was killed counts until its lease has ended"
    );
    warnings.warn_once(own, "same name", &sentence);
    Some(fault)
}
