//! FABRIK on chains of points: invalid input, and the intersection of spheres.

use nalgebra::{Vector2, Vector3};
use urdf_ik::skeleton::points::{
    Element, InputError, Options, PointChain, Problem, ProblemError, Root, circle_between,
};

use crate::common::Random;

fn coordinate(element: impl Into<Element>, axis: char, value: f64) -> InputError {
    InputError::Coordinate { element: element.into(), axis, value }
}

#[test]
fn invalid_chains_are_refused_with_the_number() {
    let error = |lengths: &[f64]| PointChain::<3>::new(lengths.to_vec()).unwrap_err();
    assert_eq!(error(&[]), InputError::Empty { what: "segment" });
    for value in [-0.1, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(
            error(&[1.0, value]),
            InputError::Length { element: Element::of("segment", 1), value, bound: "of at least 0" }
        );
    }
    assert!(error(&[0.1, f64::NAN]).to_string().contains("segment 1 (from 0) is NaN m"));
    assert_eq!(error(&[6e8, 6e8]), InputError::TooLong { total: 1.2e9 });
    assert_eq!(PointChain::<2>::from_points(&[]).unwrap_err(), InputError::Empty { what: "segment" });
    assert_eq!(PointChain::<2>::from_points(&[Vector2::zeros()]).unwrap_err(), InputError::Empty { what: "segment" });
    let points = [Vector2::zeros(), Vector2::new(1.0, f64::INFINITY)];
    let found = PointChain::from_points(&points).unwrap_err();
    assert_eq!(found, coordinate(Element::of("point", 1), 'y', f64::INFINITY));
}

#[test]
fn reach_is_the_sum_and_what_the_longest_exceeds_the_others_by() {
    for (lengths, inner, outer) in [
        (vec![0.5], 0.5, 0.5),
        (vec![0.25, 1.0], 0.75, 1.25),
        (vec![0.5, 1.0, 0.5], 0.0, 2.0),
        (vec![0.0, 0.0], 0.0, 0.0),
    ] {
        let chain = PointChain::<2>::new(lengths).unwrap();
        assert_eq!((chain.reach().inner, chain.reach().outer), (inner, outer));
    }
}

#[test]
fn invalid_problems_are_refused() {
    let chain = PointChain::<3>::new(vec![0.3; 2]).unwrap();
    let points = [Vector3::zeros(), Vector3::x() * 0.3, Vector3::x() * 0.6];
    let fine = Problem { target: Vector3::y() * 0.4, root: Root::Fixed, points: &points, options: Options::default() };
    let error = |problem: &Problem<3>| {
        chain.solve(problem, &mut chain.scratch(&problem.options), &mut chain.solution()).unwrap_err()
    };
    let value = f64::NEG_INFINITY;
    let bad = Vector3::new(0.0, value, 0.0);
    assert_eq!(error(&Problem { target: bad, ..fine }), ProblemError::Input(coordinate("target", 'y', value)));
    assert_eq!(error(&Problem { root: Root::At(bad), ..fine }), ProblemError::Input(coordinate("root", 'y', value)));
    let strange = [points[0], points[1], Vector3::new(0.0, 0.0, 2e9)];
    let expected = ProblemError::Input(coordinate(Element::of("point", 2), 'z', 2e9));
    assert_eq!(error(&Problem { points: &strange, ..fine }), expected);
    assert!(expected.to_string().contains("coordinate z of point 2 (from 0) is 2000000000 m"));
    let count = |what, found| ProblemError::Input(InputError::Count { what, found, expected: 3 });
    assert_eq!(error(&Problem { points: &points[..2], ..fine }), count("list of points", 2));
    for value in [0.0, -1.0, f64::INFINITY] {
        let options = Options { tolerance: value, ..fine.options };
        assert_eq!(error(&Problem { options, ..fine }), ProblemError::Input(InputError::Tolerance { value }));
    }
    for value in [-1.0, f64::INFINITY] {
        let options = Options { stall: value, ..fine.options };
        assert_eq!(error(&Problem { options, ..fine }), ProblemError::Stall { value });
    }
    error(&Problem { options: Options { stall: f64::NAN, ..fine.options }, ..fine });

    let other = PointChain::<3>::new(vec![0.3; 4]).unwrap();
    let found = chain.solve(&fine, &mut other.scratch(&fine.options), &mut chain.solution());
    assert_eq!(found, Err(count("scratch", 5)));
    let found = chain.solve(&fine, &mut chain.scratch(&fine.options), &mut other.solution());
    assert_eq!(found, Err(count("solution", 5)));
    let plain = Options { acceleration: 0, ..fine.options };
    let found = chain.solve(&fine, &mut chain.scratch(&plain), &mut chain.solution());
    assert_eq!(found, Err(ProblemError::Input(InputError::Depth { found: 0, expected: 5 })));
    // A scratch with memory for acceleration also serves the plain algorithm.
    let problem = Problem { options: plain, ..fine };
    assert_eq!(chain.solve(&problem, &mut chain.scratch(&fine.options), &mut chain.solution()), Ok(()));
}

