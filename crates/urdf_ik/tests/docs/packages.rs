//! Every package of the workspace is checked and tested with the others, and follows the same rules.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::root;

/// The package that needs ROS 2. The scripts name it explicitly.
const NODE: &str = "urdf_ik_node";

/// The interfaces for other languages, which are not default members. The scripts include them by excluding only the
/// node.
const C: &str = "urdf_ik_c";
/// The fuzz targets, which use these.
const FUZZ: &str = "urdf_ik_fuzz";
const PYTHON: &str = "urdf_ik_python";

/// The output of a cargo command.
fn cargo(arguments: &[&str]) -> Vec<u8> {
    let cargo = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    cargo.stdout
}

/// Metadata of the workspace.
fn metadata() -> Value {
    serde_json::from_slice(&cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"])).unwrap()
}

/// `cargo test` and other commands without a package cover all packages except the node and the interfaces for other
/// languages.
#[test]
fn no_package_is_forgotten() {
    let metadata = metadata();
    let ids = |name: &str| metadata[name].as_array().unwrap().clone();
    let by_default = ids("workspace_default_members");
    let left_out: Vec<Value> = ids("workspace_members").into_iter().filter(|id| !by_default.contains(id)).collect();
    let packages = metadata["packages"].as_array().unwrap();
    let left_out = packages.iter().filter(|package| left_out.contains(&package["id"]));
    let mut names: Vec<&str> = left_out.map(|package| package["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, [C, FUZZ, NODE, PYTHON]);
    let script = fs::read_to_string(root().join("scripts/check.sh")).unwrap();
    for command in [
        "clippy \"${ros_options[@]}\" --workspace --all-targets",
        "doc \"${ros_options[@]}\" --workspace",
        &format!("-p {NODE} --lib"),
        &format!("libraries=(--locked --workspace --exclude {NODE})"),
        "cargo test \"${libraries[@]}\" --lib --tests",
        "cargo test \"${libraries[@]}\" --doc",
        "scripts/python-tests",
    ] {
        assert!(script.contains(command), "scripts/check.sh does not run: {command}");
    }
}

#[test]
fn every_package_has_the_lints_of_the_workspace_and_no_unsafe_code() {
    for package in metadata()["packages"].as_array().unwrap() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let text = fs::read_to_string(manifest).unwrap();
        assert!(text.contains("[lints]\nworkspace = true\n"), "{}", manifest.display());
        let source = manifest.parent().unwrap().join("src");
        let head = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|path| path.exists()).unwrap();
        let text = fs::read_to_string(&head).unwrap();
        // The C interface dereferences pointers, and a fuzz target calls it. No other crate may.
        let is_safe = package["name"] != C && package["name"] != FUZZ;
        assert_eq!(text.contains("#![forbid(unsafe_code)]"), is_safe, "{}", head.display());
        assert!(manifest.with_file_name("README.md").exists(), "{} has no README.md in its folder", manifest.display());
    }
}

/// Users need the sources, not the files of tests.
#[test]
fn an_archive_has_sources_a_page_and_licences_alone() {
    const BESIDE: [&str; 7] = [
        ".cargo_vcs_info.json",
        "Cargo.lock",
        "Cargo.toml",
        "Cargo.toml.orig",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
    ];
    for package in metadata()["packages"].as_array().unwrap().iter().filter(|package| package["publish"].is_null()) {
        let name = package["name"].as_str().unwrap();
        let list = cargo(&["package", "--list", "--allow-dirty", "--locked", "--offline", "--package", name]);
        let list = String::from_utf8(list).unwrap();
        let (sources, beside): (Vec<&str>, Vec<&str>) = list.lines().partition(|file| file.starts_with("src/"));
        assert!(sources.contains(&"src/lib.rs") || sources.contains(&"src/main.rs"), "{name}: {list}");
        assert!(!sources.iter().any(|file| file.ends_with("tests.rs") || file.contains("/testing/")), "{name}: {list}");
        // Cargo adds this if the sources are in git.
        let beside: Vec<&str> = beside.into_iter().filter(|file| *file != BESIDE[0]).collect();
        assert_eq!(beside, BESIDE[1..], "{name}");
    }
}

/// r2r's message generators are compiled once for its build scripts and for the node: with the same optimisation level
/// and number of codegen units, and by a resolver that gives both the same features.
#[test]
fn the_generators_of_messages_are_compiled_once() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("\nresolver = \"1\"\n"));
    for profile in ["release", "release.build-override"] {
        assert!(manifest.contains(&format!("\n[profile.{profile}]\ncodegen-units = 1\n")), "{profile}");
    }
    for package in ["bindgen", "r2r_common", "r2r_msg_gen", "r2r_rcl", "syn"] {
        assert!(manifest.contains(&format!("\n{package}.opt-level = 0\n")), "{package}");
    }
}
