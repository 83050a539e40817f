//! A whole solve: cycles until they lead no further, attempts, the verdict.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::super::scatter;
use super::{InputError, LimitedChain, Outcome, Problem, Reason, Solution};

/// An attempt has stalled when the distance has not fallen by a hundredth in this many cycles.
const PATIENCE: usize = 12;
/// What the distance must have come down to in that time to count as fallen.
const PROGRESS: f64 = 0.99;
/// A rotation that differs by more than this \[rad\] from what was asked for was limited.
const LIMITED: f64 = 1e-9;

/// Where the segments of a chain are.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub rotations: Vec<UnitQuaternion<f64>>,
    pub frames: Vec<UnitQuaternion<f64>>,
    pub points: Vec<Point3<f64>>,
    pub limited: Vec<bool>,
}

impl State {
    fn copy_from(&mut self, other: &Self) {
        self.rotations.copy_from_slice(&other.rotations);
        self.frames.copy_from_slice(&other.frames);
        self.points.copy_from_slice(&other.points);
        self.limited.copy_from_slice(&other.limited);
    }

    fn distance(&self, target: &Point3<f64>) -> f64 {
        self.points.last().map_or(f64::INFINITY, |tip| (tip - target).norm())
    }
}

/// What a solve works in. Made by [`LimitedChain::scratch`], allocated there once, and of use to any chain of as many joints. No
/// answer depends on what is left in it.
#[derive(Debug, Clone)]
pub struct Scratch {
    pub(super) current: State,
    /// The closest posture so far.
    best: State,
}

impl Scratch {
    /// Number of joints that it has room for.
    pub(super) fn joints(&self) -> usize {
        self.current.rotations.len()
    }
}

impl LimitedChain {
    /// Scratch for this chain, to keep and reuse.
    #[must_use]
    pub fn scratch(&self) -> Scratch {
        let Solution { rotations, frames, points, limited, .. } = self.solution();
        let state = State { rotations, frames, points, limited };
        Scratch { current: state.clone(), best: state }
    }

