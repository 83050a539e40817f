//! Inverse kinematics and collision checks for poses of a path.

use super::path_problem::{FollowError, FollowOptions, PathProblem, ratio};
use super::path_stop::StopReason;
use super::tip_kinematics::{PathConfiguration, PathDeviation};
use urdf_ik_collision::{Clearance, SegmentScratch};
use urdf_ik_solver::{Interruption, Mode, Pick, Problem, ProblemError, Scratch, Solution, Solver, Tolerance};

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
    interruption: Interruption<'a>,
    /// The last solution.
    pub(super) solution: Solution,
    /// Distance of the tip from the path.
    pub(super) distance: PathDeviation<'a>,
    scratch: Scratch,
    segment: SegmentScratch,
    /// True if solves ignore collisions, to find out which pair prevents a step.
    ignores_collisions: bool,
    /// The maximum step of each variable.
    steps: Vec<f64>,
}

impl<'a> PathSolver<'a> {
    pub(super) fn new(
        solver: &'a Solver,
        problem: &'a PathProblem<'a>,
        options: &'a FollowOptions,
        interruption: Interruption<'a>,
    ) -> Self {
        let chain = solver.chain();
        let variables = chain.variables().len();
        Self {
            solver,
            problem,
            options,
            interruption,
            solution: solver.solution(),
            distance: PathDeviation::new(chain, problem),
            scratch: solver.scratch(),
            segment: SegmentScratch::default(),
            ignores_collisions: false,
            steps: vec![options.largest_joint_step; variables],
        }
    }

    /// Fails if the caller has interrupted.
    pub(super) fn check_interruption(&self) -> Result<(), FollowError> {
        if (self.interruption)() { Err(FollowError::Interrupted) } else { Ok(()) }
    }

    /// Solves for the pose at `length`; returns whether the solution meets it.
    fn solve(&mut self, length: f64, seed: &[f64], mode: Mode) -> Result<bool, ProblemError> {
        let Tolerance { position, orientation } = self.problem.target.tolerance;
        let tolerance =
            Tolerance { position: SOLVE_TOLERANCE_RATIO * position, orientation: SOLVE_TOLERANCE_RATIO * orientation };
        let targets = [self.problem.target_at(length).with_tolerance(tolerance)];
        let clearance = if self.ignores_collisions { None } else { self.tracking_clearance() };
        let problem = Problem::new(&targets, seed).with_mode(mode).with_clearance(clearance);
        self.solver.solve(&problem, &mut self.scratch, &mut self.solution)?;
        Ok(self.solution.residuals.iter().all(|residual| ratio(residual, &self.problem.target.tolerance) <= 1.0))
    }

    /// Solves for the pose at `length` on the branch of `seed`, within the maximum joint step.
    pub(super) fn track(&mut self, length: f64, seed: &[f64]) -> Result<bool, ProblemError> {
        let steps = std::mem::take(&mut self.steps);
        let is_met = self.solve(length, seed, Mode::Track { max_step: &steps });
        self.steps = steps;
        is_met
    }

    /// Searches for the solution nearest to `seed` for the pose at `length`, on any branch.
    pub(super) fn search(&mut self, length: f64, seed: &[f64]) -> Result<bool, ProblemError> {
        let mode = Mode::Search { pick: Pick::Nearest, attempts: ATTEMPTS, random_seed: 0 };
        self.solve(length, seed, mode)
    }

    /// The configuration at the start of the path: `seed` itself, a solution on its branch, or the nearest
    /// one of a search.
    pub(super) fn start(&mut self, seed: &[f64]) -> Result<Option<Vec<f64>>, ProblemError> {
        let unbounded = vec![f64::INFINITY; self.steps.len()];
        let is_tracked = self.solve(0.0, seed, Mode::Track { max_step: &unbounded })?;
        let distance = self.distance.at(PathConfiguration { length: 0.0, positions: seed });
        if ratio(&distance, &self.problem.target.tolerance) <= 1.0 {
            return Ok(Some(seed.to_vec()));
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

    /// The collision on a straight line in joint space; `None` if it is clear.
    pub(super) fn obstruction_between(&mut self, here: &[f64], there: &[f64]) -> Option<StopReason> {
        self.obstruction(self.problem.clearance, here, there)
    }

    fn obstruction(&mut self, clearance: Option<Clearance>, here: &[f64], there: &[f64]) -> Option<StopReason> {
        let clearance = clearance?;
        let part = clearance.free_part(here, there, CLEARANCE_RESOLUTION, &mut self.segment);
        (part.fraction < 1.0).then(|| StopReason::collision(clearance.scene, part.stopped_by.as_ref()))
    }
}
