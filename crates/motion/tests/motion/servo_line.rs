//! Servos of manufacturers' arms judged by their published positions: the tip is on its line from any start, and the
//! report is correct.

use nalgebra::{Isometry3, Vector3, Vector6};
use urdf_ik::motion::servo::{Axes, Command, Servo, ServoOptions, TipCommand, TipPose, TipTwist};
use urdf_ik::robot::{ChainPoses, Robot};

use crate::common::{Arm, Random, arm_with_tool, makers_arms};
use crate::servo_watch::{Input, Run, Subject, count, from_line, small};

const PERIOD: f64 = 0.004;
/// Time over which a report averages the fraction of the speed \[s\].
const LATELY: f64 = 0.052;

/// A random start, every other one with a joint near zero.
fn start(subject: &Subject, seed: u64) -> (Vec<f64>, Vector6<f64>) {
    let mut random = Random::new(seed);
    let mut start = random.positions(&subject.arm.chain);
    if seed % 2 == 1 {
        let joint = random.below(start.len());
        start[joint] = subject.domain(joint).clamp(random.between(-0.05, 0.05));
    }
    let mut twist = Vector6::zeros();
    let (row, speed) = [(0, 0.1), (0, 0.5), (3, 0.3), (3, 1.5)][random.below(4)];
    twist.fixed_rows_mut::<3>(row).copy_from(&(random.direction() * speed));
    (start, twist)
}

/// Maximum distance of a tip from its line \[m\] and \[rad\].
const LINE: [f64; 2] = [1e-3, 1.7e-3];
/// Options of a servo that waits at the end of a line.
const WAITS: ServoOptions = ServoOptions { max_deviation_angle: 0.0, ..ServoOptions::DEFAULT };

#[test]
fn the_tip_is_on_its_line_from_any_start_and_the_report_is_true() {
    let (mut followed, mut held) = (0, 0);
    for subject in makers_arms().into_iter().map(Subject::new) {
        for seed in 0..12 {
            let (start, twist) = start(&subject, seed);
            let anchor = subject.pose(&start);
            let mut servo = Servo::new(&subject.solver, &subject.limits, WAITS, &start).unwrap();
            let mut run = Run::new(PERIOD, &start);
            let mut ways = vec![0.0];
            let name = format!("{} seed {seed}", subject.arm.name);
            for step in 0..count(1.5, PERIOD) {
                let report = Input::twist(&twist, Axes::Base).apply(&mut servo, PERIOD).clone();
                run.positions.push(servo.positions().to_vec());
                let (apart, way) = from_line(&anchor, &twist, &subject.pose(servo.positions()));
                for part in 0..2 {
                    let is_commanded = twist.fixed_rows::<3>(3 * part) != Vector3::zeros();
                    let allowed = if is_commanded { LINE[part] } else { 1.1 * subject.slack[part] + LINE[part] };
                    assert!(apart[part] < allowed, "{name}: {apart:?} m and rad off its line");
                }
                ways.push(way);
                let lately = count(LATELY, PERIOD).min(step + 1);
                let share = (way - ways[step + 1 - lately]) / (small(lately) * PERIOD * twist.norm());
                assert!(
                    (report.share - share.max(0.0)).abs() < 0.03,
                    "{name}: share {share}, reported {}",
                    report.share
                );
                let follows = report.holds.is_empty();
                assert!(!follows || share > 0.9, "{name}: reported as following at a share of {share}");
                *(if follows { &mut followed } else { &mut held }) += 1;
            }
            assert!(run.usage(&subject).is_kept(), "{name}: {:?}", run.usage(&subject));
        }
    }
    // Both are frequent.
    assert!(followed > 5000 && held > 5000, "followed {followed} times, held back {held} times");
}

