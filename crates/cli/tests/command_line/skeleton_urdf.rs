//! `urdf_ik skeleton --urdf-out`: skeletons as robots, and their joint positions.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use nalgebra::Isometry3;
use serde_json::{Value, json};
use urdf_ik::robot::{Domain, JointKind, Robot};

use crate::common::{Random, distance, numbers, pose_from_json};
use crate::shell::{fails, file, keys, parse, run, succeeds, text_of};
use crate::skeleton::{model, stream, target};

/// A random skeleton of hinges and fixed segments.
struct Figure {
    path: PathBuf,
    urdf: PathBuf,
    root: [f64; 3],
    planar: bool,
    size: f64,
    segments: usize,
    /// Ranges \[degrees\] of the segments that move.
    ranges: BTreeMap<String, [f64; 2]>,
}

const TURNS: [f64; 5] = [0.0, 90.0, -90.0, 180.0, 37.0];

impl Figure {
    fn new(random: &mut Random, number: usize) -> Self {
        let (planar, is_tree) = (number.is_multiple_of(3), number % 2 == 1);
        let turn = |random: &mut Random| {
            let angle = TURNS[random.below(TURNS.len())] + if random.unit() < 0.5 { 0.0 } else { random.unit() };
            if planar { [0.0, 0.0, angle] } else { [random.between(-180.0, 180.0), angle, random.between(-90.0, 90.0)] }
        };
        let mut root = [0.0; 3].map(|_: f64| random.between(-1.0, 1.0));
        let (rotation, segments) = (turn(random), 3 + random.below(6));
        let place = if planar {
            root[2] = 0.0;
            format!("[{}, {}]", root[0], root[1])
        } else {
            format!("{root:?}")
        };
        let mut text = format!(
            "dimensions: {}\nroot: {{position: {place}, rotation: {rotation:?}}}\nsegments:\n",
            if planar { 2 } else { 3 }
        );
        let (mut ranges, mut size) = (BTreeMap::new(), 0.0);
        for index in 0..segments {
            let parent = if is_tree { random.below(index + 1) } else { index };
            let (length, rest) = (random.between(0.1, 0.6), turn(random));
            let axis = if planar { [0.0, 0.0, random.unit() - 0.5] } else { random.direction().into() };
            let ends = [random.between(-360.0, 360.0), random.between(-360.0, 360.0)];
            let range = match random.below(5) {
                0 => None,
                1 => Some([0.0, 360.0]),
                _ => Some([ends[0].min(ends[1]), ends[0].max(ends[1])]),
            };
            let limit = range.map_or_else(String::new, |range| format!(", range: {range:?}"));
            let joint = match random.below(6) {
                0 if index > 0 => ", fixed: true".to_owned(),
                1 if planar => String::new(),
                _ => format!(", hinge: {{axis: {axis:?}{limit}}}"),
            };
            if !joint.contains("fixed") {
                let range = if joint.is_empty() { None } else { range };
                ranges.insert(format!("s{}", index + 1), range.unwrap_or([-180.0, 180.0]));
            }
            let parent = if parent == 0 { "root".to_owned() } else { format!("s{parent}") };
            let name = index + 1;
            writeln!(text, "  - {{name: s{name}, parent: {parent}, length: {length}, rest: {rest:?}{joint}}}").unwrap();
            size += length;
        }
        let path = file(&format!("robot_{number}.yaml"), &text);
        Self { urdf: path.with_extension("urdf"), path, root, planar, size, segments, ranges }
    }

    /// Targets for one or two points, some of them out of reach.
    fn request(&self, random: &mut Random) -> Value {
        let mut targets = Vec::new();
        for point in [self.segments, 1 + random.below(self.segments)] {
            let reach = random.between(0.0, 0.8 * self.size);
            let mut position = [0, 1, 2].map(|axis| self.root[axis] + reach * random.direction()[axis]);
            position[2] = if self.planar { 0.0 } else { position[2] };
            targets.push(json!({ "point": format!("s{point}"), "position": position }));
            if point == targets.len() || random.unit() < 0.5 {
                break;
            }
        }
        targets.dedup_by(|second, first| first["point"] == second["point"]);
        json!({ "targets": targets, "options": { "iterations": 200 }, "seed": "rest" })
    }
}

/// The poses of all links at each of these positions.
fn poses(urdf: &Path, positions: &[&Value]) -> Vec<BTreeMap<String, Isometry3<f64>>> {
    let name = format!("{}.json", urdf.file_stem().unwrap().display());
    let positions = text_of(&file(&name, &json!(positions).to_string()));
    let all = parse(&succeeds(&["fk", "--urdf", &text_of(urdf), "--positions", &positions]));
    let poses = |links: &Value| {
        let links = links.as_object().unwrap().iter();
        links.map(|(name, pose)| (name.clone(), pose_from_json(pose))).collect()
    };
    all.as_array().unwrap().iter().map(poses).collect()
}

