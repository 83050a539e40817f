//! The service `solve_ik_batch`: many targets in one request, solved by several threads of low priority.

use std::slice;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::Pose;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolveIK::Request as Overrides;
use r2r::urdf_ik::srv::SolveIKBatch::{Request, Response};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::batch_response::{BatchResponse, unanswered};
use super::joint_overrides::JointOverrides;
use super::query_context::QueryContext;
use super::request_overrides;
use crate::messages::{convert, copied};
use crate::reports::{Fault, RefuseAs, Refused, Reporter, ServiceResponse, fault, refused};
use crate::robot_in_use::{GoalReader, RequestedGoals};
use crate::solving::{MAX_POSITIONS, NullSpaceTask, Queries, problem, searches};
use urdf_ik_goals::Goal;
use urdf_ik_parameters::{OnUnreachable, Settings};
use urdf_ik_solver::{Problem, Target};

impl ServiceResponse<Request> for Response {
    fn refused(_: &Reporter, request: &Request, refused: Refused) -> Self {
        Self {
            message: refused.sentence,
            header: request.header.clone(),
            tip_link: request.tip_link.clone(),
            refused: u32::try_from(request.poses.len()).unwrap_or(u32::MAX),
            ..unanswered(request.poses.len(), refused.outcome)
        }
    }

    fn queries(&self) -> (u32, u32) {
        (u32::try_from(self.outcomes.len()).unwrap_or(u32::MAX), self.solved)
    }
}

pub(crate) async fn solve_ik_batch(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    let Queries { arm, searches } = &*queries;
    let began = Instant::now();
    let mut settings = (*arm.settings()).clone();
    let present = arm.configuration()?;
    let numbers = check_size(request.poses.len(), present.loaded.robot.movable().count(), request.goals.len())?;
    let sentence =
        "other batches that are under way leave no memory for this one: send it again when they are answered";
    let full = |_| Refused::invalid("busy", sentence);
    let _numbers = searches.batch_positions.try_acquire_many(numbers).map_err(full)?;
    let mut pattern = problem::target(Isometry3::identity(), &settings);
    request_overrides::apply(&overrides_of(&request), &present.loaded.chain, &mut pattern, &mut settings)?;
    let loaded = request_overrides::with_tools(&request.tools, &present.loaded, &[pattern.tip])?;
    let joints = JointOverrides::read(&loaded.chain, &request.bounds, &request.move_weights)?;
    let reader = GoalReader { frames: &arm.frames, configuration: &present, settings: &settings };
    let goals = reader.parse(&request.goals).await?;
    goals.read(&loaded, &present.positions)?;
    let time = batch_timeout(request.batch_timeout)?;
    let frame = arm.frames.of_request(&loaded, &settings, &request.header).await?;
    let origin = frame.in_base(&present);
    let Request { poses, seed, .. } = request;
    let threads = threads(&settings, poses.len());
    // One for all targets, even if obstacles change.
    let context = QueryContext::new(arm, &present, loaded, &present.positions, joints, settings).await?;
    let positions = present.positions;
    let job = BatchJob { context, positions, poses, goals, seed, origin, pattern, began, time };
    let work = move || pool(threads)?.install(|| job.run());
    let mut response = searches.run_long(threads, work).await?;
    response.header = Header { stamp: arm.clock.stamp(), frame_id: frame.name };
    Ok(response)
}

/// The fields of a request that override parameters.
fn overrides_of(request: &Request) -> Overrides {
    copied!(&request => Overrides {
        tip_link, free_axes, solver, pick, position_tolerance, orientation_tolerance, timeout, attempts, random_seed,
        avoid_collisions, on_unreachable,
    } Overrides::default())
}

