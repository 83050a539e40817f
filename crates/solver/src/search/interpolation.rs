//! Interpolated poses between a configuration and its targets, and whether joint motions follow them.

use super::determinant::Determinant;
use super::prepared_search::Search;
use crate::kernel::{Configurations, Goals, Lanes, Task};
use crate::{Bounds, Target, counted_axes};
use urdf_ik_robot::ChainPoses;

/// Sum of the moves of all joints up to which a joint motion follows any interpolation between its ends \[rad, or m
/// over the length scale\]. The middle pose deviates by at most an eighth of its square, times one for the rotation
/// and 2.5 length scales of reach for the position: 1 mrad.
const MAX_SHORT_MOVE: f64 = 0.05;
/// Largest move of a joint in one piece \[rad, or m over the length scale\]: the middle pose does not detect
/// full revolutions.
const MAX_MOVE: f64 = 1.0;
/// Deviation of a joint motion from the interpolation, relative to the whole motion. Before the determinant is
/// checked, twice as much accepts 10 of 4000 targets beyond the end of the interpolation, this 6, and half as much 3,
/// with more pieces.
const MAX_DEVIATION: f64 = 0.0625;
/// Fractions of the motion at which the deviation is checked.
const CHECKED_FRACTIONS: [f64; 3] = [0.25, 0.5, 0.75];
/// Fraction of the squared error that a Newton step at a check may leave: active limits leave more.
const MAX_REMAINING_ERROR: f64 = 0.1;
/// Length of a piece \[rad, or m over the length scale\] up to which a short joint motion is not checked: it ends at
/// a singularity, or passes it.
const FINE_PIECE: f64 = 1e-4;
/// Damping of the checking steps \[rad²\]: small, so that singularities show.
const CHECK_DAMPING: f64 = 1e-8;
/// Largest number of Newton steps to a pose.
const MAX_NEWTON_STEPS: usize = 8;
/// A step that leaves more than this fraction of the squared error is the last.
const MIN_GAIN: f64 = 0.5;
/// Largest number of Newton steps to the closest configuration of an unreachable pose, where convergence is linear.
const MAX_LINEAR_STEPS: usize = 64;
/// Length of a converged Newton step to an unreachable pose \[rad, or m over the length scale\].
const CONVERGED_STEP: f64 = 1e-4;
/// Squared error up to which an intermediate pose is met \[rad²\].
const MET_ERROR: f64 = 1e-10;
/// Damping over the squared error, as in a search. Pieces are short, and leaps are halved.
const DAMPING: f64 = 0.1;

/// Interpolated poses of all tips with a target.
#[derive(Debug, Clone)]
pub struct Interpolation {
    configurations: Configurations,
    poses: ChainPoses,
    ends: Vec<Target>,
    between: Vec<Target>,
    goals: Goals,
    determinant: Determinant,
    /// Length over all targets together \[rad\], with positions divided by the length scale.
    pub length: f64,
    /// Number of Newton steps so far.
    pub steps: usize,
}

/// A straight joint motion along a part of an interpolation.
pub struct StraightMotion<'a> {
    /// Positions at the start \[rad or m\], one entry per variable.
    pub from: &'a [f64],
    /// Positions at the end \[rad or m\], one entry per variable.
    pub to: &'a [f64],
    /// Fractions of the interpolation at the ends of the motion, from 0 to 1.
    pub fractions: [f64; 2],
}

/// True if the joint motion between two configurations \[rad or m\] is too short to deviate from any interpolation
/// between its ends.
pub fn is_short(search: &Search, from: &[f64], to: &[f64]) -> bool {
    let moves = from.iter().zip(to).enumerate().map(|(i, (from, to))| (to - from).abs() / search.units[i]);
    moves.sum::<f64>() <= MAX_SHORT_MOVE
}

/// Length of the last Newton step of the first lane \[rad, or m over the length scale\].
fn step_length(search: &Search, configurations: &Configurations) -> f64 {
    let steps = configurations.step.iter().enumerate().map(|(i, step)| step.0[0] / search.units[i]);
    steps.map(|step| step * step).sum::<f64>().sqrt()
}

impl Interpolation {
    pub fn new(search: &Search) -> Self {
        let targets = || Vec::with_capacity(search.chain.tips().len());
        Self {
            configurations: Configurations::new(&search.kernel.links),
            poses: ChainPoses::new(&search.chain),
            ends: targets(),
            between: targets(),
            goals: Goals::for_targets(search.chain.tips().len()),
            determinant: Determinant::new(search.variables(), search.chain.tips().len()),
            length: 0.0,
            steps: 0,
        }
    }

    /// Sets the ends: the tip poses at the configuration `start` \[rad or m\], and the `targets`.
    pub fn aim(&mut self, search: &Search, start: &[f64], targets: &[Target]) {
        self.ends.clear();
        self.ends.extend_from_slice(targets);
        self.begin(search, start);
    }

    /// Sets the ends: the tip poses at the configurations `start` and `end` \[rad or m\], on the axes of `targets`.
    pub fn aim_at_poses(&mut self, search: &Search, [start, end]: [&[f64]; 2], targets: &[Target]) {
        search.chain.forward_kinematics(end, &mut self.poses);
        let tips = self.poses.tips();
        self.ends.clear();
        self.ends.extend(targets.iter().map(|target| Target { pose: tips[target.tip], ..*target }));
        self.begin(search, start);
    }

