//! The installed library, used by projects outside the source tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::page::blocks;
use crate::programs::{urdf, watch};
use crate::{WARNINGS, configure, installed, run, test_folder};

/// The first block of docs/c.md in this language that contains `words`.
fn block(language: &str, words: &str) -> String {
    let mut wanted = blocks(language).into_iter().filter(|block| block.contains(words));
    wanted.next().unwrap_or_else(|| panic!("docs/c.md has no {language} with {words}"))
}

/// A new folder outside the source tree, with the program of docs/c.md.
fn project(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("urdf_ik_c_{name}_{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("first.c"), block("c", "int main")).unwrap();
    folder
}

/// Runs the program of docs/c.md from another folder, under valgrind.
fn solves(program: &Path) {
    let output = run(Command::new(program).arg(urdf("arm7")).current_dir("/"));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("solved: "));
    watch(program, &[urdf("arm7")]);
}

#[test]
fn a_project_with_pkg_config_builds_and_runs_from_every_folder() {
    let folder = project("pkg_config");
    let command = block("sh", "pkg-config");
    let (_, compile) = command.split_once("cc ").unwrap();
    for standard in ["c99", "c17"] {
        run(Command::new("sh")
            .args(["-ec", &format!("cc -std={standard} {} {compile}", WARNINGS.join(" "))])
            .current_dir(&folder)
            .env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig")));
        solves(&folder.join("first"));
    }
    let version = run(Command::new("pkg-config")
        .args(["--modversion", "urdf_ik_c"])
        .env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig")));
    assert_eq!(String::from_utf8(version.stdout).unwrap().trim(), env!("CARGO_PKG_VERSION"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_project_with_cmake_builds_and_runs_from_every_folder() {
    let folder = project("cmake");
    let shared = block("cmake", "find_package");
    let linked = shared.replace("urdf_ik_c::urdf_ik_c", "urdf_ik_c::static");
    assert_ne!(shared, linked);
    for (name, text) in [("shared", shared), ("static", linked)] {
        fs::write(folder.join("CMakeLists.txt"), text).unwrap();
        let build = folder.join(name);
        let prefix = format!("-DCMAKE_PREFIX_PATH={}", installed().display());
        run(Command::new("cmake").arg("-S").arg(&folder).arg("-B").arg(&build).arg(prefix));
        run(Command::new("cmake").arg("--build").arg(&build));
        let program = build.join("first");
        solves(&program);
        let needed = run(Command::new("readelf").arg("-d").arg(&program));
        let needed = String::from_utf8(needed.stdout).unwrap();
        assert_eq!(needed.contains("[liburdf_ik_c.so.0]"), name == "shared", "{needed}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// As distributions build packages: into a staged root, with the distribution's library folder.
#[test]
fn the_library_installs_into_a_staged_root() {
    let [build, stage] = ["staged_build", "stage"].map(|name| test_folder().join(name));
    let _ = fs::remove_dir_all(&stage);
    configure(&build);
    let folder = "-DCMAKE_INSTALL_LIBDIR=lib/somewhere";
    run(Command::new("cmake").arg("-DCMAKE_INSTALL_PREFIX=/usr").arg(folder).arg(&build));
    run(Command::new("cmake").arg("--install").arg(&build).env("DESTDIR", &stage));
    let library = stage.join("usr/lib/somewhere/liburdf_ik_c.so");
    let link = |file: &str| fs::read_link(stage.join("usr/lib/somewhere").join(file)).unwrap();
    assert_eq!(link("liburdf_ik_c.so"), Path::new("liburdf_ik_c.so.0"));
    assert_eq!(link("liburdf_ik_c.so.0"), Path::new(concat!("liburdf_ik_c.so.", env!("CARGO_PKG_VERSION"))));
    assert!(fs::metadata(library).unwrap().is_file() && stage.join("usr/include/urdf_ik.hpp").exists());
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "urdf_ik_c"])
        .env("PKG_CONFIG_PATH", stage.join("usr/lib/somewhere/pkgconfig")));
    let flags = String::from_utf8(flags.stdout).unwrap();
    for flag in flags.split_whitespace().filter_map(|flag| flag.strip_prefix("-I").or(flag.strip_prefix("-L"))) {
        assert!(Path::new(flag).canonicalize().unwrap().starts_with(stage.join("usr")), "{flags}");
    }
}
