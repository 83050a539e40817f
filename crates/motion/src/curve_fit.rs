//! Decides the joint curve of a path as a whole: the tip is on the path, and what that leaves free makes the [cost](super::curve_cost) least.
//!
//! The method is Gauss and Newton's on the control points of the curve, inside the joint limits. After each step that lessens the cost, others
//! bring the tip back onto the path.

use super::curve_cost::{CurveCost, Lessen};
use super::joint_curve::JointCurve;
use urdf_ik_mathematics::bounded_quadratic::BoundedQuadratic;
use urdf_ik_robot::{Chain, Domain};

/// Iterations at most.
const ITERATIONS: usize = 30;
/// An iteration that lessens the cost by less than this share is the last one.
const MIN_GAIN: f64 = 1e-5;
/// The longest entry of a step \[rad or m\].
const MAX_STEP: f64 = 0.3;
/// Least share of a step that is tried.
const MIN_SHARE: f64 = 1e-3;
/// What is left of a step that does not lessen the cost.
const SHORTENING: f64 = 0.3;
/// Steps back onto the path at most, after each other step.
const CORRECTIONS: usize = 4;
/// The tip is on the path where its cost is less than this share of the other costs.
const MIN_TIP_COST: f64 = 1e-4;

/// What a step does with entries of control points at joint limits.
#[derive(Clone, Copy, PartialEq)]
enum Limits {
    /// They may leave the limit.
    Release,
    /// They stay there, so that a step back onto the path does not undo what led there.
    Hold,
}

/// What a fit makes least.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Aim {
    /// The whole cost.
    Everything,
    /// The tip's distance from the path alone, so that the joints stay where they are as far as they can.
    DistanceFromPath,
}

/// A fit of one curve.
pub(super) struct CurveFit<'a> {
    chain: &'a Chain,
    cost: CurveCost<'a>,
    /// The quadratic model of the cost.
    model: BoundedQuadratic,
}

impl<'a> CurveFit<'a> {
    /// For curves with the intervals of `curve`, whose `cost` it makes least.
    pub(super) fn new(chain: &'a Chain, cost: CurveCost<'a>, curve: &JointCurve) -> Self {
        // Four control points count at each place.
        let model = BoundedQuadratic::new(curve.controls().len(), 4 * curve.variables());
        Self { chain, cost, model }
    }

    /// Improves the control points of `curve` but for the first one.
    pub(super) fn improve(&mut self, curve: &mut JointCurve, aim: Aim) {
        let mut cost = self.correct(curve, Limits::Release);
        if aim == Aim::DistanceFromPath {
            return;
        }
        let mut share = 1.0;
        for _ in 0..ITERATIONS {
            let Some(step) = self.step(curve, Lessen::Everything, Limits::Release) else { return };
            share = f64::min(2.0 * share, 1.0);
            let mut better = None;
            while better.is_none() && share > MIN_SHARE {
                let mut tried = curve.clone();
                self.advance(&mut tried, &step, share);
                let found = self.correct(&mut tried, Limits::Hold);
                if found < cost {
                    better = Some((tried, found));
                } else {
                    share *= SHORTENING;
                }
            }
            let Some((tried, found)) = better else { return };
            let gain = cost - found;
            (*curve, cost) = (tried, found);
            if gain < MIN_GAIN * cost {
                return;
            }
        }
    }

    /// Brings the tip back onto the path. Gives the cost then.
    fn correct(&mut self, curve: &mut JointCurve, limits: Limits) -> f64 {
        let fixed = self.model.fixed.clone();
        let mut costs = self.cost.of(curve);
        for _ in 0..CORRECTIONS {
            if costs.tip < MIN_TIP_COST * costs.joints {
                break;
            }
            self.model.fixed.fill(None);
            let Some(step) = self.step(curve, Lessen::DistanceFromPath, limits) else { break };
            self.advance(curve, &step, 1.0);
            costs = self.cost.of(curve);
        }
        self.model.fixed = fixed;
        costs.tip + costs.joints
    }

    /// Takes a share of a step.
    fn advance(&self, curve: &mut JointCurve, step: &[f64], share: f64) {
        let domains = self.chain.variables().iter().map(|variable| variable.domain);
        for ((position, step), domain) in curve.controls_mut().iter_mut().zip(step).zip(domains.cycle()) {
            // Only rounding can bring it outside.
            *position = domain.clamp(*position + share * step);
        }
    }

    /// The step that minimises the quadratic model of the cost inside the limits. `None` where there is none.
    fn step(&mut self, curve: &JointCurve, lessen: Lessen, limits: Limits) -> Option<Vec<f64>> {
        self.cost.linearise(curve, lessen, &mut self.model);
        let domains = self.chain.variables().iter().map(|variable| variable.domain);
        for (i, (position, domain)) in curve.controls().iter().zip(domains.cycle()).enumerate() {
            self.model.bounds[i] = match domain {
                // The arm starts where it is.
                _ if i < curve.variables() => [0.0, 0.0],
                Domain::Interval { lower, upper }
                    if limits == Limits::Hold && (*position <= lower || *position >= upper) =>
                {
                    [0.0, 0.0]
                }
                Domain::Interval { lower, upper } => [lower - position, upper - position],
                Domain::Circle => [f64::NEG_INFINITY, f64::INFINITY],
            };
        }
        let step = self.model.minimise()?;
        let longest = step.iter().fold(0.0_f64, |longest, entry| longest.max(entry.abs()));
        let share = (MAX_STEP / longest).min(1.0);
        Some(step.iter().map(|entry| share * entry).collect())
    }
}
