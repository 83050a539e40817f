//! Fuzz targets for everything that reads input from outside, and for solves.
//!
//! A [`Target`] runs one input and panics where the library breaks a promise: a file is refused with a sentence or
//! valid, and a success is one by independent kinematics. `tests/random` runs the targets with the inputs of
//! `corpus` and mutations of them, `src/bin/fuzz.rs` with inputs that reach more code.

#![allow(missing_docs, reason = "not published")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]
#![allow(clippy::missing_panics_doc, reason = "tests alone use it")]

mod c;
mod command_line;
pub mod mutation;
pub mod problem;
mod robots;
mod settings;
mod shapes;

use std::path::PathBuf;

use urdf_ik_testing::root;

/// Names and values in files of XML.
const XML: &[&str] = &[
    "<",
    ">",
    "\"",
    "/>",
    "</joint>",
    "</robot>",
    "<joint>",
    "<link name=\"tool0\"/>",
    "<!--",
    "]]>",
    "&",
    "&#0;",
    "\0",
    "é",
    "<mimic joint=\"elbow_joint\"/>",
    "<limit lower=\"1\" upper=\"-1\"/>",
    "\"\"",
    "\"nan\"",
    "\"inf\"",
    "\"1e999\"",
    "\"-1e308\"",
    "\"1e-320\"",
    "\"0 0 0\"",
    "\"1 2\"",
    "\"1e200 0 -1e200\"",
    "\"fixed\"",
    "\"prismatic\"",
    "\"floating\"",
    "\"base_link\"",
    "\"${x}\"",
];
/// Names and values in files of YAML and JSON.
const YAML: &[&str] = &[
    "",
    "a",
    "0",
    "-1",
    "1e999",
    "1e308",
    ".nan",
    "-.inf",
    "~",
    "null",
    "[1, 0, 0]",
    "[0, 0, 0]",
    "[]",
    "{",
    "}",
    "[",
    "]",
    "&x 1",
    "*x",
    "!!str 1",
    "<<: *x",
    "? ",
    "\"\"",
    "root",
    "true",
    "\n",
    ": ",
    ", ",
];
/// Numbers in files of meshes.
const MESH: &[&str] =
    &["0", "-1", "1e39", "nan", "inf", "4294967295", "18446744073709551616", "\n", "f 1 2 3", "#", "\0"];

/// Code that takes input from outside, with the words of its format.
pub struct Target {
    pub name: &'static str,
    /// Panics if the library breaks a promise.
    pub run: fn(&[u8]),
    /// Texts that mutations insert.
    pub words: &'static [&'static str],
    /// Mutations in the tests: about two seconds of work.
    pub rounds: usize,
}

pub const TARGETS: &[Target] = &[
    Target { name: "urdf", run: robots::urdf, words: XML, rounds: 6000 },
    Target { name: "srdf", run: robots::srdf, words: XML, rounds: 6000 },
    Target { name: "stl", run: |bytes| shapes::mesh("stl", bytes), words: MESH, rounds: 2000 },
    Target { name: "obj", run: |bytes| shapes::mesh("obj", bytes), words: MESH, rounds: 4000 },
    Target { name: "dae", run: |bytes| shapes::mesh("dae", bytes), words: XML, rounds: 2000 },
    Target { name: "obstacles", run: shapes::obstacles, words: YAML, rounds: 4000 },
    Target { name: "joint_limits", run: settings::joint_limits, words: YAML, rounds: 8000 },
    Target { name: "parameters", run: settings::parameters, words: YAML, rounds: 4000 },
    Target { name: "goals", run: settings::goals, words: YAML, rounds: 4000 },
    Target { name: "skeleton", run: settings::skeleton, words: YAML, rounds: 4000 },
    Target { name: "cases", run: command_line::cases, words: YAML, rounds: 500 },
    Target { name: "waypoints", run: command_line::waypoints, words: YAML, rounds: 300 },
    Target { name: "points", run: command_line::points, words: YAML, rounds: 1000 },
    Target { name: "c", run: c::calls, words: &[], rounds: 1000 },
    Target { name: "problem", run: problem::of_bytes, words: &[], rounds: 3000 },
];

impl Target {
    /// The target of that name.
    pub fn named(name: &str) -> &'static Self {
        let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
        let found = TARGETS.iter().find(|target| target.name == name);
        found.unwrap_or_else(|| panic!("there is no target '{name}'; the targets are {}", names()))
    }

    /// The inputs of the corpus, in the order of their names.
    pub fn corpus(&self) -> Vec<Vec<u8>> {
        let folder = root().join("crates/fuzz/corpus").join(self.name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| std::fs::read(file).unwrap()).collect()
    }
}

/// Checks that a message is one sentence that names something.
fn check_message(message: &str) {
    assert!((10..2000).contains(&message.chars().count()) && !message.contains('\n'), "{message:?}");
}
