//! Closed-form solutions of arms with six turning joints, found from their axes: all solutions at once, to machine precision; of arms
//! with seven, whose shoulder and wrist turn by an arm angle, or of which one joint is locked, at one value after the other; and of
//! chains with two to five, to which joints are added.
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
//! starting points: Newton steps of the [Jacobian method](super::Method::Jacobian) lead from there to where the arm itself meets the
//! target. Every solution, of either kind of arm, is measured by the chain's forward kinematics before it counts.
//!
//! The smallest members of the family, arms of [two](two_link) and [three](three_link) links, stand for themselves.

mod arm;
mod axes;
mod choices;
pub mod family;
mod general;
mod parallel;
mod planar;
mod redundancy;
mod self_check;
mod short_chains;
mod six_axis;
mod skew;
mod spherical;
pub mod subproblems;
pub mod three_link;
mod trigonometric;
pub mod turn;
pub mod two_link;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::Isometry3;

pub use arm::{MOST, Postures};
pub use axes::{JOINTS, LEAST, REDUNDANT};
pub use family::{Family, Kind, Shoulder};

use super::method::{JacobianStep, NotApplicable};
use super::problem::{Mode, Pick, Problem, Target};
use super::search::{Iteration, Search, SearchScratch};
use super::solution::{Solution, Stop};
use crate::robot::Chain;
use choices::{Choices, settle};
use redundancy::Locked;
use short_chains::Short;
use six_axis::Whole;

/// Residuals above this \[m and rad\] are more than rounding: Newton steps follow.
const POLISHED: f64 = 1e-10;
/// What the search goes by for problems that the formulas do not answer.
const FALLBACK: Iteration = Iteration::Jacobian(JacobianStep::Damped { damping: None });
/// Two solutions are one where no joint differs by more than this \[rad\]: both roots of a double root come out so.
const SAME: f64 = 1e-5;

/// The closed form of one chain.
///
/// It answers full poses of its only tip. Targets with free axes go to the search of the Jacobian solver, and so do those that no
/// posture inside the limits meets: the answer is then the nearest posture, marked as that.
///
/// Of a chain of two to five joints it answers targets that leave it no freedom: full poses, those with one free turn (position and
/// direction), two, or three (position only), as long as joints and free turns are six together at most. Where all its axes are
/// parallel, the shift along them may be free, too, as far as it is along one of the tip's axes.
///
/// Of seven joints there is a continuum of postures, which is gone over for the one whose largest move of a joint from the seed is smallest
/// ([`Pick::First`] and [`Pick::Nearest`]): with a spherical shoulder and a spherical wrist by the arm angle; with one of them, and an
/// offset between the outermost two joints on the other side, by the outermost joint. Of any other arm, and where the pick is
/// [`Pick::MostManipulable`], one joint is locked ([`ClosedForm::locked`]): at the seed's position first, then at others to either
/// side of it. What is found so is refined on the chain itself. Preferences among the continuum of postures, and
/// [`Solver::solve_all`](super::Solver::solve_all), are left to the search.
///
/// In a singular posture the solutions are a continuum: joints whose axes have come to lie on one line share their turn as they
/// like, and a point on an axis does not tell how far that has turned. One solution then stands for all, with these joints near the
/// seed; [`Solution::continuous`] tells, and the smallest singular value there is 0. Where two singularities come together, all but
/// exactly, rounding decides which of the solutions is given.
#[derive(Debug, Clone)]
pub struct ClosedForm {
    chain: Arc<Chain>,
    form: Form,
}

/// What is solved in closed form.
#[derive(Debug, Clone)]
enum Form {
    /// All six joints.
    Whole { arm: Whole, family: Family },
    /// Six of seven joints.
    Locked(Locked),
    /// Two to five joints and others that are added.
    Short(Box<Short>),
}

impl ClosedForm {
    /// Finds the closed form of `chain`.
    ///
    /// # Errors
    /// [`NotApplicable::NoClosedForm`], which says what is in the way, and as [`Solver::prepare`](super::Solver::prepare).
    pub fn prepare(chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        Self::find(&Search::prepare(chain)?)
    }

