//! A complete solve: steps that shrink until the linear approximation holds, attempts, the outcome.

use std::f64::consts::{PI, TAU};

use nalgebra::{Point3, Vector3};

use super::{InputError, Options, Outcome, PitchYawArm, Problem, Reason, Residual, Solution};
use urdf_ik_mathematics::pseudorandom::fraction;

/// How far the tip may end up from where the linear approximation predicts it, over the length of the predicted change.
const DEVIATION: f64 = 0.5;
/// Largest number of halvings of a step.
const HALVINGS: usize = 40;
/// A step that is predicted to reduce the error by less than this fraction counts as no progress.
const MIN_PROGRESS: f64 = 1e-6;
/// An attempt is given up for another starting point when the distance has not halved in this many iterations.
const ITERATIONS_TO_HALVE: usize = 12;
/// The first so many begin near the closest configuration or an extreme one; of the others every other one is scattered.
const UNSCATTERED: usize = 12;
/// Largest angle \[rad\] of a bend.
const MAX_BEND: f64 = 0.5;
/// Slope of half the squared error over the error times the reach that counts as pressing a variable against its bound.
const PRESSURE: f64 = 1e-6;

/// Scratch memory of a solve. Made by [`PitchYawArm::scratch`], allocated there once. It fits any arm of as many
/// segments. Its contents never change an answer.
#[derive(Debug, Clone)]
pub struct Scratch {
    /// The configurations before and after a step.
    pub(super) current: Vec<f64>,
    pub(super) candidate: Vec<f64>,
    /// The closest configuration so far.
    pub(super) best: Vec<f64>,
    /// The configuration of the answer; on a path, that of the point reached last.
    pub(super) reached: Vec<f64>,
    pub(super) step: Vec<f64>,
    /// Variables that the active set has clamped.
    pub(super) stopped: Vec<bool>,
    pub(super) columns: Vec<Vector3<f64>>,
}

impl Scratch {
    /// Number of variables that it fits.
    pub(super) fn variables(&self) -> usize {
        self.columns.len()
    }
}

/// A point for the tip to reach.
#[derive(Clone, Copy)]
pub(super) struct Goal<'a> {
    /// The target of the problem.
    target: Point3<f64>,
    /// The target, or where it is out of reach the nearest point that is not.
    pub point: Point3<f64>,
    pub is_out_of_reach: bool,
    options: &'a Options,
}

impl Goal<'_> {
    fn met(&self, tip: &Point3<f64>) -> bool {
        (tip - self.point).norm() <= self.options.tolerance
    }
}

/// The closest result of a search; its configuration is in `best`.
pub(super) struct SearchResult {
    pub tip: Point3<f64>,
    pub met: bool,
    pub iterations: usize,
    pub restarts: usize,
}

impl PitchYawArm {
    /// Scratch memory for this arm.
    pub fn scratch(&self) -> Scratch {
        let positions = || vec![0.0; self.variables()];
        Scratch {
            current: positions(),
            candidate: positions(),
            best: positions(),
            reached: positions(),
            step: positions(),
            stopped: vec![false; self.variables()],
            columns: vec![Vector3::zeros(); self.variables()],
        }
    }

