//! Arms of seven joints with a spherical wrist, whose second and third axes meet and whose shoulder is offset between the first and the
//! second; and the same from the tip to the base: the outermost joint gone over.
//!
//! With that joint at a known position the distance of the wrist from where the second and the third axis meet gives the elbow, two
//! ways; its height along the second axis gives the third joint, two ways, and that the second; what is left to turn is the wrist's,
//! which can turn over. So there are eight ways, and their largest moves from the seed are found at eight positions at once. Where a
//! condition cannot hold, the nearest position and what is missing count, so that a way that turns back between two positions is a
//! minimum still.

use std::f64::consts::PI;

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};
use nalgebra::{Isometry3, Matrix3, Rotation3, Vector3};

use super::descent::{Descent, Least};
use super::grid::{AROUND, Grid, Start, Starts};
use super::miss::Miss;
use super::room::Room;
use super::single::{LANES, Vector, add, angle, at, constant, cross, dot, scale, single, turned};
use super::spherical_joint::Ball;
use crate::solver::closed_form::axes::{Axes, REDUNDANT};
use crate::solver::closed_form::trigonometric::Linear;
use crate::solver::closed_form::turn::Turn;
use crate::solver::search::SearchScratch;

/// Ways to reach a pose at one position of the outermost joint, with the elbow bent as it is.
const WAYS: usize = 4;
/// Of the arm's length, the least distance of shoulder and wrist from the elbow's axis; and sine of the least angle between axes.
const APART: f64 = 1e-3;
/// What is missing of a cosine counts as so much of a move \[rad\], and at most so much of it.
const MISSING: f32 = 2.0;
const ALL_MISSING: f32 = 10.0;
/// By how much a start may be better than the grid lets expect \[rad\].
const BETTER: f64 = 0.15;

/// Such an arm.
#[derive(Debug, Clone)]
pub(super) struct Offset {
    /// Whether the chain is read from its tip to its base.
    reversed: bool,
    /// By how much its axes miss being those of such an arm.
    miss: Miss,
    /// Directions of the first four axes at zero positions.
    axes: [Vector3<f64>; 4],
    wrist: Ball,
    elbow: Elbow,
    /// A point on the first axis, and from there to where the next two meet \[m\].
    base: Vector3<f64>,
    shoulder: Vector3<f64>,
    /// From there to the elbow's axis, and on to the wrist \[m\].
    upper: Vector3<f64>,
    fore: Vector3<f64>,
    /// From the wrist to the tip \[m\], and what takes off the rotation that the tip has at zero positions.
    tool: Vector3<f64>,
    unturned: Rotation3<f64>,
    around: Grid<AROUND>,
}

/// A vector as the elbow turns it.
type Swung = [Vector3<f64>; 3];

/// Where the arm shall bring its tip, as functions of the first joint, in the frame that this one turns.
struct Goal {
    /// From the shoulder to the wrist \[m\].
    wrist: [Linear; 3],
    /// What the wrist's third axis, its second, and the vector product of both are to be: rotated so.
    ends: [[Linear; 3]; 3],
}

/// What the elbow has to do with distances: the wrist's squared distance is `one` and `amplitude` times the cosine of its angle less
/// `middle`.
#[derive(Debug, Clone, Copy)]
struct Elbow {
    one: f64,
    amplitude: f64,
    middle: Turn,
    /// From shoulder to wrist, and the wrist's first and second axis and their product.
    reach: Swung,
    wrist: [Swung; 3],
}

impl Offset {
    /// The arm that is nearest to `axes`, from whichever end, where one is near. `length` is that of the arm \[m\].
    pub fn new(axes: &Axes<REDUNDANT>, length: f64) -> Option<Self> {
        Self::read(axes, length, false).or_else(|| Self::read(&axes.reversed(), length, true))
    }

    fn read(axes: &Axes<REDUNDANT>, length: f64, reversed: bool) -> Option<Self> {
        let (directions, points) = (&axes.directions, &axes.points);
        let centre = axes.centre([4, 5, 6])?;
        let (one, other) = axes.feet(1, 2);
        let shoulder = 0.5 * (one + other);
        let miss = Miss::of(axes, &[[4, 5], [5, 6]], &[[1, 2]], &[([4, 5, 6], centre)]);
        let sine = |a: usize, b: usize| directions[a].cross(&directions[b]).norm();
        let (upper, fore) = (points[3] - shoulder, centre - points[3]);
        let apart = |v: &Vector3<f64>| directions[3].cross(v).norm() > APART * length;
        let near = miss.near(length) && sine(0, 1).min(sine(1, 2)) > APART;
        let wrist = Ball::new([4, 5, 6].map(|axis| directions[axis]));
        (near && apart(&upper) && apart(&fore)).then(|| Self {
            reversed,
            miss,
            axes: [0, 1, 2, 3].map(|axis| directions[axis]),
            elbow: Elbow::new(&directions[3], (&upper, &fore), &wrist),
            wrist,
            base: points[0],
            shoulder: shoulder - points[0],
            upper,
            fore,
            tool: axes.tip.translation.vector - centre,
            unturned: axes.tip.rotation.to_rotation_matrix().inverse(),
            around: Grid::around(),
        })
    }

