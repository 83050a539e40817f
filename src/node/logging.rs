//! Sends the records of the crate `log` to the ROS log. Also warnings that are logged once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// Greatest number of warnings that are remembered. After more than that, all are logged again.
const MAX_REMEMBERED: usize = 1000;
/// How long a fault must be absent before it is logged again: good and bad messages may alternate.
const QUIET_TIME: Duration = Duration::from_secs(10);

struct RosLog {
    logger: String,
}

/// Sends everything that is logged to the ROS logger named `logger`, which filters by its own level.
pub(super) fn install(logger: &str) {
    let sink = Box::new(RosLog { logger: logger.to_owned() });
    // A second logger is refused: the first serves as well.
    if log::set_boxed_logger(sink).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}

impl Log for RosLog {
    fn enabled(&self, metadata: &Metadata) -> bool {
        // From other crates only what a user of the node should know.
        metadata.target().starts_with(env!("CARGO_CRATE_NAME")) || metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        // The C string that carries it cannot hold a NUL.
        let text = record.args().to_string().replace('\0', "␀");
        let logger = self.logger.as_str();
        match record.level() {
            Level::Error => r2r::log_error!(logger, "{text}"),
            Level::Warn => r2r::log_warn!(logger, "{text}"),
            Level::Info => r2r::log_info!(logger, "{text}"),
            Level::Debug | Level::Trace => r2r::log_debug!(logger, "{text}"),
        }
    }

    fn flush(&self) {}
}

/// Warnings that are logged once, until their subject has been without the fault for a while.
#[derive(Default)]
pub(super) struct Warnings(Mutex<HashMap<String, Instant>>);

impl Warnings {
    /// Logs a warning, unless this `kind` of fault of this `subject` was logged since the subject last recovered from it.
    pub(super) fn warn_once(&self, subject: &str, kind: &str, sentence: &str) {
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if logged.len() >= MAX_REMEMBERED {
            logged.clear();
        }
        if logged.insert(format!("{subject}\n{kind}"), Instant::now()).is_none() {
            log::warn!("{subject}: {sentence}");
        }
    }

    /// Notes that `subject` is without fault. Its faults that did not occur for [`QUIET_TIME`] are logged again when they come back.
    pub(super) fn recovered(&self, subject: &str) {
        let mut logged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !logged.is_empty() {
            logged.retain(|entry, last| entry.split('\n').next() != Some(subject) || last.elapsed() < QUIET_TIME);
        }
    }
}
