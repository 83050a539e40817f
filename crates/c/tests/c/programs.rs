//! Programs that use all of the interface, rightly and wrongly, watched by valgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

use urdf_ik_testing::root;

use crate::{compile, program, run};

fn urdf(name: &str) -> PathBuf {
    root().join("urdf").join(name).with_extension("urdf")
}

#[test]
fn a_program_in_c_makes_no_leak_and_no_invalid_access() {
    let program = compile("cc", &program("all_of_it.c"), &["-std=c11"]);
    let arguments = [urdf("arm7"), urdf("dual_arm")];
    run(Command::new(&program).args(&arguments));
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "valgrind is missing");
        println!("skipped: valgrind is not installed");
        return;
    }
    // What is only possibly lost are the handles of threads that the standard library and rayon keep, by pointers
    // into their middle.
    let kinds = ["--show-leak-kinds=definite,indirect", "--errors-for-leak-kinds=definite,indirect"];
    let checks = ["--quiet", "--error-exitcode=9", "--leak-check=full"];
    run(Command::new("valgrind").args(checks).args(kinds).arg(&program).args(&arguments));
}

/// The program in docs/c.md, in the folder from which its path of a URDF counts.
#[test]
fn the_program_of_the_documentation_solves() {
    let page = std::fs::read_to_string(root().join("docs/c.md")).unwrap();
    let (_, program) = page.split_once("```c\n").unwrap();
    let (program, _) = program.split_once("```").unwrap();
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first.c");
    std::fs::write(&source, program).unwrap();
    let output = run(Command::new(compile("cc", &source, &["-std=c11"])).current_dir(root()));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("solved: "));
}

#[test]
fn a_program_in_c_plus_plus_solves() {
    run(Command::new(compile("c++", &program("solve.cpp"), &["-std=c++17"])).args([urdf("arm7"), urdf("dual_arm")]));
}
