//! Forward kinematics against independent values, and the Jacobian against finite differences.

use nalgebra::{Isometry3, Matrix6xX, Point3, Vector3, Vector6};
use urdf_ik::robot::{Chain, ChainPoses, Robot, manipulability};

use crate::common::{self, Arm, Random};

/// Half the step of central differences \[rad or m\].
const STEP: f64 = 1e-6;

#[test]
fn every_link_agrees_with_the_reference_poses() {
    let mut compared = 0;
    let mut files: Vec<_> = std::fs::read_dir(common::root().join("tests/data/forward_kinematics")).unwrap().collect();
    files.sort_by_key(|file| file.as_ref().unwrap().path());
    let count = files.len();
    for file in files {
        let figures = common::read_json(&file.unwrap().path());
        let name = figures["urdf"].as_str().unwrap();
        let robot = common::load(name);
        let mut worst: f64 = 0.0;
        for sample in figures["samples"].as_array().unwrap() {
            let links = sample["links"].as_object().unwrap();
            assert_eq!(links.len(), robot.links().len(), "{name}: every link has a reference pose");
            let poses = robot.link_poses(&positions_of(&robot, sample));
            for (link, expected) in links {
                let found = &poses[robot.link_index(link).unwrap()];
                let (shift, angle) = common::distance(found, &common::pose_from_json(expected));
                worst = worst.max(shift).max(angle);
                assert!(shift < 1e-12 && angle < 1e-12, "{name}, {link}: {shift:e} m, {angle:e} rad");
                compared += 1;
            }
        }
        println!("{name}: largest difference {worst:e}");
    }
    assert_eq!((count, compared), (11, 970), "robots and poses");
}

/// A sample's positions for every joint; each independent joint must be named.
fn positions_of(robot: &Robot, sample: &serde_json::Value) -> Vec<f64> {
    let named = sample["positions"].as_object().unwrap();
    let own = robot.movable().filter(|joint| robot.joints()[*joint].mimic.is_none());
    assert_eq!(named.len(), own.count(), "every independent joint is named");
    let mut positions = vec![0.0; robot.joints().len()];
    for (joint, position) in named {
        positions[robot.joint_index(joint).unwrap()] = position.as_f64().unwrap();
    }
    robot.apply_mimic(&mut positions);
    positions
}

/// Chains of every kind: all robots, also upwards and with several tips.
fn arms() -> Vec<Arm> {
    let mut arms = common::bundled_arms();
    arms.push(common::two_handed());
    arms.push(Arm::new("arm7, upwards", common::load("arm7.urdf"), "tool0", &["base_link"]));
    arms.push(Arm::new("mixed_joints, upwards", common::load("mixed_joints.urdf"), "tool", &["base_link"]));
    arms.push(Arm::new("two_arms, across", common::load("two_arms.urdf"), "left_hand", &["right_hand", "head_link"]));
    arms.extend(common::makers_arms());
    arms.extend(common::mobile_arms());
    assert_eq!(arms.len(), 16);
    arms
}

#[test]
fn the_chain_agrees_with_the_robot_link_by_link() {
    let mut random = Random::new(1);
    for arm in arms() {
        let mut poses = ChainPoses::new(&arm.chain);
        for _ in 0..20 {
            let positions = random.positions(&arm.chain);
            arm.chain.forward_kinematics(&positions, &mut poses);
            for (found, expected) in poses.tips().iter().zip(arm.tip_poses(&positions)) {
                let (shift, angle) = common::distance(found, &expected);
                assert!(shift < 1e-12 && angle < 1e-12, "{}: {shift:e} m, {angle:e} rad", arm.name);
            }
        }
    }
}

#[test]
fn the_jacobian_is_the_derivative_of_forward_kinematics() {
    let mut random = Random::new(2);
    let mut worst: f64 = 0.0;
    for arm in arms() {
        for _ in 0..5 {
            let positions = random.positions(&arm.chain);
            for tip in 0..arm.chain.tips().len() {
                let origin = tip_pose(&arm.chain, &positions, tip).translation.vector;
                for point in [origin, origin + random.direction() * 0.7] {
                    let error = jacobian_error(&arm.chain, &positions, tip, point.into());
                    assert!(error < 1e-7, "{}, tip {tip} at {point}: {error:e}", arm.name);
                    worst = worst.max(error);
                }
            }
        }
    }
    println!("largest difference {worst:e}");
}

fn tip_pose(chain: &Chain, positions: &[f64], tip: usize) -> Isometry3<f64> {
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    poses.tips()[tip]
}

