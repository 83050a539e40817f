//! A robot without its surface: a line along its joints, a sphere at each, and some of their axes.

use nalgebra::{Isometry3, Point3};

use super::shape::{Colour, Form, Shape};
use urdf_ik_robot::Robot;

const NAMESPACE: &str = "skeleton";
const BONES: Colour = [0.62, 0.67, 0.74, 1.0];
const JOINTS: Colour = [0.95, 0.55, 0.2, 1.0];
/// Width of the line, over the robot's size.
const LINE_WIDTH: f64 = 0.012;
/// Diameter of the spheres, over the size of a joint.
const SPHERE: f64 = 0.3;
/// Length of the axes, over the size of a joint.
const AXES: f64 = 0.4;
/// Greatest number of joints whose axes are drawn.
const MAX_AXES: usize = 100;

/// The skeleton of `robot`, whose links are at `poses` in the base link's frame. `size` is that of the robot, `joint_size` that of a
/// joint \[m\].
pub(super) fn shapes(robot: &Robot, poses: &[Isometry3<f64>], size: f64, joint_size: f64) -> [Shape; 3] {
    let origin = |link: usize| Point3::from(poses[link].translation.vector);
    let movable: Vec<usize> = robot.movable().map(|joint| robot.joints()[joint].child).collect();
    let sparse = movable.iter().step_by(movable.len().div_ceil(MAX_AXES).max(1));
    let frames: Vec<Isometry3<f64>> = sparse.map(|&link| poses[link]).collect();
    let shape = |id, form, size, points, colour| Shape {
        namespace: NAMESPACE.into(),
        id,
        form,
        size,
        points,
        colours: vec![colour],
    };
    let bones = robot.joints().iter().flat_map(|joint| [origin(joint.parent), origin(joint.child)]).collect();
    let joints = movable.iter().map(|&link| origin(link)).collect();
    [
        shape(0, Form::Lines, LINE_WIDTH * size, bones, BONES),
        shape(1, Form::Spheres, SPHERE * joint_size, joints, JOINTS),
        Shape::axes(NAMESPACE.into(), 2, &frames, AXES * joint_size),
    ]
}
