//! How far a motion of the variables moves bodies against each other at most, from lengths alone.
//!
//! Where a joint between two bodies turns, their nearest points do not come nearer faster than the joint turns times the distance of either
//! from its axis: along the line between the two, both have the same speed. So the body that reaches less far from the axis tells.

use crate::scene::moving_joints::{Frame, PlacedBody};

/// A moving joint, as far as lengths go.
#[derive(Debug, Clone)]
pub(crate) struct Lever {
    /// Index of the moving joint before it.
    pub parent: Option<usize>,
    /// Its frame before its motion, in the frame of `parent` or of the root link. It moves along or about the z axis.
    pub before: Frame,
    pub variable: usize,
    /// Its motion is `multiplier` times that of the variable, from `offset` on.
    pub multiplier: f64,
    pub offset: f64,
    pub prismatic: bool,
}

/// What bounds the motion of the bodies of a scene. Constant.
#[derive(Debug, Clone)]
pub(crate) struct MotionBounds {
    /// Parents first.
    levers: Vec<Lever>,
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
pub(crate) struct Reach {
    pub from_axis: f64,
    pub from_origin: f64,
}

impl Reach {
    /// That of what is within `radius` of `origin`.
    pub fn around(origin: [f64; 3], radius: f64) -> Self {
        let [x, y, z] = origin;
        Self { from_axis: x.hypot(y) + radius, from_origin: x.hypot(y).hypot(z) + radius }
    }

    /// That of both.
    pub fn or(self, other: Self) -> Self {
        Self { from_axis: self.from_axis.max(other.from_axis), from_origin: self.from_origin.max(other.from_origin) }
    }
}

impl MotionBounds {
    /// `levers` come parents first. `pairs` are indices of `bodies`.
    pub fn new(levers: Vec<Lever>, bodies: &[PlacedBody], pairs: &[[usize; 2]]) -> Self {
        let mut reach = vec![0.0_f64; levers.len()];
        for body in bodies {
            if let Some(joint) = body.frame {
                reach[joint] = reach[joint].max(body.reach(&Frame::ROOT).from_origin);
            }
        }
        for joint in (0..levers.len()).rev() {
            if let Some(parent) = levers[joint].parent {
                reach[parent] = reach[parent].max(levers[joint].before.origin.norm() + reach[joint]);
            }
        }
        let mut bounds = Self { levers, reach, between: Vec::new(), ends: Vec::new() };
        for pair in pairs {
            bounds.add(pair.map(|body| &bodies[body]));
        }
        bounds
    }

    /// Adds a pair.
    fn add(&mut self, [first, second]: [&PlacedBody; 2]) {
        let [mut up, mut down] = [Vec::new(), Vec::new()];
        let [mut a, mut b] = [first.frame, second.frame];
        // Parents come before what they carry.
        while a != b {
            let (side, joint) = if a > b { (&mut up, &mut a) } else { (&mut down, &mut b) };
            if let Some(index) = *joint {
                side.push(index);
                *joint = self.levers[index].parent;
            }
        }
        let of_first = self.reaches(first, &up, &down);
        let mut of_second = self.reaches(second, &down, &up);
        of_second.reverse();
        let joints = up.iter().chain(down.iter().rev()).zip(of_first.into_iter().zip(of_second));
        self.between.extend(joints.map(|(&joint, (a, b))| Between { joint, reaches: [a, b] }));
        self.ends.push(self.between.len());
    }

    /// How far a body reaches from the axes of the joints between it and another: first those that carry it, from it on, then those that
    /// carry the other one, which come last as seen from that.
    fn reaches(&self, body: &PlacedBody, up: &[usize], down: &[usize]) -> Vec<f64> {
        let mut reaches = Vec::with_capacity(up.len() + down.len());
        let mut reach: Option<Reach> = None;
        let mut step = |frame: Frame, origin: [f64; 3]| {
            let next = match reach {
                None => body.reach(&frame),
                Some(reach) => Reach::around(origin, reach.from_origin),
            };
            reaches.push(next.from_axis);
            reach = Some(next);
        };
        let mut last = None;
        for &joint in up {
            step(Frame::ROOT, last.map_or([0.0; 3], |last: usize| self.levers[last].before.origin.into()));
            last = Some(joint);
        }
        for (at, &joint) in down.iter().rev().enumerate() {
            let inverse = self.levers[joint].before.inverse();
            // The last joint that carries the body has the same parent; each of the others is the parent.
            let before = last.filter(|_| at == 0).map_or_else(Default::default, |last| self.levers[last].before.origin);
            step(inverse, inverse.point(&before).into());
        }
        reaches
    }

    /// By how much the distance of any two bodies changes at most between two configurations \[m\].
    pub fn of_all(&self, from: &[f64], to: &[f64]) -> f64 {
        // The joints between two bodies are not more than all, and no prismatic joint carries farther than all do.
        let (mut motion, mut travel) = (0.0, 0.0);
        for (lever, reach) in self.levers.iter().zip(&self.reach).rev() {
            let [moved, farthest] = lever.motion(from, [to; 2]);
            if lever.prismatic {
                motion += moved;
                travel += farthest;
            } else {
                motion += moved * (reach + travel);
            }
        }
        motion
    }

    /// By how much the distance of a pair changes at most between a configuration and any in which each variable is between `low` and
    /// `high` \[m\].
    pub fn of_pair(&self, pair: usize, from: &[f64], bounds: [&[f64]; 2]) -> f64 {
        let start = pair.checked_sub(1).map_or(0, |before| self.ends[before]);
        let between = &self.between[start..self.ends[pair]];
        let motions = between.iter().map(|between| (between, &self.levers[between.joint]));
        // How far prismatic joints carry on either side.
        let sliding = motions.clone().filter(|(_, lever)| lever.prismatic);
        let (mut passed, mut ahead) = (0.0, sliding.map(|(_, lever)| lever.motion(from, bounds)[1]).sum::<f64>());
        let mut motion = 0.0;
        for (Between { reaches: [first, second], .. }, lever) in motions {
            let [moved, farthest] = lever.motion(from, bounds);
            if lever.prismatic {
                motion += moved;
                passed += farthest;
                ahead -= farthest;
            } else {
                motion += moved * (first + passed).min(second + ahead);
            }
        }
        motion
    }
}

impl Lever {
    /// How far the joint moves at most between a configuration and any in which each variable is between two bounds, and how far it is from 0
    /// in one of them at most \[rad or m\].
    fn motion(&self, from: &[f64], bounds: [&[f64]; 2]) -> [f64; 2] {
        let at = |positions: &[f64]| self.multiplier * positions[self.variable] + self.offset;
        let (from, [low, high]) = (at(from), bounds.map(at));
        [(low - from).abs().max((high - from).abs()), from.abs().max(low.abs()).max(high.abs())]
    }
}
