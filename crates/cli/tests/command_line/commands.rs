//! The commands `info`, `fk` and `evaluate`.

use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{self, Arm, Random};
use crate::shell::{command, fails, file, keys, parse, run, run_with_input, sorted, succeeds, text_of, urdf};

#[test]
fn help_and_version() {
    let help = succeeds(&["--help"]);
    for word in ["info", "fk", "collisions", "solve", "evaluate", "generate"] {
        assert!(help.contains(word), "{help}");
    }
    for command in [&["--help"][..], &["solve", "--help"], &["path", "--help"]] {
        assert!(succeeds(command).contains("Exit status: 0"), "{command:?}");
    }
    assert!(succeeds(&["--version"]).contains(env!("CARGO_PKG_VERSION")));
    let alone = run(&[]);
    assert!(alone.code == 2 && alone.err.contains("Usage"), "{}", alone.err);
}

#[test]
fn wrong_arguments_are_told_in_one_line() {
    fails(&["dance"], &["urdf_ik: unrecognized subcommand 'dance'", "--help"]);
    fails(&["solve"], &["urdf_ik: ", "not provided: --urdf <FILE>"]);
    fails(&["fk", "--urdf", "a", "--position", "b"], &["'--position'", "a similar argument exists: '--positions'"]);
    fails(&["generate", "--joints", "hinge", "--segments", "3"], &["'hinge'", "[possible values: alternating, ball]"]);
}

#[test]
fn info_shows_tree_limits_chain_and_reach() {
    let out = succeeds(&["info", "--urdf", &urdf("arm7.urdf")]);
    for word in
        ["arm7", "9 links", "8 joints", "7 movable", "elbow_joint", "-1.45 .. 1.05 rad", "without limits", "tip tool0"]
    {
        assert!(out.contains(word), "'{word}' is not in: {out}");
    }
    let arm = &common::bundled_arms()[0];
    for link in arm.robot.links() {
        assert!(out.contains(&link.name), "'{}' is not in: {out}", link.name);
    }
    let part = succeeds(&["info", "--urdf", &urdf("arm7.urdf"), "--base", "elbow_link", "--tip", "hand_link"]);
    assert!(part.contains("chain from elbow_link: 3 variables") && part.contains("tip hand_link"), "{part}");
}

/// A hinge with soft limits, a joint without limits, a mimic joint with its own range, and a prismatic joint whose
/// soft range is empty.
const LIMITED: &str = r#"<robot name="limited"> <link name="a"/> <link name="b"/> <link name="c"/> <link name="d"/> <link name="e"/>
  <joint name="hinge" type="revolute"> <parent link="a"/> <child link="b"/> <limit lower="-1.5" upper="2" effort="1" velocity="2.5"/>
    <safety_controller soft_lower_limit="-1.25" soft_upper_limit="9" k_velocity="1"/> </joint>
  <joint name="turn" type="continuous"> <parent link="b"/> <child link="c"/> </joint>
  <joint name="follower" type="revolute"> <parent link="c"/> <child link="d"/> <limit lower="0" upper="3" effort="1" velocity="1"/>
    <mimic joint="hinge" multiplier="-1"/> </joint>
  <joint name="slide" type="prismatic"> <parent link="d"/> <child link="e"/> <limit lower="0" upper="0.5" effort="1" velocity="-1"/>
    <safety_controller soft_lower_limit="0" soft_upper_limit="0" k_velocity="1"/> </joint>
</robot>"#;

