//! Servos judged by their published positions: lines, bounds, escapes from singularities and limits.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Isometry3, UnitQuaternion, Vector3, Vector6};
use urdf_ik::motion::servo::{Axes, Priority, Servo, ServoOptions};
use urdf_ik::robot::{Domain, Noodle, Robot};

use crate::common::{Arm, Random, arm_with_tool, bundled_arms};
use crate::servo_watch::{Input, Run, Subject, TOLERANCE, count, from_line, random_input, small, twist_between};

const PERIOD: f64 = 0.004;
/// Bent configurations, far from limits and singularities.
const ARM6: [f64; 6] = [0.2, 0.4, -0.5, 0.3, 0.7, 0.1];
const ARM7: [f64; 7] = [0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1];

fn bundled(name: &str) -> Subject {
    Subject::new(arm_with_tool(name))
}

fn along(axis: usize, speed: f64) -> Vector6<f64> {
    let mut twist = Vector6::zeros();
    twist[axis] = speed;
    twist
}

/// Half a second of a twist along the axes of the base or the tip from a bent configuration, far from limits.
fn keeps_its_line(subject: &Subject, start: &[f64], given: &Vector6<f64>, axes: Axes) {
    let mut servo = subject.servo(start);
    let mut run = Run::new(PERIOD, start);
    run.steps(&mut servo, &Input::twist(given, axes), 1.0);
    assert!(run.usage(subject).is_kept(), "{}: {given:?} {:?}", subject.arm.name, run.usage(subject));
    let anchor = subject.pose(start);
    let turn = if axes == Axes::Tip { anchor.rotation } else { UnitQuaternion::identity() };
    let [linear, angular] = [0, 3].map(|row| turn * Vector3::from(given.fixed_rows::<3>(row)));
    let twist = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
    let poses: Vec<Isometry3<f64>> = run.positions.iter().map(|positions| subject.pose(positions)).collect();
    for sample in 1..poses.len() - 1 {
        let ([metres, radians], _) = from_line(&anchor, &twist, &poses[sample]);
        assert!(metres <= 1e-4 && radians <= 1e-4, "{}: {given:?} {metres:e} {radians:e}", subject.arm.name);
        if small(sample) * PERIOD >= 0.3 {
            let moved = twist_between(&poses[sample - 1], &poses[sample + 1], 2.0 * PERIOD);
            let off = (moved - twist).norm() / twist.norm();
            assert!(off <= 5e-3, "{}: {given:?} velocity off by {off} at sample {sample}", subject.arm.name);
        }
    }
}

#[test]
fn a_tool_stays_on_its_line_and_turns_about_its_own_point() {
    let mut arm = arm_with_tool("arm7");
    let tool = Isometry3::new(Vector3::new(0.05, -0.03, 0.12), Vector3::new(0.4, -0.7, 0.3));
    arm.chain = Arc::new(arm.chain.with_tools(&[tool]).unwrap());
    let subject = Subject::new(arm);
    for axes in [Axes::Base, Axes::Tip] {
        for axis in 0..6 {
            keeps_its_line(&subject, &ARM7, &along(axis, if axis < 3 { 0.05 } else { 0.15 }), axes);
        }
    }
}

#[test]
fn a_tip_stays_on_its_line_and_has_the_velocity_commanded() {
    for (name, bent) in [("arm6", ARM6.to_vec()), ("arm7", ARM7.to_vec())] {
        let subject = bundled(name);
        for axes in [Axes::Base, Axes::Tip] {
            for axis in 0..6 {
                for sign in [-1.0, 1.0] {
                    let twist = along(axis, sign * if axis < 3 { 0.05 } else { 0.15 });
                    keeps_its_line(&subject, &bent, &twist, axes);
                }
            }
        }
    }
}

#[test]
fn no_bound_is_broken_whatever_is_commanded_and_however_often_it_changes() {
    let mut subjects = vec![bundled("arm6")];
    subjects.extend(bundled_arms().into_iter().map(Subject::new));
    for subject in subjects {
        for (seed, period) in [(1, 0.001), (2, 0.004), (3, 0.01)] {
            let mut random = Random::new(seed);
            let start = random.positions(&subject.arm.chain);
            let (mut servo, mut run) = (subject.servo(&start), Run::new(period, &start));
            for _ in 0..1000 {
                let input = random_input(&mut random, &subject, &subject.pose(servo.positions()));
                for _ in 0..=random.below(12) {
                    run.step(&mut servo, &input);
                }
            }
            let usage = run.usage(&subject);
            assert!(usage.excess() <= TOLERANCE, "{} seed {seed}: {usage:?}", subject.arm.name);
            run.steps(&mut servo, &Input::Rest, 5.0);
            assert!(run.usage(&subject).is_kept() && servo.is_at_rest(), "{} seed {seed}", subject.arm.name);
        }
    }
}

