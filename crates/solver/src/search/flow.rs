//! Null-space tasks in a stream of targets: bounded steps, and a look-ahead that overrides the task.
//!
//! Bounds around the seed keep the self-motion of one target short. The look-ahead extrapolates the motion of the
//! targets. If tracking cannot follow them there, or only with a jump at a limit, a singularity or another branch,
//! the self-motion to that configuration starts now and replaces the task.
//!
//! Tracking with goals and without a task uses the freedom of the goals to stay away from joint limits, and from
//! configurations in which the next targets need more joint motion.

use super::clearance::ClearanceCheck;
use super::closest::{Budget, ClosestDescent};
use super::null_space::{NullSpace, NullSpaceTask};
use super::prepared_search::{Search, SearchInput};
use super::setup::Setup;
use super::speed_descent::SpeedDescent;
use crate::kernel::{Goals, Task};
use crate::{Bounds, Mode, Preference, Problem, Target};
use urdf_ik_robot::ChainPoses;

/// Look-ahead distance: motion of the fastest joint \[rad, or m over the length scale\]. Of 0.2, 0.4 and 0.8 the last
/// avoids the most jumps, in 810 streams each.
const HORIZON: f64 = 0.8;
/// Largest number of iterations; only the direction matters.
const MAX_ITERATIONS: usize = 20;

/// Distance that tracking with goals keeps from joint limits where goals leave freedom \[rad, or m over the length
/// scale\], and its largest share of the range between the limits.
const LIMIT_MARGIN: f64 = 0.3;
const MARGIN_OF_RANGE: f64 = 0.1;

/// Factor of the descent of joint speed in tracking with goals \[rad\]. Of 1, 3 and 10 the last two avoid the most
/// jumps, in 810 streams each.
const DESCENT: f64 = 3.0;

/// Null-space tasks in streams, with the memory of the look-ahead.
#[derive(Debug, Clone)]
pub struct Flow {
    pub null_space: NullSpace,
    speed_descent: SpeedDescent,
    targets: Vec<Target>,
    /// Goals of the extrapolated targets.
    goals: Goals,
    /// Bounds of the look-ahead, then of the task \[rad or m\].
    lower: Vec<f64>,
    upper: Vec<f64>,
    poses: ChainPoses,
    closest: ClosestDescent,
    positions: Vec<f64>,
}

impl Flow {
    pub fn new(search: &Search) -> Self {
        Self {
            null_space: NullSpace::new(search),
            speed_descent: SpeedDescent::default(),
            targets: Vec::with_capacity(search.chain.tips().len()),
            goals: Goals::for_targets(search.chain.tips().len()),
            lower: vec![0.0; search.variables()],
            upper: vec![0.0; search.variables()],
            poses: ChainPoses::new(&search.chain),
            closest: ClosestDescent::new(search),
            positions: vec![0.0; search.variables()],
        }
    }

    /// Moves `positions` \[rad or m\] in place towards the preference of the problem. They must meet its targets. In
    /// tracking with bounded steps, displacements are minimised first, and the task starts from the result.
    pub fn optimise(
        &mut self,
        input: SearchInput,
        setup: &Setup,
        positions: &mut [f64],
        clearance: &mut ClearanceCheck,
    ) {
        let Problem { mode, preference, goals, .. } = input.problem;
        let has_task = !preference.is_none() || preference.move_weights.is_some();
        if matches!(mode, Mode::Track { .. }) && !goals.is_empty() && !has_task {
            return self.spend_freedom(input, setup, positions, clearance);
        }
        let (Mode::Track { .. }, Some(max_step)) = (mode, preference.max_step) else {
            return self.null_space.optimise(NullSpaceTask::new(input, setup, preference), positions, clearance);
        };
        let (moves, task) = preference.split();
        self.null_space.optimise(NullSpaceTask::new(input, setup, &moves), positions, clearance);
        if task.is_none() {
            return;
        }
        let overrides_task = self.look_ahead(input, setup, positions, max_step);
        let ahead = Preference {
            posture: Some(&self.positions),
            posture_weight: 1.0,
            max_step: Some(max_step),
            ..Preference::default()
        };
        let preference = if overrides_task { ahead } else { task };
        let Self { null_space, lower, upper, .. } = self;
        // A variable that the targets moved farther than its step stays there.
        for (i, (position, step)) in positions.iter().zip(max_step).enumerate() {
            lower[i] = setup.bounds().lower[i].max(position.min(setup.start[i] - step));
            upper[i] = setup.bounds().upper[i].min(position.max(setup.start[i] + step));
        }
        let mut task = NullSpaceTask::new(input, setup, &preference);
        task.view.bounds = Bounds { lower, upper };
        null_space.optimise(task, positions, clearance);
    }

