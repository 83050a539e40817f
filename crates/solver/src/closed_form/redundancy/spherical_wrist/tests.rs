//! Against forward kinematics of arms with frames anywhere.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, f32x8};

use super::super::branches::{BranchSampler, Curve};
use super::super::joint_ranges::{JointRanges, Seven};
use super::*;
use crate::testing::seven_axes::{self, error, positions, tip};
use urdf_ik_random::random::Random;

/// Calls `found` with each configuration at `count` parameters around each curve, in the order of the chain.
fn sweep(arm: &SphericalWristArm, pose: &Isometry3<f64>, count: u16, found: &mut dyn FnMut(&Seven)) {
    let pose = if arm.reversed { pose.inverse() } else { *pose };
    let sampler = BranchSampler { arm, goal: arm.wrist_goal(&pose), ranges: JointRanges::unlimited() };
    for curve in Curve::all(arm, &sampler.goal).iter().flatten() {
        for step in 0..count {
            let parameter = std::f32::consts::TAU * f32::from(step) / f32::from(count);
            dispatch!(Level::baseline(), simd => sample(simd, &sampler, curve, parameter, found));
        }
    }
}

#[inline(always)]
fn sample<S: Simd>(simd: S, sampler: &BranchSampler, curve: &Curve, parameter: f32, found: &mut dyn FnMut(&Seven)) {
    let samples = sampler.samples(curve, f32x8::splat(simd, parameter));
    for branch in sampler.shoulders(&samples).iter().flat_map(|shoulder| sampler.wrists(&samples, shoulder)) {
        let mut configuration = branch.positions.map(|lanes| f64::from(lanes[0]));
        if sampler.arm.reversed {
            configuration.reverse();
        }
        found(&configuration);
    }
}

/// Arms with an offset shoulder, from either end, and with a spherical one.
fn arms(random: &mut Random) -> [Axes<REDUNDANT_JOINTS>; 3] {
    [seven_axes::arm(random, 0.12), seven_axes::arm(random, 0.12).reversed(), seven_axes::arm(random, 0.0)]
}

#[test]
fn every_way_at_every_position_of_the_outermost_joint_meets_the_target() {
    let mut random = Random::new(1);
    let (mut met, mut all) = (0, 0);
    let arms: Vec<_> = (0..40).flat_map(|_| arms(&mut random)).collect();
    for (number, axes) in arms.into_iter().enumerate() {
        let arm = SphericalWristArm::new(&axes, 1.0).expect("it is such an arm");
        assert!(arm.deviation.exact() && arm.reversed == (number % 3 == 1), "{:?}", arm.deviation);
        assert_eq!(arm.is_shoulder_spherical, number % 3 == 2);
        let pose = tip(&axes, &positions(&mut random));
        sweep(&arm, &pose, 40, &mut |configuration| {
            // Where the third joint's condition cannot hold, the wrist is off; at a singularity, single
            // precision has few digits.
            met += usize::from(error(&axes, configuration, &pose) < 1e-4);
            all += 1;
        });
    }
    println!("{met} of {all} met");
    assert!(met * 2 > all, "{met} of {all}");
}

#[test]
fn the_way_that_the_target_comes_from_is_swept() {
    let mut random = Random::new(2);
    let arms: Vec<_> = (0..20).flat_map(|_| arms(&mut random)).collect();
    for axes in arms {
        let arm = SphericalWristArm::new(&axes, 1.0).expect("it is such an arm");
        let positions = positions(&mut random);
        let mut nearest = f64::INFINITY;
        sweep(&arm, &tip(&axes, &positions), 4000, &mut |configuration| {
            let apart = configuration.iter().zip(&positions).map(|(a, b)| (a - b).sin().abs().max(1.0 - (a - b).cos()));
            nearest = nearest.min(apart.fold(0.0, f64::max));
        });
        assert!(nearest < 0.1, "{nearest}: {positions:?}");
    }
}

#[test]
fn arms_with_a_skew_wrist_are_others() {
    let mut axes = seven_axes::arm(&mut Random::new(3), 0.12);
    axes.lines[6].point += axes.lines[5].direction * 0.1 + axes.lines[4].direction * 0.1;
    axes.lines[2].point += axes.lines[0].direction * 0.1 + axes.lines[1].direction * 0.1;
    axes.lines[4].point += axes.lines[5].direction * 0.1;
    assert!(SphericalWristArm::new(&axes, 1.0).is_none());
}
