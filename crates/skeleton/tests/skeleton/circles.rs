//! Intersections of spheres.

use nalgebra::{Point3, Vector3};
use urdf_ik::skeleton::circle_between;

use crate::common::Random;

#[test]
fn the_nearest_point_of_a_circle_is_on_both_spheres() {
    let mut random = Random::new(1);
    for _ in 0..1000 {
        let a = Point3::from(random.direction() * random.between(0.0, 3.0));
        let b = a + random.direction() * random.between(0.01, 1.0);
        let distance = (b - a).norm();
        let a_radius = random.between(0.0, 2.0);
        let b_radius = random.between((distance - a_radius).abs(), distance + a_radius);
        let circle = circle_between(&a, a_radius, &b, b_radius).unwrap();
        let point = Point3::from(random.direction() * random.between(0.0, 3.0));
        let nearest = circle.nearest(&point);
        // Half of the digits are lost if the spheres almost touch.
        assert!(((nearest - a).norm() - a_radius).abs() < 1e-7 && ((nearest - b).norm() - b_radius).abs() < 1e-7);
        assert!((circle.normal.norm() - 1.0).abs() < 1e-14 && circle.radius <= a_radius.min(b_radius) + 1e-7);
        let across = circle.nearest(&Point3::from(random.direction() * 3.0));
        assert!((nearest - point).norm() <= (across - point).norm() + 1e-9);
        // A point of the circle is its own nearest.
        assert!((circle.nearest(&nearest) - nearest).norm() < 1e-7);
    }
}

#[test]
fn circles_across_the_plane_and_where_there_is_none() {
    let (a, b) = (Point3::origin(), Point3::new(6.0, 0.0, 0.0));
    let pair = circle_between(&a, 5.0, &b, 5.0).unwrap();
    assert_eq!((pair.centre, pair.normal, pair.radius), (Point3::new(3.0, 0.0, 0.0), Vector3::x(), 4.0));
    // From points of the plane, the two points of the circle that are in the plane.
    for (x, y, nearest) in [(9.0, 0.1, 4.0), (3.0, -7.0, -4.0), (1.0, 0.0, 4.0)] {
        let found = pair.nearest(&Point3::new(x, y, 0.0));
        assert!((found - Point3::new(3.0, nearest, 0.0)).norm() < 1e-12, "{found}");
    }
    let touching = circle_between(&a, 2.0, &b, 4.0).unwrap();
    assert_eq!((touching.centre, touching.radius), (Point3::new(2.0, 0.0, 0.0), 0.0));
    let inside = circle_between(&a, 8.0, &b, 2.0).unwrap();
    assert_eq!((inside.centre, inside.radius), (Point3::new(8.0, 0.0, 0.0), 0.0));
    for (a_radius, b_radius) in [(1.0, 2.0), (9.0, 2.0), (2.0, 9.0), (f64::NAN, 6.0)] {
        assert_eq!(circle_between(&a, a_radius, &b, b_radius), None);
    }
    assert_eq!(circle_between(&a, 1.0, &a, 1.0), None);
}
