//! The poses between those of a configuration and their targets, and whether joint motions follow them.

use super::determinant::Determinant;
use super::prepared_search::Search;
use crate::kernel::{Configurations, Goal, Lanes, Task};
use crate::{Bounds, Target, counted_axes};
use urdf_ik_robot::ChainPoses;

/// Sum of the moves of all joints \[rad, or m over the length scale\] up to which a joint motion follows any interpolation between its
/// ends: the pose in the middle deviates by an eighth of its square at most, times one for the rotation and 2.5 length scales of reach for
/// the position, 1 mrad.
const SHORT_MOVE: f64 = 0.05;
/// Largest move of a joint in one piece \[rad, or m over the length scale\]: the pose in the middle tells nothing of whole turns.
const MAX_MOVE: f64 = 1.0;
/// The motion by which a joint motion may miss the interpolation on its way, over the whole motion. Twice as much leads 10 of 4000 targets
/// beyond where the interpolation ends, this 6, and half as much 3, in more pieces; before the determinant is checked.
const MAX_BEND: f64 = 0.0625;
/// Where on its way this is checked.
const CHECKED: [f64; 3] = [0.25, 0.5, 0.75];
/// Fraction of the squared error that a Newton step from there may leave: limits hold back more.
const MAX_REST: f64 = 0.1;
/// Length of a piece \[rad, or m over the length scale\] in which a short joint motion may bend: it ends at a singularity, or passes it.
const FINE_PIECE: f64 = 1e-4;
/// Damping of the steps that measure this \[rad²\]: singularities must not be hidden by it.
const BEND_DAMPING: f64 = 1e-8;
/// Newton steps to a pose at most.
const STEPS: usize = 8;
/// A step that leaves more than this fraction of the squared error is the last.
const MIN_GAIN: f64 = 0.5;
/// Newton steps at most to the nearest of poses that cannot be met, where they converge linearly.
const NEAREST_STEPS: usize = 64;
/// A Newton step no longer than this \[rad, or m over the length scale\] has arrived where a pose cannot be met.
const STILL: f64 = 1e-4;
/// Squared error \[rad²\] with which a pose between the ends is met.
const MET: f64 = 1e-10;
/// Damping over the squared error \[rad²\], as in a search. Pieces are short, and what leaps is halved.
const DAMPING: f64 = 0.1;

/// Interpolated poses of all tips with a target, in memory that is kept.
#[derive(Debug, Clone)]
pub struct Interpolation {
    configurations: Configurations,
    poses: ChainPoses,
    ends: Vec<Target>,
    between: Vec<Target>,
    goals: Vec<Goal>,
    determinant: Determinant,
    length: f64,
    /// Newton steps taken so far.
    pub steps: usize,
}

/// A straight joint motion, less whole turns \[rad or m\], along a part of an interpolation.
pub struct Piece<'a> {
    pub from: &'a [f64],
    pub to: &'a [f64],
    /// Shares of the interpolation at its ends.
    pub shares: [f64; 2],
}

impl Piece<'_> {
    fn at(&self, variable: usize, share: f64) -> f64 {
        self.from[variable] + share * (self.to[variable] - self.from[variable])
    }
}

/// Whether a joint motion is so short that it deviates from no interpolation between its ends.
pub fn is_short(search: &Search, from: &[f64], to: &[f64]) -> bool {
    let moves = from.iter().zip(to).enumerate().map(|(i, (from, to))| (to - from).abs() / search.unit(i));
    moves.sum::<f64>() <= SHORT_MOVE
}

