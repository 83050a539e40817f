//! Solves the targets of topics in sequence, starting at the arm's configuration.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::conditions::{Conditions, Effort};
use crate::arm::CollisionCheck;
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use crate::solving::{NullSpaceTask, problem};
use crate::surroundings::Avoidance;
use urdf_ik_parameters::{Motion, Settings};
use urdf_ik_solver::{Mode, Outcome, Preference, Reason, Scratch, Solution, Solver, Stop, Target};

/// Branch changes for unreachable targets: largest error of a solution on another branch as a fraction of the error on
/// the current branch. Prevents an arm at the edge of its reach from switching back and forth.
const MAX_ERROR_RATIO_FOR_A_JUMP: f64 = 0.9;
/// Time limit of tracking in the spin thread. A target that takes longer is tracked again in the task of its tip.
const MAX_TIME_TO_TRACK_AT_ONCE: Duration = Duration::from_millis(1);
/// Lower bound of the square of a velocity limit in weights \[rad²/s² or m²/s²\].
const MIN_SQUARED_VELOCITY: f64 = 1e-8;
/// Largest joint step at which the null-space task counts as converged \[rad or m\].
const MIN_FLOW: f64 = 1e-6;
/// Relative rounding error of the largest step of a joint.
const ROUNDING: f64 = 1e-9;

/// Solves targets in sequence for one robot, with reusable memory.
pub(crate) struct TargetTracker {
    pub loaded: Arc<LoadedRobot>,
    pub scratch: Scratch,
    pub collision_check: CollisionCheck,
    tracked: Solution,
    searched: Solution,
    /// Bounds of joint steps in tracking: infinite.
    steps: Vec<f64>,
    /// Replaced when the settings change.
    preferences: Option<Preferences>,
    /// Time of the last tracked target.
    tracked_at: Option<Instant>,
    /// The largest step of each variable for the null-space task at that time \[rad or m\].
    flow: Vec<f64>,
}

/// The preferences among joint positions that follow from the settings.
struct Preferences {
    settings: Arc<Settings>,
    task: NullSpaceTask,
    /// The velocity limit of each variable \[rad/s or m/s\].
    velocities: Vec<f64>,
    /// Weights of joint moves in smooth motion, where the slowest joint determines the time: the inverse squared
    /// velocity limit. A slow redundant joint thus does not delay the others.
    move_weights: Vec<f64>,
}

impl Preferences {
    fn new(loaded: &LoadedRobot, settings: &Arc<Settings>) -> Result<Self, Refused> {
        let velocities = loaded.limits(settings).refuse_as("joint_limits")?.velocities;
        let move_weights = velocities.iter().map(|limit| 1.0 / (limit * limit).max(MIN_SQUARED_VELOCITY)).collect();
        let task = NullSpaceTask::new(loaded, settings)?;
        Ok(Self { settings: Arc::clone(settings), task, velocities, move_weights })
    }
}

/// True if a collision blocks a tracked solution from its targets. The arm then stops before the obstacle, on its
/// branch, and a stream into an obstacle is answered as fast as any other.
pub(crate) fn is_stopped_by_collision(solution: &Solution) -> bool {
    matches!(solution.outcome, Outcome::Closest(Reason::Collision { .. }))
}

impl TargetTracker {
    pub(crate) fn new(loaded: Arc<LoadedRobot>) -> Self {
        let solver = &loaded.solver;
        Self {
            scratch: solver.scratch(),
            collision_check: CollisionCheck::default(),
            tracked: solver.solution(),
            searched: solver.solution(),
            steps: vec![f64::INFINITY; loaded.chain.variables().len()],
            preferences: None,
            tracked_at: None,
            flow: vec![0.0; loaded.chain.variables().len()],
            loaded,
        }
    }

