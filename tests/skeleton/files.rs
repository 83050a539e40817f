//! Models from files: what the keys mean, what is refused, and those that are bundled.

use std::path::{Path, PathBuf};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::file::{Model, NamedSkeleton};
use urdf_ik::skeleton::{Configuration, Limit, Options, Outcome, Problem, Range, Root, Solution, Target, pitch_yaw};

use crate::common::Random;

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("config/skeletons").join(name)
}

fn skeleton(text: &str) -> NamedSkeleton {
    match Model::from_yaml(text).unwrap_or_else(|e| panic!("{e}: {text}")) {
        Model::Skeleton(skeleton) => skeleton,
        Model::PitchYaw(_) => panic!("an arm of pitch and yaw: {text}"),
    }
}

fn read(name: &str) -> NamedSkeleton {
    skeleton(&std::fs::read_to_string(bundled(name)).unwrap())
}

/// The configuration that has turned from rest by `turn` of each segment's name and limit.
fn turned(model: &NamedSkeleton, mut turn: impl FnMut(&str, &Limit) -> UnitQuaternion<f64>) -> Configuration {
    let limit = |index: usize| model.skeleton.segment(index).unwrap().joint.limit;
    let names = model.points[1..].iter().enumerate();
    let rotations: Vec<_> = names.map(|(index, name)| turn(name, &limit(index))).collect();
    model.skeleton.place(&model.root, &rotations).unwrap()
}

/// A rotation well within a limit.
fn within(limit: &Limit, random: &mut Random) -> UnitQuaternion<f64> {
    let about = |axis: Vector3<f64>, angle: f64| UnitQuaternion::new(axis.normalize() * angle);
    match limit {
        Limit::Free => about(random.direction(), 0.3),
        Limit::Hinge { axis, angle } => about(*axis, angle.lower + random.unit() * (angle.upper - angle.lower)),
        Limit::Ball { cone, .. } => {
            let least = cone.up.min(cone.down).min(cone.left).min(cone.right);
            let across = Vector3::new(0.0, random.unit() - 0.5, random.unit() - 0.5);
            about(across, 0.9 * least * random.unit())
        }
    }
}

fn solve(model: &NamedSkeleton, targets: &[Target], options: Options) -> Solution {
    let (seed, mut solution) = (model.at_rest(), model.skeleton.solution());
    let problem = Problem { targets, root: Root::Fixed, seed: &seed, options };
    model.skeleton.solve(&problem, &mut model.skeleton.scratch(&options), &mut solution).unwrap();
    solution
}

#[test]
fn bundled_skeletons_meet_targets_within_their_limits() {
    for (name, ends) in [("noodle.yaml", 1), ("humanoid.yaml", 5), ("hand.yaml", 5)] {
        let model = read(name);
        assert_eq!(model.ends.len(), ends, "{name}");
        assert!(model.skeleton.violation(&model.at_rest()).unwrap() < 1e-12, "{name}");
        let mut random = Random::new(7);
        for _ in 0..10 {
            let wish = turned(&model, |_, limit| within(limit, &mut random));
            assert!(model.skeleton.violation(&wish).unwrap() < 1e-12, "{name}");
            let targets: Vec<_> = model.ends.iter().map(|end| Target::new(*end, wish.points[*end])).collect();
            let solution = solve(&model, &targets, Options::default());
            assert!(solution.is_solved(), "{name}: {:?}", solution.residuals);
            assert!(model.skeleton.violation(&solution.configuration).unwrap() < 1e-9, "{name}");
        }
    }
}

