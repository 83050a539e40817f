//! Scenes: margin tests, near pairs and gradients agree with the distances of the shapes.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::sync::Arc;

use nalgebra::Isometry3;
use urdf_ik::collision::{Geometry, Obstacle, Scene, SceneScratch, TOUCHING, World};
use urdf_ik::robot::Chain;

use crate::common::Random;
use crate::cube;
use crate::robots::{Folder, Shaped};

const CYLINDER: &str = r#"<cylinder radius="0.2" length="0.5"/>"#;
const BOX: &str = r#"<box size="0.6 0.1 0.4"/>"#;
const CAPSULE: &str = r#"<capsule radius="0.1" length="0.4"/>"#;
const SPHERE: &str = r#"<sphere radius="0.2"/>"#;
const CUBE: &str = r#"<mesh filename="cube.stl" scale="0.3 0.5 0.4"/>"#;
const RING: &str = r#"<mesh filename="ring.obj"/>"#;
const DUMBBELL: &str = r#"<mesh filename="dumbbell.obj"/>"#;

/// A ring around z: a body through its hole does not touch it.
fn ring() -> String {
    let (around, across) = (24, 8);
    let mut text = String::new();
    for i in 0..around {
        let (sine, cosine) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
        for j in 0..across {
            let (up, out) = (TAU * f64::from(j) / f64::from(across)).sin_cos();
            let radius = 0.4 + 0.1 * out;
            writeln!(text, "v {} {} {}", radius * cosine, radius * sine, 0.1 * up).unwrap();
        }
    }
    let corner = |i: i32, j: i32| (i % around) * across + j % across + 1;
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
    }
    text
}

/// A bar along x with a disk at either end: there is free space between the disks, inside the convex hull.
fn dumbbell() -> String {
    let around = 16;
    let profile = [
        (-0.5, 0.05),
        (-0.5, 0.25),
        (-0.35, 0.25),
        (-0.35, 0.05),
        (0.35, 0.05),
        (0.35, 0.25),
        (0.5, 0.25),
        (0.5, 0.05),
    ];
    let mut text = String::new();
    for (along, radius) in profile {
        for i in 0..around {
            let (sine, cosine) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
            writeln!(text, "v {along} {} {}", radius * cosine, radius * sine).unwrap();
        }
    }
    for at in 0..7 {
        for i in 0..around {
            let corner = |at: i32, i: i32| at * around + i % around + 1;
            let [a, b, c, d] = [corner(at, i), corner(at, i + 1), corner(at + 1, i + 1), corner(at + 1, i)];
            writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
    }
    text
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("cube.stl", cube::stl());
    folder.write("ring.obj", ring());
    folder.write("dumbbell.obj", dumbbell());
    folder
}

pub fn scene(shaped: &Shaped, world: &World) -> Scene {
    let chain = Chain::new(&shaped.robot, "fixed", &["free"]).unwrap();
    let rest = shaped.robot.neutral_positions();
    Scene::new(&shaped.robot, &chain, &shaped.shapes, &shaped.pairs(None), world, &rest).unwrap()
}

fn samples(seed: u64, count: usize) -> Vec<[f64; 6]> {
    let mut random = Random::new(seed);
    (0..count).map(|_| std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.6 } else { 3.0 })).collect()
}

/// Compares a scene with the distances of `exact`; returns the number of samples in contact.
fn agrees(scene: &Scene, exact: &Shaped, samples: &[[f64; 6]]) -> usize {
    let mut scratch = SceneScratch::default();
    for sample in samples {
        let distance = exact.apart(*sample);
        for margin in [0.0, 1e-4, 0.01, 0.09, 0.3] {
            // Both are iterative, with errors of this order.
            if (distance - margin).abs() > 1e-6 {
                assert_eq!(
                    scene.is_free(sample, margin, &mut scratch),
                    distance > margin,
                    "{sample:?}: {distance} {margin}"
                );
            }
        }
        scene.find_near(sample, 0.2, &mut scratch);
        assert_eq!(scratch.near.is_empty(), distance > 0.2, "{sample:?}: {distance}");
        for near in &scratch.near {
            let most = 1e-6_f64.max(1e-4 * distance);
            assert!((near.distance - distance).abs() < most, "{sample:?}: {} {distance}", near.distance);
            assert!((near.normal.norm() - 1.0).abs() < 1e-9);
            if distance > TOUCHING {
                assert!(
                    (near.points[0] - near.points[1] - near.normal * distance).norm() < most,
                    "{sample:?}: {near:?}"
                );
            }
        }
    }
    samples.iter().filter(|sample| exact.apart(**sample) == 0.0).count()
}