/// Distance of the tip along a twist in half a second.
fn way(subject: &Subject, start: &[f64], twist: &Vector6<f64>) -> f64 {
    let mut servo = subject.servo(start);
    let mut run = Run::new(PERIOD, start);
    let anchor = subject.pose(start);
    let mut farthest = 0.0_f64;
    for _ in 0..count(0.5, PERIOD) {
        run.step(&mut servo, &Input::twist(twist, Axes::Base));
        farthest = farthest.max(from_line(&anchor, twist, &subject.pose(servo.positions())).1);
    }
    assert!(run.usage(subject).is_kept(), "{}: {:?}", subject.arm.name, run.usage(subject));
    farthest
}

/// The elbow angle of the stretched arm6, by bisection of the Jacobian's determinant.
fn stretched(subject: &Subject) -> Vec<f64> {
    let at = |elbow: f64| vec![0.2, 0.4, elbow, 0.3, 0.7, 0.1];
    let determinant = |elbow: f64| subject.scaled_jacobian(&at(elbow)).determinant();
    let (mut low, mut high) = (-1.5, -1.35);
    assert!(determinant(low) * determinant(high) < 0.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if determinant(low) * determinant(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(low)
}

#[test]
fn a_stretched_arm_comes_back_in() {
    let subject = bundled("arm6");
    let start = stretched(&subject);
    let values = subject.jacobian(&start).svd(true, true);
    let (least, left, right) = (values.singular_values.imin(), values.u.unwrap(), values.v_t.unwrap());
    let blocked = left.column(least).into_owned();
    // In the singular direction the tip moves with the square of the elbow's bend: to one side only.
    let bent = |by: f64| -> Vec<f64> { start.iter().zip(right.row(least).iter()).map(|(a, b)| a + by * b).collect() };
    let twists = [-1e-3, 1e-3].map(|by| twist_between(&subject.pose(&start), &subject.pose(&bent(by)), 1.0));
    let side = (twists[0] + twists[1]).dot(&blocked.fixed_rows::<6>(0)).signum();
    let inward = blocked.fixed_rows::<3>(0).normalize() * (0.1 * side);
    let way = way(&subject, &start, &Vector6::new(inward.x, inward.y, inward.z, 0.0, 0.0, 0.0));
    assert!(way >= 2e-3, "the tip moved {way} m in");
}

#[test]
fn joints_leave_their_limits() {
    for name in ["arm6", "arm7"] {
        let subject = bundled(name);
        let bent = if name == "arm6" { ARM6.to_vec() } else { ARM7.to_vec() };
        for joint in 0..subject.joints() {
            let Domain::Interval { lower, upper } = subject.domain(joint) else { continue };
            for (limit, inward) in [(lower, 1.0), (upper, -1.0)] {
                let mut start = bent.clone();
                start[joint] = limit;
                let jacobian = subject.jacobian(&start);
                let column: Vector6<f64> = jacobian.column(joint).fixed_rows::<6>(0).into_owned();
                // The twist of this joint alone, as a translation if it has one.
                let (rows, least) = if column.fixed_rows::<3>(0).norm() > 0.05 { (0, 2e-3) } else { (3, 5e-3) };
                let mut twist = Vector6::zeros();
                let part = column.fixed_rows::<3>(rows).normalize() * (inward * if rows == 0 { 0.1 } else { 0.3 });
                twist.fixed_rows_mut::<3>(rows).copy_from(&part);
                if !is_possible(&subject, &start, &twist) {
                    continue;
                }
                let way = way(&subject, &start, &twist);
                assert!(way >= least, "{name}: joint {joint} at {limit}: the tip moved {way}");
            }
        }
    }
}

/// Whether moderate joint velocities that push no joint over a limit yield the twist, by the pseudoinverse.
fn is_possible(subject: &Subject, start: &[f64], twist: &Vector6<f64>) -> bool {
    let jacobian = subject.jacobian(start);
    let Ok(inverse) = jacobian.clone().pseudo_inverse(1e-6) else { return false };
    let velocities = inverse * twist;
    let exact = (jacobian * &velocities - twist).norm() < 1e-9;
    let pushes = (0..start.len()).any(|joint| {
        let [below, above] = subject.room(joint, start[joint]);
        below < 1e-6 && velocities[joint] < 0.0 || above < 1e-6 && velocities[joint] > 0.0
    });
    exact && !pushes && velocities.amax() < 0.5
}

#[test]
fn a_minute_to_and_fro_does_not_turn_the_tool() {
    let subject = bundled("arm6");
    let start = ARM6;
    let (mut servo, mut run) = (subject.servo(&start), Run::new(0.01, &start));
    let anchor = subject.pose(&start);
    for stroke in 0..60 {
        let speed = if stroke % 2 == 0 { 0.05 } else { -0.05 };
        run.steps(&mut servo, &Input::twist(&along(1, speed), Axes::Base), 1.0);
        let turned = subject.pose(servo.positions()).rotation.angle_to(&anchor.rotation);
        assert!(turned <= 1e-4, "turned by {turned} after stroke {stroke}");
    }
    run.steps(&mut servo, &Input::Rest, 1.0);
    assert!(servo.is_at_rest() && run.usage(&subject).is_kept());
}

#[test]
fn a_tip_waits_on_its_line_where_the_wrist_would_have_to_flip() {
    let subject = Subject { slack: [0.0; 2], ..bundled("arm6") };
    // Chosen so that the twist passes a singularity where two joints have to rotate by half a revolution.
    let start = [2.43, 1.52, -1.81, -2.71, 0.03, 4.26];
    let twist = along(4, -0.3);
    let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
    run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 3.0);
    let anchor = subject.pose(&start);
    for positions in &run.positions {
        let ([metres, radians], _) = from_line(&anchor, &twist, &subject.pose(positions));
        assert!(metres <= 1e-4 && radians <= 1e-4, "{metres:e} m and {radians:e} rad off");
    }
    assert!(subject.scaled_jacobian(servo.positions()).singular_values().min() < 0.03 && servo.is_at_rest());
    // Another command moves it at once.
    let from = subject.pose(servo.positions());
    run.steps(&mut servo, &Input::twist(&-twist, Axes::Base), 0.5);
    let (_, way) = from_line(&from, &-twist, &subject.pose(servo.positions()));
    assert!(way > 2e-3 && run.usage(&subject).is_kept(), "{way} rad back");
}

#[test]
fn no_tip_is_faster_than_its_greatest_speed() {
    const GREATEST: f64 = 0.5;
    const STEP: f64 = 0.01;
    for (name, start) in [("arm6", ARM6.to_vec()), ("arm7", ARM7.to_vec())] {
        let subject = bundled(name);
        let (mut servo, mut run) = (subject.servo(&start), Run::new(STEP, &start));
        servo.set_options(ServoOptions { linear_speed: GREATEST, ..ServoOptions::default() });
        for part in 0..8 {
            let twist = along(1, 1e3) + along(3, if part % 2 == 0 { 1e3 } else { -1e3 });
            run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 0.1);
        }
        let places: Vec<_> = run.positions.iter().map(|positions| subject.pose(positions).translation.vector).collect();
        let fastest = places.windows(2).map(|pair| (pair[1] - pair[0]).norm() / STEP).fold(0.0, f64::max);
        assert!(fastest > 0.9 * GREATEST && fastest < 1.01 * GREATEST, "{name}: {fastest} m/s");
    }
}

