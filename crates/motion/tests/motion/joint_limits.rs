//! Limits of joint motion: from the URDF, from a file, and through mimic joints.

use urdf_ik::motion::{JointLimits, MotionLimits};
use urdf_ik::robot::Robot;

use crate::common::{self, Arm, load, urdf};

pub const LIMITS: &str = "
# Velocities and accelerations.
joint_limits:
  shoulder_pan_joint:
    has_velocity_limits: true
    max_velocity: 0.4
    has_acceleration_limits: true
    max_acceleration: 0.7
  elbow_joint:
    has_velocity_limits: false
    max_velocity: 0.001
    has_acceleration_limits: true
    max_acceleration: 1
    has_jerk_limits: false
default_velocity_scaling_factor: 0.1
";

#[test]
fn joint_limits_are_those_of_urdf_and_file() {
    let arm = common::bundled_arms().swap_remove(0);
    let limits =
        |text: &str| MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::from_yaml(text, &arm.robot).unwrap());
    let at = |name: &str| arm.chain.variables().iter().position(|variable| variable.name == name).unwrap();
    let [pan, elbow] = ["shoulder_pan_joint", "elbow_joint"].map(at);
    for empty in ["", " \n", "# none\n", "joint_limits: {}"] {
        let none = limits(empty);
        assert_eq!((none.velocities[pan], none.velocities[elbow]), (2.0, 2.5));
        assert!(none.accelerations.iter().all(|limit| *limit == f64::INFINITY));
    }
    let some = limits(LIMITS);
    assert_eq!((some.velocities[pan], some.accelerations[pan]), (0.4, 0.7));
    assert_eq!((some.velocities[elbow], some.accelerations[elbow]), (2.5, 1.0));
    let above = limits("joint_limits: {elbow_joint: {has_velocity_limits: true, max_velocity: 9}}");
    assert_eq!(above.velocities[elbow], 2.5);
}

#[test]
fn of_a_mimic_joint_only_the_limits_of_the_file_bound_its_master() {
    let limited = |velocity: &str, rest: &str| format!("<limit lower='-1' upper='1' velocity='{velocity}'/>{rest}");
    let joints = urdf::joint("a", "revolute", "l0", "l1", &limited("2", ""))
        + &urdf::joint("b", "revolute", "l1", "l2", &limited("3", "<mimic joint='a' multiplier='-3'/>"))
        + &urdf::joint("c", "revolute", "l2", "l3", &limited("0", ""))
        + &urdf::fixed("end", "l3", "tip", "1 0 0");
    let robot = Robot::from_urdf(&urdf::robot("l0 l1 l2 l3 tip", &joints)).unwrap();
    let arm = Arm::new("mimic", robot, "l0", &["tip"]);
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default());
    assert_eq!(limits.velocities, [2.0, f64::INFINITY]);
    let of_b = "joint_limits: {b: {has_velocity_limits: true, max_velocity: 3, has_jerk_limits: true, max_jerk: 9}}";
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::from_yaml(of_b, &arm.robot).unwrap());
    assert_eq!((limits.velocities[0], limits.jerks[0]), (1.0, 3.0));
}

#[test]
fn bad_joint_limits_name_the_line() {
    let robot = load("arm7.urdf");
    let told = |text: &str| JointLimits::from_yaml(text, &robot).unwrap_err().to_string();
    let entry =
        |line: &str| told(&format!("joint_limits:\n  elbow_joint:\n    has_velocity_limits: true\n    {line}\n"));
    for (text, words) in [
        (
            told("joint_limits:\n  elbow_joint: {}\n  elbou: {max_velocity: 1}\n"),
            vec!["'elbou'", "elbow_joint", "line 3"],
        ),
        (told("joint_limits:\n  elbow_joint: {}\n  elbow_joint: {}\n"), vec!["twice", "line"]),
        (told("# Limits\njoint_limit:\n  elbow_joint: {}\n"), vec!["joint_limit", "line 2"]),
        (told("[1, 2]"), vec!["joint_limits"]),
        (told("{}"), vec!["joint_limits"]),
        (told("joint_limits: 3"), vec!["joint names", "line 1"]),
        (told("a: [\n"), vec!["format"]),
        (entry("max_velocity: fast"), vec!["fast", "line 4"]),
        (entry("max_velocity: .nan"), vec!["NaN", "line"]),
        (entry("max_velocity: -1"), vec!["max_velocity is -1", "line"]),
        (entry("max_velocity: 0"), vec!["max_velocity is 0", "line"]),
        (entry("maximum_velocity: 1"), vec!["maximum_velocity", "line 4"]),
        (entry("has_jerk_limits: yes please"), vec!["line 4"]),
        (entry("max_jerk: 1"), vec!["no max_velocity", "line"]),
    ] {
        for word in words {
            assert!(text.contains(word), "'{word}' is not in: {text}");
        }
    }
}