/// Largest difference between a column of the Jacobian and the twist by central differences.
fn jacobian_error(chain: &Chain, positions: &[f64], tip: usize, point: Point3<f64>) -> f64 {
    let mut poses = ChainPoses::new(chain);
    chain.forward_kinematics(positions, &mut poses);
    // Filled with values that must be overwritten.
    let mut columns = vec![Vector6::repeat(f64::NAN); positions.len()];
    chain.jacobian(&poses, tip, &point, &mut columns);
    let on_tip = poses.tips()[tip].inverse() * point;
    let twist = |variable: usize| {
        let at = |offset: f64| {
            let mut moved = positions.to_vec();
            moved[variable] += offset;
            tip_pose(chain, &moved, tip)
        };
        let (before, after) = (at(-STEP), at(STEP));
        let linear: Vector3<f64> = (after * on_tip - before * on_tip) / (2.0 * STEP);
        let angular = (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * STEP);
        Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
    };
    let error = columns.iter().enumerate().map(|(variable, column)| (column - twist(variable)).norm());
    error.fold(0.0, |worst: f64, error| if error.is_nan() { f64::INFINITY } else { worst.max(error) })
}

#[test]
fn the_acceleration_of_constant_velocities_is_the_change_of_the_twist() {
    const MOMENT: f64 = 1e-5;
    let mut random = Random::new(7);
    for arm in arms() {
        let chain = &arm.chain;
        let (mut poses, mut columns) = (ChainPoses::new(chain), vec![Vector6::zeros(); chain.variables().len()]);
        let positions = random.positions(chain);
        let velocities: Vec<f64> = positions.iter().map(|_| random.between(-1.0, 1.0)).collect();
        for tip in 0..chain.tips().len() {
            let mut twist_after = |time: f64| {
                let moved: Vec<f64> = positions.iter().zip(&velocities).map(|(p, v)| p + time * v).collect();
                chain.forward_kinematics(&moved, &mut poses);
                chain.jacobian(&poses, tip, &poses.tips()[tip].translation.vector.into(), &mut columns);
                columns.iter().zip(&velocities).map(|(column, velocity)| column * *velocity).sum::<Vector6<f64>>()
            };
            let change = (twist_after(MOMENT) - twist_after(-MOMENT)) / (2.0 * MOMENT);
            chain.forward_kinematics(&positions, &mut poses);
            let origin = poses.tips()[tip].translation.vector.into();
            let apart = (chain.acceleration_of_constant_velocities(&poses, tip, &origin, &velocities) - change).norm();
            assert!(apart < 1e-7 * (1.0 + change.norm()), "{}, tip {tip}: {apart:e} of {change}", arm.name);
        }
    }
}

#[test]
fn variables_that_do_not_move_a_tip_have_zero_columns() {
    let arm = common::two_handed();
    let mut poses = ChainPoses::new(&arm.chain);
    let positions = Random::new(3).positions(&arm.chain);
    arm.chain.forward_kinematics(&positions, &mut poses);
    let mut columns = vec![Vector6::zeros(); positions.len()];
    for (tip, pose) in poses.tips().iter().enumerate() {
        arm.chain.jacobian(&poses, tip, &pose.translation.vector.into(), &mut columns);
        for (variable, column) in columns.iter().enumerate() {
            assert_eq!(column.norm() > 0.0, arm.chain.tips()[tip].variables.contains(&variable), "{tip} {variable}");
        }
    }
}

#[test]
fn manipulability_is_the_product_of_the_singular_values() {
    let mut random = Random::new(4);
    for arm in arms() {
        let mut poses = ChainPoses::new(&arm.chain);
        let mut columns = vec![Vector6::zeros(); arm.chain.variables().len()];
        for tip in 0..arm.chain.tips().len() {
            arm.chain.forward_kinematics(&random.positions(&arm.chain), &mut poses);
            let origin = poses.tips()[tip].translation.vector.into();
            arm.chain.jacobian(&poses, tip, &origin, &mut columns);
            let moving = columns.iter().filter(|column| column.norm() > 0.0).count().min(6);
            let mut values: Vec<f64> = Matrix6xX::from_columns(&columns).singular_values().iter().copied().collect();
            values.sort_by(|one, other| other.total_cmp(one));
            let expected: f64 = values[..moving].iter().product();
            let found = manipulability(&columns);
            assert!((found - expected).abs() < 1e-12 * (1.0 + expected), "{}, tip {tip}: {found} {expected}", arm.name);
        }
    }
    // Two of six columns alike: a singularity.
    let axes: [Vector6<f64>; 6] = std::array::from_fn(|axis| Vector6::ith(axis.min(4), 1.0));
    assert!(manipulability(&axes) < 1e-15);
    assert_eq!(manipulability(&[Vector6::zeros()]), 0.0);
}
