//! The service `solve_ik_batch`: many targets in one request, on several threads of low priority, and its response, filled row by row.

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
use crate::reports::{self, Fault, RefuseAs, Refused, Verdict};
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::solving::{MAX_POSITIONS, NullSpaceTask, Queries, problem, searches};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{OnUnreachable, Settings};
use urdf_ik_solver::{Answer, Outcome, Problem, Solver, Target};

impl<C> reports::Answer<C, Request> for Response {
    fn refused(_: &C, request: &Request, refused: Refused) -> Self {
        refused.batch(request.header.clone(), request.tip_link.clone(), request.poses.len())
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
    // One for all targets, whatever changes meanwhile.
    let avoidance = Avoidance::of(&arm.surroundings, loaded, &configuration.positions, &settings).await?;
    let job = Job { configuration, poses, seed, joints, origin, pattern, avoidance, settings, began, time };
    let work = move || pool(threads)?.install(|| job.run());
    let mut response = searches.run_long(threads, work).await?;
    response.header = Header { stamp: arm.clock.stamp(), frame_id: frame.name };
    Ok(response)
}

/// The number of positions in the response. Refuses a batch without a target, and one whose response would not fit into the memory of
/// a usual machine.
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

/// How many threads a batch of `targets` has.
fn threads(settings: &Settings, targets: usize) -> usize {
    let cores = searches::cores();
    settings.batch_cores.unwrap_or(cores - 1).min(cores).min(targets).max(1)
}

/// Threads for one batch, with the priority of this one.
fn pool(threads: usize) -> Result<ThreadPool, Refused> {
    ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("batch {index}")).build().map_err(|e| {
        Refused::invalid("threads", format!("the {threads} threads for a batch could not be started: {e}"))
    })
}

/// A batch that is being solved.
struct Job {
    /// Where the robot was when the request came.
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
    /// When the request came: from then on `time` counts.
    began: Instant,
    time: Option<Duration>,
}

/// One seed for all targets, or one for each. A sentence instead of a seed that is not valid.
struct Seeds(Vec<Result<Seed, Fault>>);

/// Where a search starts.
struct Seed {
    /// One entry for each joint of the robot.
    robot: Vec<f64>,
    /// One entry for each of the chain's variables.
    chain: Vec<f64>,
}

impl Job {
    /// Solves the targets on the threads of the pool in which it runs.
    fn run(&self) -> Result<Response, Refused> {
        let loaded = &self.configuration.loaded;
        let seeds = self.seeds()?;
        let targets: Vec<_> =
            self.poses.iter().enumerate().map(|(index, pose)| self.target(pose, seeds.of(index))).collect();
        let null_space_task = NullSpaceTask::new(loaded, &self.settings)?;
        let problems: Vec<Problem> = targets
            .iter()
            .flatten()
            .map(|(target, seed)| {
                self.joints.apply(Problem {
                    mode: problem::search_mode(&self.settings),
                    preference: null_space_task.preference(),
                    deadline: Some(self.settings.timeout),
                    clearance: self.avoidance.as_ref().map(Avoidance::clearance),
                    unreached: self.settings.on_unreachable.into(),
                    ..Problem::new(slice::from_ref(target), &seed.chain)
                })
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

    /// One target in the base link's frame with its seed, or the sentence that refuses it.
    fn target<'a>(&self, pose: &Pose, seed: Result<&'a Seed, Fault>) -> Result<(Target, &'a Seed), Fault> {
        Ok((Target { pose: self.origin * convert::pose(pose)?, ..self.pattern }, seed?))
    }

    /// Where the searches start: one seed for all targets, or one for each.
    fn seeds(&self) -> Result<Seeds, Refused> {
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
            Ok(Seed { chain: loaded.chain.positions_from(&robot), robot })
        };
        if position.len() == names {
            let seed = read(position).refuse_as("seed")?;
            return Ok(Seeds(vec![Ok(seed)]));
        }
        Ok(Seeds(position.chunks(names).map(read).collect()))
    }
}

impl Seeds {
    /// The seed of a target, or the sentence that refuses it.
    fn of(&self, target: usize) -> Result<&Seed, Fault> {
        let row = if self.0.len() == 1 { 0 } else { target };
        self.0[row].as_ref().map_err(Fault::clone)
    }
}

/// A response that is being filled. A target counts as refused until it is put in.
struct BatchResponse<'a> {
    loaded: &'a LoadedRobot,
    /// The movable joints: a row has their positions.
    joints: Vec<usize>,
    /// Memory for one row: one entry for each joint of the robot.
    positions: Vec<f64>,
    /// The first target that was refused, and why.
    first_refused: Option<(usize, String)>,
    /// Whether a target that is not met has no positions.
    holds: bool,
    response: Response,
}

impl<'a> BatchResponse<'a> {
    /// A response for so many `targets`, all of them refused.
    fn new(loaded: &'a LoadedRobot, targets: usize, solve_time: Duration) -> Self {
        let joints: Vec<usize> = loaded.robot.movable().collect();
        let response = Response {
            joint_names: loaded.robot.movable_names().map(str::to_owned).collect(),
            positions: vec![f64::NAN; targets * joints.len()],
            solve_time: solve_time.as_secs_f64(),
            ..unanswered(targets, Verdict::Invalid)
        };
        Self { loaded, joints, positions: Vec::new(), first_refused: None, holds: false, response }
    }

    /// Notes that target `index` was refused.
    fn refuse(&mut self, index: usize, sentence: &str) {
        self.response.refused += 1;
        if self.first_refused.is_none() {
            self.first_refused = Some((index, sentence.to_owned()));
        }
    }

    /// Puts in the answer of the solver to target `index`. `row` has the positions of the chain's variables; all other joints are as in
    /// `seed` (one entry for each joint of the robot).
    fn put(&mut self, index: usize, answer: &Answer, row: &[f64], seed: &[f64]) {
        let (outcome, residual) = match answer {
            Answer::Given { outcome, residual, .. } => (outcome, residual),
            Answer::Refused(error) => return self.refuse(index, &error.to_string()),
            Answer::Skipped => {
                self.response.outcomes[index] = Verdict::Skipped.code();
                self.response.skipped += 1;
                return;
            }
        };
        match outcome {
            Outcome::Solved => self.response.solved += 1,
            Outcome::PositionOnly | Outcome::Closest(_) => self.response.not_met += 1,
        }
        self.response.outcomes[index] = Verdict::from(*outcome).code();
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

/// A response for so many targets without an answer.
fn unanswered(targets: usize, verdict: Verdict) -> Response {
    Response {
        outcomes: vec![verdict.code(); targets],
        position_errors: vec![f64::NAN; targets],
        orientation_errors: vec![f64::NAN; targets],
        ..Response::default()
    }
}

impl Refused {
    /// The refusal of a whole batch, with `header` and `tip_link` of the request.
    fn batch(self, header: Header, tip_link: String, targets: usize) -> Response {
        Response {
            message: self.sentence,
            header,
            tip_link,
            refused: u32::try_from(targets).unwrap_or(u32::MAX),
            ..unanswered(targets, self.verdict)
        }
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
        // It rounds to zero, but must not mean "no bound".
        assert_eq!(batch_timeout(1e-12).unwrap(), Some(Duration::ZERO));
        for bad in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(batch_timeout(bad).unwrap_err().sentence.contains("batch_timeout"));
        }
    }
}
