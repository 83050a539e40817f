//! `urdf_ik skeleton --stream`: requests and answers, line by line.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::numbers;
use crate::shell::{command, file, keys, parse, text_of};
use crate::skeleton::{answers, apart, model, point, stream, target};

#[test]
fn the_stream_describes_the_model_first() {
    let (humanoid, _) = answers("humanoid.yaml", &[]);
    assert_eq!(
        (&humanoid["name"], &humanoid["kind"], &humanoid["dimensions"]),
        (&json!("humanoid"), &json!("skeleton"), &json!(3))
    );
    assert_eq!(humanoid["ends"], json!(["head", "left_hand", "right_hand", "left_foot", "right_foot"]));
    let count = humanoid["points"].as_array().unwrap().len();
    assert_eq!(humanoid["points"][0], "pelvis");
    assert_eq!(humanoid["segments"].as_array().unwrap().len(), count - 1);
    let named =
        |name: &str| humanoid["segments"].as_array().unwrap().iter().find(|segment| segment["name"] == name).unwrap();
    assert_eq!(named("left_forearm")["parent"], "left_upper_arm");
    assert_eq!(named("left_forearm")["joint"], "hinge");
    assert_eq!(named("left_forearm")["limits"], json!({ "axis": [0.0, -1.0, 0.0], "range": [0.0, 140.0] }));
    let shoulder = json!({ "up": 60.0, "down": 40.0, "left": 70.0, "right": 30.0, "twist": [-45.0, 45.0] });
    assert_eq!(named("left_upper_arm")["limits"], shoulder);
    for list in ["points", "orientations"] {
        assert_eq!(humanoid["rest"][list].as_array().unwrap().len(), count);
    }
    assert_eq!(numbers::<3>(&humanoid["rest"]["points"][0]), [0.0, 0.0, 0.97]);
}

#[test]
fn the_stream_goes_on_from_where_the_figure_is() {
    let there = target("s24", [0.4, 0.3, 0.5]);
    let (_, answers) = answers(
        "noodle.yaml",
        &[
            json!({ "targets": there }),
            json!({ "targets": there }),
            json!({ "targets": there, "seed": "rest" }),
            json!({ "targets": there, "root": { "position": [0.1, 0.0, 0.0] } }),
            json!({ "targets": there }),
            json!({ "targets": target("s24", [3.0, 0.0, 0.0]), "root": "free" }),
        ],
    );
    assert!(answers.iter().all(|answer| answer["is_solved"] == true), "{answers:?}");
    assert_eq!(answers[1]["iterations"], 0);
    assert_eq!(answers[1]["points"], answers[0]["points"]);
    assert_eq!((&answers[2]["points"], &answers[2]["iterations"]), (&answers[0]["points"], &answers[0]["iterations"]));
    assert_eq!(point(&answers[3], 0), [0.1, 0.0, 0.0]);
    assert_eq!(answers[4]["points"], answers[3]["points"]);
    assert!(point(&answers[5], 0)[0] > 1.0);
}

#[test]
fn single_passes_leave_the_root_where_it_belongs_in_the_end() {
    let there = target("left_hand", [0.3, 0.4, 1.2]);
    let pass = |pass: &str| json!({ "targets": there, "pass": pass });
    let requests = [pass("forward"), pass("backward"), pass("forward"), json!({ "targets": there })];
    let (_, answers) = answers("humanoid.yaml", &requests);
    let home = [0.0, 0.0, 0.97];
    assert!(apart(point(&answers[0], 0), home) > 1e-3);
    assert!(apart(point(&answers[1], 0), home) < 1e-12);
    assert!(apart(point(&answers[3], 0), home) < 1e-12);
    assert_eq!(answers[3]["is_solved"], true);
    assert_eq!(answers[0]["residuals"][0]["reason"], Value::Null);
}