    /// What the axes have in common, and by how much they miss that, in words, with the names of the joints.
    pub fn in_words(&self, joints: &[&str]) -> String {
        let mut joints = joints.to_vec();
        let common = if self.reversed {
            joints.reverse();
            format!("axes 1, 2 and 3 meet in one point, 5 and 6 meet, swept by '{}'", joints[0])
        } else {
            format!("axes 5, 6 and 7 meet in one point, 2 and 3 meet, swept by '{}'", joints[0])
        };
        self.miss.in_words(&common, &joints)
    }

    /// The posture with the least largest move that is found for a pose of the tip, which `descent` leads to.
    pub fn least(&self, pose: &Isometry3<f64>, descent: &Descent, scratch: &mut SearchScratch) -> Option<Least> {
        let pose = if self.reversed { pose.inverse() } else { *pose };
        let room = if self.reversed { descent.room.reversed() } else { *descent.room };
        let (goal, elbow) = (self.goal(&pose), &self.elbow);
        let (level, mut starts): (Level, _) = (descent.search.level(), Starts::none());
        let rounds = rounds(&goal, elbow);
        for (index, round) in rounds.iter().enumerate().filter_map(|(index, round)| Some((index, (*round)?))) {
            let (grid, mut costs) = (round.grid(&self.around), [[0.0; AROUND]; WAYS]);
            dispatch!(level, simd => self.each_eight(simd, &goal, &room, &grid, &mut costs));
            for (way, costs) in costs.iter().enumerate() {
                let way = WAYS * index + way;
                starts.minima(&self.around.values, costs, Start { cost: 0.0, value: 0.0, way });
            }
        }
        let posture = |start: &Start| {
            let (first, back) = rounds[start.way / WAYS]?.at(start.value);
            let ways = (back, start.way & 2 != 0, start.way & 1 != 0);
            let mut posture = self.posture(&goal, first, ways, &room.seed);
            if self.reversed {
                posture.reverse();
            }
            Some(posture)
        };
        starts.descend(descent, BETTER, &posture, scratch)
    }

    fn goal(&self, pose: &Isometry3<f64>) -> Goal {
        let rotation = pose.rotation.to_rotation_matrix() * self.unturned;
        let wrist = pose.translation.vector - rotation * self.tool - self.base;
        let axis = &self.axes[0];
        // Turned back by the first joint.
        let back = |v: Vector3<f64>, less: &Vector3<f64>| {
            let (along, beside) = (axis * axis.dot(&v), axis.cross(&v));
            [0, 1, 2].map(|i| Linear { one: along[i] - less[i], cos: v[i] - along[i], sin: -beside[i] })
        };
        let [_, b, c] = &self.wrist.axes;
        let ends = [c, b, &self.wrist.across[1]].map(|v| back(rotation * v, &Vector3::zeros()));
        Goal { wrist: back(wrist, &self.shoulder), ends }
    }

    /// What each way costs at every position.
    #[inline(always)]
    fn each_eight<S: Simd>(
        &self,
        simd: S,
        goal: &Goal,
        room: &Room,
        grid: &(Grid<AROUND>, [f32; AROUND]),
        costs: &mut [[f32; AROUND]; WAYS],
    ) {
        let (elbow, (grid, sides)) = (&self.elbow, grid);
        for from in (0..AROUND).step_by(LANES) {
            let eight = from..from + LANES;
            let cos = f32x8::from_slice(simd, &grid.cos[eight.clone()]);
            let sin = f32x8::from_slice(simd, &grid.sin[eight.clone()]);
            let first = room.cost(0, f32x8::from_slice(simd, &grid.single[eight.clone()]));
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
            let cost = first.max(room.cost(3, angle(bend[0], bend[1]))) + missing;
            self.each_shoulder(room, (wrist, ends), (bend, cost), (from, costs));
        }
    }

