//! A complete solve: accelerated or plain cycles until the tip is at the target, bends out of straight lines, the outcome.

use std::f64::consts::FRAC_2_PI;

use nalgebra::SVector;

use super::passes::{first_axis, line, unit};
use super::{Options, Outcome, PointChain, Problem, ProblemError, Reason, Root, Solution};
use crate::skeleton::anderson::Anderson;

/// Ridge of the Anderson acceleration, as a fraction of the trace. It keeps the equations regular as the steps become parallel.
const RIDGE: f64 = 1e-10;
/// A chain that has stalled lies in a line with its target if no point is farther from the line than this fraction of the reach.
const LINE: f64 = 1e-6;
/// Largest height of the first arc into which such a chain is bent, as a fraction of the reach. Each further one is twice as
/// high.
const BEND: f64 = 1e-2;
/// Largest number of bends.
const BENDS: u32 = 5;

/// Scratch memory of a solve. Made by [`PointChain::scratch`], allocated there once. It fits any chain of as many segments,
/// with the same acceleration or none. Its contents never change an answer.
#[derive(Debug, Clone)]
pub struct Scratch<const D: usize> {
    /// The configurations before and after a cycle.
    current: Vec<SVector<f64, D>>,
    image: Vec<SVector<f64, D>>,
    /// The accelerated configuration.
    mixed: Vec<SVector<f64, D>>,
    /// The three once more, as plain numbers, without the root.
    flat: [Vec<f64>; 3],
    anderson: Anderson,
}

impl<const D: usize> Scratch<D> {
    /// Number of points that it fits.
    pub(super) fn count(&self) -> usize {
        self.current.len()
    }

    /// Number of differences for Anderson acceleration.
    pub(super) fn depth(&self) -> usize {
        self.anderson.depth()
    }

    /// Writes the configuration extrapolated from the last few cycles into `mixed`. Returns whether there is one.
    fn mix(&mut self, chain: &PointChain<D>) -> bool {
        let [x, image, next] = &mut self.flat;
        flatten(&self.current, x);
        flatten(&self.image, image);
        if !self.anderson.mix(x, image, next) {
            return false;
        }
        self.mixed[0] = self.image[0];
        for (point, numbers) in self.mixed[1..].iter_mut().zip(next.chunks_exact(D)) {
            point.copy_from_slice(numbers);
        }
        chain.restore_lengths(&mut self.mixed, &self.image);
        true
    }
}

/// Writes all points but the root into `numbers`.
fn flatten<const D: usize>(points: &[SVector<f64, D>], numbers: &mut [f64]) {
    for (point, numbers) in points[1..].iter().zip(numbers.chunks_exact_mut(D)) {
        numbers.copy_from_slice(point.as_slice());
    }
}

/// Where the two ends of the chain belong.
struct Ends<const D: usize> {
    root: SVector<f64, D>,
    target: SVector<f64, D>,
}

/// How far a solve went.
#[derive(Default)]
struct Taken {
    cycles: usize,
    mixed: usize,
    stalled: bool,
}

impl<const D: usize> PointChain<D> {
    /// Scratch memory for this chain and the [`Options::acceleration`] of `options`.
    #[must_use]
    pub fn scratch(&self, options: &Options) -> Scratch<D> {
        let points = || vec![SVector::zeros(); self.segments() + 1];
        let (numbers, depth) = (D * self.segments(), options.acceleration);
        let flat = || vec![0.0; if depth > 0 { numbers } else { 0 }];
        Scratch {
            current: points(),
            image: points(),
            mixed: points(),
            flat: [flat(), flat(), flat()],
            anderson: Anderson::new(numbers, depth, RIDGE),
        }
    }

    /// Moves the tip to the problem's target and the root to its place, from the problem's points. Allocates nothing; the same
    /// problem gives the same bits.
    ///
    /// A configuration that already has its root in place, its tip at the target within the tolerance and segments of their lengths
    /// is returned unchanged. A target out of reach, or within the tolerance of the limits of the reach, gets the straight
    /// configuration that is nearest to it. Otherwise cycles are taken until the tip is at the target, has stalled, or the cycles
    /// are used up; see the [module](super) for how.
    ///
    /// # Errors
    /// [`ProblemError`] where the problem, the scratch or the memory for the answer do not fit this chain; `solution` is then
    /// left as it was. A target that is not reached is not an error but an [`Outcome`].
    pub fn solve(
        &self,
        problem: &Problem<D>,
        scratch: &mut Scratch<D>,
        solution: &mut Solution<D>,
    ) -> Result<(), ProblemError> {
        self.check(problem, scratch, solution)?;
        scratch.current.copy_from_slice(problem.points);
        let mut taken = Taken::default();
        let place = match problem.root {
            Root::Fixed => Some(problem.points[0]),
            Root::At(place) => Some(place),
            Root::Free => None,
        };
        let ends = Ends { root: place.unwrap_or(problem.points[0]), target: problem.target };
        let options = &problem.options;
        let valid = scratch.current[0] == ends.root && self.lengths_hold(&scratch.current);
        if valid && self.distance(&ends, &scratch.current) <= options.tolerance {
            // Solved as it is.
        } else if place.is_none() {
            self.forward(&ends.target, &mut scratch.current);
        } else if !self.lay_nearest(&ends, options.tolerance, &mut scratch.current) {
            taken = self.iterate(&ends, options, valid, scratch);
        }
        self.judge(&ends, options, &taken, &scratch.current, solution);
        Ok(())
    }

