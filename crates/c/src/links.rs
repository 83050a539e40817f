//! Links whose pose the joints of an arm determine.

use nalgebra::Isometry3;
use urdf_ik::robot::{Chain, ChainPoses, Robot};

use crate::failure::Failure;

/// Where a link is on the chain of an arm.
#[derive(Clone, Copy)]
pub(crate) struct LinkPlace {
    /// The last chain joint that moves the link; `None`: the base link.
    pub joint: Option<usize>,
    /// Pose of the link in the frame of that joint.
    offset: Isometry3<f64>,
}

impl LinkPlace {
    /// Pose of the link in the frame of the base link.
    pub fn pose(&self, poses: &ChainPoses) -> Isometry3<f64> {
        self.joint.map_or(self.offset, |joint| poses.joints()[joint] * self.offset)
    }
}

/// The place of each link of the robot; `None` for links that joints off the chain move.
pub(crate) fn places(robot: &Robot, chain: &Chain) -> Vec<Option<LinkPlace>> {
    let base = robot.link_index(chain.base()).unwrap_or_else(|| robot.root());
    let neutral = robot.neutral_positions();
    let is_known = |joint: &usize| {
        !robot.joints()[*joint].kind.has_position() || chain.joints().iter().any(|known| known.joint == *joint)
    };
    let place = |link| {
        let (joint, offset) = chain.attachment(robot, link, &neutral);
        LinkPlace { joint, offset }
    };
    (0..robot.links().len())
        .map(|link| robot.joints_between([base, link]).iter().flatten().all(is_known).then(|| place(link)))
        .collect()
}

/// The place of the link with that index.
pub(crate) fn place_of(places: &[Option<LinkPlace>], link: usize) -> Result<LinkPlace, Failure> {
    let refused = || Failure::argument(format!("{link} is not the index of a link: urdf_ik_arm_link() returns it"));
    places.get(link).copied().flatten().ok_or_else(refused)
}
