//! A robot without visuals: a line along its joints, a sphere at each, and some of their axes.

use nalgebra::{Isometry3, Point3};
use r2r::visualization_msgs::msg::Marker;

use super::messages::{Colour, LINE_LIST, SPHERE_LIST, axes, joined};
use urdf_ik_robot::Robot;

/// The namespace, which users can hide.
const NAMESPACE: &str = "skeleton";
/// Colour of the line along the joints.
const BONES: Colour = [0.62, 0.67, 0.74, 1.0];
/// Colour of the spheres at the joints.
const JOINTS: Colour = [0.95, 0.55, 0.2, 1.0];
/// Width of the line relative to the robot's size.
const LINE_WIDTH: f64 = 0.012;
/// Diameter of the spheres relative to the size of a joint.
const SPHERE: f64 = 0.3;
/// Length of the axes relative to the size of a joint.
const AXES: f64 = 0.4;
/// Maximum number of joints with axes.
const MAX_AXES: usize = 100;

/// The skeleton of `robot` with its links at `poses` in the base link's frame. `size` is that of the robot,
/// `joint_size` that of a joint \[m\].
pub(super) fn markers(robot: &Robot, poses: &[Isometry3<f64>], size: f64, joint_size: f64) -> [Marker; 3] {
    let origin = |link: usize| Point3::from(poses[link].translation.vector);
    let movable: Vec<usize> = robot.movable().map(|joint| robot.joints()[joint].child).collect();
    let sparse = movable.iter().step_by(movable.len().div_ceil(MAX_AXES).max(1));
    let frames: Vec<Isometry3<f64>> = sparse.map(|&link| poses[link]).collect();
    let bones = robot.joints().iter().flat_map(|joint| [origin(joint.parent), origin(joint.child)]);
    let joints = movable.iter().map(|&link| origin(link));
    [
        joined(NAMESPACE.into(), 0, LINE_LIST, LINE_WIDTH * size, bones, &[BONES]),
        joined(NAMESPACE.into(), 1, SPHERE_LIST, SPHERE * joint_size, joints, &[JOINTS]),
        axes(NAMESPACE.into(), 2, &frames, AXES * joint_size),
    ]
}
