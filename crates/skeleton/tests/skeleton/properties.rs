//! Guarantees of every solution: random skeletons of every kind with random options. Solutions are compared with
//! independent computations, or with other solutions of the same solver.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{
    Joint, Outcome, Reach, Reason, Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem,
    SkeletonSolution, SkeletonTarget,
};

use crate::common::joints::{self, Spread};
use crate::common::{Random, Share};
use crate::figures::{any_joint, at, direction, rotation, solve};

const CASES: usize = 300;

/// A problem for a skeleton.
struct Case {
    skeleton: Skeleton,
    seed: SkeletonConfiguration,
    targets: Vec<SkeletonTarget>,
    root: Root,
    options: SkeletonOptions,
    /// Whether some configuration meets all targets.
    is_possible: bool,
}

impl Case {
    /// A chain or a tree with a target for each end, its root fixed, moved or free. A quarter of the free ones are
    /// planar. In a quarter of the cases a target is far away.
    fn new(random: &mut Random, is_limited: bool) -> Self {
        let dimensions = if !is_limited && random.below(4) == 0 { 2 } else { 3 };
        let segments = segments(random, is_limited);
        let skeleton = if dimensions == 2 { Skeleton::in_plane(&segments) } else { Skeleton::new(&segments) }.unwrap();
        let (goal, seed) = (configuration(random, &skeleton), configuration(random, &skeleton));
        let is_end = |point: &usize| segments.iter().all(|segment| segment.parent != *point);
        let at_goal = |point| match goal.orientations.get(point) {
            Some(turn) if point % 2 == 0 => SkeletonTarget::new(point, goal.points[point]).with_orientation(*turn),
            _ => SkeletonTarget::new(point, goal.points[point]),
        };
        let mut targets: Vec<SkeletonTarget> = (1..=segments.len()).filter(is_end).map(at_goal).collect();
        let is_possible = random.below(4) > 0;
        if !is_possible {
            let far = random.below(targets.len());
            targets[far].position += direction(random, dimensions) * random.between(0.0, 3.0);
        }
        let turn = goal.orientations.first().copied().unwrap_or_default();
        let place = Isometry3::from_parts(goal.points[0].into(), turn);
        let root = [Root::At(place), Root::Free][random.below(2)];
        Self { skeleton, seed, targets, root, options: options(random), is_possible }
    }

    fn solve(&self, options: SkeletonOptions) -> SkeletonSolution {
        let Self { skeleton, targets, root, seed, .. } = self;
        solve(skeleton, &SkeletonProblem { targets, root: *root, seed, options })
    }

    /// The case scaled by `scale` and moved by `place`.
    fn moved(&self, place: &Isometry3<f64>, scale: f64) -> Self {
        let all = 0..self.skeleton.segment_count();
        let segment = |index| self.skeleton.segment(index).unwrap();
        let longer: Vec<Segment> = all.map(segment).map(|s| Segment { length: scale * s.length, ..s }).collect();
        let is_planar = self.skeleton.is_planar();
        let skeleton = if is_planar { Skeleton::in_plane(&longer) } else { Skeleton::new(&longer) }.unwrap();
        let point = |point: &Point3<f64>| place * (point * scale);
        let turn = |turn: &UnitQuaternion<f64>| place.rotation * turn;
        let target = |target: &SkeletonTarget| SkeletonTarget {
            position: point(&target.position),
            orientation: target.orientation.as_ref().map(turn),
            ..*target
        };
        let SkeletonConfiguration { points, orientations } = &self.seed;
        Self {
            skeleton,
            seed: SkeletonConfiguration {
                points: points.iter().map(point).collect(),
                orientations: orientations.iter().map(turn).collect(),
            },
            targets: self.targets.iter().map(target).collect(),
            root: match &self.root {
                Root::At(frame) => Root::At(Isometry3::from_parts(
                    point(&frame.translation.vector.into()).into(),
                    turn(&frame.rotation),
                )),
                other => *other,
            },
            options: self.options.with_tolerance(scale * self.options.tolerance),
            is_possible: self.is_possible,
        }
    }
}

