//! Closed-form solutions of arms with six turning joints, found from their axes: all solutions at once, to machine precision; and of
//! arms with seven, of which one is locked at one position after the other.
//!
//! The axes decide the family ([`Family`]); each comes apart into a few [subproblems] that have closed forms (Elias and Wen 2022,
//! "IK-Geo: Unified robot inverse kinematics using subproblem decomposition"; Ostermeier et al. 2024, "Automatic geometric
//! decomposition for analytical inverse kinematics"), a spherical wrist on a general shoulder and three parallel axes before a wrist
//! of skew ones into an equation of the fourth degree (Pieper 1968, "The kinematics of manipulators under computer control").
//! Read from the tip to the base, a chain may belong to a family that it does not belong to otherwise. Arms
//! that belong to none have up to 16 solutions, which are the zeros of a determinant that depends on one of the turns (Raghavan and
//! Roth 1993, "Inverse kinematics of the general 6R manipulator and related linkages").
//!
//! Axes that miss a family by more than rounding ([`family::EXACT`]) but not by much ([`family::NEAR`]) still have its solutions for
//! starting points: Newton steps of the [Jacobian solver](super::jacobian) lead from there to where the arm itself meets the
//! target. Every solution, of either kind of arm, is measured by the chain's forward kinematics before it counts.
//!
//! The smallest members of the family, arms of [two](two_link) and [three](three_link) links, stand for themselves.

mod arm;
mod axes;
mod choices;
pub mod family;
mod general;
mod least_move;
mod locked;
mod parallel;
mod planar;
mod skew;
mod spherical;
pub mod subproblems;
mod sweep;
pub mod three_link;
mod trigonometric;
pub mod turn;
pub mod two_link;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::Isometry3;

pub use arm::{MOST, Postures};
pub use axes::{JOINTS, REDUNDANT};
pub use family::{Family, Kind, Shoulder};

use super::NotApplicable;
use super::jacobian::{Jacobian, JacobianScratch};
use super::problem::{Mode, Pick, Problem};
use super::solution::{Solution, Stop};
use crate::robot::Chain;
use arm::Arm;
use axes::Axes;
use choices::{Choices, settled};
use general::General;
use locked::Locked;

/// Residuals above this \[m and rad\] are more than rounding: Newton steps follow.
const POLISHED: f64 = 1e-10;
/// Two solutions are one where no joint differs by more than this \[rad\]: both roots of a double root come out so.
const SAME: f64 = 1e-5;

/// The closed form of one chain. Cloning it is cheap.
///
/// It answers full poses of its only tip. Targets with free axes go to the search of the Jacobian solver, and so do those that no
/// posture inside the limits meets: the answer is then the nearest posture, marked as that.
///
/// Of seven joints one is locked ([`ClosedForm::locked`]): at the seed's position first, then at others to either side of it, which are
/// refined where the largest move of a joint from the seed is smallest ([`Pick::First`] and [`Pick::Nearest`]) or the manipulability
/// greatest. There preferences among the continuum of postures, and [`Solver::solve_all`](super::Solver::solve_all), are left to the
/// search.
///
/// In a singular posture the solutions are a continuum: joints whose axes have come to lie on one line share their turn as they
/// like, and a point on an axis does not tell how far that has turned. One solution then stands for all, with these joints near the
/// seed; [`Postures::continuous`] tells, and the smallest singular value there is 0. Where two singularities come together, all but
/// exactly, rounding decides which of the solutions is given.
#[derive(Debug, Clone)]
pub struct ClosedForm {
    search: Jacobian,
    form: Arc<Form>,
}

/// What is solved in closed form.
#[derive(Debug)]
enum Form {
    /// All six joints.
    Whole { arm: Whole, family: Family },
    /// Six of seven joints.
    Locked(Locked),
}

/// An arm of six turning joints.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most arms come apart, and there is one of them for each chain")]
enum Whole {
    /// One that comes apart into subproblems.
    Apart(Arm),
    /// Any other.
    General(Box<General>),
}

