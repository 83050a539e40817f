//! Models with named points and joints.

use std::f64::consts::PI;

use nalgebra::Vector3;
use thiserror::Error;

use crate::pitch_yaw::PitchYawArm;
use crate::{InputError, Joint, Limit, Skeleton, SkeletonConfiguration};
use urdf_ik_text::names::{list, short};

/// A skeleton with names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedSkeleton {
    /// Name of the model.
    pub name: String,
    /// The skeleton.
    pub skeleton: Skeleton,
    /// Names of the n + 1 points: the root, then the end of each segment.
    pub points: Vec<String>,
    /// Indices in `points` of the end effectors: the points for which targets are intended.
    pub ends: Vec<usize>,
    /// The configuration with all joints at rest and the root pose of the file \[m\].
    pub rest: SkeletonConfiguration,
}

/// A pitch-yaw arm with names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArm {
    /// Name of the model.
    pub name: String,
    /// The arm.
    pub arm: PitchYawArm,
    /// Names of the n + 1 points: the base, then the end of each segment.
    pub points: Vec<String>,
}

/// A point name that does not exist in the model.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no point '{}'; the ends are {}", short(name), list(ends))]
pub struct UnknownPoint {
    /// The unknown name.
    pub name: String,
    /// Names of the model's end effectors.
    pub ends: Vec<String>,
}

/// A joint that is not a hinge, so that URDF cannot describe it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "segment '{}': its joint is {joint}, which URDF does not have; give it a hinge, or make it fixed",
    short(segment)
)]
pub struct NotAHinge {
    /// Name of the segment.
    pub segment: String,
    /// Kind of the joint: `free` or `a cone`.
    pub joint: &'static str,
}

impl NamedSkeleton {
    /// The index of a point by name; `None` if there is none.
    pub fn point(&self, name: &str) -> Option<usize> {
        self.points.iter().position(|point| point == name)
    }

    /// The index of a point by name, for a target.
    ///
    /// # Errors
    /// [`UnknownPoint`] if there is none.
    pub fn target_point(&self, name: &str) -> Result<usize, UnknownPoint> {
        self.point(name).ok_or_else(|| UnknownPoint {
            name: name.to_owned(),
            ends: self.ends.iter().map(|end| self.points[*end].clone()).collect(),
        })
    }

    /// The joints as hinges, one entry per segment; `None` for a fixed joint. In the plane a free joint is a hinge
    /// about z.
    ///
    /// # Errors
    /// [`NotAHinge`] for the first free joint or cone.
    pub fn hinges(&self) -> Result<Vec<Option<Joint>>, NotAHinge> {
        let hinge = |(index, name): (usize, &String)| {
            let joint = self.skeleton.segment(index).map_or_else(Joint::free, |segment| segment.joint);
            let kind = match joint.limit {
                limit if limit.is_stiff() => return Ok(None),
                Limit::Hinge { .. } => return Ok(Some(joint)),
                Limit::Free if self.skeleton.is_planar() => return Ok(Some(Joint::hinge(Vector3::z(), -PI, PI))),
                Limit::Free => "free",
                Limit::Ball { .. } => "a cone",
            };
            Err(NotAHinge { segment: name.clone(), joint: kind })
        };
        self.points[1..].iter().enumerate().map(hinge).collect()
    }

    /// The name and position \[rad\] of each movable joint, in the order of their segments; `None` if some joint is not
    /// a hinge.
    ///
    /// # Errors
    /// [`InputError`] if the configuration does not fit this skeleton.
    pub fn joint_positions(
        &self,
        configuration: &SkeletonConfiguration,
    ) -> Result<Option<Vec<(String, f64)>>, InputError> {
        let Ok(hinges) = self.hinges() else { return Ok(None) };
        let rotations = self.skeleton.rotations(configuration)?;
        let angles = hinges.iter().zip(&rotations).map(|(hinge, rotation)| hinge.as_ref()?.angle(rotation));
        let named = self.points[1..].iter().zip(angles);
        Ok(Some(named.filter_map(|(name, angle)| Some((name.clone(), angle?))).collect()))
    }
}

impl NamedArm {
    /// The names of the 2n variables: `NAME_pitch` of all segments, then `NAME_yaw`.
    pub fn variable_names(&self) -> impl Iterator<Item = String> + '_ {
        ["pitch", "yaw"].into_iter().flat_map(|kind| self.points[1..].iter().map(move |name| format!("{name}_{kind}")))
    }
}
