//! Links whose pose the joints of an arm determine.

use std::ffi::c_char;

use nalgebra::Isometry3;
use urdf_ik::robot::{Chain, ChainPoses, Robot};

use crate::arm::UrdfIkArm;
use crate::failure::{Failure, UrdfIkStatus, guarded};
use crate::pointers::{exclusive, reference, text};

/// Where a link is on the chain of an arm.
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
pub(crate) fn place_of(places: &[Option<LinkPlace>], link: usize) -> Result<&LinkPlace, Failure> {
    places
        .get(link)
        .and_then(Option::as_ref)
        .ok_or_else(|| Failure::argument(format!("{link} is not the index of a link: urdf_ik_arm_link() returns it")))
}

/// Writes the index of the link `name`, for urdf_ik_link_pose() and urdf_ik_link_jacobian(). It need not be between the
/// base link and a tip, but joints of the arm alone move it relative to the base link. Fails with URDF_IK_STATUS_CHAIN
/// if the robot has no such link, or other joints move it. Allocates nothing unless it fails.
///
/// # Safety
/// `arm` is an arm; `name` is a text; `link` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_link(
    arm: *const UrdfIkArm,
    name: *const c_char,
    link: *mut usize,
) -> UrdfIkStatus {
    guarded(|| {
        let arm = unsafe { reference(arm, "arm") }?;
        let name = unsafe { text(name, "name") }?;
        let robot = &arm.robot.robot;
        let found = robot.link_index(name).filter(|link| arm.links[*link].is_some());
        *unsafe { exclusive(link, "link") }? = found.ok_or_else(|| unknown(arm, name))?;
        Ok(())
    })
}

fn unknown(arm: &UrdfIkArm, name: &str) -> Failure {
    let robot = &arm.robot.robot;
    let reason = if robot.link_index(name).is_some() { "joints off the arm move the link" } else { "there is no link" };
    let known = robot.links().iter().zip(arm.links.iter()).filter(|(_, place)| place.is_some());
    let names: Vec<&str> = known.map(|(link, _)| link.name.as_str()).collect();
    Failure::new(UrdfIkStatus::Chain, format!("{reason} '{name}'; the arm determines those of: {}", names.join(", ")))
}
