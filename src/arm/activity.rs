//! Requests and motions of the arm so far.

use std::time::{Duration, Instant};

/// Time at one measured place after the last command until an arm counts as displaced there. Drives start a motion
/// within this time; until then the arm is still measured at its old place.
pub(super) const REST_TIME: Duration = Duration::from_millis(200);

/// Requests and motions of the arm so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Activity {
    /// Time of the last motion, or of the last request for a motion or stop.
    pub last: Option<Instant>,
    /// Number of motions, stops and resets. A path whose planning took long must not replace a newer one.
    pub requests: u64,
    /// The kind of the latest one, as a noun.
    pub latest: &'static str,
    /// True if a requested motion led to the configuration; false if it is measured or initial.
    pub is_commanded: bool,
}

impl Activity {
    /// Counts a request; `kind` is a noun.
    pub(super) fn note(&mut self, kind: &'static str) {
        self.requests += 1;
        self.latest = kind;
    }
}
