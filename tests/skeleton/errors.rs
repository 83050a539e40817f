//! Invalid skeletons and problems: refused with the cause named, and the answer is left as it was.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{
    Cone, Configuration, Element, InputError, Joint, JointError, Options, Problem, ProblemError, Range, Reach, Root,
    Segment, Skeleton, SkeletonError, Target,
};

use crate::figures::{at, plane_through};

fn coordinate(element: impl Into<Element>, axis: char, value: f64) -> InputError {
    InputError::Coordinate { element: element.into(), axis, value }
}

fn no_rotation(length: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(length, 0.0, 0.0, 0.0))
}

#[test]
fn invalid_skeletons_are_refused_with_the_segment_named() {
    let error = |lengths: &[f64]| Skeleton::chain(lengths).unwrap_err();
    assert_eq!(error(&[]), SkeletonError::Input(InputError::Empty { what: "segment" }));
    for value in [-0.1, f64::INFINITY, f64::NEG_INFINITY] {
        let length = InputError::Length { element: Element::of("segment", 1), value, bound: "of at least 0" };
        assert_eq!(error(&[1.0, value]), SkeletonError::Input(length));
    }
    assert!(error(&[0.1, f64::NAN]).to_string().contains("segment 1 (from 0) is NaN m"));
    assert_eq!(error(&[6e8, 6e8]), SkeletonError::Input(InputError::TooLong { total: 1.2e9 }));

    for points in [&[][..], &[Point3::origin()]] {
        let found = Skeleton::chain_through(points).unwrap_err();
        assert_eq!(found, SkeletonError::Input(InputError::Empty { what: "segment" }));
    }
    let found = Skeleton::chain_through(&[Point3::origin(), Point3::new(1.0, f64::INFINITY, 0.0)]).unwrap_err();
    assert_eq!(found, SkeletonError::Input(coordinate(Element::of("point", 1), 'y', f64::INFINITY)));

    // A parent that comes later, is the segment's own end, or does not exist; so there is neither a cycle nor a second root.
    for parent in [2, 3, usize::MAX] {
        let found = Skeleton::new(&[Segment::new(0, 1.0), Segment::new(parent, 1.0)]).unwrap_err();
        assert_eq!(found, SkeletonError::Parent { segment: 1, parent });
    }
    let found = SkeletonError::Parent { segment: 1, parent: 2 }.to_string();
    assert_eq!(
        found,
        "segment 1 begins at point 2; it must begin at the root, 0, or at the end of a segment before it, 1 to 1"
    );
}