#[test]
fn info_says_where_limits_come_from() {
    let limited = text_of(&file("limited.urdf", LIMITED));
    let yaml =
        "joint_limits: {hinge: {has_velocity_limits: true, max_velocity: 1.5, has_jerk_limits: true, max_jerk: 9}}";
    let yaml = text_of(&file("limited.yaml", yaml));
    let asked = ["info", "--urdf", &limited];
    let contains = |arguments: &[&str], words: &[&str]| {
        let run = run(&[&asked[..], arguments].concat());
        for word in words {
            assert!(run.code == 0 && run.out.contains(word), "'{word}' is not in: {} {}", run.out, run.err);
        }
    };
    let beyond = "the limits of a joint that mimics another do not count; these can leave theirs: follower\n\n";
    contains(
        &[],
        &[
            "[revolute hinge -1.5 .. 2.0 rad (limit), -1.25 .. 2.0 rad with --soft-limits (safety_controller), 2.5 rad/s (limit)]",
            "[continuous turn without limits, no velocity limit]",
            "[revolute follower -2.0 .. 1.5 rad = -1.0 x hinge + 0.0]",
            "[prismatic slide 0.0 .. 0.5 m (limit), no velocity limit]",
            beyond,
            "  hinge  -1.5 .. 2.0 rad, also moves follower\n",
        ],
    );
    contains(
        &["--soft-limits", "--joint-limits", &yaml],
        &[
            "[revolute hinge -1.25 .. 2.0 rad (safety_controller, limit), 1.5 rad/s (joint_limits), 9.0 rad/s³ (joint_limits)]",
            "[prismatic slide 0.0 .. 0.5 m (limit), no velocity limit]",
            "  hinge  -1.25 .. 2.0 rad, also moves follower\n",
        ],
    );
    let message = run(&[&asked[..], &["--soft-limits"]].concat()).err;
    assert!(message.contains("soft limits are not used") && message.contains("slide"), "{message}");
    let narrowed = ["solve", "--urdf", &limited, "--position", "0", "0", "0", "--seed", "hinge=-1.4", "--soft-limits"];
    let refused = run(&narrowed);
    assert!(
        refused.code == 2 && refused.err.contains("-1.4 is outside the limits of joint 'hinge'"),
        "{}",
        refused.err
    );
    assert!(run(&narrowed[..narrowed.len() - 1]).code < 2);
}

#[test]
fn info_says_which_axes_a_chain_cannot_follow() {
    let out = succeeds(&["info", "--urdf", &urdf("arm7.urdf")]);
    assert!(
        out.contains("length scale 0.4520 m") && out.contains("6 of 6 axes") && !out.contains("free_axes"),
        "{out}"
    );
    let out = succeeds(&["info", "--urdf", &urdf("arm5.urdf")]);
    assert!(out.contains("5 of 6 axes") && out.contains("free_axes: rz (turn about z)"), "{out}");
    let planar = text_of(&file("planar.urdf", &common::urdf::planar(0.5, 0.4)));
    let out = succeeds(&["info", "--urdf", &planar]);
    assert!(out.contains("2 of 6 axes") && out.contains("free_axes: z,rx,ry,rz"), "{out}");
    let point = text_of(&file("point.urdf", &common::urdf::one_joint("continuous", "")));
    let out = succeeds(&["info", "--urdf", &point]);
    assert!(out.contains("no length") && out.contains("free_axes: x,y,z,"), "{out}");
}

/// A mobile base has limits such as 999 999 m, which mean none.
#[test]
fn info_says_that_a_mobile_arm_follows_all_axes() {
    for (name, base, tip) in [("frankie", "panda_base0", "frankie_hand"), ("fetch", "base0", "gripper_link")] {
        let robot = common::root().join(format!("tests/data/robots/{name}.urdf"));
        let out = succeeds(&["info", "--urdf", &text_of(&robot), "--base", base, "--tip", tip]);
        assert!(out.contains("6 of 6 axes"), "{name}: {out}");
    }
}

#[test]
fn info_of_a_robot_with_many_leaves_lists_them() {
    let out = succeeds(&["info", "--urdf", &urdf("two_arms.urdf")]);
    let last = out.lines().last().unwrap();
    for word in ["--tip", "left_hand", "right_hand", "head_link", "left_finger_mirror_link"] {
        assert!(last.contains(word), "'{word}' is not in: {last}");
    }
    assert!(out.contains("left_finger_mirror_joint") && out.contains("x left_finger_joint"), "{out}");
    let both = succeeds(&["info", "--urdf", &urdf("two_arms.urdf"), "--tip", "left_hand", "--tip", "right_hand"]);
    assert!(
        both.contains("16 variables") && both.contains("tip left_hand") && both.contains("tip right_hand"),
        "{both}"
    );
}

