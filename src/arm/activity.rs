//! Requests and motions of the arm so far.

use std::time::{Duration, Instant};

use crate::reports::Refused;

/// Time at one measured place after the last command until an arm counts as displaced there. Drives start a motion
/// within this time; until then the arm is still measured at its old place.
pub(super) const REST_TIME: Duration = Duration::from_millis(200);

/// The kind of request that replaces the command by the measured or initial configuration.
pub(super) const RESET: &str = "a reset";

/// Requests and motions of the arm so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Activity {
    /// Time of the last motion, or of the last request for a motion or stop.
    pub last: Option<Instant>,
    /// Number of motions, stops and resets. A path whose planning took long must not replace a newer one.
    pub requests: u64,
    /// The kind of the latest one, as a noun.
    pub latest: &'static str,
    /// How often the targets were discarded. One whose search took long must not move the arm afterwards.
    pub discards: u64,
    /// True if a requested motion led to the configuration; false if it is measured or initial.
    pub is_commanded: bool,
}

/// The condition under which a motion or a stop still applies.
#[derive(Clone, Copy)]
pub(crate) enum MotionCondition {
    None,
    /// No request since that ticket.
    NoRequestSince(u64),
    /// No discard of the targets since that [`Output::discards`](super::output::Output::discards).
    NotDiscardedSince(u64),
}

impl Activity {
    /// # Errors
    /// [`Refused`] if the condition no longer holds.
    pub(super) fn check(&self, condition: MotionCondition) -> Result<(), Refused> {
        let (holds, sentence) = match condition {
            MotionCondition::None => return Ok(()),
            MotionCondition::NoRequestSince(ticket) => {
                (self.requests == ticket, "another motion was requested meanwhile".to_owned())
            }
            MotionCondition::NotDiscardedSince(discards) => {
                (self.discards == discards, format!("{} was requested during the search", self.latest))
            }
        };
        if holds { Ok(()) } else { Err(Refused::invalid("motion", sentence)) }
    }

    /// Counts a request; `kind` is a noun.
    pub(super) fn note(&mut self, kind: &'static str) {
        self.requests += 1;
        self.latest = kind;
    }
}
