//! Models with named points.

use thiserror::Error;

use crate::pitch_yaw::PitchYawArm;
use crate::{Skeleton, SkeletonConfiguration};
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
    /// Indices of the end effectors: the points for which targets are intended.
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
}
