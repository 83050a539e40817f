//! The joints of a robot that a chain moves, and their frames.

use std::fmt;

use fearless_simd::Simd;
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use crate::shapes::PlacedShape;
use crate::shapes::transform::Transform;
use urdf_ik_mathematics::lanes::{LANES, Lanes, sine_cosine};
use urdf_ik_robot::{Chain, JointKind, Mimic, Robot};
use urdf_ik_text::names::short;

/// A joint moved by a variable of the chain, directly or as a mimic joint. It need not be part of the chain. Its axis
/// is the z axis of its frame, which may differ from the URDF's frame.
#[derive(Debug, Clone)]
pub(crate) struct MovingJoint {
    /// Index of the parent among the moving joints; `None` for the root link.
    pub parent: Option<usize>,
    /// Frame of the joint at position 0, in the frame of `parent` or of the root link \[m\].
    pub before: Transform,
    pub prismatic: bool,
    variable: usize,
    /// Joint position = `multiplier` · variable + `offset`.
    multiplier: f64,
    offset: f64,
}

impl MovingJoint {
    /// The joint's position \[rad or m\] at `positions` of the variables \[rad or m\].
    #[inline(always)]
    pub fn moved(&self, positions: &[f64]) -> f64 {
        self.multiplier * positions[self.variable] + self.offset
    }
}

/// The joints of a robot that a chain moves, parents first. Immutable.
#[derive(Debug, Clone)]
pub(crate) struct MovingJoints(pub Vec<MovingJoint>);

/// The moving joint that carries a link, and the link's pose in its frame; without such a joint in the root link's
/// frame.
pub(crate) type Carried = (Option<usize>, Isometry3<f64>);

/// The frames of the moving joints at some positions, in the root link's frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointFrames {
    pub of_joints: Vec<Transform>,
    /// Sines and cosines of the joint angles.
    turns: Vec<[Lanes; 2]>,
}

impl JointFrames {
    /// The frame of moving joint `joint` in the root link's frame \[m\]; for `None`, the root link's frame itself.
    #[inline(always)]
    pub fn of(&self, joint: Option<usize>) -> &Transform {
        joint.map_or(&Transform::ROOT, |joint| &self.of_joints[joint])
    }
}

impl MovingJoints {
    /// The joints that `chain` moves, and for each link the moving joint that carries it and the link's pose \[m\] in
    /// the frame of that joint, or of the root link if none does. All other joints are at `rest` \[rad or m\], one
    /// entry for each joint of the robot.
    pub fn new(robot: &Robot, chain: &Chain, rest: &[f64]) -> (Self, Vec<Carried>) {
        let mut moving = Vec::new();
        let mut carried = vec![(None, Isometry3::identity()); robot.links().len()];
        for at in robot.parents_first() {
            let joint = &robot.joints()[at];
            let (parent, pose) = carried[joint.parent];
            let Mimic { master, multiplier, offset } = joint.rule(at);
            let variable = chain.variables().iter().position(|variable| variable.joint == master);
            carried[joint.child] = match variable.filter(|_| joint.kind.has_position()) {
                None => (parent, pose * joint.transform(rest[at])),
                Some(variable) => {
                    let half_turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
                    let to_axis = UnitQuaternion::rotation_between(&Vector3::z(), &joint.axis).unwrap_or(half_turn);
                    moving.push(MovingJoint {
                        parent,
                        before: Transform::of(&(pose * joint.origin * to_axis)),
                        prismatic: joint.kind == JointKind::Prismatic,
                        variable,
                        multiplier,
                        offset,
                    });
                    (Some(moving.len() - 1), Isometry3::from_parts(Vector3::zeros().into(), to_axis.inverse()))
                }
            };
        }
        (Self(moving), carried)
    }

