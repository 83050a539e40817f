//! Turns prepared targets into motion; targets of several tips that arrive close together are solved together.
//!
//! While targets rest, the null-space task goes on from where they are met, in periods of `publish_rate`, to its optimum.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use tokio::sync::Notify;

use super::target_tracker::{Effort, TargetTracker, is_stopped_by_collision};
use crate::Shared;
use crate::arm::configuration_motion::Arrival;
use crate::arm::measure::measure;
use crate::arm::output::{Moved, Progress};
use crate::reports::report::{Report, Verdict};
use crate::reports::status::{self, Refused};
use crate::robot_in_use::configuration::Configuration;
use crate::robot_in_use::description::LoadedRobot;
use crate::ros::clock;
use crate::surroundings::avoidance::Avoidance;
use urdf_ik::parameters::{OnUnreachable, Settings};
use urdf_ik::solver::{Solution, Solver, Target};

/// How long the target of one tip waits for the targets of the other tips, where there are several.
const GATHER_TIME: Duration = Duration::from_millis(1);

/// Greatest number of variables of a chain whose targets are tracked in the spin thread: this takes some microseconds.
const MAX_VARIABLES_TO_TRACK_AT_ONCE: usize = 32;
/// Greatest number of pairs of bodies that tracking keeps apart in the spin thread, for the same reason.
const MAX_PAIRS_TO_KEEP_APART_AT_ONCE: usize = 1000;

/// A target that can be solved.
pub(crate) struct PreparedTarget {
    /// Name of the topic, for warnings.
    pub topic: &'static str,
    /// The robot that it was related to.
    pub loaded: Arc<LoadedRobot>,
    /// In the base link's frame.
    pub target: Target,
    /// With the frame that was used.
    pub header: Header,
}

/// Solves targets and starts the motion to them.
#[derive(Default)]
pub(crate) struct TargetSolver {
    /// Targets that wait to be solved.
    waiting: Mutex<Vec<PreparedTarget>>,
    memory: tokio::sync::Mutex<Memory>,
    /// Wakes the task that goes on between targets.
    flow_begins: Notify,
}

/// What is kept from one solve to the next.
#[derive(Default)]
struct Memory {
    tracker: Option<TargetTracker>,
    /// The last target of each tip, and when it was solved.
    last: Vec<(Target, Instant)>,
    /// `None` where the null-space task has nothing to do.
    flow: Option<Flow>,
}

/// Targets that are met, while the null-space task goes on.
struct Flow {
    targets: Vec<Target>,
    /// Of the first of the targets: those that came last.
    headers: Vec<Header>,
    /// Of the last motion: whatever else is requested ends the flow.
    ticket: u64,
    since: Instant,
}

/// How targets are solved.
struct Manner {
    settings: Arc<Settings>,
    avoidance: Option<Avoidance>,
    effort: Effort,
}

impl Flow {
    /// After a motion to where the targets are met; `None` where something was in the way.
    fn new(targets: Vec<Target>, headers: Vec<Header>, moved: &Moved) -> Option<Self> {
        let is_stopped = matches!(moved.progress, Some(Progress::Stopped(_)));
        (!is_stopped).then(|| Self { targets, headers, ticket: moved.ticket, since: Instant::now() })
    }
}

impl TargetSolver {
    /// Solves a target together with all others that wait by then, and publishes the results.
    pub(crate) async fn solve(&self, shared: &Shared, target: PreparedTarget) {
        let has_several_tips = target.loaded.chain.tips().len() > 1;
        self.waiting().push(target);
        if has_several_tips {
            tokio::time::sleep(GATHER_TIME).await;
        }
        let mut memory = self.memory.lock().await;
        // Empty where another task has solved this target with its own.
        let targets = std::mem::take(&mut *self.waiting());
        let Some(PreparedTarget { loaded, .. }) = targets.first() else { return };
        match Manner::to_search(shared, loaded).await {
            Ok(manner) => {
                memory.solve_and_report(shared, targets, &manner);
                self.wake(&memory);
            }
            Err(refused) => refuse(shared, targets, &refused),
        }
    }

    /// Solves a target at once, if the chain has one tip, no other solve is under way, that is short work, and tracking meets the target.
    /// Returns whether it did.
    pub(crate) fn track(&self, shared: &Shared, target: PreparedTarget) -> bool {
        let chain = &target.loaded.chain;
        if chain.tips().len() > 1 || chain.variables().len() > MAX_VARIABLES_TO_TRACK_AT_ONCE {
            return false;
        }
        let Some(manner) = Manner::to_track_at_once(shared) else { return false };
        let Ok(mut memory) = self.memory.try_lock() else { return false };
        let is_met = memory.solve_and_report(shared, vec![target], &manner);
        self.wake(&memory);
        is_met
    }

    /// Wakes the task that goes on between targets, where there is something to go on with.
    fn wake(&self, memory: &Memory) {
        if memory.flow.is_some() {
            self.flow_begins.notify_one();
        }
    }

