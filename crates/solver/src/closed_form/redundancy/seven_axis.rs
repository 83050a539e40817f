//! A chain of seven revolute joints: a search for the least move where its axes allow one, then the sweep of a locked joint.

use super::arm_angle::ArmAngle;
use super::arm_angle_search::ArmAngleSearch;
use super::descent::{Descent, Least};
use super::joint_ranges::JointRanges;
use super::locked_joint::LockedJoint;
use super::offset::OffsetArm;
use super::offset_search::OffsetSearch;
use super::sweep::{Sweep, Swept};
use crate::closed_form::choices::{folded_into_limits, hand_out};
use crate::search::{Posed, Search, SearchScratch};
use crate::{Mode, Pick, Problem, Solution};
use urdf_ik_closed_form::{Axes, NoClosedForm, REDUNDANT_JOINTS};

/// The most configurations of a sweep that are handed out, until one meets the target.
const MAX_HANDED_OUT: usize = 4;

/// A chain of seven revolute joints.
#[derive(Debug, Clone)]
pub(in crate::closed_form) struct SevenAxis {
    /// The joint that is swept where no other search serves, or none finds a solution.
    pub locked: LockedJoint,
    least_move: Option<LeastMoveSearch>,
}

/// What goes before the sweep of the locked joint, where shoulder and wrist are spherical, or one of them: a search for the least
/// largest move from the seed.
#[derive(Debug, Clone)]
enum LeastMoveSearch {
    ArmAngle(Box<ArmAngleSearch>),
    Offset(Box<OffsetSearch>),
}

impl SevenAxis {
    /// Finds the joint to lock, and what goes before its sweep.
    ///
    /// # Errors
    /// [`NoClosedForm`], which says what is in the way.
    pub fn new(search: &Search) -> Result<Self, NoClosedForm> {
        let (axes, length) = (Axes::new(&search.chain)?, search.reach[0].extent);
        let locked = LockedJoint::find(&axes, search)?;
        let arm_angle =
            || Some(LeastMoveSearch::ArmAngle(Box::new(ArmAngleSearch::new(ArmAngle::new(&axes, length)?))));
        let offset = || Some(LeastMoveSearch::Offset(Box::new(OffsetSearch::new(OffsetArm::new(&axes, length)?))));
        Ok(Self { locked, least_move: arm_angle().or_else(offset) })
    }

    /// What the axes have in common, and by how much they miss it, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        match &self.least_move {
            Some(LeastMoveSearch::ArmAngle(search)) => search.arm.in_words(joints),
            Some(LeastMoveSearch::Offset(search)) => search.arm.in_words(joints),
            None => self.locked.in_words(joints),
        }
    }

    /// Solves a problem; tells whether the target is met.
    pub fn solve(&self, posed: Posed, scratch: &mut SearchScratch, solution: &mut Solution) -> bool {
        let Posed { search, problem } = posed;
        let ([target], Some(ranges)) = (problem.targets, JointRanges::new(posed)) else { return false };
        if target.free_axes.contains(&true) || !problem.preference.is_none() || problem.cost.is_some() {
            return false;
        }
        let descent = Descent::to(search, target, &ranges, scratch);
        let least = self.least(problem, &descent, scratch);
        let least = least.and_then(|least| folded_into_limits(posed, &ranges.positions(&least.moves)));
        if least.is_some_and(|(positions, _)| hand_out(posed, &positions, scratch, solution)) {
            return true;
        }
        let by_manipulability = matches!(problem.mode, Mode::Search { pick: Pick::MostManipulable, .. });
        let sweep = Sweep { locked: &self.locked, posed, target, ranges, by_manipulability };
        let starts = sweep.starts(scratch);
        let best = sweep.least(&starts, scratch);
        let inside = |start: &&Swept| folded_into_limits(posed, &start.at).is_some();
        let others = starts.all.as_slice().iter().filter(inside).take(MAX_HANDED_OUT);
        let mut candidates = best.iter().chain(others);
        candidates.any(|found| hand_out(posed, &found.at, scratch, solution))
    }

    /// The configuration with the least move that is found without locking a joint. Tracking stays on the seed's branch: it goes down
    /// from the seed.
    fn least(&self, problem: &Problem, descent: &Descent, scratch: &mut SearchScratch) -> Option<Least> {
        let pose = &problem.targets[0].pose;
        match problem.mode {
            Mode::Track { .. } => {
                let mut least = None;
                descent.go_down(&[0.0; REDUNDANT_JOINTS], &mut least, scratch);
                least
            }
            Mode::Search { pick: Pick::First | Pick::Nearest, .. } => match self.least_move.as_ref()? {
                LeastMoveSearch::ArmAngle(search) => search.least(pose, descent, scratch),
                LeastMoveSearch::Offset(search) => search.least(pose, descent, scratch),
            },
            Mode::Search { .. } => None,
        }
    }
}
