//! Joint limits: cones of directions, and ranges of angles.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::Vector3;
use urdf_ik::skeleton::{Cone, Range};

use crate::common::Random;
use crate::figures::{direction, irregular};

#[test]
fn the_cone_keeps_directions_inside_and_moves_others_to_its_border_at_the_same_azimuth() {
    let mut random = Random::new(1);
    let mut cones = [1.0_f64, 45.0, 90.0, 135.0, 179.0].map(|angle| Cone::circular(angle.to_radians())).to_vec();
    cones.extend((0..200).map(|_| irregular(&mut random)));
    for cone in cones {
        for _ in 0..100 {
            let wish = direction(&mut random, 3);
            let found = cone.nearest(&wish);
            assert!((found.norm() - 1.0).abs() < 1e-15);
            // By the angles alone, and as the equation of the ellipse.
            let (polar, azimuth) = (wish.x.acos(), wish.z.atan2(wish.y));
            let a = if wish.y >= 0.0 { cone.left } else { cone.right };
            let b = if wish.z >= 0.0 { cone.up } else { cone.down };
            let measure = |polar: f64| (polar * azimuth.cos() / a).powi(2) + (polar * azimuth.sin() / b).powi(2);
            if measure(polar) <= 1.0 {
                assert!((found - wish).norm() < 1e-15, "{cone:?} {wish}");
            } else {
                assert!((measure(found.x.acos()) - 1.0).abs() < 1e-10, "{cone:?} {wish} {found}");
                assert!((found.z.atan2(found.y) - azimuth).abs() < 1e-11);
            }
            assert!((cone.limit(azimuth).powi(-2) - measure(1.0)).abs() < 1e-9 * measure(1.0));
            assert!(cone.contains(&found, 1e-12) && (cone.nearest(&found) - found).norm() < 1e-14);
        }
    }
}

#[test]
fn a_circular_cone_gives_the_nearest_direction() {
    let (cone, mut random) = (Cone::circular(0.7), Random::new(2));
    for _ in 0..300 {
        let wish = direction(&mut random, 3);
        let found = cone.nearest(&wish).angle(&wish);
        assert!((found - (wish.x.acos() - 0.7).max(0.0)).abs() < 1e-7);
    }
}

#[test]
fn the_sides_of_a_cone_are_where_its_documentation_says() {
    let cone = Cone { up: 0.1, down: 0.2, left: 0.3, right: 2.0 };
    for (azimuth, angle) in [(FRAC_PI_2, 0.1), (-FRAC_PI_2, 0.2), (0.0, 0.3), (PI, 2.0)] {
        assert!((cone.limit(azimuth) - angle).abs() < 1e-15);
    }
    // Straight back counts as left; a cone of π permits every direction.
    assert!((cone.nearest(&-Vector3::x()) - Vector3::new(0.3_f64.cos(), 0.3_f64.sin(), 0.0)).norm() < 1e-15);
    assert_eq!(Cone::ALL.nearest(&-Vector3::x()), -Vector3::x());
}

#[test]
fn a_cone_that_is_flat_is_an_arc() {
    let (flat, mut random) = (Cone { up: 1.0, down: 0.5, left: 0.0, right: 0.0 }, Random::new(3));
    for _ in 0..100 {
        let wish = direction(&mut random, 3);
        let found = flat.nearest(&wish);
        assert!(found.y.abs() < 1e-15);
        assert!((-0.5 - 1e-12..=1.0 + 1e-12).contains(&found.z.atan2(found.x)), "{found}");
        assert!(flat.contains(&found, 1e-12));
        assert!((Cone::circular(0.0).nearest(&wish) - Vector3::x()).norm() < 1e-15);
    }
}

#[test]
fn ranges_clamp_round_the_circle() {
    let through = Range::new(3.0, 4.0);
    for (angle, expected) in [(3.5, 3.5), (-2.9, TAU - 2.9), (2.0, 3.0), (-2.0, 4.0), (3.0, 3.0), (4.0 - TAU, 4.0)] {
        assert!((through.nearest(angle) - expected).abs() < 1e-12, "{angle}");
    }
    assert_eq!(Range::ALL.nearest(PI), PI);
    assert_eq!(Range::new(0.5, 0.5).nearest(-3.0), 0.5);
    let mut random = Random::new(4);
    for _ in 0..1000 {
        let ends = [0, 1].map(|_| random.between(-TAU, TAU));
        let range = Range::new(ends[0].min(ends[1]), ends[0].max(ends[1]));
        let angle = random.between(-PI, PI);
        let found = range.nearest(angle);
        let apart = |other: f64| ((other - angle + PI).rem_euclid(TAU) - PI).abs();
        assert!(range.upper - range.lower >= TAU || (range.lower <= found && found <= range.upper));
        let inside = [-TAU, 0.0, TAU].iter().any(|turn| (range.lower..=range.upper).contains(&(angle + turn)));
        let least = if inside { 0.0 } else { apart(range.lower).min(apart(range.upper)) };
        assert!((apart(found) - least).abs() < 1e-12, "{range:?} {angle} {found}");
    }
}
