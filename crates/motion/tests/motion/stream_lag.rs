//! The lag of smooth motion behind a stream of poses, with the default limits.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Vector3};
use urdf_ik::motion::{JointLimit, JointLimits, JointMotion, MotionLimits};
use urdf_ik::solver::{Problem, Target};

use crate::common::{Arm, arms_named, load, solve};
use crate::servo_watch::{count, small};

/// Half the width of the figure of eight \[m\], and its duration \[s\]: the tip moves at 0.2 m/s on average and at most
/// at 0.29 m/s.
const WIDTH: f64 = 0.12;
const TIME: f64 = 3.66;
/// The period of the motion \[s\], and periods from one target to the next: 500 Hz and 100 Hz.
const PERIOD: f64 = 0.002;
const PER_TARGET: usize = 5;
/// Maximum lag in periods: up to 0.15 s.
const LAGS: usize = 75;

/// The figure of eight, starting slowly.
fn eight(time: f64) -> Vector3<f64> {
    let angle = TAU * (time - 0.3 * (1.0 - (-time / 0.3).exp())) / TIME;
    Vector3::new(0.0, WIDTH * angle.sin(), 0.5 * WIDTH * (2.0 * angle).sin())
}

/// The lag at which the tip matches the targets best \[s\].
fn lag(arm: &Arm, limits: &MotionLimits, start: &[f64]) -> f64 {
    let (solver, from) = (arm.solver(), arm.tip_poses(start)[0]);
    let mut motion = JointMotion::new(&arm.chain, limits, start).unwrap();
    let (mut targets, mut tips) = (vec![], vec![]);
    for step in 0..count(1.5 * TIME, PERIOD) {
        let target = from.translation.vector + eight(small(step) * PERIOD);
        if step.is_multiple_of(PER_TARGET) {
            let pose = Isometry3::from_parts(target.into(), from.rotation);
            let solution = solve(&solver, &Problem::new(&[Target::new(0, pose)], motion.end()));
            assert!(solution.is_solved(), "{} {step}", arm.name);
            motion.move_to(&solution.positions).unwrap();
        }
        tips.push(arm.tip_poses(motion.positions())[0].translation.vector);
        targets.push(target);
        motion.advance(PERIOD);
    }
    let apart = |lag: &usize| -> f64 { (LAGS..tips.len()).map(|i| (tips[i] - targets[i - lag]).norm_squared()).sum() };
    let best = (0..LAGS).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap();
    small(best) * PERIOD
}

#[test]
fn streams_lag_by_less_than_40_ms_with_the_default_limits() {
    let starts: [&[f64]; 3] =
        [&[0.0, -1.3, 1.7, -1.97, -1.57, 0.0], &[0.0; 7], &[0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]];
    for (arm, start) in arms_named(&["ur5", "arm7", "panda"]).iter().zip(starts) {
        let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
        let lags = [lag(arm, &limits, start), lag(arm, &arm.limits(), start)];
        println!("{}: {:.3} s, with 5 rad/s² and 50 rad/s³ {:.3} s", arm.name, lags[0], lags[1]);
        assert!(lags[0] < 0.04 && lags[1] > 0.1, "{}: {lags:?} s", arm.name);
    }
}

#[test]
fn a_palletiser_with_the_speeds_of_a_large_one_lags_no_more() {
    let arm = Arm::new("palletiser", load("palletiser.urdf"), "base", &["tool"]);
    // A KUKA KR 120 R3200 PA: 124, 115, 112 and 242 degrees per second.
    let velocities = [124.0, 115.0, 112.0, 242.0_f64].map(f64::to_radians).to_vec();
    let unlimited = vec![f64::INFINITY; 4];
    let limits =
        MotionLimits { velocities, accelerations: unlimited.clone(), jerks: unlimited }.or(&JointLimit::DEFAULT);
    assert!(limits.accelerations.iter().all(|a| (9.0..22.0).contains(a)), "{limits:?}");
    let lag = lag(&arm, &limits, &[0.0, 0.2, 0.5, 0.0]);
    assert!(lag < 0.03, "{lag} s");
}
