//! The state of the arm for all threads, and its snapshot for readers.
//!
//! A change and its snapshot are made under the lock of the state. Readers lock the snapshot alone and do not wait for
//! a change. Both locks are taken in this order only.

use std::ops::DerefMut;

use super::state::{ArmState, Snapshot};
use crate::ros::OrderedLock;

/// The state of the arm and its snapshot.
#[derive(Default)]
pub(super) struct SharedState {
    state: OrderedLock<ArmState>,
    snapshot: OrderedLock<Snapshot>,
}

impl SharedState {
    /// Locks the state for a change.
    pub(super) fn lock(&self) -> impl DerefMut<Target = ArmState> {
        self.state.lock()
    }

    /// Updates the snapshot for readers. `state` is locked until then: snapshots are in the order of the changes.
    pub(super) fn update_snapshot(&self, state: &ArmState) {
        *self.snapshot.lock() = state.snapshot();
    }

    /// Locks the latest snapshot.
    pub(super) fn snapshot(&self) -> impl DerefMut<Target = Snapshot> {
        self.snapshot.lock()
    }

    /// Discards the targets of all tips.
    pub(super) fn discard_targets(&self) {
        let mut state = self.lock();
        state.activity.discards += 1;
        self.update_snapshot(&state);
    }
}
