//! Inverse kinematics and collision checks for poses of a path.

use super::path_errors::PathErrors;
use super::path_problem::{FollowError, FollowOptions, PathProblem, Watch, ratio};
use super::path_stop::StopReason;
use super::tip_kinematics::{PathConfiguration, PathDeviation};
use urdf_ik_collision::{Clearance, SegmentScratch};
use urdf_ik_goals::{Goal, TOLERANCE};
use urdf_ik_solver::{
    Bounds, Mode, Pick, Problem, ProblemError, Scratch, Solution, Solver, Target, Tolerance, Unreached,
};

/// Tolerance of a solve, as a fraction of the target's tolerance: larger residuals would show in the velocities.
const SOLVE_TOLERANCE_RATIO: f64 = 1e-3;
/// How much the distance of a pair may fall below the margin between two configurations that satisfy it \[m\].
const CLEARANCE_RESOLUTION: f64 = 1e-4;
/// Additional margin during tracking, so that the smooth curve may deviate from the tracked configurations \[m\].
const TRACKING_MARGIN: f64 = 1e-4;
/// Starting points of a search: at the start of the path, and at the pose after a stop.
const ATTEMPTS: usize = 100;

/// Solver, scratch and last solution for one path.
pub(super) struct PathSolver<'a> {
    pub(super) solver: &'a Solver,
    pub(super) problem: &'a PathProblem<'a>,
    pub(super) options: &'a FollowOptions,
    watch: Watch<'a>,
    /// The estimated fraction of the work that is done.
    pub(super) progress: f64,
    /// The last solution.
    pub(super) solution: Solution,
    /// Errors on the path.
    pub(super) deviation: PathDeviation<'a>,
    scratch: Scratch,
    segment: SegmentScratch,
    /// True if solves ignore collisions, to find out which pair prevents a step.
    ignores_collisions: bool,
    /// Goals of solves: those of the problem, or without one of them, to find out which one prevents a step.
    goals: Vec<Goal>,
}

impl<'a> PathSolver<'a> {
    pub(super) fn new(
        solver: &'a Solver,
        problem: &'a PathProblem<'a>,
        options: &'a FollowOptions,
        watch: Watch<'a>,
    ) -> Self {
        Self {
            solver,
            problem,
            options,
            watch,
            progress: 0.0,
            solution: solver.solution(),
            deviation: PathDeviation::new(solver.chain(), problem),
            scratch: solver.scratch(),
            segment: SegmentScratch::default(),
            ignores_collisions: false,
            goals: problem.goals.to_vec(),
        }
    }

    /// Reports the progress. Fails if the caller interrupts.
    pub(super) fn check_interruption(&self) -> Result<(), FollowError> {
        if (self.watch)(self.progress) { Err(FollowError::Interrupted) } else { Ok(()) }
    }

    /// The greatest ratio of an error to the allowed one.
    pub(super) fn ratio(&self, errors: &PathErrors) -> f64 {
        errors.ratio(self.problem, &self.options.deviation)
    }

    /// The stop at errors in a piece of that length \[m\] that exceed the allowed ones.
    pub(super) fn excess(&self, errors: &PathErrors, length: f64) -> StopReason {
        let goal = errors.violated_goal(self.problem, &self.options.deviation);
        goal.unwrap_or(StopReason::PieceTooShort { length, deviation: errors.tip })
    }

    /// Solves for the pose at `length` and the goals; returns whether the solution meets them.
    fn solve(&mut self, length: f64, seed: &[f64], mode: Mode) -> Result<bool, ProblemError> {
        let targets = [self.target(length)];
        let clearance = if self.ignores_collisions { None } else { self.tracking_clearance() };
        let problem = Problem::new(&targets, seed).with_goals(&self.goals).with_mode(mode).with_clearance(clearance);
        self.solver.solve(&problem, &mut self.scratch, &mut self.solution)?;
        Ok(self.is_met())
    }

    /// Makes one attempt from `seed` for the pose at `length` and the goals, within bounds, without regard to
    /// collisions.
    pub(super) fn attempt(&mut self, length: f64, seed: &[f64], bounds: Option<Bounds>) -> Result<bool, FollowError> {
        self.check_interruption()?;
        let targets = [self.target(length)];
        let problem = Problem::new(&targets, seed)
            .with_goals(self.problem.goals)
            .with_mode(Mode::Search { pick: Pick::First, attempts: 1, random_seed: 0 })
            .with_bounds(bounds)
            .with_unreached(Unreached::Stop);
        self.solver.solve(&problem, &mut self.scratch, &mut self.solution)?;
        Ok(self.is_met())
    }

    /// True if `positions` are clear of collisions, farther than the margin by `distance` \[m\].
    pub(super) fn is_free(&mut self, positions: &[f64], distance: f64) -> bool {
        let clearance = self.tracking_clearance();
        clearance.is_none_or(|Clearance { scene, margin }| {
            scene.is_free(positions, margin + distance, &mut self.segment.scene)
        })
    }

    /// The target of a solve for the pose at `length`.
    fn target(&self, length: f64) -> Target {
        let Tolerance { position, orientation } = self.problem.target.tolerance;
        let tolerance =
            Tolerance { position: SOLVE_TOLERANCE_RATIO * position, orientation: SOLVE_TOLERANCE_RATIO * orientation };
        self.problem.target_at(length).with_tolerance(tolerance)
    }

