//! Publishes the changes of the handles, and answers what they are now.

use std::sync::Arc;

use r2r::QosProfile;
use r2r::visualization_msgs::msg::InteractiveMarkerUpdate;
use r2r::visualization_msgs::srv::GetInteractiveMarkers;
use tokio::time::MissedTickBehavior;

use super::drawing::{self, Drawn};
use super::handles::Handles;
use super::marker;
use crate::Result;
use crate::arm::Arm;
use crate::ros::{HANDLE_UPDATE, HANDLES, Lock, Publisher, Spinner, answer_each, task};

/// Updates that ROS keeps for a client which is slow to read them: a missing one makes it ask for all markers again.
const DEPTH: usize = 100;

/// The handles as the clients know them.
struct Updates {
    handles: Arc<Handles>,
    publisher: Publisher<InteractiveMarkerUpdate>,
    shown: Lock<Shown>,
}

#[derive(Default)]
struct Shown {
    /// Number of the last update.
    number: u64,
    /// The drawing after that update.
    drawing: Vec<Drawn>,
    /// Number of subscribers by then.
    subscribers: usize,
}

pub(super) fn serve(spinner: &mut Spinner, arm: &Arc<Arm>, handles: &Arc<Handles>) -> Result {
    let publisher = Publisher::new(&mut spinner.node, HANDLE_UPDATE, QosProfile::default().keep_last(DEPTH))?;
    let updates = Arc::new(Updates { handles: Arc::clone(handles), publisher, shown: Lock::default() });
    let answering = Arc::clone(&updates);
    answer_each::<GetInteractiveMarkers::Service, _, _>(spinner, arm, HANDLES.name, move |arm, _| {
        let updates = Arc::clone(&answering);
        async move { updates.now(&arm) }
    })?;
    let arm = Arc::clone(arm);
    task::start(async move {
        let mut ticks = tokio::time::interval(task::DRAWING_PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            updates.publish(&arm);
        }
    });
    Ok(())
}

impl Updates {
    /// Publishes what has changed since the last update, if anybody listens.
    fn publish(&self, arm: &Arm) {
        let mut shown = self.shown.lock();
        let subscribers = self.publisher.subscribers();
        // The markers that a new subscriber asked for before it listened may have changed since.
        let has_new_one = subscribers > shown.subscribers;
        shown.subscribers = subscribers;
        if subscribers == 0 {
            return;
        }
        let now = drawing::draw(arm, &self.handles);
        if let Some(update) = drawing::update(&shown.drawing, &now, has_new_one) {
            shown.number += 1;
            self.publisher.publish(&InteractiveMarkerUpdate { seq_num: shown.number, ..update });
        }
        shown.drawing = now;
    }

    /// All markers as they are after the last update.
    fn now(&self, arm: &Arm) -> GetInteractiveMarkers::Response {
        let mut shown = self.shown.lock();
        // Without subscribers there are no updates, so the last one may be old.
        if shown.subscribers == 0 {
            shown.drawing = drawing::draw(arm, &self.handles);
        }
        let markers = shown.drawing.iter().map(|drawn| marker::whole(&drawn.name, &drawn.look, &drawn.pose)).collect();
        GetInteractiveMarkers::Response { sequence_number: shown.number, markers }
    }
}
