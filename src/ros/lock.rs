//! A mutex that remains usable after a panic.

use std::ops::DerefMut;
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

/// A [`Lock`] whose orders `make loom` checks.
#[derive(Default)]
pub(crate) struct OrderedLock<T>(#[cfg(not(feature = "loom"))] Lock<T>, #[cfg(feature = "loom")] loom::sync::Mutex<T>);

impl<T> OrderedLock<T> {
    pub(crate) fn new(value: T) -> Self {
        #[cfg(not(feature = "loom"))]
        return Self(Lock::new(value));
        #[cfg(feature = "loom")]
        return Self(loom::sync::Mutex::new(value));
    }

    pub(crate) fn lock(&self) -> impl DerefMut<Target = T> {
        #[cfg(not(feature = "loom"))]
        return self.0.lock();
        #[cfg(feature = "loom")]
        return self.0.lock().unwrap_or_else(PoisonError::into_inner);
    }
}
