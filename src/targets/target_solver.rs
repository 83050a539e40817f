//! Turns prepared targets into motion; targets of several tips that arrive close together are solved together.
//!
//! While targets rest, the null-space task goes on from where they are met, in periods of `publish_rate`, to its optimum.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use tokio::sync::Notify;

use super::target_tracker::{Effort, TargetTracker, is_stopped_by_collision};
use crate::arm::{Arm, Arrival, Moved, Progress};
use crate::reports::{Refused, Report, Verdict, status};
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::ros::{Lock, clock, task};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{OnUnreachable, Settings};
use urdf_ik_solver::{Solution, Solver, Target};

/// How long the target of one tip waits for the targets of the other tips, where there are several.
const GATHER_TIME: Duration = Duration::from_millis(1);

/// Greatest number of variables of a chain whose targets are tracked in the spin thread: this takes some microseconds.
const MAX_VARIABLES_TO_TRACK_AT_ONCE: usize = 32;
/// Greatest number of pairs of bodies that tracking keeps apart in the spin thread, where a target may take some microseconds.
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
pub(crate) struct TargetSolver {
    pub arm: Arc<Arm>,
    /// Targets that wait to be solved.
    waiting: Lock<Vec<PreparedTarget>>,
    memory: Lock<Memory>,
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
    /// How often the targets had been forgotten by then.
    forgotten: u64,
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
struct Conditions {
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
    pub(crate) fn new(arm: &Arc<Arm>) -> Self {
        Self { arm: Arc::clone(arm), waiting: Lock::default(), memory: Lock::default(), flow_begins: Notify::new() }
    }

    /// Solves a target together with all others that wait by then, and publishes the results.
    pub(crate) async fn solve(&self, target: PreparedTarget) {
        let arm = &*self.arm;
        let has_several_tips = target.loaded.chain.tips().len() > 1;
        self.waiting.lock().push(target);
        if has_several_tips {
            tokio::time::sleep(GATHER_TIME).await;
        }
        let forgotten = arm.forgotten.lock().await;
        // Empty where another task has solved this target with its own.
        let targets = std::mem::take(&mut *self.waiting.lock());
        let Some(PreparedTarget { loaded, .. }) = targets.first() else { return };
        match Conditions::to_search(arm, loaded).await {
            Ok(conditions) => {
                let mut memory = self.memory(*forgotten);
                memory.solve_and_report(arm, targets, &conditions);
                self.wake(&memory);
            }
            Err(refused) => refuse(arm, targets, &refused),
        }
    }

    /// Solves a target at once, if the chain has one tip, no other solve is under way, that is short work, and tracking meets the target.
    /// Returns whether it did.
    pub(crate) fn track(&self, target: PreparedTarget) -> bool {
        let arm = &*self.arm;
        let chain = &target.loaded.chain;
        if chain.tips().len() > 1 || chain.variables().len() > MAX_VARIABLES_TO_TRACK_AT_ONCE {
            return false;
        }
        let Some(conditions) = Conditions::to_track_at_once(arm) else { return false };
        let Ok(forgotten) = arm.forgotten.try_lock() else { return false };
        let mut memory = self.memory(*forgotten);
        let is_met = memory.solve_and_report(arm, vec![target], &conditions);
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
    async fn flow_on(&self) -> bool {
        let arm = &*self.arm;
        let period = arm.settings().publish_period();
        clock::sleep_until(Instant::now() + period).await;
        let forgotten = arm.forgotten.lock().await;
        let Ok(now) = arm.configuration() else { return false };
        let conditions = Conditions::to_search(arm, &now.loaded).await;
        let mut memory = self.memory(*forgotten);
        let Some(flow) = memory.flow.take() else { return false };
        // A timer may be a little early.
        if flow.since.elapsed() < period.mul_f64(0.9) {
            memory.flow = Some(flow);
            return true;
        }
        let work = AssertUnwindSafe(|| memory.flow_on(arm, flow, &conditions?));
        let flow = panic::catch_unwind(work).unwrap_or(Ok(None));
        memory.flow = flow.unwrap_or(None);
        memory.flow.is_some()
    }

    /// What is known of the targets before, for who holds [`Arm::forgotten`]: what was remembered before they were forgotten is gone.
    fn memory(&self, forgotten: u64) -> MutexGuard<'_, Memory> {
        let mut memory = self.memory.lock();
        if memory.forgotten != forgotten {
            memory.last.clear();
            (memory.flow, memory.forgotten) = (None, forgotten);
        }
        memory
    }
}

impl Conditions {
    /// # Errors
    /// [`Refused`] where there is no robot, or the shapes of the robot cannot be used.
    async fn to_search(arm: &Arm, loaded: &Arc<LoadedRobot>) -> Result<Self, Refused> {
        let settings = arm.settings();
        let positions = arm.configuration()?.positions;
        let avoidance = Avoidance::of(&arm.surroundings, loaded, &positions, &settings).await?;
        let clearance_loss = *arm.surroundings.clearance_loss.lock();
        let avoidance = avoidance.map(|avoidance| avoidance.widened(clearance_loss));
        Ok(Self { settings, avoidance, effort: Effort::Search })
    }

