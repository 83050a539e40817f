//! The C interface as programs in C and C++ use it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod bits;
mod header;
mod library;
mod programs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the library: cargo puts it beside its tests.
fn library_folder() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    assert!(folder.join("liburdf_ik_c.so").exists(), "there is no liburdf_ik_c.so in {}", folder.display());
    folder
}

/// The source of a program of the tests.
fn program(name: &str) -> PathBuf {
    package().join("tests/programs").join(name)
}

/// Compiles a program and gives its file.
fn compile(compiler: &str, source: &Path, options: &[&str]) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(source.file_stem().unwrap());
    let folder = library_folder();
    run(Command::new(compiler)
        .args(options)
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-O1", "-pthread"])
        .arg(source)
        .arg("-I")
        .arg(package().join("include"))
        .arg("-L")
        .arg(&folder)
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .args(["-lurdf_ik_c", "-lm", "-o"])
        .arg(&program));
    program
}

/// Runs a command that has to succeed.
fn run(command: &mut Command) -> Output {
    // That of cargo begins with the folder in which `cargo build` may have left an older library.
    let output = command.env_remove("LD_LIBRARY_PATH").output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}
