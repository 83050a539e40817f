//! How far a motion of the variables moves bodies against each other at most, from lengths alone.
//!
//! Where a joint between two bodies turns, their nearest points do not come nearer faster than the joint turns times the distance of either
//! from its axis: along the line between the two, both have the same speed. So the body that reaches less far from the axis tells.

use super::moving_joints::{MovingJoint, MovingJoints, PlacedBody};
use crate::shapes::frame::Frame;

/// What bounds the motion of the bodies of a scene. Constant.
#[derive(Debug, Clone)]
pub(crate) struct MotionBounds {
    /// For each joint, how far what it carries reaches from its origin while the prismatic joints after it stand at 0 \[m\].
    reach: Vec<f64>,
    /// The joints between the bodies of each pair, one pair after the other.
    between: Vec<Between>,
    /// Where those of each pair end.
    ends: Vec<usize>,
}

/// A joint between two bodies.
#[derive(Debug, Clone)]
struct Between {
    joint: usize,
    /// How far each body reaches from its axis while the prismatic joints on the way there stand at 0 \[m\].
    reaches: [f64; 2],
}

/// How far something reaches from a joint \[m\].
#[derive(Debug, Clone, Copy)]
struct Reach {
    from_axis: f64,
    from_origin: f64,
}

impl Reach {
    /// The reach of what is within `radius` of `origin`.
    fn around(origin: [f64; 3], radius: f64) -> Self {
        let [x, y, z] = origin;
        Self { from_axis: x.hypot(y) + radius, from_origin: x.hypot(y).hypot(z) + radius }
    }

    /// The reach of a body from a joint that has this inverse `frame` in the frame that carries the body.
    fn of(body: &PlacedBody, frame: &Frame) -> Self {
        let mut reach = Self { from_axis: 0.0, from_origin: 0.0 };
        for shape in &body.shapes {
            let place = frame.times(&Frame::of(&(body.pose * shape.core_pose)));
            let (corners, rounding) = shape.outline().corners();
            for corner in corners {
                let Self { from_axis, from_origin } = Self::around(place.point(&corner).into(), rounding);
                reach.from_axis = reach.from_axis.max(from_axis);
                reach.from_origin = reach.from_origin.max(from_origin);
            }
        }
        reach
    }
}

impl MotionBounds {
    /// `pairs` are indices of `bodies`.
    pub fn new(joints: &MovingJoints, bodies: &[PlacedBody], pairs: &[[usize; 2]]) -> Self {
        let joints = &joints.0;
        let mut reach = vec![0.0_f64; joints.len()];
        for body in bodies {
            if let Some(joint) = body.frame {
                reach[joint] = reach[joint].max(Reach::of(body, &Frame::ROOT).from_origin);
            }
        }
        for joint in (0..joints.len()).rev() {
            if let Some(parent) = joints[joint].parent {
                reach[parent] = reach[parent].max(joints[joint].before.origin.norm() + reach[joint]);
            }
        }
        let mut bounds = Self { reach, between: Vec::new(), ends: Vec::new() };
        for pair in pairs {
            bounds.add(joints, pair.map(|body| &bodies[body]));
        }
        bounds
    }

    /// Adds a pair.
    fn add(&mut self, joints: &[MovingJoint], [first, second]: [&PlacedBody; 2]) {
        let [mut up, mut down] = [Vec::new(), Vec::new()];
        let [mut a, mut b] = [first.frame, second.frame];
        // Parents come before what they carry.
        while a != b {
            let (side, joint) = if a > b { (&mut up, &mut a) } else { (&mut down, &mut b) };
            if let Some(index) = *joint {
                side.push(index);
                *joint = joints[index].parent;
            }
        }
        let of_first = reaches(joints, first, &up, &down);
        let mut of_second = reaches(joints, second, &down, &up);
        of_second.reverse();
        let joints = up.iter().chain(down.iter().rev()).zip(of_first.into_iter().zip(of_second));
        self.between.extend(joints.map(|(&joint, (a, b))| Between { joint, reaches: [a, b] }));
        self.ends.push(self.between.len());
    }

    /// By how much the distance of any two bodies changes at most between two configurations \[m\].
    pub fn of_all(&self, joints: &MovingJoints, from: &[f64], to: &[f64]) -> f64 {
        // The joints between two bodies are not more than all, and no prismatic joint carries farther than all do.
        let (mut most, mut travel) = (0.0, 0.0);
        for (joint, reach) in joints.0.iter().zip(&self.reach).rev() {
            let [moved, farthest] = motion(joint, from, [to; 2]);
            if joint.prismatic {
                most += moved;
                travel += farthest;
            } else {
                most += moved * (reach + travel);
            }
        }
        most
    }

    /// By how much the distance of a pair changes at most between a configuration and any in which each variable is between `low` and
    /// `high` \[m\].
    pub fn of_pair(&self, joints: &MovingJoints, pair: usize, from: &[f64], bounds: [&[f64]; 2]) -> f64 {
        let start = pair.checked_sub(1).map_or(0, |before| self.ends[before]);
        let between = &self.between[start..self.ends[pair]];
        let motions = between.iter().map(|between| (between, &joints.0[between.joint]));
        // How far prismatic joints carry on either side.
        let sliding = motions.clone().filter(|(_, joint)| joint.prismatic);
        let (mut passed, mut ahead) = (0.0, sliding.map(|(_, joint)| motion(joint, from, bounds)[1]).sum::<f64>());
        let mut most = 0.0;
        for (Between { reaches: [first, second], .. }, joint) in motions {
            let [moved, farthest] = motion(joint, from, bounds);
            if joint.prismatic {
                most += moved;
                passed += farthest;
                ahead -= farthest;
            } else {
                most += moved * (first + passed).min(second + ahead);
            }
        }
        most
    }
}

/// How far a body reaches from the axes of the joints between it and another: first those that carry it, from it on, then those that
/// carry the other one, which come last as seen from that.
fn reaches(joints: &[MovingJoint], body: &PlacedBody, up: &[usize], down: &[usize]) -> Vec<f64> {
    let mut reaches = Vec::with_capacity(up.len() + down.len());
    let mut reach: Option<Reach> = None;
    let mut step = |frame: Frame, origin: [f64; 3]| {
        let next = match reach {
            None => Reach::of(body, &frame),
            Some(reach) => Reach::around(origin, reach.from_origin),
        };
        reaches.push(next.from_axis);
        reach = Some(next);
    };
    let mut last = None;
    for &joint in up {
        step(Frame::ROOT, last.map_or([0.0; 3], |last: usize| joints[last].before.origin.into()));
        last = Some(joint);
    }
    for (at, &joint) in down.iter().rev().enumerate() {
        let inverse = joints[joint].before.inverse();
        // The last joint that carries the body has the same parent; each of the others is the parent.
        let before = last.filter(|_| at == 0).map_or_else(Default::default, |last| joints[last].before.origin);
        step(inverse, inverse.point(&before).into());
    }
    reaches
}

/// How far a joint moves at most between a configuration and any in which each variable is between two bounds, and how far it is from 0 in
/// one of them at most \[rad or m\].
fn motion(joint: &MovingJoint, from: &[f64], bounds: [&[f64]; 2]) -> [f64; 2] {
    let (from, [low, high]) = (joint.moved(from), bounds.map(|positions| joint.moved(positions)));
    [(low - from).abs().max((high - from).abs()), from.abs().max(low.abs()).max(high.abs())]
}
