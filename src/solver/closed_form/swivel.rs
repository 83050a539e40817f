//! The arm angle gone over: at which of its values, and which ways round, an arm moves least from the seed.
//!
//! Shoulder and wrist turn over each for itself. At every value on a grid the largest moves of their joints are found either way, eight
//! values side by side and in single precision, which is plenty for a ranking. Limits that are passed count as a move of several
//! times as much, so that a narrow way between limits is still a minimum of the grid. Where a shoulder or a wrist comes near its
//! singularity, its joints turn far within a little of the arm angle: there the grid is finer.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::f64::consts::TAU;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};
use nalgebra::Isometry3;

use super::arm_angle::{ArmAngle, Ball, Bend, Entries, Reach};
use super::descent::{Descent, Least};
use super::room::{BEYOND, LITTLE, Room};
use super::trigonometric::Linear;
use super::turn::Turn;
use crate::solver::jacobian::JacobianScratch;

/// Values that are gone over at once.
const LANES: usize = 8;
/// A minimum is seen by two values to either side of it.
const BESIDE: usize = 2;
/// Values around the whole circle and on, and where a ball is near its singularity.
const AROUND: usize = 56;
const ACROSS: usize = 16;
/// From one value to the next around the circle \[rad\].
const SPACING: f64 = TAU / (AROUND - 2 * BESIDE) as f64;
/// The joint of the elbow.
const ELBOW: usize = 3;
/// Starts that are kept at most.
const KEPT: usize = 16;
/// By how much a start may be better than the grid lets expect \[rad\].
const BETTER: f64 = 0.05;

/// An arm with a spherical shoulder and a spherical wrist, and the values of its arm angle.
#[derive(Debug, Clone)]
pub(super) struct Swivel {
    pub arm: ArmAngle,
    around: Grid<AROUND>,
    /// Tangents of evenly spaced angles.
    across: [f64; ACROSS],
}

/// Values of the arm angle \[rad\], in order.
#[derive(Debug, Clone)]
struct Grid<const N: usize> {
    values: [f64; N],
    cos: [f32; N],
    sin: [f32; N],
}

/// A minimum of the grid: what the largest move is expected to be there, at which arm angle, with which elbow, and what is turned over.
#[derive(Debug, Clone, Copy)]
struct Start {
    cost: f64,
    value: f64,
    bend: usize,
    over: [bool; 2],
}

/// The least of them, the least first.
struct Starts {
    entries: [Start; KEPT],
    count: usize,
}

impl<const N: usize> Grid<N> {
    fn new(values: [f64; N]) -> Self {
        let turns = values.map(Turn::new);
        Self { values, cos: turns.map(|turn| single(turn.cos)), sin: turns.map(|turn| single(turn.sin)) }
    }

    /// What it costs to bring the joints from `first` on to where a shoulder or a wrist wants them, the one way round and the other.
    fn costs(&self, level: Level, room: &Room, first: usize, ball: &Ball, entries: &Entries) -> [[f32; N]; 2] {
        let mut costs = [[0.0; N]; 2];
        let offset = single(ball.offset);
        dispatch!(level, simd => self.each_eight(simd, room, first, offset, entries, &mut costs));
        costs
    }

