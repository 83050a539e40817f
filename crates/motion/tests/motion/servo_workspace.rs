//! A servo whose tip has a workspace: the tip never leaves it, comes to rest at its faces, and slides along them.

use nalgebra::{Isometry3, Matrix3, Vector3, Vector6};
use urdf_ik::goals::{Between, Goal, Place, Position};
use urdf_ik::motion::servo::{Axes, Hold, Servo, ServoOptions};

use crate::common::{Random, arm_with_tool, bundled_arms};
use crate::servo_watch::{Input, Run, Subject, count, random_input};

const PERIOD: f64 = 0.01;
/// Half the edges of the box around the tip \[m\].
const HALF: f64 = 0.08;
/// Distance from a face where a tip comes to rest \[m\].
const REST_DISTANCE: f64 = 1e-3;
/// Rounding of distances \[m\].
const ROUNDING: f64 = 1e-9;

/// A box in the base link's frame.
#[derive(Clone, Copy)]
struct Workspace {
    min: Vector3<f64>,
    max: Vector3<f64>,
}

fn servo(subject: &Subject, start: &[f64], Workspace { min, max }: Workspace) -> Servo {
    let mut servo = Servo::new(&subject.solver, &subject.limits, ServoOptions::default(), start).unwrap();
    let between = Between { link: Place::of_tip(&subject.arm.chain, 0), point: Vector3::zeros(), frame: Place::base() };
    let (lower, upper) = (min.into(), max.into());
    let inside = Position { between, centre: Vector3::zeros(), axes: Matrix3::identity(), lower, upper };
    servo.set_goals(&[Goal::new("workspace", inside).unwrap()]);
    servo
}

/// The box with these half edges around a point.
fn around(point: &Vector3<f64>, half: f64) -> Workspace {
    Workspace { min: point.add_scalar(-half), max: point.add_scalar(half) }
}

/// The points below a height.
fn below(height: f64) -> Workspace {
    let max = Vector3::new(f64::INFINITY, f64::INFINITY, height);
    Workspace { min: Vector3::repeat(f64::NEG_INFINITY), max }
}

/// How far a tip is outside \[m\].
fn outside(workspace: &Workspace, pose: &Isometry3<f64>) -> f64 {
    let place = pose.translation.vector;
    (workspace.min - place).max().max((place - workspace.max).max()).max(0.0)
}

fn bent(subject: &Subject) -> Vec<f64> {
    let mut positions = subject.arm.chain.nominal_positions();
    for (joint, position) in positions.iter_mut().enumerate() {
        *position = subject.domain(joint).clamp(*position + if joint % 2 == 0 { 0.3 } else { 0.5 });
    }
    positions
}

#[test]
fn no_command_leads_a_tip_out_of_its_workspace() {
    let mut random = Random::new(5);
    for subject in bundled_arms().into_iter().map(Subject::new) {
        let start = bent(&subject);
        let workspace = around(&subject.pose(&start).translation.vector, HALF);
        let (mut servo, mut run) = (servo(&subject, &start, workspace), Run::new(PERIOD, &start));
        for _ in 0..60 {
            let input = random_input(&mut random, &subject, &subject.pose(servo.positions()));
            run.steps(&mut servo, &input, [0.02, 0.1, 0.5, 1.0][random.below(4)]);
        }
        let worst = run.positions.iter().map(|positions| outside(&workspace, &subject.pose(positions)));
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= ROUNDING, "{}: {worst} m outside", subject.arm.name);
        assert!(run.usage(&subject).is_kept(), "{}: {:?}", subject.arm.name, run.usage(&subject));
    }
}

#[test]
fn a_tip_comes_to_rest_at_a_face_and_leaves_it_again() {
    for subject in bundled_arms().into_iter().map(Subject::new) {
        let start = bent(&subject);
        let place = subject.pose(&start).translation.vector;
        let workspace = around(&place, HALF);
        for axis in 0..3 {
            let mut servo = servo(&subject, &start, workspace);
            let mut run = Run::new(PERIOD, &start);
            let mut twist = Vector6::zeros();
            twist[axis] = 0.1;
            run.steps(&mut servo, &Input::twist(&twist, Axes::Base), 4.0);
            let moved = subject.pose(servo.positions()).translation.vector - place;
            let at_face = |hold: &Hold| matches!(hold, Hold::Goal { goal: 0 });
            let is_there = (HALF - moved[axis]).abs() < 5e-3;
            // Some arms cannot move so far along every axis.
            if !is_there {
                continue;
            }
            assert!(servo.report().holds.iter().any(at_face), "{}: {:?}", subject.arm.name, servo.report());
            run.steps(&mut servo, &Input::twist(&-twist, Axes::Base), 0.5);
            let back = subject.pose(servo.positions()).translation.vector[axis] - place[axis];
            assert!(back < moved[axis] - 0.02, "{}: {back} m after {} m", subject.arm.name, moved[axis]);
        }
    }
}