#[test]
fn invalid_joints_are_refused_with_the_segment_named() {
    let with = |joint: Joint| {
        Skeleton::new(&[Segment::new(0, 1.0), Segment::new(1, 1.0).with_joint(joint)]).map(|_| ()).unwrap_err()
    };
    let cause = |joint: Joint| match with(joint) {
        SkeletonError::Joint { segment: 1, source } => source,
        other => panic!("{other:?}"),
    };
    for value in [-0.1, 3.2, f64::NAN, f64::INFINITY] {
        let found = cause(Joint::ball(Cone { down: value, ..Cone::ALL }, Range::ALL));
        assert!(matches!(found, JointError::Cone { side: "down", .. }));
    }
    for (lower, upper) in [(0.2, 0.1), (f64::NAN, 0.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (-7.0, 0.0)] {
        let found = cause(Joint::hinge(Vector3::z(), lower, upper));
        assert!(matches!(found, JointError::Range { what: "angle", .. }));
        let found = cause(Joint::ball(Cone::ALL, Range::new(lower, upper)));
        assert!(matches!(found, JointError::Range { what: "twist", .. }));
    }
    for axis in [Vector3::zeros(), Vector3::new(f64::NAN, 0.0, 1.0), Vector3::x() * f64::INFINITY] {
        assert!(matches!(cause(Joint::hinge(axis, 0.0, 1.0)), JointError::Axis { .. }));
    }
    let element = Element::of("the rest orientation of segment", 1);
    for length in [f64::NAN, 0.0, 2.0] {
        let found = with(Joint::free().with_rest(no_rotation(length)));
        assert_eq!(found, SkeletonError::Input(InputError::Rotation { element }));
    }
    let expected = "the joint of segment 1 is not valid: its angle is limited by 0.2 and 0.1 rad; \
                    they must be in ascending order and within ±2π";
    assert_eq!(with(Joint::hinge(Vector3::z(), 0.2, 0.1)).to_string(), expected);
}

#[test]
fn joints_that_leave_the_plane_are_refused_there() {
    let with = |joint: Joint| Skeleton::in_plane(&[Segment::new(0, 1.0).with_joint(joint)]).map(|_| ());
    let turn = |axis| UnitQuaternion::from_axis_angle(&axis, 0.5);
    assert_eq!(with(Joint::hinge(-Vector3::z(), 0.0, 1.0).with_rest(turn(Vector3::z_axis()))), Ok(()));
    let out = Err(SkeletonError::Joint { segment: 0, source: JointError::Plane });
    for joint in [
        Joint::ball(Cone::ALL, Range::ALL),
        Joint::hinge(Vector3::new(0.0, 1e-9, 1.0), 0.0, 1.0),
        Joint::free().with_rest(turn(Vector3::x_axis())),
    ] {
        assert_eq!(with(joint), out);
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

/// Solves, and takes both single passes, of a chain of two segments with what is wrong, and expects the same error of all.
fn refused(chain: &Skeleton, targets: &[Target], root: Root, seed: &Configuration, options: Options) -> ProblemError {
    let problem = Problem { targets, root, seed, options };
    let (mut scratch, mut solution, mut passed) = (chain.scratch(&options), chain.solution(), chain.at_rest());
    let error = chain.solve(&problem, &mut scratch, &mut solution).unwrap_err();
    assert_eq!(solution, chain.solution());
    let forward = chain.reach_forward(&problem, &mut scratch, &mut passed).unwrap_err();
    let backward = chain.reach_backward(&problem, &mut scratch, &mut passed).unwrap_err();
    // NaN is not equal to itself.
    assert_eq!([forward.to_string(), backward.to_string()], [error.to_string(), error.to_string()]);
    assert_eq!(passed, chain.at_rest());
    error
}

#[test]
fn invalid_targets_are_refused() {
    let chain = Skeleton::chain(&[0.3; 2]).unwrap();
    let error = |targets: &[Target]| refused(&chain, targets, Root::Fixed, &chain.at_rest(), Options::default());
    let (fine, value) = (Target::new(1, Point3::new(0.0, 0.3, 0.0)), f64::NEG_INFINITY);
    assert_eq!(error(&[]), ProblemError::Input(InputError::Empty { what: "target" }));
    let far = Target::new(2, Point3::new(0.0, value, 0.0));
    assert_eq!(error(&[fine, far]), ProblemError::Input(coordinate(Element::of("target", 1), 'y', value)));
    let text = error(&[Target::new(2, Point3::new(f64::NAN, 0.0, 0.0))]).to_string();
    assert!(text.starts_with("coordinate x of target 0 (from 0) is NaN m"), "{text}");
    let element = Element::of("the orientation of target", 0);
    assert_eq!(
        error(&[fine.with_orientation(no_rotation(0.0))]),
        ProblemError::Input(InputError::Rotation { element })
    );
    let unknown = Target::new(3, Point3::origin());
    assert_eq!(error(&[fine, unknown]), ProblemError::UnknownPoint { target: 1, point: 3, last: 2 });
    let found = error(&[fine, Target::new(2, Point3::origin()), fine]);
    assert_eq!(found, ProblemError::SamePoint { first: 0, second: 2, point: 1 });
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e7] {
        assert!(matches!(error(&[Target { weight, ..fine }]), ProblemError::Weight { target: 0, .. }));
    }
}

#[test]
fn invalid_seeds_roots_and_options_are_refused() {
    let chain = Skeleton::chain(&[0.3; 2]).unwrap();
    let targets = [Target::new(2, Point3::new(0.0, 0.4, 0.0))];
    let (rest, default) = (chain.at_rest(), Options::default());
    let seeded = |seed: &Configuration| refused(&chain, &targets, Root::Fixed, seed, default);
    let count = |what, found| ProblemError::Input(InputError::Count { what, found, expected: 3 });
    assert_eq!(seeded(&at(&rest.points[..2])), count("list of points", 2));
    let mut strange = at(&rest.points);
    strange.points[2].z = 2e9;
    let expected = ProblemError::Input(coordinate(Element::of("point", 2), 'z', 2e9));
    assert_eq!(seeded(&strange), expected);
    assert!(expected.to_string().contains("coordinate z of point 2 (from 0) is 2000000000 m"));
    let turned = |orientations| Configuration { orientations, ..rest.clone() };
    assert_eq!(seeded(&turned(vec![UnitQuaternion::identity()])), count("list of orientations", 1));
    let element = Element::of("the orientation at point", 1);
    let broken = turned(vec![UnitQuaternion::identity(), no_rotation(2.0), UnitQuaternion::identity()]);
    assert_eq!(seeded(&broken), ProblemError::Input(InputError::Rotation { element }));
    for found in [chain.rotations(&broken).map(|_| ()), chain.violation(&broken).map(|_| ())] {
        assert_eq!(found, Err(InputError::Rotation { element }));
    }

    let rooted = |place: Isometry3<f64>| refused(&chain, &targets, Root::At(place), &rest, default);
    let found = rooted(Isometry3::translation(0.0, f64::INFINITY, 0.0));
    assert_eq!(found, ProblemError::Input(coordinate("root", 'y', f64::INFINITY)));
    let text = rooted(Isometry3::from_parts(Vector3::zeros().into(), no_rotation(0.0))).to_string();
    assert!(text.starts_with("the orientation of the root is not a unit quaternion"), "{text}");

    let optioned = |options: Options| refused(&chain, &targets, Root::Fixed, &rest, options);
    for value in [0.0, -1.0, f64::INFINITY] {
        let tolerance = ProblemError::Input(InputError::Tolerance { value });
        assert_eq!(optioned(Options { tolerance: value, ..default }), tolerance);
    }
    for orientation_tolerance in [0.0, -1.0, f64::NAN] {
        let text = optioned(Options { orientation_tolerance, ..default }).to_string();
        assert!(text.contains("orientation") && text.contains("rad"), "{text}");
    }
    let text = optioned(Options { tolerance: f64::NAN, ..default }).to_string();
    assert!(text.starts_with("the tolerance is NaN m"), "{text}");
}

#[test]
fn memory_of_another_skeleton_is_refused() {
    let (chain, other) = (Skeleton::chain(&[0.3; 2]).unwrap(), Skeleton::chain(&[0.3; 4]).unwrap());
    let (targets, seed, options) = ([Target::new(2, Point3::new(0.0, 0.4, 0.0))], chain.at_rest(), Options::default());
    let problem = Problem { targets: &targets, root: Root::Fixed, seed: &seed, options };
    let count = |what| Err(ProblemError::Input(InputError::Count { what, found: 5, expected: 3 }));
    assert_eq!(chain.solve(&problem, &mut other.scratch(&options), &mut chain.solution()), count("scratch"));
    assert_eq!(chain.solve(&problem, &mut chain.scratch(&options), &mut other.solution()), count("solution"));
    let plain = Options { acceleration: 0, ..options };
    let found = chain.solve(&problem, &mut chain.scratch(&plain), &mut chain.solution());
    assert_eq!(found, Err(ProblemError::Input(InputError::Depth { found: 0, expected: 5 })));
    // A scratch with memory for acceleration also serves the plain algorithm.
    let problem = Problem { options: plain, ..problem };
    assert_eq!(chain.solve(&problem, &mut chain.scratch(&options), &mut chain.solution()), Ok(()));
}

#[test]
fn what_leaves_the_plane_is_refused_there() {
    let chain = plane_through(&[Point3::origin(), Point3::new(1.0, 0.0, 0.0)]);
    let (inside, outside) = (Point3::new(0.0, 1.0, 0.0), Point3::new(0.0, 1.0, 1e-9));
    let tilted = Isometry3::rotation(Vector3::x());
    let error = |target: Target, root: Root, seed: &Configuration| {
        let ProblemError::Plane { element } = refused(&chain, &[target], root, seed, Options::default()) else {
            panic!("another error");
        };
        element
    };
    let (rest, target) = (chain.at_rest(), Target::new(1, inside));
    assert_eq!(error(Target::new(1, outside), Root::Fixed, &rest), Element::of("target", 0));
    let turned = target.with_orientation(tilted.rotation);
    assert_eq!(error(turned, Root::Fixed, &rest), Element::of("target", 0));
    assert_eq!(error(target, Root::Fixed, &at(&[inside, outside])), Element::of("seed point", 1));
    assert_eq!(error(target, Root::At(tilted), &rest), "root".into());
}