    /// The same with a bent elbow, for the four ways that are left.
    #[inline(always)]
    fn each_shoulder<S: Simd>(
        &self,
        room: &Room,
        (wrist, ends): (Vector<S>, [Vector<S>; 3]),
        (bend, cost): ([f32x8<S>; 2], f32x8<S>),
        (from, costs): (usize, &mut [[f32; AROUND]; WAYS]),
    ) {
        let (simd, elbow) = (cost.simd, &self.elbow);
        let (second, third) = (constant(simd, &self.axes[1]), constant(simd, &self.axes[2]));
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
            let cost = cost.max(room.cost(1, angle(two[0], two[1]))).max(room.cost(2, angle(three[0], three[1])));
            let back = turned(third, turned(second, ends[0], [two[0], -two[1]]), [three[0], -three[1]]);
            let start = turned(second, turned(third, axes[0], three), two);
            let balls = self.wrist.costs(
                room,
                4,
                [dot(axes[0], back), dot(axes[1], back), dot(axes[2], back)],
                [dot(start, ends[1]), dot(start, ends[2])],
            );
            cost.max(balls[0]).store_slice(&mut costs[2 * way][from..from + LANES]);
            cost.max(balls[1]).store_slice(&mut costs[2 * way + 1][from..from + LANES]);
        }
    }

    /// The posture \[rad\] of a way at a position of the first joint. Joints that share a turn stay near `seed`.
    fn posture(
        &self,
        goal: &Goal,
        first: f64,
        (bent_back, turned_back, over): (bool, bool, bool),
        seed: &[f64; REDUNDANT],
    ) -> [f64; REDUNDANT] {
        let ([_, second, third, fourth], elbow) = (&self.axes, &self.elbow);
        let one = Turn::new(first);
        let vector = |entries: &[Linear; 3]| Vector3::from(entries.map(|entry| entry.at(one)));
        let turn = |middle: Turn, cosine: f64, other: bool| {
            let cos = cosine.clamp(-1.0, 1.0);
            let turn = Turn { cos, sin: (1.0 - cos * cos).sqrt() };
            middle.and(if other { turn.back() } else { turn })
        };
        let wrist = vector(&goal.wrist);
        let cosine = (wrist.norm_squared() - elbow.one) / elbow.amplitude;
        let four = turn(elbow.middle, cosine, bent_back);
        let reach = self.upper + four.about(fourth, &self.fore);
        let height = second.dot(third) * third.dot(&reach);
        let (cos, sin) = (second.dot(&reach) - height, second.cross(third).dot(&reach));
        let cosine = (second.dot(&wrist) - height) / cos.hypot(sin).max(f64::MIN_POSITIVE);
        let three = turn(Turn::towards(cos, sin), cosine, turned_back);
        let lifted = three.about(third, &reach);
        let cos = lifted.dot(&wrist) - second.dot(&lifted) * second.dot(&wrist);
        let two = Turn::towards(cos, second.dot(&lifted.cross(&wrist)));
        let [c, b, across] = [&goal.ends[0], &goal.ends[1], &goal.ends[2]].map(vector);
        // The rotation that the tip is to have, without what the first four joints do to it.
        let whole = Matrix3::from_columns(&[c, b, across]);
        let zero = Matrix3::from_columns(&[self.wrist.axes[2], self.wrist.axes[1], self.wrist.across[1]]);
        let arm = two.matrix(second) * three.matrix(third) * four.matrix(fourth);
        let left = arm.transpose() * whole * zero.transpose();
        let [e, f, g] = self.wrist.positions(&left, over, [seed[4], seed[6]]);
        [first, two.angle(), three.angle(), four.angle(), e, f, g]
    }
}

impl Elbow {
    fn new(axis: &Vector3<f64>, (upper, fore): (&Vector3<f64>, &Vector3<f64>), wrist: &Ball) -> Self {
        let swung = |v: &Vector3<f64>, fixed: Vector3<f64>| {
            let along = axis * axis.dot(v);
            [fixed + along, v - along, axis.cross(v)]
        };
        let reach = swung(fore, *upper);
        let (cos, sin) = (upper.dot(&reach[1]), upper.dot(&reach[2]));
        let [a, b, _] = &wrist.axes;
        Self {
            one: upper.norm_squared() + fore.norm_squared() + 2.0 * axis.dot(upper) * axis.dot(fore),
            amplitude: 2.0 * cos.hypot(sin),
            middle: Turn::towards(cos, sin),
            reach,
            wrist: [a, b, &wrist.across[0]].map(|v| swung(v, Vector3::zeros())),
        }
    }
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
    fn grid(&self, around: &Grid<AROUND>) -> (Grid<AROUND>, [f32; AROUND]) {
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
    let missing = (cosine.abs() - 1.0).max(one - 1.0).min(one * ALL_MISSING) * MISSING;
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
