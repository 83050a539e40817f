//! The command `generate` as a shell uses it.

use std::path::Path;

use urdf_ik::robot::{Noodle, NoodleJoints};

use crate::shell::{fails, parse, succeeds, text_of};

#[test]
fn generate_writes_the_requested_noodle() {
    assert_eq!(succeeds(&["generate", "--segments", "12"]), Noodle::new(12).urdf().unwrap());
    let noodle = Noodle {
        name: "long & thin".into(),
        joints: NoodleJoints::Ball,
        segments: 3,
        length: 2.5,
        radius: Some(0.01),
        limit: Some(0.8),
    };
    let arguments = ["generate", "--segments", "3", "--joints", "ball", "--length", "2.5"];
    let more = ["--radius", "0.01", "--limit", "0.8", "--name", "long & thin"];
    assert_eq!(succeeds(&[&arguments[..], &more].concat()), noodle.urdf().unwrap());
}

#[test]
fn the_generated_file_can_be_used_at_once() {
    let path = text_of(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated.urdf"));
    for kind in ["alternating", "ball"] {
        assert_eq!(succeeds(&["generate", "--segments", "100", "--joints", kind, "--output", &path]), "");
        let info = succeeds(&["info", "--urdf", &path]);
        for word in ["robot noodle", "chain from base_link", "segment_100", "tip tip_link", "1.0000 m"] {
            assert!(info.contains(word), "'{word}' is not in: {info}");
        }
        for solver in ["jacobian", "fabrik"] {
            let target = ["--target", "0.3", "0.2", "0.4", "1", "0", "0", "0"];
            let solve = ["solve", "--urdf", &path, "--tip", "tip_link", "--solver", solver];
            let answer = succeeds(&[&solve[..], &target].concat());
            assert_eq!(parse(&answer)["solved"], true, "{answer}");
        }
    }
}

#[test]
fn generate_refuses_invalid_options() {
    let ten = ["generate", "--segments", "10"];
    let refused = |more: &[&str], words: &[&str]| fails(&[&ten[..], more].concat(), words);
    fails(&["generate"], &["--segments"]);
    fails(&["generate", "--segments", "0"], &["0 segments", "1 to 10000"]);
    fails(&["generate", "--segments", "10001"], &["10001 segments", "1 to 10000"]);
    for count in ["-3", "1.5", "many"] {
        fails(&["generate", "--segments", count], &["--segments", count]);
    }
    for length in ["0", "-1", "NaN", "inf", "1e9"] {
        refused(&["--length", length], &["length is", "0.001 to 10000 m"]);
    }
    for radius in ["0", "-0.1", "nan", "2"] {
        refused(&["--radius", radius], &["radius is", "no more than the length, 1 m"]);
    }
    for limit in ["0", "-1", "nan", "3.15"] {
        refused(&["--limit", limit], &["limit is", "rad"]);
    }
    refused(&["--joints", "hinge"], &["--joints", "alternating", "ball"]);
    refused(&["--name", ""], &["name"]);
    refused(&["--name", "a\tb"], &["name", "control characters"]);
    refused(&["--output", "/no/such/folder/noodle.urdf"], &["cannot write /no/such/folder/noodle.urdf"]);
}
