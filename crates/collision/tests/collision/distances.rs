//! Distances against closed formulas.

use crate::common::Random;
use crate::robots::{Shaped, link};
use urdf_ik::collision::{BodyDistances, World};

const SPHERE: &str = r#"<sphere radius="0.1"/>"#;

fn samples(seed: u64) -> Vec<[f64; 6]> {
    let mut random = Random::new(seed);
    (0..300).map(|_| std::array::from_fn(|at| random.between(-1.0, 1.0) * if at < 3 { 0.7 } else { 3.0 })).collect()
}

/// Compares with a formula for the distance of the point (x, y, z) from the shape, using a sphere of radius 0.1 around
/// the point.
fn spheres_keep_to(shape: &str, formula: impl Fn(f64, f64, f64) -> f64) {
    for (shaped, sign) in [(Shaped::two(shape, SPHERE, None), 1.0), (Shaped::two(SPHERE, shape, None), -1.0)] {
        for mut sample in samples(5) {
            // Seen from the shape, the sphere is on the other side. Both shapes are axis-aligned.
            sample[3..].fill(0.0);
            let [x, y, z] = [0, 1, 2].map(|at| sign * sample[at]);
            let expected = (formula(x, y, z) - 0.1).max(0.0);
            let distance = shaped.apart(sample);
            assert!((distance - expected).abs() < 2e-7, "{shape} at {sample:?}: {distance} {expected}");
        }
    }
}

#[test]
fn distances_of_spheres_are_those_of_their_centres() {
    let outside = |length: f64, half: f64| (length.abs() - half).max(0.0);
    spheres_keep_to(SPHERE, |x, y, z| x.hypot(y).hypot(z) - 0.1);
    spheres_keep_to(r#"<box size="0.4 0.2 0.6"/>"#, |x, y, z| {
        outside(x, 0.2).hypot(outside(y, 0.1)).hypot(outside(z, 0.3))
    });
    spheres_keep_to(r#"<cylinder radius="0.2" length="0.6"/>"#, |x, y, z| {
        outside(x.hypot(y), 0.2).hypot(outside(z, 0.3))
    });
    spheres_keep_to(r#"<capsule radius="0.2" length="0.6"/>"#, |x, y, z| x.hypot(y).hypot(outside(z, 0.3)) - 0.2);
}

/// The lowest point of a tilted cylinder or box over a wide floor.
#[test]
fn tilted_shapes_stand_off_the_floor_by_their_lowest_point() {
    let floor = r#"<box size="100 100 0.2"/>"#;
    let cylinder = Shaped::two(floor, r#"<cylinder radius="0.2" length="0.6"/>"#, None);
    let cuboid = Shaped::two(floor, r#"<box size="0.4 0.2 0.6"/>"#, None);
    let capsule = Shaped::two(floor, r#"<capsule radius="0.2" length="0.6"/>"#, None);
    for mut sample in samples(6) {
        sample[2] += 1.0;
        let (about_x, about_y) = (sample[3], sample[4]);
        sample[5] = 0.0;
        // The z component of each axis of the shape: it turns about x first, then about its own y axis.
        let up = [-about_x.cos() * about_y.sin(), about_x.sin(), about_x.cos() * about_y.cos()];
        let height = sample[2] - 0.1;
        let around = 0.2 * up[0].hypot(up[1]);
        for (shaped, below) in [
            (&cylinder, around + 0.3 * up[2].abs()),
            (&capsule, 0.2 + 0.3 * up[2].abs()),
            (&cuboid, 0.2 * up[0].abs() + 0.1 * up[1].abs() + 0.3 * up[2].abs()),
        ] {
            let (distance, expected) = (shaped.apart(sample), (height - below).max(0.0));
            assert!((distance - expected).abs() < 2e-7, "{sample:?}: {distance} {expected}");
        }
    }
}

#[test]
fn crossing_cylinders_are_apart_by_their_axes() {
    let long = r#"<cylinder radius="0.1" length="4"/>"#;
    let shaped = Shaped::two(long, long, None);
    for [x, y, z, about_x, ..] in samples(7) {
        // Axes that cross at an angle, at the distance x.
        let angle = 0.5 + 0.3 * about_x.abs();
        let distance = shaped.apart([x, 0.2 * y, 0.2 * z, angle, 0.0, 0.0]);
        assert!((distance - (x.abs() - 0.2).max(0.0)).abs() < 2e-7, "{x} {angle}: {distance}");
    }
}

/// The smallest distance is that of all pairs, and invalid positions are refused.
#[test]
fn the_least_distance_is_the_least_of_all() {
    let joint = |at: usize| {
        format!(
            r#"<joint name="j{at}" type="revolute"><origin xyz="0 0 0.5"/><parent link="l{at}"/><child link="l{}"/>
               <axis xyz="0 1 0"/><limit lower="-3" upper="3"/></joint>"#,
            at + 1
        )
    };
    let links: String = (0..6).map(|at| link(&format!("l{at}"), r#"<box size="0.1 0.2 0.3"/>"#)).collect();
    let joints: String = (0..5).map(joint).collect();
    let shaped = Shaped::new(&format!(r#"<robot name="arm">{links}{joints}</robot>"#), None);
    let (pairs, world) = (shaped.pairs(None), World::default());
    let distances = BodyDistances::new(&shaped.robot, &shaped.shapes, &pairs, &world).unwrap();
    assert_eq!((pairs.checked.len(), distances.bodies().len()), (10, 10));
    for sample in samples(8) {
        let places = urdf_ik::collision::LinkPoses::new(&shaped.robot, &sample[1..]).unwrap();
        let (index, least) = distances.least(&places).unwrap();
        let all: Vec<f64> = distances.all(&places).collect();
        assert_eq!(all.iter().copied().fold(f64::INFINITY, f64::min), least);
        assert_eq!((all[index], shaped.shapes.distance(&places, pairs.checked[index])), (least, least));
    }
    for (bad, name) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let refused = urdf_ik::collision::LinkPoses::new(&shaped.robot, &[0.0, bad, 0.0, 0.0, 0.0]);
        let sentence = refused.err().unwrap().to_string();
        assert_eq!(sentence, format!("the position of joint 'j1' is {name}; it must be a finite number"));
    }
    let refused = urdf_ik::collision::LinkPoses::new(&shaped.robot, &[0.0; 4]).err().unwrap().to_string();
    assert_eq!(refused, "there are 4 joint positions for 5 joints; give one position for each");
}