    /// Moves `positions`, which meet targets and goals, away from near joint limits, because a self-motion into a
    /// limit can end the branch, and against the gradient of the joint speed. No variable moves farther than
    /// the fastest one did for the targets, so that satisfied targets move nothing.
    fn spend_freedom(
        &mut self,
        input: SearchInput,
        setup: &Setup,
        positions: &mut [f64],
        clearance: &mut ClearanceCheck,
    ) {
        let units = &input.search.units;
        let moves = positions.iter().zip(&setup.start).enumerate().map(|(i, (to, from))| (to - from).abs() / units[i]);
        let fastest = moves.fold(0.0, f64::max);
        if fastest == 0.0 {
            return;
        }
        let Self { null_space, speed_descent, lower, upper, positions: wanted, .. } = self;
        let configurations = &mut null_space.jacobian.configurations;
        let descent = speed_descent.at(input.search, setup, positions, fastest, configurations);
        for (i, position) in positions.iter().enumerate() {
            let ([least, greatest], at) = (setup.domains[i].ends(), position + setup.whole_turns[i]);
            let margin = (LIMIT_MARGIN * units[i]).min(MARGIN_OF_RANGE * (greatest - least));
            let slower = at + DESCENT * descent[i] * units[i];
            wanted[i] = slower.max(least + margin).min(greatest - margin);
            lower[i] = setup.bounds().lower[i].max(position - fastest * units[i]);
            upper[i] = setup.bounds().upper[i].min(position + fastest * units[i]);
        }
        let preference = Preference { posture: Some(wanted), posture_weight: 1.0, ..Preference::default() };
        let mut task = NullSpaceTask { flows: true, ..NullSpaceTask::new(input, setup, &preference) };
        task.view.bounds = Bounds { lower, upper };
        null_space.optimise(task, positions, clearance);
    }

    /// Extrapolates the motion of the targets from the seed, and writes the positions that track them from
    /// `positions`, with full revolutions. True if these positions should override the task: tracking fails there, or
    /// a joint exceeds `max_step` per target and its current speed.
    fn look_ahead(&mut self, input: SearchInput, setup: &Setup, positions: &[f64], max_step: &[f64]) -> bool {
        let SearchInput { search, problem } = input;
        let fastest = max_step.iter().enumerate().map(|(i, step)| step / search.units[i]).fold(0.0, f64::max);
        // In units of the largest step. If the arm moves faster now, fewer targets cover the distance.
        let horizon = HORIZON / fastest;
        if !horizon.is_finite() {
            return false;
        }
        let moves = positions.iter().zip(&setup.start).map(|(to, from)| (to - from).abs());
        let speed = moves.zip(max_step).map(|(step, most)| step / most).fold(1.0, f64::max);
        let Self { targets, goals, lower, upper, poses, closest, positions: end, .. } = self;
        search.chain.forward_kinematics(problem.seed, poses);
        let is_met = |target: &Target| target.residual(&poses.tips()[target.tip]).within(target);
        if problem.targets.iter().all(is_met) {
            return false;
        }
        targets.clear();
        targets.extend(
            problem.targets.iter().map(|target| target.extrapolated(&poses.tips()[target.tip], horizon / speed)),
        );
        for (i, domain) in setup.domains.iter().enumerate() {
            [lower[i], upper[i]] = domain.ends().map(|end| end - setup.whole_turns[i]);
        }
        search.kernel.set_targets(targets, goals);
        let task = Task { goals, bounds: Bounds { lower, upper } };
        end.copy_from_slice(positions);
        let is_met = closest.descend(&search.kernel, task, end, Budget::of(MAX_ITERATIONS)).met;
        let mut moves = end.iter().zip(positions).zip(max_step);
        let is_near = moves.all(|((end, start), step)| (end - start).abs() <= horizon * step);
        end.iter_mut().zip(&setup.whole_turns).for_each(|(end, turns)| *end += turns);
        !(is_met && is_near)
    }
}
