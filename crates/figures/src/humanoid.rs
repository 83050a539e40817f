//! A solve of the bundled humanoid, drawn as `urdf_ik skeleton --figure` does.

use nalgebra::Point3;
use urdf_ik::skeleton::file::Model;
use urdf_ik::skeleton::{Options, Problem, Root, Target};
use urdf_ik_plot::skeleton::{self, Drawn};

use crate::Result;

/// The figure, in YAML.
const MODEL: &str = include_str!("../../../config/skeletons/humanoid.yaml");
/// Ends by name, and where they are to be \[m\].
const TARGETS: [(&str, [f64; 3]); 5] = [
    ("head", [0.08, 0.03, 1.72]),
    ("left_hand", [0.42, 0.35, 1.3]),
    ("right_hand", [0.2, -0.55, 1.2]),
    ("left_foot", [0.2, 0.1, 0.02]),
    ("right_foot", [0.4, -0.15, 0.3]),
];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let Model::Skeleton(model) = Model::from_yaml(MODEL)? else { return Err("the humanoid is no skeleton".into()) };
    let mut targets = Vec::new();
    for (name, place) in TARGETS {
        let point = model.point(name).ok_or_else(|| format!("the humanoid has no {name}"))?;
        targets.push(Target::new(point, Point3::from(place)));
    }
    let options = Options::default();
    let problem = Problem { targets: &targets, root: Root::Fixed, seed: &model.rest, options };
    let mut solution = model.skeleton.solution();
    model.skeleton.solve(&problem, &mut model.skeleton.scratch(&options), &mut solution)?;
    let (title, names, skeleton) = (&*model.name, &*model.points, &model.skeleton);
    skeleton::draw(&Drawn { title, names, skeleton, problem: &problem, solution: &solution })
}
