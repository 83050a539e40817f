//! Improves a solution of the general 6R arm by Newton steps.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::elimination::Eliminated;
use crate::{JOINTS, Line};

/// The most steps.
const MAX_STEPS: usize = 20;
/// The longest step \[rad\].
const MAX_STEP: f64 = 0.5;
/// The most that a start may miss the goal by \[rad, and m over the arm's length\].
const MAX_START_ERROR: f64 = 0.15;
/// The factor by which that shrinks with each step.
const ERROR_SHRINKAGE: f64 = 0.75;
/// A shorter step is the last \[rad\].
const LAST_STEP: f64 = 1e-7;
/// The error that no step makes smaller \[rad, and m over the arm's length\].
const ERROR_ROUNDING: f64 = 1e-14;
/// The greatest error of a configuration that has arrived \[rad, and m over the arm's length\].
const MAX_ERROR: f64 = 1e-11;
/// The least pivot that a step uses, over the largest.
const MIN_PIVOT: f64 = 1e-11;

/// A configuration, as seen from a goal.
struct Configuration {
    axes: [Line; JOINTS],
    /// The rotation that the last link still needs to the goal, and the shift that a point of the last axis still needs.
    turn: Vector3<f64>,
    step: Vector3<f64>,
}

/// The axes in a configuration, and the motion of the last link from where it is at zero positions.
pub(super) fn moved(axes: &[Line; JOINTS], positions: &[f64; JOINTS]) -> ([Line; JOINTS], Isometry3<f64>) {
    let (mut turned, mut motion) = (*axes, Isometry3::identity());
    for (line, (axis, position)) in turned.iter_mut().zip(axes.iter().zip(positions)) {
        *line = axis.moved(&motion);
        let rotation = UnitQuaternion::from_scaled_axis(axis.direction * *position);
        motion *= Isometry3::from_parts((axis.point - rotation * axis.point).into(), rotation);
    }
    (turned, motion)
}

impl Configuration {
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

    /// How the last link moves with each joint, in triangular form, and how it should move.
    fn jacobian(&self) -> Eliminated<JOINTS> {
        let point = self.axes[JOINTS - 1].point;
        let both = |turn: Vector3<f64>, step: Vector3<f64>| [turn.x, turn.y, turn.z, step.x, step.y, step.z];
        let columns = self.axes.map(|axis| both(axis.direction, axis.direction.cross(&(point - axis.point))));
        let rows = std::array::from_fn(|row| columns.map(|column| column[row]));
        Eliminated::new(rows, both(self.turn, self.step))
    }
}

/// The last pivot of a singular configuration, over the largest.
const SINGULAR_PIVOT: f64 = 1e-6;
/// How far the arm tries to leave it \[rad\].
const TRIAL_MOVE: f64 = 0.02;

/// Newton steps to the goal; tells whether they arrive.
pub(super) fn arrive(axes: &[Line; JOINTS], goal: &Isometry3<f64>, positions: &mut [f64; JOINTS]) -> bool {
    let (mut allowed, mut still, mut residual) = (MAX_START_ERROR, false, f64::INFINITY);
    for _ in 0..=MAX_STEPS {
        let configuration = Configuration::new(axes, positions, goal);
        residual = configuration.residual();
        if still || residual.is_nan() || residual > allowed || residual <= ERROR_ROUNDING {
            break;
        }
        allowed *= ERROR_SHRINKAGE;
        let eliminated = configuration.jacobian();
        let step = eliminated.solution(MIN_PIVOT * eliminated.pivot(0));
        let longest = step.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let scale = if longest > MAX_STEP { MAX_STEP / longest } else { 1.0 };
        for (position, step) in positions.iter_mut().zip(step) {
            *position += scale * step;
        }
        still = longest <= LAST_STEP;
    }
    residual <= MAX_ERROR && positions.iter().all(|position| position.is_finite())
}

/// Whether the arm can leave a configuration that is at the goal and stay there: not only to first order, as where two solutions meet.
pub(super) fn free(axes: &[Line; JOINTS], goal: &Isometry3<f64>, positions: &[f64; JOINTS]) -> bool {
    let eliminated = Configuration::new(axes, positions, goal).jacobian();
    if eliminated.pivot(JOINTS - 1) > SINGULAR_PIVOT * eliminated.pivot(0) {
        return false;
    }
    let way = eliminated.vanishing(0);
    let longest = way.iter().fold(0.0_f64, |longest, rate| longest.max(rate.abs()));
    let mut moved = std::array::from_fn(|i| positions[i] + way[i] * TRIAL_MOVE / longest);
    let arrived = arrive(axes, goal, &mut moved);
    arrived && moved.iter().zip(positions).any(|(moved, position)| (moved - position).abs() > 0.5 * TRIAL_MOVE)
}
