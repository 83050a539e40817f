//! Penetration depths: a translation by the depth along the normal ends the overlap, and no shorter one does.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitVector3, Vector3};
use urdf_ik::collision::{Clearance, Geometry, Near, Obstacle, Scene, SceneScratch, SegmentScratch, World};

use crate::common::Random;
use crate::cube;
use crate::robots::{Folder, Shaped};
use crate::scenes::scene;

const BOX: &str = r#"<box size="0.6 0.1 0.4"/>"#;
const CYLINDER: &str = r#"<cylinder radius="0.2" length="0.5"/>"#;
const CAPSULE: &str = r#"<capsule radius="0.1" length="0.4"/>"#;
const SPHERE: &str = r#"<sphere radius="0.2"/>"#;
const CUBE: &str = r#"<mesh filename="cube.stl" scale="0.3 0.5 0.4"/>"#;
/// Accuracy of the depth of a cylinder, which is approximated by a polytope \[m\].
const ERROR: f64 = 2e-4;

/// The only pair, if its distance is at most 0.1 m.
fn pair(scene: &Scene, positions: &[f64; 6], scratch: &mut SceneScratch) -> Option<Near> {
    scene.find_near(positions, 0.1, scratch);
    scratch.near.first().copied()
}

/// The positions with the free link translated along a direction.
fn moved(positions: &[f64; 6], way: &Vector3<f64>) -> [f64; 6] {
    std::array::from_fn(|i| positions[i] + if i < 3 { way[i] } else { 0.0 })
}

#[test]
fn a_depth_is_the_shortest_way_out() {
    let folder = Folder::new("depths");
    folder.write("cube.stl", cube::stl());
    let shapes = [BOX, CYLINDER, CAPSULE, SPHERE, CUBE];
    let mut scratch = SceneScratch::default();
    for (index, fixed) in shapes.into_iter().enumerate() {
        for free in &shapes[..=index] {
            let scene = scene(&Shaped::two(fixed, free, Some(&folder)), &World::default());
            let (mut random, mut seen) = (Random::new(3), 0);
            for _ in 0..60 {
                let positions = std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.25 } else { 3.0 });
                let Some(near) = pair(&scene, &positions, &mut scratch).filter(|near| near.depth > 0.0) else {
                    continue;
                };
                seen += 1;
                assert_eq!(near.distance, 0.0);
                assert_eq!(near.gap(), -near.depth);
                let mut gap = |way: Vector3<f64>| pair(&scene, &moved(&positions, &way), &mut scratch).map(|n| n.gap());
                // The first body is the fixed one; the free one leaves it against the normal.
                let out = gap(-near.normal * near.depth).unwrap();
                assert!(out.abs() < 2.0 * ERROR, "{fixed} {free} {positions:?}: {near:?}, then {out}");
                for _ in 0..20 {
                    let way = random.direction() * (near.depth - 3.0 * ERROR).max(0.0);
                    let gap = gap(way).unwrap();
                    assert!(gap <= 0.0, "{fixed} {free} {positions:?}: {near:?}, {gap} after {way:?}");
                }
            }
            assert!(seen >= 10, "{fixed} {free}: {seen}");
        }
    }
}

/// A mesh in two balls of an obstacle: the deeper overlap counts.
#[test]
fn the_deepest_part_of_a_body_counts() {
    let folder = Folder::new("parts");
    folder.write("cube.stl", cube::stl());
    let shaped = Shaped::two(SPHERE, CUBE, Some(&folder));
    let among = |balls: &[f64]| {
        let mut obstacle = Obstacle::default();
        for &x in balls {
            obstacle.add_primitive(Geometry::Sphere { radius: 0.15 }, &Isometry3::translation(x, 0.0, 0.0)).unwrap();
        }
        let mut world = World::default();
        world.add("balls", Arc::new(obstacle), Isometry3::identity()).unwrap();
        scene(&shaped, &world)
    };
    let scenes = [&[-0.1, 0.1][..], &[-0.1], &[0.1]].map(among);
    let (mut random, mut scratch, mut seen) = (Random::new(9), SceneScratch::default(), 0);
    for _ in 0..200 {
        let positions: [f64; 6] = std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.3 } else { 3.0 });
        let [both, left, right] = [0, 1, 2].map(|index: usize| {
            scenes[index].find_near(&positions, 0.1, &mut scratch);
            // The first pair is that of the links.
            scratch.near.iter().find(|near| near.pair == 1).map_or(f64::INFINITY, Near::gap)
        });
        seen += usize::from(left.max(right) < 0.0);
        let least = left.min(right);
        assert!(both == least || (both - least).abs() < 1e-9, "{positions:?}: {both}, {left}, {right}");
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn slopes_are_those_of_the_depths() {
    let scene = scene(&Shaped::two(BOX, SPHERE, None), &World::default());
    let (mut random, mut scratch, mut row, mut seen) = (Random::new(5), SceneScratch::default(), [0.0; 6], 0);
    for _ in 0..200 {
        let positions = std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.3 } else { 3.0 });
        let Some(near) = pair(&scene, &positions, &mut scratch).filter(|near| near.depth > 1e-3) else { continue };
        scene.write_slope(&near, &scratch, &mut row);
        let direction = UnitVector3::new_normalize(random.direction());
        let step = 1e-5 * direction.into_inner();
        let mut gap = |way| pair(&scene, &moved(&positions, &way), &mut scratch).unwrap().gap();
        let slope = (gap(step) - gap(-step)) / 2e-5;
        let expected = Vector3::new(row[0], row[1], row[2]).dot(&direction);
        // Near an edge of the box the normal changes from one face to the other.
        seen += usize::from((slope - expected).abs() < 1e-2);
    }
    assert!(seen > 40, "{seen}");
}

#[test]
fn what_is_inside_something_may_leave_and_not_go_deeper() {
    let scene = scene(&Shaped::two(BOX, SPHERE, None), &World::default());
    let clearance = Clearance { scene: &scene, margin: 0.01 };
    let mut scratch = SegmentScratch::default();
    let at = |y: f64| [0.0, y, 0.0, 0.0, 0.0, 0.0];
    // The ball reaches 0.05 m into the box, whose face is at y = 0.05.
    let mut part = |to: f64| clearance.free_part(&at(0.2), &at(to), 1e-3, &mut scratch).fraction;
    assert_eq!(part(0.5), 1.0);
    assert_eq!(part(0.21), 1.0);
    assert!(part(0.1) < 1e-3, "{}", part(0.1));
    assert!(part(-0.5) < 1e-3, "{}", part(-0.5));
}
