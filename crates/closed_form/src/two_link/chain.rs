//! Chains of a robot that are two links: recognised by their axes, whatever frames their URDF uses.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use thiserror::Error;

use super::answer::Solutions;
use super::spatial::SpatialTwoLink;
use super::{Angles, ROUNDINGS, TwoLink};
use crate::axes::joint_lines;
use crate::whole_turns::wrapped;
use crate::{EXACT_DEVIATION, Line};
use urdf_ik_mathematics::segments::{InputError, check_coordinates};
use urdf_ik_robot::{Chain, ChainJoint, JointKind};

/// How far axes may be from parallel, from a right angle \[rad\] or from meeting \[m\] for a chain to count as of exact shape.
pub const SHAPE_TOLERANCE: f64 = EXACT_DEVIATION;

/// Why a chain is not an arm of two or three links, and by how much.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NotOfThisShape {
    /// The chain has another number of joints, or they are not in one row to one tip.
    #[error(
        "the chain has {joints} movable joints and {tips} tip links; it must have {expected} joints in a row and 1 tip link"
    )]
    Joints {
        /// Movable joints of the chain.
        joints: usize,
        /// Its tip links.
        tips: usize,
        /// Joints that the shape has.
        expected: usize,
    },
    /// A joint does not turn freely: it is prismatic, or follows another one.
    #[error(
        "the joint of variable '{variable}' is prismatic or mimics another joint; it must be revolute or continuous and must not mimic"
    )]
    NoTurn {
        /// Name of the joint that is the variable.
        variable: String,
    },
    /// Two axes are not parallel.
    #[error("the axes of '{first}' and '{second}' are {angle:e} rad from parallel, more than {SHAPE_TOLERANCE:e} rad")]
    NotParallel {
        /// Name of the first joint.
        first: String,
        /// Name of the second joint.
        second: String,
        /// Angle between both lines \[rad\].
        angle: f64,
    },
    /// Two axes are not at right angles.
    #[error(
        "the axes of '{first}' and '{second}' are {angle:e} rad from a right angle, more than {SHAPE_TOLERANCE:e} rad"
    )]
    NotAtRightAngles {
        /// Name of the first joint.
        first: String,
        /// Name of the second joint.
        second: String,
        /// Deviation from a right angle \[rad\].
        angle: f64,
    },
    /// Two axes do not meet.
    #[error("the axes of '{first}' and '{second}' are {distance:e} m apart, more than {SHAPE_TOLERANCE:e} m")]
    NotMeeting {
        /// Name of the first joint.
        first: String,
        /// Name of the second joint.
        second: String,
        /// Distance of both lines \[m\].
        distance: f64,
    },
    /// The tip link's origin is beside the plane that contains the base axis.
    #[error(
        "the tip link is {distance:e} m from the plane through the axis of '{first}', more than {SHAPE_TOLERANCE:e} m"
    )]
    TipBeside {
        /// Name of the joint that turns the plane.
        first: String,
        /// Distance from the plane \[m\].
        distance: f64,
    },
    /// The tip link's origin is on the wrist's axis, so that the last link points nowhere.
    #[error(
        "the tip link is {distance:e} m from the axis of '{wrist}'; the last link needs a length to point along the up vector"
    )]
    NoLastLink {
        /// Name of the last joint.
        wrist: String,
        /// Distance from its axis \[m\].
        distance: f64,
    },
    /// The links are too long.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// The axis of a joint in the base link's frame while nothing has moved, and how the variable moves the joint.
pub(crate) struct Axis {
    pub(crate) name: String,
    pub(crate) line: Line,
    pub(crate) reading: Reading,
}

impl Axis {
    /// The axes of a row of `N` revolute joints to one tip, and where the tip link's origin is while nothing has moved.
    pub(crate) fn row<const N: usize>(chain: &Chain) -> Result<([Self; N], Point3<f64>), NotOfThisShape> {
        let (joints, tips) = (chain.joints().len(), chain.tips().len());
        let wrong = || NotOfThisShape::Joints { joints, tips, expected: N };
        let (lines, tip) = joint_lines(chain).filter(|_| joints == N).ok_or_else(wrong)?;
        let axes = lines.into_iter().zip(chain.joints()).map(|(line, joint)| Self::new(chain, joint, line));
        let axes: Vec<Self> = axes.collect::<Result<_, _>>()?;
        Ok((axes.try_into().map_err(|_| wrong())?, tip.translation.vector.into()))
    }

