//! The null-space task in a stream of targets: it flows, and gives way.
//!
//! Bounds around the seed keep the motion of one target short. And the arm looks ahead to where the targets lead if they go on as they come.
//! Where tracking cannot follow them there, or only with a jump, because a limit, a singularity or another branch comes, the self-motion
//! to that place begins now, instead of the task.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::clearance::ClearanceCheck;
use super::closest::ClosestDescent;
use super::null_space::NullSpace;
use super::prepared_search::Search;
use super::setup::Setup;
use crate::{Mode, Preference, Problem, Target};
use urdf_ik_robot::ChainPoses;

/// How far ahead: as long as the fastest joint takes for this way \[rad, or m over the length scale\]. Of 0.2, 0.4 and 0.8 the last keeps
/// null-space tasks from the most jumps, in 810 streams each.
const HORIZON: f64 = 0.8;
/// Iterations at most. The direction is what counts.
const ITERATIONS: usize = 20;

/// Null-space tasks in streams, with what it takes to look ahead.
#[derive(Debug, Clone)]
pub struct Flow {
    setup: Setup,
    targets: Vec<Target>,
    poses: ChainPoses,
    closest: ClosestDescent,
    positions: Vec<f64>,
}

impl Flow {
    pub fn new(search: &Search) -> Self {
        Self {
            setup: Setup::new(search),
            targets: Vec::with_capacity(search.chain.tips().len()),
            poses: ChainPoses::new(&search.chain),
            closest: ClosestDescent::new(search),
            positions: vec![0.0; search.variables()],
        }
    }

    /// Moves `positions`, which meet the targets of `problem`, towards its preference. In tracking, where its steps are bounded, they go
    /// first where they would without a task, and then flow on from there.
    pub fn optimise(
        &mut self,
        search: &Search,
        problem: &Problem,
        setup: &mut Setup,
        positions: &mut [f64],
        null_space: &mut NullSpace,
        clearance: &mut ClearanceCheck,
    ) {
        let (Mode::Track { .. }, Some(max_step)) = (problem.mode, problem.preference.max_step) else {
            return null_space.optimise(search, problem, &problem.preference, setup, positions, clearance);
        };
        let (moves, task) = problem.preference.split();
        null_space.optimise(search, problem, &moves, setup, positions, clearance);
        if task.is_none() {
            return;
        }
        let ahead = self.look_ahead(search, problem, setup, positions, max_step);
        let to = |ahead| Preference {
            posture: Some(ahead),
            posture_weight: 1.0,
            max_step: Some(max_step),
            ..Preference::default()
        };
        let task = ahead.map_or(task, to);
        setup.narrow(positions, max_step);
        null_space.optimise(search, problem, &task, setup, positions, clearance);
    }

    /// Looks from `positions`, which meet the targets of `problem`, to where these lead if they go on as they come from the seed. Gives the
    /// positions there, with the whole turns, if tracking does not meet them, or if a joint must be faster than by `max_step` a target, and
    /// faster than now.
    fn look_ahead(
        &mut self,
        search: &Search,
        problem: &Problem,
        setup: &Setup,
        positions: &[f64],
        max_step: &[f64],
    ) -> Option<&[f64]> {
        let fastest = max_step.iter().enumerate().map(|(i, step)| step / search.unit(i)).fold(0.0, f64::max);
        // In greatest steps. Where the arm is faster now, the targets get as far with fewer.
        let room = HORIZON / fastest;
        if !room.is_finite() {
            return None;
        }
        let moves = positions.iter().zip(&setup.start).map(|(to, from)| (to - from).abs());
        let speed = moves.zip(max_step).map(|(step, most)| step / most).fold(1.0, f64::max);
        let Self { setup: ahead, targets, poses, closest, positions: end } = self;
        search.chain.forward_kinematics(problem.seed, poses);
        let rests = |target: &Target| target.residual(&poses.tips()[target.tip]).within(target);
        if problem.targets.iter().all(rests) {
            return None;
        }
        targets.clear();
        targets.extend(problem.targets.iter().map(|target| gone_on(target, &poses.tips()[target.tip], room / speed)));
        ahead.bound_by_limits(setup);
        search.kernel.set_goals(targets, &mut ahead.goals);
        end.copy_from_slice(positions);
        let is_met = closest.descend(&search.kernel, ahead, end, ITERATIONS, &|| false).met;
        let mut ways = end.iter().zip(positions).zip(max_step);
        let is_near = ways.all(|((end, start), step)| (end - start).abs() <= room * step);
        end.iter_mut().zip(&setup.whole_turns).for_each(|(end, turns)| *end += turns);
        (!(is_met && is_near)).then_some(end)
    }
}

/// A target that goes on for so many steps from where the tip was one before.
fn gone_on(target: &Target, before: &Isometry3<f64>, steps: f64) -> Target {
    let (linear, angular) = target.difference(before);
    let shift = Translation3::from(before.rotation * linear * steps);
    let turn = UnitQuaternion::from_scaled_axis(before.rotation * angular * steps);
    let translation = shift * target.pose.translation;
    Target { pose: Isometry3::from_parts(translation, turn * target.pose.rotation), ..*target }
}