#[test]
fn fk_gives_every_link_in_the_root_frame() {
    let arm = common::bundled_arms().remove(1);
    let mut random = Random::new(1);
    let samples: Vec<Vec<f64>> = (0..3).map(|_| random.robot_positions(&arm.robot)).collect();
    let own = |joint: &usize| arm.robot.joints()[*joint].mimic.is_none();
    let named = |positions: &Vec<f64>| {
        let pairs = arm.robot.movable().filter(own).map(|j| (arm.robot.joints()[j].name.clone(), json!(positions[j])));
        Value::Object(pairs.collect())
    };
    let mut list: Vec<Value> = samples.iter().map(named).collect();
    list.push(json!({}));
    let path = file("positions.json", &Value::Array(list).to_string());
    let answers = parse(&succeeds(&["fk", "--urdf", &urdf("mixed_joints.urdf"), "--positions", &text_of(&path)]));
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 4);
    let mut zero = vec![0.0; arm.robot.joints().len()];
    arm.robot.apply_mimic(&mut zero);
    for (answer, positions) in answers.iter().zip(samples.iter().chain([&zero])) {
        let expected = arm.robot.link_poses(positions);
        assert_eq!(answer.as_object().unwrap().len(), expected.len());
        for (link, pose) in arm.robot.links().iter().zip(&expected) {
            assert_eq!(sorted(keys(&answer[&link.name])), ["p", "q_xyzw"]);
            let (shift, angle) = common::distance(&common::pose_from_json(&answer[&link.name]), pose);
            assert!(shift < 1e-14 && angle < 1e-14, "{}: {shift:e} m, {angle:e} rad", link.name);
        }
    }
}

