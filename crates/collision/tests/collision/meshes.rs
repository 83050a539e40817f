//! Meshes of every format have the same distances.

use urdf_ik::collision::Geometry;

use crate::common::Random;
use crate::cube;
use crate::robots::{Folder, Shaped, link};

/// A mesh cube has the distances of a box: from a mesh, a box and a cylinder.
#[test]
fn meshes_of_every_format_are_as_far_away_as_the_box() {
    let folder = Folder::new("formats");
    folder.write("text.stl", cube::stl());
    folder.write("binary.STL", cube::binary_stl());
    folder.write("cube.obj", cube::obj());
    folder.write("cube.dae", cube::dae());
    let mesh = |file: &str| format!(r#"<mesh filename="{file}" scale="0.4 0.2 -0.6"/>"#);
    let cuboid = r#"<box size="0.4 0.2 0.6"/>"#;
    let cylinder = r#"<cylinder radius="0.3" length="0.5"/>"#;
    let mut random = Random::new(3);
    let samples: Vec<[f64; 6]> = (0..100)
        .map(|_| std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.8 } else { 3.0 }))
        .collect();
    for file in ["text.stl", "binary.STL", "cube.obj", "cube.dae"] {
        for (fixed, other) in [(mesh("text.stl"), cuboid.to_owned()), (cylinder.to_owned(), cylinder.to_owned())] {
            let (meshes, boxes) = (Shaped::two(&fixed, &mesh(file), Some(&folder)), Shaped::two(&other, cuboid, None));
            assert_eq!(meshes.faults(), [""; 0]);
            let mut touching = 0;
            for sample in &samples {
                let (ours, expected) = (meshes.apart(*sample), boxes.apart(*sample));
                // Coordinates in files have seven digits.
                assert!((ours - expected).abs() < 1e-7, "{file} at {sample:?}: {ours} {expected}");
                touching += usize::from(ours == 0.0);
            }
            assert!((5..95).contains(&touching), "{touching}");
        }
    }
}

#[test]
fn a_mesh_tells_its_file_and_its_triangles() {
    let folder = Folder::new("printed");
    folder.write("cube.dae", cube::dae());
    let text = format!(r#"<robot name="r">{}</robot>"#, link("a", r#"<mesh filename="cube.dae"/>"#));
    let shaped = Shaped::new(&text, Some(&folder));
    let [shape] = shaped.shapes.of_link(0) else { panic!("one shape") };
    assert_eq!(shape.geometry.to_string(), "mesh cube.dae, 12 triangles");
    assert!(matches!(shape.geometry, Geometry::Mesh { triangles: 12, scale: [1.0, 1.0, 1.0], .. }));
}
