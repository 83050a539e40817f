//! The end of an attempt whose cycles have stalled: least squares on all joints at once, within their limits.
//!
//! A cycle moves the joints one by one, so that limits can block it although a solution exists. Here all move at once.
//! Each step minimises a model of the squared errors among the motions that are not too long and keep the limits which
//! the errors press on. Rotations that leave theirs all the same are moved back, and the step is taken if the targets
//! are nearer then. Steps may be longer after one that did what the model says, and have to be shorter after one that
//! did not (a trust region: Conn, Gould and Toint 2000).

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::cycle::CycleScratch;
use super::joint::LIMITED;
use super::least_squares::LeastSquares;
use super::motion::{Figure, three};
use super::posture::{Goals, Posture};
use super::setup::Setup;
use super::{Limit, Scratch};
use urdf_ik_mathematics::spatial::rotation_vector;

/// Length of the first step at most, as a root of a sum of squares \[rad\]. From half of it to twice as much, nothing
/// is faster by 5 %.
const FIRST_RADIUS: f64 = 1.0;
/// Shorter steps \[rad\] lead nowhere.
const MIN_RADIUS: f64 = 1e-6;
/// A step that gains a smaller share of what was predicted tells that the model is wrong.
const WRONG: f64 = 0.25;
/// A step that gains a greater share of what was predicted tells that the model is right.
const RIGHT: f64 = 0.75;
/// A step is idle that gains less of the squares than this share, times the number of steps so far, where it is one of many attempts. The
/// share grows because one that comes nearer by ever less, as towards a stretched arm, would go on for long.
const COARSE: f64 = 4e-3;
/// The share instead of [`COARSE`] where the answer has to be as near as it leads to.
const FINE: f64 = 1e-4;
/// So many idle steps in a row end it.
const IDLE: usize = 2;
/// A joint that loses less than this share of its step to its limits slides along them: the others need not make up.
const LOST: f64 = 0.3;
/// Number of times that a step is found anew because joints met limits on the way.
const ROUNDS: usize = 4;
/// Weight of targets out of reach beside those that may be met.
const FAR_WEIGHT: f64 = 1e-4;
/// A figure that is dragged is calm where no segment turns by more than this \[rad\].
const CALM_TURN: f64 = 0.5;

/// How far a polish goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Polish {
    /// As far as meets targets that can be met easily.
    Quickly,
    /// As far as shows which of many attempts comes nearest.
    Nearly,
    /// To where it ends.
    Fully,
    /// To where it ends, but no segment turns by more than [`CALM_TURN`].
    Calmly,
}

/// A polish of a problem whose targets out of reach have this weight.
struct Descent<'a> {
    setup: &'a Setup<'a>,
    goals: &'a Goals,
    /// Where it began.
    start: &'a Posture,
    kind: Polish,
    far_weight: f64,
}

impl Setup<'_> {
    /// Steps from the current configuration until the targets are met or there is no progress. Takes from `left` one
    /// for each step. Targets out of reach come as near as those that may be met allow. Returns whether it could have
    /// gone on but for the turn of a segment.
    pub(super) fn polish(&self, kind: Polish, scratch: &mut Scratch, left: &mut usize) -> bool {
        let Scratch { goals, current, cycle, polish, .. } = scratch;
        let far = goals.far.iter().flatten().count();
        let are_mixed = 0 < far && far < goals.far.len();
        let far_weight = if are_mixed { FAR_WEIGHT } else { f64::from(far > 0) };
        let (before, CycleScratch { mixed: next, image: start, .. }) = (*left, cycle);
        start.copy_from(current);
        next.copy_from(current);
        let descent = Descent { setup: self, goals, start, kind, far_weight };
        let mut is_held = descent.run([current, next], polish, left);
        if are_mixed {
            // Those out of reach have drawn the others away a little.
            let descent = Descent { far_weight: 0.0, ..descent };
            is_held |= descent.run([current, next], polish, left);
        }
        if *left < before {
            self.skeleton.place_into(0..self.skeleton.segment_count(), current);
        }
        is_held
    }
}

