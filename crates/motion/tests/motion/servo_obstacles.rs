//! A servo among obstacles: it slows down and stops before contact, and can retreat freely.

use nalgebra::Vector3;
use urdf_ik::collision::Geometry;
use urdf_ik::motion::TRANSIT_ALLOWANCE;
use urdf_ik::motion::servo::{Axes, Command, Hold, Servo, ServoOptions, TipCommand, TipTwist};

use crate::common::cell::{Cell, MARGIN, at, clearance};

/// A configuration with the elbow bent.
const BENT: [f64; 7] = [0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1];
const PERIOD: f64 = 0.01;
/// Maximum lag of the tip behind its target \[m\].
const LAG: f64 = 2e-3;

/// The three previous configurations.
type Past = [Vec<f64>; 3];

/// Moves the tip along x with that velocity. Returns the minimum distance \[m\], the distance of the tip along x and
/// across \[m\], and whether the contact was reported.
fn steer(cell: &Cell, servo: &mut Servo, past: &mut Past, velocity: f64, seconds: f64) -> (f64, [f64; 2], bool) {
    let scene = cell.scene();
    let clearance = clearance(&scene);
    let twist = TipTwist { tip: 0, linear: Vector3::x() * velocity, angular: Vector3::zeros(), axes: Axes::Base };
    let from = cell.arm.tip_poses(servo.positions())[0].translation.vector;
    let (mut least, mut reported) = (f64::INFINITY, false);
    let mut time = 0.0;
    while time < seconds {
        let report = servo.step(PERIOD, &Command::Tips(&[TipCommand::Twist(twist)]), Some(&clearance)).unwrap();
        reported |= report.holds.iter().any(|hold| matches!(hold, Hold::Contact { .. }));
        assert_limits(past, servo.positions());
        past.rotate_left(1);
        past[2] = servo.positions().to_vec();
        least = least.min(cell.least_distance(servo.positions()));
        time += PERIOD;
    }
    let moved = cell.arm.tip_poses(servo.positions())[0].translation.vector - from;
    (least, [moved.x, moved.yz().norm()], reported)
}

/// Checks finite differences of successive positions against the limits of acceleration and jerk.
fn assert_limits([oldest, older, old]: &Past, new: &[f64]) {
    for i in 0..new.len() {
        let acceleration = (new[i] - 2.0 * old[i] + older[i]) / PERIOD.powi(2);
        let before = (old[i] - 2.0 * older[i] + oldest[i]) / PERIOD.powi(2);
        let jerk = (acceleration - before) / PERIOD;
        assert!(
            acceleration.abs() <= 5.0 + 1e-6 && jerk.abs() <= 50.0 + 1e-3,
            "{i}: {acceleration} rad/s², {jerk} rad/s³"
        );
    }
}

#[test]
fn the_approach_ends_before_a_wall_and_the_way_back_is_free() {
    let probe = Cell::new(vec![]);
    let tip = probe.arm.tip_poses(&BENT)[0].translation.vector;
    let wall = at(Geometry::Box { size: [0.02, 2.0, 2.0] }, tip.x + 0.2, 0.0, 0.0);
    let cell = Cell::new(vec![wall]);
    assert!(
        cell.least_distance(&BENT) > MARGIN,
        "the arm begins beside the wall: {tip} {}",
        cell.least_distance(&BENT)
    );
    let mut servo = Servo::new(&cell.arm.solver(), &cell.arm.limits(), ServoOptions::default(), &BENT).unwrap();
    let mut past = [BENT; 3].map(Vec::from);
    let (least, [along, _], reported) = steer(&cell, &mut servo, &mut past, 0.2, 3.0);
    assert!(least >= MARGIN - TRANSIT_ALLOWANCE, "{least} m from the wall");
    assert!(along > 0.05 && reported, "{along} m towards the wall, reported: {reported}");
    let stopped = servo.velocities().iter().fold(0.0_f64, |fastest, velocity| fastest.max(velocity.abs()));
    assert!(stopped < 1e-3, "{stopped} rad/s before the wall");
    let (_, [along, beside], _) = steer(&cell, &mut servo, &mut past, -0.1, 1.0);
    assert!(along < -0.07 && beside < LAG, "{along} m back and {beside} m sideways, from {stopped} rad/s");
}

#[test]
fn no_bound_is_broken_beside_balls() {
    let probe = Cell::new(vec![]);
    let start = [0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1];
    let tip = probe.arm.tip_poses(&start)[0].translation.vector;
    for (x, y, z) in [(0.1, 0.0, 0.0), (0.12, 0.05, 0.0), (0.1, -0.06, 0.03), (0.15, 0.02, -0.05), (0.09, 0.08, 0.08)] {
        let cell = Cell::new(vec![at(Geometry::Sphere { radius: 0.05 }, tip.x + x + 0.05, tip.y + y, tip.z + z)]);
        let mut servo = Servo::new(&cell.arm.solver(), &cell.arm.limits(), ServoOptions::default(), &start).unwrap();
        let mut past = [start; 3].map(Vec::from);
        for velocity in [0.1, -0.1, 0.3, 0.2, -0.3] {
            let (least, ..) = steer(&cell, &mut servo, &mut past, velocity, 1.5);
            assert!(least >= MARGIN - TRANSIT_ALLOWANCE, "{least} m from the ball");
        }
    }
}