/// Checks that the links are at the points of an answer, which are given by name.
fn check_points(answer: &Value, links: &BTreeMap<String, Isometry3<f64>>) {
    for (name, point) in answer["points"].as_object().unwrap() {
        let pose = pose_from_json(&json!({ "p": point, "q_xyzw": answer["orientations"][name] }));
        let (metres, radians) = distance(&links[name], &pose);
        assert!(metres < 1e-9 && radians < 1e-7, "{name}: {metres:e} m, {radians:e} rad: {answer}");
    }
}

/// An answer of the stream with points and orientations by name.
fn named(mut answer: Value, names: &[Value]) -> Value {
    for key in ["points", "orientations"] {
        let list = answer[key].as_array().unwrap();
        answer[key] = names.iter().map(|name| name.as_str().unwrap().to_owned()).zip(list.iter().cloned()).collect();
    }
    answer
}

#[test]
fn the_robot_of_a_figure_has_its_points_where_each_answer_has_them() {
    let mut random = Random::new(61);
    for number in 0..40 {
        let figure = Figure::new(&mut random, number);
        let path = text_of(&figure.path);
        assert_eq!(succeeds(&["skeleton", "--model", &path, "--urdf-out", &text_of(&figure.urdf)]), "");
        let requests: Vec<String> = (0..25).map(|_| figure.request(&mut random).to_string()).collect();
        let (description, answers) = stream(&path, requests.join("\n").as_bytes());
        let positions: Vec<&Value> = answers.iter().map(|answer| &answer["positions"]).collect();
        let robot = Robot::from_urdf_file(&figure.urdf).unwrap();
        assert!(robot.warnings().is_empty());
        for positions in &positions {
            assert!(keys(positions).into_iter().eq(figure.ranges.keys()), "{path}: {positions}");
            for (name, range) in &figure.ranges {
                let joint = &robot.joints()[robot.joint_index(name).unwrap()];
                let ([lower, upper], angle) = (range.map(f64::to_radians), positions[name].as_f64().unwrap());
                // The reader of JSON may lose the last digit.
                assert!((lower - 1e-14..=upper + 1e-14).contains(&angle), "{path}, {name}: {angle}");
                let domain = match joint.kind {
                    JointKind::Continuous => Domain::Circle,
                    _ => Domain::Interval { lower, upper },
                };
                assert_eq!(joint.domain, domain);
                assert_eq!(joint.kind == JointKind::Continuous, *range == [-180.0, 180.0]);
                assert_eq!(joint.velocity, 3.0);
            }
        }
        let all = poses(&figure.urdf, &positions);
        for (answer, links) in answers.iter().zip(&all) {
            check_points(&named(answer.clone(), description["points"].as_array().unwrap()), links);
        }
    }
}

#[test]
fn segments_that_are_folded_back_have_their_points_in_place() {
    let folded = text_of(&file("folded.yaml", "dimensions: 2\nsegments: [{name: a, length: 1}, {name: b, length: 1}]"));
    let urdf = Path::new(&folded).with_extension("urdf");
    for angle in [0.0, 1e-8, 1e-7, 1e-6, 3e-6, 1e-4] {
        let (sine, cosine) = f64::sin_cos(angle);
        let targets = json!([
            { "point": "a", "position": [cosine, sine, 0.0] },
            { "point": "b", "position": [0.0, 0.0, 0.0] },
        ]);
        let targets = text_of(&file("folded_targets.json", &targets.to_string()));
        let seed = json!({
            "points": { "root": [0.0, 0.0, 0.0], "a": [1.0, 0.0, 0.0], "b": [1.0 - cosine, sine, 0.0] },
            "orientations": { "root": [0, 0, 0, 1], "a": [0, 0, 0, 1], "b": [0, 0, 1, 0] },
        });
        let seed = text_of(&file("folded_seed.json", &seed.to_string()));
        let out = text_of(&urdf);
        let arguments = ["skeleton", "--model", &folded, "--targets", &targets, "--seed", &seed, "--urdf-out", &out];
        let answer = parse(&succeeds(&arguments));
        check_points(&answer, &poses(&urdf, &[&answer["positions"]])[0]);
    }
}

/// A tree with names that need escapes or equal the name of the root link.
const TREE: &str = "
name: 'a<b> & \"c\"'
root: {name: 'foot & co', position: [0.1, -0.2, 0.1], rotation: [10, 90, 30]}
segments:
  - {name: mast, end: [0.1, -0.2, 0.5], hinge: {axis: [1, 0, 0], range: [-150, 150]}}
  - {name: 'x<y', length: 0.4, rest: [0, 90, 0], hinge: {axis: [0, -1, 0], range: [20, 140]}}
  - {name: world, length: 0.2, fixed: true, rest: [20, 30, 0]}
  - {name: tip, length: 0.2, hinge: {}}
  - {name: fork, parent: world, length: 0.2, hinge: {range: [0, 360]}}";

