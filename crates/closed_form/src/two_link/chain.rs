//! Recognises chains of a robot that are two links, from their joint axes.

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

/// Maximum deviation from parallel axes and right angles \[rad\], and from intersections \[m\], of a chain with an
/// exact shape.
pub const SHAPE_TOLERANCE: f64 = EXACT_DEVIATION;

/// Why a chain is not an arm of two or three links, with the deviation.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NotOfThisShape {
    /// The chain does not have the required number of joints in a row, or has several tips.
    #[error(
        "the chain has {joints} movable joints and {tips} tip links; it must have {expected} joints in a row and 1 tip link"
    )]
    Joints {
        /// Number of movable joints of the chain.
        joints: usize,
        /// Number of tip links of the chain.
        tips: usize,
        /// Required number of joints.
        expected: usize,
    },
    /// A joint does not turn freely: it is prismatic, or follows another one.
    #[error(
        "the joint of variable '{variable}' is prismatic or mimics another joint; it must be revolute or continuous and must not mimic"
    )]
    NoTurn {
        /// Name of the variable's joint.
        variable: String,
    },
    /// Two axes are not parallel.
    #[error("the axes of '{first}' and '{second}' are {angle:e} rad from parallel, more than {SHAPE_TOLERANCE:e} rad")]
    NotParallel {
        /// Name of the first joint.
        first: String,
        /// Name of the second joint.
        second: String,
        /// Angle between the axes \[rad\].
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
    /// Two axes do not intersect.
    #[error("the axes of '{first}' and '{second}' are {distance:e} m apart, more than {SHAPE_TOLERANCE:e} m")]
    NotMeeting {
        /// Name of the first joint.
        first: String,
        /// Name of the second joint.
        second: String,
        /// Distance of the axes \[m\].
        distance: f64,
    },
    /// The tip link's origin is beside the plane that contains the base axis.
    #[error(
        "the tip link is {distance:e} m from the plane through the axis of '{first}', more than {SHAPE_TOLERANCE:e} m"
    )]
    TipBeside {
        /// Name of the joint that rotates the plane.
        first: String,
        /// Distance from the plane \[m\].
        distance: f64,
    },
    /// The tip link's origin is on the wrist's axis, so the last link has no direction.
    #[error(
        "the tip link is {distance:e} m from the axis of '{wrist}'; the last link needs a length to point along the up vector"
    )]
    NoLastLink {
        /// Name of the last joint.
        wrist: String,
        /// Distance from the axis of that joint \[m\].
        distance: f64,
    },
    /// The link lengths are invalid, such as too large.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Axis of a joint in the base link's frame at zero positions, and the relation of its rotation to the variable.
pub(crate) struct JointAxis {
    pub(crate) name: String,
    pub(crate) line: Line,
    pub(crate) mapping: VariableMapping,
}

impl JointAxis {
    /// Axes of a serial chain of `N` revolute joints with one tip, and origin of the tip link \[m\], at zero
    /// positions.
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
        Ok(Self { name, line, mapping: VariableMapping { multiplier: joint.multiplier, offset: joint.offset } })
    }

    /// A point on it \[m\].
    pub(crate) fn point(&self) -> Point3<f64> {
        self.line.point.into()
    }
}

/// Checks that two axes are parallel or antiparallel.
pub(crate) fn check_parallel(a: &JointAxis, b: &JointAxis) -> Result<(), NotOfThisShape> {
    let angle = a.line.angle(&b.line);
    let error = || NotOfThisShape::NotParallel { first: a.name.clone(), second: b.name.clone(), angle };
    if angle <= SHAPE_TOLERANCE { Ok(()) } else { Err(error()) }
}

/// Shoulder and elbow of a chain in their plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ElbowBend {
    /// Lengths of the links \[m\].
    pub(crate) lengths: [f64; 2],
    /// Angles of the links at zero positions \[rad\].
    pub(crate) zero: Angles,
    /// -1 if the elbow's axis is opposite to the plane's normal, otherwise 1.
    pub(crate) elbow_sign: f64,
}