#[test]
fn no_tip_is_faster_than_its_greatest_speed_when_joints_are_commanded() {
    const GREATEST: f64 = 0.3;
    const STEP: f64 = 0.01;
    for (name, start) in [("arm6", ARM6.to_vec()), ("arm7", ARM7.to_vec())] {
        let subject = bundled(name);
        let (mut servo, mut run) = (subject.servo(&start), Run::new(STEP, &start));
        servo.set_options(ServoOptions { linear_speed: GREATEST, ..ServoOptions::default() });
        let mut velocities = vec![0.0; start.len()];
        velocities[0] = subject.bounds(0)[0];
        run.steps(&mut servo, &Input::Velocities(velocities), 1.0);
        let places: Vec<_> = run.positions.iter().map(|positions| subject.pose(positions).translation.vector).collect();
        let fastest = places.windows(2).map(|pair| (pair[1] - pair[0]).norm() / STEP).fold(0.0, f64::max);
        assert!(fastest > 0.9 * GREATEST && fastest < 1.02 * GREATEST, "{name}: {fastest} m/s");
    }
}

#[test]
fn a_chain_that_is_too_long_is_refused_with_its_number_of_joints() {
    for (segments, fits) in [(Servo::MAX_VARIABLES, true), (Servo::MAX_VARIABLES + 1, false)] {
        let subject = Subject::new(Arm::new(
            "noodle",
            Robot::from_urdf(&Noodle::new(segments).urdf().unwrap()).unwrap(),
            "base_link",
            &["tip_link"],
        ));
        let start = vec![0.0; segments];
        let made = Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), &start);
        assert_eq!(made.is_ok(), fits);
        let said = made.err().map(|refused| refused.to_string()).unwrap_or_default();
        assert!(
            fits || said.contains(&segments.to_string()) && said.contains(&Servo::MAX_VARIABLES.to_string()),
            "{said}"
        );
    }
}

