//! Costs of preferences as documented, and the optima of self-motions.

use nalgebra::{DMatrix, DVector};
use urdf_ik::robot::{Domain, without_whole_turns};
use urdf_ik::solver::Preference;

use super::{Arm, jacobian, log_manipulability};

/// Half of the step of finite differences.
const DIFFERENCE: f64 = 1e-5;
/// Maximum step of a self-motion \[rad, or m over the length scale\].
const MAX_STEP: f64 = 2e-3;
/// Minimum step of a self-motion \[rad, or m over the length scale\].
const MIN_STEP: f64 = 1e-7;
/// Maximum number of steps.
const STEPS: usize = 100_000;
/// Distance up to which a variable is at its limit \[rad or m\].
const AT_LIMIT: f64 = 1e-6;

/// The cost of the preference without that of moves.
pub fn cost(arm: &Arm, scale: f64, preference: &Preference, positions: &[f64], rows: usize) -> f64 {
    let mut cost = 0.0;
    for (i, variable) in arm.chain.variables().iter().enumerate() {
        if let Some(posture) = preference.posture {
            let apart = positions[i] - posture[i];
            let apart = if variable.domain == Domain::Circle { without_whole_turns(apart) } else { apart };
            cost += 0.5 * preference.posture_weight * (apart / unit(arm, scale, i)).powi(2);
        }
        if let Domain::Interval { lower, upper } = variable.domain {
            let share = (positions[i] - 0.5 * (lower + upper)) / (0.5 * (upper - lower));
            cost += 0.5 * preference.limits_weight * share * share;
        }
    }
    if preference.manipulability_weight > 0.0 {
        cost -= preference.manipulability_weight * log_manipulability(arm, scale, positions, rows);
    }
    cost
}

/// The step of a variable that counts as one radian.
fn unit(arm: &Arm, scale: f64, variable: usize) -> f64 {
    if arm.chain.variables()[variable].prismatic { scale } else { 1.0 }
}

/// The optimum reached by self-motions that lower the cost.
pub struct Optimum {
    pub cost: f64,
    /// Path length of each variable \[rad or m\].
    pub travelled: Vec<f64>,
}

/// The optimum reached by self-motions from `start`: projected gradient descent in small steps at a constant pose of
/// the tip.
pub fn downhill(arm: &Arm, scale: f64, preference: &Preference, start: &[f64]) -> Optimum {
    let cost = |positions: &[f64]| cost(arm, scale, preference, positions, 6);
    let mut here = start.to_vec();
    let mut optimum = Optimum { cost: cost(&here), travelled: vec![0.0; here.len()] };
    let mut longest = MAX_STEP;
    for _ in 0..STEPS {
        let Some(direction) = projected_descent(arm, scale, &here, &cost) else { break };
        let mut there: Vec<f64> = here.iter().zip(&direction).map(|(at, rate)| at + longest * rate).collect();
        let found = if lead_back(arm, scale, start, &mut there) { cost(&there) } else { f64::INFINITY };
        if found < optimum.cost {
            optimum
                .travelled
                .iter_mut()
                .zip(here.iter().zip(&there))
                .for_each(|(travelled, (a, b))| *travelled += (a - b).abs());
            (optimum.cost, here) = (found, there);
            longest = MAX_STEP.min(1.5 * longest);
        } else if longest > MIN_STEP {
            longest *= 0.5;
        } else {
            break;
        }
    }
    optimum
}

/// The steepest descent in the null space, with a largest entry of 1; `None` at an optimum.
fn projected_descent(arm: &Arm, scale: f64, here: &[f64], cost: &dyn Fn(&[f64]) -> f64) -> Option<Vec<f64>> {
    let descent = DVector::from_fn(here.len(), |i, _| {
        let step = DIFFERENCE * unit(arm, scale, i);
        let at = |step: f64| {
            let mut moved = here.to_vec();
            moved[i] += step;
            cost(&moved)
        };
        (at(-step) - at(step)) / (2.0 * DIFFERENCE)
    });
    let whole = jacobian(arm, scale, here, 6);
    let mut held = vec![false; here.len()];
    loop {
        let scaled = |row: usize, i: usize| if held[i] { 0.0 } else { whole[(row, i)] * unit(arm, scale, i) };
        let free = DMatrix::from_fn(6, here.len(), scaled);
        let kept = DVector::from_fn(here.len(), |i, _| if held[i] { 0.0 } else { descent[i] });
        let projected = &kept - free.clone().pseudo_inverse(1e-6).ok()? * (&free * &kept);
        let leaves = |i: &usize| match arm.chain.variables()[*i].domain {
            Domain::Interval { lower, upper } => {
                (here[*i] - lower < AT_LIMIT && projected[*i] < 0.0)
                    || (upper - here[*i] < AT_LIMIT && projected[*i] > 0.0)
            }
            Domain::Circle => false,
        };
        match (0..here.len()).find(|i| !held[*i] && leaves(i)) {
            Some(i) => held[i] = true,
            None if projected.amax() < 1e-9 => return None,
            None => {
                let longest = projected.amax();
                return Some((0..here.len()).map(|i| projected[i] / longest * unit(arm, scale, i)).collect());
            }
        }
    }
}

/// Moves the tip back to its pose at `start`, with the joints inside their limits; returns whether it succeeds.
fn lead_back(arm: &Arm, scale: f64, start: &[f64], positions: &mut [f64]) -> bool {
    let pose = arm.tip_poses(start)[0];
    for _ in 0..10 {
        for (position, variable) in positions.iter_mut().zip(arm.chain.variables()) {
            *position = variable.domain.clamp(*position);
        }
        let here = arm.tip_poses(positions)[0];
        let back = (pose.translation.vector - here.translation.vector) / scale;
        let turn = (pose.rotation * here.rotation.inverse()).scaled_axis();
        let apart = DVector::from_fn(6, |row, _| if row < 3 { back[row] } else { turn[row - 3] });
        if apart.amax() < 1e-9 {
            return true;
        }
        let units = DVector::from_fn(positions.len(), |i, _| unit(arm, scale, i));
        let scaled = jacobian(arm, scale, positions, 6) * DMatrix::from_diagonal(&units);
        let Ok(inverse) = scaled.pseudo_inverse(1e-6) else { return false };
        let step = inverse * apart;
        positions.iter_mut().enumerate().for_each(|(i, position)| *position += step[i] * units[i]);
    }
    false
}