#[test]
fn a_wrong_line_is_answered_and_nothing_is_lost() {
    let there = target("s24", [0.4, 0.3, 0.5]);
    let good = format!("{}\n", json!({ "targets": there }));
    let wrong: &[(&str, &str)] = &[
        ("", "EOF while parsing a value at column 0"),
        ("{", "EOF while parsing an object at column 1"),
        ("x", "expected value at column 1"),
        ("[]", "invalid type: sequence, expected an object"),
        ("{\"options\": []}", "invalid type: sequence, expected an object"),
        ("{\"options\": {\"restarts\": -1}}", "expected a whole number"),
        ("{\"root\": [[0, 0, 0], null]}", "the root must be"),
        ("{\"targets\": [[\"s24\", [0.5, 0.3, 1.2], null, 1.0]]}", "expected an object"),
        ("{\"targets\": [}", "expected value"),
        ("{\"target\": []}", "unknown field `target`"),
        ("{\"targets\": [{\"point\": \"s24\", \"position\": [NaN, 0, 0]}]}", "expected value"),
        ("{\"targets\": [{\"point\": \"s24\", \"position\": [1e999, 0, 0]}]}", "number out of range"),
        (
            "{\"targets\": [{\"point\": \"s24\", \"position\": [1e300, 0, 0]}]}",
            "the target for 's24' is at x = 1e300 m",
        ),
        ("{\"targets\": [{\"point\": \"hand\", \"position\": [0, 0, 0]}]}", "there is no point 'hand'"),
        ("{\"targets\": []}", "there is no target"),
        ("{\"root\": \"loose\"}", "the root must be \"fixed\", \"free\" or"),
        ("{\"seed\": \"other\"}", "unknown variant `other`"),
        ("{\"options\": {\"polished\": true}}", "unknown field `polished`"),
        ("{\"method\": \"damped\"}", "method has no meaning"),
        ("[[[[", "invalid type"),
        ("{\"targets\": 1}\u{0}", "invalid type"),
    ];
    let mut input = good.clone().into_bytes();
    for (line, _) in wrong {
        input.extend(format!("{line}\n").bytes());
    }
    input.extend(b"\xff\xfe\n");
    input.extend("[".repeat(100_000).bytes());
    input.push(b'\n');
    // Too long, then valid, without a line end.
    input.extend(vec![b' '; 5 << 20]);
    input.push(b'\n');
    input.extend(good.trim_end().bytes());
    let (_, answers) = stream(&model("noodle.yaml"), &input);
    assert_eq!(answers.len(), wrong.len() + 5);
    for ((line, word), answer) in wrong.iter().zip(&answers[1..]) {
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{line}: {answer}"));
        assert!(error.contains(word) && error.len() < 600 && !error.contains('\n'), "{line}: {error}");
    }
    let errors: Vec<_> =
        answers[wrong.len() + 1..].iter().map(|answer| answer["error"].as_str().unwrap_or("")).collect();
    assert!(errors[..2].iter().all(|error| error.contains("line is no request")), "{errors:?}");
    assert!(errors[2].contains("longer than 1048576 bytes"), "{errors:?}");
    let last = answers.last().unwrap();
    assert_eq!((&last["points"], &last["iterations"]), (&answers[0]["points"], &json!(0)));
}

