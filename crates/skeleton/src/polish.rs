//! The end of an attempt whose cycles have stalled: damped least squares on all joints, within their limits.
//!
//! A cycle moves the joints one by one, so that limits can block it although a solution exists. Here all move at once.
//! Each step minimises |J step - error|² + λ |step|² (Levenberg 1944; Marquardt 1963) over the motions that keep the
//! limits which the error presses on. Rotations that leave theirs all the same are moved back, and the step is taken if
//! the targets are nearer then. λ shrinks with every step taken and grows with every one refused.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::cycle::CycleScratch;
use super::joint::{LIMITED, Limit};
use super::least_squares::LeastSquares;
use super::motion::three;
use super::setup::Setup;
use super::state::{Aims, State};
use urdf_ik_mathematics::spatial::rotation_vector;

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
/// That share where some targets are out of reach, which come nearer slowly: 0.95 tells which of many attempts comes nearest in a third of
/// the time that 0.999 takes.
const PROGRESS_WITH_FAR: f64 = 0.95;
/// That share where the answer has to be as near as it leads to.
const FINE_PROGRESS_WITH_FAR: f64 = 0.999;
/// Number of times that a step is found anew because joints met limits on the way.
const ROUNDS: usize = 4;
/// Weight of targets out of reach beside those that may be met.
const FAR_WEIGHT: f64 = 1e-4;
/// A figure that is dragged is calm where no segment turns by more than this \[rad\].
const CALM_TURN: f64 = 0.5;

/// How far a polish goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Polish {
    /// As far as shows which of many attempts comes nearest.
    Nearly,
    /// To where it ends.
    Fully,
    /// To where it ends, but no segment turns by more than [`CALM_TURN`].
    Calmly,
}