    fn begin(&mut self, search: &Search, start: &[f64]) {
        search.chain.forward_kinematics(start, &mut self.poses);
        self.set_fraction(search, 1.0);
        self.length = self.squared_error(search, start).sqrt();
    }

    /// Sets the goals to the poses at this fraction of the interpolation.
    fn set_fraction(&mut self, search: &Search, fraction: f64) {
        let Self { poses, ends, between, goals, .. } = self;
        let at =
            |end: &Target| if fraction < 1.0 { end.extrapolated(&poses.tips()[end.tip], fraction - 1.0) } else { *end };
        between.clear();
        between.extend(ends.iter().map(at));
        search.kernel.set_targets(between, goals);
    }

    fn squared_error(&mut self, search: &Search, positions: &[f64]) -> f64 {
        self.configurations.write_all(positions);
        search.kernel.measure(&self.goals, &mut self.configurations);
        self.configurations.squared_error.0[0]
    }

    /// True if the chain can follow an interpolation in all constrained axes. Chains with fewer variables
    /// follow as closely as possible.
    fn can_be_met(&self, search: &Search) -> bool {
        counted_axes(&self.ends) <= search.variables()
    }

    /// Moves `positions` \[rad or m\] by Newton steps within `bounds` to the poses at `fraction` (0 to 1), in place.
    /// Returns true if the poses are met. For intermediate poses that cannot be met, returns true if the steps
    /// converged; for failures, `positions` are unchanged.
    pub fn solve(&mut self, search: &Search, bounds: Bounds, fraction: f64, positions: &mut [f64]) -> bool {
        self.set_fraction(search, fraction);
        let nearest_is_enough = fraction < 1.0 && !self.can_be_met(search);
        let Self { configurations, goals, steps, .. } = self;
        configurations.write_all(positions);
        let (mut before, mut has_converged) = (f64::INFINITY, false);
        for _ in 0..=if nearest_is_enough { MAX_LINEAR_STEPS } else { MAX_NEWTON_STEPS } {
            search.kernel.measure(goals, configurations);
            let error = configurations.squared_error.0[0];
            let is_met = if fraction < 1.0 { error <= MET_ERROR } else { configurations.met & 1 == 1 };
            if is_met || has_converged {
                configurations.read(0, positions);
                return true;
            }
            if !nearest_is_enough && error > MIN_GAIN * before {
                return false;
            }
            before = error;
            *steps += 1;
            // Error that cannot be reduced must not damp the rest.
            let damping = Lanes::splat(if nearest_is_enough { CHECK_DAMPING } else { DAMPING * error });
            search.kernel.damped_step(Task { goals, bounds }, configurations, &damping, &Lanes::splat(1.0));
            has_converged = nearest_is_enough && step_length(search, configurations) <= CONVERGED_STEP;
        }
        false
    }

    /// True if the tips follow the interpolation along the straight joint `motion`: Newton steps within `bounds`
    /// \[rad or m\] from checked configurations to the interpolation are short and converge, and no singularity lies
    /// between the ends.
    pub fn is_followed(&mut self, search: &Search, bounds: Bounds, motion: &StraightMotion) -> bool {
        let steps =
            || motion.from.iter().zip(motion.to).enumerate().map(|(i, (from, to))| (to - from) / search.units[i]);
        if is_short(search, motion.from, motion.to)
            && (motion.fractions[1] - motion.fractions[0]) * self.length <= FINE_PIECE
        {
            return true;
        }
        let most = MAX_DEVIATION * steps().map(|step| step * step).sum::<f64>().sqrt();
        steps().all(|step| step.abs() <= MAX_MOVE)
            && CHECKED_FRACTIONS.iter().all(|fraction| self.is_near(search, bounds, motion, *fraction, most))
            && self.passes_no_singularity(search, motion)
    }

    /// True if a Newton step of at most `most` \[rad, or m over the length scale\] leads from a point of the motion
    /// to its pose of the interpolation.
    fn is_near(&mut self, search: &Search, bounds: Bounds, motion: &StraightMotion, fraction: f64, most: f64) -> bool {
        let StraightMotion { from, to, fractions: [at, next] } = *motion;
        self.set_fraction(search, at + fraction * (next - at));
        let nearest_is_enough = !self.can_be_met(search);
        let Self { configurations, goals, .. } = self;
        for (i, position) in configurations.positions.iter_mut().enumerate() {
            *position = Lanes::splat(from[i] + fraction * (to[i] - from[i]));
        }
        search.kernel.measure(goals, configurations);
        let before = configurations.squared_error.0[0];
        let task = Task { goals, bounds };
        search.kernel.damped_step(task, configurations, &Lanes::splat(CHECK_DAMPING), &Lanes::splat(1.0));
        let length = step_length(search, configurations);
        search.kernel.measure(goals, configurations);
        length <= most
            && (nearest_is_enough || configurations.squared_error.0[0] <= (MAX_REMAINING_ERROR * before).max(MET_ERROR))
    }

    /// True if the determinant of a square Jacobian has the same sign at both ends: only singularities change it.
    /// True for other Jacobians.
    fn passes_no_singularity(&mut self, search: &Search, motion: &StraightMotion) -> bool {
        let Self { configurations, goals, determinant, between, .. } = self;
        if counted_axes(between) != search.variables() {
            return true;
        }
        configurations.write_all(motion.from);
        configurations.write(1, motion.to);
        search.kernel.measure(goals, configurations);
        search.kernel.linearise(goals, configurations);
        let [from, to] = [0, 1].map(|lane| determinant.is_positive(configurations, between, lane));
        from == to
    }
}
