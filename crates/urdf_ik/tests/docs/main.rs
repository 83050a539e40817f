//! The documents: their links are valid, and the named tests exist.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod architecture;
mod interfaces;
mod limits;
mod packages;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Every document of the project.
fn documents() -> Vec<PathBuf> {
    let in_folder = |folder: &str| fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    ["", "docs", "benches/peers"]
        .into_iter()
        .flat_map(in_folder)
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// GitHub's anchor of a heading: its letters, digits, `_` and `-` in lower case, with `-` for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The lines of a document outside code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// Why a relative link of `document` is broken; `None` if it is valid, or leads out of the project.
fn broken(document: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let path = if file.is_empty() { document.to_owned() } else { document.parent().unwrap().join(file) };
    if !path.exists() {
        return Some(format!("{}: there is no {link}", document.display()));
    }
    let has_heading = |text: String| {
        prose(&text).any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading)
    };
    let found = heading.is_empty() || has_heading(fs::read_to_string(&path).unwrap());
    (!found).then(|| format!("{}: {link} has no such heading", document.display()))
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut links = 0;
    let mut wrong = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for line in prose(&text) {
            for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                links += 1;
                wrong.extend(broken(&document, link));
            }
        }
    }
    assert!(links > 40, "only {links} links were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The text of every Rust file in `folder` and below it.
fn sources(folder: &Path) -> String {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => fs::read_to_string(&path).unwrap(),
        _ => String::new(),
    };
    paths.map(text).collect()
}

#[test]
fn tests_that_documents_name_exist() {
    let code = ["src", "crates", "tests"].map(|folder| sources(&root().join(folder))).concat();
    for document in documents() {
        let words = fs::read_to_string(&document).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        for name in words.split("Test: `").skip(1).filter_map(|rest| rest.split('`').next()) {
            assert!(code.contains(&format!("fn {name}(")), "{}: there is no test {name}", document.display());
        }
    }
}
