//! Turns prepared targets into motion. Targets of several tips that arrive close together are solved jointly.
//!
//! While targets are constant, the null-space task continues at `publish_rate` to its optimum.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use tokio::sync::Notify;

use super::conditions::{Conditions, Effort};
use super::target_tracker::{TargetTracker, is_stopped_by_collision};
use crate::arm::{Arm, ArrivalReport, MotionCondition, MotionProgress, StartedMotion};
use crate::reports::{Refused, Report, TargetOutcome, status};
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::ros::{Lock, clock, task};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::OnUnreachable;
use urdf_ik_solver::{Solution, Solver, Target};

/// Time for which the target of one tip waits for targets of other tips, if there are several.
const GATHER_TIME: Duration = Duration::from_millis(1);

/// Largest number of variables of a chain that is tracked in the spin thread: this takes some microseconds.
const MAX_VARIABLES_TO_TRACK_AT_ONCE: usize = 32;

/// A validated target.
pub(crate) struct PreparedTarget {
    /// Name of the topic, for warnings.
    pub topic: &'static str,
    /// The robot it refers to.
    pub loaded: Arc<LoadedRobot>,
    /// In the base link's frame.
    pub target: Target,
    /// With the frame in use.
    pub header: Header,
    /// How often the targets had been discarded on its arrival.
    pub discards: u64,
}

/// Solves targets and starts the motion to them.
pub(crate) struct TargetSolver {
    pub arm: Arc<Arm>,
    /// Pending targets.
    waiting: Lock<Vec<PreparedTarget>>,
    memory: Lock<Memory>,
    /// Wakes the task of the null-space motion.
    flow_begins: Notify,
}

/// The state between solves.
#[derive(Default)]
struct Memory {
    tracker: Option<TargetTracker>,
    /// The last target of each tip with the time of its solve.
    last: Vec<(Target, Instant)>,
    /// `None` if the null-space task is complete or not set.
    flow: Option<NullSpaceMotion>,
    /// How often the targets had been discarded by then.
    discarded: u64,
}

/// Targets that are met while the null-space task continues.
struct NullSpaceMotion {
    targets: Vec<Target>,
    /// Headers of the first targets, the latest ones.
    headers: Vec<Header>,
    /// Of the last motion: any other request ends the flow.
    ticket: u64,
    since: Instant,
}

impl NullSpaceMotion {
    /// After a motion to the targets; `None` after a stop by an obstruction.
    fn new(targets: Vec<Target>, headers: Vec<Header>, moved: &StartedMotion) -> Option<Self> {
        let is_stopped = matches!(moved.progress, Some(MotionProgress::Stopped(_)));
        (!is_stopped).then(|| Self { targets, headers, ticket: moved.ticket, since: Instant::now() })
    }
}

impl TargetSolver {
    pub(crate) fn new(arm: &Arc<Arm>) -> Self {
        Self { arm: Arc::clone(arm), waiting: Lock::default(), memory: Lock::default(), flow_begins: Notify::new() }
    }

    /// Solves a target together with all pending ones, and publishes the results.
    pub(crate) async fn solve(&self, target: PreparedTarget) {
        let arm = &*self.arm;
        let has_several_tips = target.loaded.chain.tips().len() > 1;
        self.waiting.lock().push(target);
        if has_several_tips {
            tokio::time::sleep(GATHER_TIME).await;
        }
        let _solving = arm.solving.lock().await;
        let discarded = arm.output.discards();
        // Empty if another task has solved this target with its own.
        let targets = std::mem::take(&mut *self.waiting.lock());
        let is_current = |target: &PreparedTarget| target.discards == discarded;
        let (targets, earlier): (Vec<_>, Vec<_>) = targets.into_iter().partition(is_current);
        refuse(arm, earlier, &arm.output.discarded());
        let Some(PreparedTarget { loaded, .. }) = targets.first() else { return };
        match Conditions::new(arm, loaded, Effort::Search).await {
            Ok(conditions) => {
                let mut memory = self.memory(discarded);
                // Tokio hands over the other tasks of this worker: the one woken last would wait for the search.
                tokio::task::block_in_place(|| memory.solve_and_report(arm, targets, &conditions));
                self.wake(&memory);
            }
            Err(refused) => refuse(arm, targets, &refused),
        }
    }

