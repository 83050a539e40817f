//! Straight-line motion of the tip.

use nalgebra::Point3;

use super::solve::{ArmGoal, SearchResult};
use super::{InputError, PitchYawArm, PitchYawOptions, PitchYawProblem, PitchYawScratch, PitchYawSolution, Reason};
use urdf_ik_mathematics::segments::{InputErrorKind, require};

/// Maximum number of steps of a path.
const MAX_STEPS: f64 = 1e6;
/// The smallest step, as a fraction of an even step; all halvings down to it are exact.
const MIN_STEP_FRACTION: f64 = 1.0 / 1024.0;
/// Maximum number of restarts at a point of a path: from the previous configuration, bent. Other restarts would be
/// jumps.
const MAX_PATH_RESTARTS: usize = 1;

/// Step sizes of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathSteps {
    /// Maximum distance of the tip between successive points \[m\]; at least 4 times the tolerance.
    pub longest: f64,
    /// Maximum change of any variable between successive points \[rad\]; infinity leaves it unbounded.
    pub largest_turn: f64,
}

impl PathSteps {
    /// Steps of at most `longest` \[m\] and 0.25 rad.
    pub fn new(longest: f64) -> Self {
        Self { longest, largest_turn: 0.25 }
    }
}

/// A point of a path, as passed to `visit`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint<'a> {
    /// Fraction of the path at this point, above 0 (the start is not visited) and up to 1.
    pub fraction: f64,
    /// True for an evenly spaced point; the others are inserted where variables change fast.
    pub is_even: bool,
    /// The point of the straight line \[m\], in the arm's frame.
    pub waypoint: Point3<f64>,
    /// Position of the tip \[m\] in the arm's frame, within the tolerance of `waypoint`.
    pub tip: Point3<f64>,
    /// Positions of the variables \[rad\]: n pitches, then n yaws.
    pub positions: &'a [f64],
}

/// Statistics of a path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathSummary {
    /// Number of points visited.
    pub points: usize,
    /// Longest distance of the tip between successive points \[m\].
    pub longest_step: f64,
    /// Largest change of a variable between successive points \[rad\].
    pub largest_turn: f64,
}

impl PitchYawArm {
    /// Moves the tip in a straight line from its position at the problem's seed to the target, in even steps, and
    /// calls `visit` with the configuration after each step. `solution` receives the last configuration. Free of
    /// allocations.
    ///
    /// Each step is solved from the previous configuration. If a variable would change by more than
    /// [`PathSteps::largest_turn`], or the point is not reached, the step is halved, down to 1/1024 of the even step;
    /// afterwards it grows back to the even points. If the smallest step fails, the path ends:
    /// [`PitchYawSolution::residual`] contains the reason, and the solution is the last visited configuration.
    /// Successive configurations therefore always respect the step sizes.
    ///
    /// A target out of reach is replaced by the nearest point within reach; if that is singular, as for the stretched
    /// arm, the path may end shortly before it. A path through the unreachable inside ends at its boundary; an arm of
    /// one segment, whose tip moves on a sphere, follows no straight path.
    ///
    /// # Errors
    /// [`InputError`] as for [`Self::solve`], and if `steps` is invalid.
    pub fn follow_path(
        &self,
        problem: &PitchYawProblem,
        steps: &PathSteps,
        scratch: &mut PitchYawScratch,
        solution: &mut PitchYawSolution,
        mut visit: impl FnMut(&PathPoint),
    ) -> Result<PathSummary, InputError> {
        self.check(problem, scratch, solution)?;
        steps.check(problem.options.tolerance)?;
        self.clamp_into(problem.seed, &mut scratch.reached);
        let start = self.tip_at(&scratch.reached);
        let options = PitchYawOptions { restarts: problem.options.restarts.min(MAX_PATH_RESTARTS), ..problem.options };
        let goal = self.goal(problem.target, start, &options);
        let way = goal.point - start;
        let count = steps.count(way.norm(), options.tolerance)?;
        let mut summary = PathSummary::default();
        let (mut tip, mut iterations, mut refusal) = (start, 0, None);
        // In units of even steps: all sums and halves are exact.
        let (mut reached, mut step) = (0.0, 1.0);
        while reached < count {
            let fraction = (reached + step) / count;
            let last = fraction >= 1.0;
            let next = if last { goal } else { self.goal(start + way * fraction, tip, &options) };
            match self.try_point(&next, last, steps, scratch, &mut iterations) {
                Ok(found) => {
                    summary.points += 1;
                    summary.longest_step = summary.longest_step.max((found - tip).norm());
                    summary.largest_turn = summary.largest_turn.max(turn(&scratch.best, &scratch.reached));
                    scratch.reached.copy_from_slice(&scratch.best);
                    tip = found;
                    reached += step;
                    let (is_even, waypoint) = (reached.fract() == 0.0, next.point);
                    visit(&PathPoint { fraction, is_even, waypoint, tip, positions: &scratch.reached });
                    while step < 1.0 && reached % (2.0 * step) == 0.0 {
                        step *= 2.0;
                    }
                }
                Err(_) if step > MIN_STEP_FRACTION => step *= 0.5,
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

    /// Solves for the next point from the configuration reached; leaves the new one in `best` and returns the tip. The
    /// error is why there is none.
    ///
    /// Intermediate points must be within reach themselves; only the last may be replaced by the nearest reachable
    /// point.
    fn try_point(
        &self,
        goal: &ArmGoal,
        last: bool,
        steps: &PathSteps,
        scratch: &mut PitchYawScratch,
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
        require(value.is_finite() && value >= least, || InputErrorKind::Number { element, value, unit: " m", right })?;
        let (element, value) = ("the greatest turn between points of the path".into(), self.largest_turn);
        require(value > 0.0, || InputErrorKind::Number { element, value, unit: " rad", right: "above 0" })
    }

    /// Number of even steps for a path of `length` \[m\].
    fn count(&self, length: f64, tolerance: f64) -> Result<f64, InputError> {
        // Each end of a step may be off by the tolerance.
        let steps = (length / (self.longest - 2.0 * tolerance)).ceil().max(1.0);
        let (element, right) = ("the number of steps of the path".into(), "at most 1e6");
        require(steps <= MAX_STEPS, || InputErrorKind::Number { element, value: steps, unit: "", right })?;
        Ok(steps)
    }
}

/// Largest difference between entries of two configurations \[rad\].
fn turn(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
}
