//! A closed path that the arm can follow, as targets a millisecond apart.

use std::f64::consts::TAU;

use r2r::geometry_msgs::msg::{Point, Pose, Quaternion};
use urdf_ik_robot::{Chain, ChainPoses, Robot};

use super::Fallible;

/// Targets of one round, which takes four seconds.
const TARGETS: u32 = 4000;
/// Amplitude of each joint's swing to either side \[rad\].
const SWING: f64 = 0.3;

/// Poses of the tip link in the base link's frame, while every joint swings about the middle of its range.
pub fn of_poses(urdf: &str) -> Fallible<Vec<Pose>> {
    let robot = Robot::from_urdf_file(urdf)?;
    let chain = Chain::with_defaults(&robot, None, &[])?;
    let middle = chain.nominal_positions();
    let mut poses = ChainPoses::new(&chain);
    Ok((0..TARGETS)
        .map(|target| {
            let mut phase = TAU * f64::from(target) / f64::from(TARGETS);
            let positions: Vec<f64> = middle
                .iter()
                .map(|middle| {
                    phase += 1.0;
                    middle + SWING * phase.sin()
                })
                .collect();
            chain.forward_kinematics(&positions, &mut poses);
            let (p, q) = (poses.tips()[0].translation, poses.tips()[0].rotation);
            Pose {
                position: Point { x: p.x, y: p.y, z: p.z },
                orientation: Quaternion { x: q.i, y: q.j, z: q.k, w: q.w },
            }
        })
        .collect())
}