/// The number of positions and violations in the response. Refuses empty batches, and batches whose response exceeds
/// the memory of a typical machine.
fn check_size(targets: usize, joints: usize, goals: usize) -> Result<u32, Refused> {
    if targets == 0 {
        return Err(Refused::invalid("poses", "poses is empty: there is nothing to solve"));
    }
    let columns = joints.saturating_add(goals);
    let numbers = targets.saturating_mul(columns);
    u32::try_from(numbers).ok().filter(|_| numbers <= MAX_POSITIONS).ok_or_else(|| {
        let most = MAX_POSITIONS / columns.max(1);
        refused!(
            "poses",
            "poses has {targets} entries; for a robot of {joints} joints and {goals} goals the most is {most}: send \
             several requests"
        )
    })
}

/// The time limit of a batch; `None` for no limit.
fn batch_timeout(seconds: f64) -> Result<Option<Duration>, Refused> {
    if seconds == 0.0 {
        return Ok(None);
    }
    let refuse =
        |_| refused!("batch_timeout", "batch_timeout is {seconds}; it must be a time in seconds, or 0 for no bound");
    Duration::try_from_secs_f64(seconds).map(Some).map_err(refuse)
}

/// Number of threads for a batch of `targets`.
fn threads(settings: &Settings, targets: usize) -> usize {
    let cores = searches::cores();
    settings.batch_cores.unwrap_or(cores - 1).min(cores).min(targets).max(1)
}

/// Threads for one batch, with the priority of the current one.
fn pool(threads: usize) -> Result<ThreadPool, Refused> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("batch {index}"))
        .build()
        .map_err(|e| refused!("threads", "the {threads} threads for a batch could not be started: {e}"))
}

/// A batch that is being solved.
struct BatchJob {
    context: QueryContext,
    /// The robot on arrival of the request (one entry for each joint).
    positions: Vec<f64>,
    poses: Vec<Pose>,
    /// The goals of every target.
    goals: RequestedGoals,
    seed: JointState,
    /// Pose of the request's frame in the base link's frame.
    origin: Isometry3<f64>,
    /// The targets without their poses.
    pattern: Target,
    /// Arrival of the request, the reference of `time`.
    began: Instant,
    time: Option<Duration>,
}

/// Start of a search.
struct BatchSeed {
    /// One entry for each joint of the robot.
    robot: Vec<f64>,
    /// One entry for each of the chain's variables.
    chain: Vec<f64>,
}

impl BatchJob {
    /// Solves the targets on the threads of the current pool.
    fn run(&self) -> Result<Response, Refused> {
        let QueryContext { loaded, settings, .. } = &self.context;
        let mut seeds = self.seeds()?;
        let requested = self.goals(&mut seeds)?;
        let goals = self.context.goals(requested.clone());
        // A single seed is for all targets.
        let targets: Vec<_> =
            self.poses.iter().zip(seeds.iter().cycle()).map(|(pose, seed)| self.target(pose, seed)).collect();
        let null_space_task = NullSpaceTask::new(loaded, settings)?;
        let problems: Vec<Problem> = targets
            .iter()
            .flatten()
            .map(|(target, seed)| self.context.problem(slice::from_ref(target), &goals, &seed.chain, &null_space_task))
            .collect();
        let go_on = || self.time.is_none_or(|time| self.began.elapsed() < time);
        let solver = loaded.solver(settings).refuse_as("solver")?;
        let searching = Instant::now();
        let batch = solver.solve_batch(&problems, &go_on);
        let mut response = BatchResponse::new(loaded, &requested, targets.len(), searching.elapsed());
        response.holds = settings.on_unreachable == OnUnreachable::Hold;
        let mut answered = batch.answers.iter().zip(batch.positions.chunks(loaded.chain.variables().len()));
        for (index, target) in targets.iter().enumerate() {
            match target {
                Err(sentence) => response.refuse(index, sentence),
                Ok((_, seed)) => {
                    let Some((answer, row)) = answered.next() else { break };
                    response.put(index, answer, row, &seed.robot);
                }
            }
        }
        Ok(response.finish(&solver, self.pattern.tip))
    }

