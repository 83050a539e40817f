//! A mutex that stays in use after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex whose value is used also after a panic of a task that held it: every change of such a value is whole, or the next one replaces it.
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
