//! A redundant arm on a path: its elbow avoids a ball, while the tool stays on the path.

use nalgebra::{Isometry3, Vector3};
use urdf_ik::collision::{Clearance, Geometry};
use urdf_ik::motion::{FollowOptions, Path, PathOptions, PathProblem, Timing, Trajectory, follow};
use urdf_ik::solver::Target;

use crate::common;
use crate::common::cell::{Cell, MARGIN, at, clearance};

/// A configuration with the elbow bent.
const BENT: [f64; 7] = [0.0, 0.1, 0.0, -0.3, 0.0, 0.9, 0.0];

/// The tool goes 30 cm to the side, in any orientation.
fn path(cell: &Cell) -> Path {
    let start = cell.arm.tip_poses(&BENT)[0];
    let end = Isometry3::from_parts((start.translation.vector + Vector3::new(0.0, 0.3, 0.0)).into(), start.rotation);
    Path::new(&[start, end], PathOptions::default()).unwrap()
}

/// The fraction of the path that the arm can follow, and its trajectory.
fn followed(cell: &Cell, clearance: Option<Clearance>) -> (f64, Trajectory) {
    let path = path(cell);
    let target = Target::new(0, path.pose_at(0.0)).position_only();
    let limits = cell.arm.limits();
    let problem = PathProblem::new(&path, &target, &BENT, &limits).with_clearance(clearance);
    let followed = follow(&cell.arm.solver(), &problem, &FollowOptions::default()).unwrap();
    let trajectory = Trajectory::new(&cell.arm.chain, &problem, &followed, &Timing::default()).unwrap();
    println!("{} {:?}", followed.fraction, followed.stop);
    (followed.fraction, trajectory)
}

/// The least distance of any pair along the trajectory \[m\].
fn least_distance(cell: &Cell, trajectory: &Trajectory) -> f64 {
    trajectory.points.iter().map(|point| cell.least_distance(&point.positions)).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_elbow_evades_a_ball_along_a_path() {
    let alone = Cell::new(Vec::new());
    let (_, free) = followed(&alone, None);
    // The motion of the elbow without obstacles.
    let arm = &alone.arm;
    let mut all = arm.robot.neutral_positions();
    arm.chain.write_into(&arm.robot, &free.points.last().unwrap().positions, &mut all);
    let elbow = arm.robot.link_poses(&all)[arm.robot.link_index("elbow_link").unwrap()].translation.vector;
    let cell = Cell::new(vec![at(Geometry::Sphere { radius: 0.05 }, elbow.x, elbow.y + 0.09, elbow.z)]);
    assert_eq!(least_distance(&cell, &free), 0.0);
    let scene = cell.scene();
    let (fraction, trajectory) = followed(&cell, Some(clearance(&scene)));
    assert_eq!(fraction, 1.0);
    let least = least_distance(&cell, &trajectory);
    assert!((MARGIN..MARGIN + 5e-3).contains(&least), "{least}");
    let end = cell.arm.tip_poses(&trajectory.points.last().unwrap().positions)[0];
    let path = path(&cell);
    let (shift, _) = common::distance(&end, &path.pose_at(path.length()));
    assert!(shift < 2e-5, "{shift} m");
    assert!(trajectory.deviation.position < 1e-3, "{:?}", trajectory.deviation);
}
