//! Upper bounds for the relative motion of bodies, from lengths alone.
//!
//! If a revolute joint between two bodies turns, their nearest points approach each other no faster than the joint
//! speed times the distance of either point from the joint axis: along the line between the two points, both have the
//! same speed. So the smaller of the two distances is a bound.

use super::moving_joints::{MovingJoint, MovingJoints, PlacedBody};
use crate::shapes::transform::Transform;

/// Bounds for the relative motion of the bodies of a scene. Immutable.
#[derive(Debug, Clone)]
pub(crate) struct MotionBounds {
    /// For each joint, the largest distance of anything it carries from its origin, with the prismatic joints beyond it
    /// at 0 \[m\].
    reach: Vec<f64>,
    /// The joints between the bodies of each pair, concatenated.
    between: Vec<ConnectingJoint>,
    /// End index of each pair in `between`.
    ends: Vec<usize>,
}

/// A joint between the two bodies of a pair.
#[derive(Debug, Clone)]
struct ConnectingJoint {
    joint: usize,
    /// Largest distance of each body from the joint axis, with the prismatic joints between them at 0 \[m\].
    reaches: [f64; 2],
}

/// The largest distance of a body from a joint \[m\].
#[derive(Debug, Clone, Copy)]
struct BodyReach {
    from_axis: f64,
    from_origin: f64,
}

impl BodyReach {
    /// The reach of a ball of `radius` around `origin`.
    fn around(origin: [f64; 3], radius: f64) -> Self {
        let [x, y, z] = origin;
        Self { from_axis: x.hypot(y) + radius, from_origin: x.hypot(y).hypot(z) + radius }
    }

    /// The reach of a body from a joint; `frame` is the inverse of the joint's frame in the frame that carries the
    /// body.
    fn of(body: &PlacedBody, frame: &Transform) -> Self {
        let mut reach = Self { from_axis: 0.0, from_origin: 0.0 };
        for shape in &body.shapes {
            let place = frame.times(&Transform::of(&(body.pose * shape.core_pose)));
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
    /// Bounds for `pairs` of bodies, each with two indices of `bodies`.
    pub fn new(joints: &MovingJoints, bodies: &[PlacedBody], pairs: &[[usize; 2]]) -> Self {
        let joints = &joints.0;
        let mut reach = vec![0.0_f64; joints.len()];
        for body in bodies {
            if let Some(joint) = body.frame {
                reach[joint] = reach[joint].max(BodyReach::of(body, &Transform::ROOT).from_origin);
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
        // Parents have smaller indices than their children.
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
        self.between.extend(joints.map(|(&joint, (a, b))| ConnectingJoint { joint, reaches: [a, b] }));
        self.ends.push(self.between.len());
    }

    /// An upper bound \[m\] for the change of any pair's distance between the configurations `from` and `to`
    /// \[rad or m\].
    pub fn of_all(&self, joints: &MovingJoints, from: &[f64], to: &[f64]) -> f64 {
        // The joints between two bodies are a subset of all joints, and so is the travel of prismatic joints.
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

    /// An upper bound \[m\] for the change of a pair's distance between the configuration `from` and any configuration
    /// with each variable within `bounds`, lower then upper. All are in \[rad or m\].
    pub fn of_pair(&self, joints: &MovingJoints, pair: usize, from: &[f64], bounds: [&[f64]; 2]) -> f64 {
        let start = pair.checked_sub(1).map_or(0, |before| self.ends[before]);
        let between = &self.between[start..self.ends[pair]];
        let motions = between.iter().map(|between| (between, &joints.0[between.joint]));
        // Travel of the prismatic joints on either side of the current joint.
        let sliding = motions.clone().filter(|(_, joint)| joint.prismatic);
        let (mut passed, mut ahead) = (0.0, sliding.map(|(_, joint)| motion(joint, from, bounds)[1]).sum::<f64>());
        let mut most = 0.0;
        for (ConnectingJoint { reaches: [first, second], .. }, joint) in motions {
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

/// The reach of a body from the axes of the joints between it and another body: first the joints that carry it,
/// starting at the body, then the joints that carry the other body, in reverse.
fn reaches(joints: &[MovingJoint], body: &PlacedBody, up: &[usize], down: &[usize]) -> Vec<f64> {
    let mut reaches = Vec::with_capacity(up.len() + down.len());
    let mut reach: Option<BodyReach> = None;
    let mut step = |frame: Transform, origin: [f64; 3]| {
        let next = match reach {
            None => BodyReach::of(body, &frame),
            Some(reach) => BodyReach::around(origin, reach.from_origin),
        };
        reaches.push(next.from_axis);
        reach = Some(next);
    };
    let mut last = None;
    for &joint in up {
        step(Transform::ROOT, last.map_or([0.0; 3], |last: usize| joints[last].before.origin.into()));
        last = Some(joint);
    }
    for (at, &joint) in down.iter().rev().enumerate() {
        let inverse = joints[joint].before.inverse();
        // The last joint that carries the body shares its parent with the first joint here; each of the others is the
        // parent of the next.
        let before = last.filter(|_| at == 0).map_or_else(Default::default, |last| joints[last].before.origin);
        step(inverse, inverse.point(&before).into());
    }
    reaches
}

/// The largest motion of a joint between a configuration and any configuration in a box, and its largest distance from
/// 0 in either \[rad or m\].
fn motion(joint: &MovingJoint, from: &[f64], bounds: [&[f64]; 2]) -> [f64; 2] {
    let (from, [low, high]) = (joint.moved(from), bounds.map(|positions| joint.moved(positions)));
    [(low - from).abs().max((high - from).abs()), from.abs().max(low.abs()).max(high.abs())]
}
