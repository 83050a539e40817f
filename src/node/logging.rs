//! The log facade's records to the ROS log, and complaints that come once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};

/// Complaints remembered at most; whoever invents new ones without end is heard from the start again.
const REMEMBERED: usize = 1000;
/// How long a fault must stay away to be news again: good and bad messages may take turns.
const REST: Duration = Duration::from_secs(10);

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
        // Of the libraries only what a user of the node should know.
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

/// Warnings that are told once, until what they are about has been well again for a while.
#[derive(Default)]
pub(super) struct Complaints(Mutex<HashMap<String, Instant>>);

impl Complaints {
    /// Warns, unless this `subject` has complained of this `kind` of fault since it was last well.
    pub(super) fn complain(&self, subject: &str, kind: &str, sentence: &str) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= REMEMBERED {
            told.clear();
        }
        if told.insert(format!("{subject}\n{kind}"), Instant::now()).is_none() {
            log::warn!("{subject}: {sentence}");
        }
    }

    /// `subject` is well: faults that it has not shown for [`REST`] are told again when they come back.
    pub(super) fn well(&self, subject: &str) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.is_empty() {
            told.retain(|entry, last| entry.split('\n').next() != Some(subject) || last.elapsed() < REST);
        }
    }
}
