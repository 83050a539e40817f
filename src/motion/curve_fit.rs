//! Decides the joint curve of a path as a whole: the tip is on the path, and what that leaves free makes the joints move least.
//!
//! Least is ∫ Σ (q′ᵢ / vᵢ)² ds over the path length s, with the derivative q′ and the velocity limit v of each variable, plus ∫ of the
//! preference's cost. The method is Gauss and Newton's on the control points of the curve: between two steps that lessen the cost, one brings
//! the tip back onto the path. Control points at joint limits stay there as long as the cost pushes them outwards (Bertsekas 1982,
//! "Projected Newton methods for optimization problems with simple constraints").

use nalgebra::Vector6;

use super::bounded_quadratic::BoundedQuadratic;
use super::joint_curve::JointCurve;
use super::path_problem::PathProblem;
use super::preference_slope::PreferenceSlope;
use crate::robot::{ChainPoses, Domain};
use crate::solver::Solver;
use crate::spatial;

/// Iterations at most.
const ITERATIONS: usize = 30;
/// An iteration that lessens the cost by less than this share is the last one.
const LEAST_GAIN: f64 = 1e-5;
/// The longest entry of a step \[rad or m\].
const GREATEST_STEP: f64 = 0.3;
/// Least share of a step that is tried.
const LEAST_SHARE: f64 = 1e-3;
/// Steps back onto the path at most, after each other step.
const CORRECTIONS: usize = 4;
/// The tip is on the path where its cost is less than this share of the other costs.
const LEAST_TIP_COST: f64 = 1e-4;
/// Weight of the tip's squared distance from the path, over that of the joints' motion within an interval. The last steps onto the path
/// take away what distance is left.
const TIP_WEIGHT: f64 = 1e5;
/// Weight of the change of q′ within an interval, so that joints do not swing from one interval to the next where one of them comes to a limit.
/// It counts less the shorter intervals are.
const BEND_WEIGHT: f64 = 1.0;
/// Bounds of the velocities that count \[rad/s or m/s\], so that every motion has a cost.
const LEAST_VELOCITY: f64 = 1e-3;
const GREATEST_VELOCITY: f64 = 100.0;
/// Places of Gauss and Legendre's rule with two points, in an interval from 0 to 1.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// A length of the path at which costs are measured.
struct Site {
    /// Index of the first of four control points that count there.
    first: usize,
    length: f64,
    /// What the control points count for the positions and for their derivative.
    values: [f64; 4],
    rates: [f64; 4],
    /// The same for their second derivative, times the length of the interval.
    bends: [f64; 4],
    /// Weight of the tip's distance.
    tip: f64,
    /// Weight of the other costs \[m\].
    joints: f64,
}

/// What a step is to lessen.
#[derive(Clone, Copy, PartialEq)]
enum Lessen {
    Everything,
    DistanceFromPath,
}

/// What a step does with entries at joint limits.
#[derive(Clone, Copy, PartialEq)]
enum Limits {
    /// They may leave the limit.
    Release,
    /// They stay there, so that a step back onto the path does not undo what led there.
    Hold,
}

/// A fit with its scratch.
pub(super) struct CurveFit<'a> {
    solver: &'a Solver,
    problem: &'a PathProblem<'a>,
    /// Length of path that an angle of one radian counts as \[m\].
    metres_per_radian: f64,
    sites: Vec<Site>,
    /// How fast each variable can move.
    velocities: Vec<f64>,
    /// The quadratic model of the cost by the change of each entry of each control point.
    model: BoundedQuadratic,
    slopes: PreferenceSlope<'a>,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
    positions: Vec<f64>,
    rates: Vec<f64>,
    bends: Vec<f64>,
    /// Stiffness of the positions at one site: a square matrix.
    stiffness: Vec<f64>,
}