/// Distance of a tip in 1.5 s, relative to the commanded one, and the deviation of the uncommanded axes: maximum, and
/// at the end.
fn way_and_slack(subject: &Subject, start: &[f64], twist: &Vector6<f64>) -> (f64, [f64; 2]) {
    let (mut servo, mut run) = (subject.servo(start), Run::new(PERIOD, start));
    run.steps(&mut servo, &Input::twist(twist, Axes::Base), 1.5);
    assert!(run.usage(subject).is_kept(), "{}: {:?}", subject.arm.name, run.usage(subject));
    let anchor = subject.pose(start);
    let held = usize::from(twist.fixed_rows::<3>(3) == Vector3::zeros());
    let mut given = [0.0_f64; 2];
    let mut way = 0.0;
    for positions in &run.positions {
        let (apart, along) = from_line(&anchor, twist, &subject.pose(positions));
        assert!(apart[1 - held] < LINE[1 - held], "{}: {apart:?} m and rad off its line", subject.arm.name);
        assert!(apart[held] < 1.05 * subject.slack[held] + LINE[held], "{}: {apart:?} m and rad off", subject.arm.name);
        (given, way) = ([given[0].max(apart[held]), apart[held]], along);
    }
    (way / (1.5 * twist.norm()), given)
}

#[test]
fn what_is_held_gives_way_where_joints_would_be_too_fast_and_comes_back() {
    let (mut farther, mut less_far, mut came_back) = (0.0, 0.0, 0);
    for name in ["arm6", "arm7"] {
        let subject = Subject::new(arm_with_tool(name));
        let strict = Subject { slack: [0.0; 2], ..Subject::new(arm_with_tool(name)) };
        for seed in 0..60 {
            let (start, twist) = start(&subject, seed);
            let (way, [most, end]) = way_and_slack(&subject, &start, &twist);
            let (strict_way, [strict_most, _]) = way_and_slack(&strict, &start, &twist);
            assert!(strict_most <= 2e-3, "{name} seed {seed}: {strict_most}");
            farther += (way - strict_way).max(0.0);
            less_far += (strict_way - way).max(0.0);
            came_back += usize::from(most > 5e-3 && end < 0.8 * most);
        }
    }
    assert!(farther > 2.0 && less_far < 0.2 * farther, "{farther} ways farther, {less_far} less far");
    assert!(came_back > 0, "nothing came back");
}

/// With two wrist axes aligned, the arm cannot rotate about an axis. A translation without this rotation is possible at
/// first, but soon needs one, which the wrist permits only if its other joints rotate in a certain ratio from the
/// start.
#[test]
fn the_tip_leaves_a_singularity_along_a_line_that_the_joints_only_meet_in_one_ratio() {
    let subject = Subject::new(arm_with_tool("arm6"));
    let mut left = 0;
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut start = random.positions(&subject.arm.chain);
        start[4] = 0.0;
        let lost =
            subject.scaled_jacobian(&start).svd(true, false).u.unwrap().column(5).fixed_rows::<3>(0).into_owned();
        let direction = lost.cross(&random.direction()).normalize();
        let twist = Vector6::new(direction.x, direction.y, direction.z, 0.0, 0.0, 0.0) * 0.1;
        let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
        run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 1.0);
        let (_, way) = from_line(&subject.pose(&start), &twist, &subject.pose(servo.positions()));
        assert!(run.usage(&subject).is_kept(), "seed {seed}: {:?}", run.usage(&subject));
        left += usize::from(way > 2e-3);
    }
    assert!(left >= 36, "{left} of 40");
}

#[test]
fn an_elbow_that_was_stretched_bends_back_as_it_came() {
    let subject = Subject::new(arm_with_tool("arm6"));
    let start = [0.0, -0.45, 0.72, 0.0, -0.47, 0.0];
    let along = |[x, y, z]: [f64; 3]| Input::twist(&Vector6::new(x, y, z, 0.0, 0.0, 0.0), Axes::Base);
    for back in [[-0.14, 0.0, -0.14], [-0.14, 0.0, 0.0], [-0.1, -0.1, 0.0], [-0.1, 0.1, 0.0], [0.0, 0.0, -0.14]] {
        let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
        run.steps(&mut servo, &along([0.178, 0.014, 0.089]), 6.0);
        let stretched = servo.positions()[2];
        assert!((-1.46..-1.44).contains(&stretched), "the elbow is at {stretched}");
        run.steps(&mut servo, &along(back), 2.0);
        let bent = servo.positions()[2];
        assert!(bent > stretched + 0.2, "{back:?}: the elbow went from {stretched} to {bent}");
    }
}

