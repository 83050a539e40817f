//! Servos whose joints start outside their limits.

use nalgebra::{Vector3, Vector6};
use urdf_ik::motion::servo::{Axes, Hold};
use urdf_ik::robot::Domain;

use crate::common::{Random, bundled_arms};
use crate::servo_watch::{Input, Run, Subject, TOLERANCE, count, random_input};

const PERIOD: f64 = 0.004;
/// Initial excess of joints over their limits \[rad or m\]: an inexact encoder, 3° and 20°.
const EXCESSES: [f64; 3] = [1e-3, 0.052, 0.35];

/// The middle of the ranges, with a limited joint beyond its upper limit. Also returns the joint.
fn start(subject: &Subject, joint: usize, excess: f64) -> Option<Vec<f64>> {
    let Domain::Interval { upper, .. } = subject.domain(joint) else { return None };
    let mut positions = subject.arm.chain.nominal_positions();
    positions[joint] = upper + excess;
    Some(positions)
}

/// Asserts that no joint moves farther outside than at the start, and that all keep the limits of their rates.
fn check(run: &Run, subject: &Subject) {
    let usage = run.usage(subject);
    assert!(usage.worst[1..].iter().all(|used| *used <= 1.0 + TOLERANCE), "{}: {usage:?}", subject.arm.name);
    let excess = |positions: &[f64], joint: usize| subject.domain(joint).excess(positions[joint]);
    for positions in &run.positions {
        for joint in 0..subject.joints() {
            let [was, is] = [&run.positions[0], positions].map(|positions| excess(positions, joint));
            assert!(is <= was + 1e-9, "{}: joint {joint} was {was} outside and is {is}", subject.arm.name);
        }
    }
}

fn inputs(subject: &Subject, positions: &[f64]) -> Vec<Input> {
    let mut pose = subject.pose(positions);
    pose.translation.vector += Vector3::new(0.0, 0.02, -0.01);
    let twist = Vector6::new(0.02, 0.0, 0.03, 0.0, 0.0, 0.0);
    vec![
        Input::twist(&twist, Axes::Base),
        Input::twist(&twist, Axes::Tip),
        Input::Velocities(vec![0.1; subject.joints()]),
        Input::Pose(pose),
    ]
}

#[test]
fn whatever_is_commanded_joints_outside_their_limits_come_inside_first() {
    for subject in bundled_arms().into_iter().map(Subject::new) {
        for (joint, excess) in (0..subject.joints()).zip(EXCESSES.iter().cycle()) {
            let Some(start) = start(&subject, joint, *excess) else { continue };
            for input in inputs(&subject, &start) {
                let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
                assert_eq!(servo.outside(), Some(joint));
                let report = input.apply(&mut servo, PERIOD);
                assert!(report.holds.contains(&Hold::JointLimit { variable: joint }), "{:?}", report.holds);
                assert_eq!(report.share, 0.0);
                run.positions.push(servo.positions().to_vec());
                run.steps(&mut servo, &input, 4.0);
                assert_eq!(servo.outside(), None, "{} joint {joint} {excess}", subject.arm.name);
                run.steps(&mut servo, &Input::Rest, 1.0);
                assert!(servo.is_at_rest());
                check(&run, &subject);
            }
        }
    }
}

#[test]
fn a_servo_that_came_inside_follows_its_command() {
    let subject = Subject::new(bundled_arms().swap_remove(0));
    let mut start = subject.arm.chain.nominal_positions();
    let joint = (0..subject.joints()).find(|joint| subject.domain(*joint) != Domain::Circle).unwrap();
    start[joint] = subject.domain(joint).ends()[1] + 0.05;
    let mut servo = subject.servo(&start);
    let mut velocities = vec![0.0; subject.joints()];
    velocities[joint] = -0.2;
    let mut run = Run::new(PERIOD, &start);
    run.steps(&mut servo, &Input::Velocities(velocities), 3.0);
    assert!((servo.velocities()[joint] + 0.2).abs() < 1e-6, "{:?}", servo.velocities());
    check(&run, &subject);
}

#[test]
fn joints_outside_their_limits_move_only_while_commanded() {
    for subject in bundled_arms().into_iter().map(Subject::new) {
        let Some(start) = (0..subject.joints()).find_map(|joint| start(&subject, joint, 0.35)) else { continue };
        let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
        let still = Input::Velocities(vec![0.0; subject.joints()]);
        for input in [&Input::Rest, &still] {
            run.steps(&mut servo, input, 0.1);
            assert_eq!(servo.positions(), start);
        }
        run.steps(&mut servo, &Input::Velocities(vec![0.1; subject.joints()]), 0.1);
        run.steps(&mut servo, &Input::Rest, 1.0);
        assert!(servo.is_at_rest() && servo.outside().is_some() && servo.positions() != start);
        check(&run, &subject);
    }
}

#[test]
fn commands_that_change_on_the_way_inside_break_no_bound() {
    for subject in bundled_arms().into_iter().map(Subject::new) {
        for seed in 0..12 {
            let mut random = Random::new(seed);
            let joint = random.below(subject.joints());
            let Some(start) = start(&subject, joint, 0.35) else { continue };
            let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
            for _ in 0..60 {
                let input = random_input(&mut random, &subject, &subject.pose(servo.positions()));
                for _ in 0..=random.below(12) {
                    run.step(&mut servo, &input);
                }
            }
            for _ in 0..count(5.0, PERIOD) {
                run.step(&mut servo, &Input::Rest);
            }
            assert!(servo.is_at_rest());
            check(&run, &subject);
        }
    }
}
