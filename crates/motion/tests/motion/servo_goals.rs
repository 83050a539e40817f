//! A servo with standing goals: the motion yields to them.

use nalgebra::{Isometry3, Matrix3, Vector3, Vector6};
use urdf_ik::goals::{Between, CenterOfMass, Cone, Goal, Joints, Place, Position, Unit};
use urdf_ik::motion::servo::{Axes, Hold, Servo, ServoOptions};

use crate::common::hand::hand_sequence;
use crate::common::{Random, bundled_arms, two_handed};
use crate::servo_watch::{Input, Run, Subject};

const PERIOD: f64 = 0.01;
/// Greatest excess over a cone \[rad\]: 0.01°.
const EXCESS: f64 = 1.75e-4;
const BENT: [f64; 6] = [0.3, 0.5, 0.3, 0.5, 0.9, 0.5];

fn bent(subject: &Subject) -> Vec<f64> {
    (0..subject.joints()).map(|joint| subject.domain(joint).clamp(BENT[joint % BENT.len()])).collect()
}

fn between(subject: &Subject) -> Between {
    Between { link: Place::of_tip(&subject.arm.chain, 0), point: Vector3::zeros(), frame: Place::base() }
}

/// The tool axis that is level at a start, within an angle.
fn level(subject: &Subject, start: &[f64], angle: f64) -> Goal {
    let direction = subject.pose(start).rotation * Vector3::z();
    Goal::new("level", Cone { between: between(subject), axis: Vector3::z(), direction, angle }).unwrap()
}

fn tilt(subject: &Subject, run: &Run) -> f64 {
    let axis = |positions: &Vec<f64>| subject.pose(positions).rotation * Vector3::z();
    let start = axis(&run.positions[0]);
    run.positions.iter().map(|positions| axis(positions).angle(&start)).fold(0.0, f64::max)
}

fn servo(subject: &Subject, start: &[f64], goals: &[Goal]) -> Servo {
    let mut servo = Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), start).unwrap();
    servo.set_goals(goals);
    servo
}

#[test]
fn a_cup_stays_level_under_a_hand_and_at_its_end() {
    for subject in bundled_arms().into_iter().take(2).map(Subject::new) {
        let start = bent(&subject);
        for angle in [0.0, 0.087] {
            let mut servo = servo(&subject, &start, &[level(&subject, &start, angle)]);
            let mut run = Run::new(PERIOD, &start);
            for twist in hand_sequence(&mut Random::new(3), PERIOD, 500) {
                run.step(&mut servo, &Input::twist(&twist, Axes::Base));
            }
            run.steps(&mut servo, &Input::Rest, 1.0);
            assert!(servo.is_at_rest());
            let worst = tilt(&subject, &run);
            assert!(worst < angle + EXCESS, "{}: {worst} rad with a cone of {angle}", subject.arm.name);
            assert!(run.usage(&subject).is_kept(), "{}: {:?}", subject.arm.name, run.usage(&subject));
        }
    }
}

#[test]
fn a_twist_yields_to_a_goal_that_is_named() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let mut servo = servo(&subject, &start, &[level(&subject, &start, 0.0)]);
    let mut run = Run::new(PERIOD, &start);
    let before = subject.pose(&start).translation.vector;
    let twist = Vector6::new(0.0, 0.05, 0.0, 0.4, 0.0, 0.0);
    run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 2.0);
    let moved = subject.pose(servo.positions()).translation.vector - before;
    assert!(moved.y > 0.05, "{moved}");
    assert!(tilt(&subject, &run) < EXCESS);
    let is_named = |hold: &Hold| *hold == Hold::Goal { goal: 0 };
    assert!(servo.report().holds.iter().any(is_named), "{:?}", servo.report());
}

#[test]
fn joint_velocities_and_poses_yield() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let goal = level(&subject, &start, 0.0);
    let (mut jogged, mut run) = (servo(&subject, &start, std::slice::from_ref(&goal)), Run::new(PERIOD, &start));
    run.steps(&mut jogged, &Input::Velocities(vec![0.3; start.len()]), 1.0);
    run.steps(&mut jogged, &Input::Rest, 1.0);
    assert!(tilt(&subject, &run) < EXCESS && run.positions[0] != run.positions[80]);

    let (mut posed, mut run) = (servo(&subject, &start, &[goal]), Run::new(PERIOD, &start));
    let home = subject.pose(&start);
    let turned = nalgebra::UnitQuaternion::from_euler_angles(0.2, 0.1, 0.0) * home.rotation;
    let input = Isometry3::from_parts((home.translation.vector + Vector3::new(0.0, 0.05, 0.02)).into(), turned);
    run.steps(&mut posed, &Input::Pose(input), 4.0);
    assert!(tilt(&subject, &run) < EXCESS);
    let missed = (subject.pose(posed.positions()).translation.vector - input.translation.vector).norm();
    assert!(missed < 1e-3, "{missed} m");
}