fn segments(random: &mut Random, is_limited: bool) -> Vec<Segment> {
    let (is_chain, count) = (random.below(2) == 0, 2 + random.below(8));
    let segment = |index| {
        let parent = if is_chain || random.below(4) > 0 { index } else { random.below(index + 1) };
        let joint = if is_limited { any_joint(random, index) } else { Joint::free() };
        Segment::new(parent, random.between(0.1, 0.4)).with_joint(joint)
    };
    (0..count).map(segment).collect()
}

/// A random configuration within the limits.
fn configuration(random: &mut Random, skeleton: &Skeleton) -> SkeletonConfiguration {
    let all = || (0..skeleton.segment_count()).map(|index| skeleton.segment(index).unwrap());
    let dimensions = if skeleton.is_planar() { 2 } else { 3 };
    let start: Point3<f64> = (direction(random, dimensions) * 0.3).into();
    if skeleton.is_free() {
        let mut points = vec![start];
        for Segment { parent, length, .. } in all() {
            points.push(points[parent] + direction(random, dimensions) * length);
        }
        return at(&points);
    }
    let place = Isometry3::from_parts(start.into(), rotation(random));
    let turns: Vec<_> = all().map(|segment| joints::rotation(random, &segment.joint, Spread::Even)).collect();
    skeleton.place(&place, &turns).unwrap()
}

fn options(random: &mut Random) -> SkeletonOptions {
    SkeletonOptions::default()
        .with_iterations([0, 1, 3, 30, 300][random.below(5)])
        .with_restarts(random.below(4))
        .with_acceleration([0, 1, 5][random.below(3)])
        .with_circles(random.below(2) == 0)
        .with_polish(random.below(2) == 0)
}

fn cases(seed: u64) -> impl Iterator<Item = Case> {
    let mut random = Random::new(seed);
    (0..CASES).map(move |case| Case::new(&mut random, case % 2 == 0))
}

/// The range of distances of two points with free joints: from the longest segment minus the others to the sum of all.
fn reach(skeleton: &Skeleton, points: [usize; 2]) -> Reach {
    let way = |mut point: usize| {
        let mut way = Vec::new();
        while point > 0 {
            way.push(point - 1);
            point = skeleton.segment(point - 1).unwrap().parent;
        }
        way
    };
    let [one, other] = points.map(way);
    let only = |way: &[usize], others: &[usize]| -> Vec<f64> {
        let own = way.iter().filter(|segment| !others.contains(segment));
        own.map(|segment| skeleton.segment(*segment).unwrap().length).collect()
    };
    let lengths = [only(&one, &other), only(&other, &one)].concat();
    let (sum, longest) = (lengths.iter().sum::<f64>(), lengths.iter().copied().fold(0.0, f64::max));
    Reach { inner: (2.0 * longest - sum).max(0.0), outer: sum }
}

/// Checks that the reason why a target is missed is true.
fn check_reason(case: &Case, solution: &SkeletonSolution, index: usize, reason: Reason) {
    let target = &case.targets[index];
    let certain = |from: Point3<f64>, points, claimed: [f64; 3]| {
        let (apart, reach) = ((target.position - from).norm(), reach(&case.skeleton, points));
        for (claimed, expected) in claimed.into_iter().zip([apart, reach.inner, reach.outer]) {
            assert!((claimed - expected).abs() < 1e-12, "{reason:?}: {expected}");
        }
        assert!(apart < reach.inner || apart > reach.outer, "{reason:?}");
        assert!(!case.is_possible, "{reason:?} for feasible targets");
    };
    match reason {
        Reason::OutOfReach { distance, inner, outer } => {
            assert_ne!(case.root, Root::Free);
            certain(solution.configuration.points[0], [0, target.point], [distance, inner, outer]);
        }
        Reason::Apart { other, distance, inner, outer } => {
            let other = &case.targets[other];
            certain(other.position, [other.point, target.point], [distance, inner, outer]);
        }
        Reason::Limits => assert!(solution.limited.contains(&true) && !case.skeleton.is_free()),
        Reason::Stalled => assert!(case.targets.len() == 1 && !solution.limited.contains(&true)),
        Reason::NotConverged => assert!(!solution.limited.contains(&true)),
        _ => panic!("a figure follows no path: {reason:?}"),
    }
}

