//! A stream of commands is shut out by a stop, until it pauses or commands zero.

use std::time::{Duration, Instant};

/// The gate of one source of commands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gate {
    /// When its last command arrived.
    last: Option<Instant>,
    is_shut: bool,
}

impl Gate {
    /// Whether a command that arrives `now` passes. After a stop it passes if it `is_zero`, or none has come for `timeout`.
    pub(super) fn passes(&mut self, now: Instant, is_zero: bool, timeout: Duration) -> bool {
        self.is_shut &= !is_zero && self.is_under_way(now, timeout);
        self.last = Some(now);
        !self.is_shut
    }

    /// Whether the stream goes on: its last command is not older than `timeout`.
    pub(super) fn is_under_way(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) <= timeout)
    }

    /// Shuts out the stream under way.
    pub(super) fn shut(&mut self) {
        self.is_shut = true;
    }

    /// Lets the stream pass again.
    pub(super) fn open(&mut self) {
        self.is_shut = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_stream_passes_after_a_pause_or_with_zero() {
        let (start, ms) = (Instant::now(), Duration::from_millis(1));
        let timeout = 100 * ms;
        let mut gate = Gate::default();
        assert!(gate.passes(start, false, timeout));
        gate.shut();
        assert!(!gate.passes(start + 90 * ms, false, timeout));
        assert!(!gate.passes(start + 180 * ms, false, timeout), "the stream goes on");
        assert!(gate.passes(start + 300 * ms, false, timeout), "it has paused");
        gate.shut();
        assert!(gate.passes(start + 310 * ms, true, timeout), "it commands zero");
        assert!(gate.passes(start + 320 * ms, false, timeout));
        gate.shut();
        gate.open();
        assert!(gate.passes(start + 330 * ms, false, timeout));
    }
}