    /// Writes to `frames` the frames of the moving joints in the root link's frame \[m\], at `positions` \[rad or m\]
    /// of the chain's variables.
    #[inline(always)]
    pub fn frames<S: Simd>(&self, simd: S, positions: &[f64], frames: &mut JointFrames) {
        let JointFrames { of_joints, turns } = frames;
        turns.clear();
        for four in self.0.chunks(LANES) {
            let mut angles = Lanes::default();
            for (angle, joint) in angles.0.iter_mut().zip(four) {
                *angle = joint.moved(positions);
            }
            let (sine, cosine) = sine_cosine(angles.load(simd));
            let mut turn = [Lanes::default(); 2];
            turn[0].store(sine);
            turn[1].store(cosine);
            turns.push(turn);
        }
        of_joints.clear();
        for (at, joint) in self.0.iter().enumerate() {
            let before = joint.parent.map_or(joint.before, |parent| of_joints[parent].times(&joint.before));
            let [x, y, z] = [0, 1, 2].map(|axis| before.rotation.column(axis).into_owned());
            of_joints.push(if joint.prismatic {
                Transform { rotation: before.rotation, origin: before.origin + z * joint.moved(positions) }
            } else {
                let [sine, cosine] = turns[at / LANES].map(|lanes| lanes.0[at % LANES]);
                let rotation = Matrix3::from_columns(&[x * cosine + y * sine, y * cosine - x * sine, z]);
                Transform { rotation, origin: before.origin }
            });
        }
    }

    /// Adds to `row` the partial velocities \[m/rad or m/m\] of `point` \[m\] along the unit vector `along`, one entry
    /// per variable. Both vectors are in the root link's frame. The joint `carrier` moves the point.
    pub fn add_velocity(
        &self,
        frames: &JointFrames,
        carrier: Option<usize>,
        point: &Vector3<f64>,
        along: &Vector3<f64>,
        row: &mut [f64],
    ) {
        let mut next = carrier;
        while let Some(at) = next {
            let (joint, Transform { rotation, origin }) = (&self.0[at], &frames.of_joints[at]);
            let axis: Vector3<f64> = rotation.column(2).into_owned();
            let velocity = if joint.prismatic { axis } else { axis.cross(&(point - origin)) };
            row[joint.variable] += joint.multiplier * velocity.dot(along);
            next = joint.parent;
        }
    }

    /// A sphere that contains everything within `radius` \[m\] of the origin of joint `carrier` in every configuration:
    /// its centre \[m\] in the root link's frame (the origin of the first moving joint), and its radius \[m\]. `None`
    /// if one of the joints is prismatic.
    pub fn reach(&self, carrier: usize, radius: f64) -> Option<(Vector3<f64>, f64)> {
        let mut reach = radius;
        let mut at = carrier;
        loop {
            let joint = &self.0[at];
            if joint.prismatic {
                return None;
            }
            let Some(parent) = joint.parent else { return Some((joint.before.origin, reach)) };
            reach += joint.before.origin.norm();
            at = parent;
        }
    }
}

/// A body that can be in contact. The variants are complete: everything in a scene is a link, attached to a link, or an
/// obstacle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Body {
    /// The link with this name.
    Link(String),
    /// The attached part with this name.
    Attached(String),
    /// The obstacle with this name.
    Obstacle(String),
}

impl Body {
    /// The link of an index.
    pub(crate) fn of_link(robot: &Robot, link: usize) -> Self {
        Self::Link(robot.links()[link].name.clone())
    }

    /// Name of the link, attached part or obstacle.
    pub fn name(&self) -> &str {
        match self {
            Self::Link(name) | Self::Attached(name) | Self::Obstacle(name) => name,
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(name) => write!(f, "link '{}'", short(name)),
            Self::Attached(name) => write!(f, "attached part '{}'", short(name)),
            Self::Obstacle(name) => write!(f, "obstacle '{}'", short(name)),
        }
    }
}

/// A body in the frame of the moving joint that carries it.
#[derive(Clone)]
pub(crate) struct PlacedBody {
    pub body: Body,
    /// The moving joint that moves the body; `None` for a static body, which is in the root link's frame.
    pub frame: Option<usize>,
    /// The body's pose in that frame \[m\].
    pub pose: Isometry3<f64>,
    pub shapes: Vec<PlacedShape>,
}
