//! The threads that batches are solved on.

use std::mem;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::refused;

/// Greatest number of threads.
const MOST: usize = 1024;

/// A pool that is kept for the next batch.
struct Kept {
    pool: Arc<ThreadPool>,
    /// As it was asked for.
    threads: usize,
    process: u32,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// A pool of so many threads; with 0, one thread for each core.
pub fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    if threads > MOST {
        return Err(refused(format!("threads is {threads}; it must be from 0, for all cores, to {MOST}")));
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    match &*kept {
        // In a forked process the threads of the pool do not exist, and even to end it could wait for them forever.
        Some(other) if other.process != process => mem::forget(kept.take()),
        Some(kept) if kept.threads == threads => return Ok(Arc::clone(&kept.pool)),
        _ => {}
    }
    let pool = Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().map_err(refused)?);
    *kept = Some(Kept { pool: Arc::clone(&pool), threads, process });
    Ok(pool)
}
