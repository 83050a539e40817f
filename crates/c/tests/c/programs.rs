//! Programs with correct and incorrect uses of the whole interface, under valgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

use urdf_ik_testing::root;

use crate::{compile, program, run};

pub fn urdf(name: &str) -> PathBuf {
    root().join("urdf").join(name).with_extension("urdf")
}

/// Runs a program under valgrind, if it is installed, in the root folder of the system.
pub fn watch(program: &Path, arguments: &[PathBuf]) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "valgrind is missing");
        println!("without valgrind, because it is not installed");
        run(Command::new(program).args(arguments).current_dir("/"));
        return;
    }
    // Possibly lost blocks are thread handles of the standard library and rayon, referenced by interior pointers.
    let kinds = ["--show-leak-kinds=definite,indirect", "--errors-for-leak-kinds=definite,indirect"];
    let checks = ["--quiet", "--error-exitcode=9", "--leak-check=full"];
    run(Command::new("valgrind").args(checks).args(kinds).arg(program).args(arguments).current_dir("/"));
}

/// Compiles a program and runs it under valgrind with two files.
fn is_clean(name: &str, files: &[PathBuf]) {
    let program = compile("cc", &program(name), &["-std=c11"]);
    run(Command::new(&program).args(files));
    watch(&program, files);
}

#[test]
fn a_program_in_c_makes_no_leak_and_no_invalid_access() {
    is_clean("all_of_it.c", &["arm7", "dual_arm"].map(urdf));
}

#[test]
fn a_program_in_c_measures_links() {
    is_clean("links.c", &[urdf("dual_arm")]);
}

#[test]
fn a_program_in_c_avoids_collisions() {
    is_clean("worlds.c", &["arm7", "dual_arm"].map(urdf));
}

#[test]
fn a_program_in_c_follows_paths_and_commands() {
    is_clean("motion.c", &["arm7", "dual_arm"].map(urdf));
}

#[test]
fn a_program_in_c_solves_skeletons() {
    is_clean(
        "skeletons.c",
        &["humanoid.yaml", "pitch_yaw.yaml"].map(|name| root().join("config/skeletons").join(name)),
    );
}

#[test]
fn a_program_in_c_plus_plus_solves() {
    for standard in ["-std=c++17", "-std=c++20"] {
        let program = compile("c++", &program("solve.cpp"), &[standard]);
        run(Command::new(program).args(["arm7", "dual_arm"].map(urdf)));
    }
}