    fn new(chain: &Chain, joint: &ChainJoint, line: Line) -> Result<Self, NotOfThisShape> {
        let name = chain.variables()[joint.variable].name.clone();
        let shared = chain.joints().iter().filter(|other| other.variable == joint.variable).count() > 1;
        let turns = matches!(joint.kind, JointKind::Revolute | JointKind::Continuous);
        if shared || !turns || joint.multiplier.abs() != 1.0 {
            return Err(NotOfThisShape::NoTurn { variable: name });
        }
        Ok(Self { name, line, reading: Reading { multiplier: joint.multiplier, offset: joint.offset } })
    }

    /// A point on it \[m\].
    pub(crate) fn point(&self) -> Point3<f64> {
        self.line.point.into()
    }
}

/// Whether two axes are parallel, or opposite.
pub(crate) fn check_parallel(a: &Axis, b: &Axis) -> Result<(), NotOfThisShape> {
    let angle = a.line.angle(&b.line);
    let error = || NotOfThisShape::NotParallel { first: a.name.clone(), second: b.name.clone(), angle };
    if angle <= SHAPE_TOLERANCE { Ok(()) } else { Err(error()) }
}

/// Shoulder and elbow of a chain as they lie in their plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bend {
    pub(crate) lengths: [f64; 2],
    /// Angles of the links while nothing has turned \[rad\].
    pub(crate) zero: Angles,
    /// -1 where the elbow's axis is opposite to the plane's normal, else 1.
    pub(crate) elbow_sign: f64,
}

impl Bend {
    /// By the ends of the links in the plane \[m\], and the plane's normal.
    pub(crate) fn new([elbow, tip]: [[f64; 2]; 2], elbow_axis: &Axis, normal: &Vector3<f64>) -> Self {
        let second = [tip[0] - elbow[0], tip[1] - elbow[1]];
        let [shoulder_angle, second_angle] = [elbow, second].map(|[x, y]| y.atan2(x));
        Self {
            lengths: [elbow, second].map(|[x, y]| x.hypot(y)),
            zero: Angles { shoulder: shoulder_angle, elbow: second_angle - shoulder_angle },
            elbow_sign: elbow_axis.line.direction.dot(normal).signum(),
        }
    }

    /// How far shoulder and elbow have turned about their own axes \[rad\].
    pub(crate) fn turns(&self, shoulder: f64, elbow: f64) -> [f64; 2] {
        [shoulder - self.zero.shoulder, self.elbow_sign * (elbow - self.zero.elbow)]
    }
}

/// How the positions of a joint follow from its turn about its own axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reading {
    /// 1 or -1.
    multiplier: f64,
    offset: f64,
}

impl Reading {
    /// The position, in (-π, π] rad, at which the joint has turned by `turn` \[rad\].
    pub(crate) fn position(&self, turn: f64) -> f64 {
        wrapped((turn - self.offset) * self.multiplier)
    }
}

/// A chain of two joints with parallel axes: [`TwoLink`] in the plane at right angles to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarChain {
    /// The plane as x-y plane, with the shoulder in its origin and its axis as z axis.
    frame: Isometry3<f64>,
    /// Where the tip link's origin is along that axis \[m\].
    height: f64,
    links: TwoLink,
    bend: Bend,
    readings: [Reading; 2],
}

impl PlanarChain {
    /// Recognises `chain` as two links.
    ///
    /// # Errors
    /// [`NotOfThisShape`], which says what is in the way, and by how much.
    pub fn of(chain: &Chain) -> Result<Self, NotOfThisShape> {
        let ([shoulder, elbow], tip) = Axis::row::<2>(chain)?;
        check_parallel(&shoulder, &elbow)?;
        let normal = shoulder.line.direction;
        // Any direction at right angles, from the coordinate axis least along the normal.
        let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        let frame = frame_of(shoulder.point(), [first, normal.cross(&first), normal]);
        let [end, tip] = [elbow.point(), tip].map(|point| frame.inverse_transform_point(&point));
        let bend = Bend::new([[end.x, end.y], [tip.x, tip.y]], &elbow, &normal);
        let links = TwoLink::new(bend.lengths)?;
        Ok(Self { frame, height: tip.z, links, bend, readings: [shoulder.reading, elbow.reading] })
    }

    /// The links.
    pub fn links(&self) -> &TwoLink {
        &self.links
    }

