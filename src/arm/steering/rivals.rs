//! Notices that two sources of different kinds command the arm at the same time.

use std::time::{Duration, Instant};

/// The command that another one ended last.
#[derive(Default)]
pub(super) struct Rivals {
    /// Its topic, that of the other, and when.
    last: Option<(&'static str, &'static str, Instant)>,
}

impl Rivals {
    /// Notes that a command of the topic `by` ends one of the topic `ended` `now`. Tells whether it was the other way round no longer than
    /// `timeout` ago: so both go on.
    pub(super) fn note(&mut self, ended: &'static str, by: &'static str, now: Instant, timeout: Duration) -> bool {
        let before = self.last.replace((ended, by, now));
        before.is_some_and(|(other, this, at)| {
            (other, this) == (by, ended) && now.saturating_duration_since(at) <= timeout
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_go_on_are_rivals_and_one_that_follows_another_is_not() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut rivals = Rivals::default();
        assert!(!rivals.note("joint_jog", "target_pose", start, timeout));
        assert!(rivals.note("target_pose", "joint_jog", start + timeout / 2, timeout));
        assert!(!rivals.note("joint_jog", "target_pose", start + 9 * timeout, timeout));
        assert!(!rivals.note("joint_jog", "target_twist", start + 9 * timeout, timeout));
    }
}
