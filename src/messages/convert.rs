//! Conversion between messages and library types. All input is checked.

use std::time::Duration;

use nalgebra::{Isometry3, Point3, Translation3, Vector6};
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion, Twist, Vector3};
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Header;
use r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};
use r2r::urdf_ik::msg::BodyPair;

use crate::reports::{Fault, fault};
use urdf_ik_collision::{Body, Near, Scene};
use urdf_ik_mathematics::spatial::rotation_from;
use urdf_ik_motion::TrajectoryPoint;
use urdf_ik_parameters::config::movable_index;
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_text::names;

/// Width of a space relative to the height of the letters.
const SPACE: f64 = 0.4;

/// The pose of a message.
///
/// # Errors
/// [`Fault`] with the field: a position that is not finite, or an invalid quaternion.
pub(crate) fn pose(message: &Pose) -> Result<Isometry3<f64>, Fault> {
    let translation = point(&message.position)?;
    let Quaternion { x, y, z, w } = message.orientation;
    Ok(Isometry3::from_parts(translation, rotation_from([x, y, z, w])?))
}

/// The position of a message.
///
/// # Errors
/// [`Fault`] if an entry is not finite.
pub(crate) fn point(message: &Point) -> Result<Translation3<f64>, Fault> {
    for (axis, value) in [("x", message.x), ("y", message.y), ("z", message.z)] {
        if !value.is_finite() {
            return Err(fault!("position {axis} is {value}; it must be a finite number"));
        }
    }
    Ok(Translation3::new(message.x, message.y, message.z))
}

/// A pose as a message.
pub(crate) fn pose_message(pose: &Isometry3<f64>) -> Pose {
    let (p, q) = (pose.translation, pose.rotation);
    Pose { position: Point { x: p.x, y: p.y, z: p.z }, orientation: Quaternion { x: q.i, y: q.j, z: q.k, w: q.w } }
}

/// The size of a text marker with this height of the letters \[m\].
pub(crate) fn text_size(letters: f64) -> Vector3 {
    Vector3 { x: SPACE * letters, y: letters, z: letters }
}

/// A twist \[m/s, rad/s\] as a message.
pub(crate) fn twist_message(twist: &Vector6<f64>) -> Twist {
    let vector = |row: usize| Vector3 { x: twist[row], y: twist[row + 1], z: twist[row + 2] };
    Twist { linear: vector(0), angular: vector(3) }
}

/// Maximum length of remembered names \[bytes\]: bounds the memory that a sender can fill.
pub(crate) const MAX_NAME_BYTES: usize = 1000;

/// Largest absolute position of a joint \[rad or m\]: larger angles would be too imprecise.
const MAX_POSITION: f64 = 1e6;

/// Checks the position of a joint: a finite number within [`MAX_POSITION`].
///
/// # Errors
/// [`Fault`] with the name of the joint.
pub(crate) fn check_position(joint: &str, position: f64) -> Result<(), Fault> {
    // Written so that NaN fails.
    if position.abs() <= MAX_POSITION {
        return Ok(());
    }
    Err(fault!(
        "the position of joint '{}' is {}; it must be a finite number of at most {MAX_POSITION:e}",
        names::short(joint),
        names::number(position)
    ))
}

/// All movable joints of `robot` at `positions` (one entry a joint), without a header.
pub(crate) fn joint_state(robot: &Robot, positions: &[f64]) -> JointState {
    let (name, position) = robot.movable().map(|joint| (robot.joints()[joint].name.clone(), positions[joint])).unzip();
    JointState { name, position, ..JointState::default() }
}

/// A trajectory of the chain's variables. With a zero stamp it starts on reception.
pub(crate) fn joint_trajectory(chain: &Chain, points: &[TrajectoryPoint]) -> JointTrajectory {
    let point = |point: &TrajectoryPoint| JointTrajectoryPoint {
        positions: point.positions.clone(),
        velocities: point.velocities.clone(),
        accelerations: point.accelerations.clone(),
        effort: Vec::new(),
        time_from_start: duration(point.time),
    };
    JointTrajectory {
        header: Header { frame_id: chain.base().to_owned(), ..Header::default() },
        joint_names: chain.variables().iter().map(|variable| variable.name.clone()).collect(),
        points: points.iter().map(point).collect(),
    }
}