    /// All positions of the chain's variables \[rad\], in (-π, π] whatever the limits, at which the tip link's origin is at `target`
    /// (base link's frame \[m\]), in the order of [`TwoLink::solve`]. A target beside the plane is missed by its distance from the plane, too.
    ///
    /// # Errors
    /// [`InputError`] for a coordinate that is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point3<f64>) -> Result<Solutions<[f64; 2], 2>, InputError> {
        check_coordinates("the target", target.coords.as_slice())?;
        let local = self.frame.inverse_transform_point(target);
        let [first, second] = self.links.lengths();
        let slack = ROUNDINGS * (first + second + target.coords.amax() + self.frame.translation.vector.amax());
        let mut solutions = self.links.solve_within([local.x, local.y], slack).map(|angles| {
            let turns = self.bend.turns(angles.shoulder, angles.elbow);
            [0, 1].map(|joint| self.readings[joint].position(turns[joint]))
        });
        let beside = (local.z - self.height).abs();
        if beside > slack {
            solutions.missing = solutions.missing.hypot(beside);
        }
        Ok(solutions)
    }
}

/// A chain of three joints: the first axis crosses the second at a right angle, the third is parallel to the second,
/// and these two move the tip in a plane through the first axis. It is a [`SpatialTwoLink`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialChain {
    arm: SpatialTwoLink,
    bend: Bend,
    readings: [Reading; 3],
}

impl SpatialChain {
    /// Recognises `chain` as two links on a base that turns.
    ///
    /// # Errors
    /// [`NotOfThisShape`], which says what is in the way, and by how much.
    pub fn of(chain: &Chain) -> Result<Self, NotOfThisShape> {
        let ([yaw, shoulder, elbow], tip) = Axis::row::<3>(chain)?;
        check_parallel(&shoulder, &elbow)?;
        let base = base_frame(&yaw, &shoulder)?;
        let [end, tip] = [elbow.point(), tip].map(|point| base.inverse_transform_point(&point));
        if tip.x.abs() > SHAPE_TOLERANCE {
            return Err(NotOfThisShape::TipBeside { first: yaw.name, distance: tip.x.abs() });
        }
        let bend = Bend::new([[end.y, end.z], [tip.y, tip.z]], &elbow, &shoulder.line.direction);
        let arm = SpatialTwoLink::new(base, bend.lengths)?;
        Ok(Self { arm, bend, readings: [yaw.reading, shoulder.reading, elbow.reading] })
    }

    /// The links on their base.
    pub fn arm(&self) -> &SpatialTwoLink {
        &self.arm
    }

    /// All positions of the chain's variables \[rad\], in (-π, π] whatever the limits, at which the tip link's origin is at `target`
    /// (base link's frame \[m\]), in the order of [`SpatialTwoLink::solve`].
    ///
    /// # Errors
    /// [`InputError`] for a coordinate that is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point3<f64>) -> Result<Solutions<[f64; 3], 4>, InputError> {
        Ok(self.arm.solve(target)?.map(|angles| {
            let [shoulder, elbow] = self.bend.turns(angles.shoulder, angles.elbow);
            let turns = [angles.yaw, shoulder, elbow];
            [0, 1, 2].map(|joint| self.readings[joint].position(turns[joint]))
        }))
    }
}

/// The frame with the axis of `yaw` as y axis and that of `shoulder` as x axis, where they cross.
pub(crate) fn base_frame(yaw: &Axis, shoulder: &Axis) -> Result<Isometry3<f64>, NotOfThisShape> {
    let names = || (yaw.name.clone(), shoulder.name.clone());
    let angle = yaw.line.angle_from_right(&shoulder.line);
    if angle > SHAPE_TOLERANCE {
        let (first, second) = names();
        return Err(NotOfThisShape::NotAtRightAngles { first, second, angle });
    }
    let distance = yaw.line.distance(&shoulder.line);
    if distance > SHAPE_TOLERANCE {
        let (first, second) = names();
        return Err(NotOfThisShape::NotMeeting { first, second, distance });
    }
    let axis = yaw.line.direction;
    let normal = (shoulder.line.direction - axis * shoulder.line.direction.dot(&axis)).normalize();
    let between = shoulder.line.point - yaw.line.point;
    Ok(frame_of(yaw.point() + axis * between.dot(&axis), [normal, axis, normal.cross(&axis)]))
}

/// The frame at `origin` with those axes, unit vectors at right angles.
fn frame_of(origin: Point3<f64>, axes: [Vector3<f64>; 3]) -> Isometry3<f64> {
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&axes));
    Isometry3::from_parts(origin.into(), UnitQuaternion::from_rotation_matrix(&rotation))
}
