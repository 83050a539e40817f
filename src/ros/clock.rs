//! ROS time, from the system or the topic `/clock`, and the nominal times of ticks.
//!
//! Stamps advance with the periods of smooth motion: they are the times for which the states are meant. In simulated
//! time the clock sets the pace.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;

/// Largest difference between the nominal time of a tick and ROS time. A larger one means that the system clock was
/// set.
const MAX_DEVIATION: Duration = Duration::from_millis(500);

/// Maximum delay of tokio's timers.
const TIMER_ERROR: Duration = Duration::from_millis(2);

/// The node's clock.
#[derive(Clone)]
pub(crate) struct Clock(Arc<Mutex<r2r::Clock>>);

impl Clock {
    pub(crate) fn new(node: &r2r::Node) -> Self {
        Self(node.get_ros_clock())
    }

    /// Time since the epoch; zero before simulated time starts.
    pub(crate) fn now(&self) -> Duration {
        let now = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_now().unwrap_or_default();
        // Before simulated time starts, a negative time may wrap around to one that no stamp can represent.
        if i32::try_from(now.as_secs()).is_ok() { now } else { Duration::ZERO }
    }

    /// [`Clock::now`] as a stamp.
    pub(crate) fn stamp(&self) -> Time {
        r2r::Clock::to_builtin_time(&self.now())
    }
}

/// Nominal times of ticks. During a motion their spacing is that of the due times, not of the delayed ticks: otherwise
/// a state after a late one would be too far from it.
#[derive(Default)]
pub(crate) struct TickTimes {
    /// Due time and nominal time of the last tick.
    last: Option<(Instant, Duration)>,
}

impl TickTimes {
    /// The nominal time of a tick that was `due` by the monotonic clock, at about `time` in ROS time.
    pub(crate) fn next(&mut self, due: Instant, time: Duration, in_motion: bool) -> Duration {
        let even = self.last.filter(|_| in_motion).map(|(last, time)| time + due.saturating_duration_since(last));
        let time = even.filter(|even| even.abs_diff(time) < MAX_DEVIATION).unwrap_or(time);
        self.last = Some((due, time));
        time
    }
}

/// Sleeps until `deadline` with the precision of the system clock. Tokio's timers are late by one or two milliseconds,
/// which would change the rate of ticks that are a millisecond apart.
pub(crate) async fn sleep_until(deadline: Instant) {
    let timer = deadline.checked_sub(TIMER_ERROR).unwrap_or(deadline);
    tokio::time::sleep_until(timer.into()).await;
    // Also without a timer, so that other tasks of this thread can run.
    tokio::task::yield_now().await;
    // Short, and other threads serve the tasks meanwhile.
    std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn ticks_of_a_motion_are_as_far_apart_as_they_were_due() {
        let (start, mut times) = (Instant::now(), TickTimes::default());
        // At rest, ROS time is used.
        assert_eq!(times.next(start, 1000 * MS, false), 1000 * MS);
        assert_eq!(times.next(start + 20 * MS, 1023 * MS, false), 1023 * MS);
        // During a motion it is less precise than the spacing.
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
