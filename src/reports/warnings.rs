//! Warnings that are logged once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::status::Refused;
use crate::ros::Lock;
use urdf_ik_text::names;

/// Maximum number of remembered warnings; beyond it all are logged again.
const MAX_REMEMBERED: usize = 1000;
/// Time without a fault before it is logged again: good and bad messages may alternate.
const QUIET_TIME: Duration = Duration::from_secs(10);
/// Warnings that are logged once, until their subject has been free of the fault for a while.
#[derive(Default)]
pub(crate) struct Warnings(Lock<HashMap<String, Instant>>);

impl Warnings {
    /// Logs a warning, unless this `kind` of fault was logged since the recovery of `subject`. True if logged.
    pub(crate) fn warn_once(&self, subject: &str, kind: &str, sentence: &str) -> bool {
        let kind = names::sentence(kind);
        let mut logged = self.0.lock();
        if logged.len() >= MAX_REMEMBERED {
            logged.clear();
        }
        let is_new = logged.insert(format!("{subject}\n{kind}"), Instant::now()).is_none();
        if is_new {
            log::warn!("{subject}: {sentence}");
        }
        is_new
    }

    /// Registers that `subject` is free of faults. Faults absent for [`QUIET_TIME`] are logged again when they recur.
    pub(crate) fn recovered(&self, subject: &str) {
        let mut logged = self.0.lock();
        if !logged.is_empty() {
            logged.retain(|entry, last| entry.split('\n').next() != Some(subject) || last.elapsed() < QUIET_TIME);
        }
    }

    /// Logs a refusal of `subject` once; a success counts as recovery. True if logged.
    pub(crate) fn note<T>(&self, subject: &str, ended: &Result<T, Refused>) -> bool {
        match ended {
            Ok(_) => {
                self.recovered(subject);
                false
            }
            Err(refused) => self.warn_once(subject, &refused.kind, &refused.sentence),
        }
    }
}
