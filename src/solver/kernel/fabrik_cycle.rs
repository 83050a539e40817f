//! One cycle of forward and backward reaching on the joints of a URDF, for four postures at once.
//!
//! FABRIK moves free points (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the Inverse Kinematics problem"). A
//! joint of a URDF leaves a link one number to choose, and choosing it by where the neighbouring link is, as the published
//! extensions to hinges do, stalls on most arms. Here each joint is chosen by *all* that lies beyond it: going from the tip to the
//! base, by the joint centres on its base side, so that they come nearest to where they are; going from the base to the tip,
//! by the joint centres on its tip side and the tip itself, so that they come nearest to where the first way put them. That is
//! one arctangent a joint, and running sums over the points make a cycle linear in the number of joints.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::damped_step::Bounds;
use super::fabrik_fit::{Fit, Moments, decay};
use super::frame::{Frame, FrameLanes};
use super::lanes::{Lanes, Vector, add, angle, scale, sine_cosine};
use super::links::{End, Link, Links};
use super::residual::Goal;

/// Distance of the markers that stand for the tip's orientation, in units of the length scale: of 0.4, 0.6, 0.8, 1 and 1.4 the one
/// that took the fewest cycles on 296 chains.
pub const MARKER: f64 = 0.8;

/// Added to the cosine of a turn, so that a joint stays where no point tells where it should be.
const STAY: f64 = 1e-6;

/// A joint that follows another by less than this has no say in where that goes.
const LEAST_MULTIPLIER: f64 = 1e-9;

/// Scratch of a cycle.
#[derive(Debug, Clone)]
pub struct CycleScratch {
    /// For each target, where the first way puts the frame of each joint of its path, and the sums over what lies beyond.
    wished: Vec<Vec<FrameLanes>>,
    beyond: Vec<Vec<[Lanes; 10]>>,
    /// Sums over the joint centres before each joint of a path.
    before: Vec<[Lanes; 10]>,
    /// Cosine and sine of the angle at which each joint stands.
    turns: Vec<[Lanes; 2]>,
    /// Frame of each joint after the second way.
    placed: Vec<FrameLanes>,
    /// For each variable, what its joints ask for, and how much they count.
    asked: Vec<[Lanes; 2]>,
    /// Where the cycle leads.
    pub next: Vec<Lanes>,
}

impl CycleScratch {
    pub fn new(links: &Links) -> Self {
        let joints = links.joints.len();
        let (frame, sums) = ([[Lanes::default(); 3]; 4], [Lanes::default(); 10]);
        Self {
            wished: vec![vec![frame; joints]; links.ends.len()],
            beyond: vec![vec![sums; joints]; links.ends.len()],
            before: vec![sums; joints],
            turns: vec![[Lanes::default(); 2]; joints],
            placed: vec![frame; joints],
            asked: vec![[Lanes::default(); 2]; links.variables],
            next: vec![Lanes::default(); links.variables],
        }
    }
}

/// One cycle from the postures in `batch`, which have been measured, into `scratch.next`. `marker` is the distance of the orientation
/// markers in units of the length scale.
#[inline(always)]
pub fn cycle<S: Simd>(
    simd: S,
    links: &Links,
    goals: &[Goal],
    batch: &Configurations,
    scratch: &mut CycleScratch,
    bounds: Bounds,
    marker: &Lanes,
) {
    for (link, [cosine, sine]) in links.joints.iter().zip(&mut scratch.turns) {
        let (s, c) = sine_cosine(batch.positions[link.variable].load(simd) * link.multiplier + link.offset);
        cosine.store(c);
        sine.store(s);
    }
    for (target, goal) in goals.iter().enumerate() {
        reach_for_tip(simd, links, goal, (batch, scratch), bounds, target, marker);
    }
    scratch.asked.fill([Lanes::default(); 2]);
    let mut frame = Frame::constant(simd, &links.joints[0].start);
    for joint in 0..links.joints.len() {
        return_from_base(simd, links, goals, (batch, scratch), bounds, (joint, &mut frame));
    }
    for (variable, next) in scratch.next.iter_mut().enumerate() {
        let [sum, weight] = &scratch.asked[variable];
        let position = batch.positions[variable].load(simd);
        // A variable that moves no tip in question stays.
        let step = sum.load(simd) / weight.load(simd).max(f64x4::splat(simd, f64::MIN_POSITIVE));
        next.store(bounded(position + step, bounds, variable));
    }
}

#[inline(always)]
fn bounded<S: Simd>(position: f64x4<S>, bounds: Bounds, variable: usize) -> f64x4<S> {
    let simd = position.simd;
    position.max(f64x4::splat(simd, bounds.lower[variable])).min(f64x4::splat(simd, bounds.upper[variable]))
}

/// A motion of a joint.
struct Motion<S: Simd> {
    /// How far \[rad, or units of the length scale\].
    along: f64x4<S>,
    /// Cosine and sine of a turn by that.
    cosine: f64x4<S>,
    sine: f64x4<S>,
}

