//! Configurations that differ from a solution by full revolutions of joints.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use super::prepared_solver::{Scratch, Solver};
use super::{Problem, ProblemError, Solution, Target};
use urdf_ik_goals::{ExactConfiguration, Goal, Rows, TOLERANCE};
use urdf_ik_robot::{ChainPoses, Domain};

/// Largest number of listed variants, to bound memory.
const MAX_LISTED: usize = 10_000;

/// Solutions with their variants by full revolutions: see [`Solver::solve_all_turns`].
#[derive(Debug, Clone)]
pub struct Turns {
    /// The solutions, those nearest to the seed first.
    pub solutions: Vec<Solution>,
    /// Number of all variants within limits and bounds. It may exceed the length of `solutions`.
    pub count: u64,
}

/// A variant of a solution with only its first variables decided.
struct Variant {
    /// Index of the solution.
    parent: usize,
    positions: Vec<f64>,
    /// Squared distance of these variables from the seed \[rad², or m² over the squared length scale\].
    squared_distance: f64,
}

impl Solver {
    /// The solutions of [`Solver::solve_all`] as a list, in the order of discovery.
    ///
    /// # Errors
    /// [`ProblemError`] as for [`Solver::solve`].
    pub fn all_solutions(&self, problem: &Problem, scratch: &mut Scratch) -> Result<Vec<Solution>, ProblemError> {
        let mut solutions = Vec::new();
        self.solve_all(problem, scratch, &mut self.solution(), &mut |solution| {
            solutions.push(solution.clone());
            ControlFlow::Continue(())
        })?;
        Ok(solutions)
    }

    /// Lists the solutions of [`Solver::solve_all`] and their variants by full revolutions of joints, within joint
    /// limits and the bounds of the problem. Returns the `most` variants (up to 10 000) nearest to the seed, by the
    /// Euclidean distance over the variables \[rad\], with prismatic positions divided by the length scale. Joints
    /// without limits keep the angle of the solution. Variants that [`Problem::accepts`] rejects, or that exceed the
    /// tolerance by rounding, are omitted.
    ///
    /// # Errors
    /// [`ProblemError`] as for [`Solver::solve`].
    pub fn solve_all_turns(
        &self,
        problem: &Problem,
        scratch: &mut Scratch,
        most: usize,
    ) -> Result<Turns, ProblemError> {
        let solutions = self.all_solutions(problem, scratch)?;
        let most = most.min(MAX_LISTED);
        let (mut nearest, mut count) = (Vec::new(), 0u64);
        for (parent, solution) in solutions.iter().enumerate() {
            let positions = Vec::with_capacity(solution.positions.len());
            let mut variants = vec![Variant { parent, positions, squared_distance: 0.0 }];
            let mut product = 1u64;
            for (variable, position) in solution.positions.iter().enumerate() {
                let (angles, number) = self.equivalent_angles(problem, variable, *position, most);
                product = product.saturating_mul(number);
                let unit = self.search().units[variable];
                let with = |variant: &Variant, angle: f64| Variant {
                    parent,
                    positions: variant.positions.iter().copied().chain([angle]).collect(),
                    squared_distance: variant.squared_distance + ((angle - problem.seed[variable]) / unit).powi(2),
                };
                let branches = |variant: &Variant| angles.iter().map(|angle| with(variant, *angle)).collect::<Vec<_>>();
                variants = variants.iter().flat_map(branches).collect();
                keep_nearest(&mut variants, most);
            }
            count = count.saturating_add(product);
            nearest.extend(variants);
            keep_nearest(&mut nearest, most);
        }
        let mut poses = ChainPoses::new(self.chain());
        let complete = nearest.into_iter().filter_map(|Variant { parent, positions, .. }| {
            self.chain().forward_kinematics(&positions, &mut poses);
            let residual = |target: &Target| target.residual(&poses.tips()[target.tip]);
            let residuals: Vec<_> = problem.targets.iter().map(residual).collect();
            let mut pairs = residuals.iter().zip(problem.targets);
            let is_met = pairs.all(|(residual, target)| residual.within(target));
            let at = ExactConfiguration { positions: &positions, poses: &poses };
            let violation = |goal: &Goal| goal.violation(&at, &mut Rows::default());
            let violations: Vec<_> = problem.goals.iter().map(violation).collect();
            let is_met = is_met && violations.iter().all(|violation| *violation <= TOLERANCE);
            let is_accepted = is_met && problem.accepts.is_none_or(|accepts| accepts(&positions));
            is_accepted.then(|| Solution { positions, residuals, violations, ..solutions[parent].clone() })
        });
        let solutions = complete.collect();
        Ok(Turns { solutions, count })
    }

    /// The `most` angles nearest to the seed that are full revolutions from `position` and within limits and bounds,
    /// and the number of all. Only the position itself for prismatic joints and joints without limits.
    fn equivalent_angles(&self, problem: &Problem, variable: usize, position: f64, most: usize) -> (Vec<f64>, u64) {
        let input = self.input(problem);
        let is_angle = input.search.turns[variable];
        let (true, Domain::Interval { lower, upper }) = (is_angle, input.domain(variable)) else {
            return (vec![position], 1);
        };
        let (least, greatest) = (-((position - lower) / TAU).floor(), ((upper - position) / TAU).floor());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, which saturates")]
        let number = (greatest - least) as u64 + 1;
        let listed = u32::try_from(number.min(most as u64)).unwrap_or(u32::MAX);
        let middle = ((problem.seed[variable] - position) / TAU).round();
        let first = (middle - f64::from(listed / 2)).min(greatest + 1.0 - f64::from(listed)).max(least);
        ((0..listed).map(|turns| position + (first + f64::from(turns)) * TAU).collect(), number)
    }
}

/// Keeps the `most` variants with the least squared distance, sorted. The distance is a sum over the variables, so no
/// dropped variant could have led to a nearer one.
fn keep_nearest(variants: &mut Vec<Variant>, most: usize) {
    variants.sort_by(|one, other| one.squared_distance.total_cmp(&other.squared_distance));
    variants.truncate(most);
}
