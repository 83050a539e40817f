//! Exact distances between links at given joint positions.

use thiserror::Error;

use super::LinkShapes;
use crate::narrow_phase::{ShapePair, TOUCHING};
use crate::shapes::PlacedShape;
use crate::shapes::transform::{Transform, vector};
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_robot::{PositionsError, Robot};
use urdf_ik_text::names::short;

/// Indices of two links in [`Robot::links`], ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkPair(pub [usize; 2]);

/// The poses \[m\] of all links of a robot in its root link's frame, in the order of [`Robot::links`].
pub struct LinkPoses(Vec<Transform>);

/// Why joint positions are refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LinkPosesError {
    /// A position is missing or not finite.
    #[error(transparent)]
    Positions(#[from] PositionsError),
    /// A link is too far away.
    #[error("the joint positions put link '{}' farther than {MAX_COORDINATE:e} m away: give smaller ones", short(link))]
    TooFar {
        /// Name of the link.
        link: String,
    },
}

impl LinkPoses {
    /// Forward kinematics of all links. `positions` \[rad or m\] has one entry for each joint of `robot`, mimic joints
    /// included.
    ///
    /// # Errors
    /// [`LinkPosesError::Positions`] if `positions` does not have one finite entry for each joint,
    /// [`LinkPosesError::TooFar`] with the first link that is farther away than the coordinate limit.
    pub fn new(robot: &Robot, positions: &[f64]) -> Result<Self, LinkPosesError> {
        robot.check_positions(positions)?;
        let place = |(link, pose): (usize, &_)| {
            let frame = Transform::of(pose);
            let is_near = frame.rotation.iter().chain(&frame.origin).all(|entry| entry.abs() <= MAX_COORDINATE);
            is_near.then_some(frame).ok_or_else(|| LinkPosesError::TooFar { link: robot.links()[link].name.clone() })
        };
        robot.link_poses(positions).iter().enumerate().map(place).collect::<Result<_, _>>().map(Self)
    }
}

/// A link or an obstacle at its pose.
#[derive(Clone, Copy)]
pub(crate) struct BodyAt<'a> {
    pub shapes: &'a [PlacedShape],
    /// Frame of the shapes, in the root link's frame \[m\].
    pub frame: Transform,
}

impl BodyAt<'_> {
    /// The distance \[m\] from another body, at most `bound` \[m\]; 0 if they touch.
    pub fn distance_below(&self, other: &Self, bound: f64) -> f64 {
        let mut least = bound;
        for a in self.shapes {
            let (at_a, around_a) = (self.frame.times(&Transform::of(&a.core_pose)), a.sphere());
            for b in other.shapes {
                let (at_b, around_b) = (other.frame.times(&Transform::of(&b.core_pose)), b.sphere());
                let apart = at_a.point(&vector(around_a.centre)) - at_b.point(&vector(around_b.centre));
                if apart.norm() - around_a.radius - around_b.radius < least {
                    let pair = ShapePair::new(a, b, at_b.inverse().times(&at_a));
                    least = pair.distance(least).map_or(least, |distance| distance.min(least));
                }
            }
        }
        if least <= TOUCHING { 0.0 } else { least }
    }

    /// True if the body touches another one.
    pub fn touches(&self, other: &Self) -> bool {
        // Distances above twice the contact threshold need not be measured.
        self.distance_below(other, 2.0 * TOUCHING) <= 0.0
    }
}

impl LinkShapes {
    /// The distance between two links \[m\]: 0 if they touch or overlap, infinite if either has no shape.
    pub fn distance(&self, places: &LinkPoses, pair: LinkPair) -> f64 {
        let [first, second] = pair.0.map(|link| self.at(places, link));
        first.distance_below(&second, f64::INFINITY)
    }

    /// A link at its pose.
    pub(crate) fn at(&self, places: &LinkPoses, link: usize) -> BodyAt<'_> {
        BodyAt { shapes: self.of_link(link), frame: places.0[link] }
    }
}
