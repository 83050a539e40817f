//! Meshes that are round, repeat triangles or are flat are read in bounded time, with exact distances.

use std::f64::consts::{PI, TAU};

use urdf_ik::collision::{SceneScratch, World};

use crate::common::Random;
use crate::robots::{Folder, Shaped};
use crate::scenes::scene;

type Triangle = [[f64; 3]; 3];

/// A ball of this radius moves around each mesh.
const PROBE: f64 = 0.05;

fn binary_stl(triangles: impl ExactSizeIterator<Item = Triangle>) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(u32::try_from(triangles.len()).unwrap().to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        #[expect(clippy::cast_possible_truncation, reason = "the format has seven digits")]
        bytes.extend(triangle.into_iter().flatten().flat_map(|coordinate| (coordinate as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// A cone of radius 0.4 without a bottom, turned about x.
fn fan(triangles: u32, height: f64, angle: f64) -> Vec<u8> {
    let (sine, cosine) = angle.sin_cos();
    let turned = move |[x, y, z]: [f64; 3]| [x, cosine * y - sine * z, sine * y + cosine * z];
    let rim = move |at: u32| {
        let (y, x) = (TAU * f64::from(at % triangles) / f64::from(triangles)).sin_cos();
        [0.4 * x, 0.4 * y, 0.0]
    };
    binary_stl((0..triangles).map(|at| [rim(at), rim(at + 1), [0.0, 0.0, height]].map(turned)))
}

/// A sphere of radius 0.3 with this number of triangles around it.
fn sphere(around: u32) -> Vec<u8> {
    let place = move |i: u32, j: u32| {
        let (sine, cosine) = (TAU * f64::from(i % around) / f64::from(around)).sin_cos();
        let (out, up) = (TAU * f64::from(j) / f64::from(around)).sin_cos();
        [0.3 * out * cosine, 0.3 * out * sine, 0.3 * up]
    };
    let halves = move |at: u32| {
        let (i, j, second) = (at / around, at % around / 2, at % 2 == 1);
        let corners = if second { [(0, 0), (1, 1), (0, 1)] } else { [(0, 0), (1, 0), (1, 1)] };
        corners.map(|(right, down)| place(i + right, j + down))
    };
    binary_stl((0..around * around).map(halves))
}

/// Compares a scene's distance between the probe and `mesh` with `distance` between the probe's centre and the mesh.
fn check(folder: &Folder, mesh: &str, places: &[[f64; 3]], distance: impl Fn(&[f64; 3]) -> f64, tolerance: f64) {
    let mesh = format!(r#"<mesh filename="{mesh}"/>"#);
    let shaped = Shaped::two(&mesh, &format!(r#"<sphere radius="{PROBE}"/>"#), Some(folder));
    assert_eq!(shaped.faults(), [""; 0]);
    let scene = scene(&shaped, &World::default());
    let mut scratch = SceneScratch::default();
    for place in places {
        let positions = [place[0], place[1], place[2], 0.0, 0.0, 0.0];
        let expected = distance(place) - PROBE;
        assert!(scene.is_free(&positions, expected - tolerance, &mut scratch), "{mesh} {place:?} {expected}");
        assert!(!scene.is_free(&positions, expected + tolerance, &mut scratch), "{mesh} {place:?} {expected}");
        scene.find_near(&positions, expected + tolerance, &mut scratch);
        let [near] = scratch.near[..] else { panic!("{mesh} {place:?}") };
        assert!((near.distance - expected).abs() < tolerance, "{mesh} {place:?}: {} {expected}", near.distance);
    }
}

/// Points at that distance from the origin in all directions.
fn around(distance: f64) -> Vec<[f64; 3]> {
    let mut random = Random::new(5);
    let place = |_| {
        let (up, angle) = (random.between(-1.0, 1.0), random.between(-PI, PI));
        let out = distance * (1.0_f64 - up * up).sqrt();
        [out * angle.cos(), out * angle.sin(), distance * up]
    };
    (0..200).map(place).collect()
}

/// All vertices of a round mesh are vertices of its hull.
#[test]
fn round_meshes_are_where_they_are() {
    let folder = Folder::new("round");
    folder.write("sphere.stl", sphere(400));
    let from_origin = |place: &[f64; 3]| place.iter().map(|x| x * x).sum::<f64>().sqrt();
    check(&folder, "sphere.stl", &around(0.36), |place| from_origin(place) - 0.3, 5e-5);
    for (name, height, angle) in [("cone.stl", 0.3, 0.4), ("needle.stl", 20.0, 0.0), ("disc.stl", 0.0, 0.4)] {
        folder.write(name, fan(100_000, height, angle));
        let places = [[0.46, 0.0, 0.0], [-0.47, 0.0, 0.0], [0.5, 0.0, 0.0]];
        check(&folder, name, &places, |place| place[0].abs() - 0.4, 1e-6);
    }
}

/// Triangles are repeated with other first corners and orientations.
#[test]
fn triangles_that_are_repeated_count_once() {
    let folder = Folder::new("repeated");
    let corners = [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.4, 0.0]];
    let repeated = |at: usize| if at.is_multiple_of(2) { [0, 1, 2] } else { [2, 1, 0] }.map(|i| corners[(at + i) % 3]);
    folder.write("repeated.stl", binary_stl((0..1_000_000).map(repeated)));
    let lines = |at: usize| [0, at % 2, 1].map(|i| corners[(at / 2 % 2) * i]);
    folder.write("lines.stl", binary_stl((0..100_000).map(lines)));
    for (name, triangles) in [("repeated.stl", 1), ("lines.stl", 2)] {
        let shaped = Shaped::two(&format!(r#"<mesh filename="{name}"/>"#), r#"<sphere radius="1"/>"#, Some(&folder));
        let text = shaped.shapes.of_link(0)[0].geometry.to_string();
        assert_eq!(text, format!("mesh {name}, {triangles} triangles"));
        check(&folder, name, &[[0.1, 0.0, 0.07], [0.2, -0.1, 0.0]], |[_, y, z]| y.abs() + z.abs(), 1e-6);
    }
}
