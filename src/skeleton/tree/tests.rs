use nalgebra::{Point3, Vector3};

use super::{Element, InputError, Options, Problem, ProblemError, Reach, Root, Target, Tree, TreeError};
use crate::pseudorandom::{direction, fraction};

/// A trunk of two segments, a sub-base with an arm and a second sub-base with two more, and a tail without a target.
fn sample(number: usize) -> Tree {
    let parents = [3, 3, 1, 12, 2, 3, 5, 6, 6, 7, 8, 4].map(Some).into_iter().chain([None, Some(5)]);
    let parents: Vec<_> = parents.collect();
    let length = |point: usize| if point == 12 { 0.0 } else { 0.1 + 0.4 * fraction(number, 1000 + point) };
    let lengths = (0..parents.len()).map(length).collect();
    Tree::new(parents, lengths).unwrap()
}

fn cloud(number: usize) -> Vec<Point3<f64>> {
    (0..14).map(|point| Point3::from(direction(number, point) * fraction(number, 2000 + point))).collect()
}

fn length_errors<'a>(tree: &'a Tree, points: &'a [Point3<f64>]) -> impl Iterator<Item = (usize, f64)> + 'a {
    tree.parents.iter().enumerate().filter_map(|(point, parent)| {
        parent.map(|parent| (point, ((points[point] - points[parent]).norm() - tree.lengths[point]).abs()))
    })
}

#[test]
fn lengths_hold_after_every_pass() {
    for number in 0..50 {
        let (tree, seed) = (sample(number), cloud(number));
        let targets = [9, 10, 11].map(|point| Target::new(point, Point3::from(direction(number, point))));
        let problem = Problem { targets: &targets, seed: &seed, root: Root::Fixed, options: Options::default() };
        let mut scratch = tree.scratch();
        tree.aim(&problem, Some(seed[12]), &mut scratch);
        tree.start(&problem, 0, seed[12], &mut scratch);
        for _ in 0..20 {
            tree.inward(1.0, &mut scratch);
            // At the sub-bases, points 3 and 6, the branches do not agree. Points 0 and 13 have no target behind them.
            for (point, error) in length_errors(&tree, &scratch.points) {
                let sub_base = tree.parents[point].is_some_and(|parent| [3, 6].contains(&parent));
                assert!(error < 1e-14 || sub_base || [0, 13].contains(&point), "{point}: {error}");
            }
            tree.outward(seed[12], &mut scratch);
            assert!(length_errors(&tree, &scratch.points).all(|(_, error)| error < 1e-14));
        }
    }
}

#[test]
fn a_sub_base_takes_the_centroid_by_weight() {
    let tree = Tree::new(vec![None, Some(0), Some(1), Some(1)], vec![0.0, 5.0, 1.0, 1.0]).unwrap();
    let seed = [Point3::origin(), Point3::new(5.0, 0.0, 0.0), Point3::new(5.0, 1.0, 0.0), Point3::new(5.0, -1.0, 0.0)];
    let mut targets = [Target::new(2, Point3::new(5.0, 3.0, 0.0)), Target::new(3, Point3::new(5.0, -3.0, 0.0))];
    targets[0].weight = 3.0;
    let problem = Problem { targets: &targets, seed: &seed, root: Root::Free, options: Options::default() };
    let mut scratch = tree.scratch();
    tree.aim(&problem, None, &mut scratch);
    tree.start(&problem, 0, seed[0], &mut scratch);
    tree.inward(1.0, &mut scratch);
    // The branches suggest y = 2 and y = -2.
    assert!((scratch.points[1] - Point3::new(5.0, 1.0, 0.0)).norm() < 1e-15);
}

#[test]
fn invalid_trees_are_refused_with_the_cause_named() {
    let tree = |parents: &[Option<usize>], lengths: &[f64]| Tree::new(parents.to_vec(), lengths.to_vec());
    assert_eq!(tree(&[], &[]), Err(TreeError::Input(InputError::Empty { what: "point" })));
    assert_eq!(
        tree(&[None, Some(0)], &[0.0]),
        Err(TreeError::Input(InputError::Count { what: "list of lengths", found: 1, expected: 2 }))
    );
    let parent = Err(TreeError::Parent { point: 1, parent: 2, points: 2 });
    assert_eq!(tree(&[None, Some(2)], &[0.0, 1.0]), parent);
    assert_eq!(tree(&[None, Some(1)], &[0.0, 1.0]), Err(TreeError::Cycle { point: 1 }));
    for parents in [[None, Some(2), Some(3), Some(1)], [Some(1), Some(2), Some(3), Some(1)]] {
        let error = tree(&parents, &[0.0; 4]);
        assert!(matches!(error, Err(TreeError::Cycle { point: 1..=3 })), "{error:?}");
    }
    let roots = TreeError::Roots { first: 1, second: 2 };
    assert_eq!(tree(&[Some(1), None, None], &[1.0, 0.0, 0.0]), Err(roots.clone()));
    assert_eq!(roots.to_string(), "neither point 1 nor point 2 has a parent; only one root is possible");
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        let error = tree(&[None, Some(0)], &[0.0, value]);
        let element = Element::of("the segment to point", 1);
        assert!(matches!(error, Err(TreeError::Input(InputError::Length { element: found, .. })) if found == element));
    }
    assert_eq!(tree(&[Some(1), None], &[1.0, 2.0]), Err(TreeError::RootLength { point: 1, value: 2.0 }));
    assert!(matches!(tree(&[None, Some(0)], &[0.0, 2e9]), Err(TreeError::Input(InputError::TooLong { .. }))));
}

