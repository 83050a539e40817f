//! A complete solve: cycles until they make no progress, attempts, the outcome.

use nalgebra::{Isometry3, Quaternion, Unit, UnitQuaternion, Vector4};

use super::joint::LIMITED;
use super::moments::Moments;
use super::passes::State;
use super::{InputError, LimitedChain, Options, Outcome, Problem, Reason, Solution};
use crate::pseudorandom;
use crate::skeleton::anderson::Anderson;

/// An attempt has stalled when the distance has not fallen by one percent in this many cycles.
const PATIENCE: usize = 12;
/// The share to which the distance must have fallen in that time.
const PROGRESS: f64 = 0.99;
/// Ridge of the Anderson acceleration, as a fraction of the trace. It keeps the equations regular as the steps become parallel.
const RIDGE: f64 = 1e-10;
/// An accelerated quaternion that is shorter is not a rotation.
const LEAST_NORM: f64 = 1e-3;

/// Scratch memory of a solve. Made by [`LimitedChain::scratch`], allocated there once. It fits any chain of as many joints,
/// with the same acceleration or none. Its contents never change an answer.
#[derive(Debug, Clone)]
pub struct Scratch {
    /// The configurations before and after a cycle.
    pub(super) current: State,
    image: State,
    /// The accelerated configuration.
    mixed: State,
    /// The closest configuration so far.
    best: State,
    /// The rotations of the first three once more, as plain numbers.
    flat: [Vec<f64>; 3],
    anderson: Anderson,
    /// Sums over the points on one side of each.
    pub(super) sums: Vec<Moments>,
}

impl Scratch {
    /// Number of differences for Anderson acceleration.
    pub(super) fn depth(&self) -> usize {
        self.anderson.depth()
    }

    /// Number of joints that it fits.
    pub(super) fn joints(&self) -> usize {
        self.current.rotations.len()
    }
}

impl LimitedChain {
    /// Scratch memory for this chain and the [`Options::acceleration`] of `options`.
    #[must_use]
    pub fn scratch(&self, options: &Options) -> Scratch {
        let Solution { rotations, frames, points, limited, .. } = self.solution();
        let (numbers, depth) = (4 * rotations.len(), options.acceleration);
        let flat = || vec![0.0; if depth > 0 { numbers } else { 0 }];
        let sums = vec![Moments::default(); points.len()];
        let state = State { rotations, frames, points, limited };
        let [current, image, mixed, best] = [state.clone(), state.clone(), state.clone(), state];
        let flat = [flat(), flat(), flat()];
        Scratch { current, image, mixed, best, flat, anderson: Anderson::new(numbers, depth, RIDGE), sums }
    }