#[test]
fn the_bundled_arm_of_pitch_and_yaw_reaches_within_its_bounds() {
    let Model::PitchYaw(model) = Model::read(&bundled("pitch_yaw.yaml")).unwrap() else { panic!("no arm") };
    assert_eq!(model.points.first().zip(model.points.last()), Some((&"base".to_owned(), &"tip".to_owned())));
    let (arm, count) = (&model.arm, model.arm.lengths().len());
    let (lower, upper) = arm.bounds();
    assert_eq!((lower[0].to_degrees().round(), upper[count + 1].to_degrees().round()), (-30.0, 60.0));
    let wish: Vec<f64> = (0..arm.variables()).map(|variable| if variable < count { 0.3 } else { -0.2 }).collect();
    let problem = pitch_yaw::Problem {
        target: arm.tip(&wish).unwrap(),
        seed: &vec![0.0; arm.variables()],
        options: pitch_yaw::Options::default(),
    };
    let mut solution = arm.solution();
    arm.solve(&problem, &mut arm.scratch(), &mut solution).unwrap();
    assert_eq!(solution.outcome, Outcome::Solved);
}

#[test]
fn the_humanoid_is_a_standing_person_whose_sides_mirror_each_other() {
    let model = read("humanoid.yaml");
    let rest = model.at_rest();
    let at = |name: &str| rest.points[model.point(name).unwrap()];
    assert!((at("head").z - 1.75).abs() < 1e-9 && at("left_foot").z.abs() < 0.05);
    let mut pairs = 0;
    for (index, name) in model.points.iter().enumerate() {
        let Some(part) = name.strip_prefix("left_") else { continue };
        let other = model.point(&format!("right_{part}")).unwrap();
        pairs += 1;
        let (a, b) = (rest.points[index], rest.points[other]);
        assert!(((a.x - b.x).abs()).max((a.y + b.y).abs()).max((a.z - b.z).abs()) < 1e-12, "{name}");
        // The mirror image of a frame that keeps it right-handed: its y axis turns around.
        for (axis, sign) in [(Vector3::x(), 1.0), (Vector3::y(), -1.0), (Vector3::z(), 1.0)] {
            let (a, b) = (rest.orientations[index] * axis, rest.orientations[other] * axis * sign);
            assert!((Vector3::new(a.x, -a.y, a.z) - b).norm() < 1e-9, "{name}");
        }
        let limit = |point: usize| model.skeleton.segment(point - 1).unwrap().joint.limit;
        match (limit(index), limit(other)) {
            (Limit::Ball { cone, twist }, Limit::Ball { cone: mirrored, twist: opposite }) => {
                assert_eq!(
                    (cone.up, cone.down, cone.left, cone.right),
                    (mirrored.up, mirrored.down, mirrored.right, mirrored.left)
                );
                assert_eq!((twist.lower, twist.upper), (-opposite.upper, -opposite.lower));
            }
            (limit, mirrored) => assert_eq!(limit, mirrored, "a hinge across the body"),
        }
    }
    assert_eq!(pairs, 8);
}

#[test]
fn elbows_bend_forward_knees_back_and_fingers_down() {
    let bent = |file: &str, joint: &str, point: &str| {
        let model = read(file);
        let quarter = |name: &str, limit: &Limit| match limit {
            Limit::Hinge { axis, angle } if name == joint => {
                assert!(angle.nearest(0.9) == 0.9, "{joint}");
                UnitQuaternion::new(axis.normalize() * 0.9)
            }
            _ => UnitQuaternion::identity(),
        };
        let point = model.point(point).unwrap();
        turned(&model, quarter).points[point] - model.at_rest().points[point]
    };
    for side in ["left", "right"] {
        assert!(bent("humanoid.yaml", &format!("{side}_forearm"), &format!("{side}_hand")).x > 0.2, "{side}");
        assert!(bent("humanoid.yaml", &format!("{side}_shin"), &format!("{side}_shin")).x < -0.2, "{side}");
    }
    assert!(bent("hand.yaml", "index_middle", "index_tip").z < -0.02);
    // The thumb bends across the palm.
    assert!(bent("hand.yaml", "thumb_proximal", "thumb_tip").y < -0.02);
}