#[test]
fn a_pose_in_which_the_elbow_is_stretched_is_met() {
    let subject = Subject::new(arm_with_tool("arm6"));
    let start = [0.0, -0.45, 0.72, 0.0, -0.47, 0.0];
    let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
    run.steps(&mut servo, &Input::twist(&Vector6::new(0.178, 0.014, 0.089, 0.0, 0.0, 0.0), Axes::Base), 4.6);
    let aim = subject.pose(servo.positions());
    let mut servo = Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), &start).unwrap();
    let mut run = Run::new(PERIOD, &start);
    run.steps(&mut servo, &Input::Pose(aim), 10.0);
    let apart = (subject.pose(servo.positions()).translation.vector - aim.translation.vector).norm();
    assert!(servo.is_at_rest() && apart < 1e-6, "{apart} m off");
    assert!(run.usage(&subject).is_kept(), "{:?}", run.usage(&subject));
}

/// A torso with two arms of three joints.
fn two_arms() -> Subject {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/node/robots/two_arms.urdf");
    Subject::new(Arm::new("two_arms", Robot::from_urdf_file(file).unwrap(), "pelvis", &["left-hand", "right-hand"]))
}

#[test]
fn one_tip_keeps_its_line_while_another_comes_to_its_pose() {
    const SPEED: f64 = 0.04;
    const SECONDS: f64 = 3.0;
    let subject = two_arms();
    let tips = |positions: &[f64]| -> Vec<Isometry3<f64>> {
        let mut poses = ChainPoses::new(&subject.arm.chain);
        subject.arm.chain.forward_kinematics(positions, &mut poses);
        poses.tips().to_vec()
    };
    let start = vec![0.4; subject.joints()];
    let goal: Vec<f64> = (subject.arm.chain.variables().iter().zip(&start))
        .map(|(variable, position)| match variable.name.as_str() {
            "right_lift" => position + 0.15,
            "right_elbow" => position - 0.2,
            _ => *position,
        })
        .collect();
    let (left, aim) = (tips(&start)[0], tips(&goal)[1]);
    let twist = TipTwist { tip: 0, linear: Vector3::z() * SPEED, angular: Vector3::zeros(), axes: Axes::Base };
    let commands = [TipCommand::Twist(twist), TipCommand::Pose(TipPose { tip: 1, pose: aim })];
    // The right hand turns with the torso until it is commanded.
    for alone in [0.0, 0.02, 0.1] {
        let mut servo = Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), &start).unwrap();
        let mut run = Run::new(PERIOD, &start);
        for step in 0..count(SECONDS, PERIOD) {
            let commanded = if step < count(alone, PERIOD) { &commands[..1] } else { &commands };
            servo.step(PERIOD, &Command::Tips(commanded), None).unwrap();
            run.positions.push(servo.positions().to_vec());
            let moved = tips(servo.positions())[0].translation.vector - left.translation.vector;
            assert!(moved.xy().norm() < LINE[0], "the left hand is off its line by {moved:?}");
        }
        let hands = tips(servo.positions());
        let way = hands[0].translation.z - left.translation.z;
        assert!(way > 0.75 * SECONDS * SPEED && way < SECONDS * SPEED, "the left hand moved {way} m");
        let apart = (hands[1].translation.vector - aim.translation.vector).norm();
        let turned = hands[1].rotation.angle_to(&aim.rotation);
        assert!(apart < 1e-4 && turned < 1e-3, "the right hand is {apart} m and {turned} rad off");
        assert!(run.usage(&subject).is_kept(), "{:?}", run.usage(&subject));
    }
}

