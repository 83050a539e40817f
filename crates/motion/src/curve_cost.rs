//! The cost of a joint curve along a path, and its quadratic model.
//!
//! The cost is the squared distance of the tip from the path and the squared violations of the goals, with a large
//! weight, plus ∫ Σ (q′ᵢ / vᵢ)² ds over the path length s, with the derivative q′ of each variable, plus the integral
//! of the preference's cost. From a given start v is the velocity limit of the variable; from a free one, which is
//! chosen by the length of the motion in joint space, the greatest of these limits.

use nalgebra::Vector6;

use super::joint_curve::JointCurve;
use super::path_problem::PathProblem;
use super::standing_goals::{GoalValues, is_length};
use super::tip_kinematics::TipJacobian;
use urdf_ik_goals::Goal;
use urdf_ik_mathematics::bounded_quadratic::BoundedQuadratic;
use urdf_ik_mathematics::spatial;
use urdf_ik_solver::{PreferenceCost, Solver};

/// Weight of the tip's squared distance from the path, relative to that of the joints' motion within an interval.
/// Corrections remove the remaining distance.
const TIP_WEIGHT: f64 = 1e5;
/// Weight of the change of q′ within an interval, against oscillations from interval to interval where a joint reaches
/// a limit. Its effect vanishes with the length of the intervals.
const CURVATURE_WEIGHT: f64 = 1.0;
/// Lower bound of the velocity limits in the cost \[rad/s or m/s\].
const MIN_VELOCITY: f64 = 1e-3;
/// Upper bound of the velocity limits in the cost \[rad/s or m/s\], also for unlimited joints: so every motion has a
/// cost.
const MAX_VELOCITY: f64 = 100.0;
/// Nodes of the two-point Gauss-Legendre rule on the interval from 0 to 1.
const GAUSS_NODES: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// A path length at which costs are sampled.
#[derive(Clone, Copy)]
struct CostSample {
    /// Index of the first of the four control points that contribute.
    first: usize,
    length: f64,
    /// Weights of the control points in the positions, in their derivative, and in the second derivative times the
    /// length of the interval.
    basis: [[f64; 4]; 3],
    /// Weight of the tip's distance.
    tip: f64,
    /// Weight of the other costs \[m\].
    joints: f64,
}

impl CostSample {
    /// Positions, their derivative, and the second derivative times the length of the interval.
    fn joints(&self, curve: &JointCurve) -> [Vec<f64>; 3] {
        self.basis.map(|weights| curve.weighted_sum(self.first, &weights))
    }
}

/// The objective of a fit.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum FitObjective {
    Everything,
    /// The tip's distance from the path alone, with the least motion of the joints.
    DistanceFromPath,
}

/// The costs of a curve.
#[derive(Clone, Copy)]
pub(super) struct CurveCosts {
    /// Of the tip's distance from the path, and of violated goals.
    pub(super) tip: f64,
    /// Of the joints' motion, and of the preference.
    pub(super) joints: f64,
}

/// Computes costs of curves with the same intervals, with scratch memory.
pub(super) struct CurveCost<'a> {
    problem: &'a PathProblem<'a>,
    /// Path length that one radian counts as \[m\].
    metres_per_radian: f64,
    samples: Vec<CostSample>,
    /// 1 / v² for the v of each variable.
    motion_weights: Vec<f64>,
    preference: PreferenceCost<'a>,
    /// Derivatives of the preference's cost by the positions.
    gradient: Vec<f64>,
    /// Negative derivatives of the goals' cost by the positions at one sample.
    towards_goals: Vec<f64>,
    tip: TipJacobian<'a>,
    goals: GoalValues,
    /// Second derivatives of the cost by the positions at one sample: the lower triangle of a square matrix.
    stiffness: Vec<f64>,
}

impl<'a> CurveCost<'a> {
    pub(super) fn new(
        solver: &'a Solver,
        problem: &'a PathProblem<'a>,
        metres_per_radian: f64,
        curve: &JointCurve,
    ) -> Self {
        let variables = curve.variables;
        Self {
            problem,
            metres_per_radian,
            samples: samples(curve, problem.free_start),
            motion_weights: motion_weights(problem),
            preference: PreferenceCost::new(solver, problem.preference, problem.target),
            gradient: vec![0.0; variables],
            towards_goals: vec![0.0; variables],
            tip: TipJacobian::new(solver.chain(), problem.target.tip),
            goals: GoalValues::new(solver.chain()),
            stiffness: vec![0.0; variables * variables],
        }
    }

