//! The command `solve`.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde_json::Value;
use urdf_ik::robot::{Domain, Variable};

use crate::common::{self, Arm, Random};
use crate::shell::{fails, keys, parse, run, sorted, succeeds, target_of, text_of, urdf};

#[test]
fn solve_meets_a_target_and_says_how() {
    let arm = &common::bundled_arms()[0];
    let mut random = Random::new(2);
    for _ in 0..5 {
        let pose = arm.tip_poses(&random.positions(&arm.chain))[0];
        let target = target_of(&pose);
        let urdf = urdf("arm7.urdf");
        let mut arguments = vec!["solve", "--urdf", &urdf, "--tip", "tool0", "--target"];
        arguments.extend(target.iter().map(String::as_str));
        let answer = parse(&succeeds(&arguments));
        let expected = [
            "attempts",
            "iterations",
            "orientation_error",
            "outcome",
            "position_error",
            "positions",
            "smallest_singular_value",
            "solved",
            "time_us",
        ];
        assert_eq!(sorted(keys(&answer)), expected);
        assert_eq!(answer["solved"], true);
        let position = |variable: &Variable| answer["positions"][&variable.name].as_f64().unwrap();
        let positions: Vec<f64> = arm.chain.variables().iter().map(position).collect();
        assert!(arm.chain.contains(&positions));
        let (shift, angle) = common::distance(&arm.tip_poses(&positions)[0], &pose);
        assert!(shift <= 1e-5 && angle <= 1e-5, "{shift:e} m, {angle:e} rad");
        assert!((shift - answer["position_error"].as_f64().unwrap()).abs() < 1e-12);
    }
}

/// The positions of `solve` for a target, with more options.
fn solved_positions(urdf: &str, tip: &str, pose: &Isometry3<f64>, more: &[&str]) -> Value {
    let target = target_of(pose);
    let mut arguments = vec!["solve", "--urdf", urdf, "--tip", tip, "--target"];
    arguments.extend(target.iter().map(String::as_str));
    arguments.extend(more);
    let answer = parse(&succeeds(&arguments));
    assert_eq!(answer["solved"], true);
    answer["positions"].clone()
}

#[test]
fn solve_reaches_the_position_first_where_asked() {
    let arm = Arm::new("so101", common::load("so101.urdf"), "base_link", &["gripper_frame_link"]);
    let (urdf, mut random) = (urdf("so101.urdf"), Random::new(5));
    let mut pose = arm.tip_poses(&random.positions(&arm.chain))[0];
    pose.rotation = UnitQuaternion::new(Vector3::new(0.3, 1.0, 0.2)) * pose.rotation;
    let target = target_of(&pose);
    let mut arguments = vec!["solve", "--urdf", &urdf, "--tip", "gripper_frame_link", "--target"];
    arguments.extend(target.iter().map(String::as_str));
    arguments.extend(["--on-unreachable", "position"]);
    let printed = run(&arguments);
    let answer = parse(&printed.out);
    assert_eq!((printed.code, &answer["solved"]), (1, &Value::Bool(false)));
    assert!(answer["position_error"].as_f64().unwrap() <= 1e-5, "{answer}");
    assert!(answer["outcome"].as_str().unwrap().starts_with("position only"), "{answer}");
    *arguments.last_mut().unwrap() = "orientation";
    fails(&arguments, &["orientation", "closest, position"]);
}

#[test]
fn solve_leaves_axes_free() {
    let arm = Arm::new("arm5", common::load("arm5.urdf"), "base", &["tool"]);
    let (urdf, mut random) = (urdf("arm5.urdf"), Random::new(4));
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.0);
    let mut pose = arm.tip_poses(&random.positions(&arm.chain))[0];
    pose.rotation *= turn;
    solved_positions(&urdf, "tool", &pose, &["--free-axes", "rz"]);
    // The option may be given several times.
    pose.translation.vector += pose.rotation * Vector3::new(0.01, 0.0, 0.0);
    solved_positions(&urdf, "tool", &pose, &["--free-axes", "rz,x", "--free-axes", "y,rx"]);
}

