//! A complete solve: cycles until they make no progress, attempts, the outcome.

use nalgebra::{Point3, Vector3};

use super::{Outcome, Problem, ProblemError, Reach, Reason, Residual, Root, Solution, Target, Tree};
use crate::pseudorandom;
use crate::skeleton::segments::is_length;

/// An attempt has stalled when no error has fallen by one percent in this many cycles.
const PATIENCE: usize = 20;
/// The share to which an error must have fallen in that time.
const PROGRESS: f64 = 0.99;
/// Weight of a target out of reach in each cycle over that in the previous cycle.
const FADING: f64 = 0.8;
/// Smallest weight of a target out of reach, so that no sum of weights becomes zero.
const FAINTEST: f64 = 1e-12;

/// The target of a point, in one problem.
#[derive(Debug, Clone, Copy, Default)]
struct Aim {
    /// Its target, with its weight.
    target: Option<(Point3<f64>, f64)>,
    /// Whether the target is certainly out of reach.
    far: bool,
}

/// Scratch memory of a solve. Made by [`Tree::scratch`], allocated there once. It fits any tree of as many points. Its contents
/// never change an answer.
#[derive(Debug, Clone)]
pub struct Scratch {
    pub(super) points: Vec<Point3<f64>>,
    /// The configuration of the best attempt so far.
    best: Vec<Point3<f64>>,
    /// Direction of the segment to each point in the previous outward pass: it is kept where two points coincide.
    directions: Vec<Vector3<f64>>,
    aims: Vec<Aim>,
    /// Weighted sum of the positions that the branches suggest for each point, and the sum of their weights.
    suggested: Vec<(Vector3<f64>, f64)>,
}

impl Scratch {
    /// Number of points that it fits.
    pub(super) fn points(&self) -> usize {
        self.points.len()
    }
}

/// How far a configuration is from its targets, as roots of weighted sums of squares \[m\].
#[derive(Clone, Copy)]
struct Errors {
    /// Over the targets that may be met.
    near: f64,
    /// Over those out of reach: the distance beyond the unavoidable one.
    far: f64,
    /// The largest distance to a target that may be met \[m\], whatever its weight.
    largest: f64,
}

impl Errors {
    /// Targets that may be met come before those out of reach.
    fn better_than(&self, other: &Self, tolerance: f64) -> bool {
        if self.largest <= tolerance && other.largest <= tolerance {
            return self.far < other.far;
        }
        self.near < other.near
    }
}

/// Detects that cycles make no progress.
struct Stall {
    lowest: [f64; 2],
    cycles: usize,
}

impl Stall {
    fn new() -> Self {
        Self { lowest: [f64::INFINITY; 2], cycles: 0 }
    }

    fn stalled(&mut self, errors: &Errors, tolerance: f64) -> bool {
        self.cycles += 1;
        let near = if errors.largest <= tolerance { 0.0 } else { errors.near };
        for (lowest, error) in self.lowest.iter_mut().zip([near, errors.far]) {
            if error < PROGRESS * *lowest {
                (*lowest, self.cycles) = (error, 0);
            }
        }
        self.cycles >= PATIENCE
    }
}