    /// `None` where that may take long.
    fn to_track_at_once(arm: &Arm) -> Option<Self> {
        let settings = arm.settings();
        let clearance_loss = *arm.surroundings.clearance_loss.lock();
        let avoidance = Avoidance::at_once(&arm.surroundings, &settings).ok()?;
        let avoidance = avoidance.map(|avoidance| avoidance.widened(clearance_loss));
        let pairs = avoidance.as_ref().map_or(0, |avoidance| avoidance.scene.pairs().len());
        let is_short = pairs <= MAX_PAIRS_TO_KEEP_APART_AT_ONCE;
        is_short.then_some(Self { settings, avoidance, effort: Effort::AtOnce })
    }
}

impl Memory {
    /// Solves the targets and publishes their reports. Returns false, and publishes nothing, where the effort was not enough.
    fn solve_and_report(&mut self, arm: &Arm, targets: Vec<PreparedTarget>, conditions: &Conditions) -> bool {
        let work = AssertUnwindSafe(|| self.solve(arm, &targets, conditions));
        // A panic of a solver must not end the task that serves all targets.
        let reports = panic::catch_unwind(work).unwrap_or_else(|_| {
            *self = Self { forgotten: self.forgotten, ..Self::default() };
            Err(Refused::invalid("solver", "the solver failed on this target"))
        });
        if !matches!(reports, Ok(None)) {
            for PreparedTarget { loaded, target, .. } in &targets {
                arm.reporter.latest.note_target(&loaded.chain.tips()[target.tip].link, target);
            }
        }
        match reports {
            Ok(Some(reports)) => {
                for (target, report) in targets.iter().zip(reports) {
                    arm.reporter.warnings.recovered(target.topic);
                    arm.reporter.report(report);
                }
                true
            }
            Err(refused) if conditions.effort == Effort::Search => {
                refuse(arm, targets, &refused);
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// Solves the targets, starts the motion, and gives a report on each; `None` where the effort was not enough.
    fn solve(
        &mut self,
        arm: &Arm,
        new: &[PreparedTarget],
        conditions: &Conditions,
    ) -> Result<Option<Vec<Report>>, Refused> {
        let Conditions { settings, avoidance, effort } = conditions;
        let avoidance = avoidance.as_ref();
        let now = arm.configuration()?;
        let loaded = &now.loaded;
        let robots = new.iter().map(|target| &target.loaded).chain(avoidance.map(|avoidance| &avoidance.loaded));
        if robots.into_iter().any(|robot| !robot.is_same_robot(loaded)) {
            return Err(Refused::other_robot());
        }
        let targets = self.targets(loaded, new, settings.join_targets);
        self.flow = None;
        let tracker = self.tracker.get_or_insert_with(|| TargetTracker::new(Arc::clone(loaded)));
        let seed = loaded.chain.positions_from(&now.end);
        let (solver, solution) = tracker.follow(&targets, &seed, settings, avoidance, *effort)?;
        if *effort == Effort::AtOnce && !solution.is_solved() && !is_stopped_by_collision(solution) {
            return Ok(None);
        }
        let is_solved = solution.is_solved();
        let headers = || new.iter().map(|new| &new.header);
        let arrivals = || arrivals(&solver, solution, &targets, headers(), avoidance);
        let reports = || -> Vec<Report> { arrivals().into_iter().map(|arrival| arrival.report).collect() };
        if !is_solved && settings.on_unreachable == OnUnreachable::Hold {
            let mut reports = reports();
            hold(arm, tracker, &now, new, &mut reports)?;
            return Ok(Some(reports));
        }
        let moved = arm.output.move_to(loaded, &solution.positions, settings, avoidance, None, &arrivals)?;
        // Only now, because the joint state must not wait for its reports.
        let mut reports = reports();
        report_motion(tracker, &moved, new, avoidance, &mut reports);
        if is_solved && tracker.has_task() {
            self.flow = Flow::new(targets, headers().cloned().collect(), &moved);
        }
        Ok(Some(reports))
    }

    /// Goes on with the null-space task. Gives the flow back, where there is more to do.
    fn flow_on(&mut self, arm: &Arm, flow: Flow, conditions: &Conditions) -> Result<Option<Flow>, Refused> {
        let (settings, avoidance) = (&*conditions.settings, conditions.avoidance.as_ref());
        let now = arm.configuration()?;
        let tracker = self.tracker.as_mut().filter(|tracker| Arc::ptr_eq(&tracker.loaded, &now.loaded));
        let tracker = tracker.ok_or_else(Refused::other_robot)?;
        let seed = now.loaded.chain.positions_from(&now.end);
        let Some(solved) = tracker.flow(&flow.targets, &seed, settings, avoidance)? else { return Ok(None) };
        let arrivals = || arrivals(&solved.0, solved.1, &flow.targets, flow.headers.iter(), avoidance);
        let positions = &solved.1.positions;
        let moved = arm.output.move_to(&now.loaded, positions, settings, avoidance, Some(flow.ticket), &arrivals)?;
        Ok(Flow::new(flow.targets, flow.headers, &moved))
    }

    /// The new targets, then the last targets of the other tips that are not older than `window`. Remembers the new ones.
    fn targets(&mut self, loaded: &Arc<LoadedRobot>, new: &[PreparedTarget], window: Duration) -> Vec<Target> {
        if self.tracker.as_ref().is_some_and(|tracker| !Arc::ptr_eq(&tracker.loaded, loaded)) {
            *self = Self { forgotten: self.forgotten, ..Self::default() };
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
    solver: &Solver,
    solution: &Solution,
    targets: &[Target],
    headers: impl Iterator<Item = &'a Header>,
    avoidance: Option<&Avoidance>,
) -> Vec<Arrival> {
    let scene = Avoidance::scene(avoidance);
    let arrival = |(index, header): (usize, &Header)| {
        let report = status::of_solution(solver, targets, index, solution, scene, header.clone());
        Arrival { target: targets[index], report }
    };
    headers.enumerate().map(arrival).collect()
}

/// Goes on with the null-space task while targets rest.
pub(super) fn serve(solver: &Arc<TargetSolver>) {
    let solver = Arc::clone(solver);
    task::start(async move {
        loop {
            solver.flow_begins.notified().await;
            while solver.flow_on().await {}
        }
    });
}

/// Refuses targets, all for one reason.
fn refuse(arm: &Arm, targets: Vec<PreparedTarget>, refused: &Refused) {
    for PreparedTarget { topic, target, header, .. } in targets {
        arm.conclude(topic, target.tip, header, Err(refused.clone()));
    }
}

/// Stops the arm, and puts where it is into the `reports` of the `new` targets.
fn hold(
    arm: &Arm,
    tracker: &mut TargetTracker,
    now: &Configuration,
    new: &[PreparedTarget],
    reports: &mut [Report],
) -> Result<(), Refused> {
    let (stamp, _) = arm.output.stop()?;
    let here = now.loaded.chain.positions_from(&now.positions);
    for (report, new) in reports.iter_mut().zip(new) {
        report.status.message = format!("{}; the arm holds its position", report.status.message);
        now.loaded.measure(report, &new.target, &here, &mut tracker.scratch);
        report.status.joint_state_stamp = stamp.clone();
    }
    Ok(())
}

/// Puts the motion that has begun into the `reports` of the `new` targets.
fn report_motion(
    tracker: &mut TargetTracker,
    moved: &Moved,
    new: &[PreparedTarget],
    avoidance: Option<&Avoidance>,
    reports: &mut [Report],
) {
    for (report, new) in reports.iter_mut().zip(new) {
        report.status.joint_state_stamp = moved.stamp.clone();
        if let Some(avoidance) = avoidance {
            tracker.collision_check.report_nearest(report, avoidance, &moved.positions);
        }
        let Some(progress) = &moved.progress else { continue };
        tracker.loaded.measure(report, &new.target, &moved.positions, &mut tracker.scratch);
        report.verdict = Verdict::StepLimited;
        match progress {
            Progress::Smooth(arrives) => {
                report.status.message = format!("the arm {arrives}; then: {}", report.status.message);
            }
            Progress::Steps => {
                "the arm is on its way: max_joint_step does not allow the whole move at once"
                    .clone_into(&mut report.status.message);
            }
            Progress::Settling => {
                report.status.message = format!(
                    "the arm is commanded there, and has not been measured there yet; then: {}",
                    report.status.message
                );
            }
            Progress::Stopped(obstruction) => obstruction.put_into(report),
        }
    }
}