#[test]
fn a_violated_goal_only_improves() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let direction = subject.pose(&start).rotation * Vector3::new(0.3, 0.0, 1.0).normalize();
    for angle in [0.0, 0.1] {
        let cone = Cone { between: between(&subject), axis: Vector3::z(), direction, angle };
        let mut servo = servo(&subject, &start, &[Goal::new("level", cone).unwrap()]);
        let mut run = Run::new(PERIOD, &start);
        run.steps(&mut servo, &Input::Rest, 0.5);
        assert_eq!(servo.positions(), start, "no motion without a command");
        let mut least = f64::INFINITY;
        for _ in 0..300 {
            run.step(&mut servo, &Input::twist(&Vector6::new(0.0, 0.02, 0.0, 0.0, 0.1, 0.0), Axes::Base));
            let now = (subject.pose(servo.positions()).rotation * Vector3::z()).angle(&direction);
            assert!(now < least.max(angle) + EXCESS, "{now} rad after {least} rad");
            least = least.min(now);
        }
        assert!(least < angle + EXCESS, "{least} rad");
    }
}

#[test]
fn goals_of_every_unit_and_of_the_centre_of_mass_are_kept() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let chain = &subject.arm.chain;
    let joint = |index: usize| Place { joint: Some(index), ..Place::base() };
    let bodies: Vec<(f64, Place)> = (1..4).map(|index| (1.0 / 3.0, joint(index))).collect();
    let centre = |positions: &[f64]| {
        let mut poses = urdf_ik::robot::ChainPoses::new(chain);
        chain.forward_kinematics(positions, &mut poses);
        (1..4).map(|index| poses.joints()[index].translation.vector).sum::<Vector3<f64>>() / 3.0
    };
    let (lower, upper) = ([-0.02; 3], [0.02; 3]);
    let axes = Matrix3::identity();
    let mass = CenterOfMass { bodies, frame: Place::base(), centre: centre(&start), axes, lower, upper };
    let sum = start[1] + start[2];
    let coupled = Joints { coefficients: vec![(1, 1.0), (2, 1.0)], bounds: [sum, sum], unit: Unit::Radian };
    let floor = Position {
        between: between(&subject),
        centre: subject.pose(&start).translation.vector,
        axes,
        lower: [f64::NEG_INFINITY, f64::NEG_INFINITY, -0.01],
        upper: [f64::INFINITY; 3],
    };
    let goals =
        [Goal::new("mass", mass).unwrap(), Goal::new("coupled", coupled).unwrap(), Goal::new("floor", floor).unwrap()];
    let (mut servo, mut run) = (servo(&subject, &start, &goals), Run::new(PERIOD, &start));
    for twist in hand_sequence(&mut Random::new(7), PERIOD, 500) {
        run.step(&mut servo, &Input::twist(&twist, Axes::Base));
    }
    let height = subject.pose(&start).translation.vector.z;
    for positions in &run.positions {
        assert!((centre(positions) - centre(&start)).amax() < 0.02 + 1e-9);
        assert!((positions[1] + positions[2] - sum).abs() < EXCESS);
        assert!(subject.pose(positions).translation.vector.z > height - 0.01 - 1e-9);
    }
}

#[test]
fn a_tip_without_a_command_follows_a_goal_that_binds_it_to_another_tip() {
    let subject = Subject::new(two_handed());
    let chain = &subject.arm.chain;
    let start = bent(&subject);
    let tips = |positions: &[f64]| {
        let mut poses = urdf_ik::robot::ChainPoses::new(chain);
        chain.forward_kinematics(positions, &mut poses);
        [0, 1].map(|tip| poses.tips()[tip])
    };
    let offset = |positions: &[f64]| {
        let [left, right] = tips(positions);
        left.inverse_transform_vector(&(right.translation.vector - left.translation.vector))
    };
    let link = Place::of_tip(chain, 1);
    let between = Between { link, point: Vector3::zeros(), frame: Place::of_tip(chain, 0) };
    let centre = offset(&start);
    for room in [0.0, 5e-3] {
        let box_of_left = Position { between, centre, axes: Matrix3::identity(), lower: [-room; 3], upper: [room; 3] };
        let mut servo = servo(&subject, &start, &[Goal::new("carried", box_of_left).unwrap()]);
        let mut run = Run::new(PERIOD, &start);
        run.steps(&mut servo, &Input::twist(&Vector6::new(0.0, 0.0, 0.04, 0.0, 0.0, 0.0), Axes::Base), 2.0);
        let worst = run.positions.iter().map(|positions| (offset(positions) - centre).amax()).fold(0.0, f64::max);
        assert!(worst < room + 1e-4, "{worst} m apart of {room} m");
        let [before, after] = [&start, &servo.positions().to_vec()].map(|positions| tips(positions));
        let moved = [0, 1].map(|tip| after[tip].translation.z - before[tip].translation.z);
        assert!(moved.iter().all(|way| *way > 0.02), "the hands came {moved:?} m with {room} m");
        assert!(run.usage(&subject).is_kept(), "{:?}", run.usage(&subject));
    }
}