impl<'a> CurveFit<'a> {
    pub(super) fn new(
        solver: &'a Solver,
        problem: &'a PathProblem<'a>,
        metres_per_radian: f64,
        curve: &JointCurve,
    ) -> Self {
        let variables = curve.variables();
        let unknowns = curve.controls().len();
        Self {
            solver,
            problem,
            metres_per_radian,
            sites: sites(curve),
            velocities: problem
                .limits
                .velocities
                .iter()
                .map(|limit| limit.clamp(LEAST_VELOCITY, GREATEST_VELOCITY))
                .collect(),
            model: BoundedQuadratic::new(unknowns, 4 * variables),
            slopes: PreferenceSlope::new(solver, problem),
            poses: ChainPoses::new(solver.chain()),
            columns: vec![Vector6::zeros(); variables],
            positions: vec![0.0; variables],
            rates: vec![0.0; variables],
            bends: vec![0.0; variables],
            stiffness: vec![0.0; variables * variables],
        }
    }

    /// Improves the control points of `curve` but for the first one.
    pub(super) fn improve(&mut self, curve: &mut JointCurve) {
        let mut cost = self.correct(curve, Limits::Release);
        let mut share = 1.0;
        for _ in 0..ITERATIONS {
            let Some(step) = self.step(curve, Lessen::Everything, Limits::Release) else { return };
            share = f64::min(2.0 * share, 1.0);
            let mut better = None;
            while better.is_none() && share > LEAST_SHARE {
                let mut tried = curve.clone();
                self.advance(&mut tried, &step, share);
                let found = self.correct(&mut tried, Limits::Hold);
                if found < cost {
                    better = Some((tried, found));
                } else {
                    share *= 0.3;
                }
            }
            let Some((tried, found)) = better else { break };
            let gain = cost - found;
            (*curve, cost) = (tried, found);
            if gain < LEAST_GAIN * cost {
                break;
            }
        }
    }

    /// Brings the tip back onto the path, with the least motion of the joints. Gives the cost then.
    fn correct(&mut self, curve: &mut JointCurve, limits: Limits) -> f64 {
        let fixed = self.model.fixed.clone();
        let (mut tip, mut joints) = self.cost(curve);
        for _ in 0..CORRECTIONS {
            if tip < LEAST_TIP_COST * joints {
                break;
            }
            self.model.fixed.fill(None);
            let Some(step) = self.step(curve, Lessen::DistanceFromPath, limits) else { break };
            self.advance(curve, &step, 1.0);
            (tip, joints) = self.cost(curve);
        }
        self.model.fixed = fixed;
        tip + joints
    }

    /// Takes a share of a step.
    fn advance(&self, curve: &mut JointCurve, step: &[f64], share: f64) {
        let domains = self.solver.chain().variables().iter().map(|variable| variable.domain);
        for ((position, step), domain) in curve.controls_mut().iter_mut().zip(step).zip(domains.cycle()) {
            // Only rounding can bring it outside.
            *position = domain.clamp(*position + share * step);
        }
    }

    /// The step that minimises the quadratic model of the cost inside the limits. `None` where there is none.
    fn step(&mut self, curve: &JointCurve, lessen: Lessen, limits: Limits) -> Option<Vec<f64>> {
        self.linearise(curve, lessen);
        let domains = self.solver.chain().variables().iter().map(|variable| variable.domain);
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
        let share = (GREATEST_STEP / longest).min(1.0);
        Some(step.iter().map(|entry| share * entry).collect())
    }

    /// The cost of the tip's distance from the path, and that of the joints' motion with the preference.
    fn cost(&mut self, curve: &JointCurve) -> (f64, f64) {
        let (mut tip_cost, mut cost) = (0.0, 0.0);
        for Site { first, length, values, rates, bends, tip, joints } in &self.sites {
            curve.weighted_sum(*first, values, &mut self.positions);
            curve.weighted_sum(*first, rates, &mut self.rates);
            curve.weighted_sum(*first, bends, &mut self.bends);
            self.solver.chain().forward_kinematics(&self.positions, &mut self.poses);
            let target = self.problem.target_at(*length);
            let apart = target.residual(&self.poses.tips()[target.tip]);
            let angle = apart.orientation * self.metres_per_radian;
            tip_cost += 0.5 * tip * (apart.position * apart.position + angle * angle);
            if *joints > 0.0 {
                let rates =
                    self.rates.iter().zip(&self.bends).map(|(rate, bend)| rate * rate + BEND_WEIGHT * bend * bend);
                let motion: f64 =
                    rates.zip(&self.velocities).map(|(square, velocity)| square / (velocity * velocity)).sum();
                cost += joints * (motion + self.slopes.cost(&self.positions));
            }
        }
        (tip_cost, cost)
    }