impl Whole {
    fn postures(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> Postures {
        match self {
            Self::Apart(arm) => arm.postures(pose, seed),
            Self::General(arm) => arm.postures(pose, seed),
        }
    }
}

impl ClosedForm {
    /// Finds the closed form of `chain`.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`], which says what is in the way, and as [`Jacobian::prepare`].
    pub fn prepare(chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        Self::on(&Jacobian::prepare(chain)?)
    }

    /// The closed form, on what has been prepared for another solver.
    pub(super) fn on(search: &Jacobian) -> Result<Self, NotApplicable> {
        let chain = search.chain();
        let refuse = |reason| NotApplicable::NoClosedForm { tip: chain.tips()[0].link.clone(), reason };
        let form = if chain.joints().len() == REDUNDANT {
            Form::Locked(Locked::new(search).map_err(refuse)?)
        } else {
            let axes = Axes::new(chain).map_err(refuse)?;
            let length = search.reach()[0].extent;
            let family = Family::of(&axes, length);
            let near = family.as_ref().is_some_and(Family::near);
            let general = if near { None } else { General::new(&axes, length) };
            match (general, family) {
                (Some(arm), _) => Form::Whole { arm: Whole::General(Box::new(arm)), family: Family::GENERAL },
                (None, Some(family)) => Form::Whole { arm: Whole::Apart(Arm::new(&axes, &family, length)), family },
                (None, None) => return Err(refuse("too many of its axes are parallel".into())),
            }
        };
        let form =
            Self { search: search.clone().with_method(super::jacobian::Method::default()), form: Arc::new(form) };
        if form.family().near() {
            return Ok(form);
        }
        Err(refuse(format!("it is nearest to one where {}, but {}", form.common(), form.miss())))
    }

    /// The family that the chain belongs to, or is near to; of seven joints, the six that are not locked.
    #[must_use]
    pub fn family(&self) -> &Family {
        match &*self.form {
            Form::Whole { family, .. } | Form::Locked(Locked { family, .. }) => family,
        }
    }

    /// Of a chain of seven joints the one that is locked, counted from 0 at the base.
    #[must_use]
    pub fn locked(&self) -> Option<usize> {
        match &*self.form {
            Form::Whole { .. } => None,
            Form::Locked(locked) => Some(locked.joint),
        }
    }

