//! The table agrees with the parsed settings and with the documents.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails so")]

use super::*;
use crate::markdown;

#[test]
fn defaults_are_within_their_bounds_and_names_are_unique() {
    for (index, parameter) in TABLE.iter().enumerate() {
        assert_eq!(parameter.check(parameter.default.clone()), Ok(parameter.default.clone()), "{}", parameter.name);
        assert!(TABLE[..index].iter().all(|other| other.name != parameter.name), "{}", parameter.name);
    }
}

/// `UPDATE_DOCS=1 cargo test -p urdf_ik_parameters --lib` writes the table instead of comparing it.
#[test]
fn the_documentation_shows_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/parameters.md");
    let document = std::fs::read_to_string(path).unwrap();
    let (before, rest) = document.split_once("<!-- parameters: begin -->\n").unwrap();
    let (shown, _) = rest.split_once("<!-- parameters: end -->").unwrap();
    if std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1") {
        let after = &rest[shown.len()..];
        std::fs::write(path, format!("{before}<!-- parameters: begin -->\n{}{after}", markdown())).unwrap();
    } else {
        assert!(
            shown == markdown(),
            "docs/parameters.md should hold this table (UPDATE_DOCS=1 writes it):\n{}",
            markdown()
        );
    }
}
