//! Invalid skeletons and problems are refused with the cause, and the solution is unchanged.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{
    Cone, InputError, Joint, Range, Reach, Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions,
    SkeletonProblem, SkeletonTarget,
};

use crate::figures::{at, plane_through};

fn no_rotation(length: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(length, 0.0, 0.0, 0.0))
}

/// The error message of a result.
fn sentence<T>(result: Result<T, InputError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn invalid_skeletons_are_refused_with_the_segment_named() {
    let error = |lengths: &[f64]| sentence(Skeleton::chain(lengths));
    let no_segment = "there is no segment; there must be at least 1";
    assert_eq!(error(&[]), no_segment);
    for value in [-0.1, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let expected = format!("segment 1 (from 0) is {value} m long; it must be a finite number of at least 0");
        assert_eq!(error(&[1.0, value]), expected);
    }
    assert_eq!(error(&[6e8, 6e8]), "the segments are 1200000000 m long together; they must be within 1e9 m");

    for points in [&[][..], &[Point3::origin()]] {
        assert_eq!(sentence(Skeleton::chain_through(points)), no_segment);
    }
    assert_eq!(
        sentence(Skeleton::chain_through(&[Point3::origin(), Point3::new(1.0, f64::INFINITY, 0.0)])),
        "coordinate y of point 1 (from 0) is inf m; it must be a finite number within 1e9 m"
    );

    // A parent that comes later, is the segment's own end, or does not exist: neither cycles nor a second root are
    // possible.
    for parent in [2, 3, usize::MAX] {
        let place = "the root, 0, or at the end of a segment before it, 1 to 1";
        let expected = format!("segment 1 begins at point {parent}; it must begin at {place}");
        assert_eq!(sentence(Skeleton::new(&[Segment::new(0, 1.0), Segment::new(parent, 1.0)])), expected);
    }
}

#[test]
fn invalid_joints_are_refused_with_the_segment_named() {
    let with = |joint: Joint| sentence(Skeleton::new(&[Segment::new(0, 1.0), Segment::new(1, 1.0).with_joint(joint)]));
    let invalid = |reason: String| format!("the joint of segment 1 is not valid: {reason}");
    for value in [-0.1, 3.2, f64::NAN, f64::INFINITY] {
        let found = with(Joint::ball(Cone { down: value, ..Cone::ALL }, Range::ALL));
        assert_eq!(found, invalid(format!("its cone opens by {value} rad down; that must be a number from 0 to π")));
    }
    for (lower, upper) in [(0.2, 0.1), (f64::NAN, 0.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (-7.0, 0.0)] {
        for (what, joint) in [
            ("angle", Joint::hinge(Vector3::z(), lower, upper)),
            ("twist", Joint::ball(Cone::ALL, Range::new(lower, upper))),
        ] {
            let right = "they must be in ascending order and within ±2π";
            let expected = invalid(format!("its {what} is limited by {lower} and {upper} rad; {right}"));
            assert_eq!(with(joint), expected);
        }
    }
    for axis in [Vector3::zeros(), Vector3::new(f64::NAN, 0.0, 1.0), Vector3::x() * f64::INFINITY] {
        let found = with(Joint::hinge(axis, 0.0, 1.0));
        let expected = invalid(format!("its axis is ({}, {}, {}), which is no direction;", axis.x, axis.y, axis.z));
        assert!(found.starts_with(&expected), "{found}");
    }
    for length in [f64::NAN, 0.0, 2.0] {
        let found = with(Joint::free().with_rest(no_rotation(length)));
        assert!(found.starts_with("the rest orientation of segment 1 (from 0) is not a unit quaternion"), "{found}");
    }
}

#[test]
fn joints_that_leave_the_plane_are_refused_there() {
    let with = |joint: Joint| Skeleton::in_plane(&[Segment::new(0, 1.0).with_joint(joint)]).map(|_| ());
    let turn = |axis| UnitQuaternion::from_axis_angle(&axis, 0.5);
    assert_eq!(with(Joint::hinge(-Vector3::z(), 0.0, 1.0).with_rest(turn(Vector3::z_axis()))), Ok(()));
    for joint in [
        Joint::ball(Cone::ALL, Range::ALL),
        Joint::hinge(Vector3::new(0.0, 1e-9, 1.0), 0.0, 1.0),
        Joint::free().with_rest(turn(Vector3::x_axis())),
    ] {
        let found = sentence(with(joint));
        assert!(found.starts_with("the joint of segment 0 is not valid: it leaves the plane"), "{found}");
    }
}

#[test]
fn reach_goes_along_the_segments_between_two_points() {
    let segments = [Segment::new(0, 5.0), Segment::new(1, 1.0), Segment::new(1, 2.0)];
    let tree = Skeleton::new(&segments).unwrap();
    assert_eq!(tree.reach(0, 2), Some(Reach { inner: 4.0, outer: 6.0 }));
    assert_eq!(tree.reach(2, 3), Some(Reach { inner: 1.0, outer: 3.0 }));
    assert_eq!(tree.reach(3, 3), Some(Reach::default()));
    assert_eq!(tree.reach(3, 4), None);
}

/// Solves an invalid problem for a chain of two segments, applies both single passes, and expects the same message from
/// all.
fn refused(
    chain: &Skeleton,
    targets: &[SkeletonTarget],
    root: Root,
    seed: &SkeletonConfiguration,
    options: SkeletonOptions,
) -> String {
    let problem = SkeletonProblem { targets, root, seed, options };
    let (mut scratch, mut solution, mut passed) = (chain.scratch(&options), chain.solution(), chain.at_rest());
    let error = chain.solve(&problem, &mut scratch, &mut solution).unwrap_err();
    assert_eq!(solution, chain.solution());
    let sentence = error.to_string();
    assert_eq!(chain.reach_forward(&problem, &mut scratch, &mut passed).unwrap_err().to_string(), sentence);
    assert_eq!(chain.reach_backward(&problem, &mut scratch, &mut passed).unwrap_err().to_string(), sentence);
    assert_eq!(passed, chain.at_rest());
    sentence
}

#[test]
fn invalid_targets_are_refused() {
    let chain = Skeleton::chain(&[0.3; 2]).unwrap();
    let error = |targets: &[SkeletonTarget]| {
        refused(&chain, targets, Root::Fixed, &chain.at_rest(), SkeletonOptions::default())
    };
    let fine = SkeletonTarget::new(1, Point3::new(0.0, 0.3, 0.0));
    assert_eq!(error(&[]), "there is no target; there must be at least 1");
    for value in [f64::NAN, f64::NEG_INFINITY, 2e9] {
        let expected =
            format!("coordinate y of target 1 (from 0) is {value} m; it must be a finite number within 1e9 m");
        assert_eq!(error(&[fine, SkeletonTarget::new(2, Point3::new(0.0, value, 0.0))]), expected);
    }
    let found = error(&[fine.with_orientation(no_rotation(0.0))]);
    assert!(found.starts_with("the orientation of target 0 (from 0) is not a unit quaternion"), "{found}");
    let found = error(&[fine, SkeletonTarget::new(3, Point3::origin())]);
    assert_eq!(found, "target 1 is for point 3; the points are numbered from 0 to 2");
    let found = error(&[fine, SkeletonTarget::new(2, Point3::origin()), fine]);
    assert_eq!(found, "targets 0 and 2 are both for point 1; keep one");
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e7] {
        let expected = format!("the weight of target 0 (from 0) is {weight}; it must be a number from 1e-6 to 1e6");
        assert_eq!(error(&[SkeletonTarget { weight, ..fine }]), expected);
    }
}

#[test]
fn invalid_seeds_roots_and_options_are_refused() {
    let chain = Skeleton::chain(&[0.3; 2]).unwrap();
    let targets = [SkeletonTarget::new(2, Point3::new(0.0, 0.4, 0.0))];
    let (rest, default) = (chain.at_rest(), SkeletonOptions::default());
    let seeded = |seed: &SkeletonConfiguration| refused(&chain, &targets, Root::Fixed, seed, default);
    assert_eq!(seeded(&at(&rest.points[..2])), "the list of points has 2 entries; it must have 3");
    let mut strange = at(&rest.points);
    strange.points[2].z = 2e9;
    let found = seeded(&strange);
    assert_eq!(found, "coordinate z of point 2 (from 0) is 2000000000 m; it must be a finite number within 1e9 m");
    let turned = |orientations| SkeletonConfiguration { orientations, ..rest.clone() };
    let found = seeded(&turned(vec![UnitQuaternion::identity()]));
    assert_eq!(found, "the list of orientations has 1 entries; it must have 3");
    let broken = turned(vec![UnitQuaternion::identity(), no_rotation(2.0), UnitQuaternion::identity()]);
    for found in [seeded(&broken), sentence(chain.rotations(&broken)), sentence(chain.violation(&broken))] {
        assert!(found.starts_with("the orientation at point 1 (from 0) is not a unit quaternion"), "{found}");
    }

    let rooted = |place: Isometry3<f64>| refused(&chain, &targets, Root::At(place), &rest, default);
    let found = rooted(Isometry3::translation(0.0, f64::INFINITY, 0.0));
    assert_eq!(found, "coordinate y of the root is inf m; it must be a finite number within 1e9 m");
    let found = rooted(Isometry3::from_parts(Vector3::zeros().into(), no_rotation(0.0)));
    assert!(found.starts_with("the orientation of the root is not a unit quaternion"), "{found}");

    let optioned = |options: SkeletonOptions| refused(&chain, &targets, Root::Fixed, &rest, options);
    for value in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let expected = format!("the tolerance is {value} m; it must be a finite number above 0");
        assert_eq!(optioned(default.with_tolerance(value)), expected);
        let expected = format!("the orientation tolerance is {value} rad; it must be a finite number above 0");
        assert_eq!(optioned(default.with_orientation_tolerance(value)), expected);
    }
}

