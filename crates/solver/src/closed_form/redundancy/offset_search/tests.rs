//! Against forward kinematics of arms with frames anywhere.

use super::*;
use crate::testing::seven_axes::{self, error, positions, tip};
use urdf_ik_random::random::Random;

#[test]
fn every_way_at_every_position_of_the_outermost_joint_meets_the_target() {
    let mut random = Random::new(1);
    let (mut met, mut all) = (0, 0);
    for number in 0..120 {
        let axes = seven_axes::arm(&mut random, 0.12);
        let axes = if number % 2 == 0 { axes } else { axes.reversed() };
        let arm = OffsetArm::new(&axes, 1.0).expect("it is such an arm");
        assert!(arm.deviation.exact() && arm.reversed == (number % 2 == 1), "{:?}", arm.deviation);
        let pose = tip(&axes, &positions(&mut random));
        let goal = arm.goal(&if arm.reversed { pose.inverse() } else { pose });
        for round in rounds(&goal, &arm.elbow).into_iter().flatten() {
            for (step, way) in (0..40).flat_map(|step| [0, 1, 2, 3].map(|way| (step, way))) {
                let (first, back) = round.at(0.157 * f64::from(step));
                let mut configuration = arm.configuration(&goal, first, [back, way & 2 != 0, way & 1 != 0], &[0.3; 7]);
                if arm.reversed {
                    configuration.reverse();
                }
                let off = error(&axes, &configuration, &pose);
                // Where the second joint's condition cannot hold, the wrist is off by more than rounding.
                assert!(!(1e-8..1e-6).contains(&off), "{off:e}");
                met += usize::from(off <= 1e-8);
                all += 1;
            }
        }
    }
    println!("{met} of {all} met");
    assert!(met * 2 > all, "{met} of {all}");
}

#[test]
fn the_way_that_the_target_comes_from_is_swept() {
    let mut random = Random::new(2);
    for _ in 0..40 {
        let axes = seven_axes::arm(&mut random, 0.12);
        let arm = OffsetArm::new(&axes, 1.0).expect("it is such an arm");
        let positions = positions(&mut random);
        let goal = arm.goal(&tip(&axes, &positions));
        let mut nearest = f64::INFINITY;
        for round in rounds(&goal, &arm.elbow).into_iter().flatten() {
            for (step, way) in (0..4000).flat_map(|step| [0, 1, 2, 3].map(|way| (step, way))) {
                let (first, back) = round.at(f64::from(step) * 2.0 * PI / 4000.0);
                let configuration = arm.configuration(&goal, first, [back, way & 2 != 0, way & 1 != 0], &positions);
                let apart =
                    configuration.iter().zip(&positions).map(|(a, b)| (a - b).sin().abs().max(1.0 - (a - b).cos()));
                nearest = nearest.min(apart.fold(0.0, f64::max));
            }
        }
        assert!(nearest < 0.1, "{nearest}: {positions:?}");
    }
}

#[test]
fn arms_with_a_skew_wrist_are_others() {
    let mut axes = seven_axes::arm(&mut Random::new(3), 0.12);
    axes.lines[6].point += axes.lines[5].direction * 0.1 + axes.lines[4].direction * 0.1;
    axes.lines[2].point += axes.lines[0].direction * 0.1 + axes.lines[1].direction * 0.1;
    axes.lines[4].point += axes.lines[5].direction * 0.1;
    assert!(OffsetArm::new(&axes, 1.0).is_none());
}