    /// Finds the closed form of the chain that `search` was prepared for.
    pub(super) fn find(search: &Search) -> Result<Self, NotApplicable> {
        let chain = search.chain();
        let refuse = |reason| NotApplicable::NoClosedForm { tip: chain.tips()[0].link.clone(), reason };
        let form = match chain.joints().len() {
            JOINTS => {
                let (arm, family) = Whole::of(chain, search.reach()[0].extent).map_err(refuse)?;
                Form::Whole { arm, family }
            }
            ..JOINTS => Form::Short(Box::new(Short::new(search).map_err(refuse)?)),
            _ => Form::Locked(Locked::new(search).map_err(refuse)?),
        };
        Ok(Self { chain: Arc::clone(chain), form })
    }

    /// The family that the chain belongs to, or is near to; of seven joints, the six that are not locked; of fewer than six, the arm
    /// that they become for full poses, or for the smallest set of free turns that there is one for.
    #[must_use]
    pub fn family(&self) -> &Family {
        match &self.form {
            Form::Whole { family, .. } | Form::Locked(Locked { family, .. }) => family,
            Form::Short(short) => &short.family,
        }
    }

    /// Of a chain of seven joints the one that is locked, counted from 0 at the base.
    #[must_use]
    pub fn locked(&self) -> Option<usize> {
        match &self.form {
            Form::Whole { .. } | Form::Short(_) => None,
            Form::Locked(locked) => Some(locked.joint),
        }
    }

    /// What the axes have in common, and by how much they miss it, in words: the family, of seven joints what is gone over, and of
    /// fewer than six those that are added.
    #[must_use]
    pub fn in_words(&self) -> String {
        let names = self.chain.variable_names();
        match &self.form {
            Form::Whole { family, .. } => family.in_words([1, 2, 3, 4, 5, 6], &names),
            Form::Locked(locked) => locked.in_words(&names),
            Form::Short(short) => short.in_words(names),
        }
    }

    /// Every posture in which the tip has `pose` (base link's frame), limits or not, as the closed form has it: exact to rounding
    /// where [`Family::exact`], else starting points. Joints that are free come near `seed` \[rad\]. Of seven joints: of those that
    /// are not locked, where the locked one stands in the middle of its range. Of fewer than six: followed by zeros.
    #[must_use]
    pub fn postures(&self, pose: &Isometry3<f64>, seed: &[f64; JOINTS]) -> Postures {
        match &self.form {
            Form::Whole { arm, .. } => arm.postures(pose, seed),
            Form::Locked(locked) => {
                let domain = self.chain.variables()[locked.joint].domain;
                locked.arm(domain.middle()).postures(pose, seed)
            }
            Form::Short(short) => {
                short.postures(&Target::new(0, *pose), seed).map_or(Postures::none(), |(found, _)| found)
            }
        }
    }

    /// Solves a problem that has been checked.
    pub(super) fn solve(
        &self,
        search: &Search,
        problem: &Problem,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) {
        let start = Instant::now();
        let joints = self.chain.joints().len();
        let solved = match &self.form {
            Form::Locked(locked) => self.solve_redundant(search, locked, problem, scratch, solution),
            _ => self.choices(search, problem, scratch).is_some_and(|choices| {
                choices.as_slice().iter().any(|(choice, continuous)| {
                    let met = self.hand_out(search, problem, &choice.positions[..joints], scratch, solution);
                    solution.continuous = met && *continuous;
                    met
                })
            }),
        };
        if !solved {
            search.solve(FALLBACK, problem, scratch, solution);
        } else if let Mode::Track { .. } = problem.mode {
            let value = search.smallest_singular_value(problem.targets, &solution.positions, scratch);
            solution.smallest_singular_value = Some(value);
        }
        solution.elapsed = start.elapsed();
    }

