//! Detection of two sources of different kinds that command the arm at the same time.

use std::time::{Duration, Instant};

/// The last replacement of a command by one of another kind.
#[derive(Default)]
pub(super) struct SourceConflicts {
    /// Topic of the replaced command, topic of the new one, and time.
    last: Option<(&'static str, &'static str, Instant)>,
}

impl SourceConflicts {
    /// Registers that a command of the topic `by` replaces one of the topic `ended` `now`. True if the reverse
    /// happened at most `timeout` ago: both sources are active.
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
        let mut conflicts = SourceConflicts::default();
        assert!(!conflicts.note("joint_jog", "target_pose", start, timeout));
        assert!(conflicts.note("target_pose", "joint_jog", start + timeout / 2, timeout));
        assert!(!conflicts.note("joint_jog", "target_pose", start + 9 * timeout, timeout));
        assert!(!conflicts.note("joint_jog", "target_twist", start + 9 * timeout, timeout));
    }
}
