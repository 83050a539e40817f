//! Against forward kinematics of arms with frames anywhere.

use std::f64::consts::{PI, TAU};

use super::*;
use crate::testing::seven_axes::{self, error, positions, tip};
use urdf_ik_random::random::Random;

/// The greatest miss of all configurations at `angle`, and how many there are.
fn worst(arm: &ArmAngle, axes: &Axes<REDUNDANT_JOINTS>, pose: &Isometry3<f64>, angle: f64) -> (f64, usize) {
    let reach = arm.shoulder_to_wrist(pose).expect("it can be reached");
    let (mut worst, mut count) = (0.0_f64, 0);
    for bend in reach.bends() {
        for over in [[false, false], [false, true], [true, false], [true, true]] {
            let configuration = arm.configuration(&reach, bend, Turn::new(angle), over, &[0.3; REDUNDANT_JOINTS]);
            worst = worst.max(error(axes, &configuration, pose));
            count += 1;
        }
    }
    (worst, count)
}

#[test]
fn every_configuration_at_every_arm_angle_meets_the_target() {
    let mut random = Random::new(1);
    for _ in 0..200 {
        let axes = seven_axes::arm(&mut random, 0.0);
        let arm = ArmAngle::new(&axes, 1.0).expect("shoulder and wrist are spherical");
        assert!(arm.deviation.exact(), "{:?}", arm.deviation);
        let pose = tip(&axes, &positions(&mut random));
        for step in 0..8 {
            let (worst, count) = worst(&arm, &axes, &pose, f64::from(step) * TAU / 8.0);
            assert!(worst < 1e-9 && count == 8, "{worst:e}, {count} configurations: {axes:?}");
        }
    }
}

#[test]
fn the_configuration_that_the_target_comes_from_is_among_them() {
    let mut random = Random::new(2);
    for _ in 0..50 {
        let axes = seven_axes::arm(&mut random, 0.0);
        let arm = ArmAngle::new(&axes, 1.0).expect("shoulder and wrist are spherical");
        let positions = positions(&mut random);
        let reach = arm.shoulder_to_wrist(&tip(&axes, &positions)).expect("it can be reached");
        // How near the best configuration at an angle comes.
        let distance = |angle: f64| {
            let ways = reach.bends().flat_map(|bend| [0, 1, 2, 3].map(|over| (bend, over)));
            let distances = ways.map(|(bend, over)| {
                let over = [over < 2, over % 2 == 0];
                let configuration = arm.configuration(&reach, bend, Turn::new(angle), over, &positions);
                let apart = |(a, b): (&f64, &f64)| (a - b).sin().abs().max(1.0 - (a - b).cos());
                configuration.iter().zip(&positions).map(apart).fold(0.0, f64::max)
            });
            distances.fold(f64::INFINITY, f64::min)
        };
        // Next to a singularity joints turn far within a little of the arm angle: there a second sweep is finer.
        let spacing = TAU / 4000.0;
        let nearer =
            |best: (f64, f64), angle: f64| if distance(angle) < best.0 { (distance(angle), angle) } else { best };
        let (_, middle) = (0..4000).map(|step| f64::from(step) * spacing).fold((f64::INFINITY, 0.0), nearer);
        let finer = (-100..=100).map(|step| middle + f64::from(step) * 0.02 * spacing);
        let (nearest, _) = finer.fold((f64::INFINITY, 0.0), nearer);
        assert!(nearest < 0.02, "{nearest}: {positions:?}");
    }
}

#[test]
fn singular_shoulders_wrists_and_elbows_are_met() {
    let mut random = Random::new(3);
    for number in 0..60 {
        let axes = seven_axes::arm(&mut random, 0.0);
        let arm = ArmAngle::new(&axes, 1.0).expect("shoulder and wrist are spherical");
        let mut positions = positions(&mut random);
        // Where the third axis comes to lie on the first; the seventh on the fifth.
        let turn = |ball: [usize; 3]| {
            let [a, b, c] = ball.map(|axis| axes.lines[axis].direction);
            a.cross(&c).dot(&b).atan2(a.dot(&c))
        };
        let (shoulder, wrist) = (-turn([0, 1, 2]), -turn([4, 5, 6]));
        positions[1] = if number % 3 == 0 { positions[1] } else { shoulder + f64::from(number % 2) * PI };
        positions[5] = if number % 3 == 1 { positions[5] } else { wrist };
        let pose = tip(&axes, &positions);
        for step in 0..6 {
            let (worst, _) = worst(&arm, &axes, &pose, f64::from(step));
            assert!(worst < 1e-7, "{worst:e}: {positions:?}");
        }
    }
}

#[test]
fn a_stretched_elbow_is_met_and_what_is_beyond_it_is_not() {
    let mut random = Random::new(4);
    for _ in 0..50 {
        let axes = seven_axes::arm(&mut random, 0.0);
        let arm = ArmAngle::new(&axes, 1.0).expect("shoulder and wrist are spherical");
        let flat = |v: &Vector3<f64>| v - arm.elbow * arm.elbow.dot(v);
        let (upper, fore) = (flat(&arm.upper), flat(&arm.fore));
        let mut positions = positions(&mut random);
        positions[3] = fore.cross(&upper).dot(&arm.elbow).atan2(fore.dot(&upper));
        let pose = tip(&axes, &positions);
        let (worst, _) = worst(&arm, &axes, &pose, 1.0);
        // Half of the digits: the distance hardly changes with the elbow.
        assert!(worst < 1e-7, "{worst:e}");
        let mut beyond = pose;
        beyond.translation.vector += arm.shoulder_to_wrist(&pose).expect("it can be reached").line * 1e-3;
        assert!(arm.shoulder_to_wrist(&beyond).is_none());
    }
}

#[test]
fn wrists_in_the_shoulder_and_other_arms_have_no_arm_angle() {
    let mut random = Random::new(5);
    let axes = seven_axes::arm(&mut random, 0.0);
    let arm = ArmAngle::new(&axes, 1.0).expect("shoulder and wrist are spherical");
    let rotation = nalgebra::UnitQuaternion::from_rotation_matrix(&arm.unturned.inverse());
    let inside = Isometry3::from_parts((arm.centre + arm.tool).into(), rotation);
    assert!(arm.shoulder_to_wrist(&inside).is_none());
    assert!(ArmAngle::new(&seven_axes::arm(&mut random, 0.1), 1.0).is_none());
    let mut leaning = axes;
    leaning.lines[0].direction = (axes.lines[0].direction + 0.1 * axes.lines[1].direction).normalize();
    leaning.lines[0].point = arm.centre;
    assert!(ArmAngle::new(&leaning, 1.0).is_none());
}