    /// True if the last solution meets its pose and goals.
    fn is_met(&self) -> bool {
        let Solution { residuals, violations, .. } = &self.solution;
        residuals.iter().all(|residual| ratio(residual, &self.problem.target.tolerance) <= 1.0)
            && violations.iter().all(|violation| *violation <= TOLERANCE)
    }

    /// Solves for the pose at `length` on the branch of `seed`, within the maximum joint step.
    pub(super) fn track(&mut self, length: f64, seed: &[f64]) -> Result<bool, ProblemError> {
        let steps = vec![self.options.largest_joint_step; self.solver.chain().variables().len()];
        self.solve(length, seed, Mode::Track { max_step: &steps })
    }

    /// Searches for the solution nearest to `seed` for the pose at `length`, on any branch.
    pub(super) fn search(&mut self, length: f64, seed: &[f64]) -> Result<bool, ProblemError> {
        let mode = Mode::Search { pick: Pick::Nearest, attempts: ATTEMPTS, random_seed: 0 };
        self.solve(length, seed, mode)
    }

    /// The configuration at the start of the path: `seed` itself, a solution on its branch, or the nearest
    /// one of a search.
    ///
    /// # Errors
    /// [`FollowError::GoalAtStart`] for a seed at the start of the path that violates a goal.
    pub(super) fn start(&mut self, seed: &[f64]) -> Result<Option<Vec<f64>>, FollowError> {
        let unbounded = vec![f64::INFINITY; self.solver.chain().variables().len()];
        let is_tracked = self.solve(0.0, seed, Mode::Track { max_step: &unbounded })?;
        let errors = self.deviation.at(PathConfiguration { length: 0.0, positions: seed });
        if ratio(&errors.tip, &self.problem.target.tolerance) <= 1.0 {
            match errors.violated_goal(self.problem, &self.options.deviation) {
                None => return Ok(Some(seed.to_vec())),
                Some(StopReason::Goal { goal, violation }) if !self.problem.free_start => {
                    return Err(FollowError::GoalAtStart { sentence: goal.sentence(violation) });
                }
                Some(_) => {}
            }
        }
        Ok((is_tracked || self.search(0.0, seed)?).then(|| self.solution.positions.clone()))
    }

    /// The clearance of solves.
    fn tracking_clearance(&self) -> Option<Clearance<'a>> {
        let with_margin =
            |clearance: Clearance<'a>| Clearance { margin: clearance.margin + TRACKING_MARGIN, ..clearance };
        self.problem.clearance.map(with_margin)
    }

    /// The collision that prevents the motion to the pose at `length` on the branch of `here`: found by a solve without
    /// collisions.
    pub(super) fn obstruction_to(&mut self, length: f64, here: &[f64]) -> Result<Option<StopReason>, ProblemError> {
        if self.problem.clearance.is_none() {
            return Ok(None);
        }
        self.ignores_collisions = true;
        let is_met = self.track(length, here);
        self.ignores_collisions = false;
        let there = self.solution.positions.clone();
        Ok(if is_met? { self.obstruction(self.tracking_clearance(), here, &there) } else { None })
    }

    /// The goal that prevents a motion to the pose at `length`: the first one without which `solve` from `here` reaches
    /// the pose and the other goals. The last solution is the closest one found with all goals.
    pub(super) fn goal_against(
        &mut self,
        length: f64,
        here: &[f64],
        solve: fn(&mut Self, f64, &[f64]) -> Result<bool, ProblemError>,
    ) -> Result<Option<StopReason>, ProblemError> {
        let violations = self.solution.violations.clone();
        let goals = self.goals.clone();
        for (index, goal) in goals.iter().enumerate() {
            self.goals.remove(index);
            let is_met = solve(self, length, here);
            self.goals.clone_from(&goals);
            if is_met? {
                return Ok(Some(StopReason::Goal { goal: goal.clone(), violation: violations[index] }));
            }
        }
        Ok(None)
    }

    /// The collision on a straight line in joint space; `None` if it is clear.
    pub(super) fn obstruction_between(&mut self, here: &[f64], there: &[f64]) -> Option<StopReason> {
        self.obstruction(self.problem.clearance, here, there)
    }

    /// The pair that is nearer than the margin at `positions`.
    pub(super) fn obstruction_at(&mut self, positions: &[f64]) -> Option<StopReason> {
        let clearance = self.problem.clearance?;
        let SegmentScratch { scene, required_gaps, .. } = &mut self.segment;
        required_gaps.begin(&[], clearance.margin);
        let near = clearance.worst_at(positions, required_gaps, scene)?;
        Some(StopReason::collision(clearance.scene, Some(&near)))
    }

    fn obstruction(&mut self, clearance: Option<Clearance>, here: &[f64], there: &[f64]) -> Option<StopReason> {
        let clearance = clearance?;
        let part = clearance.free_part(here, there, CLEARANCE_RESOLUTION, &mut self.segment);
        (part.fraction < 1.0).then(|| StopReason::collision(clearance.scene, part.stopped_by.as_ref()))
    }
}