    /// Solves `targets` of different tips. First it tracks them from `seed` on the same branch. If they are not met,
    /// and effort and settings allow, it searches other branches; with collision avoidance the arm changes the
    /// branch only if the straight motion is free, and not if it was stopped by a collision. Returns the solver and
    /// its solution.
    ///
    /// The null-space task moves no joint faster than its velocity limit in the time since the last target, or a
    /// period of `publish_rate` if that is shorter, because the task continues between targets. A change of the branch
    /// does not jump to its optimum.
    pub(crate) fn follow(
        &mut self,
        targets: &[Target],
        seed: &[f64],
        conditions: &Conditions,
    ) -> Result<(Solver, &Solution), Refused> {
        let Conditions { settings, goals, avoidance, effort } = conditions;
        let avoidance = avoidance.as_ref();
        let solver = self.loaded.solver(settings).refuse_as("solver")?;
        let preferences = match self.preferences.take().filter(|known| Arc::ptr_eq(&known.settings, settings)) {
            Some(known) => known,
            None => Preferences::new(&self.loaded, settings)?,
        };
        let Preferences { task, velocities, move_weights, .. } = self.preferences.insert(preferences);
        let now = Instant::now();
        // The step of the null-space task for each joint.
        let period = settings.publish_period();
        let passed = self.tracked_at.map_or(period, |at| now.duration_since(at)).min(period).as_secs_f64();
        self.flow.iter_mut().zip(velocities).for_each(|(flow, velocity)| *flow = *velocity * passed);
        let move_weights = (settings.motion == Motion::Smooth).then_some(&**move_weights);
        let search = problem::search(targets, seed, settings, avoidance).with_goals(goals);
        let track = search
            .with_mode(Mode::Track { max_step: &self.steps })
            .with_preference(Preference { move_weights, max_step: Some(&self.flow), ..task.preference() })
            .with_deadline(Some(match effort {
                Effort::AtOnce => settings.timeout.min(MAX_TIME_TO_TRACK_AT_ONCE),
                Effort::Track | Effort::Search => settings.timeout,
            }));
        solver.solve(&track, &mut self.scratch, &mut self.tracked).refuse_as("problem")?;
        self.tracked_at = Some(now);
        let is_settled = self.tracked.is_solved() || is_stopped_by_collision(&self.tracked);
        // A search also finds the goal that excludes the targets.
        if is_settled || *effort != Effort::Search || !settings.branch_jumps && goals.is_empty() {
            return Ok((solver, &self.tracked));
        }
        let preference = Preference { move_weights, ..Preference::default() };
        let search = search.with_preference(preference);
        solver.solve(&search, &mut self.scratch, &mut self.searched).refuse_as("problem")?;
        self.share_work();
        if !settings.branch_jumps || !self.is_worth_a_jump(seed, avoidance) {
            return Ok((solver, &self.tracked));
        }
        problem::complete(&solver, targets, &mut self.scratch, &mut self.searched)?;
        Ok((solver, &self.searched))
    }

    /// Assigns the total effort to both solutions, and a timeout and a conflict of either: both were for one target.
    fn share_work(&mut self) {
        let iterations = self.tracked.iterations + self.searched.iterations;
        let attempts = self.tracked.attempts + self.searched.attempts;
        let elapsed = self.tracked.elapsed + self.searched.elapsed;
        if self.searched.stop == Stop::Deadline {
            self.tracked.stop = Stop::Deadline;
        }
        // Only a search finds it.
        if matches!(self.searched.outcome, Outcome::Closest(Reason::Conflict { .. })) {
            self.tracked.outcome = self.searched.outcome;
        }
        for solution in [&mut self.tracked, &mut self.searched] {
            (solution.iterations, solution.attempts, solution.elapsed) = (iterations, attempts, elapsed);
        }
    }

    /// True if the arm should change from `seed` to the branch found by the search.
    fn is_worth_a_jump(&mut self, seed: &[f64], avoidance: Option<&Avoidance>) -> bool {
        let greatest = MAX_ERROR_RATIO_FOR_A_JUMP * MAX_ERROR_RATIO_FOR_A_JUMP * self.tracked.squared_error;
        let is_better = match (self.searched.outcome, self.tracked.outcome) {
            (Outcome::Solved, _) | (Outcome::PositionOnly, Outcome::Closest(_)) => true,
            (Outcome::Closest(_), Outcome::PositionOnly) => false,
            _ => self.searched.squared_error < greatest,
        };
        let is_clear = |avoidance: &Avoidance| {
            self.collision_check.clear_fraction(avoidance, seed, &self.searched.positions) >= 1.0
        };
        is_better && avoidance.is_none_or(is_clear)
    }

    /// True if a null-space task is set.
    pub(crate) fn has_task(&self) -> bool {
        self.preferences.as_ref().is_some_and(|known| !known.task.preference().is_none())
    }

    /// Continues the null-space task from `seed`, where the arm meets `targets`. `None` at the optimum reachable by
    /// self-motion, or if more than a self-motion is needed.
    pub(crate) fn flow(
        &mut self,
        targets: &[Target],
        seed: &[f64],
        conditions: &Conditions,
    ) -> Result<Option<(Solver, &Solution)>, Refused> {
        let (solver, _) = self.follow(targets, seed, conditions)?;
        let moves = || self.tracked.positions.iter().zip(seed).map(|(to, from)| (to - from).abs());
        let rests = moves().all(|step| step <= MIN_FLOW);
        let flows = moves().zip(&self.flow).all(|(step, most)| step <= most * (1.0 + ROUNDING) + MIN_FLOW);
        let goes_on = self.has_task() && self.tracked.is_solved() && flows && !rests;
        Ok(goes_on.then_some((solver, &self.tracked)))
    }
}
