//! Motions with speed scaling: on the same path, within the joint limits, and at rest as soon as these allow.

use urdf_ik::motion::servo::Axes;
use urdf_ik::motion::{JointLimit, JointLimits, JointMotion, MotionLimits, Pace, SpeedScale};

use crate::common::{Arm, Random, arm_with_tool, bundled_arms};
use crate::servo_watch::{Input, Subject, random_input};

const PERIOD: f64 = 0.004;
/// Rounding of the generator's profiles \[rad/s\] and \[rad\].
const ROUNDING: f64 = 2e-8;

/// A motion with a scale, and the state of its joints in clock time after each period.
struct Scaled<'a> {
    limits: &'a MotionLimits,
    motion: JointMotion,
    scale: SpeedScale,
}

impl<'a> Scaled<'a> {
    fn new(arm: &Arm, limits: &'a MotionLimits, start: &[f64]) -> Self {
        Self { limits, motion: JointMotion::new(&arm.chain, limits, start).unwrap(), scale: SpeedScale::default() }
    }

    fn state(&self) -> [Vec<f64>; 3] {
        let pace = self.scale.pace();
        [self.motion.positions().to_vec(), self.motion.velocities_at(&pace), self.motion.accelerations_at(&pace)]
    }

    /// Advances for a period by `step`, which gets the motion time. Returns that time. Checks the joints in clock time.
    fn advance_by(&mut self, goal: f64, period: f64, step: impl FnOnce(&mut JointMotion, f64)) -> f64 {
        let before = self.state();
        let time = self.scale.advance(goal, period, &self.motion, self.limits);
        assert!((0.0..=period).contains(&time) && (0.0..=1.0).contains(&self.scale.pace().scale));
        step(&mut self.motion, time);
        let after = self.state();
        for i in 0..before[0].len() {
            let [[p, v, a], [q, w, b]] = [&before, &after].map(|state| [state[0][i], state[1][i], state[2][i]]);
            let [velocity, acceleration, jerk] =
                [self.limits.velocities[i], self.limits.accelerations[i], self.limits.jerks[i]];
            let said = format!("{p} {v} {a} to {q} {w} {b} at {:?}", self.scale.pace());
            assert!(w.abs() <= velocity * 1.05, "velocity of {velocity}: {said}");
            assert!((w - v).abs() <= acceleration * period * (1.0 + 1e-3) + ROUNDING, "{acceleration}: {said}");
            let change = (b - a).abs();
            assert!(change <= 6.0 * jerk * period + 1e-5 * acceleration, "{change} of {}: {said}", jerk * period);
            let room = 6.0 * jerk * period.powi(3) / 12.0 + ROUNDING;
            assert!((q - p - 0.5 * period * (v + w)).abs() <= room, "{jerk}: {said}");
        }
        time
    }

    fn advance(&mut self, goal: f64, period: f64) -> f64 {
        self.advance_by(goal, period, JointMotion::advance)
    }
}

/// Limits derived from the velocities: jerks are so high that an acceleration may reverse within a period.
fn derived_limits(arm: &Arm) -> MotionLimits {
    MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default()).or(&JointLimit::DEFAULT)
}

/// A scale: often one of the ends.
fn random_scale(random: &mut Random) -> f64 {
    [0.0, 1.0, random.unit()][random.below(3)]
}

#[test]
fn limits_are_kept_however_the_scale_changes() {
    let mut random = Random::new(48);
    for arm in bundled_arms() {
        for (limits, period) in [(arm.limits(), 0.002), (arm.limits(), 0.01), (derived_limits(&arm), PERIOD)] {
            let mut scaled = Scaled::new(&arm, &limits, &random.positions(&arm.chain));
            for _ in 0..200 {
                if random.below(4) == 0 {
                    scaled.motion.stop_from(&scaled.scale.pace()).unwrap();
                    scaled.scale.suspend();
                } else {
                    scaled.motion.move_to(&random.positions(&arm.chain)).unwrap();
                    scaled.scale.resume();
                }
                let goal = random_scale(&mut random);
                for _ in 0..random.below(100) {
                    scaled.advance(goal, period);
                }
            }
        }
    }
}

#[test]
fn limits_are_kept_by_servos_however_the_scale_changes() {
    let mut random = Random::new(49);
    for subject in bundled_arms().into_iter().map(Subject::new) {
        for period in [0.002, 0.01] {
            let start = random.positions(&subject.arm.chain);
            let mut servo = subject.servo(&start);
            let mut scaled = Scaled::new(&subject.arm, &subject.limits, &start);
            for _ in 0..150 {
                let input = random_input(&mut random, &subject, &subject.pose(servo.positions()));
                // Also nearly zero.
                let goal = if random.below(5) == 0 { 1e-6 } else { random_scale(&mut random) };
                for _ in 0..random.below(40) {
                    scaled.advance_by(goal, period, |motion, time| {
                        if time > 0.0 {
                            input.apply(&mut servo, time);
                        }
                        motion.take_over(&servo.hand_over());
                    });
                }
            }
        }
    }
}

