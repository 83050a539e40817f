//! The polish: least squares on all joints at once, within their limits, after the cycles of an attempt have stalled.
//!
//! A cycle moves the joints one by one, so limits can block it although a solution exists; here all joints move at
//! once. Each step minimises a model of the squared errors within a trust region (Conn, Gould and Toint 2000) and
//! within the limits that the errors push against. Rotations that still leave their limits are moved back, and the step
//! is accepted if the targets are nearer. The region grows after accurate predictions and shrinks after inaccurate
//! ones.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::cycle::CycleBuffers;
use super::joint::LIMITED_TOLERANCE;
use super::least_squares::LeastSquares;
use super::motion::{LeadingTree, vector_at};
use super::posture::{Goals, Posture};
use super::setup::SkeletonSetup;
use super::{Limit, SkeletonScratch};
use urdf_ik_mathematics::spatial::rotation_vector;

/// Initial trust-region radius: root of a sum of squares \[rad\]. Halving or doubling it changes run times by less than
/// 5 %.
const FIRST_RADIUS: f64 = 1.0;
/// Trust-region radius at which the polish ends \[rad\].
const MIN_RADIUS: f64 = 1e-6;
/// Below this ratio of actual to predicted gain the region shrinks.
const MIN_GAIN_RATIO: f64 = 0.25;
/// Above this ratio of actual to predicted gain the region grows.
const GOOD_GAIN_RATIO: f64 = 0.75;
/// A step of one of many attempts is idle if its relative gain is below this, times the number of steps so far. The
/// threshold grows because convergence towards a stretched arm becomes ever slower.
const COARSE_IDLE_GAIN: f64 = 4e-3;
/// [`COARSE_IDLE_GAIN`] where the nearest configuration is required.
const FINE_IDLE_GAIN: f64 = 1e-4;
/// Number of consecutive idle steps that ends the polish.
const MAX_IDLE_STEPS: usize = 2;
/// A joint that loses a smaller fraction of its step to limits slides along them, and the others need not compensate.
const MAX_LIMIT_LOSS: f64 = 0.3;
/// Maximum number of times a step is recomputed because joints met limits.
const MAX_LIMIT_ROUNDS: usize = 4;
/// Weight of targets out of reach relative to those within.
const FAR_WEIGHT: f64 = 1e-4;
/// Largest turn of a segment in a calm drag \[rad\].
const MAX_SMALL_TURN: f64 = 0.5;

/// Extent of a polish.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Polish {
    /// Until easy targets are met.
    Quick,
    /// Until it is clear which of many attempts comes nearest.
    Coarse,
    /// To convergence.
    Full,
    /// To convergence, but no segment turns by more than [`MAX_SMALL_TURN`].
    SmallTurns,
}

/// A run of the polish with a given weight of targets out of reach.
struct PolishRun<'a> {
    setup: &'a SkeletonSetup<'a>,
    goals: &'a Goals,
    /// The initial configuration.
    start: &'a Posture,
    kind: Polish,
    far_weight: f64,
}

impl SkeletonSetup<'_> {
    /// Steps from the current configuration until the targets are met or progress ends. `left` decreases by one per
    /// step. Targets out of reach are approached as far as the others permit. Returns whether the limit on turns
    /// stopped progress.
    pub(super) fn polish(&self, kind: Polish, scratch: &mut SkeletonScratch, left: &mut usize) -> bool {
        let SkeletonScratch { goals, current, cycle, polish, .. } = scratch;
        let far = goals.far.iter().flatten().count();
        let are_mixed = 0 < far && far < goals.far.len();
        let far_weight = if are_mixed { FAR_WEIGHT } else { f64::from(far > 0) };
        let (before, CycleBuffers { mixed: next, image: start, .. }) = (*left, cycle);
        start.copy_from(current);
        next.copy_from(current);
        let descent = PolishRun { setup: self, goals, start, kind, far_weight };
        let mut is_turn_limited = descent.run([current, next], polish, left);
        if are_mixed {
            // Targets out of reach have pulled the others away slightly.
            let descent = PolishRun { far_weight: 0.0, ..descent };
            is_turn_limited |= descent.run([current, next], polish, left);
        }
        if *left < before {
            self.skeleton.place_into(0..self.skeleton.segment_count(), current);
        }
        is_turn_limited
    }
}

