//! The picture of `urdf_ik skeleton`.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::root;
use crate::shell::{file, run, text_of};
use crate::svg::Svg;

/// The picture of a solve, and true if the targets are met.
fn picture(name: &str, model: &str, targets: &Value, more: &[&str]) -> (Svg, bool) {
    let svg = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg"));
    let (targets, path) = (text_of(&file(&format!("{name}.json"), &targets.to_string())), text_of(&svg));
    let given = ["skeleton", "--model", model, "--targets", &targets, "--figure", &path];
    let run = run(&[&given, more].concat());
    assert_eq!(run.err, "");
    (Svg::read(&svg), run.code == 0)
}

fn bundled(name: &str) -> String {
    text_of(&root().join("config/skeletons").join(name))
}

/// The number of circles with a radius and a line width, which mark targets and binding limits.
fn rings(svg: &Svg, radius: u32, width: u32) -> usize {
    let (radius, width) = (format!("r=\"{radius}\""), format!("stroke-width=\"{width}\""));
    let is_ring = |text: &String| text.contains(&radius) && text.contains(&width) && text.contains("fill=\"none\"");
    svg.elements.iter().filter(|(name, attributes)| name == "circle" && is_ring(attributes)).count()
}

#[test]
fn a_solve_of_a_humanoid_is_drawn_in_two_views() {
    let targets = json!([
        { "point": "left_hand", "position": [0.3, 0.3, 1.3] },
        { "point": "right_hand", "position": [0.2, -0.5, 1.2] },
        { "point": "head", "position": [0.1, 0.0, 1.7] },
    ]);
    let (svg, is_met) = picture("humanoid_figure", &bundled("humanoid.yaml"), &targets, &[]);
    assert!(is_met && svg.has("3 of 3 targets met"), "{:?}", svg.texts);
    let views = ["from the front", "from the right", "from above"].iter().filter(|name| svg.has(name)).count();
    assert_eq!((views, rings(&svg, 18, 4)), (2, 6));
    for name in ["How humanoid is solved", "left_hand", "right_hand", "head", "forward passes", "1 mm"] {
        assert!(svg.has(name), "'{name}' is not in {:?}", svg.texts);
    }
    assert!(svg.bytes < 120_000, "{}", svg.bytes);
}

/// `make figures` draws this one by the same command, the others from answers of the stream and of the Python module.
#[test]
fn the_figures_are_what_the_library_computes() {
    let docs = root().join("docs");
    let targets = serde_json::from_str(&read(&docs.join("pictures/targets.json"))).unwrap();
    picture("documented_figure", &bundled("humanoid.yaml"), &targets, &[]);
    let drawn = read(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("documented_figure.svg"));
    assert!(drawn == read(&docs.join("figures/humanoid.svg")), "a figure is out of date: make figures");
    let files = |folder: &str| std::fs::read_dir(docs.join(folder)).unwrap().map(|file| file.unwrap().path());
    let documents: String =
        files("").filter(|path| path.extension().is_some_and(|end| end == "md")).map(|path| read(&path)).collect();
    let figures: Vec<_> = files("figures").collect();
    assert_eq!(figures.len(), 13);
    for path in figures {
        let (name, svg) = (path.file_name().unwrap().to_str().unwrap(), Svg::read(&path));
        assert!(documents.contains(&format!("](figures/{name})")), "no document shows {name}");
        assert!(svg.bytes < 60_000 && svg.count("path") + svg.count("polyline") > 5, "{name}: {} bytes", svg.bytes);
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn limits_that_bind_are_marked() {
    // A hand cannot be behind the back of the head.
    let targets = json!([{ "point": "left_hand", "position": [-0.5, -0.3, 1.7] }]);
    let (svg, is_met) = picture("limits_figure", &bundled("humanoid.yaml"), &targets, &[]);
    assert!(!is_met && svg.has("0 of 1 target met") && rings(&svg, 16, 5) > 0, "{:?}", svg.texts);
    let (svg, _) = picture("free_figure", &bundled("humanoid.yaml"), &targets, &["--no-limits"]);
    assert_eq!(rings(&svg, 16, 5), 0);
}

#[test]
fn a_skeleton_in_the_plane_has_one_view_and_names_of_any_letters() {
    let model =
        "name: <flat> & more\ndimensions: 2\nsegments:\n  - {name: a, length: 1}\n  - {name: '<b>', length: 1}\n";
    let model = text_of(&file("flat_figure.yaml", model));
    let targets = json!([{ "point": "<b>", "position": [0.5, 1.0, 0.0] }]);
    let (svg, is_met) = picture("flat_figure", &model, &targets, &[]);
    assert!(
        is_met && !svg.has("from the") && svg.has("&lt;b&gt;") && svg.has("&lt;flat&gt; &amp; more"),
        "{:?}",
        svg.texts
    );
    assert_eq!(rings(&svg, 18, 4), 1);
    // A target that is met from the start: no passes, no chart.
    let (svg, is_met) = picture("met_figure", &model, &json!([{ "point": "<b>", "position": [2.0, 0.0, 0.0] }]), &[]);
    assert!(is_met && svg.has("after 0 iterations") && !svg.has("after each iteration"), "{:?}", svg.texts);
}
