//! A servo under the hand of a person: commands that change all the time, with noise and tremor.

use std::f64::consts::TAU;

use nalgebra::Vector6;
use urdf_ik::motion::servo::{Axes, Servo, ServoOptions};

use crate::common::{Random, arm_with_tool, makers_arms};
use crate::servo_watch::{Input, Run, Subject, count, small, twist_between};

const PERIOD: f64 = 0.01;

/// A random number of mean 0 and variance 1: the sum of twelve uniform ones.
fn noise(random: &mut Random) -> f64 {
    (0..12).map(|_| random.between(-0.5, 0.5)).sum()
}

/// The smooth motion of a hand: noise through two low-pass filters of 0.6 Hz.
fn hand(random: &mut Random, seconds: f64) -> Vec<Vector6<f64>> {
    let gain = TAU * 0.6 * PERIOD;
    let (mut first, mut second) = (Vector6::zeros(), Vector6::zeros());
    let sizes = Vector6::new(0.08, 0.08, 0.08, 0.35, 0.35, 0.35) / (0.25 * gain).sqrt();
    let mut velocity = || {
        first += (Vector6::from_fn(|_, _| noise(random)) - first) * gain;
        second += (first - second) * gain;
        second.component_mul(&sizes)
    };
    (0..count(seconds, PERIOD)).map(|_| velocity()).collect()
}

fn servo(subject: &Subject, start: &[f64]) -> Servo {
    Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), start).unwrap()
}

/// A configuration far from singularities.
fn comfortable(subject: &Subject, random: &mut Random) -> Vec<f64> {
    loop {
        let start = random.positions(&subject.arm.chain);
        let values = subject.scaled_jacobian(&start).singular_values();
        if values.max() < 12.0 * values.min() {
            return start;
        }
    }
}

#[test]
fn the_tip_goes_on_under_a_hand() {
    for subject in makers_arms().into_iter().map(Subject::new) {
        let (mut along, mut commanded) = (0.0, 0.0);
        for seed in 0..3 {
            let mut random = Random::new(seed);
            let start = comfortable(&subject, &mut random);
            let (mut servo, mut run) = (servo(&subject, &start), Run::new(PERIOD, &start));
            let mut stood = 0;
            for velocity in hand(&mut random, 10.0) {
                let before = subject.pose(servo.positions());
                run.step(&mut servo, &Input::twist(&velocity, Axes::Base));
                let moved = twist_between(&before, &subject.pose(servo.positions()), PERIOD);
                let [moved, wanted] = [&moved, &velocity].map(|twist| subject.scaled_twist(twist));
                along += moved.dot(&wanted);
                commanded += wanted.norm_squared();
                stood = if moved.norm() < 0.02 * wanted.norm() { stood + 1 } else { 0 };
                assert!(stood < count(1.0, PERIOD), "{} seed {seed} is stationary", subject.arm.name);
            }
            assert!(run.usage(&subject).is_kept(), "{} seed {seed}: {:?}", subject.arm.name, run.usage(&subject));
        }
        assert!(along > 0.65 * commanded, "{}: progress {}", subject.arm.name, along / commanded);
    }
}

#[test]
fn noise_does_not_trap_an_arm_where_its_line_ended() {
    for subject in makers_arms().into_iter().map(Subject::new) {
        let mut random = Random::new(3);
        let start = comfortable(&subject, &mut random);
        let direction = random.direction() * 0.1;
        let out = Vector6::new(direction.x, direction.y, direction.z, 0.0, 0.0, 0.0);
        let mut strict = servo(&subject, &start);
        strict.set_options(ServoOptions { max_deviation_angle: 0.0, ..ServoOptions::default() });
        let mut run = Run::new(PERIOD, &start);
        run.steps(&mut strict, &Input::twist(&out, Axes::Base), 8.0);
        for share in [1e-15, 1e-3, 0.02] {
            let mut servo = strict.clone();
            let from = subject.pose(servo.positions()).translation.vector;
            for _ in 0..count(2.0, PERIOD) {
                let shake = Vector6::from_fn(|_, _| 0.1 * share * noise(&mut random));
                Input::twist(&(shake - out), Axes::Base).apply(&mut servo, PERIOD);
            }
            let back = (from - subject.pose(servo.positions()).translation.vector).dot(&direction) / 0.1;
            // The Panda leaves a singularity between two limits.
            assert!(back > 0.05 * small(2) * 0.1, "{}: {back} m back with noise of {share}", subject.arm.name);
        }
    }
}

#[test]
fn uncommanded_axes_come_back_after_a_hand() {
    let (bundled, mut greatest) = (["arm6", "arm7"].map(arm_with_tool), 0.0_f64);
    for subject in makers_arms().into_iter().chain(bundled).map(Subject::new) {
        let mut random = Random::new(5);
        let start = comfortable(&subject, &mut random);
        let anchor = subject.pose(&start);
        let turned = |servo: &Servo| anchor.rotation.angle_to(&subject.pose(servo.positions()).rotation);
        let (mut servo, mut most) = (servo(&subject, &start), 0.0_f64);
        for mut velocity in hand(&mut random, 6.0) {
            velocity.fixed_rows_mut::<3>(3).fill(0.0);
            Input::twist(&velocity, Axes::Base).apply(&mut servo, PERIOD);
            most = most.max(turned(&servo));
        }
        let away = anchor.translation.vector - subject.pose(servo.positions()).translation.vector;
        let slow = away.normalize() * 0.02;
        for _ in 0..count(3.0, PERIOD) {
            Input::twist(&Vector6::new(slow.x, slow.y, slow.z, 0.0, 0.0, 0.0), Axes::Base).apply(&mut servo, PERIOD);
        }
        let left = turned(&servo);
        assert!(left < 1e-3, "{}: {left} of {most} rad are left", subject.arm.name);
        greatest = greatest.max(most);
    }
    assert!(greatest > 0.01, "no arm deviated by more than {greatest} rad");
}
