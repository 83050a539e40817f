//! Collision-free tracking with several constraints: joint limits, meshes, another arm.

use std::f64::consts::TAU;

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use urdf_ik::solver::Target;

use crate::common::cell::{Cell, MARGIN, at};
use crate::streams::{BENT, follow, follow_all, moved, slab, tool};

#[test]
fn a_joint_at_its_limit_and_a_contact_hold_the_arm_back_together() {
    let start = [2.7, 0.1, 0.0, -0.3, 0.0, 0.9, 0.0];
    let middle = tool(&Cell::new(Vec::new()), &start);
    // Its face is 10 cm below the tool.
    let cell = Cell::new(vec![at(slab(0.5, 1.0, 0.1), middle.x, 0.0, middle.z - 0.15)]);
    let scene = cell.scene();
    // Around the base, farther than its joint turns, and into the floor, and back.
    let path = |fraction: f64| {
        let share = (0.5 * TAU * fraction).sin();
        let mut target = moved(&cell, &start, Vector3::new(0.0, 0.0, -0.15 * share));
        target.pose = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.2 * share) * target.pose;
        target
    };
    let course = follow(&cell, &scene, &cell.arm.solver(), &start, path);
    println!("{course:?}");
    assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{course:?}");
    assert!(course.held_by_both > 100, "{course:?}");
}

#[test]
fn the_tool_slides_along_a_mesh() {
    let middle = tool(&Cell::new(Vec::new()), &BENT);
    let floor = at(slab(0.6, 1.0, 0.1), middle.x, 0.0, middle.z - 0.15);
    let wall = at(slab(0.6, 0.1, 0.4), middle.x, 0.25, middle.z + 0.1);
    let cell = Cell::new(vec![floor, wall]);
    let scene = cell.scene_with_a_mesh();
    // Along the floor, into the corner, and back.
    let path = |fraction: f64| {
        let share = (0.5 * TAU * fraction).sin();
        moved(&cell, &BENT, Vector3::new(0.0, 0.3 * share, -0.15 * share))
    };
    let course = follow(&cell, &scene, &cell.arm.solver(), &BENT, path);
    println!("{course:?}");
    assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{course:?}");
    assert!(course.collisions > 500, "{course:?}");
    assert!((MARGIN..MARGIN + 1e-3).contains(&course.least_distance), "{course:?}");
}

#[test]
fn two_arms_keep_clear_of_each_other() {
    let cell = Cell::of("dual_arm.urdf", &["left_hand", "right_hand"], Vec::new());
    let scene = cell.scene();
    let start = cell.arm.chain.nominal_positions();
    let hands: Vec<Vector3<f64>> = cell.arm.tip_poses(&start).iter().map(|pose| pose.translation.vector).collect();
    // Both hands to the same place, sideways together, and back.
    let path = |fraction: f64| {
        let share = (0.5 * TAU * fraction).sin();
        let sideways = Vector3::new(0.0, 0.2 * (TAU * fraction).sin(), 0.0);
        let meeting = 0.5 * (hands[0] + hands[1]) + sideways;
        let place = |hand: &Vector3<f64>| Translation3::from(hand + share * (meeting - hand)).into();
        hands.iter().enumerate().map(|(tip, hand)| Target::new(tip, place(hand)).position_only()).collect()
    };
    let course = follow_all(&cell, &scene, &cell.arm.solver(), &start, path);
    println!("{course:?}");
    assert_eq!([course.missed[0], course.missed[9]], [0; 2], "{course:?}");
    assert!(course.collisions > 200, "{course:?}");
}