    /// See [`Solver::solve_all`](super::Solver::solve_all).
    pub(super) fn solve_all(
        &self,
        search: &Search,
        problem: &Problem,
        scratch: &mut SearchScratch,
        solution: &mut Solution,
        on_solution: &mut dyn FnMut(&Solution) -> ControlFlow<()>,
    ) -> usize {
        let start = Instant::now();
        // With two turns free the formulas only lead to solutions, perhaps not to all of them.
        let all = |target: &Target| target.free_axes[3..].iter().filter(|free| **free).count() != 2;
        let choices = match problem.mode {
            Mode::Search { .. } if problem.targets.iter().all(all) => self.choices(search, problem, scratch),
            _ => None,
        };
        let Some(choices) = choices else {
            return search.solve_all(FALLBACK, problem, scratch, solution, on_solution);
        };
        let (mut known, mut count, joints) = ([[0.0; JOINTS]; MOST], 0, self.chain.joints().len());
        for (choice, continuous) in choices.as_slice() {
            if !self.hand_out(search, problem, &choice.positions[..joints], scratch, solution) {
                continue;
            }
            if known[..count].iter().any(|known| same(known, &solution.positions, SAME)) {
                continue;
            }
            known[count][..joints].copy_from_slice(&solution.positions);
            count += 1;
            solution.continuous = *continuous;
            solution.elapsed = start.elapsed();
            if on_solution(solution).is_break() {
                break;
            }
        }
        if count > 0 { count } else { search.solve_all(FALLBACK, problem, scratch, solution, on_solution) }
    }

    /// The postures to be tried; `None` for problems that have no closed form.
    fn choices(&self, search: &Search, problem: &Problem, scratch: &mut SearchScratch) -> Option<Choices> {
        let [target] = problem.targets else { return None };
        let track = matches!(problem.mode, Mode::Track { .. });
        let mut seed = [0.0; JOINTS];
        let joints = problem.seed.len();
        seed.get_mut(..joints)?.copy_from_slice(problem.seed);
        let (mut postures, exact) = match &self.form {
            Form::Whole { arm: Whole::General(_), .. } if track && !target.free_axes.contains(&true) => {
                // Newton steps lead to the one posture that is wanted, in a hundredth of the time that all take.
                (Postures::one(seed), false)
            }
            Form::Whole { arm, family } if !target.free_axes.contains(&true) => {
                (arm.postures(&target.pose, &seed), family.exact())
            }
            Form::Short(short) => short.postures(target, &seed)?,
            Form::Whole { .. } | Form::Locked(_) => return None,
        };
        if !exact {
            for posture in postures.as_mut_slice() {
                search.polish(target, POLISHED, &mut posture[..joints], scratch);
            }
        }
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        Some(Choices::new(&self.chain, problem, &postures, &mut |positions, largest_move| {
            if by_manipulability {
                -search.log_manipulability(problem.targets, &positions[..joints], scratch)
            } else {
                largest_move
            }
        }))
    }

    /// Makes a solution of a posture, after Newton steps where it is not exact; tells whether it meets the target.
    fn hand_out(
        &self,
        search: &Search,
        problem: &Problem,
        positions: &[f64],
        scratch: &mut SearchScratch,
        solution: &mut Solution,
    ) -> bool {
        let mut met = search.hand_out(problem.targets, positions, scratch, solution);
        let residual = solution.worst_residual();
        if residual.position > POLISHED || residual.orientation > POLISHED {
            let mut polished = [0.0; REDUNDANT];
            let polished = &mut polished[..positions.len()];
            polished.copy_from_slice(positions);
            search.polish(&problem.targets[0], POLISHED, polished, scratch);
            if settle(&self.chain, problem, polished).is_some() {
                met = search.hand_out(problem.targets, polished, scratch, solution);
            }
        }
        if met {
            (solution.stop, solution.smallest_singular_value) = (Stop::Converged, None);
            (solution.iterations, solution.attempts) = (0, 1);
        }
        met
    }
}

/// Whether two postures differ by no more than `slack` \[rad\] in any joint, whole turns apart or not.
fn same(a: &[f64; JOINTS], b: &[f64], slack: f64) -> bool {
    let step = |a: f64, b: f64| (a - b - ((a - b) / std::f64::consts::TAU).round() * std::f64::consts::TAU).abs();
    a.iter().zip(b).all(|(a, b)| step(*a, *b) <= slack)
}