#[test]
fn an_answer_comes_as_soon_as_its_line() {
    use std::io::{BufRead, BufReader};
    let mut running = command(&["skeleton", "--model", &model("noodle.yaml"), "--stream"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (running.stdin.take().unwrap(), BufReader::new(running.stdout.take().unwrap()));
    let mut lines = output.lines();
    lines.next().unwrap().unwrap();
    for height in [0.5, 0.6, 0.7] {
        writeln!(input, "{}", json!({ "targets": target("s24", [0.4, 0.3, height]) })).unwrap();
        let answer = parse(&lines.next().unwrap().unwrap());
        assert!(apart(point(&answer, 24), [0.4, 0.3, height]) <= 1e-6);
    }
    drop(input);
    assert!(lines.next().is_none() && running.wait().unwrap().success());
}

#[test]
fn arms_of_pitch_and_yaw_follow_paths() {
    let there = target("tip", [0.5, 0.4, 0.6]);
    let back = target("tip", [0.9, -0.2, 0.3]);
    let (arm, answers) = answers(
        "pitch_yaw.yaml",
        &[
            json!({ "targets": there, "method": "pseudoinverse" }),
            json!({ "targets": back, "path": { "longest_step": 0.05 } }),
            json!({ "targets": target("wrist", [0.5, 0.4, 0.6]) }),
            json!({ "targets": target("tip", [0.0, 0.0, 1.2]), "limits": false, "seed": "rest" }),
            json!({ "targets": there, "options": { "circles": true } }),
        ],
    );
    assert_eq!((&arm["kind"], &arm["ends"]), (&json!("pitch_yaw"), &json!(["tip"])));
    assert_eq!(arm["segments"][1]["limits"], json!({ "pitch": [-120.0, 90.0], "yaw": [-60.0, 60.0] }));
    assert!(apart(point(&answers[0], 5), [0.5, 0.4, 0.6]) <= 1e-6);
    let path = answers[1]["path"].as_array().unwrap();
    let even: Vec<[f64; 3]> = path.iter().filter(|point| point["given"] == true).map(|step| point(step, 5)).collect();
    assert!(even.len() >= 16 && even.len() <= path.len());
    let steps: Vec<f64> = even.windows(2).map(|pair| apart(pair[0], pair[1])).collect();
    assert!(steps.iter().all(|step| (step - steps[0]).abs() < 1e-5 && *step <= 0.05), "{steps:?}");
    assert!(apart(even[even.len() - 1], [0.9, -0.2, 0.3]) <= 1e-6);
    assert_eq!(answers[1]["points"], path[path.len() - 1]["points"]);
    assert!(answers[2]["error"].as_str().unwrap().contains("an arm takes one for its tip, 'tip'"));
    assert_eq!(answers[3]["is_solved"], true);
    assert_eq!(answers[4]["error"], "circles has no meaning for a model of the kind pitch_yaw");
}

#[test]
fn arms_of_two_and_three_links_have_all_configurations() {
    let there = target("tip", [0.35, 0.2, 0.55]);
    let (two, found) =
        answers("two_link.urdf", &[json!({ "targets": there }), json!({ "targets": target("tip", [2.0, 0.0, 0.3]) })]);
    assert_eq!((&two["kind"], &two["ends"]), (&json!("two_link"), &json!(["tip"])));
    assert_eq!(found[0]["configurations"].as_array().unwrap().len(), 4);
    for configuration in found[0]["configurations"].as_array().unwrap() {
        assert!(apart(point(configuration, 3), [0.35, 0.2, 0.55]) < 1e-12);
        assert_eq!(keys(&configuration["positions"]), ["column_joint", "elbow_joint", "shoulder_joint"]);
    }
    // Out of reach it is stretched from the shoulder, 0.3 m high, by both links.
    assert!(apart(point(&found[1], 3), [0.75, 0.0, 0.3]) < 1e-9);
    assert!(found[1]["residuals"][0]["reason"].as_str().unwrap().starts_with("out of reach by 1.25"));

    let request = json!({ "targets": there, "up": [0.3, -0.2, 0.9] });
    let (three, found) =
        answers("three_link.urdf", &[request.clone(), request, json!({ "targets": there, "up": [0, 0, 0] })]);
    assert_eq!(three["kind"], "three_link");
    assert_eq!(found[0]["configurations"].as_array().unwrap().len(), 8);
    for configuration in found[0]["configurations"].as_array().unwrap() {
        let (wrist, tip) = (point(configuration, 3), point(configuration, 4));
        assert!(apart(tip, [0.35, 0.2, 0.55]) < 1e-12);
        let length = f64::sqrt(0.3 * 0.3 + 0.2 * 0.2 + 0.9 * 0.9);
        let up = [0.3, -0.2, 0.9].map(|part| 0.15 * part / length);
        assert!(apart([0, 1, 2].map(|axis| tip[axis] - wrist[axis]), up) < 1e-12);
    }
    // The configuration nearest to the previous one.
    assert_eq!(found[1]["points"], found[0]["points"]);
    assert!(found[2]["error"].as_str().unwrap().contains("up vector is (0, 0, 0)"), "{}", found[2]);
}

#[test]
fn requests_have_an_id_a_time_limit_and_bounds() {
    let far = target("s24", [9.0, 0.0, 0.0]);
    let request = |more: Value| {
        let mut request = json!({ "targets": far, "id": "seven" });
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let (_, answers) = answers(
        "noodle.yaml",
        &[
            request(json!({})),
            request(json!({ "options": { "iterations": 1_000_000_000_000_000_000_u64 } })),
            request(json!({ "options": { "restarts": 10_001 } })),
            request(json!({ "options": { "time_limit": -1.0 } })),
            request(json!({ "options": { "time_limit": 1e-9 } })),
        ],
    );
    assert!(answers.iter().all(|answer| answer["id"] == "seven"));
    assert_eq!(answers[0]["residuals"][0]["is_certain"], true);
    let refusals = [
        "the iterations are 1000000000000000000; the most is 1000000",
        "the restarts are 10001; the most is 10000",
        "the time limit is -1.0 s; give a number of seconds above 0",
    ];
    for (answer, refusal) in answers[1..4].iter().zip(refusals) {
        assert_eq!(answer["error"], refusal);
    }
    assert!(answers[4]["iterations"].as_u64().unwrap() <= 1, "{}", answers[4]);
}

#[test]
fn points_that_are_held_keep_their_place() {
    let request = |hold: Value, position: [f64; 3]| json!({ "targets": target("left_hand", position), "seed": "rest", "root": "free", "hold": hold });
    let feet = json!(["left_foot", "right_foot"]);
    let (description, answers) = answers(
        "humanoid.yaml",
        &[
            request(feet.clone(), [0.3, 0.3, 1.2]),
            request(feet, [3.0, 0.0, 3.0]),
            request(json!(["left_hand"]), [0.3, 0.3, 1.2]),
            request(json!(["tail"]), [0.3, 0.3, 1.2]),
        ],
    );
    for (answer, reaches) in answers[..2].iter().zip([true, false]) {
        assert_eq!((&answer["is_solved"], &answer["not_held"]), (&json!(reaches), &json!([])), "{answer}");
        assert_eq!(answer["residuals"].as_array().unwrap().len(), 1);
        for (index, name) in description["points"].as_array().unwrap().iter().enumerate() {
            if name.as_str().unwrap().ends_with("foot") {
                let before = numbers(&description["rest"]["points"][index]);
                assert!(apart(point(answer, index), before) <= 1e-6, "{name}");
            }
        }
    }
    assert_eq!(answers[2]["error"], "'left_hand' is held, and has a target or is held twice; leave out one");
    assert!(answers[3]["error"].as_str().unwrap().contains("'tail'"));
}

#[test]
fn reasons_name_targets() {
    let targets = json!([{ "point": "left_hand", "position": [0.0, 0.9, 1.2] }, { "point": "right_hand", "position": [0.0, -0.9, 1.2] },
        { "point": "head", "position": [0.0, 0.0, 9.0] }]);
    let (_, answers) = answers("humanoid.yaml", &[json!({ "targets": targets, "root": "free" })]);
    let head = &answers[0]["residuals"][2];
    assert!(head["reason"].as_str().unwrap().starts_with("contradicts the target for 'left_hand': "), "{head}");
    assert_eq!(head["is_certain"], true);
}

/// Arms with configurations outside their limits: the answer is within the limits if there is one.
#[test]
fn arms_answer_within_their_limits_where_they_can() {
    let urdf = |upper: f64| {
        format!(
            "<robot name='arm'><link name='a'/><link name='b'/><link name='c'/><link name='tip'/>
               <joint name='j1' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>
                 <limit lower='3.5' upper='9' effort='1' velocity='1'/></joint>
               <joint name='j2' type='revolute'><parent link='b'/><child link='c'/><origin xyz='0.5 0 0'/><axis xyz='0 0 1'/>
                 <limit lower='-3' upper='{upper}' effort='1' velocity='1'/></joint>
               <joint name='end' type='fixed'><parent link='c'/><child link='tip'/><origin xyz='0.4 0 0'/></joint></robot>"
        )
    };
    // Off the plane by less than the tolerance.
    let input = json!({ "targets": target("tip", [0.3, 0.5, 1e-12]) }).to_string();
    for (upper, allowed) in [(3.0, true), (-0.1, true), (-2.9, false)] {
        let model = text_of(&file(&format!("limited_{upper}.urdf"), &urdf(upper)));
        let answer = &stream(&model, input.as_bytes()).1[0];
        assert_eq!(answer["is_solved"], allowed, "{answer}");
        let (first, second) = (&answer["positions"]["j1"], &answer["positions"]["j2"]);
        assert!(!allowed || (3.5..=9.0).contains(&first.as_f64().unwrap()), "{answer}");
        assert!(!allowed || (-3.0..=upper).contains(&second.as_f64().unwrap()), "{answer}");
        assert_eq!(answer["residuals"][0]["reason"].is_null(), allowed);
    }
}