#[test]
fn solve_picks_and_prefers() {
    let arm = &common::bundled_arms()[0];
    let (urdf, mut random) = (urdf("arm7.urdf"), Random::new(5));
    let source = random.positions(&arm.chain);
    let pose = arm.tip_poses(&source)[0];
    let spread = |positions: &Value| -> f64 {
        let moved = arm.chain.variables().iter().zip(arm.chain.nominal_positions());
        let step = |(v, seed): (&Variable, f64)| (positions[&v.name].as_f64().unwrap() - seed).abs();
        moved.map(step).fold(0.0, f64::max)
    };
    let picked = ["first", "nearest", "most_manipulable"]
        .map(|pick| spread(&solved_positions(&urdf, "tool0", &pose, &["--pick", pick])));
    assert!(picked[1] <= picked[0] + 1e-9 && picked[1] <= picked[2] + 1e-9, "{picked:?}");

    let named: Vec<String> =
        arm.chain.variables().iter().zip(&source).map(|(v, position)| format!("{}: {position}", v.name)).collect();
    let posture = format!("{{{}}}", named.join(", "));
    let apart = |positions: &Value| -> f64 {
        let square = |(v, p): (&Variable, &f64)| {
            let step = positions[&v.name].as_f64().unwrap() - p;
            if v.domain == Domain::Circle { (step - (step / TAU).round() * TAU).powi(2) } else { step.powi(2) }
        };
        arm.chain.variables().iter().zip(&source).map(square).sum()
    };
    let without = apart(&solved_positions(&urdf, "tool0", &pose, &[]));
    let with = apart(&solved_positions(&urdf, "tool0", &pose, &["--posture", &posture]));
    assert!(with < without, "{with} {without}");
}

#[test]
fn solve_lists_every_solution() {
    let arm = &common::bundled_arms()[0];
    let pose = arm.tip_poses(&Random::new(4).positions(&arm.chain))[0];
    let (urdf, target) = (urdf("arm7.urdf"), target_of(&pose));
    let mut arguments = vec!["solve", "--urdf", &urdf, "--tip", "tool0", "--all", "--target"];
    arguments.extend(target.iter().map(String::as_str));
    let found = parse(&succeeds(&arguments));
    let found = found.as_array().unwrap();
    assert!(found.len() > 1, "{found:?}");
    for (index, solution) in found.iter().enumerate() {
        assert_eq!(solution["solved"], true);
        assert!(found[..index].iter().all(|other| other["positions"] != solution["positions"]));
    }
    let far = ["solve", "--urdf", &urdf, "--tip", "tool0", "--all", "--target", "9", "0", "0", "0", "0", "0", "1"];
    let far = run(&far);
    assert_eq!((far.code, parse(&far.out)), (1, Value::Array(Vec::new())));
}

#[test]
fn solve_lists_every_revolution() {
    let urdf = urdf("arm6.urdf");
    let pose = ["0.6", "0.1", "0.5", "0", "1", "0", "0"];
    let solver = ["--solver", "closed_form", "--all"];
    let asked = [&["solve", "--urdf", &urdf, "--tip", "tool0", "--target"], &pose[..], &solver].concat();
    let list = |more: &[&str]| {
        let found = parse(&succeeds(&[&asked[..], more].concat()));
        let found = found.as_array().unwrap().iter().inspect(|solution| assert_eq!(solution["solved"], true));
        found.map(|solution| solution["positions"].clone()).collect::<Vec<_>>()
    };
    let (once, every) = (list(&[]), list(&["--max-turns", "100"]));
    assert!(every.len() > once.len(), "the last joint has almost two revolutions: {every:?}");
    assert_eq!(list(&["--max-turns", "3"]), every[..3]);
}

#[test]
fn solve_gives_both_elbows_of_two_links_in_closed_form() {
    let urdf = text_of(&common::root().join("tests/node/robots/planar.urdf"));
    let free = ["--free-axes", "rx,ry,rz", "--solver", "closed_form", "--all"];
    let target = ["solve", "--urdf", &urdf, "--tip", "tip", "--target", "0.5", "0.5", "0", "0", "0", "0", "1"];
    let found = parse(&succeeds(&[&target[..], &free].concat()));
    let position = |solution: &Value, joint: &str| solution["positions"][joint].as_f64().unwrap();
    let mut elbows: Vec<f64> = found.as_array().unwrap().iter().map(|found| position(found, "elbow")).collect();
    elbows.sort_by(f64::total_cmp);
    assert!((elbows[0] + FRAC_PI_2).abs() < 1e-12 && (elbows[1] - FRAC_PI_2).abs() < 1e-12, "{elbows:?}");
    assert!(found.as_array().unwrap().iter().all(|solution| solution["iterations"] == 0), "{found}");
}

