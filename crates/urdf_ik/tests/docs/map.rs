//! The map of ARCHITECTURE.md: every source file with the first sentence of its own documentation.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::root;

const BEGIN: &str = "<!-- map: begin -->\n";
const END: &str = "<!-- map: end -->";

/// The Rust files in `folder` and below it, but tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The first sentence of a file's documentation, with links as plain words.
fn first_sentence(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let sentence = paragraph.split_inclusive(". ").next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let mut plain = String::new();
    for (index, part) in sentence.split('[').enumerate() {
        let (word, rest) = part.split_once(']').unwrap_or(("", part));
        let rest = if rest.starts_with('(') { rest.split_once(')').map_or(rest, |(_, rest)| rest) } else { rest };
        plain += if index == 0 { part } else { word };
        plain += if index == 0 { "" } else { rest };
    }
    plain
}

/// The map: a section for each folder, a row for each file.
fn map() -> String {
    let mut found = Vec::new();
    files(&root().join("src"), &mut found);
    for package in fs::read_dir(root().join("crates")).unwrap() {
        files(&package.unwrap().path().join("src"), &mut found);
    }
    let mut folders: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in found {
        let folder = path.parent().unwrap().strip_prefix(root()).unwrap().display().to_string();
        folders.entry(folder).or_default().push(path);
    }
    let mut text = String::new();
    for (folder, mut files) in folders {
        files.sort();
        writeln!(text, "### `{folder}/`\n").unwrap();
        let (heads, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|path| path.ends_with("mod.rs") || path.ends_with("lib.rs"));
        for head in heads {
            writeln!(text, "{}.\n", first_sentence(&head)).unwrap();
        }
        text += "| file | what it has |\n|---|---|\n";
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            writeln!(text, "| `{name}` | {} |", first_sentence(&path)).unwrap();
        }
        text.push('\n');
    }
    text
}

/// `UPDATE_DOCS=1 cargo test --test docs` writes the map instead of comparing it.
#[test]
fn the_map_names_every_file() {
    let path = root().join("ARCHITECTURE.md");
    let document = fs::read_to_string(&path).unwrap();
    let (before, rest) = document.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    let map = map();
    if std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1") {
        fs::write(&path, format!("{before}{BEGIN}{map}{END}{after}")).unwrap();
    } else {
        assert!(shown == map, "ARCHITECTURE.md should hold this map (UPDATE_DOCS=1 writes it):\n{map}");
    }
    // A file without a first sentence would leave an empty row.
    assert!(!map.contains("|  |") && map.contains("| `attempts.rs` |"), "{map}");
}
