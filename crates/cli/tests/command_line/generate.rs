//! The command `generate`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use urdf_ik::robot::{Noodle, NoodleJoints};

use crate::shell::{command, fails, parse, succeeds, text_of};

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
    refused(&["--output", "/no/such/folder/noodle.urdf"], &["--output", "there is no folder /no/such/folder"]);
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let run = command(&["generate", "--segments", "3", "--output", "-"]).current_dir(folder).output().unwrap();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), Noodle::new(3).urdf().unwrap());
    assert!(!folder.join("-").exists());
}

/// Limits file sizes to some kilobytes, like a full disk.
fn on_a_full_disk(arguments: &[&str]) -> Output {
    let limited = r#"trap '' XFSZ; ulimit -f 8; exec "$0" "$@""#;
    Command::new("sh").args(["-c", limited, env!("CARGO_BIN_EXE_urdf_ik")]).args(arguments).output().unwrap()
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full_disk");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let (file, link) = (folder.join("noodle.urdf"), folder.join("link.urdf"));
    std::fs::write(&file, "the old one").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("noodle.urdf", &link).unwrap();
    for output in [&file, &link] {
        let run = on_a_full_disk(&["generate", "--segments", "1000", "--output", &text_of(output)]);
        let message = String::from_utf8(run.stderr).unwrap();
        assert!(message.contains("cannot write") && message.contains("File too large"), "{message}");
        assert_eq!(run.status.code(), Some(2));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "the old one");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    }
    succeeds(&["generate", "--segments", "1000", "--output", &text_of(&link)]);
    assert!(link.is_symlink() && std::fs::read_dir(&folder).unwrap().count() == 2);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), Noodle::new(1000).urdf().unwrap());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}
