//! Each setting follows its parameter.

#![allow(clippy::unwrap_used, reason = "a test fails so")]

use super::*;
use crate::{
    ClutchScale, ClutchSettings, CommandUnits, FollowingErrorSettings, MaxHandSpeed, Motion, MoveItServoScale,
    MoveItServoSettings, NullSpace, OnUnreachable, Reliability, Value, Values,
};
use urdf_ik_collision::MissingShapes;
use urdf_ik_motion::servo::Priority;
use urdf_ik_solver::{AXIS_NAMES, Pick, SolverKind};

fn moveit_servo(
    enabled: bool,
    command_in_type: CommandUnits,
    [linear, rotational, joint]: [f64; 3],
) -> MoveItServoSettings {
    MoveItServoSettings { enabled, command_in_type, scale: MoveItServoScale { linear, rotational, joint } }
}

#[test]
fn defaults_are_read_as_the_table_has_them() {
    let settings = Settings::new(&Values::default(), None).unwrap();
    assert_eq!(settings.tolerance(), Tolerance::default());
    assert_eq!(settings.timeout, Duration::from_millis(50));
    assert_eq!((settings.attempts, settings.random_seed), (100, 0));
    assert_eq!((settings.cores, settings.batch_cores), (1, None));
    assert_eq!(settings.on_unreachable, OnUnreachable::Closest);
    assert_eq!((settings.pick, settings.free_axes), (Pick::First, [false; 6]));
    assert!(settings.posture.0.is_empty() && settings.tool.0.is_empty());
    assert_eq!(settings.null_space, NullSpace { posture: 1.0, limits: 0.0, manipulability: 0.0 });
    assert_eq!(settings.publish_period(), Duration::from_millis(20));
    assert_eq!(settings.transform_timeout, Duration::from_millis(100));
    assert_eq!((settings.measured_timeout, settings.measured_tolerance), (Duration::from_secs(1), 0.03));
    let FollowingErrorSettings { enabled, angle, distance, window } = settings.following_error;
    assert_eq!((enabled, angle, distance, window), (true, 0.05, 0.01, Duration::from_millis(300)));
    assert_eq!((settings.speed_scale, &settings.deadman_topic), (1.0, &None));
    assert_eq!(settings.default_limits(), JointLimit::DEFAULT);
    assert_eq!(settings.jacobian.step(), JacobianStep::Damped { damping: None });
    assert_eq!(settings.fabrik.options(), FabrikOptions::default());
    assert_eq!((settings.motion, settings.join_targets), (Motion::Immediate, Duration::from_millis(100)));
    assert_eq!(settings.path.timing(0.02), Timing::default().with_period(0.02));
    assert_eq!((settings.path.follow(), settings.path.blend_radius), (FollowOptions::default(), 0.0));
    assert!(!settings.path.partial && settings.command_joints.is_empty() && settings.joint_limits.text.is_empty());
    assert_eq!(
        (settings.servo.timeout, settings.servo_options()),
        (Duration::from_millis(100), ServoOptions::default())
    );
    assert_eq!(settings.clutch, clutch([1.0, 1.0], [3.0, 15.0]));
    assert_eq!(settings.moveit_servo, moveit_servo(false, CommandUnits::Unitless, [0.4, 0.8, 0.5]));
    assert!(settings.branch_jumps && settings.target_reliability == Reliability::Reliable && !settings.use_sim_time);
    assert!(!settings.avoid_collisions && settings.robot_description_semantic.is_empty());
    assert_eq!((settings.collision_margin, settings.missing_shapes), (0.01, MissingShapes::Refuse));
    assert!(!settings.soft_limits && settings.start_type_description_service && settings.trajectory_action.is_none());
    assert!(settings.base_link.is_none() && settings.tip_links.is_empty() && settings.max_joint_step.is_none());
}

