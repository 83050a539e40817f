//! Models with names for their points.

use crate::skeleton::pitch_yaw::PitchYawArm;
use crate::skeleton::{Configuration, Skeleton};

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

impl NamedSkeleton {
    /// The index of the point of that name.
    #[must_use]
    pub fn point(&self, name: &str) -> Option<usize> {
        self.points.iter().position(|point| point == name)
    }
}
