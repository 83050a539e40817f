//! ROS time: that of the system, or of the topic `/clock`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use r2r::builtin_interfaces::msg::Time;

/// The node's clock.
#[derive(Clone)]
pub(super) struct Clock(Arc<Mutex<r2r::Clock>>);

impl Clock {
    pub(super) fn new(node: &r2r::Node) -> Self {
        Self(node.get_ros_clock())
    }

    /// Time since the epoch; zero before simulated time begins.
    pub(super) fn now(&self) -> Duration {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_now().unwrap_or_default();
        // Before simulated time begins, a time below zero may wrap around to one that no stamp can hold.
        if i32::try_from(now.as_secs()).is_ok() { now } else { Duration::ZERO }
    }

    /// [`Clock::now`] as a stamp.
    pub(super) fn stamp(&self) -> Time {
        r2r::Clock::to_builtin_time(&self.now())
    }
}