#[test]
fn a_redundant_arm_stays_on_its_line_where_a_joint_comes_to_its_limit() {
    let subject = Subject { slack: [0.0; 2], ..bundled("arm7") };
    // Chosen so that the joint reaches its limit, and the other six can continue along the line. For the last one, they
    // need twice the velocity limit of one of them.
    for (posture, joint, axis, sign, seconds) in [
        ([-1.73, 1.31, 0.89, 0.95, 2.69, 0.88, -0.56], 4, 4, -1.0, 1.15),
        ([-1.76, 1.75, 2.36, 0.0, 1.4, 0.26, -0.42], 4, 4, 1.0, 1.15),
        ([2.69, -1.05, 0.85, -0.49, 1.77, 0.67, -0.11], 5, 1, -1.0, 1.15),
        ([1.55, -0.55, -0.77, 0.64, -0.97, 1.04, -2.16], 4, 1, -1.0, 0.5),
    ] {
        let mut start = posture.to_vec();
        let Domain::Interval { lower, .. } = subject.domain(joint) else { unreachable!("joint {joint} has limits") };
        start[joint] = lower + 0.02;
        let twist = along(axis, sign * if axis < 3 { 0.1 } else { 0.3 });
        let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
        run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 1.5);
        let anchor = subject.pose(&start);
        let mut longest = 0.0_f64;
        for positions in &run.positions {
            let ([metres, radians], way) = from_line(&anchor, &twist, &subject.pose(positions));
            assert!(metres <= 1e-4 && radians <= 1e-4, "{posture:?}: {metres:e} m and {radians:e} rad off");
            longest = longest.max(way);
        }
        let nearest = run.positions.iter().map(|positions| positions[joint] - lower).fold(f64::INFINITY, f64::min);
        assert!(
            longest >= seconds * twist.norm() && nearest < 0.01,
            "{posture:?}: {longest} along, {nearest} from the limit"
        );
    }
}

/// The part of a twist that the other joints can follow, with one joint at rest; with consistent units.
fn projected(jacobian: &DMatrix<f64>, twist: &Vector6<f64>, joint: usize) -> DVector<f64> {
    let others = jacobian.clone().remove_column(joint);
    let goal = DMatrix::from_column_slice(6, 1, twist.as_slice());
    let velocities = others.clone().svd(true, true).solve(&goal, 1e-9).expect("both sides were commanded");
    (others * velocities).column(0).into_owned()
}

#[test]
fn what_a_limit_leaves_of_a_twist_keeps_its_direction() {
    let subject = bundled("arm6");
    let mut judged = 0;
    for joint in 0..6 {
        let mut start = ARM6.to_vec();
        let Domain::Interval { lower, .. } = subject.domain(joint) else { continue };
        start[joint] = lower;
        for axis in 0..12 {
            let given = along(axis % 6, [0.05, 0.15][axis % 6 / 3] * if axis < 6 { 1.0 } else { -1.0 });
            let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
            servo.set_options(ServoOptions { priority: Priority::Both, slack: [0.0; 2], ..ServoOptions::default() });
            run.steps(&mut servo, &Input::twist(&given, Axes::Base), 0.6);
            let last = run.positions.len() - 2;
            let jacobian = subject.scaled_jacobian(&run.positions[last]);
            let input = subject.scaled_twist(&given);
            let whole = jacobian.clone().lu().solve(&input).expect("far from singularities");
            let is_pressed = whole[joint] < -0.01 && run.positions[last][joint] - lower < 1e-4;
            let others = jacobian.clone().remove_column(joint);
            let [before, after] = [last - 1, last + 1].map(|sample| subject.pose(&run.positions[sample]));
            let moved = subject.scaled_twist(&twist_between(&before, &after, 2.0 * PERIOD));
            if !is_pressed || others.singular_values().min() < 0.1 || moved.norm() < 0.1 * input.norm() {
                continue;
            }
            let left = projected(&jacobian, &input, joint);
            let angle = moved.angle(&Vector6::from_column_slice(left.as_slice())).to_degrees();
            assert!(angle <= 15.0, "joint {joint} at its limit, twist {given:?}: {angle} degrees off");
            judged += 1;
        }
    }
    assert!(judged >= 10, "only {judged} cases had a joint at its limit");
}
