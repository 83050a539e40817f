//! Where the links are at given joint positions.

use parry3d_f64::math::Pose;
use thiserror::Error;

use super::shape::pose;
use urdf_ik_robot::Robot;
use urdf_ik_text::names::short;

/// Links are no farther from the root link than this \[m\].
const FARTHEST: f64 = 1e9;

/// The poses of all links in the root link's frame.
pub struct LinkPlaces(Vec<Pose>);

/// Joint positions that put a link nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the joint positions put link '{}' farther than {FARTHEST:e} m away, or nowhere: give finite positions",
    short(link)
)]
pub struct PlacesError {
    /// The link.
    pub link: String,
}

impl LinkPlaces {
    /// The links at `positions`, which have one entry for each joint of `robot`, with those of mimic joints \[rad or m\].
    ///
    /// # Errors
    /// [`PlacesError`] for the first link whose pose is not finite, or too far away.
    pub fn new(robot: &Robot, positions: &[f64]) -> Result<Self, PlacesError> {
        let place = |(link, place): (usize, &_)| {
            let pose = pose(place);
            let is_near = pose.is_finite() && pose.translation.abs().max_element() <= FARTHEST;
            is_near.then_some(pose).ok_or_else(|| PlacesError { link: robot.links()[link].name.clone() })
        };
        robot.link_poses(positions).iter().enumerate().map(place).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn of(&self, link: usize) -> &Pose {
        &self.0[link]
    }
}
