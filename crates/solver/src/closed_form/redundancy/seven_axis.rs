//! A chain of seven revolute joints: a sweep by its outermost joint where it has a spherical wrist, then the sweep
//! of a locked joint.

use super::descent::Descent;
use super::grid;
use super::joint_ranges::JointRanges;
use super::locked_joint::LockedJoint;
use super::locked_sweep::LockedSweep;
use super::spherical_wrist::SphericalWristArm;
use crate::closed_form::candidates::{Candidate, Candidates};
use crate::closed_form::choices::{fold_into_limits, hand_out};
use crate::search::{Search, SearchInput, SearchScratch};
use crate::{Mode, Pick, Solution};
use urdf_ik_closed_form::{Axes, NoClosedForm, REDUNDANT_JOINTS};

/// Most candidates of a sweep that are tried, until one meets the target.
const MAX_TRIED: usize = 5;

/// A chain of seven revolute joints.
#[derive(Debug, Clone)]
pub(in crate::closed_form) struct SevenAxis {
    /// The joint to sweep if the chain has no spherical wrist, or if no solution was found with it.
    pub locked: LockedJoint,
    arm: Option<Box<SphericalWristArm>>,
}

impl SevenAxis {
    /// Finds the joint to lock, and the spherical wrist if there is one.
    ///
    /// # Errors
    /// [`NoClosedForm`] if no joint can be locked, with the reason.
    pub fn new(search: &Search) -> Result<Self, NoClosedForm> {
        let (axes, length) = (Axes::new(&search.chain)?, search.reach[0].extent);
        let locked = LockedJoint::find(&axes, search)?;
        Ok(Self { locked, arm: SphericalWristArm::new(&axes, length).map(Box::new) })
    }

    /// A sentence on the common property of the axes and their deviations, with the names `joints` from base to tip.
    pub fn in_words(&self, joints: &[&str]) -> String {
        self.arm.as_ref().map_or_else(|| self.locked.in_words(joints), |arm| arm.in_words(joints))
    }

    /// Solves a problem and writes the result into `solution`. Returns true if the target is met.
    pub fn solve(&self, posed: SearchInput, scratch: &mut SearchScratch, solution: &mut Solution) -> bool {
        let problem = posed.problem;
        let ([target], Some(ranges)) = (problem.targets, JointRanges::new(posed)) else { return false };
        if target.free_axes.contains(&true) || !problem.preference.is_none() || problem.cost.is_some() {
            return false;
        }
        let descent = Descent::new(posed, ranges, scratch);
        let sweep = LockedSweep { locked: &self.locked, descent: &descent };
        let candidates = match problem.mode {
            Mode::Search { pick: Pick::MostManipulable, .. } => sweep.most_manipulable(scratch),
            _ => self.least(&sweep, scratch),
        };
        let inside = candidates.as_slice().iter().filter_map(|candidate| ranges.allowed(&candidate.at));
        inside.take(MAX_TRIED).any(|moves| {
            // A position computed from a move may exceed a limit by rounding.
            let mut positions = ranges.positions(&moves);
            fold_into_limits(posed, &mut positions).is_some() && hand_out(posed, &positions, scratch, solution)
        })
    }

    /// The configuration with the least largest move, if one is found. Tracking stays on the seed's branch: it
    /// descends from the seed.
    fn least(&self, sweep: &LockedSweep, scratch: &mut SearchScratch) -> Candidates {
        let (descent, mut best) = (sweep.descent, None);
        match (descent.posed.problem.mode, &self.arm) {
            (Mode::Track { .. }, _) => descent.descend(&[0.0; REDUNDANT_JOINTS], &mut best, scratch),
            (Mode::Search { .. }, Some(arm)) => grid::least(arm, descent, &mut best, scratch),
            (Mode::Search { .. }, None) => {}
        }
        if best.is_none() {
            sweep.least(&mut best, scratch);
        }
        let mut candidates = Candidates::default();
        if let Some(Candidate { cost, at }) = best {
            candidates.insert(cost, at);
        }
        candidates
    }
}