    /// Moves the tip to the problem's target, from its seed. It allocates nothing, and the same problem gives the same bits.
    ///
    /// An attempt ends when the target is met, or when 12 cycles have not brought the tip nearer by one percent; the next one
    /// starts from a configuration scattered within the limits. The closest configuration after any cycle counts. Every
    /// limit holds in the answer, to rounding, and all lengths do. A seed whose tip is at the target already, and whose
    /// limits hold, is returned unchanged.
    ///
    /// # Errors
    /// [`InputError`] where the problem, the scratch or the memory for the answer do not fit this chain; `solution` is then
    /// left as it was. A target that is not reached is not an error but an [`Outcome`].
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), InputError> {
        self.check(problem, scratch, solution)?;
        let options = &problem.options;
        let out_of_reach = self.out_of_reach(problem);
        // Another start does not help where the target is out of reach.
        let restarts = if out_of_reach.is_some() { 0 } else { options.restarts };
        let (mut best, mut left) = (f64::INFINITY, options.iterations);
        for attempt in 0..=restarts {
            solution.restarts = attempt;
            self.start(attempt, problem, &mut scratch.current);
            self.attempt(problem, (&mut best, &mut left), scratch);
            if best <= options.tolerance || left == 0 {
                break;
            }
        }
        solution.rotations.copy_from_slice(&scratch.best.rotations);
        solution.frames.copy_from_slice(&scratch.best.frames);
        solution.points.copy_from_slice(&scratch.best.points);
        solution.limited.copy_from_slice(&scratch.best.limited);
        (solution.distance, solution.iterations) = (best, options.iterations - left);
        solution.outcome = Outcome::of(best, options.tolerance, || {
            let limits = if solution.limited.contains(&true) { Reason::Limits } else { Reason::NotConverged };
            out_of_reach.unwrap_or(limits)
        });
        Ok(())
    }

    /// If the target is certainly out of reach, the reason.
    fn out_of_reach(&self, problem: &Problem) -> Option<Reason> {
        let distance = (problem.target.coords - problem.root.translation.vector).norm();
        self.reach.refuses(distance, problem.options.tolerance)
    }

    /// The configuration from which an attempt starts: the seed, or one scattered within the limits.
    pub(super) fn start(&self, attempt: usize, problem: &Problem, state: &mut State) {
        for (index, joint) in self.joints.iter().enumerate() {
            let seed = &problem.seed[index];
            let wish = if attempt == 0 {
                *seed
            } else {
                joint.sample([0, 1, 2].map(|number| pseudorandom::fraction(attempt, 3 * index + number)))
            };
            let allowed = joint.nearest(&wish);
            // Decomposing and composing a rotation changes its last digits.
            state.limited[index] = allowed.angle_to(&wish) > LIMITED;
            state.rotations[index] = if state.limited[index] { allowed } else { wish };
        }
        self.place(&problem.root, state);
    }

    /// Cycles until the target is met or there is no progress. Keeps the closest configuration.
    fn attempt(&self, problem: &Problem, (best, left): (&mut f64, &mut usize), scratch: &mut Scratch) {
        let tolerance = problem.options.tolerance;
        scratch.anderson.reset();
        let (mut lowest, mut cycles) = (f64::INFINITY, 0);
        loop {
            let distance = scratch.current.distance(&problem.target);
            if distance < *best {
                *best = distance;
                scratch.best.copy_from(&scratch.current);
            }
            cycles += 1;
            if distance < PROGRESS * lowest {
                (lowest, cycles) = (distance, 0);
            }
            if distance <= tolerance || *left == 0 || cycles >= PATIENCE {
                return;
            }
            self.advance(problem, scratch);
            *left -= 1;
        }
    }

    /// One cycle from `current` to `current`, accelerated where that brings the tip nearer.
    pub(super) fn advance(&self, problem: &Problem, scratch: &mut Scratch) {
        let Scratch { current, image, sums, .. } = scratch;
        image.copy_from(current);
        self.cycle(&problem.target, &problem.root, image, sums);
        let mix = problem.options.acceleration > 0 && self.mix(&problem.root, scratch);
        let Scratch { current, image, mixed, .. } = scratch;
        let next = if mix && mixed.distance(&problem.target) < image.distance(&problem.target) { mixed } else { image };
        std::mem::swap(current, next);
    }

    /// Writes the configuration extrapolated from the last few cycles into `mixed`, moved to what the limits allow. Returns whether
    /// there is one.
    fn mix(&self, root: &Isometry3<f64>, scratch: &mut Scratch) -> bool {
        let Scratch { current, image, mixed, flat: [x, g, next], anderson, .. } = scratch;
        // A quaternion and its opposite are one rotation, but far apart as numbers.
        for (rotation, before) in image.rotations.iter_mut().zip(&current.rotations) {
            *rotation = on_the_side_of(before, *rotation);
        }
        flatten(&current.rotations, x);
        flatten(&image.rotations, g);
        if !anderson.mix(x, g, next) {
            return false;
        }
        for (index, joint) in self.joints.iter().enumerate() {
            let numbers = &next[4 * index..4 * index + 4];
            let wish = Unit::try_new(Quaternion::from(Vector4::from_column_slice(numbers)), LEAST_NORM);
            let Some(wish) = wish else { return false };
            let allowed = on_the_side_of(&image.rotations[index], joint.nearest(&wish));
            mixed.limited[index] = image.limited[index] || allowed.angle_to(&wish) > LIMITED;
            mixed.rotations[index] = allowed;
        }
        self.place(root, mixed);
        true
    }
}

/// Of the two quaternions that are one rotation, the one nearer to `other`.
fn on_the_side_of(other: &UnitQuaternion<f64>, rotation: UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    if other.coords.dot(&rotation.coords) < 0.0 {
        UnitQuaternion::new_unchecked(-rotation.into_inner())
    } else {
        rotation
    }
}

/// Writes the quaternions into `numbers`.
fn flatten(rotations: &[UnitQuaternion<f64>], numbers: &mut [f64]) {
    for (rotation, numbers) in rotations.iter().zip(numbers.chunks_exact_mut(4)) {
        numbers.copy_from_slice(rotation.coords.as_slice());
    }
}
