//! The service `solve_ik_batch`: many targets in one request, solved by several threads of low priority.

use std::slice;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::Pose;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::srv::SolveIKBatch::{Request, Response};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::joint_overrides::JointOverrides;
use super::request_overrides::RequestOverrides;
use crate::messages::convert;
use crate::reports::{Fault, RefuseAs, Refused, Reporter, ServiceResponse, TargetOutcome};
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::solving::{MAX_POSITIONS, NullSpaceTask, Queries, problem, searches};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{OnUnreachable, Settings};
use urdf_ik_solver::{Answer, Outcome, Problem, Solver, Target};

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
    let mut configuration = arm.configuration()?;
    let positions = check_size(request.poses.len(), configuration.loaded.robot.movable().count())?;
    let _positions = searches.batch_positions.try_acquire_many(positions).map_err(|_| other_batches())?;
    let mut pattern = problem::target(Isometry3::identity(), &settings);
    let overrides = RequestOverrides::from(&request);
    overrides.apply(&configuration.loaded.chain, &mut pattern, &mut settings)?;
    configuration.loaded = overrides.with_tools(&configuration.loaded, &[pattern.tip])?;
    let loaded = &configuration.loaded;
    let joints = JointOverrides::read(&loaded.chain, &request.bounds, &request.move_weights)?;
    let time = batch_timeout(request.batch_timeout)?;
    let frame = arm.frames.of_request(loaded, &settings, &request.header).await?;
    let origin = frame.in_base(&configuration);
    let Request { poses, seed, .. } = request;
    let threads = threads(&settings, poses.len());
    // One for all targets, even if obstacles change.
    let avoidance = Avoidance::of(&arm.surroundings, loaded, &configuration.positions, &settings).await?;
    let job = BatchJob { configuration, poses, seed, joints, origin, pattern, avoidance, settings, began, time };
    let work = move || pool(threads)?.install(|| job.run());
    let mut response = searches.run_long(threads, work).await?;
    response.header = Header { stamp: arm.clock.stamp(), frame_id: frame.name };
    Ok(response)
}

/// The number of positions in the response. Refuses empty batches, and batches whose response exceeds the memory of a
/// typical machine.
fn check_size(targets: usize, joints: usize) -> Result<u32, Refused> {
    if targets == 0 {
        return Err(Refused::invalid("poses", "poses is empty: there is nothing to solve"));
    }
    let positions = targets.saturating_mul(joints);
    u32::try_from(positions).ok().filter(|_| positions <= MAX_POSITIONS).ok_or_else(|| {
        let most = MAX_POSITIONS / joints.max(1);
        Refused::invalid(
            "poses",
            format!(
                "poses has {targets} entries; for a robot of {joints} joints the most is {most}: send several requests"
            ),
        )
    })
}

fn other_batches() -> Refused {
    let sentence =
        "other batches that are under way leave no memory for this one: send it again when they are answered";
    Refused::invalid("busy", sentence)
}

/// The time limit of a batch; `None` for no limit.
fn batch_timeout(seconds: f64) -> Result<Option<Duration>, Refused> {
    if seconds == 0.0 {
        return Ok(None);
    }
    Duration::try_from_secs_f64(seconds).map(Some).map_err(|_| {
        let sentence = format!("batch_timeout is {seconds}; it must be a time in seconds, or 0 for no bound");
        Refused::invalid("batch_timeout", sentence)
    })
}

/// Number of threads for a batch of `targets`.
fn threads(settings: &Settings, targets: usize) -> usize {
    let cores = searches::cores();
    settings.batch_cores.unwrap_or(cores - 1).min(cores).min(targets).max(1)
}

/// Threads for one batch, with the priority of the current one.
fn pool(threads: usize) -> Result<ThreadPool, Refused> {
    ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("batch {index}")).build().map_err(|e| {
        Refused::invalid("threads", format!("the {threads} threads for a batch could not be started: {e}"))
    })
}

/// A batch that is being solved.
struct BatchJob {
    /// The robot on arrival of the request.
    configuration: Configuration,
    poses: Vec<Pose>,
    seed: JointState,
    /// Bounds and weights of joints.
    joints: JointOverrides,
    /// Pose of the request's frame in the base link's frame.
    origin: Isometry3<f64>,
    /// The targets without their poses.
    pattern: Target,
    avoidance: Option<Avoidance>,
    settings: Settings,
    /// ArrivalReport of the request, the reference of `time`.
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
        let loaded = &self.configuration.loaded;
        let seeds = self.seeds()?;
        // A single seed is for all targets.
        let targets: Vec<_> =
            self.poses.iter().zip(seeds.iter().cycle()).map(|(pose, seed)| self.target(pose, seed)).collect();
        let null_space_task = NullSpaceTask::new(loaded, &self.settings)?;
        let problems: Vec<Problem> = targets
            .iter()
            .flatten()
            .map(|(target, seed)| {
                let target = slice::from_ref(target);
                let search = problem::search(target, &seed.chain, &self.settings, self.avoidance.as_ref());
                self.joints.apply(search.with_preference(null_space_task.preference()))
            })
            .collect();
        let go_on = || self.time.is_none_or(|time| self.began.elapsed() < time);
        let solver = loaded.solver(&self.settings).refuse_as("solver")?;
        let searching = Instant::now();
        let batch = solver.solve_batch(&problems, &go_on);
        let mut response = BatchResponse::new(loaded, targets.len(), searching.elapsed());
        response.holds = self.settings.on_unreachable == OnUnreachable::Hold;
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
        let target = self.pattern.with_pose(self.origin * convert::pose(pose)?);
        Ok((target, seed.as_ref().map_err(Fault::clone)?))
    }

    /// One seed for all targets, or one for each, or the reason for its refusal.
    fn seeds(&self) -> Result<Vec<Result<BatchSeed, Fault>>, Refused> {
        let Configuration { loaded, positions, .. } = &self.configuration;
        let JointState { name, position, .. } = &self.seed;
        let (names, targets) = (name.len(), self.poses.len());
        if position.len() != names && position.len() != names * targets {
            return Err(Refused::invalid(
                "seed",
                format!(
                    "the seed has {names} names and {} positions; it must have {names} positions, or {names} for each of \
                     the {targets} targets",
                    position.len()
                ),
            ));
        }
        let read = |row: &[f64]| {
            let mut robot = positions.clone();
            convert::overlay_row(&loaded.robot, "the seed", name, row, &mut robot)?;
            Ok(BatchSeed { chain: loaded.chain.positions_from(&robot), robot })
        };
        if position.len() == names {
            let seed = read(position).refuse_as("seed")?;
            return Ok(vec![Ok(seed)]);
        }
        Ok(position.chunks(names).map(read).collect())
    }
}