    /// Solves a target at once, if the chain has one tip, no other solve is running, the work is short, and tracking
    /// meets the target. True on success.
    pub(crate) fn track(&self, target: PreparedTarget) -> bool {
        let arm = &*self.arm;
        let chain = &target.loaded.chain;
        if chain.tips().len() > 1 || chain.variables().len() > MAX_VARIABLES_TO_TRACK_AT_ONCE {
            return false;
        }
        let Some(conditions) = Conditions::at_once(arm) else { return false };
        let Ok(_solving) = arm.solving.try_lock() else { return false };
        let discarded = arm.output.discards();
        if target.discards != discarded {
            return false;
        }
        let mut memory = self.memory(discarded);
        let is_met = memory.solve_and_report(arm, vec![target], &conditions);
        self.wake(&memory);
        is_met
    }

    /// Wakes the task of the null-space motion, if there is one.
    fn wake(&self, memory: &Memory) {
        if memory.flow.is_some() {
            self.flow_begins.notify_one();
        }
    }

    /// Continues the null-space task for a period, unless a target has done so meanwhile. True if there is more to do.
    async fn flow_on(&self) -> bool {
        let arm = &*self.arm;
        let period = arm.settings().publish_period();
        clock::sleep_until(Instant::now() + period).await;
        let _solving = arm.solving.lock().await;
        let discarded = arm.output.discards();
        let Ok(now) = arm.configuration() else { return false };
        let conditions = Conditions::new(arm, &now.loaded, Effort::Track).await;
        let mut memory = self.memory(discarded);
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

    /// The state of earlier targets, for the holder of [`Arm::solving`], after so many discards. Discarded targets are
    /// removed.
    fn memory(&self, discarded: u64) -> MutexGuard<'_, Memory> {
        let mut memory = self.memory.lock();
        if memory.discarded != discarded {
            memory.last.clear();
            (memory.flow, memory.discarded) = (None, discarded);
        }
        memory
    }
}

