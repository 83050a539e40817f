//! The figures of the documents are what the library computes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use urdf_ik_figures::FIGURES;

/// Size of a figure at most [bytes].
const MAX_BYTES: usize = 60_000;

/// `UPDATE_DOCS=1 cargo test -p urdf_ik_figures` draws them into docs/figures instead of comparing them.
#[test]
fn the_figures_are_what_the_library_computes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let documents = ["how-it-works.md", "teleop.md"].map(|name| fs::read_to_string(docs.join(name)).unwrap());
    let updates = std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1");
    let mut names = BTreeSet::new();
    for (name, draw) in FIGURES {
        let name = format!("{name}.svg");
        let (path, svg) = (docs.join("figures").join(&name), draw().unwrap());
        if updates {
            fs::write(&path, &svg).unwrap();
        }
        assert!(
            fs::read_to_string(&path).unwrap() == svg,
            "docs/figures/{name} is out of date: UPDATE_DOCS=1 cargo test -p urdf_ik_figures draws it"
        );
        assert!(svg.len() <= MAX_BYTES, "docs/figures/{name} has {} bytes", svg.len());
        let picture = roxmltree::Document::parse(&svg).unwrap();
        assert!(
            picture.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "polyline"))).count()
                > 5,
            "{name}"
        );
        let shown = format!("](figures/{name})");
        assert!(documents.iter().any(|document| document.contains(&shown)), "no document shows {name}");
        names.insert(name);
    }
    let files = fs::read_dir(docs.join("figures")).unwrap();
    let files: BTreeSet<String> = files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files, names);
}
