//! Limits of joint motion: from the URDF, from a file, and through mimic joints.

use urdf_ik::motion::{JointLimit, JointLimits, MotionLimits};
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
fn missing_accelerations_and_jerks_are_derived_from_the_velocity_limits() {
    let arm = common::bundled_arms().swap_remove(0);
    let file = JointLimits::from_yaml(LIMITS, &arm.robot).unwrap();
    let limits = |file: &JointLimits, defaults: JointLimit| {
        let limits = MotionLimits::new(&arm.robot, &arm.chain, file).or(&defaults);
        let at = |name: &str| arm.chain.variables().iter().position(|variable| variable.name == name).unwrap();
        ["shoulder_pan_joint", "elbow_joint", "upper_arm_roll_joint"].map(at).map(|i| {
            [limits.velocities[i], limits.accelerations[i], limits.jerks[i]].map(|limit| (1e6 * limit).round() / 1e6)
        })
    };
    // Full speed in 0.2 s, full acceleration in 0.01 s; limits of the file stay, and the others are derived from them.
    let derived = limits(&JointLimits::default(), JointLimit::DEFAULT);
    assert_eq!(derived, [[2.0, 10.0, 1000.0], [2.5, 12.5, 1250.0], [2.5, 12.5, 1250.0]]);
    let derived = limits(&file, JointLimit::DEFAULT);
    assert_eq!(derived, [[0.4, 0.7, 70.0], [2.5, 1.0, 100.0], [2.5, 12.5, 1250.0]]);
    let defaults = JointLimit { acceleration: Some(3.0), ..JointLimit::DEFAULT };
    assert_eq!(limits(&file, defaults), [[0.4, 0.7, 70.0], [2.5, 1.0, 100.0], [2.5, 3.0, 300.0]]);
    let defaults = JointLimit { jerk: Some(40.0), ..JointLimit::DEFAULT };
    assert_eq!(limits(&file, defaults), [[0.4, 0.7, 40.0], [2.5, 1.0, 40.0], [2.5, 12.5, 40.0]]);
}

#[test]
fn a_joint_without_a_limit_has_the_default_velocity_and_an_absurd_one_derives_finite_limits() {
    let absurd = "<limit lower='-1' upper='1' velocity='1.7e308'/>";
    let joint = urdf::joint("a", "continuous", "l0", "l1", "")
        + &urdf::joint("b", "revolute", "l1", "l2", absurd)
        + &urdf::fixed("end", "l2", "tip", "1 0 0");
    let robot = Robot::from_urdf(&urdf::robot("l0 l1 l2 tip", &joint)).unwrap();
    let arm = Arm::new("hinges", robot, "l0", &["tip"]);
    let limits = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
    assert_eq!(limits.velocities, [1.0, 1.7e308]);
    assert_eq!((limits.accelerations, limits.jerks), (vec![5.0, 1e3], vec![500.0, 1e5]));
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
    let refusal = |text: &str| JointLimits::from_yaml(text, &robot).unwrap_err().to_string();
    let entry =
        |line: &str| refusal(&format!("joint_limits:\n  elbow_joint:\n    has_velocity_limits: true\n    {line}\n"));
    for (text, words) in [
        (
            refusal("joint_limits:\n  elbow_joint: {}\n  elbou: {max_velocity: 1}\n"),
            vec!["'elbou'", "elbow_joint", "line 3"],
        ),
        (refusal("joint_limits:\n  elbow_joint: {}\n  elbow_joint: {}\n"), vec!["twice", "line"]),
        (refusal("# Limits\njoint_limit:\n  elbow_joint: {}\n"), vec!["joint_limit", "line 2"]),
        (refusal("[1, 2]"), vec!["joint_limits"]),
        (refusal("{}"), vec!["joint_limits"]),
        (refusal("joint_limits: 3"), vec!["joint names", "line 1"]),
        (refusal("a: [\n"), vec!["format"]),
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
