//! The poses between those of a configuration and their targets, and whether joint motions follow them.

use super::prepared_search::Search;
use crate::kernel::{Configurations, Goal, Lanes, Task};
use crate::{Bounds, Target};
use urdf_ik_robot::ChainPoses;

/// Sum of the moves of all joints \[rad, or m over the length scale\] up to which a joint motion follows any interpolation between its
/// ends: the pose in the middle deviates by an eighth of its square at most, times one for the rotation and 2.5 length scales of reach for
/// the position, 1 mrad.
const SHORT_MOVE: f64 = 0.05;
/// Largest move of a joint in one piece \[rad, or m over the length scale\]: the pose in the middle tells nothing of whole turns.
const MAX_MOVE: f64 = 1.0;
/// The motion by which a joint motion in the middle may miss the interpolation, over the whole motion. With a quadratic change of the
/// joints, the motion by which the tangent at the start misses the end is four times as long.
const MAX_BEND: f64 = 0.125;
/// Length of a piece \[rad, or m over the length scale\] in which a short joint motion may bend: it ends at a singularity, or passes it.
const FINE_PIECE: f64 = 1e-4;
/// Damping of the steps that measure this \[rad²\]: singularities must not be hidden by it.
const BEND_DAMPING: f64 = 1e-8;
/// Newton steps to a pose at most.
const STEPS: usize = 8;
/// A step that leaves more than this fraction of the squared error is the last.
const MIN_GAIN: f64 = 0.5;
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

impl Interpolation {
    pub fn new(search: &Search) -> Self {
        let targets = || Vec::with_capacity(search.chain.tips().len());
        Self {
            configurations: Configurations::new(&search.kernel.links),
            poses: ChainPoses::new(&search.chain),
            ends: targets(),
            between: targets(),
            goals: Vec::with_capacity(search.chain.tips().len()),
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

    /// Leads `positions` by Newton steps within `bounds` to the poses after this share; tells whether they meet them.
    pub fn solve(&mut self, search: &Search, bounds: Bounds, share: f64, positions: &mut [f64]) -> bool {
        self.set_share(search, share);
        let Self { configurations, goals, steps, .. } = self;
        configurations.write_all(positions);
        let mut before = f64::INFINITY;
        for _ in 0..=STEPS {
            search.kernel.measure(goals, configurations);
            let error = configurations.squared_error.0[0];
            if if share < 1.0 { error <= MET } else { configurations.met & 1 == 1 } {
                configurations.read(0, positions);
                return true;
            }
            if error > MIN_GAIN * before {
                return false;
            }
            before = error;
            *steps += 1;
            let damping = Lanes::splat(DAMPING * error);
            search.kernel.damped_step(Task { goals, bounds }, configurations, &damping, &Lanes::splat(1.0));
        }
        false
    }

    /// Whether the tips follow the interpolation where the joints move evenly along the piece, and the Jacobian changes so little on the way
    /// that no other branch is near.
    pub fn is_followed(&mut self, search: &Search, bounds: Bounds, piece: &Piece) -> bool {
        let ways = || piece.from.iter().zip(piece.to).enumerate().map(|(i, (from, to))| (to - from) / search.unit(i));
        let most = MAX_BEND * ways().map(|way| way * way).sum::<f64>().sqrt();
        if is_short(search, piece.from, piece.to) && (piece.shares[1] - piece.shares[0]) * self.length <= FINE_PIECE {
            return true;
        }
        ways().all(|way| way.abs() <= MAX_MOVE)
            && self.bend(search, bounds, piece, [0.0, 1.0]) <= 4.0 * most
            && self.bend(search, bounds, piece, [0.5, 0.5]) <= most
    }

    /// By how much a Newton step from one share of the piece to the poses of the other misses the joint motion there \[rad, or m over the
    /// length scale\].
    fn bend(&mut self, search: &Search, bounds: Bounds, piece: &Piece, [from, to]: [f64; 2]) -> f64 {
        let Piece { shares: [at, next], .. } = *piece;
        self.set_share(search, at + to * (next - at));
        let Self { configurations, goals, .. } = self;
        for (i, position) in configurations.positions.iter_mut().enumerate() {
            *position = Lanes::splat(piece.at(i, from));
        }
        search.kernel.measure(goals, configurations);
        let task = Task { goals, bounds };
        search.kernel.damped_step(task, configurations, &Lanes::splat(BEND_DAMPING), &Lanes::splat(1.0));
        let misses = configurations.positions.iter().enumerate();
        let misses = misses.map(|(i, position)| (position.0[0] - piece.at(i, to)) / search.unit(i));
        misses.map(|miss| miss * miss).sum::<f64>().sqrt()
    }
}