#[test]
fn lengths_limits_residuals_and_reasons_are_as_told() {
    let mut reasons = 0;
    for case in cases(1) {
        let solution = case.solve(case.options);
        for (index, residual) in solution.residuals.iter().enumerate() {
            if let Outcome::Closest(reason) = residual.outcome {
                check_reason(&case, &solution, index, reason);
                reasons += 1;
            }
        }
    }
    assert!(reasons > CASES / 2, "{reasons}");
}

/// The error of a solution; for possible targets all of them count.
fn error(solution: &SkeletonSolution) -> f64 {
    solution.residuals.iter().map(|residual| residual.distance.powi(2)).sum::<f64>().sqrt()
}

#[test]
fn more_cycles_and_attempts_never_lead_farther_away() {
    for case in cases(2).filter(|case| case.targets.iter().all(|target| target.orientation.is_none())) {
        if !case.is_possible {
            continue;
        }
        let mut before = f64::INFINITY;
        for (iterations, restarts) in [(0, 0), (1, 0), (2, 0), (5, 0), (20, 0), (100, 0), (300, 1), (600, 3)] {
            let after = error(&case.solve(case.options.with_iterations(iterations).with_restarts(restarts)));
            assert!(after <= before + 1e-12, "{iterations} cycles: {after} after {before}, {:?}", case.options);
            before = after;
        }
    }
}

/// Scaling by two and half turns about an axis are exact in floating point.
#[test]
fn a_figure_of_twice_the_size_has_the_same_answer_to_the_bit() {
    for case in cases(3).filter(|case| case.skeleton.is_free()) {
        let half_turn = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(0.0, 0.0, 0.0, 1.0));
        // Restarts are scattered in fixed directions.
        let turn = if case.options.restarts == 0 { half_turn } else { UnitQuaternion::identity() };
        let place = Isometry3::from_parts(Vector3::zeros().into(), turn);
        let double = case.moved(&place, 2.0);
        let (one, two) = (case.solve(case.options), double.solve(double.options));
        let counts = |solution: &SkeletonSolution| (solution.iterations, solution.restarts, solution.accelerated);
        assert_eq!(counts(&one), counts(&two), "{:?} {:?} {:?}", case.options, case.root, case.targets);
        for (one, two) in one.configuration.points.iter().zip(&two.configuration.points) {
            assert_eq!(place * (one * 2.0), *two);
        }
    }
}

#[test]
fn a_figure_elsewhere_has_the_same_answer() {
    let (mut random, mut other) = (Random::new(4), Share { failed: 0, of: 0 });
    for case in cases(5).filter(|case| !case.skeleton.is_planar()) {
        let place = Isometry3::from_parts(random.direction().into(), rotation(&mut random));
        let elsewhere = case.moved(&place, 1.0);
        // After few cycles, before rounding errors grow.
        let few = case.options.with_iterations(3).with_restarts(0);
        let (one, two) = (case.solve(few), elsewhere.solve(few));
        let pairs = one.configuration.points.iter().zip(&two.configuration.points);
        let apart = pairs.map(|(one, two)| (place * one - two).norm()).fold(0.0, f64::max);
        other.failed += usize::from(apart > 1e-9);
        other.of += 1;
    }
    println!("elsewhere: {other:?}");
    other.assert_at_most(0.01, "answers that differ");
}

#[test]
fn possible_targets_are_met() {
    for is_limited in [false, true] {
        let (mut random, mut missed, mut of) = (Random::new(6), 0, 0);
        while of < CASES {
            let case = Case::new(&mut random, is_limited);
            if case.is_possible {
                missed += usize::from(!case.solve(SkeletonOptions::default()).is_solved());
                of += 1;
            }
        }
        println!("limited: {is_limited}, {missed} of {of} missed");
        Share { failed: missed, of }.assert_at_most(0.005, "possible targets");
    }
}
