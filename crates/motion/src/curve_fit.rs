//! Optimises the joint curve of a path as a whole: the tip is on the path, and the remaining freedom minimises the
//! [cost](super::curve_cost).
//!
//! The Gauss-Newton method on the control points of the curve, inside the joint limits. After each step that lowers the
//! cost, corrections bring the tip back onto the path.
//!
//! The curve is a cubic B-spline between two rests. Its control points are inside the joint limits, and therefore the
//! whole curve is. A heavy weight keeps the tip on the path, and each step moves the joints least: one banded system,
//! whichever axes are free.

use super::curve_cost::{CurveCost, FitObjective};
use super::joint_curve::JointCurve;
use urdf_ik_mathematics::bounded_quadratic::BoundedQuadratic;
use urdf_ik_robot::{Chain, Domain};

/// Maximum number of iterations.
const ITERATIONS: usize = 30;
/// Relative decrease of the cost below which the iteration ends.
const MIN_RELATIVE_GAIN: f64 = 1e-5;
/// Maximum entry of a step \[rad or m\].
const MAX_STEP: f64 = 0.3;
/// Minimum step length of the line search, as a fraction of the step.
const MIN_STEP_FRACTION: f64 = 1e-3;
/// Factor of the step length after a step that does not lower the cost.
const STEP_REDUCTION: f64 = 0.3;
/// Maximum number of corrections of the tip after each step.
const CORRECTIONS: usize = 4;
/// The tip counts as on the path if its cost is less than this fraction of the other costs.
const TIP_COST_TOLERANCE: f64 = 1e-4;

/// Treatment of control points at joint limits.
#[derive(Clone, Copy, PartialEq)]
enum AtLimits {
    /// They may leave the limit.
    Release,
    /// They stay, so that a correction does not undo the step before it.
    Stay,
}

/// A fit of one curve.
pub(super) struct CurveFit<'a> {
    domains: Vec<Domain>,
    cost: CurveCost<'a>,
    /// The quadratic model of the cost.
    model: BoundedQuadratic,
    has_fixed_ends: bool,
}

impl<'a> CurveFit<'a> {
    /// For curves with the intervals of `curve`, whose `cost` it minimises. Fixed ends stay where they are, also if the
    /// start is free.
    pub(super) fn new(chain: &Chain, cost: CurveCost<'a>, curve: &JointCurve, has_fixed_ends: bool) -> Self {
        // Four control points contribute at each point.
        let model = BoundedQuadratic::new(curve.controls.len(), 4 * curve.variables);
        Self { domains: chain.domains(), cost, model, has_fixed_ends }
    }

    /// Optimises all control points of `curve`, except fixed ends and a given start.
    pub(super) fn improve(&mut self, curve: &mut JointCurve, objective: FitObjective) {
        let mut cost = self.correct(curve, AtLimits::Release);
        if objective == FitObjective::DistanceFromPath {
            return;
        }
        let mut fraction = 1.0;
        for _ in 0..ITERATIONS {
            let Some(step) = self.step(curve, FitObjective::Everything, AtLimits::Release) else { return };
            fraction = f64::min(2.0 * fraction, 1.0);
            let mut better = None;
            while better.is_none() && fraction > MIN_STEP_FRACTION {
                let mut tried = curve.clone();
                self.advance(&mut tried, &step, fraction);
                let found = self.correct(&mut tried, AtLimits::Stay);
                if found < cost {
                    better = Some((tried, found));
                } else {
                    fraction *= STEP_REDUCTION;
                }
            }
            let Some((tried, found)) = better else { return };
            let gain = cost - found;
            (*curve, cost) = (tried, found);
            if gain < MIN_RELATIVE_GAIN * cost {
                return;
            }
        }
    }

    /// Brings the tip back onto the path. Returns the cost then.
    fn correct(&mut self, curve: &mut JointCurve, at_limits: AtLimits) -> f64 {
        let fixed = self.model.fixed.clone();
        let mut costs = self.cost.of(curve);
        for _ in 0..CORRECTIONS {
            if costs.tip < TIP_COST_TOLERANCE * costs.joints {
                break;
            }
            self.model.fixed.fill(None);
            let Some(step) = self.step(curve, FitObjective::DistanceFromPath, at_limits) else { break };
            self.advance(curve, &step, 1.0);
            costs = self.cost.of(curve);
        }
        self.model.fixed = fixed;
        costs.tip + costs.joints
    }

    /// Applies a fraction of a step.
    fn advance(&self, curve: &mut JointCurve, step: &[f64], fraction: f64) {
        for ((position, step), domain) in curve.controls.iter_mut().zip(step).zip(self.domains.iter().cycle()) {
            // Only rounding can exceed the limits.
            *position = domain.clamp(*position + fraction * step);
        }
    }

    /// The step that minimises the quadratic model of the cost inside the limits; `None` if the model has no minimum.
    fn step(&mut self, curve: &JointCurve, objective: FitObjective, at_limits: AtLimits) -> Option<Vec<f64>> {
        self.cost.linearise(curve, objective, &mut self.model);
        let is_start_fixed = self.has_fixed_ends || self.cost.is_start_fixed();
        let end = curve.controls.len() - curve.variables;
        for (i, (position, domain)) in curve.controls.iter().zip(self.domains.iter().cycle()).enumerate() {
            let [lower, upper] = domain.ends();
            // The curve starts at the present configuration, unless its start is free.
            let is_fixed = i < curve.variables && is_start_fixed || i >= end && self.has_fixed_ends;
            let stays = at_limits == AtLimits::Stay && (*position <= lower || *position >= upper);
            self.model.bounds[i] = if is_fixed || stays { [0.0; 2] } else { [lower - position, upper - position] };
        }
        let step = self.model.minimise()?;
        let longest = step.iter().fold(0.0_f64, |longest, entry| longest.max(entry.abs()));
        let scale = (MAX_STEP / longest).min(1.0);
        Some(step.iter().map(|entry| scale * entry).collect())
    }
}