#[test]
fn a_pose_of_the_tip_moves_nothing_and_another_one_is_met_exactly() {
    for subject in makers_arms().into_iter().map(Subject::new) {
        let start = Random::new(5).positions(&subject.arm.chain);
        let mut servo = Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), &start).unwrap();
        let mut run = Run::new(PERIOD, &start);
        let here = subject.pose(&start);
        run.steps(&mut servo, &Input::Pose(here), 0.2);
        assert_eq!(servo.positions(), start, "{}", subject.arm.name);
        // To a pose within a millimetre or milliradian of each joint.
        let near: Vec<f64> = (0..start.len()).map(|joint| subject.domain(joint).clamp(start[joint] + 1e-3)).collect();
        let aim = subject.pose(&near);
        run.steps(&mut servo, &Input::Pose(aim), 2.0);
        let pose = subject.pose(servo.positions());
        let apart = (pose.translation.vector - aim.translation.vector).norm();
        assert!(servo.is_at_rest() && apart < 1e-6, "{}: {apart} m off", subject.arm.name);
        let turned = pose.rotation.angle_to(&aim.rotation);
        assert!(turned < 1e-6, "{}: {turned} rad off", subject.arm.name);
        assert!(run.usage(&subject).is_kept(), "{}: {:?}", subject.arm.name, run.usage(&subject));
    }
}

const NO_AXES: [bool; 6] = [false; 6];
const ABOUT_Z: [bool; 6] = [false, false, false, false, false, true];
/// Arms of the project up to a link, temporarily free axes, and the minimum number of reached poses of 40. Arms of four
/// and five joints cannot constrain all rotations. An elbow keeps its distance from the shoulder, so straight lines
/// lead it to none.
const ARMS_WITH_FREE_AXES: [(&str, &str, [bool; 6], usize); 7] = [
    ("arm7.urdf", "forearm_roll_link", NO_AXES, 32),
    ("arm6.urdf", "wrist_link", NO_AXES, 32),
    ("arm6.urdf", "forearm_roll_link", NO_AXES, 32),
    ("arm7.urdf", "elbow_link", NO_AXES, 0),
    ("arm7.urdf", "forearm_roll_link", ABOUT_Z, 32),
    ("arm6.urdf", "tool0", ABOUT_Z, 32),
    ("arm7.urdf", "tool0", ABOUT_Z, 32),
];

