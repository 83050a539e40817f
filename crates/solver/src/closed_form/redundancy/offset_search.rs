//! The search of an [offset arm](super::offset) for the least largest move from the seed: the outermost joint is swept.
//!
//! At every position on a grid the largest moves from the seed are found for all ways to reach the pose, eight positions at once.
//! Where a condition cannot hold, the nearest position and what is missing count, so that a way that turns back between two positions
//! is a minimum still.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};
use nalgebra::Isometry3;

use super::descent::{Descent, Least};
use super::joint_ranges::JointRanges;
use super::offset::{Elbow, Goal, OffsetArm, Swung};
use super::single::{LANES, Vector, add, angle, at, constant, cross, dot, scale, single, turned};
use super::starts::{Grid, GridPlace, GridStarts};
use crate::search::SearchScratch;
use urdf_ik_closed_form::{Linear, Turn};

/// Ways to reach a pose at one position of the outermost joint, with the elbow bent as it is.
const WAYS_PER_ELBOW: usize = 4;
/// A move \[rad\] that costs as much as a cosine that is too large by 1.
const EXCESS_COST: f32 = 2.0;
/// The most that a cosine counts as too large.
const MAX_EXCESS: f32 = 10.0;
/// Positions of the outermost joint around the circle. Next to singularities of shoulder and wrist, and where the elbow is nearly stretched,
/// joints turn far within a little of it: with half as many, twice as many least moves are missed.
const CIRCLE_VALUES: usize = 112;
/// By how much a start may be better than the grid lets expect \[rad\].
const GRID_ERROR: f64 = 0.1;

/// What each of these ways costs at each position.
type Costs = [[f32; CIRCLE_VALUES]; WAYS_PER_ELBOW];

/// An offset arm, and the values of the angle by which its outermost joint is swept.
#[derive(Debug, Clone)]
pub(super) struct OffsetSearch {
    pub arm: OffsetArm,
    around: Grid<CIRCLE_VALUES>,
}

impl OffsetSearch {
    pub fn new(arm: OffsetArm) -> Self {
        Self { arm, around: Grid::around() }
    }

    /// The configuration with the least largest move that is found for a pose of the tip, which `descent` leads to.
    pub fn least(&self, pose: &Isometry3<f64>, descent: &Descent, scratch: &mut SearchScratch) -> Option<Least> {
        let pose = if self.arm.reversed { pose.inverse() } else { *pose };
        let ranges = if self.arm.reversed { descent.ranges.reversed() } else { *descent.ranges };
        let (goal, elbow) = (self.arm.goal(&pose), &self.arm.elbow);
        let (level, rounds, mut starts) = (descent.search.kernel.level, rounds(&goal, elbow), GridStarts::none());
        for (index, round) in rounds.iter().enumerate().filter_map(|(index, round)| Some((index, (*round)?))) {
            for (way, costs) in self.costs(level, &goal, &ranges, &round).iter().enumerate() {
                starts.keep_minima(&self.around.values, costs, WAYS_PER_ELBOW * index + way, 0.0);
            }
        }
        let configuration = |place: &GridPlace| {
            let (first, back) = rounds[place.way / WAYS_PER_ELBOW]?.at(place.value);
            let ways = [back, place.way & 2 != 0, place.way & 1 != 0];
            let mut configuration = self.arm.configuration(&goal, first, ways, &ranges.seed);
            if self.arm.reversed {
                configuration.reverse();
            }
            Some(configuration)
        };
        starts.descend(descent, GRID_ERROR, &configuration, scratch)
    }