impl Memory {
    /// Solves the targets and publishes their reports. Returns false without publishing if the effort was
    /// insufficient.
    fn solve_and_report(&mut self, arm: &Arm, targets: Vec<PreparedTarget>, conditions: &Conditions) -> bool {
        let work = AssertUnwindSafe(|| self.solve(arm, &targets, conditions));
        // A panic of a solver must not end the task that serves all targets.
        let reports = panic::catch_unwind(work).unwrap_or_else(|_| {
            *self = Self { discarded: self.discarded, ..Self::default() };
            Err(Refused::invalid("solver", "the solver failed on this target"))
        });
        if !matches!(reports, Ok(None)) {
            for PreparedTarget { loaded, target, .. } in &targets {
                arm.reporter.latest.lock().note_target(&loaded.chain.tips()[target.tip].link, target);
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

    /// Solves the targets, starts the motion, and returns a report on each; `None` if the effort was insufficient.
    fn solve(
        &mut self,
        arm: &Arm,
        new: &[PreparedTarget],
        conditions: &Conditions,
    ) -> Result<Option<Vec<Report>>, Refused> {
        let Conditions { settings, avoidance, effort, .. } = conditions;
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
        let (solver, solution) = tracker.follow(&targets, &seed, conditions)?;
        if *effort == Effort::AtOnce && !solution.is_solved() && !is_stopped_by_collision(solution) {
            return Ok(None);
        }
        let is_solved = solution.is_solved();
        let condition = MotionCondition::NotDiscardedSince(self.discarded);
        let headers = || new.iter().map(|new| &new.header);
        let arrivals = || arrivals(&solver, solution, &targets, headers(), avoidance);
        let reports = || -> Vec<Report> { arrivals().into_iter().map(|arrival| arrival.report).collect() };
        if !is_solved && settings.on_unreachable == OnUnreachable::Hold {
            let mut reports = reports();
            let (stamp, _) = arm.output.stop(condition)?;
            hold(tracker, &now, new, &stamp, &mut reports);
            return Ok(Some(reports));
        }
        let moved = arm.output.move_to(loaded, &solution.positions, settings, avoidance, condition, &arrivals)?;
        // Only now, because the joint state must not wait for its reports.
        let mut reports = reports();
        report_motion(tracker, &moved, new, avoidance, &mut reports);
        if is_solved && tracker.has_task() {
            self.flow = NullSpaceMotion::new(targets, headers().cloned().collect(), &moved);
        }
        Ok(Some(reports))
    }

    /// Continues the null-space task. Returns the flow if there is more to do.
    fn flow_on(
        &mut self,
        arm: &Arm,
        flow: NullSpaceMotion,
        conditions: &Conditions,
    ) -> Result<Option<NullSpaceMotion>, Refused> {
        let (settings, avoidance) = (&conditions.settings, conditions.avoidance.as_ref());
        let now = arm.configuration()?;
        let tracker = self.tracker.as_mut().filter(|tracker| Arc::ptr_eq(&tracker.loaded, &now.loaded));
        let tracker = tracker.ok_or_else(Refused::other_robot)?;
        let seed = now.loaded.chain.positions_from(&now.end);
        let Some(solved) = tracker.flow(&flow.targets, &seed, conditions)? else { return Ok(None) };
        let condition = MotionCondition::NoRequestSince(flow.ticket);
        let arrivals = || arrivals(&solved.0, solved.1, &flow.targets, flow.headers.iter(), avoidance);
        let positions = &solved.1.positions;
        let moved = arm.output.move_to(&now.loaded, positions, settings, avoidance, condition, &arrivals)?;
        Ok(NullSpaceMotion::new(flow.targets, flow.headers, &moved))
    }

    /// The new targets, then the last targets of the other tips that are not older than `window`. Stores the new ones.
    fn targets(&mut self, loaded: &Arc<LoadedRobot>, new: &[PreparedTarget], window: Duration) -> Vec<Target> {
        if self.tracker.as_ref().is_some_and(|tracker| !Arc::ptr_eq(&tracker.loaded, loaded)) {
            *self = Self { discarded: self.discarded, ..Self::default() };
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

/// The reports on arrival at the first of the `targets`, which have these `headers`.
fn arrivals<'a>(
    solver: &Solver,
    solution: &Solution,
    targets: &[Target],
    headers: impl Iterator<Item = &'a Header>,
    avoidance: Option<&Avoidance>,
) -> Vec<ArrivalReport> {
    let scene = Avoidance::scene(avoidance);
    let arrival = |(index, header): (usize, &Header)| {
        let report = status::of_solution(solver, targets, index, solution, scene, header.clone());
        ArrivalReport { target: targets[index], report }
    };
    headers.enumerate().map(arrival).collect()
}

/// Continues the null-space task while targets are constant.
pub(super) fn serve(solver: &Arc<TargetSolver>) {
    let solver = Arc::clone(solver);
    task::start(async move {
        loop {
            solver.flow_begins.notified().await;
            while solver.flow_on().await {}
        }
    });
}

/// Refuses all targets for one reason.
fn refuse(arm: &Arm, targets: Vec<PreparedTarget>, refused: &Refused) {
    for PreparedTarget { topic, target, header, .. } in targets {
        arm.report_outcome(topic, target.tip, header, Err(refused.clone()));
    }
}

/// Reports the position of the stopped arm for the `new` targets.
fn hold(
    tracker: &mut TargetTracker,
    now: &Configuration,
    new: &[PreparedTarget],
    stamp: &Time,
    reports: &mut [Report],
) {
    let here = now.loaded.chain.positions_from(&now.positions);
    for (report, new) in reports.iter_mut().zip(new) {
        report.status.message = format!("{}; the arm holds its position", report.status.message);
        now.loaded.measure(report, &new.target, &here, &mut tracker.scratch);
        report.status.joint_state_stamp = stamp.clone();
    }
}

/// Reports the started motion for the `new` targets.
fn report_motion(
    tracker: &mut TargetTracker,
    moved: &StartedMotion,
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
        report.outcome = TargetOutcome::StepLimited;
        match progress {
            MotionProgress::Smooth(arrives) => {
                report.status.message = format!("the arm {arrives}; then: {}", report.status.message);
            }
            MotionProgress::Steps => {
                "the arm is on its way: max_joint_step does not allow the whole move at once"
                    .clone_into(&mut report.status.message);
            }
            MotionProgress::Settling => {
                report.status.message =
                    format!("the command has arrived, but the measured arm has not; then: {}", report.status.message);
            }
            MotionProgress::Stopped(obstruction) => obstruction.put_into(report),
        }
    }
}
