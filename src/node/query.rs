//! From a request to a solver's answer.

use std::ops::ControlFlow;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::urdf_ik::msg::SolveStatus;

use super::description::Loaded;
use super::status::Refused;
use crate::config;
use crate::parameters::{NullSpace, Settings};
use crate::robot::ChainPoses;
use crate::solver::{Mode, Preference, Problem, ProblemError, Scratch, Solution, Solver, Target};

/// The target for the first tip at `pose` in the base link's frame, with the settings' tolerance and free axes.
pub(super) fn target(pose: Isometry3<f64>, settings: &Settings) -> Target {
    Target { tolerance: settings.tolerance, free_axes: settings.free_axes, ..Target::new(0, pose) }
}

/// How much of a closer answer it takes to leave the arm's branch for a target that cannot be met: so that an arm at the edge
/// of its reach does not jump about.
const WORTH_A_JUMP: f64 = 0.9;

/// What motions that leave the target where it is are used for: the settings' preference, for one robot.
pub(super) struct Preferred {
    /// The posture as the settings have it.
    named: config::Posture,
    /// The same in the chain's variables; `None` where none is preferred.
    positions: Option<Vec<f64>>,
    weights: NullSpace,
}

impl Preferred {
    pub(super) fn new(loaded: &Loaded, settings: &Settings) -> Result<Self, Refused> {
        let named = settings.posture.clone();
        let positions = if named.0.is_empty() {
            None
        } else {
            let all = named.apply(&loaded.robot).map_err(|e| Refused::invalid("posture", format!("posture: {e}")))?;
            Some(loaded.chain.positions_from(&all))
        };
        Ok(Self { named, positions, weights: settings.null_space })
    }

    /// Whether the settings still ask for the same.
    fn serves(&self, settings: &Settings) -> bool {
        self.weights == settings.null_space && self.named == settings.posture
    }

    pub(super) fn preference(&self) -> Preference<'_> {
        Preference {
            posture: self.positions.as_deref(),
            posture_weight: self.weights.posture,
            limits_weight: self.weights.limits,
            manipulability_weight: self.weights.manipulability,
        }
    }
}

/// A search as the settings have it.
pub(super) fn search(settings: &Settings) -> Mode<'static> {
    Mode::Search { pick: settings.pick, attempts: settings.attempts, random_seed: settings.random_seed }
}

/// How much a target may cost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// Tracking on the branch where the arm is: brief.
    Track,
    /// Where that does not meet it also a search, which may take all the time that the settings allow.
    Search,
}

/// Solves one target after the other for one robot, in memory that is kept.
pub(super) struct Follower {
    pub loaded: Arc<Loaded>,
    scratch: Scratch,
    tracked: Solution,
    searched: Solution,
    steps: Vec<f64>,
    /// Made anew when the settings ask for something else.
    preferred: Option<Preferred>,
}

impl Follower {
    pub(super) fn new(loaded: Arc<Loaded>) -> Self {
        let solver = &loaded.solver;
        Self {
            scratch: solver.scratch(),
            tracked: solver.solution(),
            searched: solver.solution(),
            steps: vec![f64::INFINITY; loaded.chain.variables().len()],
            preferred: None,
            loaded,
        }
    }

    /// Follows `targets` of different tips from `seed` on the same branch; searches the others where that does not meet them and both
    /// `effort` and the settings allow the jump. Gives the solver along with its answer.
    pub(super) fn follow(
        &mut self,
        targets: &[Target],
        seed: &[f64],
        settings: &Settings,
        effort: Effort,
    ) -> Result<(Solver, &Solution), Refused> {
        let solver = self.loaded.solver(settings).map_err(no_solver)?;
        let deadline = Some(settings.timeout);
        let preferred = match self.preferred.take().filter(|preferred| preferred.serves(settings)) {
            Some(preferred) => preferred,
            None => Preferred::new(&self.loaded, settings)?,
        };
        let preference = self.preferred.insert(preferred).preference();
        let mode = Mode::Track { max_step: &self.steps };
        let track = Problem { mode, preference, deadline, ..Problem::new(targets, seed) };
        solver.solve(&track, &mut self.scratch, &mut self.tracked).map_err(|e| refusal(&e))?;
        if self.tracked.is_solved() || !settings.branch_jumps || effort == Effort::Track {
            return Ok((solver, &self.tracked));
        }
        let search = Problem { mode: search(settings), ..track };
        solver.solve(&search, &mut self.scratch, &mut self.searched).map_err(|e| refusal(&e))?;
        // Both were spent on this target, whichever of the two answers it.
        let iterations = self.tracked.iterations + self.searched.iterations;
        let attempts = self.tracked.attempts + self.searched.attempts;
        let elapsed = self.tracked.elapsed + self.searched.elapsed;
        for solution in [&mut self.tracked, &mut self.searched] {
            (solution.iterations, solution.attempts, solution.elapsed) = (iterations, attempts, elapsed);
        }
        let jump = self.searched.is_solved()
            || self.searched.squared_error < WORTH_A_JUMP * WORTH_A_JUMP * self.tracked.squared_error;
        if !jump {
            return Ok((solver, &self.tracked));
        }
        complete(&solver, targets, &mut self.scratch, &mut self.searched)?;
        Ok((solver, &self.searched))
    }

