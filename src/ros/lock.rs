//! A mutex that remains usable after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex without poisoning: its values are changed atomically, or replaced by the next change.
#[derive(Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