#[test]
fn a_motion_at_a_scale_takes_that_much_longer_on_the_same_path() {
    let arm = arm_with_tool("arm7");
    let limits = arm.limits();
    let start = vec![0.3, 0.6, 0.2, -1.2, 0.1, 0.8, 0.0];
    let goal: Vec<f64> = start.iter().map(|position| position + 0.3).collect();
    let mut scaled = Scaled::new(&arm, &limits, &start);
    let mut plain = scaled.motion.clone();
    let time = scaled.motion.move_to(&goal).unwrap();
    plain.move_to(&goal).unwrap();
    let mut periods = 0.0;
    while !scaled.motion.is_at_rest() {
        // At rest the scale changes at once, and then stays.
        let passed = scaled.advance(0.25, PERIOD);
        assert!((passed - 0.25 * PERIOD).abs() < 1e-12 || periods == 0.0, "{passed}");
        plain.advance(passed);
        assert_eq!(scaled.motion.positions(), plain.positions());
        periods += 1.0;
    }
    assert!((periods * PERIOD - 4.0 * time).abs() < 2.0 * PERIOD, "{periods} {time}");
}

#[test]
fn at_zero_a_motion_is_kept_and_a_stop_ends_it_at_once() {
    let arm = arm_with_tool("arm7");
    let limits = arm.limits();
    let start = vec![0.3, 0.6, 0.2, -1.2, 0.1, 0.8, 0.0];
    let goal: Vec<f64> = start.iter().map(|position| position + 0.3).collect();
    let mut scaled = Scaled::new(&arm, &limits, &start);
    scaled.motion.move_to(&goal).unwrap();
    let end = scaled.motion.end().to_vec();
    for _ in 0..60 {
        scaled.advance(1.0, PERIOD);
    }
    let mut braked = 0.0;
    while scaled.scale.pace().scale > 0.0 {
        scaled.advance(0.0, PERIOD);
        braked += PERIOD;
    }
    // As soon as the joints allow it, or nearly so: the fastest of them has 1 rad/s, and slows down by 5 rad/s² and 50
    // rad/s³.
    assert!(braked < 1.0, "{braked}");
    let [held, velocities, accelerations] = scaled.state();
    for _ in 0..100 {
        assert_eq!(scaled.advance(0.0, PERIOD), 0.0);
    }
    assert_eq!(scaled.motion.positions(), held);
    assert!(!scaled.motion.is_at_rest());
    assert!(velocities.iter().chain(&accelerations).all(|rate| *rate == 0.0));
    let mut stopped = scaled.motion.clone();
    assert_eq!(stopped.stop_from(&scaled.scale.pace()).unwrap(), 0.0);
    stopped.advance(PERIOD);
    assert!(stopped.is_at_rest() && stopped.positions() == held);
    while !scaled.motion.is_at_rest() {
        scaled.advance(1.0, PERIOD);
    }
    assert_eq!(scaled.motion.positions(), end);
}

#[test]
fn a_stop_at_a_low_scale_takes_no_longer_than_the_joints_need() {
    let subject = Subject::new(arm_with_tool("arm7"));
    let start = vec![0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1];
    let mut servo = subject.servo(&start);
    let mut scaled = Scaled::new(&subject.arm, &subject.limits, &start);
    let input = Input::twist(&nalgebra::Vector6::new(0.0, 0.2, 0.0, 0.0, 0.0, 0.0), Axes::Base);
    let follow = |scaled: &mut Scaled, servo: &mut urdf_ik::motion::servo::Servo| {
        scaled.advance_by(0.1, PERIOD, |motion, time| {
            input.apply(servo, time);
            motion.take_over(&servo.hand_over());
        });
    };
    for _ in 0..2000 {
        follow(&mut scaled, &mut servo);
    }
    let full = scaled.motion.clone().stop().unwrap();
    let before = scaled.state();
    let pace = scaled.scale.suspend().unwrap();
    assert_eq!(scaled.scale.pace(), Pace::FULL);
    scaled.motion.use_pace(&pace);
    assert_eq!(scaled.state(), before, "the joints move as before");
    let time = scaled.motion.stop().unwrap();
    assert!(time < 0.5 * full, "{time} {full}");
    while !scaled.motion.is_at_rest() {
        scaled.advance(0.1, PERIOD);
    }
}
