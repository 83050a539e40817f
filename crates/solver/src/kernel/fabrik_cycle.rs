//! One cycle of forward and backward reaching on the joints of a URDF, for four configurations at once.
//!
//! FABRIK moves free points (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the Inverse Kinematics
//! problem"). A joint of a URDF has one variable. The published extensions to hinges choose it from the neighbouring
//! link alone, which stalls on most arms. Here each joint is a least-squares fit to *all* points distal to it:
//!
//! - Forward reaching goes from the tip to the base. Each joint moves the proximal joint centres as near as possible
//!   to their places in the given configuration.
//! - Backward reaching goes from the base to the tip. Each joint moves the distal joint centres and the tip as near
//!   as possible to their places after forward reaching.
//!
//! A fit takes one arctangent, and running sums over the points make a cycle linear in the number of joints.
//!
//! Each joint is chosen by all joint centres beyond it, not by its neighbour alone.

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f64x4};

use super::configurations::Configurations;
use super::fabrik_fit::{JointFit, Moments, decay};
use super::frame::{LaneFrame, StoredFrame, load, store};
use super::goals::Task;
use super::lanes::{Lanes, Vector, add, angle, scale, sine_cosine};
use super::links::{KernelLink, KernelLinks, KernelTip};
use super::residual::PreparedTarget;
use crate::problem::Bounds;

/// Distance of the orientation markers from the tip, in units of the length scale. Among 0.4, 0.6, 0.8, 1 and 1.4, this
/// value needed the fewest cycles on 296 chains.
pub const MARKER_DISTANCE: f64 = 0.8;

/// Added to the cosine of a fitted rotation, so that a joint stays where it is if the points do not determine it.
const ZERO_ROTATION_BIAS: f64 = 1e-6;

/// Multiplier of a mimic joint below which it does not influence its variable.
const MIN_MULTIPLIER: f64 = 1e-9;

/// Input of a cycle.
#[derive(Clone, Copy)]
pub struct FabrikCycle<'a, S: Simd> {
    pub simd: S,
    pub links: &'a KernelLinks,
    pub task: Task<'a>,
    /// Start configurations of the cycle, with frames and residuals.
    pub configurations: &'a Configurations,
    /// Distance of the orientation markers from the tip, in units of the length scale.
    pub marker_distance: f64x4<S>,
}

/// Scratch memory of a cycle, and its result.
#[derive(Debug, Clone)]
pub struct FabrikCycleScratch {
    /// For each target, the frame of each joint of its path after forward reaching.
    forward_frames: Vec<Vec<StoredFrame>>,
    /// For each target, moments of the distal points of each joint on its path.
    tip_side: Vec<Vec<[Lanes; 10]>>,
    /// Moments of the proximal joint centres of each joint on a path.
    base_side: Vec<[Lanes; 10]>,
    /// Cosine and sine of the angle of each joint in the given configuration.
    angles: Vec<[Lanes; 2]>,
    /// Frame of each joint after backward reaching.
    backward_frames: Vec<StoredFrame>,
    /// For each variable, the weighted sum of the displacements of its joints, and the sum of the weights.
    displacements: Vec<[Lanes; 2]>,
    /// The configuration after the cycle, one position per variable \[rad or m\].
    pub next: Vec<Lanes>,
}

impl FabrikCycleScratch {
    pub fn new(links: &KernelLinks) -> Self {
        let joints = links.joints.len();
        let (frame, sums) = ([[Lanes::default(); 3]; 4], [Lanes::default(); 10]);
        Self {
            forward_frames: vec![vec![frame; joints]; links.ends.len()],
            tip_side: vec![vec![sums; joints]; links.ends.len()],
            base_side: vec![sums; joints],
            angles: vec![[Lanes::default(); 2]; joints],
            backward_frames: vec![frame; joints],
            displacements: vec![[Lanes::default(); 2]; links.variables],
            next: vec![Lanes::default(); links.variables],
        }
    }