/// Length of the last Newton step of the first lane \[rad, or m over the length scale\].
fn step_length(search: &Search, configurations: &Configurations) -> f64 {
    let steps = configurations.step.iter().enumerate().map(|(i, step)| step.0[0] / search.unit(i));
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
            goals: Vec::with_capacity(search.chain.tips().len()),
            determinant: Determinant::new(search.variables(), search.chain.tips().len()),
            length: 0.0,
            steps: 0,
        }
    }

    /// Begins at the configuration `start` and ends at `targets`.
    pub fn aim(&mut self, search: &Search, start: &[f64], targets: &[Target]) {
        self.ends.clear();
        self.ends.extend_from_slice(targets);
        self.begin(search, start);
    }

    /// Begins at the first configuration, and ends at the poses of the second, with the axes of `targets`.
    pub fn aim_at_poses(&mut self, search: &Search, [start, end]: [&[f64]; 2], targets: &[Target]) {
        search.chain.forward_kinematics(end, &mut self.poses);
        let tips = self.poses.tips();
        self.ends.clear();
        self.ends.extend(targets.iter().map(|target| Target { pose: tips[target.tip], ..*target }));
        self.begin(search, start);
    }

    fn begin(&mut self, search: &Search, start: &[f64]) {
        search.chain.forward_kinematics(start, &mut self.poses);
        self.set_share(search, 1.0);
        self.length = self.squared_error(search, start).sqrt();
    }

    /// Its length \[rad, or m over the length scale\], over all targets together.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Makes the poses after this share of the interpolation the goals.
    fn set_share(&mut self, search: &Search, share: f64) {
        let Self { poses, ends, between, goals, .. } = self;
        let at = |end: &Target| if share < 1.0 { end.moved_on(&poses.tips()[end.tip], share - 1.0) } else { *end };
        between.clear();
        between.extend(ends.iter().map(at));
        search.kernel.set_goals(between, goals);
    }

    fn squared_error(&mut self, search: &Search, positions: &[f64]) -> f64 {
        self.configurations.write_all(positions);
        search.kernel.measure(&self.goals, &mut self.configurations);
        self.configurations.squared_error.0[0]
    }

    /// Whether the tips can follow an interpolation in all axes that count. An arm with fewer joints follows as nearly as it can.
    fn can_be_met(&self, search: &Search) -> bool {
        counted_axes(&self.ends) <= search.variables()
    }

    /// Leads `positions` by Newton steps within `bounds` to the poses after this share; tells whether they meet them, or where they cannot
    /// between the ends, come as near as they get.
    pub fn solve(&mut self, search: &Search, bounds: Bounds, share: f64, positions: &mut [f64]) -> bool {
        self.set_share(search, share);
        let nearest_is_enough = share < 1.0 && !self.can_be_met(search);
        let Self { configurations, goals, steps, .. } = self;
        configurations.write_all(positions);
        let (mut before, mut is_still) = (f64::INFINITY, false);
        for _ in 0..=if nearest_is_enough { NEAREST_STEPS } else { STEPS } {
            search.kernel.measure(goals, configurations);
            let error = configurations.squared_error.0[0];
            let is_met = if share < 1.0 { error <= MET } else { configurations.met & 1 == 1 };
            if is_met || is_still {
                configurations.read(0, positions);
                return true;
            }
            if !nearest_is_enough && error > MIN_GAIN * before {
                return false;
            }
            before = error;
            *steps += 1;
            // The part of the error that cannot be met must not damp the rest.
            let damping = Lanes::splat(if nearest_is_enough { BEND_DAMPING } else { DAMPING * error });
            search.kernel.damped_step(Task { goals, bounds }, configurations, &damping, &Lanes::splat(1.0));
            is_still = nearest_is_enough && step_length(search, configurations) <= STILL;
        }
        false
    }

    /// Whether the tips follow the interpolation where the joints move evenly along the piece: a few Newton steps within `bounds` from
    /// this motion to the interpolation are short and meet it where it can be met, and no singularity lies between the ends.
    pub fn is_followed(&mut self, search: &Search, bounds: Bounds, piece: &Piece) -> bool {
        let ways = || piece.from.iter().zip(piece.to).enumerate().map(|(i, (from, to))| (to - from) / search.unit(i));
        if is_short(search, piece.from, piece.to) && (piece.shares[1] - piece.shares[0]) * self.length <= FINE_PIECE {
            return true;
        }
        let most = MAX_BEND * ways().map(|way| way * way).sum::<f64>().sqrt();
        ways().all(|way| way.abs() <= MAX_MOVE)
            && CHECKED.iter().all(|share| self.is_near(search, bounds, piece, *share, most))
            && self.keeps_orientation(search, piece)
    }

    /// Whether a Newton step of this length at most \[rad, or m over the length scale\] leads from a share of the piece to the pose there.
    fn is_near(&mut self, search: &Search, bounds: Bounds, piece: &Piece, share: f64, most: f64) -> bool {
        let Piece { shares: [at, next], .. } = *piece;
        self.set_share(search, at + share * (next - at));
        let nearest_is_enough = !self.can_be_met(search);
        let Self { configurations, goals, .. } = self;
        for (i, position) in configurations.positions.iter_mut().enumerate() {
            *position = Lanes::splat(piece.at(i, share));
        }
        search.kernel.measure(goals, configurations);
        let before = configurations.squared_error.0[0];
        let task = Task { goals, bounds };
        search.kernel.damped_step(task, configurations, &Lanes::splat(BEND_DAMPING), &Lanes::splat(1.0));
        let length = step_length(search, configurations);
        search.kernel.measure(goals, configurations);
        length <= most && (nearest_is_enough || configurations.squared_error.0[0] <= (MAX_REST * before).max(MET))
    }

    /// Whether the determinant of the Jacobian, where it has one, has the same sign at both ends of the piece: only singularities change it.
    fn keeps_orientation(&mut self, search: &Search, piece: &Piece) -> bool {
        let Self { configurations, goals, determinant, between, .. } = self;
        if counted_axes(between) != search.variables() {
            return true;
        }
        configurations.write_all(piece.from);
        configurations.write(1, piece.to);
        search.kernel.measure(goals, configurations);
        search.kernel.linearise(goals, configurations);
        let [from, to] = [0, 1].map(|lane| determinant.is_positive(configurations, between, lane));
        from == to
    }
}
