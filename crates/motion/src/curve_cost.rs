//! The cost of a joint curve along a path, and its quadratic model.
//!
//! The cost is that of the tip's distance from the path, with a heavy weight, plus ∫ Σ (q′ᵢ / vᵢ)² ds over the path length s, with the
//! derivative q′ and the velocity limit v of each variable, plus ∫ of the preference's cost.

use nalgebra::Vector6;

use super::joint_curve::JointCurve;
use super::path_problem::PathProblem;
use super::preference_slope::PreferenceSlope;
use super::tip::TipJacobian;
use urdf_ik_mathematics::bounded_quadratic::BoundedQuadratic;
use urdf_ik_mathematics::spatial;
use urdf_ik_solver::Solver;

/// Weight of the tip's squared distance from the path, over that of the joints' motion within an interval. Steps onto the path take away
/// what distance is left.
const TIP_WEIGHT: f64 = 1e5;
/// Weight of the change of q′ within an interval, so that joints do not swing from one interval to the next where one of them comes to a limit.
/// It counts less the shorter intervals are.
const BEND_WEIGHT: f64 = 1.0;
/// A lower velocity limit \[rad/s or m/s\] counts as this one.
const MIN_VELOCITY: f64 = 1e-3;
/// A higher velocity limit \[rad/s or m/s\], or none, counts as this one: so every motion has a cost.
const MAX_VELOCITY: f64 = 100.0;
/// Places of Gauss and Legendre's rule with two points, in an interval from 0 to 1.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// A length of the path at which costs are measured.
#[derive(Clone, Copy)]
struct Site {
    /// Index of the first of four control points that count there.
    first: usize,
    length: f64,
    /// What the control points count for the positions and for their derivative.
    values: [f64; 4],
    rates: [f64; 4],
    /// What they count for the second derivative, times the length of the interval.
    bends: [f64; 4],
    /// Weight of the tip's distance.
    tip: f64,
    /// Weight of the other costs \[m\].
    joints: f64,
}

/// What a step is to lessen.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lessen {
    Everything,
    /// The tip's distance from the path, with the least motion of the joints.
    DistanceFromPath,
}

/// The costs of a curve.
#[derive(Clone, Copy)]
pub(super) struct Costs {
    /// Of the tip's distance from the path.
    pub(super) tip: f64,
    /// Of the joints' motion, and of the preference.
    pub(super) joints: f64,
}

/// Computes costs of curves with the same intervals. Holds its scratch.
pub(super) struct CurveCost<'a> {
    problem: &'a PathProblem<'a>,
    /// Length of path that an angle of one radian counts as \[m\].
    metres_per_radian: f64,
    sites: Vec<Site>,
    /// One over the square of the velocity of each variable that counts.
    motion_weights: Vec<f64>,
    preference: PreferenceSlope<'a>,
    tip: TipJacobian<'a>,
    // At one site:
    positions: Vec<f64>,
    rates: Vec<f64>,
    bends: Vec<f64>,
    /// Second derivatives of the cost by the positions: a square matrix, of which the lower half counts.
    stiffness: Vec<f64>,
}

impl<'a> CurveCost<'a> {
    pub(super) fn new(
        solver: &'a Solver,
        problem: &'a PathProblem<'a>,
        metres_per_radian: f64,
        curve: &JointCurve,
    ) -> Self {
        let variables = curve.variables();
        let weight = |limit: &f64| 1.0 / limit.clamp(MIN_VELOCITY, MAX_VELOCITY).powi(2);
        Self {
            problem,
            metres_per_radian,
            sites: sites(curve),
            motion_weights: problem.limits.velocities.iter().map(weight).collect(),
            preference: PreferenceSlope::new(solver, problem),
            tip: TipJacobian::new(solver.chain(), problem.target.tip),
            positions: vec![0.0; variables],
            rates: vec![0.0; variables],
            bends: vec![0.0; variables],
            stiffness: vec![0.0; variables * variables],
        }
    }

    pub(super) fn of(&mut self, curve: &JointCurve) -> Costs {
        let mut costs = Costs { tip: 0.0, joints: 0.0 };
        for index in 0..self.sites.len() {
            let site = self.sites[index];
            self.evaluate(curve, &site);
            let apart = self.problem.target_at(site.length).residual(&self.tip.pose(&self.positions));
            let angle = apart.orientation * self.metres_per_radian;
            costs.tip += 0.5 * site.tip * (apart.position * apart.position + angle * angle);
            if site.joints > 0.0 {
                let squares = self.rates.iter().zip(&self.bends).map(|(r, bend)| r * r + BEND_WEIGHT * bend * bend);
                let motion: f64 = squares.zip(&self.motion_weights).map(|(square, weight)| weight * square).sum();
                costs.joints += site.joints * (motion + self.preference.cost(&self.positions));
            }
        }
        costs
    }

