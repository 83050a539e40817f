//! Turns prepared targets into motion; targets of several tips that arrive close together are solved together.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use super::Shared;
use super::configuration_motion::Configuration;
use super::description::LoadedRobot;
use super::output::{Moved, Progress};
use super::status::{self, Refused, outcome};
use super::target_tracker::{Effort, TargetTracker};
use crate::parameters::OnUnreachable;
use crate::solver::Target;

/// How long the target of one tip waits for the targets of the other tips, where there are several.
const GATHER_TIME: Duration = Duration::from_millis(1);

/// Greatest number of variables of a chain whose targets are tracked in the spin thread: this takes some microseconds.
const MAX_VARIABLES_TO_TRACK_AT_ONCE: usize = 32;

/// A target that can be solved.
pub(super) struct PreparedTarget {
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
pub(super) struct TargetSolver {
    /// Targets that wait to be solved.
    waiting: Mutex<Vec<PreparedTarget>>,
    memory: tokio::sync::Mutex<Memory>,
}

/// What is kept from one solve to the next.
#[derive(Default)]
struct Memory {
    tracker: Option<TargetTracker>,
    /// The last target of each tip, and when it was solved.
    last: Vec<(Target, Instant)>,
}

impl TargetSolver {
    /// Solves a target together with all others that wait by then, and publishes the results.
    pub(super) async fn solve(&self, shared: &Shared, target: PreparedTarget) {
        let has_several_tips = target.loaded.chain.tips().len() > 1;
        self.waiting().push(target);
        if has_several_tips {
            tokio::time::sleep(GATHER_TIME).await;
        }
        let mut memory = self.memory.lock().await;
        // Empty where another task has solved this target with its own.
        let targets = std::mem::take(&mut *self.waiting());
        if !targets.is_empty() {
            memory.solve_and_report(shared, targets, Effort::Search);
        }
    }

    /// Solves a target at once, if the chain has one tip, no other solve is under way, and tracking meets the target. Returns whether it
    /// did.
    pub(super) fn track(&self, shared: &Shared, target: PreparedTarget) -> bool {
        let chain = &target.loaded.chain;
        if chain.tips().len() > 1 || chain.variables().len() > MAX_VARIABLES_TO_TRACK_AT_ONCE {
            return false;
        }
        self.memory.try_lock().is_ok_and(|mut memory| memory.solve_and_report(shared, vec![target], Effort::Track))
    }

    /// Forgets the targets of all tips.
    pub(super) async fn forget(&self) {
        self.memory.lock().await.last.clear();
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<PreparedTarget>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Solves the targets and publishes their statuses. Returns false, and publishes nothing, where the effort was not enough.
    fn solve_and_report(&mut self, shared: &Shared, targets: Vec<PreparedTarget>, effort: Effort) -> bool {
        let work = AssertUnwindSafe(|| self.solve(shared, &targets, effort));
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
                for (target, report) in targets.iter().zip(&reports) {
                    shared.warnings.recovered(target.topic);
                    shared.report(report);
                }
                true
            }
            Err(refused) if effort == Effort::Search => {
                for PreparedTarget { topic, target, header, .. } in targets {
                    shared.refuse(topic, target.tip, header, refused.clone());
                }
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// Solves the targets, starts the motion, and gives a status for each; `None` where the effort was not enough.
    fn solve(
        &mut self,
        shared: &Shared,
        new: &[PreparedTarget],
        effort: Effort,
    ) -> Result<Option<Vec<SolveStatus>>, Refused> {
        let settings = shared.settings();
        let now = shared.output.configuration().ok_or_else(Refused::no_robot)?;
        let loaded = &now.loaded;
        if new.iter().any(|target| !Arc::ptr_eq(&target.loaded, loaded)) {
            return Err(Refused::other_robot());
        }
        let targets = self.targets(loaded, new, settings.join_targets);
        let tracker = self.tracker.get_or_insert_with(|| TargetTracker::new(Arc::clone(loaded)));
        let seed = loaded.chain.positions_from(&now.end);
        let (solver, solution) = tracker.follow(&targets, &seed, &settings, effort)?;
        if effort == Effort::Track && !solution.is_solved() {
            return Ok(None);
        }
        let reports = || -> Vec<SolveStatus> {
            let report = |(index, target): (usize, &PreparedTarget)| {
                status::of_solution(&solver, &targets, index, solution, target.header.clone())
            };
            new.iter().enumerate().map(report).collect()
        };
        if !solution.is_solved() && settings.on_unreachable == OnUnreachable::Hold {
            let mut reports = reports();
            hold(shared, tracker, &now, new, &mut reports)?;
            return Ok(Some(reports));
        }
        let moved = shared.output.move_to(loaded, &solution.positions, &settings, &reports)?;
        // Only now, because the joint state must not wait for its statuses.
        let mut reports = reports();
        report_motion(tracker, &moved, new, &mut reports)?;
        Ok(Some(reports))
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

/// Stops the arm, and puts where it is into the `reports` of the `new` targets.
fn hold(
    shared: &Shared,
    tracker: &mut TargetTracker,
    now: &Configuration,
    new: &[PreparedTarget],
    reports: &mut [SolveStatus],
) -> Result<(), Refused> {
    let (stamp, _) = shared.output.stop()?;
    let here = now.loaded.chain.positions_from(&now.positions);
    for (report, new) in reports.iter_mut().zip(new) {
        report.message = format!("{}; the arm holds its position", report.message);
        tracker.measure(report, &new.target, &here)?;
        report.joint_state_stamp = stamp.clone();
    }
    Ok(())
}

/// Puts the motion that has begun into the `reports` of the `new` targets.
fn report_motion(
    tracker: &mut TargetTracker,
    moved: &Moved,
    new: &[PreparedTarget],
    reports: &mut [SolveStatus],
) -> Result<(), Refused> {
    for (report, new) in reports.iter_mut().zip(new) {
        report.joint_state_stamp = moved.stamp.clone();
        if let Some(progress) = &moved.progress {
            tracker.measure(report, &new.target, &moved.positions)?;
            report.outcome = outcome::STEP_LIMITED;
            report.message = match progress {
                Progress::Smooth(time) => format!("the arm arrives in {time:.3} s; then: {}", report.message),
                Progress::Steps => "the arm is on its way: max_joint_step does not allow the whole move at once".into(),
            };
        }
    }
    Ok(())
}