    /// What each way costs at every position.
    fn costs(&self, level: Level, goal: &Goal, ranges: &JointRanges, round: &Round) -> Costs {
        let (elbow, (grid, sides)) = (&self.arm.elbow, round.grid(&self.around));
        let mut costs = [[0.0; CIRCLE_VALUES]; WAYS_PER_ELBOW];
        dispatch!(level, simd => for from in (0..CIRCLE_VALUES).step_by(LANES) {
            let eight = from..from + LANES;
            let cos = f32x8::from_slice(simd, &grid.cos[eight.clone()]);
            let sin = f32x8::from_slice(simd, &grid.sin[eight.clone()]);
            let first = ranges.cost(0, f32x8::from_slice(simd, &grid.single[eight.clone()]));
            let wrist = vector_at(&goal.wrist, cos, sin);
            let ends = [
                vector_at(&goal.ends[0], cos, sin),
                vector_at(&goal.ends[1], cos, sin),
                vector_at(&goal.ends[2], cos, sin),
            ];
            let cosine = (dot(wrist, wrist) - single(elbow.one)) * single(1.0 / elbow.amplitude);
            let (cosine, sine, missing) = unit(cosine);
            let middle = [f32x8::splat(simd, single(elbow.middle.cos)), f32x8::splat(simd, single(elbow.middle.sin))];
            let bend = both(middle, [cosine, sine * f32x8::from_slice(simd, &sides[eight])]);
            let cost = first.max(ranges.cost(3, angle(bend[0], bend[1]))) + missing;
            self.each_shoulder(ranges, &Bent { wrist, ends, bend, cost }, from, &mut costs);
        });
        costs
    }

    /// What each of the four ways costs that a bent elbow leaves.
    #[inline(always)]
    fn each_shoulder<S: Simd>(&self, ranges: &JointRanges, bent: &Bent<S>, from: usize, costs: &mut Costs) {
        let Bent { wrist, ends, bend, cost } = *bent;
        let (simd, elbow) = (cost.simd, &self.arm.elbow);
        let (second, third) = (constant(simd, &self.arm.axes[1]), constant(simd, &self.arm.axes[2]));
        let reach = swung(simd, &elbow.reach, bend);
        let axes = [
            swung(simd, &elbow.wrist[0], bend),
            swung(simd, &elbow.wrist[1], bend),
            swung(simd, &elbow.wrist[2], bend),
        ];
        let height = dot(second, third) * dot(third, reach);
        let side = [dot(second, reach) - height, dot(cross(second, third), reach)];
        let size = (side[0] * side[0] + side[1] * side[1]).sqrt().max(f32x8::splat(simd, f32::MIN_POSITIVE));
        let middle = [side[0] / size, side[1] / size];
        let cosine = (dot(second, wrist) - height) / size;
        let (cosine, sine, missing) = unit(cosine);
        let cost = cost + missing;
        for way in 0..2 {
            let three = both(middle, [cosine, if way == 0 { sine } else { -sine }]);
            let lifted = turned(third, reach, three);
            let two =
                [dot(lifted, wrist) - dot(second, lifted) * dot(second, wrist), dot(second, cross(lifted, wrist))];
            let shorter = 1.0 / (two[0] * two[0] + two[1] * two[1]).sqrt().max(f32x8::splat(simd, f32::MIN_POSITIVE));
            let two = [two[0] * shorter, two[1] * shorter];
            let cost = cost.max(ranges.cost(1, angle(two[0], two[1]))).max(ranges.cost(2, angle(three[0], three[1])));
            let back = turned(third, turned(second, ends[0], [two[0], -two[1]]), [three[0], -three[1]]);
            let start = turned(second, turned(third, axes[0], three), two);
            let balls = self.arm.wrist.costs(
                ranges,
                [dot(axes[0], back), dot(axes[1], back), dot(axes[2], back)],
                [dot(start, ends[1]), dot(start, ends[2])],
            );
            cost.max(balls[0]).store_slice(&mut costs[2 * way][from..from + LANES]);
            cost.max(balls[1]).store_slice(&mut costs[2 * way + 1][from..from + LANES]);
        }
    }
}

/// Eight positions of the first joint with a bent elbow: where wrist and tip must come, in the frame that the joint turns, cosine and sine of
/// the elbow's turn, and what both cost.
struct Bent<S: Simd> {
    wrist: Vector<S>,
    ends: [Vector<S>; 3],
    bend: [f32x8<S>; 2],
    cost: f32x8<S>,
}

/// Positions of the first joint, once round: all of them, with the elbow bent one way, or to and fro between two where the elbow is
/// stretched or folded, and from each to the other with the elbow bent one way. As the sine of an angle goes to and fro, so that no
/// joint turns faster at the ends.
#[derive(Debug, Clone, Copy)]
enum Round {
    All { back: bool },
    Between { centre: f64, half: f64 },
}

