//! Refines a solution of the general 6R arm by Newton steps.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::elimination::Eliminated;
use crate::{JOINTS, Line};
use urdf_ik_mathematics::vectors::add_times;

/// Largest number of steps.
const MAX_STEPS: usize = 20;
/// Longest step \[rad\].
const MAX_STEP: f64 = 0.5;
/// Largest error of a starting point \[rad, and m over the arm's length\].
const MAX_START_ERROR: f64 = 0.15;
/// Factor by which the allowed error shrinks with each step.
const ERROR_SHRINKAGE: f64 = 0.75;
/// Step length \[rad\] below which it stops.
const LAST_STEP: f64 = 1e-7;
/// Error \[rad, and m over the arm's length\] that counts as rounding.
const ERROR_ROUNDING: f64 = 1e-14;
/// Largest error of a converged configuration \[rad, and m over the arm's length\].
const MAX_ERROR: f64 = 1e-11;
/// Smallest pivot of a step, relative to the largest.
const MIN_PIVOT: f64 = 1e-11;

/// A configuration and its residual.
struct NewtonState {
    axes: [Line; JOINTS],
    /// Remaining rotation of the last link, and remaining translation of a point of the last axis.
    turn: Vector3<f64>,
    step: Vector3<f64>,
}

/// Axes in a configuration, and motion of the last link from zero positions.
pub(super) fn moved(axes: &[Line; JOINTS], positions: &[f64; JOINTS]) -> ([Line; JOINTS], Isometry3<f64>) {
    let (mut turned, mut motion) = (*axes, Isometry3::identity());
    for (line, (axis, position)) in turned.iter_mut().zip(axes.iter().zip(positions)) {
        *line = axis.moved(&motion);
        let rotation = UnitQuaternion::from_scaled_axis(axis.direction * *position);
        motion *= Isometry3::from_parts((axis.point - rotation * axis.point).into(), rotation);
    }
    (turned, motion)
}

impl NewtonState {
    fn new(axes: &[Line; JOINTS], positions: &[f64; JOINTS], goal: &Isometry3<f64>) -> Self {
        let (turned, motion) = moved(axes, positions);
        let turn = (goal.rotation * motion.rotation.inverse()).scaled_axis();
        let last = &axes[JOINTS - 1];
        Self { axes: turned, turn, step: last.moved(goal).point - last.moved(&motion).point }
    }

    /// The greater of both residuals.
    fn residual(&self) -> f64 {
        self.turn.norm().max(self.step.norm())
    }

    /// The Jacobian of the last link in triangular form, with the residual.
    fn jacobian(&self) -> Eliminated<JOINTS> {
        let point = self.axes[JOINTS - 1].point;
        let both = |turn: Vector3<f64>, step: Vector3<f64>| [turn.x, turn.y, turn.z, step.x, step.y, step.z];
        let columns = self.axes.map(|axis| both(axis.direction, axis.direction.cross(&(point - axis.point))));
        let rows = std::array::from_fn(|row| columns.map(|column| column[row]));
        Eliminated::new(rows, both(self.turn, self.step))
    }
}

/// Last pivot, relative to the largest, below which a configuration counts as singular.
const SINGULAR_PIVOT: f64 = 1e-6;
/// Length of a trial motion out of it \[rad\].
const TRIAL_MOVE: f64 = 0.02;

/// Takes Newton steps to the goal. Returns whether they converge.
pub(super) fn arrive(axes: &[Line; JOINTS], goal: &Isometry3<f64>, positions: &mut [f64; JOINTS]) -> bool {
    let (mut allowed, mut still, mut residual) = (MAX_START_ERROR, false, f64::INFINITY);
    for _ in 0..=MAX_STEPS {
        let configuration = NewtonState::new(axes, positions, goal);
        residual = configuration.residual();
        if still || residual.is_nan() || residual > allowed || residual <= ERROR_ROUNDING {
            break;
        }
        allowed *= ERROR_SHRINKAGE;
        let eliminated = configuration.jacobian();
        let step = eliminated.solution(MIN_PIVOT * eliminated.pivot(0));
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let scale = if longest > MAX_STEP { MAX_STEP / longest } else { 1.0 };
        add_times(positions, scale, &step);
        still = longest <= LAST_STEP;
    }
    residual <= MAX_ERROR && positions.iter().all(|position| position.is_finite())
}

/// True if a self-motion leaves a configuration at the goal by a finite amount, not only to first order as at a
/// double solution.
pub(super) fn free(axes: &[Line; JOINTS], goal: &Isometry3<f64>, positions: &[f64; JOINTS]) -> bool {
    let eliminated = NewtonState::new(axes, positions, goal).jacobian();
    if eliminated.pivot(JOINTS - 1) > SINGULAR_PIVOT * eliminated.pivot(0) {
        return false;
    }
    let way = eliminated.vanishing(0);
    let longest = way.iter().fold(0.0_f64, |longest, rate| longest.max(rate.abs()));
    let mut moved = std::array::from_fn(|i| positions[i] + way[i] * TRIAL_MOVE / longest);
    let arrived = arrive(axes, goal, &mut moved);
    arrived && moved.iter().zip(positions).any(|(moved, position)| (moved - position).abs() > 0.5 * TRIAL_MOVE)
}