impl ElbowBend {
    /// From the ends of the links in the plane \[m\] and the normal of the plane.
    pub(crate) fn new([elbow, tip]: [[f64; 2]; 2], elbow_axis: &JointAxis, normal: &Vector3<f64>) -> Self {
        let second = [tip[0] - elbow[0], tip[1] - elbow[1]];
        let [shoulder_angle, second_angle] = [elbow, second].map(|[x, y]| y.atan2(x));
        Self {
            lengths: [elbow, second].map(|[x, y]| x.hypot(y)),
            zero: Angles { shoulder: shoulder_angle, elbow: second_angle - shoulder_angle },
            elbow_sign: elbow_axis.line.direction.dot(normal).signum(),
        }
    }

    /// Rotations of shoulder and elbow about their own axes \[rad\].
    pub(crate) fn turns(&self, shoulder: f64, elbow: f64) -> [f64; 2] {
        [shoulder - self.zero.shoulder, self.elbow_sign * (elbow - self.zero.elbow)]
    }
}

/// Relation of a variable to the rotation of its joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VariableMapping {
    /// 1 or -1.
    multiplier: f64,
    offset: f64,
}

impl VariableMapping {
    /// Positions in (-π, π\] \[rad\] at which the joints have rotated by `turns` \[rad\].
    pub(crate) fn positions<const N: usize>(mappings: &[Self; N], turns: [f64; N]) -> [f64; N] {
        std::array::from_fn(|joint| wrapped((turns[joint] - mappings[joint].offset) * mappings[joint].multiplier))
    }
}

/// A chain of two joints with parallel axes: a [`TwoLink`] in the plane perpendicular to them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarChain {
    /// Frame with the plane as x-y plane, the shoulder at its origin and its axis as z axis.
    frame: Isometry3<f64>,
    /// Height of the tip link's origin along that axis \[m\].
    height: f64,
    links: TwoLink,
    bend: ElbowBend,
    mappings: [VariableMapping; 2],
}

impl PlanarChain {
    /// Recognises `chain` as two links.
    ///
    /// # Errors
    /// [`NotOfThisShape`] with the deviation.
    pub fn of(chain: &Chain) -> Result<Self, NotOfThisShape> {
        let ([shoulder, elbow], tip) = JointAxis::row::<2>(chain)?;
        check_parallel(&shoulder, &elbow)?;
        let normal = shoulder.line.direction;
        // An arbitrary perpendicular direction.
        let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        let frame = frame_of(shoulder.point(), [first, normal.cross(&first), normal]);
        let [end, tip] = [elbow.point(), tip].map(|point| frame.inverse_transform_point(&point));
        let bend = ElbowBend::new([[end.x, end.y], [tip.x, tip.y]], &elbow, &normal);
        let links = TwoLink::new(bend.lengths)?;
        Ok(Self { frame, height: tip.z, links, bend, mappings: [shoulder.mapping, elbow.mapping] })
    }

    /// The links in their plane.
    pub fn links(&self) -> &TwoLink {
        &self.links
    }

    /// All positions of the chain's variables, from -π (excluded) to π \[rad\], at which the tip's origin is at
    /// `target` \[m\] in the base link's frame, in the order of [`TwoLink::solve`]. Joint limits are ignored. The
    /// distance of the target from the plane adds to [`Solutions::missing`].
    ///
    /// # Errors
    /// [`InputError`] if a coordinate is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point3<f64>) -> Result<Solutions<[f64; 2], 2>, InputError> {
        check_coordinates("the target", target.coords.as_slice())?;
        let local = self.frame.inverse_transform_point(target);
        let [first, second] = self.links.lengths();
        let slack = ROUNDINGS * (first + second + target.coords.amax() + self.frame.translation.vector.amax());
        let mut solutions = self
            .links
            .solve_within([local.x, local.y], slack)
            .map(|angles| VariableMapping::positions(&self.mappings, self.bend.turns(angles.shoulder, angles.elbow)));
        let beside = (local.z - self.height).abs();
        if beside > slack {
            solutions.missing = solutions.missing.hypot(beside);
        }
        Ok(solutions)
    }
}

