//! Goals against the exact difference of poses, for every choice of free axes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use std::f64::consts::PI;

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3, Vector6};

use crate::kernel::lanes::LANES;
use crate::problem::{Target, Tolerance};
use crate::testing::four::Four;
use urdf_ik_random::random::Random;
use urdf_ik_robot::ChainPoses;

/// Every choice of free axes but all six.
fn masks() -> impl Iterator<Item = [bool; 6]> {
    (0..63_u32).map(|mask| std::array::from_fn(|axis| mask >> axis & 1 == 1))
}

fn rows(four: &Four, lane: usize) -> Vector6<f64> {
    Vector6::from_fn(|row, _| four.configurations.rows[0][row].0[lane])
}

/// A pose that differs from that of `lane` by the given distance and angle, in a random direction.
fn nearby(four: &Four, lane: usize, [shift, angle]: [f64; 2], random: &mut Random) -> Isometry3<f64> {
    let pose = four.poses[lane].tips()[0];
    let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(random.vector(1.0)), angle);
    let step = Unit::new_normalize(random.vector(1.0)).into_inner() * shift;
    Isometry3::from_parts((pose.translation.vector + step).into(), turn * pose.rotation)
}

/// Twice the sine of half an angle: the kernel's measure of it where all of the orientation counts.
fn chord(angle: f64) -> f64 {
    2.0 * (0.5 * angle).sin()
}

#[test]
fn the_error_is_that_of_the_exact_residual_for_every_choice_of_free_axes() {
    let mut random = Random::new(1);
    for free_axes in masks() {
        let mut four = Four::seven(&mut random);
        let scale = four.kernel.length_scale;
        for apart in [[1e-12, 1e-12], [1e-6, 1e-6], [1e-3, 1e-3], [0.3, 0.5], [5.0, 3.0]] {
            for weight in [1.0, 0.25, 7.0] {
                let pose = nearby(&four, 0, apart, &mut random);
                let target = Target { free_axes, weight, ..Target::new(0, pose) };
                four.set_goals(&[target]);
                four.measure();
                for lane in 0..LANES {
                    let residual = target.residual(&four.poses[lane].tips()[0]);
                    let full = free_axes == [false; 6];
                    let angle = if full { chord(residual.orientation) } else { residual.orientation };
                    let expected = weight * ((residual.position / scale).powi(2) + angle * angle);
                    let found = four.configurations.squared_error.0[lane];
                    assert!(
                        (found - expected).abs() <= 1e-10 * expected + 1e-13 * expected.sqrt() + 1e-26,
                        "{free_axes:?}: {found:e} {expected:e}"
                    );
                    let norm = rows(&four, lane).norm_squared();
                    assert!((found - norm).abs() <= 1e-12 * found, "{free_axes:?}: {found:e} {norm:e}");
                }
            }
        }
    }
}

#[test]
fn columns_are_what_the_rows_change_by_for_every_choice_of_free_axes() {
    let (mut random, mut worst) = (Random::new(2), 0.0_f64);
    for free_axes in masks() {
        let mut four = Four::seven(&mut random);
        for (lane, weight) in [(0, 1.0), (3, 5.0)] {
            let pose = four.poses[lane].tips()[0];
            four.set_goals(&[Target { free_axes, weight, ..Target::new(0, pose) }]);
            four.measure();
            four.linearise();
            for variable in 0..7 {
                let column = Vector6::from(four.configurations.columns[variable].map(|entry| entry.0[lane]));
                let slope = Vector6::from(four.slopes(0, variable, 1e-5)[lane]);
                worst = worst.max((column + slope).norm() / (1.0 + column.norm()));
                assert!((column + slope).norm() < 1e-6 * (1.0 + column.norm()), "{free_axes:?}: {column} {slope}");
            }
        }
    }
    println!("{worst:e}");
}