impl Descent<'_> {
    fn run(&self, [current, next]: [&mut Posture; 2], scratch: &mut LeastSquares, left: &mut usize) -> bool {
        let Self { setup: Setup { skeleton, .. }, goals, kind, .. } = self;
        let growth = if matches!(kind, Polish::Quickly | Polish::Nearly) { COARSE } else { FINE };
        // What is left at best of targets out of reach cannot fall.
        let targets = goals.weights.iter().zip(&goals.far);
        let least: f64 =
            targets.filter_map(|(weight, far)| Some(weight * self.far_weight * far.as_ref()?.1.powi(2))).sum();
        let (mut radius, mut share, mut idle, mut is_held) = (FIRST_RADIUS, 0.0, 0, false);
        let mut cost = self.linearise(current, scratch);
        scratch.bends = false;
        while *left > 0 && idle < IDLE && radius > MIN_RADIUS && !self.is_done(current) {
            *left -= 1;
            share += growth;
            let points = &current.points;
            let figure = Figure { points, parents: &skeleton.parents, leading: &goals.leading };
            scratch.begin(figure);
            self.find_limits(current, scratch, &mut next.limited);
            for _ in 0..ROUNDS {
                scratch.minimise(figure, radius);
                if !self.take(current, scratch, next) {
                    break;
                }
                scratch.renew(figure);
            }
            let (gain, length) = (scratch.gain(), scratch.step.norm());
            current.limited.copy_from_slice(&next.limited);
            skeleton.place_into(goals.leading.iter().copied(), next);
            let after = self.linearise(next, scratch);
            let turns = *kind == Polish::Calmly && !next.is_calm(self.start, &goals.leading);
            is_held |= turns && after < cost;
            if turns || gain <= 0.0 || cost - after < WRONG * gain {
                radius = WRONG * length.min(radius);
                scratch.bends |= *kind != Polish::Quickly;
            } else if cost - after > RIGHT * gain && length > RIGHT * radius {
                radius *= 2.0;
            }
            if after < cost && !turns {
                idle = if cost - after < share * (cost - least) { idle + 1 } else { 0 };
                cost = after;
                std::mem::swap(current, next);
            } else {
                idle += usize::from(turns);
                self.linearise(current, scratch);
            }
        }
        is_held
    }

    fn is_done(&self, posture: &Posture) -> bool {
        let errors = self.setup.errors(self.goals, posture);
        if self.far_weight > 0.0 { errors.are_met() } else { errors.near_is_met }
    }

    /// Writes the errors of the targets, and returns the sum of their squares.
    fn linearise(&self, posture: &Posture, scratch: &mut LeastSquares) -> f64 {
        let LeastSquares { errors, weights, .. } = scratch;
        errors.fill(0.0);
        weights.fill(0.0);
        for (index, target) in self.setup.problem.targets.iter().enumerate() {
            let (point, share) = (target.point, if self.goals.far[index].is_some() { self.far_weight } else { 1.0 });
            let weight = (self.goals.weights[index] * share).sqrt();
            let linear = target.position - posture.points[point];
            errors.fixed_rows_mut::<3>(6 * point).copy_from(&(linear * weight));
            weights.fixed_rows_mut::<3>(6 * point).fill(weight);
            if let Some(wanted) = target.orientation {
                let angular = rotation_vector(&(wanted * posture.orientations[point].inverse()));
                let weight = weight * self.setup.arm;
                errors.fixed_rows_mut::<3>(6 * point + 3).copy_from(&(angular * weight));
                weights.fixed_rows_mut::<3>(6 * point + 3).fill(weight);
            }
        }
        errors.norm_squared()
    }

    /// Writes what each joint may do without leaving a limit that the errors press on.
    fn find_limits(&self, posture: &Posture, least_squares: &mut LeastSquares, limited: &mut [bool]) {
        let Setup { skeleton, root, .. } = self.setup;
        let z = Vector3::z();
        let everywhere = if skeleton.is_planar() { z * z.transpose() } else { Matrix3::identity() };
        least_squares.root_is_free = root.is_none();
        least_squares.projectors.fill(Matrix3::zeros());
        limited.fill(false);
        if root.is_none() {
            least_squares.projectors[0] = everywhere;
        }
        for &segment in &self.goals.leading {
            let (base, joint) = (self.base(posture, segment), &skeleton.joints[segment]);
            let push = base.inverse() * three(&least_squares.torques, 3 * (segment + 1));
            let allowed = joint.allowed(&posture.rotations[segment], &[push]);
            least_squares.projectors[segment + 1] = match joint.limit {
                Limit::Free => everywhere,
                _ => in_frame(&base, &allowed.projector),
            };
            limited[segment] = allowed.is_limited;
        }
    }

    /// Writes the rotations after the step into `next`. A joint that meets a limit stays there: its part of the step is
    /// what it can do. Returns whether there is a new one, for which the others should make up.
    fn take(&self, posture: &Posture, least_squares: &mut LeastSquares, next: &mut Posture) -> bool {
        next.points[0] = posture.points[0] + three(&least_squares.step, 3 * posture.points.len());
        next.orientations[0] =
            UnitQuaternion::from_scaled_axis(three(&least_squares.step, 0)) * posture.orientations[0];
        let mut any_is_new = false;
        for &segment in &self.goals.leading {
            let (point, before) = (segment + 1, &posture.rotations[segment]);
            let step = three(&least_squares.step, 3 * point);
            if step == Vector3::zeros() {
                next.rotations[segment] = *before;
                continue;
            }
            let (base, joint) = (self.base(posture, segment), &self.setup.skeleton.joints[segment]);
            let turn = base.inverse() * step;
            let wanted = UnitQuaternion::from_scaled_axis(turn) * before;
            let allowed = joint.nearest(&wanted);
            next.rotations[segment] = allowed;
            if allowed.angle_to(&wanted) <= LIMITED {
                continue;
            }
            let possible = rotation_vector(&(allowed * before.inverse()));
            least_squares.step.fixed_rows_mut::<3>(3 * point).copy_from(&(base * possible));
            let push = base.inverse() * three(&least_squares.torques, 3 * point);
            let left = joint.allowed(&allowed, &[turn - possible, push]);
            least_squares.projectors[point] = in_frame(&base, &left.projector);
            next.limited[segment] = true;
            any_is_new |= allowed.angle_to(&wanted) > LOST * turn.norm();
        }
        any_is_new
    }

    /// The frame of a joint.
    fn base(&self, posture: &Posture, segment: usize) -> UnitQuaternion<f64> {
        let Setup { skeleton, .. } = self.setup;
        posture.orientations[skeleton.parents[segment]] * skeleton.joints[segment].rest
    }
}

impl Posture {
    /// Whether no segment has turned far from where it was before: those that are not leading turn as others do.
    fn is_calm(&self, before: &Self, leading: &[usize]) -> bool {
        let mut points = std::iter::once(0).chain(leading.iter().map(|segment| segment + 1));
        points.all(|point| self.orientations[point].angle_to(&before.orientations[point]) <= CALM_TURN)
    }
}

/// A projector of vectors in a frame as one of vectors in the common frame.
fn in_frame(frame: &UnitQuaternion<f64>, projector: &Matrix3<f64>) -> Matrix3<f64> {
    let turn = frame.to_rotation_matrix().into_inner();
    turn * projector * turn.transpose()
}