#[test]
fn the_cone_of_a_shoulder_opens_most_outward() {
    let model = read("humanoid.yaml");
    let swing = |name: &str, towards: Vector3<f64>| {
        let index = model.point(name).unwrap();
        let frame = model.at_rest().orientations[index];
        let Limit::Ball { cone, .. } = model.skeleton.segment(index - 1).unwrap().joint.limit else { panic!("{name}") };
        let local = frame.inverse() * towards;
        cone.limit(local.z.atan2(local.y)).to_degrees().round()
    };
    for part in ["upper_arm", "thigh"] {
        let (left, right) = (format!("left_{part}"), format!("right_{part}"));
        let (x, y) = (Vector3::x(), Vector3::y());
        assert_eq!([swing(&left, x), swing(&left, -x), swing(&left, y), swing(&left, -y)], [60.0, 40.0, 70.0, 30.0]);
        assert_eq!(
            [swing(&right, x), swing(&right, -x), swing(&right, -y), swing(&right, y)],
            [60.0, 40.0, 70.0, 30.0]
        );
    }
}

#[test]
fn lengths_with_rests_and_ends_say_the_same() {
    let by_length = skeleton(
        "name: l
root: {name: hip, position: [1, 2, 3], rotation: [0, 0, 90]}
segments:
  - {name: knee, length: 2, rest: [0, 90, 0]}
  - {name: foot, length: 1, rest: [0, -90, 0]}",
    );
    let by_end = skeleton(
        "kind: skeleton
ends: [foot]
segments:
  - {name: knee, parent: hip, end: [1, 2, 1]}
  - {name: foot, end: [1, 3, 1]}
root: {name: hip, position: [1, 2, 3], rotation: [0, 0, 90]}",
    );
    let (a, b) = (by_length.at_rest(), by_end.at_rest());
    assert_eq!((by_length.name.as_str(), by_end.name.as_str()), ("l", "skeleton"));
    assert_eq!((&by_length.points, &by_length.ends), (&by_end.points, &by_end.ends));
    assert_eq!(by_length.root, by_end.root);
    for (point, (a, b)) in a.points.iter().zip(&b.points).enumerate() {
        assert!((a - b).norm() < 1e-12, "{point}");
    }
    for (a, b) in a.orientations.iter().zip(&b.orientations) {
        assert!(a.angle_to(b) < 1e-7);
    }
}

#[test]
fn joints_are_what_the_keys_say() {
    let model = skeleton(
        "segments:
  - {name: free, length: 1}
  - {name: hinge, length: 1, hinge: {axis: [0, 2, 0], range: [-90, 180]}}
  - {name: any_angle, length: 1, hinge: {}}
  - {name: cone, parent: free, end: [2, 0, 0], up: [0, 1, 0], cone: {up: 90, down: 0, left: 180, right: 45, twist: [0, 360]}}
  - {name: any_twist, length: 1, cone: {up: 1, down: 1, left: 1, right: 1}}
  - {name: fixed, length: 1, fixed: true}",
    );
    let limit = |name: &str| model.skeleton.segment(model.point(name).unwrap() - 1).unwrap().joint.limit;
    let turn = std::f64::consts::TAU;
    assert_eq!(limit("free"), Limit::Free);
    assert_eq!(limit("hinge"), Limit::Hinge { axis: Vector3::y() * 2.0, angle: Range::new(-0.25 * turn, 0.5 * turn) });
    assert_eq!(limit("any_angle"), Limit::Hinge { axis: Vector3::z(), angle: Range::ALL });
    let Limit::Ball { cone, twist } = limit("cone") else { panic!("no cone") };
    assert_eq!((cone.up, cone.down, cone.left, cone.right), (0.25 * turn, 0.0, 0.5 * turn, 0.125 * turn));
    assert_eq!(twist, Range::new(0.0, turn));
    assert!(matches!(limit("any_twist"), Limit::Ball { twist: Range::ALL, .. }));
    assert!(matches!(limit("fixed"), Limit::Ball { cone, .. } if cone.up == 0.0));
    let frame = model.at_rest().orientations[model.point("cone").unwrap()];
    assert!((frame * Vector3::z() - Vector3::y()).norm() < 1e-12, "up is the z axis");
    // Without a list, the ends are the leaves.
    assert_eq!(model.ends, [3, 6]);
}