/// A nonnegative time \[s\] as a message.
fn duration(seconds: f64) -> r2r::builtin_interfaces::msg::Duration {
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
    r2r::builtin_interfaces::msg::Duration {
        sec: i32::try_from(duration.as_secs()).unwrap_or(i32::MAX),
        nanosec: duration.subsec_nanos(),
    }
}

/// Velocities of all movable joints of the robot, from those of the chain's variables.
pub(crate) fn joint_velocities(robot: &Robot, chain: &Chain, velocities: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; robot.joints().len()];
    for (variable, velocity) in chain.variables().iter().zip(velocities) {
        all[variable.joint] = *velocity;
    }
    for (index, joint) in robot.joints().iter().enumerate() {
        if let Some(mimic) = joint.mimic {
            all[index] = mimic.multiplier * all[mimic.master];
        }
    }
    robot.movable().map(|joint| all[joint]).collect()
}

/// Writes the positions in `message` to `positions` (one entry a joint). Mimic joints follow their masters; their own
/// values are ignored.
///
/// # Errors
/// [`Fault`] that starts with `what`: an unknown or fixed joint, an invalid position, or lists of different lengths.
pub(crate) fn overlay(robot: &Robot, what: &str, message: &JointState, positions: &mut [f64]) -> Result<(), Fault> {
    if message.name.len() != message.position.len() {
        return Err(fault!(
            "{what} has {} names and {} positions; the numbers must be equal",
            message.name.len(),
            message.position.len()
        ));
    }
    overlay_row(robot, what, &message.name, &message.position, positions)
}

/// Writes positions by joint name to `positions` (one entry a joint). `row` and `names` have the same length.
///
/// # Errors
/// [`Fault`] that starts with `what`: an unknown or fixed joint, or an invalid position.
pub(crate) fn overlay_row(
    robot: &Robot,
    what: &str,
    names: &[String],
    row: &[f64],
    positions: &mut [f64],
) -> Result<(), Fault> {
    for (name, &position) in names.iter().zip(row) {
        let joint = movable_index(robot, name).map_err(|e| Fault::from(e).of(what))?;
        check_position(name, position).map_err(|fault| fault.of(what))?;
        positions[joint] = position;
    }
    robot.apply_mimic(positions);
    Ok(())
}

/// A close pair of bodies of `scene`. `root_in_base` is the pose of the root link's frame in the base link's.
pub(crate) fn body_pair(scene: &Scene, near: &Near, root_in_base: &Isometry3<f64>) -> BodyPair {
    let Some([first, second]) = scene.pairs().nth(near.pair) else { return BodyPair::default() };
    let point = |point: &Point3<f64>| {
        let point = root_in_base * point;
        Point { x: point.x, y: point.y, z: point.z }
    };
    BodyPair {
        first: first.name().to_owned(),
        first_kind: kind(first),
        second: second.name().to_owned(),
        second_kind: kind(second),
        distance: near.distance,
        depth: near.depth,
        first_point: point(&near.points[0]),
        second_point: point(&near.points[1]),
    }
}

fn kind(body: &Body) -> u8 {
    match body {
        Body::Link(_) => BodyPair::LINK as u8,
        Body::Obstacle(_) => BodyPair::OBSTACLE as u8,
        Body::Attached(_) => BodyPair::ATTACHED as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_survive_the_way_there_and_back() {
        let pose_in = Isometry3::new([1.0, -2.0, 3.0].into(), [0.3, 0.2, -0.9].into());
        let back = pose(&pose_message(&pose_in)).unwrap();
        assert!((back.to_homogeneous() - pose_in.to_homogeneous()).norm() < 1e-14);
    }

    #[test]
    fn bad_poses_name_the_field() {
        let mut message = pose_message(&Isometry3::identity());
        message.position.y = f64::NAN;
        assert!(pose(&message).unwrap_err().contains("position y is NaN"));
        message.position.y = 0.0;
        message.orientation = Quaternion { x: 0.0, y: 0.0, z: 0.0, w: 0.0 };
        assert!(pose(&message).unwrap_err().contains("orientation quaternion"));
    }
}