fn arm_up_to(file: &str, tip: &str) -> Subject {
    let robot = Robot::from_urdf_file(format!("{}/../../urdf/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    Subject::new(Arm::new(file, robot, "base_link", &[tip]))
}

/// A pose reachable from the present one with joint motions of at most `most` radians or metres.
fn pose_nearby(subject: &Subject, positions: &[f64], most: f64, random: &mut Random) -> Isometry3<f64> {
    let moved = |(joint, position): (usize, &f64)| subject.domain(joint).clamp(position + random.between(-most, most));
    subject.pose(&positions.iter().enumerate().map(moved).collect::<Vec<_>>())
}

/// A command of any kind.
fn any_input(subject: &Subject, positions: &[f64], random: &mut Random) -> Input {
    let mut twist = Vector6::zeros();
    let (row, speed, axes) = match random.below(5) {
        0 => return Input::Rest,
        1 => return Input::Pose(pose_nearby(subject, positions, 0.05, random)),
        2 => (0, 0.2, Axes::Base),
        3 => (0, 0.2, Axes::Tip),
        _ => (3, 0.5, Axes::Tip),
    };
    twist.fixed_rows_mut::<3>(row).copy_from(&(random.direction() * speed));
    Input::twist(&twist, axes)
}

#[test]
fn arms_with_free_axes_come_to_a_pose_after_other_commands_or_say_that_they_are_held_back() {
    for (file, tip, free_axes, poses) in ARMS_WITH_FREE_AXES {
        let subject = arm_up_to(file, tip);
        let free_for_arm = subject.solver.sensible_free_axes(0);
        let is_held = |axis: &usize| !(free_axes[3 + axis] || free_for_arm[3 + axis]);
        let options = ServoOptions { free_axes, ..ServoOptions::default() };
        let mut met = 0;
        for seed in 40..80 {
            let mut random = Random::new(seed);
            let start = random.positions(&subject.arm.chain);
            let mut servo = Servo::new(&subject.solver, &subject.limits, options, &start).unwrap();
            let mut run = Run::new(PERIOD, &start);
            for number in 0..6 {
                servo.set_options(if number % 3 == 1 { ServoOptions::default() } else { options });
                let input = any_input(&subject, servo.positions(), &mut random);
                run.steps(&mut servo, &input, random.between(0.02, 0.4));
            }
            let aim = pose_nearby(&subject, servo.positions(), 0.03, &mut random);
            run.steps(&mut servo, &Input::Pose(aim), 3.0);
            let report = Input::Pose(aim).apply(&mut servo, PERIOD).clone();
            let pose = subject.pose(servo.positions());
            let apart = (pose.translation.vector - aim.translation.vector).norm();
            let turn = (pose.rotation.inverse() * aim.rotation).scaled_axis();
            let turned = (0..3).filter(is_held).map(|axis| turn[axis].abs()).fold(0.0, f64::max);
            let is_there = apart < 1e-6 && turned < 1e-6;
            met += usize::from(is_there);
            let is_true = is_there || !servo.is_at_rest() || report.share < 1e-9 && !report.holds.is_empty();
            assert!(is_true, "{file}, {tip}, seed {seed}: {apart} m and {turned} rad off, {report:?}");
            assert!(run.usage(&subject).is_kept(), "{file}, {tip}, seed {seed}: {:?}", run.usage(&subject));
        }
        assert!(met >= poses, "{file}, {tip}: met {met} of 40");
    }
}

#[test]
fn about_a_free_axis_the_tip_turns_as_it_likes_unless_a_rotation_is_commanded() {
    let subject = Subject::new(arm_with_tool("arm6"));
    let options = ServoOptions { free_axes: ABOUT_Z, ..WAITS };
    let axis_of = |pose: &Isometry3<f64>| pose.rotation * Vector3::z();
    let mut most_turned = 0.0_f64;
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let start = random.positions(&subject.arm.chain);
        let first = subject.pose(&start);
        let along = random.direction() * 0.1;
        let twist = Vector6::new(along.x, along.y, along.z, 0.0, 0.0, 0.0);
        let mut servo = Servo::new(&subject.solver, &subject.limits, options, &start).unwrap();
        let mut run = Run::new(PERIOD, &start);
        for _ in 0..count(2.0, PERIOD) {
            run.step(&mut servo, &Input::twist(&twist, Axes::Base));
            let pose = subject.pose(servo.positions());
            let (off, _) = from_line(&first, &twist, &pose);
            let tilt = axis_of(&first).angle(&axis_of(&pose));
            assert!(off[0] < LINE[0] && tilt < options.slack[1] + 1e-3, "seed {seed}: {off:?} m, {tilt} rad off");
            most_turned = most_turned.max(first.rotation.angle_to(&pose.rotation));
        }
        let before = subject.pose(servo.positions());
        let turn = Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.3);
        run.steps(&mut servo, &Input::twist(&turn, Axes::Tip), 1.0);
        let turned = (before.rotation.inverse() * subject.pose(servo.positions()).rotation).scaled_axis();
        assert!(turned.z > 0.15, "seed {seed}: turned by {turned:?}");
        assert!(run.usage(&subject).is_kept(), "seed {seed}: {:?}", run.usage(&subject));
    }
    assert!(most_turned > 0.5, "no tip turned by more than {most_turned} rad");
}

#[test]
fn stretched_and_symmetric_arms_start_beside_their_line() {
    // On these lines the tip leaves its reach at once, or only joints without effect on the tip lead on.
    let starts = [("fetch7", 1, 0.6), ("fetch7", 2, 0.8), ("fetch7", 5, 0.4), ("gen3", 0, 0.8), ("iiwa14", 5, 0.8)];
    for (arm, row, least) in starts {
        let subject = Subject::new(makers_arms().into_iter().find(|other| other.name == arm).expect("a maker's arm"));
        let (start, mut twist) = (vec![0.0; subject.joints()], Vector6::zeros());
        twist[row] = if row < 3 { 0.12 } else { 0.3 };
        let mut servo = Servo::new(&subject.solver, &subject.limits, ServoOptions::DEFAULT, &start).unwrap();
        let mut run = Run::new(PERIOD, &start);
        run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 2.0);
        let way = from_line(&subject.pose(&start), &twist, &subject.pose(servo.positions())).1;
        assert!(way > least * 2.0 * twist.norm(), "{arm} row {row}: {way}");
    }
}
