//! `urdf_ik skeleton`: the command.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::{numbers, root};
use crate::shell::{Run, command, fails, file, keys, parse, run, sorted, succeeds, text_of};

pub fn model(name: &str) -> String {
    let folder =
        if Path::new(name).extension().is_some_and(|ending| ending == "urdf") { "urdf" } else { "config/skeletons" };
    text_of(&root().join(folder).join(name))
}

/// The answers of a stream to `lines`, after the description of the model.
pub fn stream(model: &str, input: &[u8]) -> (Value, Vec<Value>) {
    let mut running = command(&["skeleton", "--model", model, "--stream"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    running.stdin.take().unwrap().write_all(input).unwrap();
    let output = running.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(parse);
    let description = lines.next().unwrap()["model"].take();
    (description, lines.collect())
}

pub fn answers(name: &str, requests: &[Value]) -> (Value, Vec<Value>) {
    let input: Vec<String> = requests.iter().map(Value::to_string).collect();
    let (description, answers) = stream(&model(name), input.join("\n").as_bytes());
    assert_eq!(answers.len(), requests.len());
    (description, answers)
}

pub fn target(point: &str, position: [f64; 3]) -> Value {
    json!([{ "point": point, "position": position }])
}

pub fn point(answer: &Value, index: usize) -> [f64; 3] {
    numbers(&answer["points"][index])
}

pub fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn the_command_prints_points_by_name() {
    let targets = file("noodle_targets.json", &target("s24", [0.4, 0.3, 0.5]).to_string());
    let answer = parse(&succeeds(&["skeleton", "--model", &model("noodle.yaml"), "--targets", &text_of(&targets)]));
    let expected = "accelerated is_solved iterations limited microseconds orientations points residuals restarts"
        .split(' ')
        .collect();
    assert_eq!(sorted(keys(&answer)), sorted(expected));
    assert_eq!(keys(&answer["points"]).len(), 25);
    assert_eq!(keys(&answer["orientations"]).len(), 25);
    assert_eq!(answer["residuals"][0]["point"], "s24");
    assert!(apart(numbers(&answer["points"]["s24"]), [0.4, 0.3, 0.5]) <= 1e-6);
    // The same request has the same answer except for the time.
    let mut again = parse(&succeeds(&["skeleton", "--model", &model("noodle.yaml"), "--targets", &text_of(&targets)]));
    again["microseconds"] = answer["microseconds"].clone();
    assert_eq!(answer, again);
}

#[test]
fn the_exit_status_says_whether_the_targets_are_met() {
    let far = file("far_targets.json", &target("s24", [3.0, 0.0, 0.0]).to_string());
    let Run { code, out, err } = run(&["skeleton", "--model", &model("noodle.yaml"), "--targets", &text_of(&far)]);
    let answer = parse(&out);
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!(answer["is_solved"], false);
    assert!(answer["residuals"][0]["reason"].as_str().unwrap().starts_with("out of reach: 3.000000 m"), "{answer}");
    // Stretched towards the target.
    assert!(apart(numbers(&answer["points"]["s24"]), [1.2, 0.0, 0.0]) < 1e-6);
}

#[test]
fn switches_change_the_solve() {
    let targets = text_of(&file("switch_targets.json", &target("s24", [0.4, 0.3, 0.5]).to_string()));
    let answer = |more: &[&str]| {
        parse(&succeeds(&[&["skeleton", "--model", &model("noodle.yaml"), "--targets", &targets], more].concat()))
    };
    let plain = answer(&["--acceleration", "0"]);
    assert_eq!(plain["accelerated"], 0);
    assert!(plain["iterations"].as_u64() > answer(&[])["iterations"].as_u64());
    let moved = answer(&["--root", "0.1", "0", "0.2", "0", "0", "0", "1"]);
    assert_eq!(numbers::<3>(&moved["points"]["root"]), [0.1, 0.0, 0.2]);
    let free = answer(&["--free-root"]);
    assert!(apart(numbers(&free["points"]["root"]), [0.0; 3]) > 0.01);
    let tight = answer(&["--tolerance", "1e-9"]);
    assert!(apart(numbers(&tight["points"]["s24"]), [0.4, 0.3, 0.5]) <= 1e-9);
    // An answer is a seed.
    let seed = text_of(&file("switch_seed.json", &tight.to_string()));
    assert_eq!(answer(&["--seed", &seed])["iterations"], 0);
}

#[test]
fn segments_that_cannot_move_are_not_limited() {
    let segments = "segments: [{name: a, length: 1, fixed: true}, {name: b, length: 1, hinge: {range: [0, 10]}}]";
    let targets = text_of(&file("stiff_targets.json", &target("b", [1.0, 1.0, 0.0]).to_string()));
    for dimensions in [2, 3] {
        let model = text_of(&file("stiff.yaml", &format!("dimensions: {dimensions}\n{segments}")));
        let arguments = ["skeleton", "--model", &model, "--targets", &targets];
        assert_eq!(parse(&run(&arguments).out)["limited"], json!(["b"]), "{dimensions}");
        let free = parse(&succeeds(&[&arguments[..], &["--no-limits"]].concat()));
        assert!(apart(numbers(&free["points"]["a"]), [1.0, 0.0, 0.0]) < 1e-12, "{free}");
    }
    let plane = text_of(&file("stiff_plane.yaml", &format!("dimensions: 2\n{segments}")));
    let above = text_of(&file("above_targets.json", &target("b", [1.0, 1.0, 0.5]).to_string()));
    fails(&["skeleton", "--model", &plane, "--targets", &above], &["the target for 'b' leaves the plane"]);
}

#[test]
fn only_joints_at_a_limit_are_limited() {
    let at_limit = |angle: f64, range: &Value| {
        numbers::<2>(range).iter().any(|end| (0.5 * (angle - end.to_radians())).sin().abs() < 1e-9)
    };
    let segments = "dimensions: 2\nsegments: [{name: a, length: 1, hinge: {range: [30, 30]}}, \
                    {name: b, length: 1, hinge: {range: [-20, 40]}}, {name: c, length: 1, hinge: {range: [-50, 60]}}]";
    let figure = text_of(&file("three_hinges.yaml", segments));
    let mut named = 0;
    for step in 0..60_i32 {
        let (sine, cosine) = (0.1 * f64::from(step)).sin_cos();
        let targets = text_of(&file("hinge_targets.json", &target("c", [2.5 * cosine, 2.5 * sine, 0.0]).to_string()));
        let answer = parse(&run(&["skeleton", "--model", &figure, "--targets", &targets, "--restarts", "2"]).out);
        for name in answer["limited"].as_array().unwrap() {
            let range = match name.as_str().unwrap() {
                "b" => json!([-20, 40]),
                "c" => json!([-50, 60]),
                other => panic!("{other} has a single value"),
            };
            let angle = answer["positions"][name.as_str().unwrap()].as_f64().unwrap();
            assert!(at_limit(angle, &range), "{step}: {name} at {angle}");
            named += 1;
        }
    }
    assert!(named > 20, "{named}");
}

#[test]
fn switches_that_would_change_nothing_are_refused() {
    let refused = |figure: &str, (point, position): (&str, [f64; 3]), switches: &[&str], words: &[&str]| {
        let targets = text_of(&file(&format!("nothing_{point}.json"), &target(point, position).to_string()));
        fails(&[&["skeleton", "--model", &model(figure), "--targets", &targets], switches].concat(), words);
    };
    let (noodle, humanoid) = (("s24", [0.4, 0.3, 0.5]), ("head", [0.1, 0.0, 0.9]));
    refused("humanoid.yaml", humanoid, &["--circles"], &["circles has no meaning here"]);
    refused("noodle.yaml", noodle, &["--circles", "--free-root"], &["circles has no meaning here"]);
    refused("noodle.yaml", noodle, &["--no-polish"], &["--no-polish", "no meaning here"]);
    refused("noodle.yaml", noodle, &["--restarts", "10001"], &["restarts are 10001; the most is 10000"]);
    let request = json!({ "targets": [], "pass": "forward", "options": { "iterations": 3 } });
    assert_eq!(answers("noodle.yaml", &[request]).1[0]["error"], "iterations has no meaning for a single pass");
}

#[test]
fn limits_can_be_left_out() {
    // Four joints of 25 degrees do not bend a back so far.
    let targets = text_of(&file("limit_targets.json", &target("head", [0.55, 0.0, 0.97]).to_string()));
    let arguments = ["skeleton", "--model", &model("humanoid.yaml"), "--targets", &targets];
    let limited = parse(&run(&arguments).out);
    assert_eq!(limited["is_solved"], false);
    assert!(!limited["limited"].as_array().unwrap().is_empty());
    assert_eq!(parse(&succeeds(&[&arguments[..], &["--no-limits"]].concat()))["is_solved"], true);
}

#[test]
fn single_passes_are_steps_of_a_cycle() {
    let targets = text_of(&file("pass_targets.json", &target("s24", [0.4, 0.3, 0.5]).to_string()));
    let arguments = ["skeleton", "--model", &model("noodle.yaml"), "--targets", &targets];
    let pass = |passes: &str| parse(&succeeds(&[&arguments[..], &["--pass", passes]].concat()));
    let at = |answer: &Value, name: &str| numbers::<3>(&answer["points"][name]);
    let forward = pass("forward");
    assert!(apart(at(&forward, "s24"), [0.4, 0.3, 0.5]) < 1e-12 && apart(at(&forward, "root"), [0.0; 3]) > 1e-3);
    let cycle = pass("forward,backward");
    assert_eq!(cycle["is_solved"], false);
    assert_eq!(at(&cycle, "root"), [0.0; 3]);
    assert!(apart(at(&cycle, "s24"), [0.4, 0.3, 0.5]) > 1e-6);
    // One cycle of a solve without acceleration is the same.
    let solve = [&arguments[..], &["--iterations", "1", "--acceleration", "0"]].concat();
    let solve = parse(&run(&solve).out);
    assert_eq!(solve["points"], cycle["points"]);
}

#[test]
fn wrong_arguments_and_files_are_refused_in_one_line() {
    let noodle = model("noodle.yaml");
    let targets = |text: &str| text_of(&file(&format!("wrong_targets_{}.json", text.len()), text));
    let with = |text: &str, more: &[&str], words: &[&str]| {
        fails(&[&["skeleton", "--model", &noodle, "--targets", &targets(text)], more].concat(), words);
    };
    let good = target("s24", [0.4, 0.3, 0.5]).to_string();
    fails(&["skeleton", "--model", "no/such.yaml", "--stream"], &["no/such.yaml", "there is no such file"]);
    fails(&["skeleton", "--model", &noodle], &["--targets"]);
    fails(&["skeleton", "--model", &noodle, "--stream", "--circles"], &["--stream", "--circles"]);
    with("[", &[], &["wrong_targets_1.json", "EOF"]);
    with("[]", &[], &["no target"]);
    with(&target("s25", [0.0; 3]).to_string(), &[], &["there is no point 's25'", "s24"]);
    with(&format!("{}, {}", &good[..good.len() - 1], &good[1..]), &[], &["there are two targets for 's24'"]);
    with(r#"[{"point": "s24", "position": [0, 0, 0], "weight": 0}]"#, &[], &["target for 's24' has the weight 0.0"]);
    with(r#"[{"point": "s24", "position": [0, 0, 0], "weight": 1e308}]"#, &[], &["has the weight 1e308;"]);
    with(r#"[{"point": "s24", "position": [0, 1e200, 0]}]"#, &[], &["target for 's24' is at y = 1e200 m"]);
    with(r#"[["s24", [0, 0, 0], null, 1]]"#, &[], &["invalid type: sequence, expected an object"]);
    with(r#"[{"point": "s24", "position": [0, "high", 0]}]"#, &[], &["expected a number at line 1"]);
    with(
        r#"[{"point": "b\u0000\n\u001b", "position": [0, 0, 0]}]"#,
        &[],
        &["no point 'b\\u{0}\\n\\u{1b}'; the ends are s24"],
    );
    with(r#"[{"po\u001bint": "s24"}]"#, &[], &["unknown field `po\\u{1b}int`"]);
    with(r#"[{"point": "s24", "position": [0, 0]}]"#, &[], &["wrong_targets", "length 2"]);
    with(
        r#"[{"point": "s24", "position": [0, 0, 0], "orientation": [0, 0, 0, 2]}]"#,
        &[],
        &["target for 's24'", "[0.0, 0.0, 0.0, 2.0]", "quaternion"],
    );
    with(&good, &["--tolerance", "nan"], &["tolerance is NaN"]);
    with(&good, &["--acceleration", "1000000"], &["acceleration is 1000000; the most is 100"]);
    with(&good, &["--up", "0", "0", "1"], &["up has no meaning for a model of the kind skeleton"]);
    with(&good, &["--pass", "sideways"], &["sideways"]);
    with(&good, &["--pass", "forward", "--restarts", "3"], &["restarts has no meaning for a single pass"]);
    with(&good, &["--pass", "forward", "--figure", "drawn.svg"], &["--pass", "--figure"]);
    with(&good, &["--longest-step", "0.1"], &["--longest-step", "no meaning for a model of the kind skeleton"]);
    with(
        r#"[{"point": "s24", "position": [0, 0, 0, 0]}]"#,
        &[],
        &["target 1: an array has too many entries at line 1"],
    );
    with(&good, &["--root", "0", "0", "1e308", "0", "0", "0", "1"], &["the root is at z = 1e308 m"]);
    with(&good, &["--root", "0", "0", "0", "0", "0", "0", "0"], &["the root has the orientation [0.0, 0.0, 0.0, 0.0]"]);
    with(&good, &["--seed", &targets(&good)], &["wrong_targets", "invalid type: sequence, expected an object"]);
    with(
        &good,
        &["--seed", &targets("{\"points\": {}, \"orientations\": {}}")],
        &["no point or no orientation 'root'"],
    );
    let wrong = text_of(&file("upside_down.yaml", "segments:\n  - {name: a, length: 1, hinge: {range: [1, 0]}}"));
    fails(
        &["skeleton", "--model", &wrong, "--stream"],
        &["upside_down.yaml, line 2: segment 'a'", "from 1 to 0 degrees"],
    );
    let six = text_of(&root().join("urdf/arm6.urdf"));
    fails(&["skeleton", "--model", &six, "--stream"], &["no arm of two or three links", "6 movable joints"]);
}
