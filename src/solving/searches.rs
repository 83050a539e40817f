//! Execution of searches: short ones at once, long ones in threads of low priority.
//!
//! Long searches, plans and batches run in threads of lowest priority, one for each, which Linux schedules fairly: a
//! streamed target or a short query finds a core at once. They share the remaining time instead of a queue, in which
//! one could delay the others by its whole timeout.

use std::sync::Arc;
use std::thread;

use tokio::sync::{Semaphore, oneshot};

use crate::reports::{Refused, refused};
use urdf_ik_solver::Interruption;

/// Maximum number of requests that wait for a core. Each takes some kilobytes.
const MAX_WAITING: usize = 1000;
/// Maximum number of low-priority threads per core.
const THREADS_PER_CORE: usize = 16;
/// Niceness of these threads: the lowest priority of Linux, where it is per thread.
const NICENESS: i32 = 19;

/// Maximum number of positions in all pending batch responses: a quarter of a gigabyte.
pub(crate) const MAX_POSITIONS: usize = 1 << 25;

/// Runs searches and plans. The scheduling does not change results.
pub(crate) struct Searches {
    /// A permit for each waiting request.
    waiting: Semaphore,
    /// A permit for each core: more concurrent short searches would only slow each other down.
    cores: Semaphore,
    /// A permit for each low-priority thread.
    threads: Arc<Semaphore>,
    /// A permit for each joint position of pending batch responses.
    pub batch_positions: Semaphore,
}

impl Searches {
    pub(crate) fn new() -> Self {
        let cores = cores();
        Self {
            waiting: Semaphore::new(MAX_WAITING),
            cores: Semaphore::new(cores),
            threads: Arc::new(Semaphore::new(THREADS_PER_CORE * cores)),
            batch_positions: Semaphore::new(MAX_POSITIONS),
        }
    }

    /// Runs short `work` as soon as a core is free of other short work.
    ///
    /// # Errors
    /// [`Refused`] by `work`, or if too many requests wait.
    pub(crate) async fn run_short<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let full = |_| busy(&format!("{MAX_WAITING} other requests wait already"));
        let _waiting = self.waiting.try_acquire().map_err(full)?;
        let _core = self.cores.acquire().await;
        tokio::task::spawn_blocking(work).await.map_err(|_| failed())?
    }

    /// Runs long `work` at once in a thread of low priority. Such threads share the time left by topics and short
    /// work. `threads` includes the threads that `work` starts, which inherit the priority.
    ///
    /// # Errors
    /// [`Refused`] by `work`, or if there are too many such threads.
    pub(crate) async fn run_long<T: Send + 'static>(
        &self,
        threads: usize,
        work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        self.run_interruptible(threads, |_| work()).await
    }

    /// Like [`Self::run_long`], for work that ends early once its result is no longer awaited.
    ///
    /// # Errors
    /// As [`Self::run_long`].
    pub(crate) async fn run_interruptible<T: Send + 'static>(
        &self,
        threads: usize,
        work: impl FnOnce(Interruption) -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let most = THREADS_PER_CORE * cores();
        let count = u32::try_from(threads.min(most)).unwrap_or(u32::MAX);
        let full = |_| busy(&format!("long searches have nearly all of the {most} threads that there are for them"));
        let permit = Arc::clone(&self.threads).try_acquire_many_owned(count).map_err(full)?;
        let (sender, done) = oneshot::channel();
        let run = move || {
            lower_priority();
            let result = work(&|| sender.is_closed());
            drop(permit);
            // Nobody waits when the node stops.
            let _ = sender.send(result);
        };
        thread::Builder::new().name("long search".into()).spawn(run).map_err(|e| busy(&e.to_string()))?;
        done.await.map_err(|_| failed())?
    }
}

/// Number of cores available to this process.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn busy(reason: &str) -> Refused {
    refused!("busy", "the node is busy: {reason}; send the request again later")
}

/// The refusal of a request on which a solver panicked.
fn failed() -> Refused {
    Refused::invalid("solver", "the solver failed on this request; please report this with the request")
}

