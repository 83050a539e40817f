//! ARCHITECTURE.md: its tables of crates and modules match the imports, its files exist, and its index lists the file
//! of each rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::{root, sources};

fn architecture() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The rows of the table below `heading`, without its head: the cells of each.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = architecture();
    let (_, section) = text.split_once(heading).unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    rows.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The comma-separated names in a cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

fn folders(place: &str) -> Vec<PathBuf> {
    fs::read_dir(root().join(place)).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// A manifest's dependencies among the crates of this workspace, without their common prefix.
fn dependencies(manifest: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let (_, rest) = text.split_once("\n[dependencies]\n").unwrap_or_default();
    let lines = rest.lines().take_while(|line| !line.starts_with('['));
    let packages = lines.filter_map(|line| line.split(['.', ' ']).next()).filter(|name| name.starts_with("urdf_ik"));
    packages.map(|package| package.strip_prefix("urdf_ik_").unwrap_or(package).to_owned()).collect()
}

#[test]
fn the_table_of_crates_is_what_they_depend_on() {
    let mut said = BTreeMap::new();
    for row in table("## The crates") {
        let imports = names(&row[2]);
        let imports = if row[2] == "all above" { said.keys().cloned().collect() } else { imports };
        for package in names(&row[0]) {
            said.insert(package.trim_start_matches("crates/").replace("the root", "."), imports.clone());
        }
    }
    let crates = folders("crates").into_iter().map(|folder| (name(&folder), folder));
    let found: BTreeMap<_, _> = crates
        .chain([(".".to_owned(), root().to_owned())])
        .map(|(name, folder)| (name, dependencies(&folder.join("Cargo.toml"))))
        .collect();
    assert_eq!(said, found);
}

#[test]
fn the_table_of_rooms_is_what_they_import() {
    let rooms = folders("src");
    let imports = |room: &Path| -> BTreeSet<String> {
        let code = sources(room);
        assert!(!code.contains("use crate::{"), "{}: one import a line, for this test to see it", room.display());
        let others = rooms.iter().map(|other| name(other)).filter(|other| *other != name(room));
        others.filter(|other| [":", ";"].iter().any(|end| code.contains(&format!("crate::{other}{end}")))).collect()
    };
    let found: BTreeMap<_, _> = rooms.iter().map(|room| (name(room), imports(room))).collect();
    let said: BTreeMap<_, _> = table("## The node").into_iter().map(|row| (row[0].clone(), names(&row[2]))).collect();
    assert_eq!(said, found);
}

#[test]
fn every_rule_is_where_the_index_says() {
    let index = table("## Where is the rule for");
    assert!(index.len() >= 20, "{} questions", index.len());
    for row in index {
        let code = fs::read_to_string(root().join(&row[1])).unwrap_or_else(|error| panic!("{}: {error}", row[1]));
        let is_there = ["(", "<"].iter().any(|next| code.contains(&format!("fn {}{next}", row[2])));
        assert!(is_there, "{}: {} has no function {}", row[0], row[1], row[2]);
    }
}

#[test]
fn the_files_that_the_page_names_are_there() {
    let text = architecture();
    let files: Vec<&str> = text.split('`').filter(|word| is_source(Path::new(word))).collect();
    let missing: Vec<_> = files.iter().filter(|file| !root().join(file).exists()).collect();
    assert!(files.len() > 40 && missing.is_empty(), "{missing:#?}");
}

/// The first line of a file summarises it.
#[test]
fn every_file_begins_with_what_it_has() {
    fn check(folder: &Path) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                check(&path);
            } else if is_source(&path) && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                assert!(text.starts_with("//! "), "{}", path.display());
            }
        }
    }
    check(&root().join("src"));
    for folder in folders("crates") {
        check(&folder.join("src"));
    }
}
