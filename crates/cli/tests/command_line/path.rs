//! The command `path`.

use crate::shell::{Run, fails, file, keys, parse, run, sorted, succeeds, text_of, urdf};

const LINE: &str =
    r#"[{"p": [0.4, -0.2, 0.3], "q_xyzw": [1, 0, 0, 0]}, {"p": [0.4, 0.2, 0.3], "q_xyzw": [1, 0, 0, 0]}]"#;

fn path(waypoints: &str, name: &str, more: &[&str]) -> Vec<String> {
    let waypoints = text_of(&file(name, waypoints));
    let urdf = urdf("arm7.urdf");
    let given = ["path", "--urdf", &urdf, "--tip", "tool0", "--waypoints", &waypoints];
    given.iter().chain(more).map(ToString::to_string).collect()
}

fn borrowed(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn a_path_is_printed_as_a_trajectory() {
    let answer = parse(&succeeds(&borrowed(&path(LINE, "path_line.json", &["--speed", "0.2", "--period", "0.02"]))));
    let expected =
        ["fraction", "joint_names", "length", "orientation_deviation", "points", "position_deviation", "stop"];
    assert_eq!(sorted(keys(&answer)), expected);
    assert_eq!((answer["fraction"].as_f64(), answer["stop"].is_null()), (Some(1.0), true));
    assert_eq!(answer["joint_names"].as_array().unwrap().len(), 7);
    assert!(answer["position_deviation"].as_f64().unwrap() < 1e-4);
    let points = answer["points"].as_array().unwrap();
    assert_eq!(points[1]["time"].as_f64(), Some(0.02));
    // 0.4 m at 0.2 m/s take 2 s, and a little more for the ramps.
    assert!((120..=130).contains(&points.len()), "{}", points.len());
    let last = points.last().unwrap();
    assert_eq!(last["velocities"].as_array().unwrap().iter().filter(|v| v.as_f64() == Some(0.0)).count(), 7);
}

#[test]
fn a_path_that_stops_is_printed_and_fails() {
    let away = LINE.replace("[0.4, 0.2, 0.3]", "[4, 0.2, 0.3]");
    let run = run(&borrowed(&path(&away, "path_away.json", &[])));
    let answer = parse(&run.out);
    let fraction = answer["fraction"].as_f64().unwrap();
    assert!(run.code == 1 && fraction > 0.0 && fraction < 0.5, "{} {fraction}", run.code);
    assert!(answer["stop"].as_str().unwrap().contains("on the way to waypoint 1"), "{answer}");
}

#[test]
fn the_reason_of_a_stop_is_the_last_line() {
    let away = LINE.replace("[0.4, 0.2, 0.3]", "[4, 0.2, 0.3]");
    let run = run(&borrowed(&path(&away, "path_reason.json", &["--search", "10"])));
    let last = run.err.trim_end().lines().last().unwrap();
    assert!(last.contains("of its length: stopped after") && last.contains("out of reach"), "{last}");
}

#[test]
fn goals_are_met_along_the_path() {
    let level = "[{type: cone, axis: [0, 0, 1], direction: [0, 0, -1], angle: 0.05}]";
    let more = ["--free-axes", "rx,ry,rz", "--goals", level];
    let answer = parse(&succeeds(&borrowed(&path(LINE, "path_level.json", &more))));
    let violation = answer["goal_violations"][0].as_f64().unwrap();
    assert!(violation <= 1e-3, "{violation}");
}

#[test]
fn limits_and_start_are_used() {
    let limits = "joint_limits: {shoulder_pan_joint: {has_velocity_limits: true, max_velocity: 0.1}}";
    let limits = text_of(&file("path_limits.yaml", limits));
    let more = ["--joint-limits", &limits, "--start", "{elbow_joint: -0.5}", "--free-axes", "rz", "--speed", "1"];
    let answer = parse(&succeeds(&borrowed(&path(LINE, "path_limited.json", &more))));
    for point in answer["points"].as_array().unwrap() {
        assert!(point["velocities"][0].as_f64().unwrap().abs() <= 0.1, "{point}");
    }
}

/// The path with the obstacles of a file.
fn among(obstacle: &str, name: &str, more: &[&str]) -> Run {
    let obstacles = text_of(&file(&format!("{name}_obstacles.json"), obstacle));
    run(&borrowed(&path(LINE, &format!("{name}.json"), &[&["--obstacles", &obstacles], more].concat())))
}

#[test]
fn a_path_stops_before_an_obstacle() {
    let wall = r#"[{"id": "wall", "type": "box", "size": [1, 0.1, 1], "p": [0.5, 0.2, 0.3]}]"#;
    let stopped = among(wall, "path_wall", &["--margin", "0.02"]);
    let answer = parse(&stopped.out);
    let fraction = answer["fraction"].as_f64().unwrap();
    assert!(stopped.code == 1 && (0.5..0.9).contains(&fraction), "{answer}");
    assert!(stopped.err.lines().count() == 1 && stopped.err.contains("obstacle 'wall'"), "{}", stopped.err);
    assert!(answer["stop"].as_str().unwrap().contains("obstacle 'wall'"), "{answer}");
    assert_eq!(answer["nearest"]["obstacle"], "wall");
    // The distance is at least the margin, by the exact shapes at the points.
    let distance = answer["nearest"]["distance"].as_f64().unwrap();
    assert!((0.02..0.021).contains(&distance), "{answer}");
}

#[test]
fn what_is_far_from_a_path_does_not_change_it() {
    let ball = r#"[{"id": "ball", "type": "sphere", "radius": 0.1, "p": [-1, 0, 0.3]}]"#;
    // A free start could touch it.
    let start = ["--start", "{elbow_joint: -0.5}"];
    let plain = parse(&succeeds(&borrowed(&path(LINE, "path_plain.json", &start))));
    let mut answer = parse(&among(ball, "path_far", &start).out);
    let nearest = answer.as_object_mut().unwrap().remove("nearest").unwrap();
    assert!(nearest["distance"].as_f64().unwrap() > 0.0, "{nearest}");
    assert_eq!(answer, plain);
    let alone = [&start[..], &["--avoid-collisions"]].concat();
    let alone = parse(&succeeds(&borrowed(&path(LINE, "path_alone.json", &alone))));
    assert_eq!(alone["points"], plain["points"]);
    assert!(alone["nearest"]["obstacle"].is_null() && alone["nearest"]["links"].as_array().unwrap().len() == 2);
}

#[test]
fn bad_paths_are_refused() {
    let refused = |text: &str, more: &[&str], words: &[&str]| {
        fails(&borrowed(&path(text, &format!("path_bad_{}.json", words[0].len()), more)), words);
    };
    refused("[]", &[], &["no pose"]);
    refused("[{}]", &[], &["missing field", "line 1"]);
    refused(r#"[{"p": [0, 0, 0], "q_xyzw": [0, 0, 0, 0]}]"#, &[], &["waypoint 0", "length 0"]);
    refused(LINE, &["--speed", "0"], &["speed is 0"]);
    refused(LINE, &["--speed", "NaN"], &["speed is NaN"]);
    refused(LINE, &["--blend-radius", "-1"], &["blend radius is -1 m"]);
    refused(LINE, &["--joint-limits", "/no/such.yaml"], &["cannot read /no/such.yaml"]);
    let limits = text_of(&file("path_unknown.yaml", "joint_limits:\n  elbou: {}\n"));
    refused(LINE, &["--joint-limits", &limits], &["'elbou'", "line 2"]);
    refused(LINE, &["--obstacles", "/no/such.json"], &["/no/such.json", "there is no such file"]);
    refused(LINE, &["--margin", "0.1"], &["--avoid-collisions", "--obstacles"]);
    refused(LINE, &["--avoid-collisions", "--margin", "nan"], &["--margin is NaN"]);
}
