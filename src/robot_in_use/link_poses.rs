//! Poses of links by name.

use nalgebra::Isometry3;
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg::PoseStamped;
use r2r::std_msgs::msg::Header;

use super::configuration::Configuration;
use super::description::LoadedRobot;
use super::frames::LocatedFrame;
use super::goal_names::link_index;
use crate::messages::convert;
use crate::reports::{Fault, fault};
use urdf_ik_text::names;

/// Index of the link `name`, optionally with `prefix`.
///
/// # Errors
/// [`Fault`] with the names of the links.
pub(crate) fn index(loaded: &LoadedRobot, prefix: &str, name: &str) -> Result<usize, Fault> {
    link_index(&loaded.robot, prefix, name).ok_or_else(|| {
        let known: Vec<&str> = loaded.robot.links().iter().map(|link| link.name.as_str()).collect();
        fault!("the robot has no link '{}'; its links are: {}", names::short(name), names::list(&known))
    })
}

/// The named links of a request, or the tip links if it names none.
pub(crate) fn or_tips(loaded: &LoadedRobot, names: Vec<String>) -> Vec<String> {
    if names.is_empty() { loaded.chain.tip_names().into_iter().map(str::to_owned).collect() } else { names }
}

/// Poses of the links `names` in `frame` at `configuration`; without names those of the tips, including tools.
///
/// # Errors
/// [`Fault`] with the names of the links, as [`index`].
pub(crate) fn poses(
    configuration: &Configuration,
    prefix: &str,
    names: &[String],
    frame: LocatedFrame,
    stamp: Time,
) -> Result<Vec<PoseStamped>, Fault> {
    let poses = configuration.loaded.robot.link_poses(&configuration.positions);
    let origin = frame.in_root(&poses).inverse();
    let header = Header { stamp, frame_id: frame.name };
    let stamped =
        |pose: &Isometry3<f64>| PoseStamped { header: header.clone(), pose: convert::pose_message(&(origin * pose)) };
    let link = |name: &str| index(&configuration.loaded, prefix, name).map(|index| poses[index]);
    if names.is_empty() {
        let tips = configuration.loaded.chain.tips().iter();
        return tips.map(|tip| Ok(stamped(&tip.pose_on(&link(&tip.link)?)))).collect();
    }
    names.iter().map(|name| Ok(stamped(&link(name)?))).collect()
}