/// Lowers the priority of this thread. No effect outside Linux, where it would change the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(e) = rustix::process::setpriority_process(None, NICENESS) {
        log::debug!("the priority of a long search could not be lowered: {e}");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap()
    }

    fn niceness() -> i32 {
        rustix::process::getpriority_process(None).unwrap()
    }

    /// Starts `count` pieces of long work that end when the sender is dropped.
    fn occupy(
        runtime: &tokio::runtime::Runtime,
        searches: &Arc<Searches>,
        count: usize,
    ) -> (mpsc::Sender<()>, Vec<tokio::task::JoinHandle<Result<(), Refused>>>) {
        let (sender, end) = mpsc::channel::<()>();
        let end = Arc::new(std::sync::Mutex::new(end));
        let (started, starts) = mpsc::channel();
        let tasks = (0..count).map(|_| {
            let (searches, end, started) = (Arc::clone(searches), Arc::clone(&end), started.clone());
            let work = move || {
                started.send(()).unwrap();
                let _ = end.lock().unwrap().recv();
                Ok(())
            };
            runtime.spawn(async move { searches.run_long(1, work).await })
        });
        let tasks = tasks.collect();
        for _ in 0..count {
            starts.recv().unwrap();
        }
        (sender, tasks)
    }

    #[test]
    fn long_work_and_its_threads_have_low_priority() {
        let work = || Ok((niceness(), thread::spawn(niceness).join().unwrap()));
        let priorities = runtime().block_on(Searches::new().run_long(2, work)).unwrap();
        assert!(!cfg!(target_os = "linux") || priorities == (NICENESS, NICENESS));
        let own = niceness();
        assert_eq!(runtime().block_on(Searches::new().run_short(|| Ok(niceness()))).unwrap(), own);
    }

    #[test]
    fn work_ends_once_nobody_awaits_it() {
        let (runtime, searches) = (runtime(), Searches::new());
        let (sender, reports) = mpsc::channel();
        let work = move |interruption: Interruption| {
            sender.send("began").unwrap();
            while !interruption() {
                thread::yield_now();
            }
            sender.send("ended").unwrap();
            Ok(())
        };
        let task = runtime.spawn(async move { searches.run_interruptible(1, work).await });
        assert_eq!(reports.recv(), Ok("began"));
        task.abort();
        assert_eq!(reports.recv(), Ok("ended"));
    }

    #[test]
    fn work_that_panics_is_refused_and_gives_its_thread_back() {
        let (runtime, searches) = (runtime(), Searches::new());
        let fail = || -> Result<(), Refused> { panic!("on purpose") };
        for _ in 0..=THREADS_PER_CORE * cores() {
            let refused = runtime.block_on(searches.run_long(1, fail)).unwrap_err();
            assert!(refused.sentence.contains("failed"), "{}", refused.sentence);
        }
        assert!(runtime.block_on(searches.run_short(fail)).unwrap_err().sentence.contains("failed"));
    }

    #[test]
    fn long_work_is_refused_where_all_threads_are_taken_and_short_work_is_not() {
        let (runtime, searches) = (runtime(), Arc::new(Searches::new()));
        let (end, tasks) = occupy(&runtime, &searches, THREADS_PER_CORE * cores());
        let refused = runtime.block_on(searches.run_long(1, || Ok(()))).unwrap_err();
        assert!(refused.sentence.contains("busy") && refused.sentence.contains("again later"), "{}", refused.sentence);
        runtime.block_on(searches.run_short(|| Ok(()))).unwrap();
        drop(end);
        for task in tasks {
            runtime.block_on(task).unwrap().unwrap();
        }
        runtime.block_on(searches.run_long(usize::MAX, || Ok(()))).unwrap();
    }

    #[test]
    fn short_work_is_refused_where_too_much_waits() {
        let (runtime, searches) = (runtime(), Searches::new());
        let _waiting = searches.waiting.try_acquire_many(1000).unwrap();
        let refused = runtime.block_on(searches.run_short(|| Ok(()))).unwrap_err();
        assert!(refused.sentence.contains("1000 other requests"), "{}", refused.sentence);
    }
}
