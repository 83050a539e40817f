//! A scene allocates nothing once its scratch has grown.

use allocation_counter::measure;
use urdf_ik::collision::{Scene, SceneScratch, World};
use urdf_ik::robot::Chain;

use crate::common::Random;
use crate::cube;
use crate::robots::{Folder, Shaped};

const CYLINDER: &str = r#"<cylinder radius="0.2" length="0.5"/>"#;
const CUBE: &str = r#"<mesh filename="cube.stl" scale="0.3 0.5 0.4"/>"#;

#[test]
fn a_scene_allocates_nothing_once_its_scratch_has_grown() {
    let folder = Folder::new("no_allocation");
    folder.write("cube.stl", cube::stl());
    for (fixed, free) in [(CYLINDER, CUBE), (CUBE, CUBE), (CYLINDER, CYLINDER)] {
        let shaped = Shaped::two(fixed, free, Some(&folder));
        let chain = Chain::new(&shaped.robot, "fixed", &["free"]).unwrap();
        let rest = shaped.robot.neutral_positions();
        let scene =
            Scene::new(&shaped.robot, &chain, &shaped.shapes, &shaped.pairs(None), &World::default(), &rest).unwrap();
        let (mut scratch, mut row, mut random) = (SceneScratch::default(), [0.0; 6], Random::new(19));
        let mut free_ones = 0;
        let mut ask = |positions: &[f64; 6]| {
            let free = scene.is_free(positions, 1e-4, &mut scratch);
            scene.find_near(positions, 0.5, &mut scratch);
            for at in 0..scratch.near.len() {
                let near = scratch.near[at];
                scene.write_slope(&near, &scratch, &mut row);
            }
            free
        };
        let samples: [[f64; 6]; 200] = std::array::from_fn(|_| {
            std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.5 } else { 3.0 })
        });
        // The memory of a depth computation depends on the shapes and on their overlap.
        for sample in &samples {
            ask(sample);
        }
        for sample in &samples {
            let mut free = false;
            assert_eq!(measure(|| free = ask(sample)).count_total, 0, "{sample:?}");
            free_ones += usize::from(free);
        }
        assert!((5..195).contains(&free_ones), "{free_ones}");
    }
}