    /// Writes the configuration \[rad or m\] after one cycle into `next`.
    #[inline(always)]
    pub fn run<S: Simd>(&mut self, cycle: FabrikCycle<S>) {
        let FabrikCycle { simd, links, task, configurations, .. } = cycle;
        for (link, [cosine, sine]) in links.joints.iter().zip(&mut self.angles) {
            let (s, c) =
                sine_cosine(configurations.positions[link.variable].load(simd) * link.multiplier + link.offset);
            cosine.store(c);
            sine.store(s);
        }
        for target in 0..task.goals.targets.len() {
            self.reach_forward(cycle, target);
        }
        self.displacements.fill([Lanes::default(); 2]);
        let mut frame = LaneFrame::constant(simd, &links.joints[0].start);
        for joint in 0..links.joints.len() {
            self.reach_backward(cycle, joint, &mut frame);
        }
        for (variable, next) in self.next.iter_mut().enumerate() {
            let [sum, weight] = &self.displacements[variable];
            let position = configurations.positions[variable].load(simd);
            // A variable that moves no targeted tip stays where it is.
            let step = sum.load(simd) / weight.load(simd).max(f64x4::splat(simd, f64::MIN_POSITIVE));
            next.store(bounded(position + step, task.bounds, variable));
        }
    }

    /// Forward reaching, from a tip at its target to the base.
    #[inline(always)]
    fn reach_forward<S: Simd>(&mut self, cycle: FabrikCycle<S>, target: usize) {
        let FabrikCycle { simd, links, task, configurations, marker_distance } = cycle;
        let goal = &task.goals.targets[target];
        let end = &links.ends[goal.tip];
        let path = &end.path;
        let fade = f64x4::splat(simd, decay(path.len()));
        let mut sums = Moments::none(simd);
        for &joint in path {
            store(&mut self.base_side[joint], sums.0);
            sums.fade(fade);
            sums.add(centre(&LaneFrame::load(simd, &configurations.frames[joint]), &links.joints[joint]));
        }
        let mut frame = goal.desired_frame(&LaneFrame::load(simd, &configurations.frames[end.parent]), end);
        let mut tip_side = tip_points(goal, &frame, end, marker_distance);
        for &joint in path.iter().rev() {
            let link = &links.joints[joint];
            frame.store(&mut self.forward_frames[target][joint]);
            store(&mut self.tip_side[target][joint], tip_side.0);
            if joint == path[0] {
                break;
            }
            tip_side.fade(fade);
            tip_side.add(centre(&frame, link));
            let now = LaneFrame::load(simd, &configurations.frames[joint]);
            let fit = Moments(load(simd, &self.base_side[joint])).fit(link.prismatic, &frame, &now);
            let position = configurations.positions[link.variable].load(simd);
            let displacement = Displacement::new(link, position, task.bounds, &fit);
            if link.prismatic {
                frame.shift_by(-(position * link.multiplier + link.offset) - displacement.amount);
            } else {
                let [cosine, sine] = &self.angles[joint];
                let (cosine, sine) = (cosine.load(simd), sine.load(simd));
                // Reverts the joint's angle in the given configuration and its displacement.
                frame.turn_by(
                    cosine * displacement.cosine - sine * displacement.sine,
                    -(sine * displacement.cosine + cosine * displacement.sine),
                );
            }
            frame.step_back(link);
        }
    }

    /// Backward reaching of one joint. `frame` is the frame of the previous joint, and becomes that of this one.
    #[inline(always)]
    fn reach_backward<S: Simd>(&mut self, cycle: FabrikCycle<S>, joint: usize, frame: &mut LaneFrame<S>) {
        let FabrikCycle { simd, links, task, configurations, .. } = cycle;
        let link = &links.joints[joint];
        match link.parent {
            None => *frame = LaneFrame::constant(simd, &link.start),
            Some(parent) => {
                if parent + 1 != joint {
                    *frame = LaneFrame::load(simd, &self.backward_frames[parent]);
                }
                frame.step(link);
            }
        }
        let position = configurations.positions[link.variable].load(simd);
        if link.prismatic {
            frame.shift_by(position * link.multiplier + link.offset);
        } else {
            let [cosine, sine] = &self.angles[joint];
            frame.turn_by(cosine.load(simd), sine.load(simd));
        }
        let (mut fit, mut weights) = (JointFit::none(simd), 0.0);
        for (target, goal) in task.goals.targets.iter().enumerate() {
            if links.ends[goal.tip].path.binary_search(&joint).is_err() {
                continue;
            }
            let forward = LaneFrame::load(simd, &self.forward_frames[target][joint]);
            let tip_side = Moments(load(simd, &self.tip_side[target][joint]));
            // The inverse of the fit to the new frame, which is known last: `fit` needs its first argument last.
            fit.add_inverse(&tip_side.fit(link.prismatic, frame, &forward), goal.target.weight);
            weights += goal.target.weight;
        }
        if weights > 0.0 {
            fit.shift /= weights;
            let displacement = Displacement::new(link, position, task.bounds, &fit);
            if link.prismatic {
                frame.shift_by(displacement.amount);
            } else {
                frame.turn_by(displacement.cosine, displacement.sine);
            }
            let [sum, weight] = &mut self.displacements[link.variable];
            let added = sum.load(simd) + displacement.amount * link.multiplier;
            let counted = weight.load(simd) + link.multiplier * link.multiplier;
            sum.store(added);
            weight.store(counted);
        }
        frame.store(&mut self.backward_frames[joint]);
    }
}