    #[inline(always)]
    fn each_eight<S: Simd>(
        &self,
        simd: S,
        room: &Room,
        first: usize,
        offset: f32,
        entries: &Entries,
        costs: &mut [[f32; N]; 2],
    ) {
        let (end, start) = (&entries.end, &entries.start);
        for from in (0..N).step_by(LANES) {
            let cos = f32x8::from_slice(simd, &self.cos[from..from + LANES]);
            let sin = f32x8::from_slice(simd, &self.sin[from..from + LANES]);
            let (along, side, up) = (at(&end[0], cos, sin), at(&end[1], cos, sin), at(&end[2], cos, sin));
            let one = angle(up, side);
            let two = angle(along, (up * up + side * side).sqrt());
            let three = angle(-at(&start[1], cos, sin), at(&start[0], cos, sin));
            let ways = [[one, two - offset, three], [one + PI, -two - offset, three + PI]];
            for way in 0..2 {
                let [one, two, three] = ways[way];
                let ends = room.cost(first, one).max(room.cost(first + 2, three));
                ends.max(room.cost(first + 1, two)).store_slice(&mut costs[way][from..from + LANES]);
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "single precision is plenty for a ranking")]
pub(super) fn single(value: f64) -> f32 {
    value as f32
}

#[inline(always)]
fn at<S: Simd>(entry: &Linear, cos: f32x8<S>, sin: f32x8<S>) -> f32x8<S> {
    cos * single(entry.cos) + sin * single(entry.sin) + single(entry.one)
}

/// The angle of a vector (cosine, sine) of any length \[rad\], from -π to π, to 1e-6 (the polynomial is that of Moshier 1989, Cephes,
/// `atanf`).
#[inline(always)]
fn angle<S: Simd>(cosine: f32x8<S>, sine: f32x8<S>) -> f32x8<S> {
    let simd = cosine.simd;
    let zero = f32x8::splat(simd, 0.0);
    let (x, y) = (cosine.abs(), sine.abs());
    let (large, small) = (x.max(y), x.min(y));
    // The acute angle to the nearer axis, less 45° where it is above half of that.
    let above = small.simd_gt(large * 0.414_213_56);
    let opposite = above.select(small - large, small);
    let adjacent = above.select(small + large, large.max(f32x8::splat(simd, f32::MIN_POSITIVE)));
    let tangent = opposite / adjacent;
    let square = tangent * tangent;
    let series = ((square * 8.053_744_5e-2 - 1.387_768_6e-1) * square + 1.997_771_1e-1) * square - 3.333_294_9e-1;
    let acute = tangent + tangent * square * series + above.select(f32x8::splat(simd, FRAC_PI_4), zero);
    let right = y.simd_gt(x).select(FRAC_PI_2 - acute, acute);
    let whole = cosine.simd_lt(zero).select(PI - right, right);
    whole.copysign(sine)
}

impl Starts {
    fn none() -> Self {
        let nothing = Start { cost: f64::INFINITY, value: 0.0, bend: 0, over: [false; 2] };
        Self { entries: [nothing; KEPT], count: 0 }
    }

    /// Keeps the minima of what the joints but the elbow cost at `values`. The elbow costs what `start` does, wherever they are.
    fn minima<const N: usize>(&mut self, values: &[f64; N], costs: &[f32; N], start: Start) {
        for (index, near) in costs.windows(2 * BESIDE + 1).enumerate() {
            let [beyond, before, here, after, farther] = *near else { continue };
            if here <= before && here < after {
                let places = std::array::from_fn(|i| values[index + i]);
                let (value, cost) = between(&places, &[beyond, before, here, after, farther].map(f64::from));
                self.keep(Start { cost: cost.max(start.cost), value, ..start });
            }
        }
    }

    fn keep(&mut self, start: Start) {
        let place = self.entries[..self.count].partition_point(|kept| kept.cost <= start.cost);
        if place < KEPT {
            self.count = (self.count + 1).min(KEPT);
            self.entries[place..self.count].rotate_right(1);
            self.entries[place] = start;
        }
    }
}

/// Where a function is least next to the middle one of five places, and what it is there, if it goes down to a kink on straight lines: no
/// more than it is, where it is convex.
fn between(places: &[f64; 5], values: &[f64; 5]) -> (f64, f64) {
    // The line through the middle and the place before, and that through the two places on the other side.
    let kink = |before: usize, after: usize, beyond: usize| {
        let slope = |a: usize, b: usize| (values[b] - values[a]) / (places[b] - places[a]);
        let (falling, rising) = (slope(before, 2), slope(after, beyond));
        let wide = places[after] - places[2];
        let from_middle = (values[after] - values[2] - rising * wide) / (falling - rising);
        let along = if from_middle.is_finite() { from_middle.abs().min(wide.abs()).copysign(wide) } else { 0.0 };
        let along = if from_middle * wide > 0.0 { along } else { 0.0 };
        (places[2] + along, values[2] + falling * along)
    };
    let (left, right) = (kink(3, 1, 0), kink(1, 3, 4));
    if left.1 < right.1 { left } else { right }
}

impl Swivel {
    pub fn new(arm: ArmAngle) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a grid is small")]
        let around = Grid::new(std::array::from_fn(|index| SPACING * index as f64));
        #[expect(clippy::cast_precision_loss, reason = "a grid is small")]
        let share = |index: usize| (index as f64 + 0.5) / ACROSS as f64 - 0.5;
        Self { arm, around, across: std::array::from_fn(|index| (0.5 * TAU * share(index)).tan()) }
    }

    /// The posture with the least largest move that is found for a pose of the tip, which `descent` leads to.
    pub fn least(&self, pose: &Isometry3<f64>, descent: &Descent, scratch: &mut JacobianScratch) -> Option<Least> {
        let (room, reach) = (descent.room, self.arm.reach(pose)?);
        let starts = self.starts(descent.search.level(), &reach, room);
        let mut best = None;
        for start in &starts.entries[..starts.count] {
            if best.is_some_and(|best: Least| start.cost > best.largest + BETTER) {
                break;
            }
            let Some(bend) = reach.bends().nth(start.bend) else { continue };
            let posture = self.arm.posture(&reach, bend, (Turn::new(start.value), start.over), &room.seed);
            let [strict, loose] = [BEYOND, LITTLE].map(|beyond| room.moves(&posture, beyond));
            descent.go_down(&strict, &mut best, scratch);
            if loose != strict {
                descent.go_down(&loose, &mut best, scratch);
            }
        }
        best
    }

    fn starts(&self, level: Level, reach: &Reach, room: &Room) -> Starts {
        let mut starts = Starts::none();
        for (index, bend) in reach.bends().enumerate() {
            let (_, elbow) = room.step(ELBOW, bend.turn.angle(), BEYOND);
            let start = Start { cost: elbow, value: 0.0, bend: index, over: [false; 2] };
            self.go_over(&self.around, (level, room), bend, start, &mut starts);
            for (centre, width) in [&bend.shoulder, &bend.wrist].into_iter().flat_map(singularities) {
                let finer = Grid::new(self.across.map(|tangent| centre + width * tangent));
                self.go_over(&finer, (level, room), bend, start, &mut starts);
            }
        }
        starts
    }

    /// Keeps the minima of a grid, for each of the four ways round.
    fn go_over<const N: usize>(
        &self,
        grid: &Grid<N>,
        (level, room): (Level, &Room),
        bend: &Bend,
        start: Start,
        starts: &mut Starts,
    ) {
        let [shoulder, wrist] = self.arm.balls();
        let shoulders = grid.costs(level, room, 0, shoulder, &bend.shoulder);
        let wrists = grid.costs(level, room, 4, wrist, &bend.wrist);
        for over in [[false, false], [false, true], [true, false], [true, true]] {
            let [one, other] = [&shoulders[usize::from(over[0])], &wrists[usize::from(over[1])]];
            let costs = std::array::from_fn(|index| one[index].max(other[index]));
            starts.minima(&grid.values, &costs, Start { over, ..start });
        }
    }
}

/// The arm angles at which the first and the last axis of a ball come nearest to one line \[rad\], and how much of the arm angle turns its
/// joints by 45° there, where that is less than the grid shows.
fn singularities(entries: &Entries) -> impl Iterator<Item = (f64, f64)> {
    let Linear { one, cos, sin } = entries.end[0];
    let (amplitude, centre) = (cos.hypot(sin), sin.atan2(cos));
    let near = [(one + amplitude, centre), (one - amplitude, centre + 0.5 * TAU)];
    near.into_iter().filter_map(move |(cosine, centre)| {
        // Both axes then go about the line from shoulder to wrist alike.
        let width = ((1.0 - cosine * cosine).max(0.0) / amplitude).sqrt();
        (width < SPACING).then_some((centre, width))
    })
}
