//! Solves for poses of a path, and finds out whether the way there is clear.

use super::path::Path;
use super::path_problem::{FollowError, FollowOptions, PathProblem, ratio};
use super::path_stop::StopReason;
use super::tip::{OnPath, TipDistance};
use urdf_ik_collision::{Clearance, SegmentScratch};
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Interruption, Mode, Pick, Problem, ProblemError, Scratch, Solution, Solver, Target, Tolerance};

/// Tolerance of a solve over the target's tolerance: a larger rest error would show in the velocities.
const SOLVE_TOLERANCE_RATIO: f64 = 1e-3;
/// How much nearer than the margin a pair may come between two configurations of which both keep it \[m\].
const CLEARANCE_RESOLUTION: f64 = 1e-4;
/// What pairs keep more than the margin while the path is tracked, so that the curve has room \[m\].
const ROOM_FOR_THE_CURVE: f64 = 1e-4;
/// Starting points of a search: for the start of the path, and for the pose after a stop.
const ATTEMPTS: usize = 100;

/// Solver, scratch and last solution for one path.
pub(super) struct PathSolver<'a> {
    pub(super) solver: &'a Solver,
    pub(super) chain: &'a Chain,
    pub(super) problem: &'a PathProblem<'a>,
    pub(super) path: &'a Path,
    pub(super) options: &'a FollowOptions,
    interruption: Interruption<'a>,
    /// The last solution.
    pub(super) solution: Solution,
    /// How far the tip is from the path.
    pub(super) distance: TipDistance<'a>,
    scratch: Scratch,
    way: SegmentScratch,
    /// Whether solves go through what is in the way, to find out what that is.
    ignores_collisions: bool,
    /// The largest joint step of each variable.
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
            chain,
            problem,
            path: problem.path,
            options,
            interruption,
            solution: solver.solution(),
            distance: TipDistance::new(chain, problem),
            scratch: solver.scratch(),
            way: SegmentScratch::default(),
            ignores_collisions: false,
            steps: vec![options.largest_joint_step; variables],
        }
    }

    /// Fails where the caller wants no more.
    pub(super) fn check_interruption(&self) -> Result<(), FollowError> {
        if (self.interruption)() { Err(FollowError::Interrupted) } else { Ok(()) }
    }

    /// Solves for the pose at `length`; returns whether the solution meets it.
    fn solve(&mut self, length: f64, seed: &[f64], mode: Mode) -> Result<bool, ProblemError> {
        let Tolerance { position, orientation } = self.problem.target.tolerance;
        let tolerance =
            Tolerance { position: SOLVE_TOLERANCE_RATIO * position, orientation: SOLVE_TOLERANCE_RATIO * orientation };
        let targets = [Target { tolerance, ..self.problem.target_at(length) }];
        let clearance = if self.ignores_collisions { None } else { self.clearance_with_room() };
        let problem = Problem { mode, clearance, ..Problem::new(&targets, seed) };
        self.solver.solve(&problem, &mut self.scratch, &mut self.solution)?;
        Ok(self.solution.residuals.iter().all(|residual| ratio(residual, &self.problem.target.tolerance) <= 1.0))
    }

    /// Solves for the pose at `length` on the branch of `seed`, within the largest joint step.
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

    /// The configuration at the start of the path: `seed` itself, a solution on its branch, or the nearest one of a search.
    pub(super) fn start(&mut self, seed: &[f64]) -> Result<Option<Vec<f64>>, ProblemError> {
        let unbounded = vec![f64::INFINITY; self.steps.len()];
        let is_tracked = self.solve(0.0, seed, Mode::Track { max_step: &unbounded })?;
        let distance = self.distance.at(OnPath { length: 0.0, positions: seed });
        if ratio(&distance, &self.problem.target.tolerance) <= 1.0 {
            return Ok(Some(seed.to_vec()));
        }
        Ok((is_tracked || self.search(0.0, seed)?).then(|| self.solution.positions.clone()))
    }

    /// What solves keep clear of.
    fn clearance_with_room(&self) -> Option<Clearance<'a>> {
        let with_room =
            |clearance: Clearance<'a>| Clearance { margin: clearance.margin + ROOM_FOR_THE_CURVE, ..clearance };
        self.problem.clearance.map(with_room)
    }

    /// What would be in the way to the pose at `length` on the branch of `here`, if collisions did not count; `None` where nothing would.
    pub(super) fn obstruction_to(&mut self, length: f64, here: &[f64]) -> Result<Option<StopReason>, ProblemError> {
        if self.problem.clearance.is_none() {
            return Ok(None);
        }
        self.ignores_collisions = true;
        let is_met = self.track(length, here);
        self.ignores_collisions = false;
        let there = self.solution.positions.clone();
        Ok(if is_met? { self.obstruction(self.clearance_with_room(), here, &there) } else { None })
    }

    /// What is in the way where the joints move evenly from one configuration to another; `None` where that way is clear.
    pub(super) fn obstruction_between(&mut self, here: &[f64], there: &[f64]) -> Option<StopReason> {
        self.obstruction(self.problem.clearance, here, there)
    }

    fn obstruction(&mut self, clearance: Option<Clearance>, here: &[f64], there: &[f64]) -> Option<StopReason> {
        let clearance = clearance?;
        let part = clearance.free_part(here, there, CLEARANCE_RESOLUTION, &mut self.way);
        (part.fraction < 1.0).then(|| StopReason::collision(clearance.scene, part.stopped_by.as_ref()))
    }
}