impl PolishRun<'_> {
    fn run(&self, [current, next]: [&mut Posture; 2], scratch: &mut LeastSquares, left: &mut usize) -> bool {
        let Self { setup: SkeletonSetup { skeleton, .. }, goals, kind, .. } = self;
        let growth = if matches!(kind, Polish::Quick | Polish::Coarse) { COARSE_IDLE_GAIN } else { FINE_IDLE_GAIN };
        // The unavoidable error of targets out of reach.
        let targets = goals.weights.iter().zip(&goals.far);
        let least: f64 =
            targets.filter_map(|(weight, far)| Some(weight * self.far_weight * far.as_ref()?.1.powi(2))).sum();
        let (mut radius, mut share, mut idle, mut is_turn_limited) = (FIRST_RADIUS, 0.0, 0, false);
        let mut cost = self.linearise(current, scratch);
        scratch.bends = false;
        while *left > 0 && idle < MAX_IDLE_STEPS && radius > MIN_RADIUS && !self.is_done(current) {
            *left -= 1;
            share += growth;
            let points = &current.points;
            let tree = LeadingTree { points, parents: &skeleton.parents, leading: &goals.leading };
            scratch.begin(tree);
            self.find_limits(current, scratch, &mut next.limited);
            for _ in 0..MAX_LIMIT_ROUNDS {
                scratch.minimise(tree, radius);
                if !self.take(current, scratch, next) {
                    break;
                }
                scratch.restart(tree);
            }
            let (gain, length) = (scratch.gain(), scratch.step.norm());
            current.limited.copy_from_slice(&next.limited);
            skeleton.place_into(goals.leading.iter().copied(), next);
            let after = self.linearise(next, scratch);
            let turns = *kind == Polish::SmallTurns && !next.has_small_turns(self.start, &goals.leading);
            is_turn_limited |= turns && after < cost;
            if turns || gain <= 0.0 || cost - after < MIN_GAIN_RATIO * gain {
                radius = MIN_GAIN_RATIO * length.min(radius);
                scratch.bends |= *kind != Polish::Quick;
            } else if cost - after > GOOD_GAIN_RATIO * gain && length > GOOD_GAIN_RATIO * radius {
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
        is_turn_limited
    }

    fn is_done(&self, posture: &Posture) -> bool {
        let errors = self.setup.errors(self.goals, posture);
        if self.far_weight > 0.0 { errors.are_met() } else { errors.near_is_met }
    }

    /// Writes the weighted errors of the targets, and returns the sum of their squares.
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

    /// Writes the permitted motion of each joint, given the limits that the errors push against.
    fn find_limits(&self, posture: &Posture, least_squares: &mut LeastSquares, limited: &mut [bool]) {
        let SkeletonSetup { skeleton, root, .. } = self.setup;
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
            let push = base.inverse() * vector_at(&least_squares.torques, 3 * (segment + 1));
            let allowed = joint.allowed(&posture.rotations[segment], &[push]);
            least_squares.projectors[segment + 1] =
                if joint.limit == Limit::Free { everywhere } else { in_frame(&base, &allowed.projector) };
            limited[segment] = allowed.is_limited;
        }
    }

    /// Writes the rotations after the step to `next`. A joint that meets a limit stops there, and its step is reduced
    /// accordingly. Returns whether the others should compensate for that.
    fn take(&self, posture: &Posture, least_squares: &mut LeastSquares, next: &mut Posture) -> bool {
        next.points[0] = posture.points[0] + vector_at(&least_squares.step, 3 * posture.points.len());
        next.orientations[0] =
            UnitQuaternion::from_scaled_axis(vector_at(&least_squares.step, 0)) * posture.orientations[0];
        let mut any_is_new = false;
        for &segment in &self.goals.leading {
            let (point, before) = (segment + 1, &posture.rotations[segment]);
            let step = vector_at(&least_squares.step, 3 * point);
            if step == Vector3::zeros() {
                next.rotations[segment] = *before;
                continue;
            }
            let (base, joint) = (self.base(posture, segment), &self.setup.skeleton.joints[segment]);
            let turn = base.inverse() * step;
            let wanted = UnitQuaternion::from_scaled_axis(turn) * before;
            let allowed = joint.nearest(&wanted);
            next.rotations[segment] = allowed;
            if allowed.angle_to(&wanted) <= LIMITED_TOLERANCE {
                continue;
            }
            let possible = rotation_vector(&(allowed * before.inverse()));
            least_squares.step.fixed_rows_mut::<3>(3 * point).copy_from(&(base * possible));
            let push = base.inverse() * vector_at(&least_squares.torques, 3 * point);
            let left = joint.allowed(&allowed, &[turn - possible, push]);
            least_squares.projectors[point] = in_frame(&base, &left.projector);
            next.limited[segment] = true;
            any_is_new |= allowed.angle_to(&wanted) > MAX_LIMIT_LOSS * turn.norm();
        }
        any_is_new
    }

    /// The orientation of a joint's frame.
    fn base(&self, posture: &Posture, segment: usize) -> UnitQuaternion<f64> {
        let SkeletonSetup { skeleton, .. } = self.setup;
        posture.orientations[skeleton.parents[segment]] * skeleton.joints[segment].rest
    }
}

impl Posture {
    /// True if no leading segment has turned far; the others move with them.
    fn has_small_turns(&self, before: &Self, leading: &[usize]) -> bool {
        let mut points = std::iter::once(0).chain(leading.iter().map(|segment| segment + 1));
        points.all(|point| self.orientations[point].angle_to(&before.orientations[point]) <= MAX_SMALL_TURN)
    }
}

/// Transforms a projector from `frame` to the common frame.
fn in_frame(frame: &UnitQuaternion<f64>, projector: &Matrix3<f64>) -> Matrix3<f64> {
    let turn = frame.to_rotation_matrix().into_inner();
    turn * projector * turn.transpose()
}