    /// Writes the quadratic model of the cost at the curve, by the change of each entry of each control point.
    pub(super) fn linearise(&mut self, curve: &JointCurve, lessen: Lessen, model: &mut BoundedQuadratic) {
        model.clear();
        for index in 0..self.sites.len() {
            let site = self.sites[index];
            self.evaluate(curve, &site);
            self.add_slopes(&site, lessen, model);
            self.add_stiffness(&site, model);
        }
    }

    fn evaluate(&mut self, curve: &JointCurve, site: &Site) {
        curve.weighted_sum(site.first, &site.values, &mut self.positions);
        curve.weighted_sum(site.first, &site.rates, &mut self.rates);
        curve.weighted_sum(site.first, &site.bends, &mut self.bends);
    }

    /// Adds the slopes of all costs at a site, and the second derivatives by the rates. Writes those by the positions into `stiffness`.
    fn add_slopes(&mut self, site: &Site, lessen: Lessen, model: &mut BoundedQuadratic) {
        let Site { first, length, values, rates, bends, tip, joints } = *site;
        let n = self.positions.len();
        let error = self.linearise_tip(length);
        if joints > 0.0 && lessen == Lessen::Everything {
            self.preference.find(&self.positions);
        }
        for i in 0..n {
            for j in 0..=i {
                self.stiffness[i * n + j] = tip * self.tip.columns[i].dot(&self.tip.columns[j]);
            }
            // With the preference's curvature also steps back onto the path are those that it likes best.
            self.stiffness[i * n + i] += joints * self.preference.curvature[i];
            let motion = 2.0 * joints * self.motion_weights[i];
            let (mut by_position, mut by_rate, mut by_bend) = (-tip * self.tip.columns[i].dot(&error), 0.0, 0.0);
            if lessen == Lessen::Everything {
                by_position += joints * self.preference.slope[i];
                by_rate = motion * self.rates[i];
                by_bend = BEND_WEIGHT * motion * self.bends[i];
            }
            for a in 0..4 {
                let row = (first + a) * n + i;
                model.vector[row] -= values[a] * by_position + rates[a] * by_rate + bends[a] * by_bend;
                for b in 0..=a {
                    let entry = motion * (rates[a] * rates[b] + BEND_WEIGHT * bends[a] * bends[b]);
                    model.matrix.add(row, (first + b) * n + i, entry);
                }
            }
        }
    }

    /// Adds the second derivatives by the positions at a site.
    fn add_stiffness(&self, site: &Site, model: &mut BoundedQuadratic) {
        let n = self.positions.len();
        for a in 0..4 {
            for b in 0..=a {
                let weight = site.values[a] * site.values[b];
                let column = (site.first + b) * n;
                for i in 0..n {
                    // Of a block on the diagonal only the lower half.
                    let end = if a == b { i + 1 } else { n };
                    let row = model.matrix.row_mut((site.first + a) * n + i, column, column + end);
                    for (j, entry) in row.iter_mut().enumerate() {
                        *entry += weight * self.stiffness[i.max(j) * n + i.min(j)];
                    }
                }
            }
        }
    }

    /// The difference from the tip to the path at `length`, in the tip's frame over the axes that count, angles times `metres_per_radian`. The
    /// columns of the tip's Jacobian say then how it lessens with each variable.
    fn linearise_tip(&mut self, length: f64) -> Vector6<f64> {
        let target = self.problem.target_at(length);
        let tip = self.tip.find(&self.positions);
        let counted = |axis: usize| f64::from(u8::from(!target.free_axes[axis]));
        let weights = Vector6::from_fn(|axis, _| counted(axis) * if axis < 3 { 1.0 } else { self.metres_per_radian });
        for column in &mut self.tip.columns {
            column.component_mul_assign(&weights);
        }
        let (linear, angular) = target.difference(&tip);
        spatial::stacked(&linear, &angular).component_mul(&weights)
    }
}

/// Two sites in each interval, and one at the end of each part, where the tip comes to rest.
fn sites(curve: &JointCurve) -> Vec<Site> {
    let mut sites = Vec::new();
    for part in curve.parts() {
        let mut site = |interval: usize, place: f64, has_joints: bool| {
            let (start, end) = (part.basis.ends()[interval], part.basis.ends()[interval + 1]);
            let (size, length) = (end - start, start + place * (end - start));
            let [values, rates, bends, _] = part.basis.derivatives(interval, length);
            let bends = bends.map(|bend| bend * size);
            let joints = if has_joints { 0.5 * size } else { 0.0 };
            sites.push(Site {
                first: part.first + interval,
                length,
                values,
                rates,
                bends,
                tip: TIP_WEIGHT / size,
                joints,
            });
        };
        let intervals = part.basis.ends().len() - 1;
        for interval in 0..intervals {
            for place in GAUSS {
                site(interval, place, true);
            }
        }
        site(intervals - 1, 1.0, false);
    }
    sites
}