    /// The joint that is locked and the family, and by how much the axes miss it, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        if self.family().exact() {
            return self.common();
        }
        format!("{}, but for this, which Newton steps make up for: {}", self.common(), self.miss())
    }

    /// What the axes have in common, in words.
    fn common(&self) -> String {
        match &*self.form {
            Form::Whole { family, .. } => family.to_string(),
            Form::Locked(locked) => {
                let name = &self.search.chain().variables()[locked.joint].name;
                let family = locked.family.numbered(locked.others(&[1, 2, 3, 4, 5, 6, 7]));
                format!("'{name}' is locked, {family}")
            }
        }
    }

    /// By how much they miss it, in words.
    fn miss(&self) -> String {
        let variables = self.search.chain().variables().iter().enumerate();
        let left = variables.filter(|(index, _)| self.locked() != Some(*index));
        let names: Vec<&str> = left.map(|(_, variable)| variable.name.as_str()).collect();
        self.family().miss(&names)
    }

    /// Every posture in which the tip has `pose` (base link's frame), limits or not, as the closed form has it: exact to rounding
    /// where [`Family::exact`], else starting points. Joints that are free come near `seed` \[rad\]. Of seven joints: of those that
    /// are not locked, where the locked one stands in the middle of its range.
    #[must_use]
    pub fn postures(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> Postures {
        match &*self.form {
            Form::Whole { arm, .. } => arm.postures(pose, seed),
            Form::Locked(locked) => {
                let domain = self.search.chain().variables()[locked.joint].domain;
                locked.arm(domain.middle()).postures(pose, seed)
            }
        }
    }

    pub(super) fn search(&self) -> &Jacobian {
        &self.search
    }

    /// Solves a problem that has been checked.
    pub(super) fn solve(&self, problem: &Problem, scratch: &mut JacobianScratch, solution: &mut Solution) {
        let start = Instant::now();
        let solved = match &*self.form {
            Form::Whole { arm, family } => self.choices(arm, family, problem, scratch).is_some_and(|choices| {
                choices.as_slice().iter().any(|choice| self.hand_out(problem, &choice.positions, scratch, solution))
            }),
            Form::Locked(locked) => self.solve_redundant(locked, problem, scratch, solution),
        };
        if !solved {
            self.search.solve(problem, scratch, solution);
        } else if let Mode::Track { .. } = problem.mode {
            let value = self.search.smallest_singular_value(problem.targets, &solution.positions, scratch);
            solution.smallest_singular_value = Some(value);
        }
        solution.elapsed = start.elapsed();
    }

    /// See [`Solver::solve_all`](super::Solver::solve_all).
    pub(super) fn solve_all(
        &self,
        problem: &Problem,
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
        on_solution: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
    ) -> usize {
        let start = Instant::now();
        let choices = match (problem.mode, &*self.form) {
            (Mode::Search { .. }, Form::Whole { arm, family }) => self.choices(arm, family, problem, scratch),
            _ => None,
        };
        let Some(choices) = choices else {
            return self.search.solve_all(problem, scratch, solution, on_solution);
        };
        let (mut known, mut count) = ([[0.0; JOINTS]; MOST], 0);
        for choice in choices.as_slice() {
            if !self.hand_out(problem, &choice.positions, scratch, solution) {
                continue;
            }
            if known[..count].iter().any(|known| same(known, &solution.positions)) {
                continue;
            }
            known[count].copy_from_slice(&solution.positions);
            count += 1;
            solution.elapsed = start.elapsed();
            if on_solution(solution).is_break() {
                break;
            }
        }
        if count > 0 { count } else { self.search.solve_all(problem, scratch, solution, on_solution) }
    }

    /// The postures to be tried; `None` for problems that are not a full pose.
    fn choices(
        &self,
        arm: &Whole,
        family: &Family,
        problem: &Problem,
        scratch: &mut JacobianScratch,
    ) -> Option<Choices> {
        let [target] = problem.targets else { return None };
        if target.free_axes.contains(&true) {
            return None;
        }
        let seed = <&[f64; JOINTS]>::try_from(problem.seed).ok()?;
        let mut postures = arm.postures(&target.pose, seed);
        if !family.exact() {
            for posture in postures.as_mut_slice() {
                self.search.polish(target, POLISHED, posture, scratch);
            }
        }
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        Some(Choices::new(self.search.chain(), problem, &postures, &mut |positions, largest_move| {
            if by_manipulability {
                -self.search.log_manipulability(problem.targets, positions, scratch)
            } else {
                largest_move
            }
        }))
    }

    /// Makes a solution of a posture, after Newton steps where it is not exact; tells whether it meets the target.
    fn hand_out<const N: usize>(
        &self,
        problem: &Problem,
        positions: &[f64; N],
        scratch: &mut JacobianScratch,
        solution: &mut Solution,
    ) -> bool {
        let mut met = self.search.hand_out(problem.targets, positions, scratch, solution);
        let residual = solution.worst_residual();
        if residual.position > POLISHED || residual.orientation > POLISHED {
            let mut positions = *positions;
            self.search.polish(&problem.targets[0], POLISHED, &mut positions, scratch);
            if let Some((positions, _)) = settled(self.search.chain(), problem, &positions) {
                met = self.search.hand_out(problem.targets, &positions, scratch, solution);
            }
        }
        if met {
            (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
            (solution.iterations, solution.attempts) = (0, 1);
        }
        met
    }
}

/// Whether two postures are one, whole turns apart or not.
fn same(a: &[f64; JOINTS], b: &[f64]) -> bool {
    let step = |a: f64, b: f64| (a - b - ((a - b) / std::f64::consts::TAU).round() * std::f64::consts::TAU).abs();
    a.iter().zip(b).all(|(a, b)| step(*a, *b) <= SAME)
}