impl Round {
    /// The position at `angle` on the way round, and whether the elbow is bent back there.
    fn at(&self, angle: f64) -> (f64, bool) {
        match self {
            Self::All { back } => (angle, *back),
            Self::Between { centre, half } => (centre + half * angle.sin(), angle.cos() < 0.0),
        }
    }

    /// The positions, and the sign of the elbow's sine.
    fn grid(&self, around: &Grid<CIRCLE_VALUES>) -> (Grid<CIRCLE_VALUES>, [f32; CIRCLE_VALUES]) {
        let places = around.values.map(|angle| self.at(angle));
        let sides = places.map(|(_, back)| if back { -1.0 } else { 1.0 });
        let grid = if let Self::All { .. } = self { around.clone() } else { Grid::new(places.map(|(first, _)| first)) };
        (grid, sides)
    }
}

/// The ways round that there are.
fn rounds(goal: &Goal, elbow: &Elbow) -> [Option<Round>; 2] {
    // The elbow's cosine is a constant and a cosine of the first joint.
    let cosine = |turn: Turn| {
        let squares = goal.wrist.iter().map(|entry| entry.at(turn).powi(2)).sum::<f64>();
        (squares - elbow.one) / elbow.amplitude
    };
    let (right, left, up) = (cosine(Turn::ZERO), cosine(Turn::HALF), cosine(Turn { cos: 0.0, sin: 1.0 }));
    let (one, cos) = (0.5 * (right + left), 0.5 * (right - left));
    let (amplitude, centre) = (cos.hypot(up - one).max(f64::MIN_POSITIVE), (up - one).atan2(cos));
    let (least, greatest) = ((-1.0 - one) / amplitude, (1.0 - one) / amplitude);
    let (far, near) = (least.clamp(-1.0, 1.0).acos(), greatest.clamp(-1.0, 1.0).acos());
    let between = |centre: f64, half: f64| Some(Round::Between { centre, half });
    match (least <= -1.0, greatest >= 1.0) {
        (true, true) => [Some(Round::All { back: false }), Some(Round::All { back: true })],
        (false, true) => [between(centre, far), None],
        (true, false) => [between(centre + PI, PI - near), None],
        (false, false) => {
            let (middle, half) = (0.5 * (far + near), 0.5 * (far - near));
            [between(centre + middle, half), between(centre - middle, half)]
        }
    }
}

/// The cosine, or the nearest that there is, the sine that belongs to it, and what it costs that it is another.
#[inline(always)]
fn unit<S: Simd>(cosine: f32x8<S>) -> (f32x8<S>, f32x8<S>, f32x8<S>) {
    let one = f32x8::splat(cosine.simd, 1.0);
    let missing = (cosine.abs() - 1.0).max(one - 1.0).min(one * MAX_EXCESS) * EXCESS_COST;
    let cosine = cosine.min(one).max(-one);
    (cosine, (1.0 - cosine * cosine).sqrt(), missing)
}

/// One turn after the other, each by its cosine and its sine.
#[inline(always)]
fn both<S: Simd>(a: [f32x8<S>; 2], b: [f32x8<S>; 2]) -> [f32x8<S>; 2] {
    [a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]]
}

/// A vector by its entries.
#[inline(always)]
fn vector_at<S: Simd>(entries: &[Linear; 3], cos: f32x8<S>, sin: f32x8<S>) -> Vector<S> {
    [at(&entries[0], cos, sin), at(&entries[1], cos, sin), at(&entries[2], cos, sin)]
}

/// A vector as the elbow turns it by these cosines and sines.
#[inline(always)]
fn swung<S: Simd>(simd: S, vector: &Swung, bend: [f32x8<S>; 2]) -> Vector<S> {
    let (cos, sin) = (constant(simd, &vector[1]), constant(simd, &vector[2]));
    add(constant(simd, &vector[0]), add(scale(cos, bend[0]), scale(sin, bend[1])))
}

#[cfg(test)]
mod tests;