#[test]
fn scenes_of_two_links_agree_with_their_distances() {
    let folder = folder("scenes_links");
    let shapes = [CYLINDER, BOX, CAPSULE, SPHERE, CUBE, RING, DUMBBELL];
    for (index, fixed) in shapes.into_iter().enumerate() {
        for free in &shapes[..=index] {
            let shaped = Shaped::two(fixed, free, Some(&folder));
            let touching = agrees(&scene(&shaped, &World::default()), &shaped, &samples(7, 150));
            assert!((3..148).contains(&touching), "{fixed} {free}: {touching}");
        }
    }
}

#[test]
fn scenes_with_an_obstacle_agree_with_the_distances_to_a_link_of_that_shape() {
    let folder = folder("scenes_obstacles");
    let obstacles = [
        (BOX, Geometry::Box { size: [0.6, 0.1, 0.4] }),
        (CYLINDER, Geometry::Cylinder { radius: 0.2, length: 0.5 }),
        (CAPSULE, Geometry::Capsule { radius: 0.1, length: 0.4 }),
        (SPHERE, Geometry::Sphere { radius: 0.2 }),
    ];
    for (fixed, geometry) in obstacles {
        let mut world = World::default();
        world.add("obstacle", obstacle(geometry, &Isometry3::identity()), Isometry3::identity()).unwrap();
        for free in [RING, CUBE, CAPSULE, CYLINDER] {
            let alone = Shaped::two("", free, Some(&folder));
            let touching = agrees(&scene(&alone, &world), &Shaped::two(fixed, free, Some(&folder)), &samples(9, 150));
            assert!((3..148).contains(&touching), "{fixed} {free}: {touching}");
        }
    }
}

fn obstacle(geometry: Geometry, pose: &Isometry3<f64>) -> Arc<Obstacle> {
    let mut made = Obstacle::default();
    made.add_primitive(geometry, pose).unwrap();
    Arc::new(made)
}

#[test]
fn the_order_of_obstacles_changes_nothing() {
    let folder = folder("scenes_order");
    let alone = Shaped::two("", RING, Some(&folder));
    let place = |at: usize| Isometry3::translation([0.3, -0.4, 0.1, 0.5][at], [0.2, 0.5, -0.3, -0.4][at], 0.1);
    let sphere = || obstacle(Geometry::Sphere { radius: 0.15 }, &Isometry3::identity());
    let [mut first, mut second] = [World::default(), World::default()];
    for at in [0, 1, 2, 3] {
        first.add(&format!("sphere {at}"), sphere(), place(at)).unwrap();
    }
    for at in [2, 0, 3, 1] {
        second.add(&format!("sphere {at}"), sphere(), place(at)).unwrap();
    }
    let (first, second) = (scene(&alone, &first), scene(&alone, &second));
    let [mut scratch, mut other] = [SceneScratch::default(), SceneScratch::default()];
    let mut free = 0;
    for sample in samples(11, 200) {
        assert_eq!(first.is_free(&sample, 0.01, &mut scratch), second.is_free(&sample, 0.01, &mut other));
        first.find_near(&sample, 0.1, &mut scratch);
        second.find_near(&sample, 0.1, &mut other);
        assert_eq!(scratch.near, other.near);
        free += usize::from(scratch.near.is_empty());
    }
    assert!((5..195).contains(&free), "{free}");
}

/// Small steps of each variable change distances by the gradient.
#[test]
fn slopes_are_those_of_the_distances() {
    let shaped = Shaped::two(SPHERE, CAPSULE, None);
    let scene = scene(&shaped, &World::default());
    let (mut scratch, mut row, mut seen) = (SceneScratch::default(), [0.0; 6], 0);
    for sample in samples(13, 100) {
        scene.find_near(&sample, 0.5, &mut scratch);
        let Some(near) = scratch.near.first().copied().filter(|near| near.distance > 0.01) else { continue };
        scene.write_slope(&near, &scratch, &mut row);
        seen += 1;
        for variable in 0..6 {
            let at = |step: f64| {
                let mut moved = sample;
                moved[variable] += step;
                shaped.apart(moved)
            };
            let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
            assert!((slope - row[variable]).abs() < 1e-3, "{sample:?}, {variable}: {slope} {}", row[variable]);
        }
    }
    assert!(seen > 20, "{seen}");
}
