//! Runs of the built command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nalgebra::Isometry3;
use serde_json::Value;

use crate::common;

/// The result of one run of the command.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

pub fn run(arguments: &[&str]) -> Run {
    run_with_input(arguments, Stdio::null())
}

pub fn run_with_input(arguments: &[&str], input: impl Into<Stdio>) -> Run {
    let Output { status, stdout, stderr } = command(arguments).stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let run = Run { code: status.code().expect("no signal"), out: text(stdout), err: text(stderr) };
    assert!(!run.err.contains("panicked"), "{}", run.err);
    run
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_urdf_ik"));
    command.args(arguments);
    command
}

/// Standard output of a successful run.
pub fn succeeds(arguments: &[&str]) -> String {
    let run = run(arguments);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
    run.out
}

/// Asserts that a run fails with the exit status of bad input and a single line with all of `words`.
pub fn fails(arguments: &[&str], words: &[&str]) {
    let run = run(arguments);
    assert_eq!(run.code, 2, "{arguments:?}");
    assert_eq!(run.out, "", "{arguments:?}");
    assert_eq!(run.err.lines().count(), 1, "{arguments:?}: {}", run.err);
    for word in words {
        assert!(run.err.contains(word), "{arguments:?}: '{word}' is not in: {}", run.err);
    }
}

pub fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

pub fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

pub fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

/// A file in cargo's folder for tests.
pub fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

pub fn urdf(name: &str) -> String {
    text_of(&common::urdf_path(name))
}

pub fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The seven numbers of `--target`.
pub fn target_of(pose: &Isometry3<f64>) -> Vec<String> {
    let [x, y, z]: [f64; 3] = pose.translation.vector.into();
    let [qx, qy, qz, qw]: [f64; 4] = pose.rotation.coords.into();
    [x, y, z, qx, qy, qz, qw].iter().map(ToString::to_string).collect()
}
