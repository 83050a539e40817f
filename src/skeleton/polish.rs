//! The end of an attempt whose cycles have stalled: damped least squares on the rotations of the joints, within their limits.
//!
//! A cycle moves the joints one by one, so that limits can block it although a solution exists. Here all move at once. Each step minimises
//! |J step - error|² + λ |step|² (Levenberg 1944; Marquardt 1963) over the motions that leave the limits in peace which the error presses on. Rotations
//! that leave their limits all the same are moved back, and the step is taken if the targets are nearer then. λ shrinks with every step taken and
//! grows with every one refused.

use nalgebra::{DVector, Matrix3, UnitQuaternion, Vector3};

use super::cycle::CycleScratch;
use super::joint::{LIMITED, Limit};
use super::least_squares::{LeastSquares, Linear};
use super::search::Search;
use super::state::{Aims, State};
use crate::spatial::rotation_vector;

/// λ of the first step, as a fraction of the squared length of the skeleton.
const FIRST_DAMPING: f64 = 1e-3;
const LEAST_DAMPING: f64 = 1e-12;
const MOST_DAMPING: f64 = 1e3;
/// Factors of λ after a step that is taken, and one that is refused.
const AFTER_SUCCESS: f64 = 0.1;
const AFTER_FAILURE: f64 = 4.0;
/// Steps end when this many have not brought the cost to a share.
const PATIENCE: usize = 6;
const PROGRESS: f64 = 0.8;
/// The same where some targets are out of reach: most of the cost stays then.
const PROGRESS_WITH_FAR: f64 = 0.999;
/// Number of times that a step is found anew because joints met limits on the way.
const ROUNDS: usize = 4;
/// Weight of targets out of reach beside those that may be met.
const FAR_WEIGHT: f64 = 1e-4;

/// Scratch memory of the polish, an entry for each point.
#[derive(Debug, Clone)]
pub(super) struct PolishScratch {
    least_squares: LeastSquares,
    errors: DVector<f64>,
    weights: DVector<f64>,
}

impl PolishScratch {
    pub(super) fn new(segments: usize) -> Self {
        Self {
            least_squares: LeastSquares::new(segments + 1),
            errors: DVector::zeros(6 * (segments + 1)),
            weights: DVector::zeros(6 * (segments + 1)),
        }
    }
}