    /// Writes the quadratic model of the cost at the curve.
    fn linearise(&mut self, curve: &JointCurve, lessen: Lessen) {
        self.model.clear();
        for index in 0..self.sites.len() {
            self.add_site(curve, index, lessen);
        }
    }

    fn add_site(&mut self, curve: &JointCurve, index: usize, lessen: Lessen) {
        let n = curve.variables();
        let Site { first, length, values, rates, bends, tip, joints } = self.sites[index];
        curve.weighted_sum(first, &values, &mut self.positions);
        curve.weighted_sum(first, &rates, &mut self.rates);
        curve.weighted_sum(first, &bends, &mut self.bends);
        let error = self.linearise_tip(length);
        for i in 0..n {
            for j in 0..=i {
                self.stiffness[i * n + j] = tip * self.columns[i].dot(&self.columns[j]);
            }
        }
        if joints > 0.0 && lessen == Lessen::Everything {
            self.slopes.find(&self.positions);
        }
        for i in 0..n {
            let velocity = self.velocities[i];
            let motion = joints * 2.0 / (velocity * velocity);
            // With the preference's curvature also steps back onto the path are those that it likes best.
            self.stiffness[i * n + i] += joints * self.slopes.curvature[i];
            let bend = BEND_WEIGHT * motion;
            let (mut pull, mut push, mut straighten) = (-tip * self.columns[i].dot(&error), 0.0, 0.0);
            if lessen == Lessen::Everything {
                pull += joints * self.slopes.slope[i];
                push = motion * self.rates[i];
                straighten = bend * self.bends[i];
            }
            for a in 0..4 {
                let row = (first + a) * n + i;
                self.model.vector[row] -= values[a] * pull + rates[a] * push + bends[a] * straighten;
                for b in 0..=a {
                    let entry = motion * rates[a] * rates[b] + bend * bends[a] * bends[b];
                    self.model.matrix.add(row, (first + b) * n + i, entry);
                }
            }
        }
        for a in 0..4 {
            for b in 0..=a {
                let weight = values[a] * values[b];
                for i in 0..n {
                    // Of a block on the diagonal only the lower half.
                    let end = if a == b { i + 1 } else { n };
                    let column = (first + b) * n;
                    let row = self.model.matrix.row_mut((first + a) * n + i, column, column + end);
                    for (j, entry) in row.iter_mut().enumerate() {
                        *entry += weight * self.stiffness[i.max(j) * n + i.min(j)];
                    }
                }
            }
        }
    }

    /// The difference from the tip to the path at `length`, in the tip's frame over the axes that count, angles times `metres_per_radian`.
    /// Writes how it lessens with each variable into `columns`.
    fn linearise_tip(&mut self, length: f64) -> Vector6<f64> {
        let (chain, target) = (self.solver.chain(), self.problem.target_at(length));
        chain.forward_kinematics(&self.positions, &mut self.poses);
        let tip = self.poses.tips()[target.tip];
        chain.jacobian(&self.poses, target.tip, &tip.translation.vector.into(), &mut self.columns);
        let back = tip.rotation.inverse().to_rotation_matrix();
        let counted = |axis: usize| f64::from(u8::from(!target.free_axes[axis]));
        let weights = Vector6::from_fn(|axis, _| counted(axis) * if axis < 3 { 1.0 } else { self.metres_per_radian });
        for column in &mut self.columns {
            let (linear, angular) = (column.fixed_rows::<3>(0).into_owned(), column.fixed_rows::<3>(3).into_owned());
            *column = spatial::stacked(&(back * linear), &(back * angular)).component_mul(&weights);
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