#[test]
fn the_exit_status_says_that_a_target_cannot_be_met() {
    let urdf = urdf("arm7.urdf");
    let run = run(&["solve", "--urdf", &urdf, "--tip", "tool0", "--target", "-3", "-1e-1", "0.5", "0", "0", "0", "1"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let answer = parse(&run.out);
    assert_eq!(answer["solved"], false);
    assert!(answer["outcome"].as_str().unwrap().contains("out of reach"), "{answer}");
    assert!(answer["position_error"].as_f64().unwrap() > 1.5, "{answer}");
}

#[test]
fn goals_replace_a_target() {
    let urdf = urdf("arm7.urdf");
    let level = "{type: cone, axis: [0, 0, 1], direction: [0, 0, 1], angle: 0.1}";
    let answer = parse(&succeeds(&["solve", "--urdf", &urdf, "--goals", level]));
    assert!(answer["solved"] == true && answer["goal_violations"][0].as_f64().unwrap() <= 1e-5, "{answer}");
    let answer = parse(&succeeds(&["solve", "--urdf", &urdf, "--goals", level, "--position", "0.4", "0.1", "0.4"]));
    assert!(answer["solved"] == true && answer["position_error"].as_f64().unwrap() <= 1e-5, "{answer}");
    fails(&["solve", "--urdf", &urdf, "--goals", "[{type: cone}]"], &["goal 1 ('cone')", "'axis' is missing"]);
}

#[test]
fn solve_refuses_invalid_options() {
    let solve = |tip: &str, target: &str, more: &[&str], words: &[&str]| {
        let urdf = urdf("arm7.urdf");
        let mut arguments = vec!["solve", "--urdf", &urdf, "--tip", tip, "--target"];
        arguments.extend(target.split(' '));
        arguments.extend(more);
        fails(&arguments, words);
    };
    solve("tool0", "0.3 0.2 0.5 0 0 0 0", &[], &["quaternion", "length 0"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 2", &[], &["quaternion", "length 2"]);
    solve("tool0", "nan 0.2 0.5 0 0 0 1", &[], &["'tool0'", "finite"]);
    solve("tool0", "0.3 0.2 0.5 0 0 nan 1", &[], &["quaternion"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0", &[], &["--target"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 one", &[], &["one"]);
    solve("gripper", "0.3 0.2 0.5 0 0 0 1", &[], &["'gripper'", "hand_link"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--base", "world"], &["'world'"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--solver", "newton"], &["newton", "jacobian"]);
    solve("base_link", "0.3 0.2 0.5 0 0 0 1", &[], &["'base_link'"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--pick", "best"], &["'best'", "nearest"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--free-axes", "rz,yaw"], &["'yaw'", "rx"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--free-axes", "x,y,z,rx,ry,rz"], &["all six axes"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--posture", "{knee: 1}"], &["'knee'", "elbow_joint"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--posture", "nowhere.yaml"], &["'nowhere.yaml'", "no such file"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--tip", "hand_link"], &["1 target", "tool0, hand_link"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--position", "0", "0", "0"], &["--target", "--position"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--position-tolerance", "-1"], &["position tolerance is -1"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--attempts", "0"], &["--attempts"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--no-polish"], &["--no-polish", "jacobian"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--jacobian-damping", "-1"], &["--jacobian-damping is -1"]);
    let undamped = ["--jacobian-method", "pseudoinverse", "--jacobian-damping", "0.1"];
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &undamped, &["--jacobian-damping", "pseudoinverse"]);
    let mixed = ["--solver", "fabrik", "--jacobian-method", "damped"];
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &mixed, &["--jacobian-method", "fabrik"]);
    let fabrik = ["--solver", "fabrik", "--fabrik-acceleration", "7"];
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &fabrik, &["--fabrik-acceleration is 7", "6"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--seed", "knee=1"], &["'knee'", "elbow_joint"]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--seed", "elbow_joint=x"], &["elbow_joint"]);
    let twice = "'elbow_joint' stands there twice";
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--seed", "elbow_joint=0.1,elbow_joint=0.2"], &[twice]);
    solve("tool0", "0.3 0.2 0.5 0 0 0 1", &["--free-axes", "rx,y,rx"], &["the axis 'rx' is named twice"]);
    fails(&["solve", "--urdf", &urdf("arm7.urdf")], &["--target", "--position"]);
    let two = ["solve", "--urdf", &urdf("two_arms.urdf"), "--position", "0", "0", "0"];
    fails(&two, &["leaf links", "left_hand", "right_hand"]);
}

#[test]
fn the_only_leaf_link_needs_no_name() {
    let arm = &common::bundled_arms()[0];
    let pose = arm.tip_poses(&Random::new(6).positions(&arm.chain))[0];
    let urdf = urdf("arm7.urdf");
    let target = target_of(&pose);
    let mut arguments = vec!["solve", "--urdf", &urdf, "--target"];
    arguments.extend(target.iter().map(String::as_str));
    assert_eq!(parse(&succeeds(&arguments))["positions"], solved_positions(&urdf, "tool0", &pose, &[]));
}

#[test]
fn several_tips_have_a_target_each() {
    let robot = common::load("two_arms.urdf");
    let arm = Arm::new("two_arms", robot, "base_link", &["left_hand", "right_hand"]);
    let poses = arm.tip_poses(&Random::new(11).positions(&arm.chain));
    let urdf = urdf("two_arms.urdf");
    let mut arguments =
        vec!["solve", "--urdf", &urdf, "--base", "base_link", "--tip", "left_hand", "--tip", "right_hand"];
    let targets: Vec<Vec<String>> = poses.iter().map(target_of).collect();
    for target in &targets {
        arguments.push("--target");
        arguments.extend(target.iter().map(String::as_str));
    }
    let answer = parse(&succeeds(&arguments));
    let position = |variable: &Variable| answer["positions"][&variable.name].as_f64().unwrap();
    let reached = arm.tip_poses(&arm.chain.variables().iter().map(position).collect::<Vec<_>>());
    for (pose, reached) in poses.iter().zip(&reached) {
        let (shift, angle) = common::distance(pose, reached);
        assert!(shift <= 1e-5 && angle <= 1e-5, "{shift:e} m, {angle:e} rad");
    }
}

#[test]
fn a_position_alone_leaves_the_orientation_free() {
    let arm = &common::bundled_arms()[0];
    let urdf = urdf("arm7.urdf");
    let answer = parse(&succeeds(&["solve", "--urdf", &urdf, "--position", "-0.3", "-0.1", "0.5"]));
    let position = |variable: &Variable| answer["positions"][&variable.name].as_f64().unwrap();
    let positions: Vec<f64> = arm.chain.variables().iter().map(position).collect();
    let reached = arm.tip_poses(&positions)[0].translation.vector;
    assert!((reached - Vector3::new(-0.3, -0.1, 0.5)).norm() <= 1e-5, "{reached}");
}

#[test]
fn a_seed_at_the_solution_is_the_solution() {
    let arm = &common::bundled_arms()[0];
    let source = Random::new(12).positions(&arm.chain);
    let pose = arm.tip_poses(&source)[0];
    let urdf = urdf("arm7.urdf");
    let named = |equals: &str| -> String {
        let pair = |(v, position): (&Variable, &f64)| format!("{}{equals}{position}", v.name);
        arm.chain.variables().iter().zip(&source).map(pair).collect::<Vec<_>>().join(",")
    };
    let json = serde_json::json!(
        arm.chain.variables().iter().zip(&source).map(|(v, p)| (v.name.clone(), *p)).collect::<BTreeMap<_, _>>()
    );
    for seed in [named("="), format!("{{{}}}", named(": ")), json.to_string()] {
        let positions = solved_positions(&urdf, "tool0", &pose, &["--seed", &seed]);
        for (variable, position) in arm.chain.variables().iter().zip(&source) {
            let found = positions[&variable.name].as_f64().unwrap();
            assert!((found - position).abs() < 1e-4, "{}: {found}, not {position}, from {seed}", variable.name);
        }
    }
}

/// Each option has its effect: looser tolerances need less work, one attempt is one attempt.
#[test]
fn solve_takes_the_options_of_a_search() {
    let arm = &common::bundled_arms()[0];
    let pose = arm.tip_poses(&Random::new(13).positions(&arm.chain))[0];
    let (urdf, target) = (urdf("arm7.urdf"), target_of(&pose));
    let answer = |more: &[&str]| {
        let mut arguments = vec!["solve", "--urdf", &urdf, "--target"];
        arguments.extend(target.iter().map(String::as_str));
        arguments.extend(more);
        parse(&run(&arguments).out)
    };
    let error = |answer: &Value| answer["position_error"].as_f64().unwrap();
    let loose = answer(&["--position-tolerance", "0.1", "--orientation-tolerance", "0.5"]);
    assert!(loose["solved"] == true && error(&loose) > 1e-5, "{loose}");
    let plain =
        ["--solver", "fabrik", "--no-polish", "--position-tolerance", "1e-4", "--orientation-tolerance", "1e-4"];
    let plain = answer(&[&plain[..], &["--fabrik-acceleration", "0"]].concat());
    let polished = answer(&["--solver", "fabrik"]);
    assert!(polished["solved"] == true && error(&polished) < 1e-5, "{polished}");
    assert!(plain["iterations"].as_u64() > polished["iterations"].as_u64(), "{plain} {polished}");
    // Strong damping makes small steps.
    let [adapted, slow, pseudoinverse] =
        [answer(&[]), answer(&["--jacobian-damping", "1"]), answer(&["--jacobian-method", "pseudoinverse"])];
    assert!(slow["iterations"].as_u64() > adapted["iterations"].as_u64(), "{slow} {adapted}");
    assert!(pseudoinverse["solved"] == true && pseudoinverse["positions"] != adapted["positions"], "{pseudoinverse}");
    let far = ["solve", "--urdf", &urdf, "--position", "9", "0", "0"];
    let once = parse(&run(&[&far[..], &["--attempts", "1", "--random-seed", "3"]].concat()).out);
    assert_eq!(once["attempts"], 1);
}