impl Tree {
    /// Scratch memory for this tree.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        let points = self.parents.len();
        Scratch {
            points: vec![Point3::origin(); points],
            best: vec![Point3::origin(); points],
            directions: vec![Vector3::x(); points],
            aims: vec![Aim::default(); points],
            suggested: vec![(Vector3::zeros(), 0.0); points],
        }
    }

    /// Moves the points to the problem's targets, from its seed. It allocates nothing, and the same problem gives the same bits.
    ///
    /// The attempt from the seed goes on until every target is met, or 20 cycles have brought neither the targets
    /// within reach nor those out of reach nearer by one percent. A seed that meets them already, with its root in place and
    /// segments of their lengths, is returned unchanged. While a target within reach is not met, further attempts start from
    /// scattered configurations, and the best one counts. All lengths hold in the answer, to rounding.
    ///
    /// # Errors
    /// [`ProblemError`] where the problem, the scratch or the memory for the answer do not fit this tree; `solution` is then
    /// left as it was. A target that is not met is not an error but an [`Outcome`].
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), ProblemError> {
        self.check(problem, scratch, solution)?;
        let base = match problem.root {
            Root::At(place) => place,
            Root::Fixed | Root::Free => problem.seed[self.root()],
        };
        let fixed = (problem.root != Root::Free).then_some(base);
        self.aim(problem, fixed, scratch);
        let options = &problem.options;
        let (mut best, mut left) = (None::<Errors>, options.iterations);
        for attempt in 0..=options.restarts {
            solution.restarts = attempt;
            self.start(problem, attempt, base, scratch);
            let errors = self.attempt(options.tolerance, fixed, &mut left, scratch);
            if best.is_none_or(|best| errors.better_than(&best, options.tolerance)) {
                best = Some(errors);
                scratch.best.copy_from_slice(&scratch.points);
            }
            if errors.largest <= options.tolerance || left == 0 {
                break;
            }
        }
        solution.points.copy_from_slice(&scratch.best);
        solution.iterations = options.iterations - left;
        solution.residuals.clear();
        for index in 0..problem.targets.len() {
            let residual = self.residual(problem, index, fixed, &solution.points);
            solution.residuals.push(residual);
        }
        Ok(())
    }

    /// Assigns the targets to their points.
    pub(super) fn aim(&self, problem: &Problem, fixed: Option<Point3<f64>>, scratch: &mut Scratch) {
        scratch.aims.fill(Aim::default());
        for target in problem.targets {
            let far = self.out_of_reach(target, fixed, problem.options.tolerance).is_some();
            scratch.aims[target.point] = Aim { target: Some((target.position, target.weight)), far };
        }
    }

    /// If a target is certainly out of reach of the root, the reason.
    fn out_of_reach(&self, target: &Target, fixed: Option<Point3<f64>>, tolerance: f64) -> Option<Reason> {
        let distance = (target.position - fixed?).norm();
        self.reach_between(self.root(), target.point).refuses(distance, tolerance)
    }

    /// Another target with which that of index `index` certainly cannot be met.
    fn contradiction(&self, problem: &Problem, index: usize) -> Option<Reason> {
        let target = &problem.targets[index];
        let slack = 2.0 * problem.options.tolerance;
        problem.targets.iter().enumerate().find_map(|(other, second)| {
            let distance = (second.position - target.position).norm();
            let reach = self.reach_between(target.point, second.point);
            let Reach { inner, outer } = reach;
            (reach.gap(distance) > slack).then_some(Reason::Apart { other, distance, inner, outer })
        })
    }

    fn residual(
        &self,
        problem: &Problem,
        index: usize,
        fixed: Option<Point3<f64>>,
        points: &[Point3<f64>],
    ) -> Residual {
        let (target, tolerance) = (&problem.targets[index], problem.options.tolerance);
        let distance = (points[target.point] - target.position).norm();
        let outcome = Outcome::of(distance, tolerance, || {
            let certain = self.out_of_reach(target, fixed, tolerance);
            certain.or_else(|| self.contradiction(problem, index)).unwrap_or(Reason::NotConverged)
        });
        Residual { distance, outcome }
    }

    /// The configuration from which an attempt starts: the seed, or scattered directions.
    pub(super) fn start(&self, problem: &Problem, attempt: usize, base: Point3<f64>, scratch: &mut Scratch) {
        scratch.points.copy_from_slice(problem.seed);
        for (point, direction) in scratch.directions.iter_mut().enumerate() {
            *direction = if attempt == 0 { Vector3::x() } else { pseudorandom::direction(attempt, point) };
        }
        if attempt == 0 {
            self.outward(problem.seed[self.root()], scratch);
        } else {
            scratch.points.fill(base);
        }
        self.outward(base, scratch);
        if attempt == 0 && self.fits(problem.seed, base) {
            // Its own configuration, to the last digit.
            scratch.points.copy_from_slice(problem.seed);
        }
    }

    /// Whether `points` are a configuration of the tree with its root at `base`, up to the rounding of their coordinates.
    fn fits(&self, points: &[Point3<f64>], base: Point3<f64>) -> bool {
        let farthest = points.iter().fold(0.0, |farthest: f64, point| farthest.max(point.coords.amax()));
        let segment = |(point, parent): (usize, &Option<usize>)| {
            parent
                .is_none_or(|parent| is_length((points[point] - points[parent]).norm(), self.lengths[point], farthest))
        };
        points[self.root()] == base && self.parents.iter().enumerate().all(segment)
    }

    /// Cycles until the targets are met or there is no progress.
    fn attempt(&self, tolerance: f64, fixed: Option<Point3<f64>>, left: &mut usize, scratch: &mut Scratch) -> Errors {
        let (mut stall, mut fading) = (Stall::new(), 1.0_f64);
        loop {
            let errors = self.errors(scratch, fixed);
            let met = errors.largest <= tolerance && errors.far <= tolerance;
            if met || *left == 0 || stall.stalled(&errors, tolerance) {
                return errors;
            }
            self.inward(fading, scratch);
            let base = fixed.unwrap_or(scratch.points[self.root()]);
            self.outward(base, scratch);
            fading = (fading * FADING).max(FAINTEST);
            *left -= 1;
        }
    }

    fn errors(&self, scratch: &Scratch, fixed: Option<Point3<f64>>) -> Errors {
        let (mut near, mut far, mut largest) = (0.0, 0.0, 0.0_f64);
        for (point, aim) in scratch.aims.iter().enumerate() {
            let Some((target, weight)) = aim.target else { continue };
            let distance = (scratch.points[point] - target).norm();
            if let (true, Some(base)) = (aim.far, fixed) {
                let least = self.reach_between(self.root(), point).gap((target - base).norm());
                far += weight * (distance - least).powi(2);
            } else {
                near += weight * distance * distance;
                largest = largest.max(distance);
            }
        }
        Errors { near: near.sqrt(), far: far.sqrt(), largest }
    }

    /// Forward reaching, from the targets to the root: a point is done when all its branches are.
    pub(super) fn inward(&self, fading: f64, scratch: &mut Scratch) {
        scratch.suggested.fill((Vector3::zeros(), 0.0));
        for &point in self.order.iter().rev() {
            let (sum, weights) = scratch.suggested[point];
            let weight = match scratch.aims[point] {
                Aim { target: Some((target, weight)), far } => {
                    scratch.points[point] = target;
                    if far { weight * fading } else { weight }
                }
                Aim { target: None, .. } if weights > 0.0 => {
                    scratch.points[point] = Point3::from(sum / weights);
                    weights
                }
                Aim { target: None, .. } => continue,
            };
            let Some(parent) = self.parents[point] else { continue };
            let from = scratch.points[point];
            let direction = unit(scratch.points[parent] - from).unwrap_or(-scratch.directions[point]);
            let (sum, weights) = &mut scratch.suggested[parent];
            *sum += (from.coords + direction * self.lengths[point]) * weight;
            *weights += weight;
        }
    }

    /// Backward reaching, from the root to the ends: restores the lengths.
    pub(super) fn outward(&self, base: Point3<f64>, scratch: &mut Scratch) {
        for &point in &self.order {
            let Some(parent) = self.parents[point] else {
                scratch.points[point] = base;
                continue;
            };
            let from = scratch.points[parent];
            let direction = unit(scratch.points[point] - from).unwrap_or(scratch.directions[point]);
            scratch.directions[point] = direction;
            scratch.points[point] = from + direction * self.lengths[point];
        }
    }
}

/// The direction of a vector; `None` where it has none.
fn unit(vector: Vector3<f64>) -> Option<Vector3<f64>> {
    vector.try_normalize(1e-150)
}