    /// Moves the tip to the target. It allocates nothing, and the same problem gives the same bits.
    ///
    /// Each iteration solves the linear approximation J · step = error by the [`Method`](super::Method) asked for and
    /// halves the step until the tip moves as predicted, within half of the predicted change, and gets nearer. Where
    /// that is too slow, or no step does, as from a stretched arm straight back to its base, further attempts start
    /// from the closest configuration and from the stretched or folded arm, each bent a little, and then from scattered
    /// ones.
    ///
    /// A target out of reach is replaced by the nearest point in reach: the arm stretches towards it. The reach does
    /// not include the bounds of the variables; with bounds, the answer is the closest configuration to that point that
    /// was found.
    ///
    /// # Errors
    /// [`InputError`] where the problem, the scratch or the memory for the answer do not fit this arm; `solution` is
    /// then left as it was. A target that is not reached is not an error but an [`Outcome`].
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), InputError> {
        self.check(problem, scratch, solution)?;
        self.clamp_into(problem.seed, &mut scratch.current);
        let goal = self.goal(problem.target, self.tip_at(&scratch.current), &problem.options);
        let found = self.search(&goal, scratch);
        scratch.reached.copy_from_slice(&scratch.best);
        self.judge(&goal, None, &found, scratch, solution);
        Ok(())
    }

    /// Writes the answer: the configuration in `reached` with its tip, and whether it solves the goal. `refusal` is the
    /// reason if the path was refused before.
    pub(super) fn judge(
        &self,
        goal: &Goal,
        refusal: Option<Reason>,
        found: &SearchResult,
        scratch: &mut Scratch,
        solution: &mut Solution,
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

    /// `target` as a goal. For a target in the base itself, which is in all directions, `tip` gives the direction.
    pub(super) fn goal<'a>(&self, target: Point3<f64>, tip: Point3<f64>, options: &'a Options) -> Goal<'a> {
        let offset = target - self.base;
        let distance = offset.norm();
        let is_out_of_reach = self.reach.gap(distance) > options.tolerance;
        let point = if is_out_of_reach {
            let direction = offset.try_normalize(0.0).or_else(|| (tip - self.base).try_normalize(0.0));
            self.base + direction.unwrap_or_else(Vector3::x) * distance.max(self.reach.inner).min(self.reach.outer)
        } else {
            target
        };
        Goal { target, point, is_out_of_reach, options }
    }

    /// Attempts at the goal, the first from `current`. Leaves the closest configuration in `best`.
    pub(super) fn search(&self, goal: &Goal, scratch: &mut Scratch) -> SearchResult {
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

    /// Puts the starting point of a later attempt into `current`: the closest configuration so far, or every other time
    /// an extreme one, bent a little.
    fn set_start(&self, attempt: usize, goal: &Goal, scratch: &mut Scratch) {
        let Scratch { current, candidate, best, .. } = scratch;
        if attempt >= UNSCATTERED && attempt.is_multiple_of(2) {
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
        // A stretched arm that bends by an angle is shorter by its square: what is bent is what is missing.
        let missing = (self.tip_at(current) - goal.point).norm();
        let angle = (missing / self.reach.outer).sqrt().min(MAX_BEND);
        for (i, value) in candidate.iter_mut().enumerate() {
            *value += angle * (2.0 * fraction(attempt, i) - 1.0);
        }
        self.clamp_into(candidate, current);
    }

    /// A value of a variable that its bounds allow, at `fraction` of them; of one turn where they are wider.
    fn scattered(&self, variable: usize, fraction: f64) -> f64 {
        let (lower, upper) = (self.lower[variable], self.upper[variable]);
        let (from, to) = if upper - lower < TAU { (lower, upper) } else { (-PI, PI) };
        (from + (to - from) * fraction).max(lower).min(upper)
    }

    /// The configuration in which the tip is at the inner or the outer end of its reach, whichever is nearer, in the
    /// goal's direction: all segments point there, or the longest alone and the others back.
    fn set_extreme(&self, goal: &Goal, positions: &mut [f64]) {
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

    /// Steps from `current` until the goal is met, no step leads on, the iterations are used up, or in [`ITERATIONS_TO_HALVE`] of
    /// them the distance has not halved, and returns the tip.
    fn descend(&self, goal: &Goal, scratch: &mut Scratch, iterations: &mut usize) -> Point3<f64> {
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

    /// Takes from `current` the step, or the first of its halves for which the linear approximation is good: the tip
    /// moves from `tip` by what was `predicted`, within [`DEVIATION`] of it, and gets nearer. Returns whether there was
    /// one.
    fn advance(&self, goal: &Goal, tip: &Point3<f64>, predicted: &Vector3<f64>, scratch: &mut Scratch) -> bool {
        let Scratch { current, candidate, step, .. } = scratch;
        let before = (goal.point - tip).norm_squared();
        let mut scale = 1.0;
        for _ in 0..=HALVINGS {
            for (i, value) in candidate.iter_mut().enumerate() {
                // Clamped again: the sum may miss a bound by rounding.
                *value = (current[i] + scale * step[i]).max(self.lower[i]).min(self.upper[i]);
            }
            let next = self.tip_at(candidate);
            let deviation = (next - tip - predicted * scale).norm();
            if deviation <= DEVIATION * scale * predicted.norm() && (goal.point - next).norm_squared() < before {
                std::mem::swap(current, candidate);
                return true;
            }
            scale *= 0.5;
        }
        false
    }

    /// Why `positions`, the closest found, do not meet the goal.
    pub(super) fn reason(&self, goal: &Goal, positions: &[f64], columns: &mut [Vector3<f64>]) -> Reason {
        let certain = Reason::out_of_reach(&self.reach, (goal.target - self.base).norm(), goal.options.tolerance);
        if let Some(reason) = certain {
            return reason;
        }
        let error = goal.target - self.linearise(positions, columns);
        let least = PRESSURE * error.norm() * self.reach.outer;
        let pressed = |i: usize| {
            let descent = columns[i].dot(&error);
            (positions[i] <= self.lower[i] && descent < -least) || (positions[i] >= self.upper[i] && descent > least)
        };
        if (0..positions.len()).any(pressed) { Reason::Limits } else { Reason::NotConverged }
    }

    /// Copies `positions`, moved into the bounds.
    pub(super) fn clamp_into(&self, positions: &[f64], into: &mut [f64]) {
        for (i, value) in into.iter_mut().enumerate() {
            *value = positions[i].max(self.lower[i]).min(self.upper[i]);
        }
    }
}