#[test]
fn a_position_that_is_free_along_an_axis_of_the_tip_is_linearised_far_away_too() {
    let mut random = Random::new(3);
    for free_axes in masks().filter(|free| free[3..] == [true; 3] && free[..3].contains(&true)) {
        let mut four = Four::seven(&mut random);
        let pose = nearby(&four, 0, [0.7, 2.0], &mut random);
        four.set_goals(&[Target { free_axes, ..Target::new(0, pose) }]);
        four.measure();
        four.linearise();
        for variable in 0..7 {
            let columns = four.configurations.columns[variable];
            let slopes = four.slopes(0, variable, 1e-5);
            for (lane, slope) in slopes.into_iter().enumerate() {
                let column = Vector6::from(columns.map(|entry| entry.0[lane]));
                let slope = Vector6::from(slope);
                assert!((column + slope).norm() < 1e-6 * (1.0 + column.norm()), "{free_axes:?}: {column} {slope}");
            }
        }
    }
}

#[test]
fn half_a_turn_has_an_axis_and_a_length() {
    let mut random = Random::new(4);
    for short in [0.0, 1e-15, 1e-9, 1e-6, 4e-4, 6e-4, 1e-2] {
        for _ in 0..20 {
            let mut four = Four::seven(&mut random);
            let pose = four.poses[2].tips()[0];
            let axis = Unit::new_normalize(random.vector(1.0));
            let turned = UnitQuaternion::from_axis_angle(&axis, PI - short) * pose.rotation;
            four.set_goals(&[Target::new(0, Isometry3::from_parts(pose.translation, turned))]);
            four.measure();
            let row = rows(&four, 2);
            let found = Vector3::new(row[3], row[4], row[5]);
            let expected = axis.into_inner() * chord(PI - short);
            // At exactly half a turn, both directions of rotation are equally short.
            let apart = (found - expected).norm().min(if short < 1e-12 { (found + expected).norm() } else { 9.0 });
            assert!(apart < 1e-8, "{short:e}: {found} {expected}");
        }
    }
}

/// Checks that the kernel counts a target as met exactly where its residual is within 0.999 of its tolerance.
fn assert_met_as_judged(free_axes: [bool; 6], tolerance: Tolerance, random: &mut Random) {
    let mut four = Four::seven(random);
    for share in [0.0, 0.5, 0.99, 0.998, 1.0, 1.001, 1.02, 1.5] {
        let angle = (share * tolerance.orientation).min(PI);
        for (shift, angle) in [(share * tolerance.position, 0.0), (0.0, angle)] {
            let pose = nearby(&four, 1, [shift, angle], random);
            let target = Target { free_axes, tolerance, ..Target::new(0, pose) };
            four.set_goals(&[target]);
            four.measure();
            let mut poses = ChainPoses::new(&four.chain);
            for lane in 0..LANES {
                four.chain.forward_kinematics(&four.positions[lane], &mut poses);
                let residual = target.residual(&poses.tips()[0]);
                let margin =
                    f64::max(residual.position / tolerance.position, residual.orientation / tolerance.orientation);
                let met = four.configurations.met >> lane & 1 == 1;
                assert!(!met || margin <= 1.0, "{free_axes:?}, {tolerance:?}: {margin} of it counts as met");
                assert!(met || margin > 0.9985, "{free_axes:?}, {tolerance:?}: {margin} of it does not count as met");
            }
        }
    }
}

#[test]
fn a_target_counts_as_met_where_its_residual_is_inside_the_tolerance() {
    let mut random = Random::new(5);
    for (position, orientation) in
        [(1e-5, 1e-5), (1e-2, 1e-2), (0.1, 0.2), (1.0, 0.5), (0.1, 1.5), (0.1, 2.5), (9.0, 4.0)]
    {
        for free_axes in
            [[false; 6], [false, false, false, true, true, true], [false, false, false, false, false, true]]
        {
            assert_met_as_judged(free_axes, Tolerance { position, orientation }, &mut random);
        }
    }
}