impl Search<'_> {
    /// Steps from `current` until the targets are met or there is no progress. Takes from `left` one for each step. Targets out of reach come
    /// as near as those that may be met allow.
    pub(super) fn polish(
        &self,
        aims: &Aims,
        current: &mut State,
        (cycle, scratch): (&mut CycleScratch, &mut PolishScratch),
        left: &mut usize,
    ) {
        let spare = cycle.spare();
        if !aims.any_is_far() {
            self.descend((aims, 0.0, PROGRESS), (current, spare), scratch, left);
        } else if aims.all_are_far() {
            self.descend((aims, 1.0, PROGRESS_WITH_FAR), (current, spare), scratch, left);
        } else {
            self.descend((aims, FAR_WEIGHT, PROGRESS_WITH_FAR), (current, spare), scratch, left);
            // Those out of reach have drawn the others away a little.
            self.descend((aims, 0.0, PROGRESS), (current, spare), scratch, left);
        }
    }

    fn descend(
        &self,
        (aims, far_weight, progress): (&Aims, f64, f64),
        (current, next): (&mut State, &mut State),
        scratch: &mut PolishScratch,
        left: &mut usize,
    ) {
        let unit = self.skeleton.total_length().powi(2);
        let mut damping = FIRST_DAMPING;
        let mut cost = self.linearise(aims, far_weight, current, scratch);
        let (mut lowest, mut steps) = (cost, 0);
        while *left > 0 && steps < PATIENCE && damping < MOST_DAMPING && !self.is_done(aims, far_weight, current) {
            (*left, steps) = (*left - 1, steps + 1);
            let PolishScratch { least_squares, errors, weights } = scratch;
            let linear = Linear { skeleton: self.skeleton, points: &current.points, weights, errors };
            self.find_limits(&linear, current, (least_squares, &mut next.limited));
            least_squares.step.fill(0.0);
            for _ in 0..ROUNDS {
                least_squares.minimise(&linear, damping * unit);
                if !self.take(current, least_squares, next) {
                    break;
                }
            }
            self.skeleton.place_into(&next.rotations, &mut next.points, &mut next.orientations);
            let after = self.linearise(aims, far_weight, next, scratch);
            if after < cost {
                std::mem::swap(current, next);
                (cost, damping) = (after, (damping * AFTER_SUCCESS).max(LEAST_DAMPING));
                if cost < progress * lowest {
                    (lowest, steps) = (cost, 0);
                }
            } else {
                damping *= AFTER_FAILURE;
                self.linearise(aims, far_weight, current, scratch);
            }
        }
    }

    fn is_done(&self, aims: &Aims, far_weight: f64, state: &State) -> bool {
        let errors = self.errors(aims, state);
        if far_weight > 0.0 { errors.are_met() } else { errors.near_is_met() }
    }

    /// Writes the weighted errors of the targets, and returns the sum of their squares. Those out of reach count by `far_weight`.
    fn linearise(&self, aims: &Aims, far_weight: f64, state: &State, scratch: &mut PolishScratch) -> f64 {
        let PolishScratch { errors, weights, .. } = scratch;
        errors.fill(0.0);
        weights.fill(0.0);
        for (index, target) in self.problem.targets.iter().enumerate() {
            let (point, share) = (target.point, if aims.far(index).is_some() { far_weight } else { 1.0 });
            let weight = (target.weight * share).sqrt();
            let linear = target.position - state.points[point];
            errors.fixed_rows_mut::<3>(6 * point).copy_from(&(linear * weight));
            weights.fixed_rows_mut::<3>(6 * point).fill(weight);
            if let Some(wish) = target.orientation {
                let angular = rotation_vector(&(wish * state.orientations[point].inverse()));
                errors.fixed_rows_mut::<3>(6 * point + 3).copy_from(&(angular * (weight * self.arm)));
                weights.fixed_rows_mut::<3>(6 * point + 3).fill(weight * self.arm);
            }
        }
        errors.norm_squared()
    }

    /// Writes what each joint may do without leaving a limit that the errors press on.
    fn find_limits(&self, linear: &Linear, state: &State, (least_squares, limited): (&mut LeastSquares, &mut [bool])) {
        least_squares.find_descent(linear);
        least_squares.root_is_free = self.root.is_none();
        let z = Vector3::z();
        let everywhere = if self.skeleton.is_planar() { z * z.transpose() } else { Matrix3::identity() };
        least_squares.projectors[0] = if self.root.is_none() { everywhere } else { Matrix3::zeros() };
        for (segment, joint) in self.skeleton.joints.iter().enumerate() {
            let base = base(state, segment, self);
            let push = base.inverse() * least_squares.torque(segment + 1);
            let allowed = joint.allowed(&state.rotations[segment], &push);
            least_squares.projectors[segment + 1] = match joint.limit {
                Limit::Free => everywhere,
                _ => in_frame(&base, &allowed.projector),
            };
            limited[segment] = allowed.is_limited;
        }
    }

    /// Writes the rotations after the step into `next`, moved back to their limits. A joint that meets a limit stays there: its part of the
    /// step is what it can do, and no more is allowed. Returns whether there is a new one, for which the others should make up.
    fn take(&self, state: &State, least_squares: &mut LeastSquares, next: &mut State) -> bool {
        next.points[0] = state.points[0] + least_squares.slide();
        next.orientations[0] = UnitQuaternion::from_scaled_axis(least_squares.turn(0)) * state.orientations[0];
        let mut any_is_new = false;
        for (segment, joint) in self.skeleton.joints.iter().enumerate() {
            let (base, point) = (base(state, segment, self), segment + 1);
            let turn = base.inverse() * least_squares.turn(point);
            let before = &state.rotations[segment];
            let wish = UnitQuaternion::from_scaled_axis(turn) * before;
            let allowed = joint.nearest(&wish);
            next.rotations[segment] = allowed;
            if allowed.angle_to(&wish) <= LIMITED {
                continue;
            }
            let possible = rotation_vector(&(allowed * before.inverse()));
            least_squares.set_turn(point, &(base * possible));
            let left = joint.allowed(&allowed, &(turn - possible));
            least_squares.projectors[point] = in_frame(&base, &left.projector);
            (next.limited[segment], any_is_new) = (true, true);
        }
        any_is_new
    }
}

/// A projector of vectors in a frame as one of vectors in the common frame.
fn in_frame(frame: &UnitQuaternion<f64>, projector: &Matrix3<f64>) -> Matrix3<f64> {
    let turn = frame.to_rotation_matrix().into_inner();
    turn * projector * turn.transpose()
}

/// The frame of a joint.
fn base(state: &State, segment: usize, search: &Search) -> UnitQuaternion<f64> {
    state.orientations[search.skeleton.parents[segment]] * search.skeleton.joints[segment].rest
}