#[test]
fn passes_refuse_invalid_input() {
    let chain = PointChain::<2>::new(vec![0.3; 2]).unwrap();
    let mut points = [Vector2::zeros(); 2];
    let count = InputError::Count { what: "list of points", found: 2, expected: 3 };
    assert_eq!(chain.reach_forward(&Vector2::zeros(), &mut points), Err(count.clone()));
    assert_eq!(chain.reach_backward(&Vector2::zeros(), &mut points), Err(count));
    let (bad, mut points) = (Vector2::new(f64::INFINITY, 0.0), [Vector2::zeros(); 3]);
    let value = f64::INFINITY;
    assert_eq!(chain.reach_forward(&bad, &mut points), Err(coordinate("target", 'x', value)));
    assert_eq!(chain.reach_backward(&bad, &mut points), Err(coordinate("root", 'x', value)));
}

#[test]
fn the_nearest_point_of_a_circle_is_on_both_spheres() {
    let mut random = Random::new(1);
    for _ in 0..1000 {
        let a = random.direction() * random.between(0.0, 3.0);
        let b = a + random.direction() * random.between(0.01, 1.0);
        let distance = (b - a).norm();
        let a_radius = random.between(0.0, 2.0);
        let b_radius = random.between((distance - a_radius).abs(), distance + a_radius);
        let circle = circle_between(&a, a_radius, &b, b_radius).unwrap();
        let point = random.direction() * random.between(0.0, 3.0);
        let nearest = circle.nearest(&point);
        // Only half of the digits where the spheres almost touch.
        assert!(((nearest - a).norm() - a_radius).abs() < 1e-7 && ((nearest - b).norm() - b_radius).abs() < 1e-7);
        assert!((circle.normal.norm() - 1.0).abs() < 1e-14 && circle.radius <= a_radius.min(b_radius) + 1e-7);
        let across = circle.nearest(&(random.direction() * 3.0));
        assert!((nearest - point).norm() <= (across - point).norm() + 1e-9);
        // A point of the circle is its own nearest.
        assert!((circle.nearest(&nearest) - nearest).norm() < 1e-7);
    }
}

#[test]
fn circles_of_the_plane_and_where_there_is_none() {
    let (a, b) = (Vector2::new(0.0, 0.0), Vector2::new(6.0, 0.0));
    let pair = circle_between(&a, 5.0, &b, 5.0).unwrap();
    assert_eq!((pair.centre, pair.normal, pair.radius), (Vector2::new(3.0, 0.0), Vector2::x(), 4.0));
    for (point, y) in [(Vector2::new(9.0, 0.1), 4.0), (Vector2::new(3.0, -7.0), -4.0), (Vector2::new(1.0, 0.0), 4.0)] {
        assert!((pair.nearest(&point) - Vector2::new(3.0, y)).norm() < 1e-12, "{point}");
    }
    let touching = circle_between(&a, 2.0, &b, 4.0).unwrap();
    assert_eq!((touching.centre, touching.radius), (Vector2::new(2.0, 0.0), 0.0));
    let inside = circle_between(&a, 8.0, &b, 2.0).unwrap();
    assert_eq!((inside.centre, inside.radius), (Vector2::new(8.0, 0.0), 0.0));
    for (a_radius, b_radius) in [(1.0, 2.0), (9.0, 2.0), (2.0, 9.0), (f64::NAN, 6.0)] {
        assert_eq!(circle_between(&a, a_radius, &b, b_radius), None);
    }
    assert_eq!(circle_between(&a, 1.0, &a, 1.0), None);
}