#[test]
fn fk_refuses_what_it_cannot_use() {
    let fk = |name: &str, text: &str, words: &[&str]| {
        let path = text_of(&file(name, text));
        fails(&["fk", "--urdf", &urdf("arm7.urdf"), "--positions", &path], words);
    };
    fk("unknown_joint.json", r#"[{"elbow": 1}]"#, &["'elbow'"]);
    fk("bad.json", "[{", &["bad.json", "line 1"]);
    fk("object.json", r#"{"elbow_joint": 1}"#, &["object.json"]);
    fk("text.json", r#"[{"elbow_joint": "1"}]"#, &["text.json"]);
    fk("huge.json", r#"[{"elbow_joint": 1e999}]"#, &["huge.json"]);
    fk("twice.json", r#"[{"elbow_joint": 1, "elbow_joint": 2}]"#, &["twice.json", "'elbow_joint' stands there twice"]);
    fails(&["fk", "--urdf", &urdf("arm7.urdf"), "--positions", "/nowhere.json"], &["/nowhere.json"]);
    fails(&["fk", "--urdf", "/nowhere.urdf", "--positions", "/nowhere.json"], &["/nowhere.urdf"]);
}

#[test]
fn robots_that_do_not_load_are_reported_with_their_file() {
    let broken = text_of(&file("broken.urdf", "<robot name='r'><link name='a'>"));
    fails(&["info", "--urdf", &broken], &["broken.urdf", "well-formed"]);
    let latin1 = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latin1.urdf");
    std::fs::write(&latin1, b"<robot name='gr\xfc\xdfe'><link name='a'/></robot>").unwrap();
    fails(&["info", "--urdf", &text_of(&latin1)], &["latin1.urdf", "byte 15 is not UTF-8"]);
    let missing = run(&["info", "--urdf", "/nowhere.urdf"]);
    assert_eq!(missing.err, "urdf_ik: cannot read /nowhere.urdf: there is no such file\n");
    fails(&["info", "--urdf", env!("CARGO_TARGET_TMPDIR")], &[env!("CARGO_TARGET_TMPDIR"), "a directory"]);
    let warned = one_mimic_of_nobody();
    let run = run(&["info", "--urdf", &warned]);
    assert_eq!(run.code, 0);
    assert!(run.err.contains("'j'") && run.err.contains("'nobody'"), "{}", run.err);
}

#[test]
fn endless_and_waiting_files_are_refused() {
    let arm = urdf("arm7.urdf");
    fails(&["info", "--urdf", "/dev/zero"], &["/dev/zero", "a device"]);
    fails(&["fk", "--urdf", &arm, "--positions", "/dev/zero"], &["/dev/zero", "a device"]);
    fails(&["evaluate", "--urdf", &arm, "--cases", "/dev/zero"], &["/dev/zero", "a device"]);
    let path = ["path", "--urdf", &arm, "--waypoints", "/dev/zero"];
    fails(&path, &["/dev/zero", "a device"]);
    let deep = text_of(&file("deep.json", &"[".repeat(1_000_000)));
    fails(&["fk", "--urdf", &arm, "--positions", &deep], &["deep.json"]);
    let deep = text_of(&file("deep_cases.json", &format!("{{\"x\": {}", "[".repeat(1_000_000))));
    fails(&["evaluate", "--cases", &deep], &["deep_cases.json"]);
}

#[test]
fn a_dash_means_standard_input() {
    let arm = urdf("arm7.urdf");
    let open = |path: &str| std::fs::File::open(path).unwrap();
    assert_eq!(run_with_input(&["info", "--urdf", "-"], open(&arm)).out, succeeds(&["info", "--urdf", &arm]));
    let list = text_of(&file("dash.json", r#"[{"elbow_joint": 0.5}]"#));
    let fk = |path: &str| ["fk", "--urdf", &arm, "--positions", path].map(str::to_owned);
    let arguments = fk("-");
    let piped = run_with_input(&arguments.each_ref().map(String::as_str), open(&list));
    assert_eq!(piped.out, succeeds(&fk(&list).each_ref().map(String::as_str)));
    let endless = run_with_input(&["info", "--urdf", "-"], open("/dev/zero"));
    assert_eq!(endless.code, 2);
    assert!(endless.err.contains("standard input: it is larger than 16777216 bytes"), "{}", endless.err);
}

fn one_mimic_of_nobody() -> String {
    text_of(&file("mimic.urdf", &common::urdf::one_joint("continuous", "<mimic joint='nobody'/>")))
}

/// A reader that stops early, as `head -1` does, is not a failure. The text is longer than the buffer of a pipe.
#[test]
fn a_closed_standard_output_is_not_a_failure() {
    let mut rest = String::new();
    let mut links = "base".to_owned();
    for index in 0..4000 {
        write!(links, " link{index}").unwrap();
        rest += &common::urdf::fixed(&format!("joint{index}"), "base", &format!("link{index}"), "0 0 1");
    }
    let path = text_of(&file("bush.urdf", &common::urdf::robot(&links, &rest)));
    let mut child = command(&["info", "--urdf", &path]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

/// A case file of reachable targets, joints in reverse order, and one target that is out of reach at the end.
fn cases(arm: &Arm, count: usize) -> Value {
    let mut random = Random::new(3);
    let backwards = |positions: &[f64]| positions.iter().rev().copied().collect::<Vec<_>>();
    let case = |random: &mut Random, far: bool| {
        let source = random.positions(&arm.chain);
        let mut pose = arm.tip_poses(&source)[0];
        pose.translation.vector.x += if far { 5.0 } else { 0.0 };
        let (p, q): ([f64; 3], [f64; 4]) = (pose.translation.vector.into(), pose.rotation.coords.into());
        json!({"seed": backwards(&arm.chain.nominal_positions()), "seed_random": backwards(&random.positions(&arm.chain)),
               "target": {"p": p, "q_xyzw": q}, "q_source": backwards(&source)})
    };
    let list: Vec<Value> = (0..=count).map(|index| case(&mut random, index == count)).collect();
    let names: Vec<&str> = arm.chain.variables().iter().rev().map(|variable| variable.name.as_str()).collect();
    json!({"robot": arm.name, "urdf": "evaluated.urdf", "base_link": arm.chain.base(), "tip_link": arm.chain.tips()[0].link,
           "joint_names": names, "lower": [], "upper": [], "continuous": [], "cases": list})
}

#[test]
fn evaluate_reports_rate_and_times_and_writes_both_of_each_case() {
    let arm = &common::bundled_arms()[1];
    let cases = cases(arm, 10);
    let path = text_of(&file("cases.json", &cases.to_string()));
    let text = std::fs::read_to_string(common::urdf_path("mixed_joints.urdf")).unwrap();
    file("evaluated.urdf", &text);
    for seed in ["nominal", "random"] {
        let [solutions, times] = ["solutions", "times"]
            .map(|name| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}_{seed}.json")));
        let files = ["--solutions", &text_of(&solutions), "--times", &text_of(&times)];
        // A time limit that holds on a busy machine.
        let options = [&["--seed", seed, "--timeout-ms", "60000"], files.as_slice()].concat();
        let report = parse(&succeeds(&[&["evaluate", "--cases", &path], options.as_slice()].concat()));
        assert_eq!(sorted(keys(&report)), sorted(REPORT.to_vec()));
        assert_eq!(
            (&report["robot"], &report["solver"], &report["seed"]),
            (&json!(arm.name), &json!("jacobian"), &json!(seed))
        );
        assert_eq!((&report["cases"], &report["solved"]), (&json!(11), &json!(10)));
        let time = |key: &str| report[key].as_f64().unwrap();
        assert!(time("median_us") > 0.0 && time("median_us") <= time("p95_us"), "{report}");
        assert!(time("p95_us") <= time("p99_us") && time("p99_us") <= time("max_us"), "{report}");
        let times: [f64; 11] = common::numbers(&common::read_json(&times));
        let mean = times.iter().sum::<f64>() / 11.0;
        assert!((mean / time("mean_us") - 1.0).abs() < 1e-9, "{times:?} {report}");
        let largest = times.iter().copied().fold(0.0, f64::max);
        assert!((largest / time("max_us") - 1.0).abs() < 1e-9, "{times:?} {report}");
        let answers = common::read_json(&solutions);
        let answers = answers.as_array().unwrap();
        assert_eq!((answers.len(), &answers[10]), (11, &Value::Null));
        for (case, answer) in cases["cases"].as_array().unwrap().iter().zip(answers).take(10) {
            let mut positions: [f64; 7] = common::numbers(answer);
            positions.reverse();
            assert!(arm.chain.contains(&positions));
            let (shift, angle) =
                common::distance(&arm.tip_poses(&positions)[0], &common::pose_from_json(&case["target"]));
            assert!(shift <= 1e-5 && angle <= 1e-5, "{shift:e} m, {angle:e} rad");
        }
    }
}

const REPORT: [&str; 12] = [
    "robot",
    "solver",
    "seed",
    "cases",
    "solved",
    "mean_us",
    "median_us",
    "p95_us",
    "p99_us",
    "max_us",
    "mean_iterations",
    "mean_restarts",
];

#[test]
fn evaluate_takes_its_options_and_refuses_bad_files() {
    let arm = &common::bundled_arms()[0];
    let cases = cases(arm, 3);
    let urdf = urdf("arm7.urdf");
    let evaluate = |name: &str, cases: &Value| {
        let path = text_of(&file(name, &cases.to_string()));
        ["evaluate", "--urdf", &urdf, "--cases", &path].map(str::to_owned).to_vec()
    };
    let good = evaluate("few.json", &cases);
    let with = |more: &[&'static str]| {
        let mut arguments: Vec<&str> = good.iter().map(String::as_str).collect();
        arguments.extend(more);
        arguments
    };
    let report =
        parse(&succeeds(&with(&["--max-cases", "2", "--position-tolerance", "1e-3", "--timeout-ms", "60000"])));
    assert_eq!((&report["cases"], &report["solved"]), (&json!(2), &json!(2)));
    fails(&with(&["--position-tolerance", "0"]), &["position tolerance"]);
    fails(&with(&["--timeout-ms", "nan"]), &[]);
    fails(&with(&["--solver", "newton"]), &["newton"]);
    fails(&with(&["--no-polish"]), &["--no-polish", "jacobian"]);
    fails(&with(&["--fabrik-acceleration", "2"]), &["--fabrik-acceleration", "jacobian"]);
    fails(&with(&["--solutions", "/nowhere/out.json"]), &["/nowhere/out.json"]);
    fails(&with(&["--times", "/nowhere/out.json"]), &["/nowhere/out.json"]);
    fails(&with(&["--solutions", "-"]), &["--solutions", "standard output has the summary"]);
    fails(&with(&["--max-cases", "0"]), &["no case to solve"]);
    let bad = |name: &str, change: &dyn Fn(&mut Value), words: &[&str]| {
        let mut changed = cases.clone();
        change(&mut changed);
        let arguments = evaluate(name, &changed);
        fails(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), words);
    };
    bad("no_tip.json", &|file| file["tip_link"] = json!("gripper"), &["'gripper'"]);
    bad("joint.json", &|file| file["joint_names"][0] = json!("hinge"), &["'hinge'"]);
    bad("seed.json", &|file| file["cases"][1]["seed"] = json!([0, 0]), &["seed.json", "case 1", "2 entries"]);
    bad("zero.json", &|file| file["cases"][2]["target"]["q_xyzw"] = json!([0, 0, 0, 0]), &["case 2", "quaternion"]);
    bad("more.json", &|file| file["cases"][1]["target"]["rpy"] = json!([0, 0, 0]), &["case 1", "unknown field `rpy`"]);
    bad("keys.json", &|file| file["cases"] = json!([{}]), &["keys.json", "seed"]);
    bad("six.json", &|file| drop(file["joint_names"].as_array_mut().unwrap().pop()), &["6 joints"]);
    fails(&["evaluate", "--cases", "/nowhere.json"], &["/nowhere.json"]);
    let mut lonely = cases;
    lonely["urdf"] = json!("absent.urdf");
    let lonely = text_of(&file("lonely.json", &lonely.to_string()));
    fails(&["evaluate", "--cases", &lonely], &["absent.urdf"]);
}
