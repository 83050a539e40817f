//! ROS time: that of the system, or of the topic `/clock`; and the times that ticks are meant for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;

/// Greatest difference between the time of a tick in a motion and ROS time. A greater one means that the system's clock was set.
const MAX_DEVIATION: Duration = Duration::from_millis(500);

/// How late the timers of tokio may be.
const TIMER_ERROR: Duration = Duration::from_millis(2);

/// The node's clock.
#[derive(Clone)]
pub(crate) struct Clock(Arc<Mutex<r2r::Clock>>);

impl Clock {
    pub(crate) fn new(node: &r2r::Node) -> Self {
        Self(node.get_ros_clock())
    }

    /// Time since the epoch; zero before simulated time begins.
    pub(crate) fn now(&self) -> Duration {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_now().unwrap_or_default();
        // Before simulated time begins, a time below zero may wrap around to one that no stamp can hold.
        if i32::try_from(now.as_secs()).is_ok() { now } else { Duration::ZERO }
    }

    /// [`Clock::now`] as a stamp.
    pub(crate) fn stamp(&self) -> Time {
        r2r::Clock::to_builtin_time(&self.now())
    }
}

/// The times that ticks are meant for. In a motion they are as far apart as the ticks were due, however late the ticks come: by the time
/// of its publication, a state after a late one would be too far from it.
#[derive(Default)]
pub(crate) struct TickTimes {
    /// When the last tick was due, and the time that it was meant for.
    last: Option<(Instant, Duration)>,
}

impl TickTimes {
    /// The time that a tick is meant for: it was `due` by the clock that only moves on, which was about `time` in ROS time.
    pub(crate) fn next(&mut self, due: Instant, time: Duration, in_motion: bool) -> Duration {
        let even = self.last.filter(|_| in_motion).map(|(last, time)| time + due.saturating_duration_since(last));
        let time = even.filter(|even| even.abs_diff(time) < MAX_DEVIATION).unwrap_or(time);
        self.last = Some((due, time));
        time
    }
}

/// Sleeps until `deadline`, as exactly as the system's clock allows. Timers of tokio are late by up to a millisecond or two, and would so
/// change the rate of ticks that are a millisecond apart.
pub(crate) async fn sleep_until(deadline: Instant) {
    let timer = deadline.checked_sub(TIMER_ERROR).unwrap_or(deadline);
    tokio::time::sleep_until(timer.into()).await;
    // Also where no timer was needed, so that other tasks of this thread have their turn.
    tokio::task::yield_now().await;
    // This short while the other threads serve the tasks.
    std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn ticks_of_a_motion_are_as_far_apart_as_they_were_due() {
        let (start, mut times) = (Instant::now(), TickTimes::default());
        // At rest, ROS time as it is known.
        assert_eq!(times.next(start, 1000 * MS, false), 1000 * MS);
        assert_eq!(times.next(start + 20 * MS, 1023 * MS, false), 1023 * MS);
        // In a motion it is known less exactly than the distances.
        assert_eq!(times.next(start + 40 * MS, 1057 * MS, true), 1043 * MS);
        assert_eq!(times.next(start + 85 * MS, 1072 * MS, true), 1088 * MS);
        assert_eq!(times.next(start + 105 * MS, 1105 * MS, false), 1105 * MS);
    }

    #[test]
    fn a_clock_that_is_set_is_followed() {
        let (start, mut times) = (Instant::now(), TickTimes::default());
        times.next(start, 9000 * MS, true);
        assert_eq!(times.next(start + 20 * MS, 5000 * MS, true), 5000 * MS);
        assert_eq!(times.next(start + 40 * MS, 5021 * MS, true), 5020 * MS);
    }
}
