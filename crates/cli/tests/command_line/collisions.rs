//! The commands `info --collisions` and `collisions`.

use crate::common;
use crate::shell::{fails, file, keys, parse, run, sorted, succeeds, text_of, urdf};

/// Three boxes in a row, turned about z by two joints, and a link whose mesh is missing.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><collision><geometry><box size="0.4 0.2 0.2"/></geometry></collision></link>
  <link name="arm"><collision><geometry><box size="0.4 0.2 0.2"/></geometry></collision></link>
  <link name="hand"><collision><geometry><box size="0.4 0.2 0.2"/></geometry></collision></link>
  <joint name="shoulder" type="continuous"><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/><parent link="base"/><child link="arm"/></joint>
  <joint name="wrist" type="continuous"><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/><parent link="arm"/><child link="hand"/></joint>
</robot>"#;

const SRDF: &str = r#"<robot name="arm"><disable_collisions link1="base" link2="hand" reason="Never"/></robot>"#;

#[test]
fn info_shows_shapes_and_pairs() {
    let arm = text_of(&file("shapes.urdf", ARM));
    let out = succeeds(&["info", "--collisions", "--urdf", &arm]);
    for word in [
        "robot arm: 3 of 3 links have shapes",
        "  hand: box 0.4 x 0.2 x 0.2 m",
        "pairs that count, of links that the chain from base to hand moves against each other: 1\n  base - hand\n",
        "pairs that are left out: 2\n  base - arm: neighbours\n  arm - hand: neighbours\n",
        "with all joints in the middle nothing touches",
    ] {
        assert!(out.contains(word), "'{word}' is not in: {out}");
    }
    let srdf = text_of(&file("shapes.srdf", SRDF));
    let out = succeeds(&["info", "--collisions", "--urdf", &arm, "--srdf", &srdf]);
    assert!(out.contains("left out: 1\n  base - hand: SRDF: Never\n") && out.contains("  arm - hand\n"), "{out}");
    let overlapping = text_of(&file("overlap.urdf", &ARM.replace(r#"xyz="0.5 0 0""#, r#"xyz="0.1 0 0""#)));
    let out = succeeds(&["info", "--collisions", "--urdf", &overlapping, "--srdf", &srdf]);
    assert!(out.contains("with all joints in the middle these touch:\n  base - arm\n  arm - hand\n"), "{out}");
    // Without a chain: the whole robot.
    let out = succeeds(&["info", "--collisions", "--urdf", &urdf("two_arms.urdf")]);
    assert!(out.contains("of links that the robot moves against each other: 0"), "{out}");
}

#[test]
fn collisions_are_the_least_distance_or_all() {
    let arm = text_of(&file("distances.urdf", ARM));
    let srdf = text_of(&file("all.srdf", r#"<robot name="arm"/>"#));
    let positions =
        text_of(&file("distances.json", r#"[{}, {"wrist": 3.141592653589793}, {"shoulder": 1.5707963267948966}]"#));
    let out = parse(&succeeds(&["collisions", "--urdf", &arm, "--positions", &positions]));
    let distances: Vec<f64> = out.as_array().unwrap().iter().map(|least| least["distance"].as_f64().unwrap()).collect();
    assert!(out.as_array().unwrap().iter().all(|least| sorted(keys(least)) == ["distance", "links"]));
    assert_eq!(out[0]["links"], serde_json::json!(["base", "hand"]));
    // Along the row 1 m minus two half boxes; the hand is symmetric under a half turn.
    assert!((distances[0] - 0.6).abs() < 1e-9 && (distances[1] - 0.6).abs() < 1e-9, "{distances:?}");
    // The hand is upright above the elbow at (0.5, 0.5), beside the base.
    assert!((distances[2] - 0.2_f64.hypot(0.2)).abs() < 1e-9, "{distances:?}");
    let all = parse(&succeeds(&["collisions", "--urdf", &arm, "--positions", &positions, "--srdf", &srdf, "--all"]));
    for (at, least) in distances.iter().enumerate() {
        let pairs = all[at].as_array().unwrap();
        assert_eq!(pairs.len(), 3);
        assert_eq!(pairs[1]["distance"].as_f64(), Some(*least));
    }
}

#[test]
fn bad_input_of_collisions_is_refused_or_named() {
    let arm = text_of(&file(
        "bad.urdf",
        &ARM.replace(
            r#"<box size="0.4 0.2 0.2"/></geometry></collision></link>
  <joint"#,
            r#"<mesh filename="package://nobody/hand.stl"/></geometry></collision></link>
  <joint"#,
        ),
    ));
    let positions = text_of(&file("bad.json", "[{}]"));
    let missing = run(&["info", "--collisions", "--urdf", &arm]);
    assert_eq!(missing.code, 0);
    let named = "link 'hand' counts without a shape: mesh package://nobody/hand.stl was not found";
    assert!(missing.out.contains(named) && missing.err.contains(named), "{} {}", missing.out, missing.err);
    // The missing shape may collide.
    let words = ["these links could not be loaded", "hand", "missing_shapes", "ignore"];
    let target = ["--position", "0.6", "0.6", "0"];
    for command in [
        [&["collisions", "--urdf", &arm, "--positions", &positions][..]].concat(),
        [&["solve", "--urdf", &arm, "--avoid-collisions"], &target[..]].concat(),
    ] {
        fails(&command, &words);
        let ignored = run(&[&command[..], &["--missing-shapes", "ignore"]].concat()).err;
        assert!(ignored.contains(named) && !ignored.contains(words[0]), "{command:?}: {ignored}");
        fails(&[&command[..], &["--missing-shapes", "hide"]].concat(), &["hide", "refuse", "ignore"]);
    }
    fails(&[&["solve", "--urdf", &arm, "--missing-shapes", "ignore"], &target[..]].concat(), &["--avoid-collisions"]);
    let bare = text_of(&file("shapeless.urdf", &common::urdf::planar(0.5, 0.4)));
    fails(&["collisions", "--urdf", &bare, "--positions", &positions], &["no pair of links counts"]);
    let other = text_of(&file("other.srdf", r#"<robot name="b"><disable_collisions link1="x" link2="y"/></robot>"#));
    let whole = text_of(&file("whole.urdf", ARM));
    let asked = ["collisions", "--urdf", &whole, "--positions", &positions];
    fails(&[&asked[..], &["--srdf", &other]].concat(), &["other.srdf", "of another robot", "does not have x, y"]);
    fails(&[&asked[..], &["--srdf", "/no.srdf"]].concat(), &["/no.srdf", "there is no such file"]);
    let unknown = text_of(&file("unknown.json", r#"[{"knee": 1}]"#));
    fails(&["collisions", "--urdf", &whole, "--positions", &unknown], &["knee"]);
    let far = text_of(&file("far.json", r#"[{"wrist": 1e999}]"#));
    fails(&["collisions", "--urdf", &whole, "--positions", &far], &["far.json"]);
    fails(&["info", "--urdf", &whole, "--srdf", &other], &["--collisions"]);
}
