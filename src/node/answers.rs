//! From prepared targets to motion: targets of several tips that come close together are solved together.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use super::Shared;
use super::description::Loaded;
use super::output::Way;
use super::query::{Effort, Follower};
use super::status::{self, Refused, outcome};
use crate::parameters::OnUnreachable;
use crate::solver::Target;

/// How long the target of one tip waits for those of the others, where there are several.
const GATHER: Duration = Duration::from_millis(1);

/// Variables of a chain whose targets may be tracked at once: some microseconds of work.
const MOST_VARIABLES: usize = 32;

/// A target that can be solved.
pub(super) struct Fresh {
    pub topic: &'static str,
    /// The robot that it was related to.
    pub loaded: Arc<Loaded>,
    pub target: Target,
    /// With the frame that it was understood in.
    pub header: Header,
}

/// Answers targets.
#[derive(Default)]
pub(super) struct Answers {
    /// Those that wait for the turn.
    waiting: Mutex<Vec<Fresh>>,
    turn: tokio::sync::Mutex<Memory>,
}

/// What is kept from one turn to the next.
#[derive(Default)]
struct Memory {
    follower: Option<Follower>,
    /// The last target of each tip, and when it was solved.
    last: Vec<(Target, Instant)>,
}

impl Answers {
    /// Solves a target, with whatever others wait by then, and publishes what comes of it.
    pub(super) async fn answer(&self, shared: &Shared, fresh: Fresh) {
        let several = fresh.loaded.chain.tips().len() > 1;
        self.waiting().push(fresh);
        if several {
            tokio::time::sleep(GATHER).await;
        }
        let mut memory = self.turn.lock().await;
        // Where it is gone, it was solved with another.
        let fresh = std::mem::take(&mut *self.waiting());
        if !fresh.is_empty() {
            memory.answer_all(shared, fresh, Effort::Search);
        }
    }

    /// Answers a target at once, if it is that of the only tip, nothing else is at work, and tracking meets it; tells whether it did.
    pub(super) fn track(&self, shared: &Shared, fresh: Fresh) -> bool {
        let chain = &fresh.loaded.chain;
        if chain.tips().len() > 1 || chain.variables().len() > MOST_VARIABLES {
            return false;
        }
        self.turn.try_lock().is_ok_and(|mut memory| memory.answer_all(shared, vec![fresh], Effort::Track))
    }

    /// Forgets the targets of all tips: the arm is sent elsewhere by other means.
    pub(super) async fn forget(&self) {
        self.turn.lock().await.last.clear();
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Fresh>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Publishes what comes of the targets; false where the effort was not enough for that.
    fn answer_all(&mut self, shared: &Shared, fresh: Vec<Fresh>, effort: Effort) -> bool {
        let work = AssertUnwindSafe(|| self.solve(shared, &fresh, effort));
        // A fault of a solver must not end what serves all targets.
        let reports = panic::catch_unwind(work).unwrap_or_else(|_| {
            *self = Self::default();
            Err(Refused::invalid("solver", "the solver failed on this target".into()))
        });
        match reports {
            Ok(Some(reports)) => {
                for (fresh, report) in fresh.iter().zip(&reports) {
                    shared.complaints.well(fresh.topic);
                    shared.report(report);
                }
                true
            }
            Err(refused) if effort == Effort::Search => {
                for fresh in fresh {
                    shared.refuse(fresh.topic, fresh.target.tip, fresh.header, refused.clone());
                }
                true
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// Solves, moves, and says what came of each; `None` where the effort was not enough.
    fn solve(&mut self, shared: &Shared, fresh: &[Fresh], effort: Effort) -> Result<Option<Vec<SolveStatus>>, Refused> {
        let settings = shared.settings();
        let posture = shared.output.posture().ok_or_else(Refused::no_robot)?;
        let loaded = &posture.loaded;
        if fresh.iter().any(|fresh| !Arc::ptr_eq(&fresh.loaded, loaded)) {
            return Err(Refused::other_robot());
        }
        let targets = self.targets(loaded, fresh, settings.join_targets);
        let follower = self.follower.get_or_insert_with(|| Follower::new(Arc::clone(loaded)));
        let seed = loaded.chain.positions_from(&posture.end);
        let (solver, solution) = follower.follow(&targets, &seed, &settings, effort)?;
        if effort == Effort::Track && !solution.is_solved() {
            return Ok(None);
        }
        let about_solution = || -> Vec<SolveStatus> {
            let about = |(index, fresh): (usize, &Fresh)| {
                status::of_solution(&solver, &targets, index, solution, fresh.header.clone())
            };
            fresh.iter().enumerate().map(about).collect()
        };
        if !solution.is_solved() && settings.on_unreachable == OnUnreachable::Hold {
            let mut reports = about_solution();
            let (stamp, _) = shared.output.stop()?;
            let here = loaded.chain.positions_from(&posture.positions);
            for (report, fresh) in reports.iter_mut().zip(fresh) {
                report.message = format!("{}; the arm stays where it is", report.message);
                follower.measure(report, &fresh.target, &here)?;
                report.joint_state_stamp = stamp.clone();
            }
            return Ok(Some(reports));
        }
        let moved = shared.output.move_to(loaded, &solution.positions, &settings, &about_solution)?;
        // Only now, since the joint state shall not wait for what is said of it.
        let mut reports = about_solution();
        for (report, fresh) in reports.iter_mut().zip(fresh) {
            report.joint_state_stamp = moved.stamp.clone();
            if let Some(way) = &moved.on_its_way {
                follower.measure(report, &fresh.target, &moved.positions)?;
                report.outcome = outcome::STEP_LIMITED;
                report.message = match way {
                    Way::Smooth(time) => format!("on its way, there in {time:.3} s; then {}", report.message),
                    Way::Steps => "on its way: max_joint_step does not get there at once".into(),
                };
            }
        }
        Ok(Some(reports))
    }

    /// The fresh targets, and behind them those of other tips that came not longer than `window` ago. Remembers the fresh ones.
    fn targets(&mut self, loaded: &Arc<Loaded>, fresh: &[Fresh], window: Duration) -> Vec<Target> {
        if self.follower.as_ref().is_some_and(|follower| !Arc::ptr_eq(&follower.loaded, loaded)) {
            *self = Self::default();
        }
        let tip_is_fresh = |tip| fresh.iter().any(|fresh| fresh.target.tip == tip);
        self.last.retain(|(target, at)| !tip_is_fresh(target.tip) && at.elapsed() <= window);
        let others = self.last.iter().map(|(target, _)| *target);
        let targets = fresh.iter().map(|fresh| fresh.target).chain(others).collect();
        let now = Instant::now();
        self.last.extend(fresh.iter().map(|fresh| (fresh.target, now)));
        targets
    }
}
