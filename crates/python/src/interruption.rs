//! Ctrl-C while something is computed.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often Ctrl-C is looked for.
pub const INTERVAL: Duration = Duration::from_millis(50);

/// Looks for Ctrl-C now and then, in the thread that Python called: in others Python handles no signals.
pub struct Interruption(Mutex<State>);

struct State {
    /// When it is looked for next.
    next: Instant,
    /// What the handler of a signal has raised.
    raised: Option<PyErr>,
}

impl Interruption {
    pub fn new() -> Self {
        Self(Mutex::new(State { next: Instant::now() + INTERVAL, raised: None }))
    }

    /// Whether the handler of a signal, that of Ctrl-C for example, has raised something. Asked as often as one likes.
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

    /// Hands on what was raised.
    pub fn result(&self) -> PyResult<()> {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).raised.take();
        raised.map_or(Ok(()), Err)
    }
}