    /// A target in the base link's frame with its seed, or the reason for its refusal.
    fn target<'a>(&self, pose: &Pose, seed: &'a Result<BatchSeed, Fault>) -> Result<(Target, &'a BatchSeed), Fault> {
        let target = if problem::has_pose(&self.pattern, self.goals.len()) {
            self.pattern.with_pose(self.origin * convert::pose(pose)?)
        } else {
            self.pattern
        };
        Ok((target, seed.as_ref().map_err(Fault::clone)?))
    }

    /// One seed for all targets, or one for each, or the reason for its refusal.
    fn seeds(&self) -> Result<Vec<Result<BatchSeed, Fault>>, Refused> {
        let loaded = &self.context.loaded;
        let JointState { name, position, .. } = &self.seed;
        let (names, targets) = (name.len(), self.poses.len());
        if position.len() != names && position.len() != names * targets {
            return Err(refused!(
                "seed",
                "the seed has {names} names and {} positions; it must have {names} positions, or {names} for each of \
                 the {targets} targets",
                position.len()
            ));
        }
        let read = |row: &[f64]| {
            let mut robot = self.positions.clone();
            convert::overlay_row(&loaded.robot, "the seed", name, row, &mut robot)?;
            Ok(BatchSeed { chain: loaded.chain.positions_from(&robot), robot })
        };
        if position.len() == names {
            let seed = read(position).refuse_as("seed")?;
            return Ok(vec![Ok(seed)]);
        }
        Ok(position.chunks(names).map(read).collect())
    }

    /// The goals of all targets, with the links outside the chain where the first seed has them. Refuses seeds that
    /// have them elsewhere.
    fn goals(&self, seeds: &mut [Result<BatchSeed, Fault>]) -> Result<Vec<Goal>, Refused> {
        let loaded = &self.context.loaded;
        let Some(first) = seeds.iter().flatten().next() else { return Ok(Vec::new()) };
        let goals = self.goals.read(loaded, &first.robot)?;
        if goals.is_empty() {
            return Ok(goals);
        }
        let chain = first.chain.clone();
        let outside_chain = |seed: &BatchSeed| {
            let mut robot = seed.robot.clone();
            loaded.chain.write_into(&loaded.robot, &chain, &mut robot);
            robot
        };
        let common = outside_chain(first);
        for seed in seeds {
            if seed.as_ref().is_ok_and(|seed| outside_chain(seed) != common) {
                *seed = Err(fault!(
                    "its seed moves joints outside the chain; with goals, all seeds of a batch must have them at the same \
                     positions"
                ));
            }
        }
        Ok(goals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_fits_into_memory() {
        assert!(check_size(0, 7, 0).unwrap_err().sentence.contains("empty"));
        check_size(1, 7, 100).unwrap();
        check_size(100_000, 7, 0).unwrap();
        check_size(MAX_POSITIONS / 10_000, 10_000, 0).unwrap();
        for (joints, goals) in [(10_000, 0), (9_950, 50)] {
            let refused = check_size(100_000, joints, goals).unwrap_err();
            assert!(refused.sentence.contains("the most is 3355"), "{}", refused.sentence);
        }
        check_size(usize::MAX, usize::MAX, usize::MAX).unwrap_err();
    }

    #[test]
    fn batch_timeout_is_a_time() {
        assert_eq!(batch_timeout(0.0).unwrap(), None);
        assert_eq!(batch_timeout(-0.0).unwrap(), None);
        assert_eq!(batch_timeout(1.5).unwrap(), Some(Duration::from_millis(1500)));
        // It rounds to zero, but must not mean "no limit".
        assert_eq!(batch_timeout(1e-12).unwrap(), Some(Duration::ZERO));
        for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(batch_timeout(bad).unwrap_err().sentence.contains("batch_timeout"));
        }
    }
}