    /// True if the first control point is fixed.
    pub(super) fn is_start_fixed(&self) -> bool {
        !self.problem.free_start
    }

    pub(super) fn of(&mut self, curve: &JointCurve) -> CurveCosts {
        let mut costs = CurveCosts { tip: 0.0, joints: 0.0 };
        for index in 0..self.samples.len() {
            let sample = self.samples[index];
            let [positions, rates, bends] = sample.joints(curve);
            let apart = self.problem.target_at(sample.length).residual(&self.tip.pose(&positions));
            let angle = apart.orientation * self.metres_per_radian;
            costs.tip += 0.5 * sample.tip * (apart.position * apart.position + angle * angle);
            let goals = self.problem.goals;
            for (goal, violation) in goals.iter().zip(self.goals.violations(goals, &positions)) {
                costs.tip += 0.5 * sample.tip * (metres(goal, self.metres_per_radian) * violation).powi(2);
            }
            if sample.joints > 0.0 {
                let squares = rates.iter().zip(&bends).map(|(r, bend)| r * r + CURVATURE_WEIGHT * bend * bend);
                let motion: f64 = squares.zip(&self.motion_weights).map(|(square, weight)| weight * square).sum();
                costs.joints += sample.joints * (motion + self.preference.value(&positions));
            }
        }
        costs
    }

    /// Computes the quadratic model of the cost at the curve, in the changes of the control points.
    pub(super) fn linearise(&mut self, curve: &JointCurve, objective: FitObjective, model: &mut BoundedQuadratic) {
        model.clear();
        for index in 0..self.samples.len() {
            let sample = self.samples[index];
            self.add_slopes(&sample, &sample.joints(curve), objective, model);
            self.add_stiffness(&sample, model);
        }
    }

    /// Adds the gradient of all costs at a sample, and the second derivatives by the rates. Computes those by the
    /// positions into `stiffness`.
    fn add_slopes(
        &mut self,
        sample: &CostSample,
        [positions, joint_rates, joint_bends]: &[Vec<f64>; 3],
        objective: FitObjective,
        model: &mut BoundedQuadratic,
    ) {
        let CostSample { first, length, basis: [values, rates, bends], tip, joints } = *sample;
        let n = self.gradient.len();
        let error = self.linearise_tip(length, positions);
        if joints > 0.0 && objective == FitObjective::Everything {
            self.preference.write_gradient(positions, &mut self.gradient);
        }
        for i in 0..n {
            for j in 0..=i {
                self.stiffness[i * n + j] = tip * self.tip.columns[i].dot(&self.tip.columns[j]);
            }
            // With the preference's curvature, corrections of the tip follow the preference, too.
            self.stiffness[i * n + i] += joints * self.preference.curvature(i);
        }
        self.add_goals(sample, positions);
        for i in 0..n {
            let motion = 2.0 * joints * self.motion_weights[i];
            let (mut by_position, mut by_rate, mut by_bend) =
                (-tip * self.tip.columns[i].dot(&error) - self.towards_goals[i], 0.0, 0.0);
            if objective == FitObjective::Everything {
                by_position += joints * self.gradient[i];
                by_rate = motion * joint_rates[i];
                by_bend = CURVATURE_WEIGHT * motion * joint_bends[i];
            }
            for a in 0..4 {
                let row = (first + a) * n + i;
                model.vector[row] -= values[a] * by_position + rates[a] * by_rate + bends[a] * by_bend;
                for b in 0..=a {
                    let entry = motion * (rates[a] * rates[b] + CURVATURE_WEIGHT * bends[a] * bends[b]);
                    model.matrix.add(row, (first + b) * n + i, entry);
                }
            }
        }
    }

