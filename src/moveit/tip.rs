//! The tip that a link is fixed to.

use nalgebra::Isometry3;

use crate::robot_in_use::description::LoadedRobot;
use urdf_ik_robot::{JointKind, Robot};

/// The tip that `link` is or is connected with by fixed joints alone, and the pose of the link in the tip's frame. `None` where there is
/// no such tip.
pub(super) fn of_link(loaded: &LoadedRobot, link: usize) -> Option<(usize, Isometry3<f64>)> {
    let robot = &loaded.robot;
    if let Some(tip) = loaded.chain.tip_index(&robot.links()[link].name) {
        return Some((tip, Isometry3::identity()));
    }
    let (body, in_body) = body(robot, link);
    loaded.chain.tips().iter().enumerate().find_map(|(index, tip)| {
        let (other, tip_in_body) = self::body(robot, robot.link_index(&tip.link)?);
        (other == body).then(|| (index, tip_in_body.inv_mul(&in_body)))
    })
}

/// The first link of the rigid body that `link` belongs to, and the pose of `link` in its frame.
fn body(robot: &Robot, mut link: usize) -> (usize, Isometry3<f64>) {
    let mut pose = Isometry3::identity();
    while let Some(joint) = robot.links()[link].parent_joint.map(|joint| &robot.joints()[joint]) {
        if joint.kind != JointKind::Fixed {
            break;
        }
        pose = joint.transform(0.0) * pose;
        link = joint.parent;
    }
    (link, pose)
}
