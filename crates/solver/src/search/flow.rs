//! The null-space task in a stream of targets: it flows, and gives way.
//!
//! Bounds around the seed keep the motion of one target short. And the arm looks ahead to where the targets lead if they go on as they come.
//! Where tracking cannot follow them there, or only with a jump, because a limit, a singularity or another branch comes, the self-motion
//! to that place begins now, instead of the task.

use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent};
use super::null_space::NullSpace;
use super::prepared_search::{Posed, Search};
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
    pub null_space: NullSpace,
    setup: Setup,
    targets: Vec<Target>,
    poses: ChainPoses,
    closest: ClosestDescent,
    positions: Vec<f64>,
}

impl Flow {
    pub fn new(search: &Search) -> Self {
        Self {
            null_space: NullSpace::new(search),
            setup: Setup::new(search),
            targets: Vec::with_capacity(search.chain.tips().len()),
            poses: ChainPoses::new(&search.chain),
            closest: ClosestDescent::new(search),
            positions: vec![0.0; search.variables()],
        }
    }

    /// Moves `positions`, which meet the targets of `problem`, towards its preference. In tracking, where its steps are bounded, they go
    /// first where they would without a task, and then flow on from there.
    pub fn optimise(&mut self, posed: Posed, setup: &mut Setup, positions: &mut [f64], clearance: &mut ClearanceCheck) {
        let problem = posed.problem;
        let preferring = |preference| Problem { preference, ..*problem };
        let (Mode::Track { .. }, Some(max_step)) = (problem.mode, problem.preference.max_step) else {
            return self.null_space.optimise(posed, setup, positions, clearance);
        };
        let (moves, task) = problem.preference.split();
        self.null_space.optimise(Posed { problem: &preferring(moves), ..posed }, setup, positions, clearance);
        if task.is_none() {
            return;
        }
        let is_led = self.look_ahead(posed, setup, positions, max_step);
        let ahead = Preference {
            posture: Some(&self.positions),
            posture_weight: 1.0,
            max_step: Some(max_step),
            ..Preference::default()
        };
        let task = preferring(if is_led { ahead } else { task });
        setup.narrow(positions, max_step);
        self.null_space.optimise(Posed { problem: &task, ..posed }, setup, positions, clearance);
    }

    /// Looks from `positions`, which meet the targets of the problem, to where these lead if they go on as they come from the seed. Writes
    /// the positions there, with the whole turns, and tells whether they should lead: tracking does not meet them, or a joint must be faster
    /// than by `max_step` a target, and faster than now.
    fn look_ahead(&mut self, posed: Posed, setup: &Setup, positions: &[f64], max_step: &[f64]) -> bool {
        let Posed { search, problem } = posed;
        let fastest = max_step.iter().enumerate().map(|(i, step)| step / search.unit(i)).fold(0.0, f64::max);
        // In greatest steps. Where the arm is faster now, the targets get as far with fewer.
        let room = HORIZON / fastest;
        if !room.is_finite() {
            return false;
        }
        let moves = positions.iter().zip(&setup.start).map(|(to, from)| (to - from).abs());
        let speed = moves.zip(max_step).map(|(step, most)| step / most).fold(1.0, f64::max);
        let Self { setup: ahead, targets, poses, closest, positions: end, .. } = self;
        search.chain.forward_kinematics(problem.seed, poses);
        let rests = |target: &Target| target.residual(&poses.tips()[target.tip]).within(target);
        if problem.targets.iter().all(rests) {
            return false;
        }
        targets.clear();
        targets.extend(problem.targets.iter().map(|target| target.moved_on(&poses.tips()[target.tip], room / speed)));
        ahead.bound_by_limits(setup);
        search.kernel.set_goals(targets, &mut ahead.goals);
        end.copy_from_slice(positions);
        let is_met = closest.descend(&search.kernel, ahead.task(), end, Budget::of(ITERATIONS)).met;
        let mut ways = end.iter().zip(positions).zip(max_step);
        let is_near = ways.all(|((end, start), step)| (end - start).abs() <= room * step);
        end.iter_mut().zip(&setup.whole_turns).for_each(|(end, turns)| *end += turns);
        !(is_met && is_near)
    }
}
