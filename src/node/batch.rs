//! Many targets in one request, spread over cores that the topics leave free.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::Pose;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolveIKBatch::{Request, Response};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::batch_report::Report;
use super::choices::Choices;
use super::drive::Posture;
use super::query::{self, Preferred};
use super::status::Refused;
use super::{Shared, convert};
use crate::parameters::Settings;
use crate::solver::{Problem, Target};

/// What stands before complaints about batches.
const SOLVE_IK_BATCH: &str = "solve_ik_batch";
/// Positions that one answer holds at most: a quarter of a gigabyte.
const MOST_POSITIONS: usize = 1 << 25;
/// The lowest priority that Linux has for a thread, as `nice` counts it: the topics' threads come first wherever they want a core.
const NICENESS: i32 = 19;

pub(super) async fn solve_ik_batch(shared: Arc<Shared>, request: Request) -> Response {
    let (header, tip_link, count) = (request.header.clone(), request.tip_link.clone(), request.poses.len());
    let response = match answer(&shared, request).await {
        Ok(response) => {
            shared.complaints.well(SOLVE_IK_BATCH);
            response
        }
        Err(refused) => {
            shared.complaints.complain(SOLVE_IK_BATCH, &refused.kind, &refused.sentence);
            refused.batch(header, tip_link, count)
        }
    };
    shared.counters.queries(u32::try_from(count).unwrap_or(u32::MAX), response.solved);
    response
}

async fn answer(shared: &Shared, request: Request) -> Result<Response, Refused> {
    let mut settings = (*shared.settings()).clone();
    let posture = shared.output.posture().ok_or_else(Refused::no_robot)?;
    let loaded = &posture.loaded;
    check_size(request.poses.len(), loaded.robot.movable().count())?;
    let mut pattern = query::target(Isometry3::identity(), &settings);
    Choices::from(&request).apply(&loaded.chain, &mut pattern, &mut settings)?;
    let time = batch_timeout(request.batch_timeout)?;
    let frame = shared.frames.of_request(loaded, &settings, &request.header).await?;
    let origin = frame.in_base(&posture);
    let Request { poses, seed, .. } = request;
    // Batches take turns, so that several do not share memory and cores among themselves.
    let turn = shared.batches.acquire().await;
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
    let pool = pool(&settings, poses.len())?;
    let job = Job { posture, poses, seed, origin, pattern, settings, time, wanted: Arc::clone(&wanted.0) };
    let work = tokio::task::spawn_blocking(move || pool.install(|| job.run()));
    let mut response = work.await.map_err(|e| Refused::invalid("solver", format!("the solver failed: {e}")))??;
    drop(turn);
    response.header = Header { stamp: shared.clock.stamp(), frame_id: frame.name };
    Ok(response)
}

/// Refuses batches without a target, and those whose answer would not fit into the memory of a usual machine.
fn check_size(targets: usize, joints: usize) -> Result<(), Refused> {
    if targets == 0 {
        return Err(Refused::invalid("poses", "poses is empty: there is nothing to solve".into()));
    }
    if targets.saturating_mul(joints) > MOST_POSITIONS {
        let most = MOST_POSITIONS / joints.max(1);
        return Err(Refused::invalid(
            "poses",
            format!(
                "poses has {targets} entries; for a robot of {joints} joints it may have {most} at most: send several requests"
            ),
        ));
    }
    Ok(())
}

/// The time that a whole batch may take; `None` where there is no bound.
fn batch_timeout(seconds: f64) -> Result<Option<Duration>, Refused> {
    if seconds == 0.0 {
        return Ok(None);
    }
    Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| {
        let sentence = format!("batch_timeout is {seconds}; it must be a time in seconds, or 0 for no bound");
        Refused::invalid("batch_timeout", sentence)
    })
}

/// Threads of low priority for one batch of `targets`.
fn pool(settings: &Settings, targets: usize) -> Result<ThreadPool, Refused> {
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = settings.batch_cores.unwrap_or(cores.saturating_sub(1)).min(cores).min(targets).max(1);
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("batch {index}"));
    builder.start_handler(|_| step_back()).build().map_err(|e| {
        Refused::invalid("threads", format!("the {threads} threads for a batch could not be started: {e}"))
    })
}

/// Lowers the priority of this thread. Elsewhere than on Linux it would be that of the whole process, so it is left.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(e) = rustix::process::setpriority_process(None, NICENESS) {
        log::debug!("the priority of a batch could not be lowered: {e}");
    }
}

/// While it lives somebody waits for the batch: when the node stops, it goes with the task that holds it.
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A batch that has been taken up.
struct Job {
    /// Where the robot stood when the request came.
    posture: Posture,
    poses: Vec<Pose>,
    seed: JointState,
    /// Of the poses' frame in the base link's frame.
    origin: Isometry3<f64>,
    /// All of the targets but their poses.
    pattern: Target,
    settings: Settings,
    time: Option<Duration>,
    wanted: Arc<AtomicBool>,
}

