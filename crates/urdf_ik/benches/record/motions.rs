//! Paths and their trajectories, and smooth joint motions.

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3};
use urdf_ik::motion::{
    FollowOptions, Followed, JointLimit, JointLimits, JointMotion, MotionLimits, Path, PathOptions, PathProblem,
    Timing, Trajectory, follow,
};
use urdf_ik::solver::{Preference, Solver, SolverKind, Target};

use crate::record::Group;
use crate::robots::Arm;
use crate::{Fallible, Random};

const PATHS: usize = 12;
const MOTIONS: usize = 100;
/// Chains with more variables have fewer recorded paths.
const LONG: usize = 12;
/// Goals of a smooth motion, and periods between goals.
const GOALS: usize = 4;
const PERIODS: usize = 40;
const PERIOD: f64 = 0.01;
/// The limits where the URDF has none, so that the record does not depend on the defaults \[rad/s, rad/s², rad/s³\].
const LIMITS: JointLimit = JointLimit { velocity: Some(1.0), acceleration: Some(5.0), jerk: Some(50.0) };
/// Marks a motion that was not found, in place of its duration.
const NOT_FOUND: f64 = -1.0;

pub fn groups(arm: &Arm) -> Fallible<Vec<Group>> {
    Ok(vec![joint_motions(arm), paths(arm)?])
}

/// The limits of a robot.
pub fn limits(arm: &Arm) -> MotionLimits {
    MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default()).or(&LIMITS)
}

/// Joint motions from goal to goal, often before arrival, or with a stop.
fn joint_motions(arm: &Arm) -> Group {
    let (chain, limits) = (Arc::clone(&arm.chain), limits(arm));
    Group::new(format!("smooth motion, {}", arm.name), MOTIONS, move |random| {
        let mut motion = JointMotion::new(&chain, &limits, &random.positions(&chain))?;
        let mut numbers = Vec::new();
        for _ in 0..GOALS {
            let begun = if random.one_in(5) { motion.stop() } else { motion.move_to(&random.positions(&chain)) };
            numbers.push(begun.unwrap_or(NOT_FOUND));
            (0..random.below(PERIODS)).for_each(|_| motion.advance(PERIOD));
            for state in [motion.positions(), motion.velocities(), motion.accelerations()] {
                numbers.extend_from_slice(state);
            }
        }
        Ok(numbers)
    })
}

/// Paths of two lines from the pose of the first tip, followed by the joints, and their trajectories.
fn paths(arm: &Arm) -> Fallible<Group> {
    let (arm, limits) = (arm.clone(), limits(arm));
    let solver = Solver::prepare(SolverKind::Jacobian, &arm.chain)?;
    let free_axes = solver.sensible_free_axes(0);
    let count = if arm.chain.variables().len() > LONG { PATHS / 12 } else { PATHS };
    Ok(Group::new(format!("path, {}", arm.name), count, move |random| {
        let seed = random.positions(&arm.chain);
        let start = arm.tips(&seed)[0];
        let poses = [start, beside(&start, random), beside(&start, random)];
        let blend_radius = if random.one_in(2) { 0.02 } else { 0.0 };
        let path = Path::new(&poses, PathOptions::default().with_blend_radius(blend_radius))?;
        let (limits_weight, tip) = (if random.one_in(2) { 0.1 } else { 0.0 }, Target::new(0, start));
        let target = if random.one_in(3) { tip.position_only() } else { tip.with_free_axes(free_axes) };
        let problem = PathProblem::new(&path, &target, &seed, &limits)
            .with_preference(Preference { limits_weight, ..Preference::default() });
        // Tracking alone: where it ends, searches lead farther.
        let followed = follow(&solver, &problem, &FollowOptions::default().with_search(0))?;
        let trajectory = Trajectory::new(&arm.chain, &problem, &followed, &Timing::default())?;
        Ok(numbers_of(&followed, &trajectory))
    }))
}

/// A pose displaced by up to 0.2 m and 0.3 rad along each axis.
fn beside(pose: &Isometry3<f64>, random: &mut Random) -> Isometry3<f64> {
    let [x, y, z, roll, pitch, yaw] = [0.2, 0.2, 0.2, 0.3, 0.3, 0.3].map(|most: f64| random.between(-most, most));
    let turn = nalgebra::UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    Isometry3::from_parts(
        Translation3::from(pose.translation.vector + nalgebra::Vector3::new(x, y, z)),
        pose.rotation * turn,
    )
}

/// The fraction of the path followed, the duration, and every twentieth point.
fn numbers_of(followed: &Followed, trajectory: &Trajectory) -> Vec<f64> {
    let mut numbers = vec![followed.fraction, followed.deviation.position, followed.deviation.orientation];
    numbers.extend(trajectory.points.last().map(|last| last.time));
    for point in trajectory.points.iter().step_by(20) {
        for part in [&point.positions, &point.velocities, &point.accelerations] {
            numbers.extend_from_slice(part);
        }
    }
    numbers
}
