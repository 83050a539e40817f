//! Invalid models: each mistake is reported in one sentence with its line.

use std::path::Path;

use urdf_ik::skeleton::file::Model;

/// Invalid texts, the reported line (0 for none), and words of the message.
const WRONG: &[(&str, usize, &[&str])] = &[
    ("", 1, &["missing field `segments`"]),
    ("segments: [{name: a, length: 1}", 2, &["did not find expected"]),
    ("segments:\n  - {name: a, length: 1}\n\t- x", 3, &["cannot start any token"]),
    ("kind: snake\nsegments: []", 1, &["there is no kind 'snake'", "skeleton and pitch_yaw"]),
    ("kind: skeleton\nsegment: []", 2, &["unknown field `segment`", "segments"]),
    ("segments: []", 0, &["there is no segment"]),
    ("segments: 3", 1, &["segments", "expected a sequence"]),
    ("segments:\n  - {name: a, length: 1}\n  - 7", 3, &["segments[1]", "expected a segment such as"]),
    ("segments:\n  - {name: a, length: 1}\n  - {name: b, lenght: 1}", 3, &["segment 'b'", "unknown field `lenght`"]),
    ("segments:\n  - {name: a, length: 1}\n  - {length: 1}", 3, &["missing field `name`"]),
    ("segments:\n  - name: a\n    length: long", 3, &["segment 'a': length", "expected a number"]),
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
    ("segments:\n  - {name: a, length: 1e200}", 2, &["segment 'a'", "1e200 m long", "at most 1e9"]),
    ("segments:\n  - {name: a, end: [0, 0, 0]}", 2, &["segment 'a'", "0 m long"]),
    ("segments:\n  - {name: a, end: [0, 1]}", 2, &["segment 'a'", "2 coordinates; give 3"]),
    ("segments:\n  - {name: a, end: [0, .nan, 0]}", 2, &["segment 'a'", "coordinate y of the end is NaN"]),
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
    ("dimensions: 4\nsegments:\n  - {name: a, length: 1}", 1, &["4 dimensions; give 2 or 3"]),
    (
        "dimensions: 2\nsegments:\n  - {name: a, length: 1, fixed: true, rest: [9, 0, 0]}",
        3,
        &["segment 'a'", "leaves the plane"],
    ),
    ("dimensions: 2\nsegments:\n  - {name: a, length: 1, rest: [10, 0, 0]}", 3, &["segment 'a'", "leaves the plane"]),
    ("root: {position: [0, .nan, 0]}\nsegments:\n  - {name: a, length: 1}", 1, &["coordinate y of the root is NaN"]),
    ("root: {position: [0, 0, 1e300]}\nsegments:\n  - {name: a, length: 1}", 1, &["coordinate z of the root"]),
    (
        "dimensions: 2\nroot: {rotation: [9, 0, 0]}\nsegments:\n  - {name: a, length: 1}",
        2,
        &["rotation leaves the plane"],
    ),
    ("root: {place: [0, 0, 0]}\nsegments:\n  - {name: a, length: 1}", 1, &["unknown field `place`"]),
    ("kind: pitch_yaw\nsegments:\n  - {name: a, length: 0}", 3, &["segment 'a'", "0 m long"]),
    (
        "kind: pitch_yaw\nsegments:\n  - {name: a, length: 1, pitch: [9, 1]}",
        3,
        &["segment 'a'", "its pitch is from 9 to 1"],
    ),
    ("kind: pitch_yaw\nsegments:\n  - {name: a, length: 1, hinge: {}}", 3, &["segment 'a'", "unknown field `hinge`"]),
    ("kind: pitch_yaw\nends: []\nsegments: []", 2, &["unknown field `ends`"]),
    ("kind: pitch_yaw\nsegments: []", 0, &["there is no segment"]),
    ("kind: pitch_yaw\nroot: {rotation: [0, 0, 9]}\nsegments:\n  - {name: a, length: 1}", 2, &["rotation"]),
    ("42", 1, &["integer `42`, expected a mapping with segments"]),
    ("kind: [x]\nsegments:\n  - {name: a, length: 1}", 1, &["kind: invalid type: sequence", "a name"]),
    ("root: 7\nsegments:\n  - {name: a, length: 1}", 1, &["expected a root such as"]),
    ("root:\nsegments:\n  - {name: a, length: 1}", 1, &["root: invalid type: nothing"]),
    ("dimensions: two\nsegments:\n  - {name: a, length: 1}", 1, &["dimensions", "expected a whole number"]),
    (
        "dimensions: 2\nname: flat\nroot: {position: [0, 0, 0]}\nsegments:\n  - {name: a, length: 1}",
        3,
        &["the root has 3 coordinates; give 2"],
    ),
    ("segments:\n  - name: a\n    length: 1\n    hinge: 3", 4, &["segment 'a'", "expected a hinge such as {axis"]),
    ("segments:\n  - name: a\n    length: 1\n    cone: 3", 4, &["segment 'a'", "expected a cone such as {up"]),
    ("segments:\n  - name: a\n    length: 1\n    hinge: ~", 4, &["segment 'a'", "hinge: invalid type: nothing"]),
    ("segments:\n  - name: a\n    length: 1\n    hinge: {range: }", 4, &["segment 'a': hinge.range", "array"]),
    ("segments:\n  - name: a\n    length: 1\n    cone:", 4, &["segment 'a'", "cone: missing field `up`"]),
    ("segments:\n  - name: a\n    length: 1\n    parent:", 2, &["'a' continues '', which is neither"]),
    ("segments:\n  - {name: a, length: 1}\nends:", 0, &["no ends"]),
    ("name: a\nsegments:\n  - {name: a, length: 1}\nname: b", 4, &["a second key `name`"]),
    ("segments:\n  - {name: \"a\\e[31m\\nb\", length: 1}", 2, &["\"a\\u{1b}[31m\\nb\" has a control character"]),
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
    let folder = Model::read(Path::new("src")).unwrap_err().to_string();
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
    let digits = Model::from_yaml(&format!("segments:\n  - {{name: a, length: {}}}", "1".repeat(500_000))).unwrap_err();
    let digits = digits.to_string();
    assert!(digits.contains("segment 'a': length") && digits.contains("expected a number"), "{digits}");
    assert!(digits.len() < 500, "{digits}");
    let row: Vec<String> = (0..10_000).map(|index| format!("- name: s{index}\n  length: 0.1\n")).collect();
    let Ok(Model::Skeleton(long)) = Model::from_yaml(&format!("segments:\n{}", row.concat())) else {
        panic!("refused")
    };
    assert_eq!(long.points.len(), 10_001);
}

#[test]
fn aliases_do_not_repeat_what_is_long() {
    let name = "x".repeat(400_000);
    // Each alias would take as much memory as the name: 40 GB.
    let first = format!("segments:\n  - name: &n {name}\n    length: 1\n");
    for rest in [format!("ends:\n{}", "- *n\n".repeat(100_000)), "  - name: *n\n    length: 1\n".repeat(20_000)] {
        let error = Model::from_yaml(&format!("{first}{rest}")).unwrap_err();
        assert_eq!(error.line, Some(2));
        assert!(error.to_string().contains("a name has 400000 characters; give at most 100"), "{error}");
    }
    let longest = "x".repeat(100);
    let text = format!("segments:\n  - {{name: &n {longest}, length: 1}}\nends:\n  - *n");
    let Ok(Model::Skeleton(model)) = Model::from_yaml(&text) else { panic!("refused") };
    assert_eq!(model.points[1], longest);
}