#[test]
fn two_dimensions_stay_in_the_plane() {
    let model = skeleton(
        "dimensions: 2
root: {position: [1, 0.5]}
segments:
  - {name: a, end: [2, 0.5]}
  - {name: b, length: 1, rest: [0, 0, 90], hinge: {range: [-10, 10]}}
  - {name: c, end: [0, 1.7]}",
    );
    assert!(model.skeleton.is_planar());
    let rest = model.at_rest();
    assert!((rest.points[2] - nalgebra::Point3::new(2.0, 1.5, 0.0)).norm() < 1e-12);
    let target = [Target::new(3, nalgebra::Point3::new(1.5, 2.0, 0.0))];
    let solution = solve(&model, &target, Options::default());
    assert!(solution.is_solved() && solution.configuration.points.iter().all(|point| point.z == 0.0), "{solution:?}");
    assert_eq!(model.root, Isometry3::translation(1.0, 0.5, 0.0));
}

/// Texts that are refused, the line that is named (0 for none), and words of the sentence.
const WRONG: &[(&str, usize, &[&str])] = &[
    ("", 1, &["missing field `segments`"]),
    ("segments: [{name: a, length: 1}", 2, &["did not find expected"]),
    ("segments:\n  - {name: a, length: 1}\n\t- x", 3, &["cannot start any token"]),
    ("kind: snake\nsegments: []", 1, &["unknown variant `snake`", "skeleton"]),
    ("kind: skeleton\nsegment: []", 2, &["unknown field `segment`", "segments"]),
    ("segments: []", 0, &["there is no segment"]),
    ("segments: 3", 1, &["segments", "expected a sequence"]),
    ("segments:\n  - {name: a, length: 1}\n  - 7", 3, &["segments[1]", "expected a segment"]),
    ("segments:\n  - {name: a, length: 1}\n  - {name: b, lenght: 1}", 3, &["unknown field `lenght`", "segments[1]"]),
    ("segments:\n  - {name: a, length: 1}\n  - {length: 1}", 3, &["missing field `name`"]),
    ("segments:\n  - name: a\n    length: long", 3, &["segments[0].length", "expected"]),
    ("segments:\n  - {name: '', length: 1}", 2, &["empty name"]),
    (
        "segments:\n  - {name: a, length: 1}\n  - {name: a, length: 1}",
        3,
        &["segment number 2 is called 'a'", "segment number 1"],
    ),
    ("root: {name: a}\nsegments:\n  - {name: a, length: 1}", 3, &["is called 'a', as is the root"]),
    (
        "segments:\n  - {name: a, length: 1}\n  - {name: b, parent: c, length: 1}",
        3,
        &["'b' continues 'c', which is neither"],
    ),
    (
        "segments:\n  - {name: a, parent: b, length: 1}\n  - {name: b, parent: root, length: 1}",
        2,
        &["'a' continues 'b', which comes later"],
    ),
    (
        "segments:\n  - {name: a, length: 1}\n  - {name: b, parent: c, length: 1}\n  - {name: c, parent: b, length: 1}",
        3,
        &["'b' continues 'c'", "circle"],
    ),
    ("segments:\n  - {name: a, parent: a, length: 1}", 2, &["'a' continues 'a'", "circle"]),
    ("segments:\n  - {name: a, length: 0}", 2, &["segment 'a'", "0 m long", "above 0"]),
    ("segments:\n  - {name: a, length: -0.5}", 2, &["segment 'a'", "-0.5 m long"]),
    ("segments:\n  - {name: a, length: .nan}", 2, &["segment 'a'", "NaN m long"]),
    ("segments:\n  - {name: a, length: .inf}", 2, &["segment 'a'", "inf m long"]),
    ("segments:\n  - {name: a, length: 1e200}", 0, &["1e200 m long together"]),
    ("segments:\n  - {name: a, end: [0, 0, 0]}", 2, &["segment 'a'", "0 m long"]),
    ("segments:\n  - {name: a, end: [0, 1]}", 2, &["segment 'a'", "2 coordinates; give 3"]),
    ("segments:\n  - {name: a, end: [0, .nan, 0]}", 2, &["segment 'a'", "coordinate NaN"]),
    ("segments:\n  - {name: a}", 2, &["segment 'a'", "give its length", "or its end"]),
    ("segments:\n  - {name: a, length: 1, end: [1, 0, 0]}", 2, &["segment 'a'", "give its length", "or its end"]),
    ("segments:\n  - {name: a, length: 1, up: [0, 0, 1]}", 2, &["segment 'a'", "which an up may follow"]),
    ("segments:\n  - {name: a, end: [1, 0, 0], up: [2, 0, 0]}", 2, &["segment 'a'", "its up"]),
    ("segments:\n  - {name: a, end: [1, 0, 0], up: [0, .nan, 0]}", 2, &["segment 'a'", "its up"]),
    ("segments:\n  - {name: a, length: 1, rest: [0, .inf, 0]}", 2, &["segment 'a'", "its rest"]),
    ("segments:\n  - {name: a, length: 1, hinge: {axis: [0, 0, 0]}}", 2, &["segment 'a'", "axis", "[0, 0, 0]"]),
    ("segments:\n  - {name: a, length: 1, hinge: {range: [10, -10]}}", 2, &["segment 'a'", "from 10 to -10 degrees"]),
    ("segments:\n  - {name: a, length: 1, hinge: {range: [0, 400]}}", 2, &["segment 'a'", "within ±360"]),
    ("segments:\n  - {name: a, length: 1, hinge: {range: [0, .nan]}}", 2, &["segment 'a'", "from 0 to NaN"]),
    ("segments:\n  - {name: a, length: 1, cone: {up: 10, down: 10, left: 10}}", 2, &["missing field `right`"]),
    (
        "segments:\n  - {name: a, length: 1, cone: {up: 200, down: 1, left: 1, right: 1}}",
        2,
        &["segment 'a'", "200 degrees up"],
    ),
    (
        "segments:\n  - {name: a, length: 1, cone: {up: 1, down: -1, left: 1, right: 1}}",
        2,
        &["segment 'a'", "-1 degrees down"],
    ),
    (
        "segments:\n  - {name: a, length: 1, cone: {up: 1, down: 1, left: 1, right: 1, twist: [5, 1]}}",
        2,
        &["its twist is from 5 to 1"],
    ),
    (
        "segments:\n  - {name: a, length: 1, fixed: true, hinge: {}}",
        2,
        &["segment 'a'", "more than one of hinge, cone and fixed"],
    ),
    ("segments:\n  - {name: a, length: 1}\nends:\n  - a\n  - b", 5, &["'b' is no segment"]),
    ("segments:\n  - {name: a, length: 1}\nends: [a, a]", 3, &["'a' is an end already"]),
    ("segments:\n  - {name: a, length: 1}\nends: []", 0, &["no ends"]),
    ("dimensions: 4\nsegments:\n  - {name: a, length: 1}", 0, &["4 dimensions; give 2 or 3"]),
    ("dimensions: 2\nsegments:\n  - {name: a, length: 1, fixed: true}", 3, &["segment 'a'", "leaves the plane"]),
    ("dimensions: 2\nsegments:\n  - {name: a, length: 1, rest: [10, 0, 0]}", 3, &["segment 'a'", "leaves the plane"]),
    ("root: {position: [0, .nan, 0]}\nsegments:\n  - {name: a, length: 1}", 0, &["the root's position", "NaN"]),
    (
        "dimensions: 2\nroot: {rotation: [9, 0, 0]}\nsegments:\n  - {name: a, length: 1}",
        0,
        &["rotation leaves the plane"],
    ),
    ("root: {place: [0, 0, 0]}\nsegments:\n  - {name: a, length: 1}", 1, &["unknown field `place`"]),
    ("kind: pitch_yaw\nsegments:\n  - {name: a, length: 0}", 3, &["segment 'a'", "0 m long"]),
    (
        "kind: pitch_yaw\nsegments:\n  - {name: a, length: 1, pitch: [9, 1]}",
        3,
        &["segment 'a'", "its pitch is from 9 to 1"],
    ),
    ("kind: pitch_yaw\nsegments:\n  - {name: a, length: 1, hinge: {}}", 3, &["unknown field `hinge`"]),
    ("kind: pitch_yaw\nends: []\nsegments: []", 2, &["unknown field `ends`"]),
    ("kind: pitch_yaw\nsegments: []", 0, &["there is no segment"]),
    ("kind: pitch_yaw\nroot: {rotation: [0, 0, 9]}\nsegments:\n  - {name: a, length: 1}", 0, &["rotation"]),
];