/// A chain of three joints: the first axis intersects the second at a right angle, the third is parallel to the
/// second, and these two move the tip in a plane through the first axis. It is a [`SpatialTwoLink`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialChain {
    arm: SpatialTwoLink,
    bend: ElbowBend,
    mappings: [VariableMapping; 3],
}

impl SpatialChain {
    /// Recognises `chain` as two links on a rotating base.
    ///
    /// # Errors
    /// [`NotOfThisShape`] with the deviation.
    pub fn of(chain: &Chain) -> Result<Self, NotOfThisShape> {
        let ([yaw, shoulder, elbow], tip) = JointAxis::row::<3>(chain)?;
        check_parallel(&shoulder, &elbow)?;
        let base = base_frame(&yaw, &shoulder)?;
        let [end, tip] = [elbow.point(), tip].map(|point| base.inverse_transform_point(&point));
        if tip.x.abs() > SHAPE_TOLERANCE {
            return Err(NotOfThisShape::TipBeside { first: yaw.name, distance: tip.x.abs() });
        }
        let bend = ElbowBend::new([[end.y, end.z], [tip.y, tip.z]], &elbow, &shoulder.line.direction);
        let arm = SpatialTwoLink::new(base, bend.lengths)?;
        Ok(Self { arm, bend, mappings: [yaw.mapping, shoulder.mapping, elbow.mapping] })
    }

    /// The links on their base, in the base link's frame.
    pub fn arm(&self) -> &SpatialTwoLink {
        &self.arm
    }

    /// All positions of the chain's variables, from -π (excluded) to π \[rad\], at which the tip's origin is at
    /// `target` \[m\] in the base link's frame, in the order of [`SpatialTwoLink::solve`]. Joint limits are ignored.
    ///
    /// # Errors
    /// [`InputError`] if a coordinate is not finite or beyond 1e9 m.
    pub fn solve(&self, target: &Point3<f64>) -> Result<Solutions<[f64; 3], 4>, InputError> {
        Ok(self.arm.solve(target)?.map(|angles| {
            let [shoulder, elbow] = self.bend.turns(angles.shoulder, angles.elbow);
            VariableMapping::positions(&self.mappings, [angles.yaw, shoulder, elbow])
        }))
    }
}

/// The frame at the intersection of two axes, with the axis of `yaw` as y axis and that of `shoulder` as x axis.
pub(crate) fn base_frame(yaw: &JointAxis, shoulder: &JointAxis) -> Result<Isometry3<f64>, NotOfThisShape> {
    let (first, second) = (yaw.name.clone(), shoulder.name.clone());
    let angle = yaw.line.angle_from_right(&shoulder.line);
    if angle > SHAPE_TOLERANCE {
        return Err(NotOfThisShape::NotAtRightAngles { first, second, angle });
    }
    let distance = yaw.line.distance(&shoulder.line);
    if distance > SHAPE_TOLERANCE {
        return Err(NotOfThisShape::NotMeeting { first, second, distance });
    }
    let axis = yaw.line.direction;
    let normal = (shoulder.line.direction - axis * shoulder.line.direction.dot(&axis)).normalize();
    let between = shoulder.line.point - yaw.line.point;
    Ok(frame_of(yaw.point() + axis * between.dot(&axis), [normal, axis, normal.cross(&axis)]))
}

/// The frame at `origin` with these axes, which are orthonormal.
fn frame_of(origin: Point3<f64>, axes: [Vector3<f64>; 3]) -> Isometry3<f64> {
    let rotation = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&axes));
    Isometry3::from_parts(origin.into(), UnitQuaternion::from_rotation_matrix(&rotation))
}
