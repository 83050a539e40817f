//! A chain of seven revolute joints: a sweep by its outermost joint where it has a spherical wrist, then the sweep
//! of a locked joint.

use super::candidates::Candidate;
use super::descent::Descent;
use super::grid;
use super::joint_ranges::{JointRanges, Seven};
use super::locked_joint::LockedJoint;
use super::locked_sweep::LockedSweep;
use super::spherical_wrist::SphericalWristArm;
use crate::closed_form::choices::{fold_into_limits, hand_out};
use crate::search::{Search, SearchInput, SearchScratch};
use crate::{Mode, Pick, Solution};
use urdf_ik_closed_form::{Axes, NoClosedForm, REDUNDANT_JOINTS};

/// Most by which a descent leads to a smaller move than that of a refined sample, and least that is worth a
/// second sweep \[rad\].
const SAMPLE_ERROR: f64 = 0.1;
/// Most candidates of a sweep that are tried, until one meets the target.
const MAX_TRIED: usize = 5;

/// A chain of seven revolute joints.
#[derive(Debug, Clone)]
pub(in crate::closed_form) struct SevenAxis {
    /// The joint to sweep if the chain has no spherical wrist, or no solution was found.
    pub locked: LockedJoint,
    arm: Option<Box<SphericalWristArm>>,
}

impl SevenAxis {
    /// Finds the joint to lock, and the spherical wrist.
    ///
    /// # Errors
    /// [`NoClosedForm`] with the reason.
    pub fn new(search: &Search) -> Result<Self, NoClosedForm> {
        let (axes, length) = (Axes::new(&search.chain)?, search.reach[0].extent);
        let locked = LockedJoint::find(&axes, search)?;
        Ok(Self { locked, arm: SphericalWristArm::new(&axes, length).map(Box::new) })
    }

    /// A sentence on the common property of the axes and their deviations, with joint names.
    pub fn in_words(&self, joints: &[&str]) -> String {
        self.arm.as_ref().map_or_else(|| self.locked.in_words(joints), |arm| arm.in_words(joints))
    }

    /// Solves a problem and writes `solution`; true if the target is met.
    pub fn solve(&self, posed: SearchInput, scratch: &mut SearchScratch, solution: &mut Solution) -> bool {
        let problem = posed.problem;
        let ([target], Some(ranges)) = (problem.targets, JointRanges::new(posed)) else { return false };
        if target.free_axes.contains(&true) || !problem.preference.is_none() || problem.cost.is_some() {
            return false;
        }
        let descent = Descent::new(posed, ranges, scratch);
        let least = self.least(&descent, scratch);
        // A position computed from a move may exceed a limit by rounding.
        let mut is_solved = |moves: &Seven, scratch: &mut SearchScratch| {
            let mut positions = ranges.positions(moves);
            fold_into_limits(posed, &mut positions).is_some() && hand_out(posed, &positions, scratch, solution)
        };
        if least.is_some_and(|least| is_solved(&least.at, scratch)) {
            return true;
        }
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        let candidates = LockedSweep { locked: &self.locked, descent: &descent, by_manipulability }.best(scratch);
        let inside = candidates.as_slice().iter().filter_map(|candidate| ranges.allowed(&candidate.at));
        inside.take(MAX_TRIED).any(|moves| is_solved(&moves, scratch))
    }

    /// The configuration with the least largest move that is found without locking a joint. Tracking stays on the
    /// seed's branch: it descends from the seed.
    fn least(&self, descent: &Descent, scratch: &mut SearchScratch) -> Option<Candidate> {
        let (problem, mut best) = (descent.posed.problem, None::<Candidate>);
        match problem.mode {
            Mode::Track { .. } => descent.descend(&[0.0; REDUNDANT_JOINTS], &mut best, scratch),
            Mode::Search { pick: Pick::First | Pick::Nearest, .. } => {
                let arm = self.arm.as_ref()?;
                let pose = &problem.targets[0].pose;
                let mut known = None;
                for _ in 0..2 {
                    let (candidates, promised) = grid::sweep(arm, pose, descent, known);
                    for start in candidates.as_slice() {
                        // No later start leads to a smaller move.
                        if best.is_some_and(|best| start.cost > best.cost + SAMPLE_ERROR) {
                            break;
                        }
                        descent.descend_from(&start.at, &mut best, scratch);
                    }
                    let found = best.map_or(f64::INFINITY, |best| best.cost);
                    if found <= promised + SAMPLE_ERROR {
                        break;
                    }
                    // The best sample was beyond limits, and led nowhere: samples that it pruned count again.
                    known = Some(found);
                }
            }
            Mode::Search { .. } => {}
        }
        best
    }
}
