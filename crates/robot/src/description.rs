//! Joints as data, for robots without the text of a URDF.

use nalgebra::{Isometry3, Vector3};

use super::{Domain, JointKind, UrdfError};
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_mathematics::spatial::is_unit;
use urdf_ik_text::names::number;

/// A joint as data, for programs with their own robot model, or with narrower limits than in the URDF.
///
/// [`Robot::from_joints`](super::Robot::from_joints) builds a robot from a list of them.
#[derive(Debug, Clone, PartialEq)]
pub struct JointDescription {
    /// Name, unique in the robot.
    pub name: String,
    /// Type of the joint.
    pub kind: JointKind,
    /// Name of the parent link.
    pub parent: String,
    /// Name of the child link.
    pub child: String,
    /// Pose of the joint's frame in the parent link's frame (translation \[m\]). Default: identity.
    pub origin: Isometry3<f64>,
    /// Axis in the joint's frame, of any length. With length 0 the joint is fixed, and cannot be part of a chain. Used
    /// only by joints that have a position. Default: x.
    pub axis: Vector3<f64>,
    /// Limits of a revolute or prismatic joint \[rad or m\], which must be an interval. Ignored for other types.
    /// Default: [`Domain::Circle`].
    pub domain: Domain,
    /// Velocity limit \[rad/s or m/s\]; 0 or less: unknown. Default: infinite.
    pub velocity: f64,
    /// The mimic rule. Default: none.
    pub mimic: Option<MimicDescription>,
}

/// How a joint follows another: its position is `multiplier * position of the other + offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct MimicDescription {
    /// Name of the joint to follow. If no movable joint has this name, the rule is ignored with a
    /// [warning](super::Robot::warnings).
    pub joint: String,
    /// Position of this joint per unit of the other \[rad or m per rad or m\].
    pub multiplier: f64,
    /// Position of this joint when the other is at 0 \[rad or m\].
    pub offset: f64,
}

impl JointDescription {
    /// A joint from link `parent` to link `child`, with the defaults of all other fields.
    pub fn new(name: &str, kind: JointKind, parent: &str, child: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            parent: parent.to_owned(),
            child: child.to_owned(),
            origin: Isometry3::identity(),
            axis: Vector3::x(),
            domain: Domain::Circle,
            velocity: f64::INFINITY,
            mimic: None,
        }
    }

    /// Checks the numbers, as those in the text of a URDF are checked.
    pub(super) fn check(&self) -> Result<(), UrdfError> {
        let refuse = |attribute: &str, values: &[f64], expected| {
            Err(UrdfError::Number {
                joint: self.name.clone(),
                attribute: attribute.to_owned(),
                text: values.iter().map(|value| number(*value)).collect::<Vec<_>>().join(" "),
                expected,
            })
        };
        let Isometry3 { rotation, translation } = &self.origin;
        if !translation.vector.iter().all(|length| length.abs() <= MAX_COORDINATE) {
            return refuse("origin", translation.vector.as_slice(), "three finite numbers from -1e9 to 1e9");
        }
        if !is_unit(rotation, 1e-6) {
            return refuse("orientation", rotation.coords.as_slice(), "a quaternion of length 1");
        }
        if !self.kind.has_position() {
            return Ok(());
        }
        if !self.axis.iter().all(|entry| entry.is_finite()) {
            return refuse("axis", self.axis.as_slice(), "three finite numbers");
        }
        if self.velocity.is_nan() {
            return refuse("velocity", &[self.velocity], "a number");
        }
        if let Some(MimicDescription { multiplier, offset, .. }) = self.mimic
            && !(multiplier.is_finite() && offset.is_finite())
        {
            return refuse("mimic", &[multiplier, offset], "two finite numbers");
        }
        match (self.kind, self.domain) {
            (JointKind::Continuous, _) => Ok(()),
            (_, Domain::Circle) => Err(UrdfError::NoLimits { kind: self.kind.name(), joint: self.name.clone() }),
            (_, Domain::Interval { lower, upper }) if lower.is_finite() && upper.is_finite() => Ok(()),
            (_, Domain::Interval { lower, upper }) => refuse("limit", &[lower, upper], "two finite numbers"),
        }
    }
}
