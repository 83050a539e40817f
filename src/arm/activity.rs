//! Requests and motions of the arm so far.

use std::time::{Duration, Instant};

use crate::reports::{Refused, refused};

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
        match condition {
            MotionCondition::NoRequestSince(ticket) if self.requests != ticket => {
                Err(Refused::invalid("motion", "another motion was requested meanwhile"))
            }
            MotionCondition::NotDiscardedSince(discards) if self.discards != discards => Err(self.discarded()),
            _ => Ok(()),
        }
    }

    /// The refusal of a target that was discarded.
    pub(super) fn discarded(&self) -> Refused {
        refused!("motion", "{} was requested before the motion to this target", self.latest)
    }

    /// Counts a request; `kind` is a noun.
    pub(super) fn note(&mut self, kind: &'static str) {
        self.requests += 1;
        self.latest = kind;
    }
}
