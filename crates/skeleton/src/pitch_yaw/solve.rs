//! The solve: damped steps with a check of the linearisation, restarts, and the outcome.

use std::f64::consts::{PI, TAU};

use nalgebra::{Point3, Vector3};

use super::{InputError, Outcome, PitchYawArm, PitchYawOptions, PitchYawProblem, PitchYawSolution, Reason, Residual};
use urdf_ik_mathematics::pseudorandom::fraction;

/// Largest deviation of the tip from the linear prediction, relative to the predicted change.
const MAX_DEVIATION: f64 = 0.5;
/// Maximum number of halvings of a step.
const MAX_HALVINGS: usize = 40;
/// A step with a predicted error reduction below this fraction counts as no progress.
const MIN_PROGRESS: f64 = 1e-6;
/// An attempt ends if its distance has not halved within this many iterations.
const ITERATIONS_TO_HALVE: usize = 12;
/// The first restarts begin near the closest or an extreme configuration; of the later ones, every other is scattered.
const BENT_ATTEMPTS: usize = 12;
/// Largest bend of a restart \[rad\].
const MAX_BEND: f64 = 0.5;
/// A limit counts as active if the slope of half the squared error exceeds this, relative to error times reach.
const LIMIT_PRESSURE: f64 = 1e-6;

/// Preallocated memory for solving. Created by [`PitchYawArm::scratch`]; fits any arm with the same number of segments.
/// Its contents never influence a solution.
#[derive(Debug, Clone)]
pub struct PitchYawScratch {
    /// The configurations before and after a step.
    pub(super) current: Vec<f64>,
    pub(super) candidate: Vec<f64>,
    /// The closest configuration so far.
    pub(super) best: Vec<f64>,
    /// The configuration of the solution; on a path, of the point reached last.
    pub(super) reached: Vec<f64>,
    pub(super) step: Vec<f64>,
    /// Variables clamped by the active set.
    pub(super) stopped: Vec<bool>,
    pub(super) columns: Vec<Vector3<f64>>,
}

/// A goal of the tip.
#[derive(Clone, Copy)]
pub(super) struct ArmGoal<'a> {
    /// The target of the problem.
    target: Point3<f64>,
    /// The target \[m\], or the nearest point within reach.
    pub point: Point3<f64>,
    pub is_out_of_reach: bool,
    options: &'a PitchYawOptions,
}

impl ArmGoal<'_> {
    fn met(&self, tip: &Point3<f64>) -> bool {
        (tip - self.point).norm() <= self.options.tolerance
    }
}

/// Result of a search; its configuration is in `best`.
pub(super) struct SearchResult {
    pub tip: Point3<f64>,
    pub met: bool,
    pub iterations: usize,
    pub restarts: usize,
}

impl PitchYawArm {
    /// Preallocated memory for solving.
    pub fn scratch(&self) -> PitchYawScratch {
        let positions = || vec![0.0; self.variables()];
        PitchYawScratch {
            current: positions(),
            candidate: positions(),
            best: positions(),
            reached: positions(),
            step: positions(),
            stopped: vec![false; self.variables()],
            columns: vec![Vector3::zeros(); self.variables()],
        }
    }

    /// Moves the tip to the target and writes the result to `solution`. Deterministic and free of allocations.
    ///
    /// Each iteration solves the linearisation J · step = error by the chosen [`StepMethod`](super::StepMethod) and
    /// halves the step until the tip moves within half of the predicted change and approaches the target. If that is
    /// too slow or fails, as for a stretched arm with a target behind it, restarts begin at the closest configuration
    /// and at the stretched or folded arm, each slightly bent, and then at scattered ones.
    ///
    /// A target out of reach is replaced by the nearest point within reach: the arm stretches towards it. Reach
    /// ignores the bounds of the variables; with bounds, the result is the closest configuration found.
    ///
    /// # Errors
    /// [`InputError`] if the problem, the scratch or the solution does not fit this arm; `solution` is then
    /// unchanged. A target that is not reached is not an error but an [`Outcome`].
    pub fn solve(
        &self,
        problem: &PitchYawProblem,
        scratch: &mut PitchYawScratch,
        solution: &mut PitchYawSolution,
    ) -> Result<(), InputError> {
        self.check(problem, scratch, solution)?;
        self.clamp_into(problem.seed, &mut scratch.current);
        let goal = self.goal(problem.target, self.tip_at(&scratch.current), &problem.options);
        let found = self.search(&goal, scratch);
        scratch.reached.copy_from_slice(&scratch.best);
        self.judge(&goal, None, &found, scratch, solution);
        Ok(())
    }