/// One seed for all targets, or one for each; a sentence in place of one that makes no sense.
struct Seeds(Vec<Result<Seed, String>>);

/// Where a search starts.
struct Seed {
    /// One entry for each joint of the robot.
    robot: Vec<f64>,
    /// One entry for each of the chain's variables.
    chain: Vec<f64>,
}

impl Job {
    /// Solves the targets on the threads of the pool in which it is called.
    fn run(&self) -> Result<Response, Refused> {
        let start = Instant::now();
        let loaded = &self.posture.loaded;
        let seeds = self.seeds()?;
        let questions: Vec<_> =
            self.poses.iter().enumerate().map(|(index, pose)| self.question(pose, seeds.of(index))).collect();
        let preferred = Preferred::new(loaded, &self.settings)?;
        let problems: Vec<Problem> = questions
            .iter()
            .flatten()
            .map(|(target, seed)| Problem {
                mode: query::search(&self.settings),
                preference: preferred.preference(),
                deadline: Some(self.settings.timeout),
                ..Problem::new(slice::from_ref(target), &seed.chain)
            })
            .collect();
        let in_time = || self.time.is_none_or(|time| start.elapsed() < time);
        let go_on = || self.wanted.load(Ordering::Relaxed) && in_time();
        let solver = loaded.solver(&self.settings).map_err(query::no_solver)?;
        let searching = Instant::now();
        let batch = solver.solve_batch(&problems, &go_on);
        let mut report = Report::new(loaded, questions.len(), searching.elapsed());
        let mut answered = batch.answers.iter().zip(batch.positions.chunks(loaded.chain.variables().len()));
        for (index, question) in questions.iter().enumerate() {
            match question {
                Err(sentence) => report.refuse(index, sentence),
                Ok((_, seed)) => {
                    let Some((answer, row)) = answered.next() else { break };
                    report.put(index, answer, row, &seed.robot);
                }
            }
        }
        Ok(report.finish(&solver, self.pattern.tip))
    }

    /// One target in the base link's frame with its seed, or the sentence that refuses it.
    fn question<'a>(&self, pose: &Pose, seed: Result<&'a Seed, String>) -> Result<(Target, &'a Seed), String> {
        Ok((Target { pose: self.origin * convert::pose(pose)?, ..self.pattern }, seed?))
    }

    /// Where the searches start: one posture for all targets, or one for each.
    fn seeds(&self) -> Result<Seeds, Refused> {
        let Posture { loaded, positions, .. } = &self.posture;
        let JointState { name, position, .. } = &self.seed;
        let (names, targets) = (name.len(), self.poses.len());
        if position.len() != names && position.len() != names * targets {
            return Err(Refused::invalid(
                "seed",
                format!(
                    "the seed has {names} names and {} positions; it must have as many of each, or {names} positions for \
                     each of the {targets} targets",
                    position.len()
                ),
            ));
        }
        let read = |row: &[f64]| {
            let mut robot = positions.clone();
            convert::overlay_row(&loaded.robot, "the seed", name, row, &mut robot)?;
            Ok(Seed { chain: loaded.chain.positions_from(&robot), robot })
        };
        if position.len() == names {
            let seed = read(position).map_err(|sentence| Refused::invalid("seed", sentence))?;
            return Ok(Seeds(vec![Ok(seed)]));
        }
        Ok(Seeds(position.chunks(names).map(read).collect()))
    }
}

impl Seeds {
    /// The seed of a target, or the sentence that refuses it.
    fn of(&self, target: usize) -> Result<&Seed, String> {
        let row = if self.0.len() == 1 { 0 } else { target };
        self.0[row].as_ref().map_err(String::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_fits_into_memory() {
        assert!(check_size(0, 7).unwrap_err().sentence.contains("empty"));
        check_size(1, 7).unwrap();
        check_size(100_000, 7).unwrap();
        check_size(MOST_POSITIONS / 10_000, 10_000).unwrap();
        let refused = check_size(100_000, 10_000).unwrap_err();
        assert!(refused.sentence.contains("3355 at most"), "{}", refused.sentence);
        check_size(usize::MAX, usize::MAX).unwrap_err();
    }

    #[test]
    fn a_time_is_a_time() {
        assert_eq!(batch_timeout(0.0).unwrap(), None);
        assert_eq!(batch_timeout(-0.0).unwrap(), None);
        assert_eq!(batch_timeout(1.5).unwrap(), Some(Duration::from_millis(1500)));
        // Too short to be counted, but not without bound.
        assert_eq!(batch_timeout(1e-12).unwrap(), Some(Duration::ZERO));
        for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(batch_timeout(bad).unwrap_err().sentence.contains("batch_timeout"));
        }
    }

    #[test]
    fn a_thread_can_step_back() {
        let priority = std::thread::spawn(|| {
            step_back();
            rustix::process::getpriority_process(None).unwrap()
        });
        assert!(!cfg!(target_os = "linux") || priority.join().unwrap() == NICENESS);
    }
}