    /// Distance between tip and target.
    fn distance(&self, ends: &Ends<D>, points: &[SVector<f64, D>]) -> f64 {
        (points[self.segments()] - ends.target).norm()
    }

    /// Lays the chain straight where the target is beyond the limits of its reach, or nearer to them than the tolerance. Returns
    /// whether it is. Cycles would get no nearer, or converge slowly to the straight chain.
    fn lay_nearest(&self, ends: &Ends<D>, tolerance: f64, points: &mut [SVector<f64, D>]) -> bool {
        let offset = ends.target - ends.root;
        let distance = offset.norm();
        let sign = if distance >= self.reach.outer - tolerance {
            1.0
        } else if distance <= self.reach.inner + tolerance && self.reach.inner > 0.0 {
            -1.0
        } else {
            return false;
        };
        let tip = points[self.segments()] - points[0];
        let direction = unit(&offset).or_else(|| unit(&tip)).unwrap_or_else(first_axis);
        self.lay(&ends.root, &direction, sign, points);
        true
    }

    /// Takes cycles from `current`, whose points are a configuration with its root in place if `valid`, until the tip is at the
    /// target or there is no progress.
    fn iterate(&self, ends: &Ends<D>, options: &Options, valid: bool, scratch: &mut Scratch<D>) -> Taken {
        let (mut taken, mut bends) = (Taken::default(), 0);
        scratch.anderson.reset();
        while taken.cycles < options.cycles {
            let before = scratch.current[self.segments()];
            let error = self.cycle(ends, options, &mut taken, scratch);
            if error <= options.tolerance {
                break;
            }
            let moved = (scratch.current[self.segments()] - before).norm();
            // Points that are no configuration may get their lengths without any motion of the tip.
            if moved <= options.stall && (valid || taken.cycles > 1) {
                let line = line(&scratch.current, &ends.target, LINE * self.reach.outer);
                let Some(direction) = line.filter(|_| bends < BENDS) else {
                    taken.stalled = true;
                    break;
                };
                let height = f64::from(1 << bends) * self.bend_height(error);
                self.bend(&direction, height, &mut scratch.current);
                scratch.anderson.reset();
                bends += 1;
            }
        }
        taken
    }

    /// Height of the arc of a sine that is longer than its chord by `error`, but limited to a small height.
    fn bend_height(&self, error: f64) -> f64 {
        (FRAC_2_PI * (self.reach.outer * error).sqrt()).min(BEND * self.reach.outer)
    }

    /// One cycle from `current` to `current`. Returns the distance between tip and target after it.
    fn cycle(&self, ends: &Ends<D>, options: &Options, taken: &mut Taken, scratch: &mut Scratch<D>) -> f64 {
        taken.cycles += 1;
        scratch.image.copy_from_slice(&scratch.current);
        self.forward(&ends.target, &mut scratch.image);
        if options.circles {
            if self.backward_to_circle(&ends.root, &mut scratch.image) {
                std::mem::swap(&mut scratch.current, &mut scratch.image);
                return 0.0;
            }
        } else {
            self.backward(&ends.root, &mut scratch.image);
        }
        let plain = self.distance(ends, &scratch.image);
        if plain > options.tolerance && options.acceleration > 0 && scratch.mix(self) {
            let mixed = self.distance(ends, &scratch.mixed);
            if mixed < plain {
                std::mem::swap(&mut scratch.current, &mut scratch.mixed);
                taken.mixed += 1;
                return mixed;
            }
        }
        std::mem::swap(&mut scratch.current, &mut scratch.image);
        plain
    }

    /// Writes the answer: the configuration, and whether it solves the problem.
    fn judge(
        &self,
        ends: &Ends<D>,
        options: &Options,
        taken: &Taken,
        points: &[SVector<f64, D>],
        solution: &mut Solution<D>,
    ) {
        solution.points.copy_from_slice(points);
        (solution.cycles, solution.mixed) = (taken.cycles, taken.mixed);
        solution.distance = self.distance(ends, points);
        solution.outcome = Outcome::of(solution.distance, options.tolerance, || {
            let certain = self.reach.refuses((ends.target - ends.root).norm(), 0.0);
            certain.unwrap_or(if taken.stalled { Reason::Stalled } else { Reason::NotConverged })
        });
    }
}
