//! Models with names for their points.

use thiserror::Error;

use crate::pitch_yaw::PitchYawArm;
use crate::{Configuration, Skeleton};
use urdf_ik_text::names::{list, short};

/// A skeleton with names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedSkeleton {
    /// Its name.
    pub name: String,
    /// The skeleton itself.
    pub skeleton: Skeleton,
    /// The names of its n + 1 points: the root, then the end of each segment.
    pub points: Vec<String>,
    /// Indices of the points that are meant to have targets.
    pub ends: Vec<usize>,
    /// The configuration with all joints at rest, the root where the file has it.
    pub rest: Configuration,
}

/// A pitch-yaw arm with names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArm {
    /// Its name.
    pub name: String,
    /// The arm itself.
    pub arm: PitchYawArm,
    /// The names of its n + 1 points: the base, then the end of each segment.
    pub points: Vec<String>,
}

/// A model has no point of that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no point '{}'; the ends are {}", short(name), list(ends))]
pub struct UnknownPoint {
    /// The name given.
    pub name: String,
    /// The names of the model's ends.
    pub ends: Vec<String>,
}

impl NamedSkeleton {
    /// The index of the point of that name.
    pub fn point(&self, name: &str) -> Option<usize> {
        self.points.iter().position(|point| point == name)
    }

    /// The index of the point of that name, for a target.
    ///
    /// # Errors
    /// [`UnknownPoint`] where there is none.
    pub fn target_point(&self, name: &str) -> Result<usize, UnknownPoint> {
        self.point(name).ok_or_else(|| UnknownPoint {
            name: name.to_owned(),
            ends: self.ends.iter().map(|end| self.points[*end].clone()).collect(),
        })
    }
}
