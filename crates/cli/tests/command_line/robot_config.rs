//! The command `robot-config`. tests/node/test_robot_config.py starts the node with its file.

use std::fs;
use std::path::Path;

use urdf_ik::motion::{JointLimit, JointLimits, MotionLimits};

use crate::common::{arms_named, urdf_path};
use crate::shell::{fails, file, run, run_with_input, succeeds, text_of};

/// The text of the parameter joint_limits: the indented block below it.
fn joint_limits(yaml: &str) -> String {
    let (_, block) = yaml.split_once("    joint_limits: |").unwrap();
    let (_, block) = block.split_once('\n').unwrap();
    assert!(block.lines().all(|line| line.starts_with("      ")), "{yaml}");
    block.to_owned()
}

#[test]
fn the_file_has_the_chain_and_its_limits_as_they_are_used() {
    for arm in arms_named(&["ur5", "panda", "arm7", "talos7"]) {
        let urdf = text_of(&urdf_path(&format!(
            "{}.urdf",
            match arm.name.as_str() {
                "ur5" => "ur5_robot",
                "talos7" => "talos_full_v2",
                name => name,
            }
        )));
        let tip = &arm.chain.tips()[0].link;
        let yaml = run(&["robot-config", &urdf, "--base", arm.chain.base(), "--tip", tip, "--publish-rate", "500"]);
        assert_eq!(yaml.code, 0, "{}", yaml.err);
        let yaml = yaml.out;
        for words in [
            &format!("urdf_file: \"{urdf}\""),
            &format!("base_link: \"{}\"", arm.chain.base()),
            &format!("tip_links: [\"{tip}\"]"),
            "motion: smooth",
            "publish_rate: 500.0",
        ] {
            assert!(yaml.contains(words), "'{words}' is not in: {yaml}");
        }
        let (_, joints) = yaml.split_once("command_joints:").unwrap();
        let joints: Vec<&str> = joints.lines().skip(1).map_while(|line| line.strip_prefix("      - ")).collect();
        let names = arm.chain.variable_names();
        assert_eq!(joints, names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>());
        let file = JointLimits::from_yaml(&joint_limits(&yaml), &arm.robot).unwrap();
        let read = MotionLimits::new(&arm.robot, &arm.chain, &file);
        let used = MotionLimits::new(&arm.robot, &arm.chain, &JointLimits::default()).or(&JointLimit::DEFAULT);
        for (read, used) in
            [(read.velocities, used.velocities), (read.accelerations, used.accelerations), (read.jerks, used.jerks)]
        {
            for (read, used) in read.iter().zip(used) {
                assert!((read / used - 1.0).abs() < 1e-5, "{}: {read} for {used}", arm.name);
            }
        }
    }
}

#[test]
fn comments_say_where_limits_come_from() {
    let urdf = r#"<robot name="two"><link name="base"/><link name="a"/><link name="the &quot;hand&quot;"/>
        <joint name="turn: {" type="continuous"><parent link="base"/><child link="a"/></joint>
        <joint name="slide" type="prismatic"><parent link="a"/><child link="the &quot;hand&quot;"/><axis xyz="1 0 0"/>
        <limit lower="0" upper="1" velocity="0.4"/></joint></robot>"#;
    let (urdf, known) =
        (file("two.urdf", urdf), "joint_limits: {slide: {has_acceleration_limits: true, max_acceleration: 3}}");
    let known = text_of(&file("two.yaml", known));
    let yaml = succeeds(&["robot-config", &text_of(&urdf), "--joint-limits", &known]);
    for (words, comment) in [
        (r#"tip_links: ["the \"hand\""]"#, "the links"),
        ("max_velocity: 1.0 ", "# [rad/s] default, because no limit is known"),
        ("max_acceleration: 5.0 ", "# [rad/s²] full velocity in 0.2 s"),
        ("max_jerk: 500.0 ", "# [rad/s³] full acceleration in 10 ms"),
        ("max_velocity: 0.4 ", "# [m/s] of the URDF"),
        ("max_acceleration: 3.0 ", "# [m/s²] of --joint-limits"),
        ("max_jerk: 300.0 ", "# [m/s³] full acceleration in 10 ms"),
    ] {
        assert!(yaml.lines().any(|line| line.contains(words) && line.contains(comment)), "'{words}' is not in: {yaml}");
    }
    assert!(yaml.contains(r#"- "turn: {""#) && yaml.contains(r#"        "turn: {":"#), "{yaml}");
}

#[test]
fn tools_soft_limits_and_standard_input_are_in_it() {
    let arm6 = urdf_path("arm6.urdf");
    let tool = ["--tool", "0", "0", "0.1", "0", "0", "0", "1", "--soft-limits"];
    let yaml = succeeds(&[&["robot-config", &text_of(&arm6)], &tool[..]].concat());
    assert!(yaml.contains(r#"tool: "{\"tool0\":{\"p\":[0.0,0.0,0.1],\"q_xyzw\":[0.0,0.0,0.0,1.0]}}""#), "{yaml}");
    assert!(yaml.contains("    soft_limits: true"), "{yaml}");
    let run = run_with_input(&["robot-config", "-"], fs::File::open(arm6).unwrap());
    assert!(run.code == 0 && run.out.contains("    # urdf_file: /path/to/robot.urdf"), "{} {}", run.out, run.err);
}

#[test]
fn a_file_is_not_replaced_in_silence() {
    let path = text_of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("robot_config.yaml"));
    // It may exist from an earlier run.
    let _ = fs::remove_file(&path);
    let urdf = text_of(&urdf_path("arm7.urdf"));
    let printed = succeeds(&["robot-config", &urdf]);
    assert_eq!(succeeds(&["robot-config", &urdf, "--output", &path]), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), printed);
    let again = run(&["robot-config", &urdf, "--output", &path]);
    assert_eq!((again.code, again.err), (0, format!("urdf_ik: {path} was there, and is replaced\n")));
}

#[test]
fn what_is_wrong_is_said_with_the_fix() {
    let two = text_of(&urdf_path("dual_arm.urdf"));
    fails(&["robot-config", &two], &["name the tip link with --tip", "left_hand", "right_hand"]);
    fails(&["robot-config", &two, "--tip", "left"], &["left"]);
    fails(&["robot-config"], &["URDF"]);
    fails(&["robot-config", "no_such.urdf"], &["no_such.urdf"]);
    let one = text_of(&urdf_path("arm7.urdf"));
    for rate in ["0", "-1", "NaN", "inf", "2000", "fast"] {
        fails(&["robot-config", &one, "--publish-rate", rate], &["publish-rate", rate]);
    }
    fails(&["robot-config", &one, "--output", "/no/such/folder/robot.yaml"], &["no folder"]);
}
