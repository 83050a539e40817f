//! The C interface, used by C and C++ programs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod bits;
mod header;
mod install;
mod library;
mod page;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Folder of the tests' own files.
fn test_folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// Configures the library's CMake project in a folder, with the library that cargo built for the tests.
fn configure(build: &Path) {
    let built = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let libraries = format!("-DURDF_IK_C_LIBRARIES={}", built.display());
    run(Command::new("cmake").arg("-S").arg(package()).arg("-B").arg(build).arg(libraries));
}

/// Prefix of the installed library, moved after its installation.
fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let [build, first, prefix] = ["build", "first", "installed"].map(|name| test_folder().join(name));
        for folder in [&build, &first, &prefix] {
            let _ = fs::remove_dir_all(folder);
        }
        configure(&build);
        run(Command::new("cmake").arg("--install").arg(&build).arg("--prefix").arg(&first));
        fs::rename(first, &prefix).unwrap();
        prefix
    })
}

/// The source of a program of the tests.
fn program(name: &str) -> PathBuf {
    package().join("tests/programs").join(name)
}

/// Warnings that are errors in every program.
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"];

/// Compiles a program with the installed library and returns its file.
fn compile(compiler: &str, source: &Path, options: &[&str]) -> PathBuf {
    let program = test_folder().join(source.file_stem().unwrap());
    let [headers, libraries] = ["include", "lib"].map(|folder| installed().join(folder));
    run(Command::new(compiler)
        .args(options)
        .args(WARNINGS)
        .args(["-g", "-O1", "-pthread"])
        .arg(source)
        .arg("-I")
        .arg(headers)
        .arg("-L")
        .arg(&libraries)
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .args(["-lurdf_ik_c", "-lm", "-o"])
        .arg(&program));
    program
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Output {
    // Cargo's own path begins with the folder in which `cargo build` may have left an older library.
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