#[test]
fn invalid_problems_are_refused_and_leave_the_solution_unchanged() {
    let (tree, other) = (sample(0), Tree::new(vec![None], vec![0.0]).unwrap());
    let (mut scratch, mut solution, seed) = (tree.scratch(), tree.solution(), cloud(0));
    let before = solution.clone();
    let mut error = |targets: &[Target], seed: &[Point3<f64>], root: Root<Point3<f64>>, tolerance: f64| {
        let options = Options { tolerance, ..Options::default() };
        let error = tree.solve(&Problem { targets, seed, root, options }, &mut scratch, &mut solution).unwrap_err();
        assert_eq!(solution, before);
        error
    };
    let at = |point: usize| Target::new(point, Point3::origin());
    let fixed = Root::Fixed;
    assert_eq!(error(&[], &seed, fixed, 1e-6), ProblemError::Input(InputError::Empty { what: "target" }));
    let unknown = ProblemError::UnknownPoint { target: 1, point: 14, points: 14 };
    assert_eq!(error(&[at(9), at(14)], &seed, fixed, 1e-6), unknown);
    let same = ProblemError::SamePoint { first: 0, second: 2, point: 9 };
    assert_eq!(error(&[at(9), at(10), at(9)], &seed, fixed, 1e-6), same);
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e7] {
        let refused = error(&[Target { weight, ..at(9) }], &seed, fixed, 1e-6);
        assert!(matches!(refused, ProblemError::Weight { target: 0, .. }));
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(error(&[at(9)], &seed, fixed, tolerance), ProblemError::Input(InputError::Tolerance { .. })));
    }
    let count = |what, found| ProblemError::Input(InputError::Count { what, found, expected: 14 });
    assert_eq!(error(&[at(9)], &seed[1..], fixed, 1e-6), count("seed", 13));
    let mut bad = seed.clone();
    bad[7].y = f64::NAN;
    let refused = error(&[at(9)], &bad, fixed, 1e-6);
    assert!(refused.to_string().starts_with("coordinate y of seed point 7 (from 0) is NaN m"));
    let nowhere = Point3::new(0.0, 0.0, f64::INFINITY);
    let refused = error(&[at(9)], &seed, Root::At(nowhere), 1e-6);
    assert!(refused.to_string().starts_with("coordinate z of the root is inf m"));
    let refused = error(&[at(9), Target::new(10, nowhere)], &seed, fixed, 1e-6);
    assert!(refused.to_string().starts_with("coordinate z of target 1 (from 0) is inf m"));

    let targets = [at(9)];
    let problem = Problem { targets: &targets, seed: &seed, root: fixed, options: Options::default() };
    let refused = tree.solve(&problem, &mut other.scratch(), &mut solution);
    assert_eq!(refused, Err(count("scratch", 1)));
    let refused = tree.solve(&problem, &mut scratch, &mut other.solution());
    assert_eq!(refused, Err(count("solution", 1)));
}

#[test]
fn reach_goes_along_the_segments_between_two_points() {
    let tree = Tree::new(vec![None, Some(0), Some(1), Some(1)], vec![0.0, 5.0, 1.0, 2.0]).unwrap();
    assert_eq!(tree.reach(0, 2), Some(Reach { inner: 4.0, outer: 6.0 }));
    assert_eq!(tree.reach(2, 3), Some(Reach { inner: 1.0, outer: 3.0 }));
    assert_eq!(tree.reach(3, 3), Some(Reach::default()));
    assert_eq!(tree.reach(3, 4), None);
}

#[test]
fn coincident_points_and_targets_give_numbers() {
    let tree = Tree::new(vec![None, Some(0), Some(1), Some(1)], vec![0.0, 1.0, 0.0, 1.0]).unwrap();
    let seed = [Point3::origin(); 4];
    for place in [Vector3::zeros(), Vector3::x(), Vector3::z() * 1e9, Vector3::y() * 1e-300] {
        let targets = [Target::new(2, Point3::from(place)), Target::new(3, Point3::from(-place))];
        for root in [Root::Fixed, Root::Free, Root::At(Point3::from(place))] {
            let problem = Problem { targets: &targets, seed: &seed, root, options: Options::default() };
            let mut solution = tree.solution();
            tree.solve(&problem, &mut tree.scratch(), &mut solution).unwrap();
            assert!(solution.points.iter().all(|point| point.coords.iter().all(|value| value.is_finite())));
            let worst = length_errors(&tree, &solution.points).map(|(_, error)| error).fold(0.0, f64::max);
            assert!(worst < 1e-15 * (1.0 + place.norm()) * 1e3, "{worst}");
        }
    }
}
