//! Programs that use all of the interface, rightly and wrongly, watched by valgrind.

use std::process::Command;

use crate::{compile, compile_c, run};

fn urdf(name: &str) -> String {
    format!("{}/../../urdf/{name}.urdf", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_program_in_c_makes_no_leak_and_no_invalid_access() {
    let program = compile_c("all_of_it.c");
    let arguments = [urdf("arm7"), urdf("dual_arm")];
    run(Command::new(&program).args(&arguments));
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "valgrind is missing");
        println!("skipped: valgrind is not installed");
        return;
    }
    let checks = ["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible"];
    run(Command::new("valgrind").args(checks).arg(&program).args(&arguments));
}

#[test]
fn a_program_in_c_plus_plus_solves() {
    run(Command::new(compile("c++", "solve.cpp", &["-std=c++17"])).args([urdf("arm7"), urdf("dual_arm")]));
}