impl Setup<'_> {
    /// Steps from `current` until the targets are met or there is no progress. Takes from `left` one for each step.
    /// Targets out of reach come as near as those that may be met allow. Returns whether it could have gone on but for
    /// the turn of a segment.
    pub(super) fn polish(
        &self,
        aims: &Aims,
        kind: Polish,
        current: &mut State,
        (cycle, scratch): (&mut CycleScratch, &mut LeastSquares),
        left: &mut usize,
    ) -> bool {
        let far = aims.far.iter().flatten().count();
        let are_mixed = 0 < far && far < aims.far.len();
        let far_weight = if are_mixed { FAR_WEIGHT } else { f64::from(far > 0) };
        let (next, start) = cycle.spares();
        start.copy_from(current);
        let mut is_held = self.descend((aims, far_weight), kind, (start, current, next), scratch, left);
        if are_mixed {
            // Those out of reach have drawn the others away a little.
            is_held |= self.descend((aims, 0.0), kind, (start, current, next), scratch, left);
        }
        is_held
    }

    fn descend(
        &self,
        (aims, far_weight): (&Aims, f64),
        kind: Polish,
        (start, current, next): (&State, &mut State, &mut State),
        scratch: &mut LeastSquares,
        left: &mut usize,
    ) -> bool {
        let unit = self.skeleton.total_length().powi(2);
        let progress = match kind {
            _ if far_weight == 0.0 => PROGRESS,
            Polish::Nearly => PROGRESS_WITH_FAR,
            Polish::Fully | Polish::Calmly => FINE_PROGRESS_WITH_FAR,
        };
        // What is left at best of targets out of reach is no cost that can fall.
        let targets = aims.weights.iter().zip(&aims.far);
        let least: f64 = targets.filter_map(|(weight, far)| Some(weight * far_weight * far.as_ref()?.1.powi(2))).sum();
        let mut damping = FIRST_DAMPING;
        let mut cost = self.linearise(aims, far_weight, current, scratch);
        let (mut lowest, mut steps, mut is_held) = (cost, 0, false);
        while *left > 0 && steps < PATIENCE && damping < MOST_DAMPING && !self.is_done(aims, far_weight, current) {
            (*left, steps) = (*left - 1, steps + 1);
            self.find_limits(aims, current, scratch, &mut next.limited);
            current.limited.copy_from_slice(&next.limited);
            scratch.step.fill(0.0);
            for _ in 0..ROUNDS {
                scratch.minimise((self.skeleton, &current.points), damping * unit);
                if !self.take(current, scratch, next) {
                    break;
                }
            }
            self.skeleton.place_into(&next.rotations, &mut next.points, &mut next.orientations);
            let after = self.linearise(aims, far_weight, next, scratch);
            let turns = kind == Polish::Calmly && !next.is_calm(start);
            is_held |= turns && after < cost;
            if after < cost && !turns {
                std::mem::swap(current, next);
                (cost, damping) = (after, (damping * AFTER_SUCCESS).max(LEAST_DAMPING));
                if cost - least < progress * (lowest - least) {
                    (lowest, steps) = (cost, 0);
                }
            } else {
                damping *= AFTER_FAILURE;
                self.linearise(aims, far_weight, current, scratch);
            }
        }
        is_held
    }

    fn is_done(&self, aims: &Aims, far_weight: f64, state: &State) -> bool {
        let errors = self.errors(aims, state);
        if far_weight > 0.0 { errors.are_met() } else { errors.near_is_met() }
    }

    /// Writes the errors of the targets, those out of reach by `far_weight`, and returns the sum of their squares.
    fn linearise(&self, aims: &Aims, far_weight: f64, state: &State, scratch: &mut LeastSquares) -> f64 {
        let LeastSquares { errors, weights, .. } = scratch;
        errors.fill(0.0);
        weights.fill(0.0);
        for (index, target) in self.problem.targets.iter().enumerate() {
            let (point, share) = (target.point, if aims.far[index].is_some() { far_weight } else { 1.0 });
            let weight = (aims.weights[index] * share).sqrt();
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
    fn find_limits(&self, aims: &Aims, state: &State, least_squares: &mut LeastSquares, limited: &mut [bool]) {
        least_squares.find_descent((self.skeleton, &state.points));
        least_squares.root_is_free = self.root.is_none();
        let z = Vector3::z();
        let everywhere = if self.skeleton.is_planar() { z * z.transpose() } else { Matrix3::identity() };
        least_squares.projectors[0] = if self.root.is_none() { everywhere } else { Matrix3::zeros() };
        for (segment, joint) in self.skeleton.joints.iter().enumerate() {
            if !aims.leads[segment + 1] {
                (least_squares.projectors[segment + 1], limited[segment]) = (Matrix3::zeros(), false);
                continue;
            }
            let base = base(state, segment, self);
            let push = base.inverse() * three(&least_squares.gradient, 3 * (segment + 1));
            let allowed = joint.allowed(&state.rotations[segment], &push);
            least_squares.projectors[segment + 1] = match joint.limit {
                Limit::Free => everywhere,
                _ => in_frame(&base, &allowed.projector),
            };
            limited[segment] = allowed.is_limited;
        }
    }

    /// Writes the rotations after the step into `next`. A joint that meets a limit stays there: its part of the step is
    /// what it can do. Returns whether there is a new one, for which the others should make up.
    fn take(&self, state: &State, least_squares: &mut LeastSquares, next: &mut State) -> bool {
        next.points[0] = state.points[0] + three(&least_squares.step, 3 * state.points.len());
        next.orientations[0] = UnitQuaternion::from_scaled_axis(three(&least_squares.step, 0)) * state.orientations[0];
        let mut any_is_new = false;
        for (segment, joint) in self.skeleton.joints.iter().enumerate() {
            let (step, before) = (three(&least_squares.step, 3 * (segment + 1)), &state.rotations[segment]);
            if step == Vector3::zeros() {
                next.rotations[segment] = *before;
                continue;
            }
            let (base, point) = (base(state, segment, self), segment + 1);
            let turn = base.inverse() * step;
            let wish = UnitQuaternion::from_scaled_axis(turn) * before;
            let allowed = joint.nearest(&wish);
            next.rotations[segment] = allowed;
            if allowed.angle_to(&wish) <= LIMITED {
                continue;
            }
            let possible = rotation_vector(&(allowed * before.inverse()));
            least_squares.step.fixed_rows_mut::<3>(3 * point).copy_from(&(base * possible));
            let left = joint.allowed(&allowed, &(turn - possible));
            least_squares.projectors[point] = in_frame(&base, &left.projector);
            (next.limited[segment], any_is_new) = (true, true);
        }
        any_is_new
    }
}

impl State {
    /// Whether no segment has turned far from where it was before.
    fn is_calm(&self, before: &Self) -> bool {
        let mut turns = self.orientations.iter().zip(&before.orientations);
        turns.all(|(orientation, before)| orientation.angle_to(before) <= CALM_TURN)
    }
}

/// A projector of vectors in a frame as one of vectors in the common frame.
fn in_frame(frame: &UnitQuaternion<f64>, projector: &Matrix3<f64>) -> Matrix3<f64> {
    let turn = frame.to_rotation_matrix().into_inner();
    turn * projector * turn.transpose()
}

/// The frame of a joint.
fn base(state: &State, segment: usize, setup: &Setup) -> UnitQuaternion<f64> {
    state.orientations[setup.skeleton.parents[segment]] * setup.skeleton.joints[segment].rest
}