/// A value other than the default for each parameter.
fn changed_values() -> Values {
    let mut values = Values::default();
    let text = |value: &'static str| Value::Text(value.into());
    for (name, value) in [
        ("base_link", text("torso")),
        ("tip_links", Value::Texts(vec!["hand".into()])),
        ("frame_prefix", text("left/")),
        ("urdf_file", text("a.urdf")),
        ("robot_description", text("<robot/>")),
        ("robot_description_semantic", text("a.srdf")),
        ("avoid_collisions", Value::Bool(true)),
        ("collision_margin", Value::Double(0.03)),
        ("missing_shapes", text("ignore")),
        ("soft_limits", Value::Bool(true)),
        ("timeout", Value::Double(1.5)),
        ("attempts", Value::Integer(7)),
        ("random_seed", Value::Integer(9)),
        ("cores", Value::Integer(3)),
        ("batch_cores", Value::Integer(2)),
        ("on_unreachable", text("hold")),
        ("branch_jumps", Value::Bool(false)),
        ("max_joint_step", Value::Double(0.1)),
        ("initial_posture", text("{elbow: 1.0}")),
        ("free_axes", Value::Texts(vec!["rz".into(), String::new()])),
        ("pick", text("nearest")),
        ("posture", text("{elbow: -1.0}")),
        ("tool", text("{hand: {p: [0, 0, 0.1]}}")),
        ("null_space.posture", Value::Double(2.0)),
        ("null_space.limits", Value::Double(3.0)),
        ("null_space.manipulability", Value::Double(4.0)),
        ("target_reliability", text("best_effort")),
        ("jacobian.damping", Value::Double(0.2)),
        ("solver", text("fabrik")),
        ("fabrik.acceleration", Value::Integer(5)),
        ("fabrik.polish", Value::Bool(false)),
        ("use_sim_time", Value::Bool(true)),
        ("measured_tolerance", Value::Double(0.05)),
        ("motion", text("smooth")),
        ("joint_limits", text("joint_limits: {}")),
        ("default_velocity", Value::Double(0.1)),
        ("default_acceleration", Value::Double(0.2)),
        ("default_jerk", Value::Double(0.3)),
        ("path.speed", Value::Double(0.4)),
        ("path.acceleration", Value::Double(0.6)),
        ("path.blend_radius", Value::Double(0.7)),
        ("path.position_deviation", Value::Double(0.08)),
        ("path.orientation_deviation", Value::Double(0.09)),
        ("path.search", Value::Integer(50)),
        ("path.partial", Value::Bool(true)),
        ("servo.timeout", Value::Double(0.3)),
        ("servo.linear_speed", Value::Double(0.11)),
        ("servo.angular_speed", Value::Double(0.12)),
        ("servo.priority", text("both")),
        ("servo.max_deviation_angle", Value::Double(0.5)),
        ("servo.slack.position", Value::Double(0.01)),
        ("servo.slack.orientation", Value::Double(0.02)),
        ("servo.workspace", text("{min: [-1, -2, 0.05]}")),
        ("goals", text("{type: position}")),
        ("clutch.scale.translation", Value::Double(0.5)),
        ("clutch.scale.rotation", Value::Double(2.0)),
        ("clutch.max_hand_speed.linear", Value::Double(1.0)),
        ("clutch.max_hand_speed.angular", Value::Double(5.0)),
        ("moveit_servo.enabled", Value::Bool(true)),
        ("moveit_servo.command_in_type", text("speed_units")),
        ("moveit_servo.scale.linear", Value::Double(0.13)),
        ("moveit_servo.scale.rotational", Value::Double(0.14)),
        ("moveit_servo.scale.joint", Value::Double(0.15)),
        ("join_targets", Value::Double(2.0)),
        ("command_joints", Value::Texts(vec!["elbow".into()])),
        ("interactive_target", Value::Bool(false)),
        ("trajectory_action", text("/arm/follow_joint_trajectory")),
        ("start_type_description_service", Value::Bool(false)),
    ] {
        values.set(name, value).unwrap();
    }
    values
}