impl<S: Simd> Motion<S> {
    /// The motion that `fit` asks of a joint whose variable is at `position`, as far as that does not leave its bounds.
    #[inline(always)]
    fn new(link: &Link, position: f64x4<S>, bounds: Bounds, fit: &Fit<S>) -> Self {
        let simd = position.simd;
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        if link.multiplier.abs() < LEAST_MULTIPLIER {
            return Self { along: zero, cosine: one, sine: zero };
        }
        let cosine = fit.cosine + STAY;
        let wanted = if link.prismatic { fit.shift } else { angle(cosine, fit.sine) };
        let aim = position + wanted / link.multiplier;
        let next = bounded(aim, bounds, link.variable);
        let along = (next - position) * link.multiplier;
        if link.prismatic {
            return Self { along, cosine: one, sine: zero };
        }
        // The vector itself is the turn, but for its length: what follows need not wait for its angle, unless a bound is in its way.
        let length = (cosine * cosine + fit.sine * fit.sine).sqrt();
        let factor = 1.0 / length.max(f64x4::splat(simd, f64::MIN_POSITIVE));
        let free = Self { along: wanted, cosine: cosine * factor, sine: fit.sine * factor };
        let held = next.simd_ne(aim);
        if !held.any_true() {
            return free;
        }
        let (sine, cosine) = sine_cosine(along);
        // Lane by lane, so that no posture depends on what becomes of another.
        Self {
            along: held.select(along, free.along),
            cosine: held.select(cosine, free.cosine),
            sine: held.select(sine, free.sine),
        }
    }
}

/// The first way, from a tip at its target to the base.
#[inline(always)]
fn reach_for_tip<S: Simd>(
    simd: S,
    links: &Links,
    goal: &Goal,
    (batch, scratch): (&Configurations, &mut CycleScratch),
    bounds: Bounds,
    target: usize,
    marker: &Lanes,
) {
    let end = &links.ends[goal.tip];
    let path = &end.path;
    let fade = f64x4::splat(simd, decay(path.len()));
    let mut sums = Moments::none(simd);
    for &joint in path {
        sums.store(&mut scratch.before[joint]);
        sums.fade(fade);
        sums.add(centre(&Frame::load(simd, &batch.frames[joint]), &links.joints[joint]));
    }
    let mut frame = goal.wished(&Frame::load(simd, &batch.frames[end.parent]), end);
    let mut beyond = tip_points(goal, &frame, end, marker.load(simd));
    for &joint in path.iter().rev() {
        let link = &links.joints[joint];
        frame.store(&mut scratch.wished[target][joint]);
        beyond.store(&mut scratch.beyond[target][joint]);
        if joint == path[0] {
            break;
        }
        beyond.fade(fade);
        beyond.add(centre(&frame, link));
        let now = Frame::load(simd, &batch.frames[joint]);
        let fit = Moments::load(simd, &scratch.before[joint]).fit(link.prismatic, &frame, &now);
        let position = batch.positions[link.variable].load(simd);
        let motion = Motion::new(link, position, bounds, &fit);
        if link.prismatic {
            frame.shift_by(-(position * link.multiplier + link.offset) - motion.along);
        } else {
            let [cosine, sine] = &scratch.turns[joint];
            let (cosine, sine) = (cosine.load(simd), sine.load(simd));
            // Back by where the joint stands and by its motion.
            frame.turn_by(cosine * motion.cosine - sine * motion.sine, -(sine * motion.cosine + cosine * motion.sine));
        }
        frame.step_back(link);
    }
}

/// The second way, one joint further from the base. `frame` is that of the joint before.
#[inline(always)]
fn return_from_base<S: Simd>(
    simd: S,
    links: &Links,
    goals: &[Goal],
    (batch, scratch): (&Configurations, &mut CycleScratch),
    bounds: Bounds,
    (joint, frame): (usize, &mut Frame<S>),
) {
    let link = &links.joints[joint];
    match link.parent {
        None => *frame = Frame::constant(simd, &link.start),
        Some(parent) => {
            if parent + 1 != joint {
                *frame = Frame::load(simd, &scratch.placed[parent]);
            }
            frame.step(link);
        }
    }
    let position = batch.positions[link.variable].load(simd);
    if link.prismatic {
        frame.shift_by(position * link.multiplier + link.offset);
    } else {
        let [cosine, sine] = &scratch.turns[joint];
        frame.turn_by(cosine.load(simd), sine.load(simd));
    }
    let (mut fit, mut weights) = (Fit::none(simd), 0.0);
    for (target, goal) in goals.iter().enumerate() {
        if links.ends[goal.tip].path.binary_search(&joint).is_err() {
            continue;
        }
        let wished = Frame::load(simd, &scratch.wished[target][joint]);
        let beyond = Moments::load(simd, &scratch.beyond[target][joint]);
        // The way back from where the joint is, which is known last, instead of the way from where it shall be.
        fit.add_inverse(&beyond.fit(link.prismatic, frame, &wished), goal.target_weight());
        weights += goal.target_weight();
    }
    if weights > 0.0 {
        fit.shift /= weights;
        let motion = Motion::new(link, position, bounds, &fit);
        if link.prismatic {
            frame.shift_by(motion.along);
        } else {
            frame.turn_by(motion.cosine, motion.sine);
        }
        let [sum, weight] = &mut scratch.asked[link.variable];
        let asked = sum.load(simd) + motion.along * link.multiplier;
        let counted = weight.load(simd) + link.multiplier * link.multiplier;
        sum.store(asked);
        weight.store(counted);
    }
    frame.store(&mut scratch.placed[joint]);
}

/// Where the URDF has the joint.
#[inline(always)]
fn centre<S: Simd>(frame: &Frame<S>, link: &Link) -> Vector<S> {
    add(frame.origin, scale(frame.z, f64x4::splat(frame.z[0].simd, link.centre)))
}

/// Sums over the tip and, where its orientation counts, the three markers about it.
#[inline(always)]
fn tip_points<S: Simd>(goal: &Goal, frame: &Frame<S>, end: &End, marker: f64x4<S>) -> Moments<S> {
    let mut sums = Moments::none(marker.simd);
    let tip = frame.point(&end.position);
    sums.add(tip);
    if goal.has_orientation() {
        sums.add(add(tip, scale(frame.x, marker)));
        sums.add(add(tip, scale(frame.y, marker)));
        sums.add(add(tip, scale(frame.z, marker)));
    }
    sums
}
