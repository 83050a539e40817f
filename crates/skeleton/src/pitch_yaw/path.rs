//! A straight path of the tip, cut into steps.

use nalgebra::Point3;

use super::solve::{Goal, SearchResult};
use super::{InputError, Options, PitchYawArm, Problem, Reason, Scratch, Solution};
use urdf_ik_mathematics::segments::{Refusal, require};

/// Largest number of steps of a path.
const MAX_STEPS: f64 = 1e6;
/// The shortest step that is tried is this fraction of the even step: halvings down to it, all exact.
const MIN_FRACTION: f64 = 1.0 / 1024.0;
/// Attempts at a point after that from the configuration before: from that configuration bent. Others would be a jump.
const RESTARTS: usize = 1;

/// How a path is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathSteps {
    /// Longest distance of the tip from one point to the next \[m\]; at least 4 times the tolerance.
    pub longest: f64,
    /// Largest turn of any variable from one point to the next \[rad\]; infinite for no bound.
    pub largest_turn: f64,
}

impl PathSteps {
    /// Steps of at most `longest` \[m\] and a quarter of a radian.
    pub fn new(longest: f64) -> Self {
        Self { longest, largest_turn: 0.25 }
    }
}

/// A point of a path, as `visit` gets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint<'a> {
    /// Fraction of the path up to this point, from 0 (start, which `visit` does not get) to 1 (end).
    pub fraction: f64,
    /// Whether it is one of the even points. Those in between are there where a variable turns fast.
    pub is_even: bool,
    /// The point of the straight line \[m\].
    pub waypoint: Point3<f64>,
    /// Where the tip is \[m\]: within the tolerance of `waypoint`.
    pub tip: Point3<f64>,
    /// Positions of the variables \[rad\], 2n entries.
    pub positions: &'a [f64],
}

/// The extent of a path that was solved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathSummary {
    /// Number of points that `visit` got.
    pub points: usize,
    /// Longest distance of the tip between adjacent points \[m\].
    pub longest_step: f64,
    /// Largest turn of a variable between adjacent points \[rad\].
    pub largest_turn: f64,
}

impl PitchYawArm {
    /// Moves the tip from its position at the problem's seed to the problem's target, on a straight line in even steps,
    /// and calls `visit` with the configuration at the end of each step. `solution` gets the last configuration. It
    /// allocates nothing.
    ///
    /// Each step is solved from the configuration before. Where a variable would turn by more than
    /// [`PathSteps::largest_turn`], or the point is not reached, the step of the tip is halved, down to a 1024th of the
    /// even step; after that it grows again until it is back on the even points. Where even the shortest step is not
    /// enough, the path ends: [`Solution::residual`] says why, and the arm is at the last point that `visit` got. So no
    /// two adjacent configurations are farther apart than asked for.
    ///
    /// A target out of reach is replaced by the nearest point in reach; where that is singular, as the stretched arm
    /// is, the path may end shortly before it. A path that leads through the inner reach ends at its edge; so an arm of
    /// one segment, whose tip moves on a sphere, follows no straight path.
    ///
    /// # Errors
    /// [`InputError`] as [`Self::solve`], and where a number of `steps` is not valid.
    pub fn follow_path(
        &self,
        problem: &Problem,
        steps: &PathSteps,
        scratch: &mut Scratch,
        solution: &mut Solution,
        mut visit: impl FnMut(&PathPoint),
    ) -> Result<PathSummary, InputError> {
        self.check(problem, scratch, solution)?;
        steps.check(problem.options.tolerance)?;
        self.clamp_into(problem.seed, &mut scratch.reached);
        let start = self.tip_at(&scratch.reached);
        let options = Options { restarts: problem.options.restarts.min(RESTARTS), ..problem.options };
        let goal = self.goal(problem.target, start, &options);
        let way = goal.point - start;
        let count = steps.count(way.norm(), options.tolerance)?;
        let mut summary = PathSummary::default();
        let (mut tip, mut iterations, mut refusal) = (start, 0, None);
        // Counted in even steps: all sums and halves are exact.
        let (mut reached, mut step) = (0.0, 1.0);
        while reached < count {
            let fraction = (reached + step) / count;
            let last = fraction >= 1.0;
            let next = if last { goal } else { self.goal(start + way * fraction, tip, &options) };
            match self.try_point(&next, last, steps, scratch, &mut iterations) {
                Ok(found) => {
                    summary.add((found - tip).norm(), turn(&scratch.best, &scratch.reached));
                    scratch.reached.copy_from_slice(&scratch.best);
                    tip = found;
                    reached += step;
                    let (is_even, waypoint) = (reached.fract() == 0.0, next.point);
                    visit(&PathPoint { fraction, is_even, waypoint, tip, positions: &scratch.reached });
                    while step < 1.0 && reached % (2.0 * step) == 0.0 {
                        step *= 2.0;
                    }
                }
                Err(_) if step > MIN_FRACTION => step *= 0.5,
                Err(reason) => {
                    refusal = Some(reason);
                    break;
                }
            }
        }
        let found = SearchResult { tip, met: refusal.is_none(), iterations, restarts: 0 };
        self.judge(&goal, refusal, &found, scratch, solution);
        Ok(summary)
    }

    /// Solves for the next point from the configuration reached. Leaves the new one in `best`, and returns the tip or
    /// the reason.
    ///
    /// Points on the way must be in reach themselves: only the last may be replaced by the nearest that is.
    fn try_point(
        &self,
        goal: &Goal,
        last: bool,
        steps: &PathSteps,
        scratch: &mut Scratch,
        iterations: &mut usize,
    ) -> Result<Point3<f64>, Reason> {
        if !last && goal.is_out_of_reach {
            return Err(self.reason(goal, &scratch.reached, &mut scratch.columns));
        }
        scratch.current.copy_from_slice(&scratch.reached);
        let found = self.search(goal, scratch);
        *iterations += found.iterations;
        if !found.met {
            return Err(self.reason(goal, &scratch.best, &mut scratch.columns));
        }
        let turn = turn(&scratch.best, &scratch.reached);
        if turn > steps.largest_turn { Err(Reason::Turn { turn }) } else { Ok(found.tip) }
    }
}

impl PathSteps {
    fn check(&self, tolerance: f64) -> Result<(), InputError> {
        let (value, least) = (self.longest, 4.0 * tolerance);
        let (element, right) =
            ("the longest step of the path".into(), "a finite number of at least 4 times the tolerance");
        require(value.is_finite() && value >= least, || Refusal::Number { element, value, unit: " m", right })?;
        let (element, value) = ("the greatest turn between points of the path".into(), self.largest_turn);
        require(value > 0.0, || Refusal::Number { element, value, unit: " rad", right: "above 0" })
    }

    /// Number of even steps for a path of `length` \[m\].
    fn count(&self, length: f64, tolerance: f64) -> Result<f64, InputError> {
        // Both ends of a step may be off by the tolerance.
        let steps = (length / (self.longest - 2.0 * tolerance)).ceil().max(1.0);
        let (element, right) = ("the number of steps of the path".into(), "at most 1e6");
        require(steps <= MAX_STEPS, || Refusal::Number { element, value: steps, unit: "", right })?;
        Ok(steps)
    }
}

impl PathSummary {
    fn add(&mut self, step: f64, turn: f64) {
        self.points += 1;
        self.longest_step = self.longest_step.max(step);
        self.largest_turn = self.largest_turn.max(turn);
    }
}

/// Largest difference between entries of two configurations \[rad\].
fn turn(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
}
