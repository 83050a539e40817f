//! The table agrees with what it describes, and with the documents.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails so")]

use super::*;

#[test]
fn defaults_are_within_their_bounds_and_names_are_unique() {
    for (index, parameter) in TABLE.iter().enumerate() {
        assert_eq!(parameter.check(parameter.default_value()), Ok(parameter.default_value()), "{}", parameter.name);
        assert!(TABLE[..index].iter().all(|other| other.name != parameter.name), "{}", parameter.name);
    }
}

#[test]
fn every_priority_can_be_chosen() {
    let priority = ServoSettings::priority();
    let OneOf(words) = priority.bounds else { panic!("servo.priority should be one of some words") };
    assert_eq!(words, Priority::ALL.map(Priority::name));
}

#[test]
fn every_way_to_be_held_back_can_be_chosen() {
    let held_back = ServoSettings::held_back();
    let OneOf(words) = held_back.bounds else { panic!("servo.held_back should be one of some words") };
    assert_eq!(words, HeldBack::ALL.map(HeldBack::name));
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