    /// Adds the second derivatives by the positions of the goals' costs at a sample. Computes the negative first ones
    /// into `towards_goals`.
    fn add_goals(&mut self, sample: &CostSample, positions: &[f64]) {
        let Self { problem, goals, stiffness, towards_goals, metres_per_radian, .. } = self;
        let n = towards_goals.len();
        towards_goals.fill(0.0);
        goals.visit_active(problem.goals, positions, |goal, lack, gradient| {
            let weight = sample.tip * metres(goal, *metres_per_radian).powi(2);
            for i in 0..n {
                towards_goals[i] += weight * lack * gradient[i];
                for j in 0..=i {
                    stiffness[i * n + j] += weight * gradient[i] * gradient[j];
                }
            }
        });
    }

    /// Adds the second derivatives by the positions at a sample.
    fn add_stiffness(&self, sample: &CostSample, model: &mut BoundedQuadratic) {
        let n = self.gradient.len();
        for a in 0..4 {
            for b in 0..=a {
                let weight = sample.basis[0][a] * sample.basis[0][b];
                let column = (sample.first + b) * n;
                for i in 0..n {
                    // The lower triangle of a block on the diagonal.
                    let end = if a == b { i + 1 } else { n };
                    let row = model.matrix.row_mut((sample.first + a) * n + i, column, column + end);
                    for (j, entry) in row.iter_mut().enumerate() {
                        *entry += weight * self.stiffness[i.max(j) * n + i.min(j)];
                    }
                }
            }
        }
    }

    /// The difference from the tip to the path at `length`, in the tip's frame over the axes that are not free, angles
    /// times `metres_per_radian`. Weights the columns of the tip's Jacobian accordingly.
    fn linearise_tip(&mut self, length: f64, positions: &[f64]) -> Vector6<f64> {
        let target = self.problem.target_at(length);
        let tip = self.tip.find(positions);
        let counted = |axis: usize| f64::from(u8::from(!target.free_axes[axis]));
        let weights = Vector6::from_fn(|axis, _| counted(axis) * if axis < 3 { 1.0 } else { self.metres_per_radian });
        for column in &mut self.tip.columns {
            column.component_mul_assign(&weights);
        }
        let (linear, angular) = target.difference(&tip);
        spatial::stacked(&linear, &angular).component_mul(&weights)
    }
}

/// Length in the cost of one unit of a goal's violation \[m/m or m/rad\].
fn metres(goal: &Goal, metres_per_radian: f64) -> f64 {
    if is_length(goal) { 1.0 } else { metres_per_radian }
}

/// 1 / v² for the v of each variable.
fn motion_weights(problem: &PathProblem) -> Vec<f64> {
    let bounded = problem.limits.velocities.iter().map(|limit| limit.clamp(MIN_VELOCITY, MAX_VELOCITY));
    let mut velocities: Vec<f64> = bounded.collect();
    if problem.free_start {
        let greatest = velocities.iter().copied().fold(MIN_VELOCITY, f64::max);
        velocities.fill(greatest);
    }
    velocities.iter().map(|velocity| 1.0 / velocity.powi(2)).collect()
}

/// Two samples in each interval, and one at the end of each part, where the tip comes to rest, and at a free start.
fn samples(curve: &JointCurve, free_start: bool) -> Vec<CostSample> {
    let mut samples = Vec::new();
    for part in &curve.parts {
        let mut sample = |interval: usize, node: f64, has_joints: bool| {
            let (start, end) = (part.basis.ends()[interval], part.basis.ends()[interval + 1]);
            let (size, length) = (end - start, start + node * (end - start));
            let [values, rates, bends, _] = part.basis.derivatives(interval, length);
            let joints = if has_joints { 0.5 * size } else { 0.0 };
            let (first, basis) = (part.first + interval, [values, rates, bends.map(|bend| bend * size)]);
            samples.push(CostSample { first, length, basis, tip: TIP_WEIGHT / size, joints });
        };
        let intervals = part.basis.ends().len() - 1;
        if free_start && part.first == 0 {
            sample(0, 0.0, false);
        }
        for interval in 0..intervals {
            for node in GAUSS_NODES {
                sample(interval, node, true);
            }
        }
        sample(intervals - 1, 1.0, false);
    }
    samples
}