#[test]
fn a_fast_tip_comes_close_to_each_face() {
    const NEAR: f64 = 5e-3;
    let subject = Subject::new(arm_with_tool("arm7"));
    let start = [0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1];
    let place = subject.pose(&start).translation.vector;
    for (axis, sign) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0), (2, -1.0), (2, 1.0)] {
        let mut servo = servo(&subject, &start, around(&place, HALF));
        let mut twist = Vector6::zeros();
        twist[axis] = 0.3 * sign;
        Run::new(PERIOD, &start).steps(&mut servo, &Input::twist(&twist, Axes::Base), 3.0);
        let way = sign * (subject.pose(servo.positions()).translation.vector - place)[axis];
        assert!((HALF - NEAR..=HALF).contains(&way), "axis {axis}: {way} m of {HALF} m");
    }
}

#[test]
fn a_tip_slides_along_a_face_and_a_pose_beyond_it_is_met_inside() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let (home, mut goal) = (subject.pose(&start), subject.pose(&start));
    let workspace = below(home.translation.z + 0.03);
    let (mut along, mut run) = (servo(&subject, &start, workspace), Run::new(PERIOD, &start));
    let twist = Vector6::new(0.0, 0.1, 0.1, 0.0, 0.0, 0.0);
    run.steps(&mut along, &Input::twist(&twist, Axes::Base), 1.5);
    let moved = subject.pose(along.positions()).translation.vector - home.translation.vector;
    assert!(moved.z < 0.03 && moved.y > 0.07, "{moved}");

    goal.translation.vector += Vector3::new(0.0, 0.04, 0.1);
    let mut met = servo(&subject, &start, workspace);
    run.steps(&mut met, &Input::Pose(goal), 4.0);
    let mut inside = goal.translation.vector;
    inside.z = workspace.max.z - REST_DISTANCE;
    let missed = (subject.pose(met.positions()).translation.vector - inside).norm();
    assert!(missed < 1e-3, "{missed} m from the nearest point inside");
}

#[test]
fn a_tip_outside_only_comes_nearer() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let home = subject.pose(&start).translation.vector;
    let workspace = below(home.z - 0.05);
    let mut servo = servo(&subject, &start, workspace);
    let mut farthest = outside(&workspace, &subject.pose(&start));
    for velocity in [0.1, -0.1] {
        let input = Input::twist(&Vector6::new(0.0, 0.0, velocity, 0.0, 0.0, 0.0), Axes::Base);
        for _ in 0..count(2.0, PERIOD) {
            input.apply(&mut servo, PERIOD);
            let now = outside(&workspace, &subject.pose(servo.positions()));
            assert!(now <= farthest + ROUNDING, "{now} m after {farthest} m");
            farthest = now;
        }
    }
    assert_eq!(farthest, 0.0, "it has moved inside");
}

#[test]
fn poses_that_go_beyond_a_face_and_come_back_are_followed_back() {
    let subject = Subject::new(bundled_arms().remove(0));
    let start = bent(&subject);
    let home = subject.pose(&start);
    let workspace = around(&home.translation.vector, HALF);
    let mut servo = servo(&subject, &start, workspace);
    let steps = 200;
    let mut run = Run::new(PERIOD, &start);
    for step in (0..=steps).chain((0..steps).rev()) {
        let mut pose = home;
        pose.translation.vector.y += 0.2 * f64::from(step) / f64::from(steps);
        run.step(&mut servo, &Input::Pose(pose));
    }
    run.steps(&mut servo, &Input::Pose(home), 2.0);
    let missed = (subject.pose(servo.positions()).translation.vector - home.translation.vector).norm();
    assert!(missed < 1e-4, "{missed} m from the start");
}