#[test]
fn what_is_wrong_is_named_in_one_sentence_with_its_line() {
    let mut failures = Vec::new();
    for (text, line, words) in WRONG {
        let error = Model::from_yaml(text).expect_err(text);
        let sentence = error.to_string();
        let is_short = sentence.len() < 400 && !sentence.contains('\n');
        if error.line.unwrap_or(0) != *line || !is_short || !words.iter().all(|word| sentence.contains(word)) {
            failures.push((text, line, words, sentence));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn files_are_named_and_read_with_care() {
    let missing = Model::read(Path::new("no/such.yaml")).unwrap_err().to_string();
    assert_eq!(missing, "no/such.yaml: it cannot be read: there is no such file");
    let folder = Model::read(&bundled("")).unwrap_err().to_string();
    assert!(folder.ends_with("it is a directory, not a regular file"), "{folder}");
    let path = std::env::temp_dir().join(format!("urdf_ik_skeleton_{}.yaml", std::process::id()));
    std::fs::write(&path, "segments:\n  - {name: a, length: -1}").unwrap();
    let wrong = Model::read(&path).unwrap_err().to_string();
    std::fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    let large = Model::read(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(wrong.starts_with(&format!("{}, line 2: ", path.display())), "{wrong}");
    assert!(large.contains("larger than 1048576 bytes"), "{large}");
}

#[test]
fn texts_that_would_take_long_are_refused_and_long_names_cut() {
    for deep in ["{segments: ", "[", "segments: [{name: "] {
        let reason = Model::from_yaml(&deep.repeat(50_000)).unwrap_err().to_string();
        assert!(reason.contains("brackets; at most 4096"), "{reason}");
    }
    let parent = "x".repeat(10_000);
    let long = Model::from_yaml(&format!("segments:\n  - {{name: a, parent: {parent}, length: 1}}")).unwrap_err();
    assert!(long.to_string().len() < 300, "{long}");
    // A long row, with each parent named.
    let mut text = String::from("segments:\n");
    for index in 0..10_000 {
        text += &format!("- name: s{index}\n  length: 0.1\n");
    }
    assert_eq!(skeleton(&text).points.len(), 10_001);
}

#[test]
fn yaml_of_any_pieces_is_answered() {
    let pieces = [
        "segments:",
        "\n  - ",
        "name: ",
        "length: ",
        "end: ",
        "[1, 0, 0]",
        "{",
        "}",
        "hinge: ",
        "cone: ",
        "up: ",
        "range: ",
        "ends: ",
        "root: ",
        "a",
        "b",
        "\n",
        "1",
        ", ",
        "&x ",
        "*x",
        "kind: pitch_yaw\n",
        "parent: ",
        "-.inf",
        "null",
        "~",
        "!!str ",
        "? ",
        "<<: *x",
    ];
    let mut random = oorandom::Rand32::new(5);
    for _ in 0..5000 {
        let count = random.rand_range(0..40);
        let text: String = (0..count).map(|_| pieces[random.rand_range(0..29) as usize]).collect();
        let _ = Model::from_yaml(&text);
    }
}