    /// Puts into `report` how far the tip is from `target`, and how near to a singularity, at `positions` of the chain's variables.
    pub(super) fn measure(
        &mut self,
        report: &mut SolveStatus,
        target: &Target,
        positions: &[f64],
    ) -> Result<(), Refused> {
        let loaded = &self.loaded;
        let mut poses = ChainPoses::new(&loaded.chain);
        loaded.chain.forward_kinematics(positions, &mut poses);
        let residual = target.residual(&poses.tips()[target.tip]);
        (report.position_error, report.orientation_error) = (residual.position, residual.orientation);
        let smallest = loaded.solver.smallest_singular_value(&[*target], positions, &mut self.scratch);
        report.smallest_singular_value = smallest.map_err(|e| refusal(&e))?;
        Ok(())
    }
}

/// One question on its own.
pub(super) struct Question {
    /// To be met by one posture, each for a tip of its own.
    pub targets: Vec<Target>,
    /// Of the chain's variables.
    pub seed: Vec<f64>,
    /// Settings with the request's own values in place of the parameters'.
    pub settings: Settings,
}

impl Question {
    /// Every distinct solution, as positions of the chain's variables.
    pub(super) fn all_solutions(&self, loaded: &Loaded) -> Result<Vec<Vec<f64>>, Refused> {
        let solver = loaded.solver(&self.settings).map_err(no_solver)?;
        let preferred = Preferred::new(loaded, &self.settings)?;
        let mut found = Vec::new();
        let mut keep = |solution: &Solution| {
            found.push(solution.positions.clone());
            ControlFlow::Continue(())
        };
        let problem = self.problem(&preferred);
        let all = solver.solve_all(&problem, &mut solver.scratch(), &mut solver.solution(), &mut keep);
        all.map_err(|e| refusal(&e))?;
        Ok(found)
    }

    fn problem<'a>(&'a self, preferred: &'a Preferred) -> Problem<'a> {
        Problem {
            mode: search(&self.settings),
            preference: preferred.preference(),
            deadline: Some(self.settings.timeout),
            ..Problem::new(&self.targets, &self.seed)
        }
    }

    /// Searches for the answer.
    pub(super) fn answer(&self, loaded: &Loaded) -> Result<(Solver, Solution), Refused> {
        let solver = loaded.solver(&self.settings).map_err(no_solver)?;
        let preferred = Preferred::new(loaded, &self.settings)?;
        let problem = self.problem(&preferred);
        let mut scratches = vec![solver.scratch(); self.settings.cores];
        let mut solution = solver.solution();
        solver.solve_on(&problem, &mut scratches, &mut solution).map_err(|e| refusal(&e))?;
        complete(&solver, &self.targets, &mut scratches[0], &mut solution)?;
        Ok((solver, solution))
    }
}

/// Fills in what a search leaves out of its solution.
fn complete(
    solver: &Solver,
    targets: &[Target],
    scratch: &mut Scratch,
    solution: &mut Solution,
) -> Result<(), Refused> {
    if solution.smallest_singular_value.is_none() {
        let smallest = solver.smallest_singular_value(targets, &solution.positions, scratch);
        solution.smallest_singular_value = Some(smallest.map_err(|e| refusal(&e))?);
    }
    Ok(())
}

/// The refusal of a solver that does not fit the chain.
pub(super) fn no_solver(sentence: String) -> Refused {
    Refused::invalid("solver", sentence)
}

fn refusal(error: &ProblemError) -> Refused {
    Refused::invalid("problem", error.to_string())
}