#[test]
fn memory_of_another_skeleton_is_refused() {
    let (chain, other) = (Skeleton::chain(&[0.3; 2]).unwrap(), Skeleton::chain(&[0.3; 4]).unwrap());
    let (targets, seed, options) =
        ([SkeletonTarget::new(2, Point3::new(0.0, 0.4, 0.0))], chain.at_rest(), SkeletonOptions::default());
    let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options };
    let found = sentence(chain.solve(&problem, &mut other.scratch(&options), &mut chain.solution()));
    assert_eq!(found, "the scratch has 5 entries; it must have 3");
    let found = sentence(chain.solve(&problem, &mut chain.scratch(&options), &mut other.solution()));
    assert_eq!(found, "the solution has 5 entries; it must have 3");
    let plain = options.with_acceleration(0);
    let found = sentence(chain.solve(&problem, &mut chain.scratch(&plain), &mut chain.solution()));
    assert!(found.starts_with("the scratch is for 0 differences, but the options ask for 5"), "{found}");
    // A scratch with memory for acceleration also serves the plain algorithm.
    let problem = SkeletonProblem { options: plain, ..problem };
    assert_eq!(chain.solve(&problem, &mut chain.scratch(&options), &mut chain.solution()), Ok(()));
}

#[test]
fn what_leaves_the_plane_is_refused_there() {
    let chain = plane_through(&[Point3::origin(), Point3::new(1.0, 0.0, 0.0)]);
    let (inside, outside) = (Point3::new(0.0, 1.0, 0.0), Point3::new(0.0, 1.0, 1e-9));
    let tilted = Isometry3::rotation(Vector3::x());
    let check = |target: SkeletonTarget, root: Root, seed: &SkeletonConfiguration, element: &str| {
        let found = refused(&chain, &[target], root, seed, SkeletonOptions::default());
        assert!(found.starts_with(&format!("{element} leaves the plane")), "{found}");
    };
    let (rest, target) = (chain.at_rest(), SkeletonTarget::new(1, inside));
    check(SkeletonTarget::new(1, outside), Root::Fixed, &rest, "target 0 (from 0)");
    check(target.with_orientation(tilted.rotation), Root::Fixed, &rest, "target 0 (from 0)");
    check(target, Root::Fixed, &at(&[inside, outside]), "seed point 1 (from 0)");
    check(target, Root::At(tilted), &rest, "the root");
}