    /// Writes the solution: the configuration in `reached`, its tip and outcome. `refusal` is why the path ended early,
    /// if it did.
    pub(super) fn judge(
        &self,
        goal: &ArmGoal,
        refusal: Option<Reason>,
        found: &SearchResult,
        scratch: &mut PitchYawScratch,
        solution: &mut PitchYawSolution,
    ) {
        solution.positions.copy_from_slice(&scratch.reached);
        (solution.tip, solution.iterations, solution.restarts) = (found.tip, found.iterations, found.restarts);
        let distance = (found.tip - goal.target).norm();
        let outcome = if distance <= goal.options.tolerance {
            Outcome::Solved
        } else {
            let certain = refusal.filter(|_| !goal.is_out_of_reach);
            Outcome::Closest(certain.unwrap_or_else(|| self.reason(goal, &scratch.reached, &mut scratch.columns)))
        };
        solution.residual = Residual { distance, angle: 0.0, outcome };
    }

    /// `target` as a goal. A target at the base has no direction; then `tip` provides one.
    pub(super) fn goal<'a>(&self, target: Point3<f64>, tip: Point3<f64>, options: &'a PitchYawOptions) -> ArmGoal<'a> {
        let offset = target - self.base;
        let distance = offset.norm();
        let is_out_of_reach = self.reach.gap(distance) > options.tolerance;
        let point = if is_out_of_reach {
            let direction = offset.try_normalize(0.0).or_else(|| (tip - self.base).try_normalize(0.0));
            self.base + direction.unwrap_or_else(Vector3::x) * distance.max(self.reach.inner).min(self.reach.outer)
        } else {
            target
        };
        ArmGoal { target, point, is_out_of_reach, options }
    }

    /// Attempts to reach the goal, the first from `current`. Leaves the closest configuration in `best`.
    pub(super) fn search(&self, goal: &ArmGoal, scratch: &mut PitchYawScratch) -> SearchResult {
        let mut found = SearchResult { tip: self.base, met: false, iterations: 0, restarts: 0 };
        let mut least = f64::INFINITY;
        for attempt in 0..=goal.options.restarts {
            found.restarts = attempt;
            if attempt > 0 {
                self.set_start(attempt, goal, scratch);
            }
            let tip = self.descend(goal, scratch, &mut found.iterations);
            let distance = (tip - goal.point).norm();
            if distance < least {
                (least, found.tip) = (distance, tip);
                scratch.best.copy_from_slice(&scratch.current);
            }
            found.met = goal.met(&found.tip);
            if found.met || found.iterations >= goal.options.iterations {
                break;
            }
        }
        found
    }

    /// Writes the start of a restart to `current`: the closest configuration so far or, every other time, an extreme
    /// one, slightly bent.
    fn set_start(&self, attempt: usize, goal: &ArmGoal, scratch: &mut PitchYawScratch) {
        let PitchYawScratch { current, candidate, best, .. } = scratch;
        if attempt >= BENT_ATTEMPTS && attempt.is_multiple_of(2) {
            for (i, value) in current.iter_mut().enumerate() {
                *value = self.scattered(i, fraction(attempt, i));
            }
            return;
        }
        if attempt % 2 == 1 {
            candidate.copy_from_slice(best);
        } else {
            self.set_extreme(goal, candidate);
        }
        self.clamp_into(candidate, current);
        // Bending a stretched arm by an angle shortens it by about its square, so the bend follows from the missing
        // distance.
        let missing = (self.tip_at(current) - goal.point).norm();
        let angle = (missing / self.reach.outer).sqrt().min(MAX_BEND);
        for (i, value) in candidate.iter_mut().enumerate() {
            *value += angle * (2.0 * fraction(attempt, i) - 1.0);
        }
        self.clamp_into(candidate, current);
    }

    /// A value of a variable at `fraction` of its bounds, or of one turn if they are wider.
    fn scattered(&self, variable: usize, fraction: f64) -> f64 {
        let (lower, upper) = (self.lower[variable], self.upper[variable]);
        let (from, to) = if upper - lower < TAU { (lower, upper) } else { (-PI, PI) };
        (from + (to - from) * fraction).max(lower).min(upper)
    }

    /// The configuration with the tip in the goal's direction at the inner or outer end of its reach, whichever is
    /// nearer: all segments aligned, or the longest one forward and the others back.
    fn set_extreme(&self, goal: &ArmGoal, positions: &mut [f64]) {
        let offset = goal.point - self.base;
        let segments = self.lengths.len();
        positions.fill(0.0);
        positions[0] = offset.z.atan2(offset.x.hypot(offset.y));
        positions[segments] = offset.y.atan2(offset.x);
        if 2.0 * offset.norm() < self.reach.inner + self.reach.outer {
            let longest = (0..segments).fold(0, |a, b| if self.lengths[b] > self.lengths[a] { b } else { a });
            positions[0] += PI;
            positions[longest] -= PI;
            if longest + 1 < segments {
                positions[longest + 1] += PI;
            }
        }
    }

    /// Steps from `current` until the goal is met, no step helps, the iterations are used up, or the distance has not
    /// halved in [`ITERATIONS_TO_HALVE`]. Returns the tip.
    fn descend(&self, goal: &ArmGoal, scratch: &mut PitchYawScratch, iterations: &mut usize) -> Point3<f64> {
        let (mut mark, mut left) = (f64::INFINITY, ITERATIONS_TO_HALVE);
        loop {
            let tip = self.linearise(&scratch.current, &mut scratch.columns);
            let error = goal.point - tip;
            (mark, left) =
                if error.norm() < 0.5 * mark { (error.norm(), ITERATIONS_TO_HALVE) } else { (mark, left - 1) };
            if goal.met(&tip) || *iterations >= goal.options.iterations || left == 0 {
                return tip;
            }
            *iterations += 1;
            let predicted = self.bounded_step(&error, goal.options.method, scratch);
            if predicted.norm() <= MIN_PROGRESS * error.norm() || !self.advance(goal, &tip, &predicted, scratch) {
                return tip;
            }
        }
    }

    /// Tries the step and its halves until the tip moves from `tip` as `predicted`, within [`MAX_DEVIATION`], and gets
    /// nearer. Returns whether one did.
    fn advance(
        &self,
        goal: &ArmGoal,
        tip: &Point3<f64>,
        predicted: &Vector3<f64>,
        scratch: &mut PitchYawScratch,
    ) -> bool {
        let PitchYawScratch { current, candidate, step, .. } = scratch;
        let before = (goal.point - tip).norm_squared();
        let mut scale = 1.0;
        for _ in 0..=MAX_HALVINGS {
            for (i, value) in candidate.iter_mut().enumerate() {
                // Clamped again, because rounding may exceed a bound.
                *value = (current[i] + scale * step[i]).max(self.lower[i]).min(self.upper[i]);
            }
            let next = self.tip_at(candidate);
            let deviation = (next - tip - predicted * scale).norm();
            if deviation <= MAX_DEVIATION * scale * predicted.norm() && (goal.point - next).norm_squared() < before {
                std::mem::swap(current, candidate);
                return true;
            }
            scale *= 0.5;
        }
        false
    }

    /// Why `positions`, the closest configuration found, do not meet the goal.
    pub(super) fn reason(&self, goal: &ArmGoal, positions: &[f64], columns: &mut [Vector3<f64>]) -> Reason {
        let certain = Reason::out_of_reach(&self.reach, (goal.target - self.base).norm(), goal.options.tolerance);
        if let Some(reason) = certain {
            return reason;
        }
        let error = goal.target - self.linearise(positions, columns);
        let least = LIMIT_PRESSURE * error.norm() * self.reach.outer;
        let pressed = |i: usize| {
            let descent = columns[i].dot(&error);
            (positions[i] <= self.lower[i] && descent < -least) || (positions[i] >= self.upper[i] && descent > least)
        };
        if (0..positions.len()).any(pressed) { Reason::Limits } else { Reason::NotConverged }
    }

    /// Copies `positions`, clamped to the bounds.
    pub(super) fn clamp_into(&self, positions: &[f64], into: &mut [f64]) {
        for (i, value) in into.iter_mut().enumerate() {
            *value = positions[i].max(self.lower[i]).min(self.upper[i]);
        }
    }
}
