//! docs/interfaces.md: the names in its table exist in their interfaces, and every field of a request is in the table.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use urdf_ik::parameters::TABLE;

use crate::{root, sources};

/// The text of a file, or of all files with this ending in a folder.
fn text(place: &str, ending: &str) -> String {
    let path = root().join(place);
    if path.is_file() {
        return fs::read_to_string(path).unwrap();
    }
    let mut files: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let wanted = |path: &&PathBuf| path.extension().is_some_and(|found| found == ending);
    files.iter().filter(wanted).map(|path| fs::read_to_string(path).unwrap() + "\n").collect()
}

/// The words of a text: names, with the separators used in topics, parameters and options.
fn words(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_~/.-".contains(c);
    let whole = text.split(|c: char| !is_part(c));
    let names = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    whole.chain(names).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The names of each interface, in the order of the table's columns.
fn interfaces() -> [BTreeSet<String>; 6] {
    let rust = ["robot", "collision", "solver", "motion", "skeleton"];
    let rust: String = rust.iter().map(|name| sources(&root().join("crates").join(name).join("src"))).collect();
    let mut node = words(&(text("srv", "srv") + &text("msg", "msg") + &text("src/ros/interface.rs", "")));
    node.extend(TABLE.iter().map(|parameter| parameter.name.to_owned()));
    let python = text("crates/python/python/urdfik/_urdfik.pyi", "");
    let c = text("crates/c/include/urdf_ik.h", "");
    [
        words(&rust),
        node,
        words(&python),
        words(&c),
        options(),
        words(&(text("moveit/src", "hpp") + &text("moveit/src", "cpp"))),
    ]
}

/// The commands and options of the command line, from the clap definitions.
fn options() -> BTreeSet<String> {
    let code = sources(&root().join("crates/cli/src"));
    let mut options = BTreeSet::new();
    let (_, commands) = code.split_once("enum Command {").unwrap();
    let variants =
        commands.lines().map(str::trim).take_while(|line| *line != "}").filter_map(|line| line.split_once('('));
    options.extend(variants.map(|(name, _)| name.to_lowercase()));
    for (attributes, field) in code.split("#[arg(").skip(1).filter_map(|rest| rest.split_once(")]\n")) {
        let named = attributes.split_once("long = \"").and_then(|(_, rest)| rest.split('"').next());
        let field = field.trim().trim_start_matches("pub ").split(':').next().unwrap();
        if attributes.contains("long") {
            options.insert(format!("--{}", named.map_or_else(|| field.replace('_', "-"), str::to_owned)));
        }
    }
    options
}

/// The rows of the table; each cell as its names.
fn rows() -> Vec<Vec<Vec<String>>> {
    let page = text("docs/interfaces.md", "");
    let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let cells = |row: &str| row.trim_matches('|').split('|').map(names).collect();
    page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| **")).skip(1).map(cells).collect()
}

/// The fields between two lines of a text; `field` extracts one from a line.
fn fields<'a>(text: &'a str, from: &str, to: &str, field: fn(&str) -> Option<&str>) -> Vec<&'a str> {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("{from}"));
    let found: Vec<_> = rest.split(to).next().unwrap().lines().filter_map(field).collect();
    assert!(found.len() > 5, "{from}: {found:?}");
    found
}

/// The field of a line `type name  # comment` of a message.
fn of_message(line: &str) -> Option<&str> {
    line.split_whitespace().nth(1).filter(|_| !line.starts_with('#'))
}

/// The argument of a line `name: type,` of a stub.
fn of_stub(line: &str) -> Option<&str> {
    line.trim().split_once(": ").map(|(name, _)| name)
}

/// The field of a line `type *name;` of a struct in C, apart from the words for later fields.
fn of_struct(line: &str) -> Option<&str> {
    line.trim().strip_suffix(';')?.rsplit([' ', '*']).next().filter(|name| !name.starts_with("reserved["))
}

#[test]
fn every_name_of_the_table_is_in_its_interface() {
    let interfaces = interfaces();
    let mut count = 0;
    for row in rows() {
        assert_eq!(row.len(), 7, "{row:?}");
        for (names, known) in row[1..].iter().zip(&interfaces) {
            count += names.len();
            let missing: Vec<_> = names.iter().filter(|name| !known.contains(*name)).collect();
            assert!(missing.is_empty(), "{missing:?} of {row:?}");
        }
    }
    assert!(count > 150, "{count} names");
    assert!(interfaces.iter().all(|known| !known.contains("no_such_name") && !known.contains("--no-such-option")));
}

#[test]
fn what_a_request_can_have_is_in_the_table() {
    let rows = rows();
    let column = |index: usize| -> BTreeSet<String> { rows.iter().flat_map(|row| row[index].clone()).collect() };
    let message = text("srv/SolveIK.srv", "");
    let stub = text("crates/python/python/urdfik/_urdfik.pyi", "");
    let header = text("crates/c/include/urdf_ik.h", "");
    for (index, found) in [
        (2, fields(&message, "", "\n---", of_message)),
        (3, fields(&stub, "    def solve(\n", "    ) ->", of_stub)),
        (4, fields(&header, "typedef struct UrdfIkProblem {", "} UrdfIkProblem;", of_struct)),
    ] {
        let known = column(index);
        let missing: Vec<_> = found.iter().filter(|field| !known.contains(**field)).collect();
        assert!(missing.is_empty(), "docs/interfaces.md has no row for {missing:?}");
    }
}

/// The README links to the page.
#[test]
fn the_page_is_linked() {
    assert!(text("README.md", "").contains("(docs/interfaces.md)"));
}