/// A response under construction. A target counts as refused until it is set.
struct BatchResponse<'a> {
    loaded: &'a LoadedRobot,
    /// The movable joints, the columns of a row.
    joints: Vec<usize>,
    /// Buffer for one row (one entry for each joint of the robot).
    positions: Vec<f64>,
    /// The first refused target, and the reason.
    first_refused: Option<(usize, String)>,
    /// True if targets that are not met have no positions.
    holds: bool,
    response: Response,
}

impl<'a> BatchResponse<'a> {
    /// A response for `targets`, all of them refused.
    fn new(loaded: &'a LoadedRobot, targets: usize, solve_time: Duration) -> Self {
        let joints: Vec<usize> = loaded.robot.movable().collect();
        let response = Response {
            joint_names: loaded.robot.movable_names().map(str::to_owned).collect(),
            positions: vec![f64::NAN; targets * joints.len()],
            solve_time: solve_time.as_secs_f64(),
            ..unanswered(targets, TargetOutcome::Invalid)
        };
        Self { loaded, joints, positions: Vec::new(), first_refused: None, holds: false, response }
    }

    /// Registers that target `index` was refused.
    fn refuse(&mut self, index: usize, sentence: &str) {
        self.response.refused += 1;
        if self.first_refused.is_none() {
            self.first_refused = Some((index, sentence.to_owned()));
        }
    }

    /// Sets the answer of the solver to target `index`. `row` has the positions of the chain's variables; all other
    /// joints are as in `seed` (one entry for each joint of the robot).
    fn put(&mut self, index: usize, answer: &Answer, row: &[f64], seed: &[f64]) {
        let (outcome, residual) = match answer {
            Answer::Given { outcome, residual, .. } => (outcome, residual),
            Answer::Refused(error) => return self.refuse(index, &error.to_string()),
            _ => {
                self.response.outcomes[index] = TargetOutcome::Skipped.code();
                self.response.skipped += 1;
                return;
            }
        };
        match outcome {
            Outcome::Solved => self.response.solved += 1,
            _ => self.response.not_met += 1,
        }
        self.response.outcomes[index] = TargetOutcome::from(*outcome).code();
        self.response.position_errors[index] = residual.position;
        self.response.orientation_errors[index] = residual.orientation;
        if self.holds && *outcome != Outcome::Solved {
            return;
        }
        self.positions.clear();
        self.positions.extend_from_slice(seed);
        self.loaded.chain.write_into(&self.loaded.robot, row, &mut self.positions);
        let start = index * self.joints.len();
        for (entry, &joint) in self.response.positions[start..].iter_mut().zip(&self.joints) {
            *entry = self.positions[joint];
        }
    }

    /// The response of `solver` for the tip with index `tip`, without a header.
    fn finish(self, solver: &Solver, tip: usize) -> Response {
        let Self { loaded, first_refused, mut response, .. } = self;
        let count = response.outcomes.len();
        response.success = usize::try_from(response.solved) == Ok(count);
        response.tip_link.clone_from(&loaded.chain.tips()[tip].link);
        response.solver = solver.method().kind().name().into();
        let mut parts = vec![format!("{} of {count} targets solved", response.solved)];
        if response.not_met > 0 {
            parts.push(format!("{} not met", response.not_met));
        }
        if let Some((index, why)) = first_refused {
            parts.push(format!("{} refused, the first of them poses[{index}]: {why}", response.refused));
        }
        if response.skipped > 0 {
            parts.push(format!("{} skipped, because batch_timeout had passed", response.skipped));
        }
        response.message = parts.join("; ");
        response
    }
}

/// A response for `targets` without answers.
fn unanswered(targets: usize, outcome: TargetOutcome) -> Response {
    Response {
        outcomes: vec![outcome.code(); targets],
        position_errors: vec![f64::NAN; targets],
        orientation_errors: vec![f64::NAN; targets],
        ..Response::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_fits_into_memory() {
        assert!(check_size(0, 7).unwrap_err().sentence.contains("empty"));
        check_size(1, 7).unwrap();
        check_size(100_000, 7).unwrap();
        check_size(MAX_POSITIONS / 10_000, 10_000).unwrap();
        let refused = check_size(100_000, 10_000).unwrap_err();
        assert!(refused.sentence.contains("the most is 3355"), "{}", refused.sentence);
        check_size(usize::MAX, usize::MAX).unwrap_err();
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