    /// Goes on with the null-space task for a period, unless a target has done so meanwhile; tells whether there is more to do.
    async fn flow_on(&self, shared: &Shared) -> bool {
        let period = shared.settings().publish_period;
        clock::sleep_until(Instant::now() + period).await;
        let mut memory = self.memory.lock().await;
        let Some(flow) = memory.flow.take() else { return false };
        // A timer may be a little early.
        if flow.since.elapsed() < period.mul_f64(0.9) {
            memory.flow = Some(flow);
            return true;
        }
        let manner = match &memory.tracker {
            Some(tracker) => Manner::to_search(shared, &Arc::clone(&tracker.loaded)).await,
            None => return false,
        };
        let work = AssertUnwindSafe(|| memory.flow_on(shared, flow, &manner?));
        let flow = panic::catch_unwind(work).unwrap_or(Ok(None));
        memory.flow = flow.unwrap_or(None);
        memory.flow.is_some()
    }

    /// Forgets the targets of all tips.
    pub(crate) async fn forget(&self) {
        let mut memory = self.memory.lock().await;
        memory.last.clear();
        memory.flow = None;
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<PreparedTarget>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Manner {
    /// # Errors
    /// As of [`Avoidance::of`].
    async fn to_search(shared: &Shared, loaded: &Arc<LoadedRobot>) -> Result<Self, Refused> {
        let settings = shared.settings();
        let positions = shared.output.configuration().ok_or_else(Refused::no_robot)?.positions;
        let avoidance = Avoidance::of(&shared.world, (loaded, &positions), &settings).await?;
        Ok(Self { settings, avoidance, effort: Effort::Search })
    }

    /// `None` where that may take long.
    fn to_track_at_once(shared: &Shared) -> Option<Self> {
        let settings = shared.settings();
        let avoidance = Avoidance::at_once(&shared.world, &settings).ok()?;
        let pairs = avoidance.as_ref().map_or(0, |avoidance| avoidance.scene.pairs().len());
        let is_short = pairs <= MAX_PAIRS_TO_KEEP_APART_AT_ONCE;
        is_short.then_some(Self { settings, avoidance, effort: Effort::Track })
    }
}

impl Memory {
    /// Solves the targets and publishes their reports. Returns false, and publishes nothing, where the effort was not enough.
    fn solve_and_report(&mut self, shared: &Shared, targets: Vec<PreparedTarget>, manner: &Manner) -> bool {
        let work = AssertUnwindSafe(|| self.solve(shared, &targets, manner));
        // A panic of a solver must not end the task that serves all targets.
        let reports = panic::catch_unwind(work).unwrap_or_else(|_| {
            *self = Self::default();
            Err(Refused::invalid("solver", "the solver failed on this target".into()))
        });
        if !matches!(reports, Ok(None)) {
            for PreparedTarget { loaded, target, .. } in &targets {
                shared.output.reporter.latest.aim(&loaded.chain.tips()[target.tip].link, target);
            }
        }
        match reports {
            Ok(Some(reports)) => {
                for (target, report) in targets.iter().zip(reports) {
                    shared.warnings.recovered(target.topic);
                    shared.report(report);
                }
                true
            }
            Err(refused) if manner.effort == Effort::Search => {
                refuse(shared, targets, &refused);
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// Solves the targets, starts the motion, and gives a report on each; `None` where the effort was not enough.
    fn solve(
        &mut self,
        shared: &Shared,
        new: &[PreparedTarget],
        manner: &Manner,
    ) -> Result<Option<Vec<Report>>, Refused> {
        let Manner { settings, avoidance, effort } = manner;
        let avoidance = avoidance.as_ref();
        let now = shared.output.configuration().ok_or_else(Refused::no_robot)?;
        let loaded = &now.loaded;
        let robots = new.iter().map(|target| &target.loaded).chain(avoidance.map(|avoidance| &avoidance.loaded));
        if robots.into_iter().any(|robot| !Arc::ptr_eq(robot, loaded)) {
            return Err(Refused::other_robot());
        }
        let targets = self.targets(loaded, new, settings.join_targets);
        self.flow = None;
        let tracker = self.tracker.get_or_insert_with(|| TargetTracker::new(Arc::clone(loaded)));
        let seed = loaded.chain.positions_from(&now.end);
        let (solver, solution) = tracker.follow(&targets, &seed, (settings, avoidance), *effort)?;
        if *effort == Effort::Track && !solution.is_solved() && !is_stopped_by_collision(solution) {
            return Ok(None);
        }
        let is_solved = solution.is_solved();
        let headers = || new.iter().map(|new| &new.header);
        let arrivals = || arrivals((&solver, solution), &targets, headers(), avoidance);
        let reports = || -> Vec<Report> { arrivals().into_iter().map(|arrival| arrival.report).collect() };
        if !is_solved && settings.on_unreachable == OnUnreachable::Hold {
            let mut reports = reports();
            hold(shared, tracker, &now, new, &mut reports)?;
            return Ok(Some(reports));
        }
        let moved = shared.output.move_to(loaded, &solution.positions, (settings, avoidance), None, &arrivals)?;
        // Only now, because the joint state must not wait for its reports.
        let mut reports = reports();
        report_motion(tracker, &moved, (new, avoidance), &mut reports);
        if is_solved && tracker.has_task() {
            self.flow = Flow::new(targets, headers().cloned().collect(), &moved);
        }
        Ok(Some(reports))
    }

    /// Goes on with the null-space task. Gives the flow back, where there is more to do.
    fn flow_on(&mut self, shared: &Shared, flow: Flow, manner: &Manner) -> Result<Option<Flow>, Refused> {
        let (settings, avoidance) = (&*manner.settings, manner.avoidance.as_ref());
        let now = shared.output.configuration().ok_or_else(Refused::no_robot)?;
        let tracker = self.tracker.as_mut().filter(|tracker| Arc::ptr_eq(&tracker.loaded, &now.loaded));
        let tracker = tracker.ok_or_else(Refused::other_robot)?;
        let seed = now.loaded.chain.positions_from(&now.end);
        let Some(solved) = tracker.flow(&flow.targets, &seed, (settings, avoidance))? else { return Ok(None) };
        let arrivals = || arrivals((&solved.0, solved.1), &flow.targets, flow.headers.iter(), avoidance);
        let positions = &solved.1.positions;
        let moved =
            shared.output.move_to(&now.loaded, positions, (settings, avoidance), Some(flow.ticket), &arrivals)?;
        Ok(Flow::new(flow.targets, flow.headers, &moved))
    }

    /// The new targets, then the last targets of the other tips that are not older than `window`. Remembers the new ones.
    fn targets(&mut self, loaded: &Arc<LoadedRobot>, new: &[PreparedTarget], window: Duration) -> Vec<Target> {
        if self.tracker.as_ref().is_some_and(|tracker| !Arc::ptr_eq(&tracker.loaded, loaded)) {
            *self = Self::default();
        }
        let has_new_target = |tip| new.iter().any(|new| new.target.tip == tip);
        self.last.retain(|(target, at)| !has_new_target(target.tip) && at.elapsed() <= window);
        let others = self.last.iter().map(|(target, _)| *target);
        let targets = new.iter().map(|new| new.target).chain(others).collect();
        let now = Instant::now();
        self.last.extend(new.iter().map(|new| (new.target, now)));
        targets
    }
}

/// The reports for when the arm has arrived at the first of the `targets`, which have these `headers`.
fn arrivals<'a>(
    (solver, solution): (&Solver, &Solution),
    targets: &[Target],
    headers: impl Iterator<Item = &'a Header>,
    avoidance: Option<&Avoidance>,
) -> Vec<Arrival> {
    let scene = Avoidance::scene(avoidance);
    let arrival = |(index, header): (usize, &Header)| {
        let report = status::of_solution(solver, (targets, index), (solution, scene), header.clone());
        Arrival { target: targets[index], report }
    };
    headers.enumerate().map(arrival).collect()
}

/// Goes on with the null-space task while targets rest.
pub(crate) fn serve(shared: &Arc<Shared>) {
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        loop {
            shared.target_solver.flow_begins.notified().await;
            while shared.target_solver.flow_on(&shared).await {}
        }
    });
}

/// Refuses targets, all for the same reason.
fn refuse(shared: &Shared, targets: Vec<PreparedTarget>, refused: &Refused) {
    for PreparedTarget { topic, target, header, .. } in targets {
        shared.conclude(topic, target.tip, header, Err(refused.clone()));
    }
}

/// Stops the arm, and puts where it is into the `reports` of the `new` targets.
fn hold(
    shared: &Shared,
    tracker: &mut TargetTracker,
    now: &Configuration,
    new: &[PreparedTarget],
    reports: &mut [Report],
) -> Result<(), Refused> {
    let (stamp, _) = shared.output.stop()?;
    let here = now.loaded.chain.positions_from(&now.positions);
    for (report, new) in reports.iter_mut().zip(new) {
        report.sentence = format!("{}; the arm holds its position", report.sentence);
        measure(report, (&now.loaded, &new.target), &here, &mut tracker.scratch);
        report.joint_state_stamp = stamp.clone();
    }
    Ok(())
}

/// Puts the motion that has begun into the `reports` of the `new` targets.
fn report_motion(
    tracker: &mut TargetTracker,
    moved: &Moved,
    (new, avoidance): (&[PreparedTarget], Option<&Avoidance>),
    reports: &mut [Report],
) {
    for (report, new) in reports.iter_mut().zip(new) {
        report.joint_state_stamp = moved.stamp.clone();
        if let Some(avoidance) = avoidance {
            tracker.lookout.report_nearest(report, avoidance, &moved.positions);
        }
        let Some(progress) = &moved.progress else { continue };
        measure(report, (&tracker.loaded, &new.target), &moved.positions, &mut tracker.scratch);
        report.verdict = Verdict::StepLimited;
        match progress {
            Progress::Smooth(time) => {
                report.sentence = format!("the arm arrives in {time:.3} s; then: {}", report.sentence);
            }
            Progress::Steps => {
                "the arm is on its way: max_joint_step does not allow the whole move at once"
                    .clone_into(&mut report.sentence);
            }
            Progress::Stopped(obstruction) => obstruction.put_into(report),
        }
    }
}
