//! Ctrl-C during a computation.
//!
//! Searches check for Ctrl-C between attempts.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Time between two checks for Ctrl-C.
pub const INTERVAL: Duration = Duration::from_millis(50);

/// Checks for Ctrl-C at intervals of [`INTERVAL`], in the thread that Python called, the only one that handles signals.
pub struct SignalCheck(Mutex<SignalState>);

struct SignalState {
    /// The time of the next check.
    next: Instant,
    /// The exception that a signal handler raised.
    raised: Option<PyErr>,
}

impl SignalCheck {
    /// A check that takes place for the first time after [`INTERVAL`].
    pub fn new() -> Self {
        Self(Mutex::new(SignalState { next: Instant::now() + INTERVAL, raised: None }))
    }

    /// True if a signal handler, such as that for Ctrl-C, has raised an exception. Frequent calls cost little.
    pub fn is_raised(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if state.raised.is_none() && now >= state.next {
            state.next = now + INTERVAL;
            #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is for one lifetime")]
            let signals = Python::attach(|py| py.check_signals());
            state.raised = signals.err();
        }
        state.raised.is_some()
    }

    /// Takes the raised exception and returns it as an error.
    ///
    /// # Errors
    /// The exception that a signal handler raised, if any.
    pub fn result(&self) -> PyResult<()> {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).raised.take();
        raised.map_or(Ok(()), Err)
    }
}