#[test]
fn each_setting_follows_its_parameter() {
    let mut values = changed_values();
    let settings = Settings::new(&values, None).unwrap();
    assert_eq!((settings.base_link.as_deref(), &settings.tip_links[..]), (Some("torso"), &["hand".to_owned()][..]));
    assert_eq!((settings.frame_prefix.as_str(), settings.urdf_file.as_str()), ("left/", "a.urdf"));
    assert_eq!((&*settings.robot_description, &*settings.robot_description_semantic), ("<robot/>", "a.srdf"));
    assert_eq!((settings.avoid_collisions, settings.collision_margin), (true, 0.03));
    assert_eq!((settings.missing_shapes, settings.soft_limits), (MissingShapes::Ignore, true));
    assert_eq!(settings.timeout, Duration::from_millis(1500));
    assert_eq!((settings.attempts, settings.random_seed), (7, 9));
    assert_eq!((settings.cores, settings.batch_cores), (3, Some(2)));
    assert_eq!(settings.on_unreachable, OnUnreachable::Hold);
    assert_eq!((settings.max_joint_step, settings.measured_tolerance), (Some(0.1), 0.05));
    assert_eq!([&settings.initial_posture, &settings.posture].map(|posture| posture.0["elbow"]), [1.0, -1.0]);
    assert_eq!(settings.tool.0["hand"].translation.z, 0.1);
    assert_eq!((settings.pick, settings.free_axes), (Pick::Nearest, [false, false, false, false, false, true]));
    assert_eq!(settings.null_space, NullSpace { posture: 2.0, limits: 3.0, manipulability: 4.0 });
    assert_eq!(settings.jacobian.step(), JacobianStep::Damped { damping: Some(0.2) });
    assert_eq!(settings.solver, SolverKind::Fabrik);
    assert_eq!(settings.fabrik.options(), FabrikOptions::new(5, false));
    assert!(
        !settings.interactive_target
            && !settings.branch_jumps
            && !settings.start_type_description_service
            && settings.target_reliability == Reliability::BestEffort
            && settings.use_sim_time
    );
    assert_eq!((settings.motion, settings.join_targets), (Motion::Smooth, Duration::from_secs(2)));
    assert_eq!(settings.trajectory_action.as_deref(), Some("/arm/follow_joint_trajectory"));
    assert_eq!((settings.joint_limits.text.as_str(), settings.command_joints.len()), ("joint_limits: {}", 1));
    let limits = JointLimit { velocity: Some(0.1), acceleration: Some(0.2), jerk: Some(0.3) };
    assert_eq!(settings.default_limits(), limits);
    assert_eq!((settings.path.speed, settings.path.acceleration), (0.4, 0.6));
    assert_eq!((settings.path.blend_radius, settings.path.search, settings.path.partial), (0.7, 50, true));
    assert_eq!(settings.path.follow().deviation, Tolerance { position: 0.08, orientation: 0.09 });
    assert_eq!((settings.servo.timeout, settings.servo_options()), (Duration::from_millis(300), servo()));
    assert_eq!(settings.servo.workspace.min[2], 0.05);
    assert_eq!(settings.clutch, clutch([0.5, 2.0], [1.0, 5.0]));
    assert_eq!(settings.moveit_servo, moveit_servo(true, CommandUnits::SpeedUnits, [0.13, 0.14, 0.15]));
    values.set("jacobian.method", Value::Text("pseudoinverse".into())).unwrap();
    assert_eq!(Settings::new(&values, None).unwrap().jacobian.step(), JacobianStep::Pseudoinverse);
}

#[test]
fn deprecated_names_act_as_the_new_ones_with_a_warning() {
    let mut values = changed_values();
    assert_eq!(Settings::new(&values, None).unwrap().deprecations(), [""; 0]);
    values.set("servo.held_back", Value::Text("wait".into())).unwrap();
    values.set("servo.give.position", Value::Double(0.03)).unwrap();
    let settings = Settings::new(&values, None).unwrap();
    let options = settings.servo_options();
    assert_eq!((options.max_deviation_angle, options.slack), (0.0, [0.03, 0.02]));
    let warned = ["servo.held_back", "servo.max_deviation_angle", "servo.give.position", "servo.slack.position"];
    let warnings = settings.deprecations().join(", ");
    assert!(warned.iter().all(|name| warnings.contains(name)) && !warnings.contains("orientation"), "{warnings}");
    values.set("servo.held_back", Value::Text("slide".into())).unwrap();
    assert_eq!(Settings::new(&values, None).unwrap().servo_options().max_deviation_angle, 0.5);
}

#[test]
fn what_the_table_cannot_check_is_refused_by_name() {
    let mut values = Values::default();
    values.set("free_axes", Value::Texts(AXIS_NAMES.map(str::to_owned).to_vec())).unwrap();
    assert!(Settings::new(&values, None).unwrap_err().0.starts_with("free_axes "));
    values.set("free_axes", Value::NotSet).unwrap();
    values.set("joint_limits", Value::Text("no/such.yaml".into())).unwrap();
    assert!(Settings::new(&values, None).unwrap_err().0.contains("no/such.yaml"));
    values.set("joint_limits", Value::NotSet).unwrap();
    for name in ["tool", "posture", "initial_posture", "servo.workspace"] {
        values.set(name, Value::Text("elbow".into())).unwrap();
        assert!(Settings::new(&values, None).unwrap_err().0.starts_with(&format!("{name}: ")));
        values.set(name, Value::NotSet).unwrap();
    }
}

/// The options of the servo as they are set here.
fn servo() -> ServoOptions {
    ServoOptions {
        linear_speed: 0.11,
        angular_speed: 0.12,
        priority: Priority::Both,
        max_deviation_angle: 0.5,
        slack: [0.01, 0.02],
        free_axes: [false, false, false, false, false, true],
    }
}

fn clutch([translation, rotation]: [f64; 2], [linear, angular]: [f64; 2]) -> ClutchSettings {
    ClutchSettings { scale: ClutchScale { translation, rotation }, max_hand_speed: MaxHandSpeed { linear, angular } }
}
