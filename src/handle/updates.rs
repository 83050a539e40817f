//! Publishes changes of the handles, and answers requests for all of them.

use std::future::ready;
use std::sync::Arc;

use r2r::QosProfile;
use r2r::visualization_msgs::msg::InteractiveMarkerUpdate;
use r2r::visualization_msgs::srv::GetInteractiveMarkers;
use tokio::time::MissedTickBehavior;

use super::drawing::{self, HandleView};
use super::handles::Handles;
use super::marker;
use crate::Result;
use crate::arm::Arm;
use crate::ros::{HANDLE_UPDATE, HANDLES, Lock, Publisher, Spinner, answer_each, task};

/// Queue depth of updates: after a missing one a slow client requests all markers again.
const DEPTH: usize = 100;

/// The handles and their state at the clients.
struct Updates {
    arm: Arc<Arm>,
    handles: Arc<Handles>,
    publisher: Publisher<InteractiveMarkerUpdate>,
    sent: Lock<SentHandles>,
}

#[derive(Default)]
struct SentHandles {
    /// Number of the last update.
    number: u64,
    /// The drawing after that update.
    drawing: Vec<HandleView>,
    /// Number of subscribers at that time.
    subscribers: usize,
}

pub(super) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>, handles: &Arc<Handles>) -> Result {
    let publisher = Publisher::new(spinner, HANDLE_UPDATE, QosProfile::default().keep_last(DEPTH))?;
    let (arm, handles) = (Arc::clone(arm), Arc::clone(handles));
    let updates = Arc::new(Updates { arm, handles, publisher, sent: Lock::default() });
    answer_each::<GetInteractiveMarkers::Service, _, _>(spinner, &updates, HANDLES.name, |updates, _| {
        ready(updates.now())
    })?;
    task::start(async move {
        let mut ticks = tokio::time::interval(task::DRAWING_PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            updates.publish();
        }
    });
    Ok(())
}

impl Updates {
    /// Publishes the changes since the last update, if there are subscribers.
    fn publish(&self) {
        let mut sent = self.sent.lock();
        let subscribers = self.publisher.subscribers();
        // The markers that a new subscriber requested before its subscription may have changed.
        let has_new_one = subscribers > sent.subscribers;
        sent.subscribers = subscribers;
        if subscribers == 0 {
            return;
        }
        let now = drawing::draw(&self.arm, &self.handles);
        if let Some(update) = drawing::update(&sent.drawing, &now, has_new_one) {
            sent.number += 1;
            self.publisher.publish(&InteractiveMarkerUpdate { seq_num: sent.number, ..update });
        }
        sent.drawing = now;
    }

    /// All markers after the last update.
    fn now(&self) -> GetInteractiveMarkers::Response {
        let mut sent = self.sent.lock();
        // Without subscribers there are no updates, so the last one may be old.
        if sent.subscribers == 0 {
            sent.drawing = drawing::draw(&self.arm, &self.handles);
        }
        let markers =
            sent.drawing.iter().map(|drawn| marker::whole(&drawn.name, &drawn.appearance, &drawn.pose)).collect();
        GetInteractiveMarkers::Response { sequence_number: sent.number, markers }
    }
}