#[inline(always)]
fn bounded<S: Simd>(position: f64x4<S>, bounds: Bounds, variable: usize) -> f64x4<S> {
    let simd = position.simd;
    position.max(f64x4::splat(simd, bounds.lower[variable])).min(f64x4::splat(simd, bounds.upper[variable]))
}

/// The displacement of a joint.
struct Displacement<S: Simd> {
    /// Its size \[rad, or units of the length scale\].
    amount: f64x4<S>,
    /// Cosine and sine of a rotation by it.
    cosine: f64x4<S>,
    sine: f64x4<S>,
}

impl<S: Simd> Displacement<S> {
    /// The displacement of a joint by `fit`, clamped so that its variable, now at `position`, stays within its
    /// bounds.
    #[inline(always)]
    fn new(link: &KernelLink, position: f64x4<S>, bounds: Bounds, fit: &JointFit<S>) -> Self {
        let simd = position.simd;
        let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
        if link.multiplier.abs() < MIN_MULTIPLIER {
            return Self { amount: zero, cosine: one, sine: zero };
        }
        let cosine = fit.cosine + ZERO_ROTATION_BIAS;
        let fitted = if link.prismatic { fit.shift } else { angle(cosine, fit.sine) };
        let proposed = position + fitted / link.multiplier;
        let next = bounded(proposed, bounds, link.variable);
        let amount = (next - position) * link.multiplier;
        if link.prismatic {
            return Self { amount, cosine: one, sine: zero };
        }
        // Cosine and sine follow from the fitted vector, without waiting for the arctangent, unless a bound limits
        // the displacement.
        let length = (cosine * cosine + fit.sine * fit.sine).sqrt();
        let factor = 1.0 / length.max(f64x4::splat(simd, f64::MIN_POSITIVE));
        let unlimited = Self { amount: fitted, cosine: cosine * factor, sine: fit.sine * factor };
        let limited = next.simd_ne(proposed);
        if !limited.any_true() {
            return unlimited;
        }
        let (sine, cosine) = sine_cosine(amount);
        // Per lane, so that no configuration depends on the bounds of another.
        Self {
            amount: limited.select(amount, unlimited.amount),
            cosine: limited.select(cosine, unlimited.cosine),
            sine: limited.select(sine, unlimited.sine),
        }
    }
}

/// The origin of the joint in the URDF.
#[inline(always)]
fn centre<S: Simd>(frame: &LaneFrame<S>, link: &KernelLink) -> Vector<S> {
    add(frame.origin, scale(frame.z, f64x4::splat(frame.z[0].simd, link.centre)))
}

/// Moments of the tip and, if its orientation counts, of three markers around it.
#[inline(always)]
fn tip_points<S: Simd>(
    goal: &PreparedTarget,
    frame: &LaneFrame<S>,
    end: &KernelTip,
    marker_distance: f64x4<S>,
) -> Moments<S> {
    let mut sums = Moments::none(marker_distance.simd);
    let tip = frame.point(&end.position);
    sums.add(tip);
    if goal.target.free_axes[3..] != [true; 3] {
        sums.add(add(tip, scale(frame.x, marker_distance)));
        sums.add(add(tip, scale(frame.y, marker_distance)));
        sums.add(add(tip, scale(frame.z, marker_distance)));
    }
    sums
}
