//! The exported symbols of the library.

use std::process::Command;

use crate::{installed, package, run};

#[test]
fn only_the_interface_is_visible() {
    let symbols = run(Command::new("nm")
        .args(["-D", "--defined-only", "--format=just-symbols"])
        .arg(installed().join("lib/liburdf_ik_c.so")));
    let symbols = String::from_utf8(symbols.stdout).unwrap();
    let visible: Vec<&str> = symbols.lines().collect();
    let strangers: Vec<_> = visible.iter().filter(|symbol| !symbol.starts_with("urdf_ik_")).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
    let header = std::fs::read_to_string(package().join("include/urdf_ik.h")).unwrap();
    for symbol in &visible {
        assert!(header.contains(&format!("{symbol}(")), "the header has no {symbol}");
    }
    assert_eq!(visible.len(), 62, "{visible:?}");
}