    /// Moves the tip to the problem's target, from its seed. Allocates nothing; the same problem gives the same bits.
    ///
    /// An attempt ends when the target is met, or when 12 cycles have not brought the tip nearer by a hundredth; the next one
    /// starts from a posture scattered within the limits. The closest posture after any cycle counts. Every
    /// limit holds in the answer, to rounding, and all lengths do. A seed whose tip is at the target already, and whose
    /// limits hold, is given back as it is.
    ///
    /// # Errors
    /// [`InputError`] where the problem, the scratch or the room for the answer do not fit this chain; `solution` is then
    /// left as it was. A target that is not reached is no error but an [`Outcome`].
    pub fn solve(&self, problem: &Problem, scratch: &mut Scratch, solution: &mut Solution) -> Result<(), InputError> {
        self.check(problem, scratch, solution)?;
        let Problem { target, root, options, .. } = problem;
        let out_of_reach = self.out_of_reach(problem);
        // Another start leads no further where the end cannot be reached from any.
        let restarts = if out_of_reach.is_some() { 0 } else { options.restarts };
        let (mut best, mut left) = (f64::INFINITY, options.iterations);
        for attempt in 0..=restarts {
            solution.restarts = attempt;
            self.start(attempt, problem, &mut scratch.current);
            self.attempt(target, root, options.tolerance, (&mut best, &mut left), scratch);
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

    /// Why the target is certainly out of reach, where it is.
    fn out_of_reach(&self, problem: &Problem) -> Option<Reason> {
        let distance = (problem.target.coords - problem.root.translation.vector).norm();
        self.reach.refuses(distance, problem.options.tolerance)
    }

    /// The posture from which an attempt starts: the seed, or one scattered within the limits.
    pub(super) fn start(&self, attempt: usize, problem: &Problem, state: &mut State) {
        for (index, joint) in self.joints.iter().enumerate() {
            let seed = &problem.seed[index];
            let wish = if attempt == 0 {
                *seed
            } else {
                joint.sample([0, 1, 2].map(|number| scatter::fraction(attempt, 3 * index + number)))
            };
            let allowed = joint.outward(&wish);
            // Taking a rotation apart and putting it together again changes its last digits.
            state.limited[index] = allowed.angle_to(&wish) > LIMITED;
            state.rotations[index] = if state.limited[index] { allowed } else { wish };
        }
        self.place(&problem.root, state);
    }

    /// Forward kinematics: frames and points of the rotations.
    fn place(&self, root: &Isometry3<f64>, state: &mut State) {
        let (mut frame, mut end) = (root.rotation, Point3::from(root.translation.vector));
        state.points[0] = end;
        for (index, joint) in self.joints.iter().enumerate() {
            frame = product(&product(&frame, &joint.rest), &state.rotations[index]);
            end += frame * Vector3::x() * self.lengths[index];
            (state.frames[index], state.points[index + 1]) = (frame, end);
        }
    }

    /// Cycles until the target is met or there is no progress. Keeps the closest posture.
    fn attempt(
        &self,
        target: &Point3<f64>,
        root: &Isometry3<f64>,
        tolerance: f64,
        (best, left): (&mut f64, &mut usize),
        scratch: &mut Scratch,
    ) {
        let (mut lowest, mut cycles) = (f64::INFINITY, 0);
        loop {
            let distance = scratch.current.distance(target);
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
            self.cycle(target, root, &mut scratch.current);
            *left -= 1;
        }
    }

    /// One cycle, after which every limit holds.
    pub(super) fn cycle(&self, target: &Point3<f64>, root: &Isometry3<f64>, state: &mut State) {
        self.inward(target, state);
        self.outward(root, state);
    }

    /// Forward reaching: segments from the tip inward, each within the limits of the joint at its outer end.
    pub(super) fn inward(&self, target: &Point3<f64>, state: &mut State) {
        let mut end = *target;
        for index in (0..self.joints.len()).rev() {
            let mut frame = aligned(&state.frames[index], &(end - state.points[index]));
            if let (Some(joint), Some(after)) = (self.joints.get(index + 1), state.frames.get(index + 1)) {
                let wish = (frame * joint.rest).inverse() * after;
                frame = product(after, &(joint.rest * joint.inward(&wish)).inverse());
            }
            state.points[index + 1] = end;
            end -= frame * Vector3::x() * self.lengths[index];
            state.frames[index] = frame;
        }
        state.points[0] = end;
    }

    /// Backward reaching: segments from the root outward, each within the limits of the joint at its inner end.
    pub(super) fn outward(&self, root: &Isometry3<f64>, state: &mut State) {
        let (mut frame, mut end) = (root.rotation, Point3::from(root.translation.vector));
        state.points[0] = end;
        for (index, joint) in self.joints.iter().enumerate() {
            let wish = aligned(&state.frames[index], &(state.points[index + 1] - end));
            let base = product(&frame, &joint.rest);
            let wish = base.inverse() * wish;
            let allowed = joint.outward(&wish);
            state.limited[index] = allowed.angle_to(&wish) > LIMITED;
            frame = product(&base, &allowed);
            end += frame * Vector3::x() * self.lengths[index];
            (state.rotations[index], state.frames[index], state.points[index + 1]) = (allowed, frame, end);
        }
    }
}

/// `frame` turned the short way until its x axis has the direction of `along`; as it is where `along` has none.
fn aligned(frame: &UnitQuaternion<f64>, along: &Vector3<f64>) -> UnitQuaternion<f64> {
    let Some(direction) = along.try_normalize(1e-150) else { return *frame };
    let axis = frame * Vector3::x();
    let scalar = 1.0 + axis.dot(&direction);
    if scalar < 1e-12 {
        // Straight back, where every way is as short: about z.
        return frame * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
    }
    let vector = axis.cross(&direction);
    product(&UnitQuaternion::new_normalize(Quaternion::from_parts(scalar, vector)), frame)
}

/// The product of two rotations, normalised, so that rounding does not add up along a chain.
fn product(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(a.into_inner() * b.into_inner())
}