#[test]
fn the_robot_stands_where_the_answer_has_the_root() {
    let model = text_of(&file("tree.yaml", TREE));
    let urdf = Path::new(&model).with_extension("urdf");
    let targets = text_of(&file("tree_targets.json", &target("tip", [0.5, 0.1, 0.6]).to_string()));
    let moved: &[&[&str]] =
        &[&[], &["--free-root"], &["--root", "0.2", "0.1", "0.3", "0.5", "-0.5", "0.5", "0.5"], &["--no-polish"]];
    for more in moved {
        let out = text_of(&urdf);
        let arguments = ["skeleton", "--model", &model, "--targets", &targets, "--urdf-out", &out];
        let answer = parse(&run(&[&arguments, *more].concat()).out);
        assert_eq!(keys(&answer["positions"]), ["fork", "mast", "tip", "x<y"]);
        check_points(&answer, &poses(&urdf, &[&answer["positions"]])[0]);
    }
}

#[test]
fn the_robot_of_a_figure_is_one_for_other_commands() {
    let model = text_of(&file("robot_tree.yaml", TREE));
    let urdf = text_of(&Path::new(&model).with_extension("urdf"));
    // Written before the first answer of a stream.
    assert!(run(&["skeleton", "--model", &model, "--stream", "--urdf-out", &urdf]).out.starts_with("{\"model\""));
    let info = succeeds(&["info", "--urdf", &urdf, "--tip", "tip"]);
    for line in [
        "robot a<b> & \"c\": 12 links, 11 joints, 4 movable",
        "\nworld_\n  foot & co  [fixed world_joint]",
        "x<y_link  [revolute x<y 0.3490658503988659 .. 2.443460952792061 rad (limit)",
        "tip_link  [continuous tip without limits, 3.0 rad/s (limit)]",
        &format!("fork_link  [revolute fork 0.0 .. {TAU} rad (limit)"),
    ] {
        assert!(info.contains(line), "{info}");
    }
    let text = std::fs::read_to_string(&urdf).unwrap();
    assert_eq!(text.matches("effort=\"10\" velocity=\"3\"").count(), 4);
    // At rest.
    let at_rest = &poses(Path::new(&urdf), &[&json!({})])[0];
    let [x, y, z]: [f64; 3] = at_rest["mast"].translation.vector.into();
    assert!((x - 0.1).abs() < 1e-12 && (y + 0.2).abs() < 1e-12 && (z - 0.5).abs() < 1e-12, "{x} {y} {z}");
    // As the node does: positions for the point as a tip link.
    let solve = ["solve", "--urdf", &urdf, "--tip", "tip", "--position", "0.5", "0.1", "0.6"];
    let found = parse(&succeeds(&solve));
    let tip = poses(Path::new(&urdf), &[&found["positions"]])[0]["tip"].translation.vector;
    assert!((tip - nalgebra::Vector3::new(0.5, 0.1, 0.6)).norm() < 1e-5, "{found}");
}

#[test]
fn positions_are_there_where_they_say_where_the_points_are() {
    let arm = text_of(&file("positions.yaml", "segments: [{name: a, length: 1, hinge: {range: [-10, 10]}}]"));
    let there = target("a", [0.0, 1.0, 0.0]);
    let requests = [
        json!({ "targets": there }),
        json!({ "targets": there, "limits": false }),
        json!({ "targets": there, "pass": "forward" }),
    ];
    let (_, answers) = stream(&arm, requests.map(|request| request.to_string()).join("\n").as_bytes());
    assert_eq!(numbers::<1>(&json!([answers[0]["positions"]["a"]])), [10.0_f64.to_radians()]);
    assert!(answers[1..].iter().all(|answer| answer["points"].is_array() && answer.get("positions").is_none()));
}

#[test]
fn figures_that_are_no_robots_are_refused_with_what_to_do() {
    let out = text_of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("no_robot.urdf"));
    let refused = |model: &str, words: &[&str]| fails(&["skeleton", "--model", model, "--urdf-out", &out], words);
    refused(&model("humanoid.yaml"), &["segment 'abdomen': its joint is a cone", "give it a hinge, or make it fixed"]);
    refused(&model("noodle.yaml"), &["segment 's1': its joint is free", "give it a hinge, or make it fixed"]);
    refused(
        &model("pitch_yaw.yaml"),
        &["segment 'boom': its pitch and yaw add up", "give the model the kind skeleton"],
    );
    refused(&model("two_link.urdf"), &["a URDF already", "give that file to the node"]);
    let blank = file("blank.yaml", "segments: [{name: ' ', length: 1, hinge: {}}]");
    refused(&text_of(&blank), &["a blank name", "give it one"]);
    // These switches need targets.
    let tree = text_of(&file("no_robot.yaml", TREE));
    fails(&["skeleton", "--model", &tree, "--urdf-out", &out, "--free-root"], &["--targets"]);
    fails(&["skeleton", "--model", &tree, "--urdf-out", &out, "--figure", "no_robot.svg"], &["--targets"]);
    fails(&["skeleton", "--model", &tree, "--urdf-out", "-"], &["--urdf-out", "name a file"]);
    assert!(!Path::new(&out).exists());
}
