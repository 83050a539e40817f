//! The pictures of `evaluate` and `path`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use urdf_ik::robot::Domain;

use crate::common;
use crate::shell::{fails, file, parse, run, succeeds, text_of, urdf};
use crate::svg::Svg;

const LINE: &str =
    r#"[{"p": [0.4, -0.2, 0.3], "q_xyzw": [1, 0, 0, 0]}, {"p": [0.4, 0.2, 0.3], "q_xyzw": [1, 0, 0, 0]}]"#;

fn output(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A case file for the bundled arm with targets at these distances from reachable ones [m].
fn cases(name: &str, offsets: &[f64]) -> String {
    let arm = &common::bundled_arms()[0];
    let seed = arm.chain.nominal_positions();
    let case = |offset: &f64| {
        let mut pose = arm.tip_poses(&seed)[0];
        pose.translation.vector.z -= 0.01 + offset;
        let (p, q): ([f64; 3], [f64; 4]) = (pose.translation.vector.into(), pose.rotation.coords.into());
        json!({"seed": seed, "seed_random": seed, "target": {"p": p, "q_xyzw": q}, "q_source": seed})
    };
    let cases: Vec<Value> = offsets.iter().map(case).collect();
    let text = json!({"robot": "arm <7> & \u{1b}more", "urdf": urdf("arm7.urdf"), "base_link": arm.chain.base(), "tip_link": "tool0",
                      "joint_names": arm.chain.variable_names(), "lower": [], "upper": [], "continuous": [], "cases": cases});
    text_of(&file(name, &text.to_string()))
}

#[test]
fn evaluate_draws_the_share_of_solved_cases() {
    let path = output("evaluate.svg");
    let arguments = ["evaluate", "--timeout-ms", "60000", "--cases"];
    let evaluate = |cases: &str| succeeds(&[&arguments[..], &[cases, "--plot", &text_of(&path)]].concat());
    let report = parse(&evaluate(&cases("plot_cases.json", &[0.0, 0.01, 0.02, 9.0])));
    assert_eq!((&report["cases"], &report["solved"]), (&json!(4), &json!(3)));
    let svg = Svg::read(&path);
    for text in [
        "arm &lt;7&gt; &amp; \u{fffd}more, solver jacobian, from nominal positions",
        "3 of 4 cases solved",
        "median",
        "100 %",
    ] {
        assert!(svg.has(text), "'{text}' is not in {:?}", svg.texts);
    }
    assert_eq!((svg.lines(5), svg.count("polygon")), (1, 1));
    assert!(svg.bytes < 100_000, "{}", svg.bytes);
    // The curve ends at three quarters of the way from 0 % to 100 %.
    let ends = svg.elements.iter().find(|(_, attributes)| attributes.contains("stroke-width=\"5\"")).unwrap();
    let points: Vec<f64> = ends
        .1
        .rsplit("points=\"")
        .next()
        .unwrap()
        .trim_end_matches('"')
        .split([' ', ','])
        .filter_map(|n| n.parse().ok())
        .collect();
    let (zero, all) = (svg.height_of("0 %"), svg.height_of("100 %"));
    let share = (zero - points[points.len() - 1]) / (zero - all);
    assert!((share - 0.75).abs() < 0.01, "{share}");
    evaluate(&cases("plot_none.json", &[9.0]));
    assert!(Svg::read(&path).has("0 of 1 cases solved"));
}

fn path(name: &str, more: &[&str]) -> (Vec<String>, PathBuf) {
    let (waypoints, plot) = (text_of(&file(&format!("{name}.json"), LINE)), output(&format!("{name}.svg")));
    let arm = urdf("arm7.urdf");
    let plot_text = text_of(&plot);
    let given = ["path", "--urdf", &arm, "--waypoints", &waypoints, "--plot", &plot_text];
    (given.iter().chain(more).map(ToString::to_string).collect(), plot)
}

fn borrowed(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn path_draws_every_joint_against_its_limits() {
    let (arguments, plot) = path("plot_path", &["--speed", "0.2"]);
    let report = parse(&succeeds(&borrowed(&arguments)));
    let svg = Svg::read(&plot);
    let names: Vec<&str> =
        report["joint_names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for text in
        names.iter().chain(&["limited by", "tip", "position", "velocity", "acceleration", "jerk", "100 %", "time [s]"])
    {
        assert!(svg.texts.iter().any(|found| found == text), "'{text}' is not in {:?}", svg.texts);
    }
    // Velocity, acceleration and jerk of seven joints, positions of those with limits, speed and
    // acceleration of the tip.
    let limited = common::bundled_arms()[0].chain.variables().iter().filter(|v| v.domain != Domain::Circle).count();
    assert_eq!(svg.lines(4), 3 * 7 + limited + 2);
    // The speed of the tip limits most of the path: 0.4 m at 0.2 m/s.
    assert!(svg.has("Limited by the speed of the tip (1."), "{:?}", svg.texts);
    assert!(svg.bytes < 100_000, "{}", svg.bytes);
}

#[test]
fn path_names_the_joint_that_limits_it() {
    let limits = "joint_limits: {column_joint: {has_velocity_limits: true, max_velocity: 0.1}}";
    let limits = text_of(&file("plot_limits.yaml", limits));
    let (mut arguments, plot) = path("plot_limited", &["--joint-limits", &limits, "--speed", "1"]);
    // Its six joints have no redundancy.
    arguments[2] = urdf("arm6.urdf");
    succeeds(&borrowed(&arguments));
    let svg = Svg::read(&plot);
    assert!(svg.has("Limited by the velocity of column_joint"), "{:?}", svg.texts);
    assert!(svg.lines(10) > 0, "no curve is thick at its limit");
}

#[test]
fn a_path_that_cannot_begin_has_no_picture() {
    let (mut arguments, _) = path("plot_away", &[]);
    arguments[4] = text_of(&file("plot_far.json", &LINE.replace("0.4", "9")));
    let run = run(&borrowed(&arguments));
    assert_eq!((run.code, parse(&run.out)["fraction"].as_f64()), (1, Some(0.0)));
    assert!(run.err.contains("no picture is drawn"), "{}", run.err);
}

#[test]
fn names_from_outside_do_not_break_a_picture() {
    let text = std::fs::read_to_string(common::urdf_path("arm7.urdf")).unwrap();
    let odd = format!("&lt;a&gt; &amp; {}", "long ".repeat(1000));
    let text = text.replace("\"elbow_joint\"", &format!("\"{odd}\""));
    let (mut arguments, plot) = path("plot_odd", &[]);
    arguments[2] = text_of(&file("plot_odd.urdf", &text));
    let run = run(&borrowed(&arguments));
    assert_eq!(run.code, 0, "{}", run.err);
    let svg = Svg::read(&plot);
    assert!(svg.has("&lt;a&gt; &amp;") && svg.bytes < 100_000, "{:?}", svg.texts);
    assert!(svg.texts.iter().all(|text| !text.contains(char::is_control) && text.chars().count() < 200));
}

/// The robot does not exist either: the output is checked first.
#[test]
fn files_that_cannot_be_written_are_refused_before_the_work() {
    let folder = output("folder.svg");
    std::fs::create_dir_all(&folder).unwrap();
    let folder = text_of(&folder);
    for (file, words) in [
        ("/nowhere/out.svg", ["/nowhere/out.svg", "there is no folder /nowhere"]),
        ("picture.png", ["picture.png", "must end in .svg"]),
        ("picture", ["picture", "must end in .svg"]),
        ("", ["''", "must end in .svg"]),
        (&folder, [&folder, "it is a directory"]),
    ] {
        let words = &words[..];
        fails(&["evaluate", "--cases", "/absent.json", "--plot", file], words);
        fails(&["path", "--urdf", "/absent.urdf", "--waypoints", "/absent.json", "--plot", file], words);
        fails(&["reach", "--urdf", "/absent.urdf", "--slices", file], words);
    }
    fails(&["reach", "--urdf", "/absent.urdf", "--ply", "reach.obj"], &["must end in .ply"]);
    fails(&["evaluate", "--cases", "/absent.json", "--solutions", "/nowhere/out.json"], &["no folder /nowhere"]);
    fails(
        &["evaluate", "--cases", "/absent.json", "--plot", "/absent/x.svg", "--times", "t.json"],
        &["no folder /absent"],
    );
}
