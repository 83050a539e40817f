//! FABRIK with limited joints: limits hold for every target, and most targets are met within them.

use std::f64::consts::PI;

use allocation_counter::measure;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{
    Cone, Joint, Outcome, Range, Reason, Root, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem,
    SkeletonSolution, SkeletonTarget,
};

use crate::common::Random;
use crate::figures::{any_joint, bits, irregular, limited_chain, rotation, rotations, solve, tip_reach, with_lengths};

/// Without polish.
fn options() -> SkeletonOptions {
    SkeletonOptions::default().with_polish(false)
}

/// Moves the end of `chain` to `target`.
fn solve_chain(
    chain: &Skeleton,
    target: Point3<f64>,
    seed: &SkeletonConfiguration,
    options: SkeletonOptions,
) -> SkeletonSolution {
    let targets = [SkeletonTarget::new(chain.segment_count(), target)];
    solve(chain, &SkeletonProblem { targets: &targets, root: Root::Fixed, seed, options })
}

/// A random configuration, possibly outside the limits.
fn anywhere(random: &mut Random, chain: &Skeleton, root: &Isometry3<f64>) -> SkeletonConfiguration {
    chain.place(root, &rotations(random, chain.segment_count())).unwrap()
}

/// The end of a random configuration within the limits, and a seed.
fn reachable(random: &mut Random, chain: &Skeleton) -> (Point3<f64>, SkeletonConfiguration) {
    let mut draw = || anywhere(random, chain, &Isometry3::identity());
    let (goal, seed) = (draw(), draw());
    // Without cycles the solution is the seed, moved into the limits.
    let placed = solve_chain(chain, Point3::new(1e3, 0.0, 0.0), &goal, options().with_iterations(0));
    (placed.configuration.points[chain.segment_count()], seed)
}

#[test]
fn limits_hold_after_every_cycle_whatever_the_target() {
    let mut random = Random::new(1);
    for run in 0..60 {
        let chain = limited_chain(&mut random, 1 + run % 8, any_joint);
        let root = Isometry3::from_parts(random.direction().into(), rotation(&mut random));
        let seed = anywhere(&mut random, &chain, &root);
        let target = Point3::from(random.direction() * random.between(0.0, 4.0));
        // The best cycle is the best configuration.
        for iterations in 0..20 {
            let options = SkeletonOptions::default().with_iterations(iterations).with_acceleration([0, 1, 5][run % 3]);
            let solution = solve_chain(&chain, target, &seed, options);
            assert_eq!(solution.configuration.orientations[0], root.rotation);
        }
    }
}

/// Of 50 targets at the ends of random configurations, the number met with and without restarts; the mean number of
/// cycles.
fn rates(
    joints: usize,
    options: SkeletonOptions,
    joint: impl Fn(&mut Random, usize) -> Joint,
) -> (usize, usize, usize) {
    let mut random = Random::new(2);
    let (mut solved, mut first, mut cycles) = (0, 0, 0);
    for _ in 0..50 {
        let chain = limited_chain(&mut random, joints, &joint);
        let (target, seed) = reachable(&mut random, &chain);
        let solution = solve_chain(&chain, target, &seed, options);
        solved += usize::from(solution.is_solved());
        first += usize::from(solution.is_solved() && solution.restarts == 0);
        cycles += solution.iterations;
    }
    println!("{joints} joints: {solved} of 50, {first} without a restart, {cycles} cycles");
    (solved, first, cycles / 50)
}

#[test]
fn most_targets_within_cones_are_met() {
    for joints in [4, 8, 20] {
        assert_eq!(rates(joints, options(), |_, _| Joint::free()).0, 50);
        let narrow = Range::new(-0.5, 0.5);
        for angle in [30.0_f64, 60.0, 90.0, 120.0, 179.0] {
            let (solved, ..) = rates(joints, options(), |_, _| Joint::ball(Cone::circular(angle.to_radians()), narrow));
            assert!(solved >= 48, "{angle}: {solved}");
        }
        let (solved, ..) = rates(joints, options(), |random, _| Joint::ball(irregular(random), narrow));
        assert!(solved >= 49, "{solved}");
    }
}

#[test]
fn restarts_solve_many_targets_that_limits_block() {
    let (solved, first, _) = rates(6, options(), |_, _| Joint::hinge(Vector3::z(), 0.0, 1.57));
    assert!(solved >= 40 && first + 5 <= solved, "{first} {solved}");
}

#[test]
fn the_polish_solves_what_cycles_alone_do_not() {
    let narrow = |_: &mut Random, _| Joint::ball(Cone::circular(PI / 6.0), Range::ALL);
    let (alone, _, most) = rates(3, options(), narrow);
    let (solved, _, cycles) = rates(3, SkeletonOptions::default(), narrow);
    assert!(alone < solved && solved == 50 && 2 * cycles < most, "{alone} {solved}, {most} {cycles} cycles");
    let (solved, ..) = rates(3, SkeletonOptions::default(), |_, _| Joint::hinge(Vector3::z(), 0.0, 1.57));
    assert_eq!(solved, 50);
    let twist = Range::new(-0.5, 0.5);
    let (solved, ..) = rates(3, SkeletonOptions::default(), |random, _| Joint::ball(irregular(random), twist));
    assert_eq!(solved, 50);
}

#[test]
fn hinges_of_different_axes_converge_fast() {
    for (joints, most) in [(3, 40), (6, 200), (12, 20), (30, 10)] {
        let (solved, _, cycles) = rates(joints, SkeletonOptions::default(), |_, index| {
            let axis = if index % 2 == 0 { Vector3::z() } else { Vector3::y() };
            Joint::hinge(axis, -1.57, 1.57)
        });
        assert!(solved == 50 && cycles <= most, "{joints} joints: {solved} of 50 in {cycles} cycles");
    }
}

#[test]
fn joints_at_rest_half_a_turn_away_take_no_more_cycles() {
    let mut random = Random::new(8);
    let half = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI);
    let ball = Joint::ball(Cone::ALL, Range::ALL);
    let (mut straight, mut turned) = (0, 0);
    for _ in 0..30 {
        let given: Vec<_> = (0..6).map(|_| UnitQuaternion::from_scaled_axis(random.direction() * 0.2)).collect();
        let same: Vec<_> = given.iter().map(|rotation| half.inverse() * rotation).collect();
        let target = Point3::from(random.direction() * (0.98 * 1.2));
        for (joint, seed, cycles) in [(ball, given, &mut straight), (ball.with_rest(half), same, &mut turned)] {
            let chain = with_lengths(&[joint; 6], |_| 0.2);
            let seed = chain.place(&Isometry3::identity(), &seed).unwrap();
            let solution = solve_chain(&chain, target, &seed, options());
            assert!(solution.is_solved());
            *cycles += solution.iterations;
        }
    }
    println!("{straight} cycles, {turned} from half a turn");
    assert!(turned <= straight + straight / 20, "{straight} {turned}");
}

#[test]
fn acceleration_saves_cycles_and_plain_cycles_need_no_memory_for_it() {
    let mut random = Random::new(6);
    let (mut plain, mut accelerated) = (0, 0);
    for _ in 0..100 {
        let chain = limited_chain(&mut random, 8, any_joint);
        let (target, seed) = reachable(&mut random, &chain);
        plain += solve_chain(&chain, target, &seed, options().with_acceleration(0)).iterations;
        accelerated += solve_chain(&chain, target, &seed, options()).iterations;
    }
    println!("{plain} plain cycles, {accelerated} accelerated ones");
    assert!(2 * accelerated < plain, "{accelerated} {plain}");

    let chain = limited_chain(&mut random, 2, any_joint);
    let (targets, seed) = ([SkeletonTarget::new(2, Point3::new(0.1, 0.1, 0.1))], chain.at_rest());
    let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options: options() };
    let plain = SkeletonProblem { options: options().with_acceleration(0), ..problem };
    let found = chain.solve(&problem, &mut chain.scratch(&plain.options), &mut chain.solution());
    let sentence = found.unwrap_err().to_string();
    assert!(sentence.starts_with("the scratch is for 0 differences, but the options ask for 5"), "{sentence}");
    assert_eq!(chain.solve(&plain, &mut chain.scratch(&problem.options), &mut chain.solution()), Ok(()));
}

#[test]
fn hinges_of_one_axis_stay_in_their_plane() {
    let mut random = Random::new(3);
    for _ in 0..100 {
        let chain =
            limited_chain(&mut random, 6, |random, _| Joint::hinge(Vector3::z(), -random.between(0.1, 3.0), 1.5));
        let root = Isometry3::from_parts(random.direction().into(), rotation(&mut random));
        let seed = anywhere(&mut random, &chain, &root);
        let target = Point3::from(random.direction() * random.between(0.1, 2.0));
        for point in solve_chain(&chain, target, &seed, SkeletonOptions::default()).configuration.points {
            assert!((root.inverse() * point).z.abs() < 1e-14, "{point}");
        }
    }
}

#[test]
fn a_seed_that_is_a_solution_is_returned_unchanged() {
    let mut random = Random::new(4);
    for _ in 0..100 {
        let chain = limited_chain(&mut random, 8, any_joint);
        let (target, seed) = reachable(&mut random, &chain);
        let solution = solve_chain(&chain, target, &seed, SkeletonOptions::default());
        if solution.is_solved() {
            let again = solve_chain(&chain, target, &solution.configuration, SkeletonOptions::default());
            assert_eq!((again.iterations, again.is_solved()), (0, true));
            assert_eq!(again.configuration, solution.configuration);
        }
    }
}

#[test]
fn certain_and_uncertain_reasons_are_distinguished() {
    let outcome = |joint: Joint, [x, y, z]: [f64; 3]| {
        let chain = with_lengths(&[joint; 4], |_| 0.25);
        let solution = solve_chain(&chain, Point3::new(x, y, z), &chain.at_rest(), SkeletonOptions::default());
        (solution.residuals[0].outcome, solution)
    };
    let stiff = Joint::ball(Cone::circular(0.1), Range::ALL);
    let (found, solution) = outcome(stiff, [2.0, 0.0, 0.0]);
    assert_eq!(found, Outcome::Closest(Reason::OutOfReach { distance: 2.0, inner: 0.0, outer: 1.0 }));
    assert!((solution.residuals[0].distance - 1.0).abs() < 1e-9 && solution.restarts == 0);
    let (found, solution) = outcome(stiff, [0.0, 0.5, 0.0]);
    assert_eq!(found, Outcome::Closest(Reason::Limits));
    assert!(solution.limited.contains(&true));
    assert_eq!(found.to_string(), "limits are in the way");
    // Hinges limited to ±0.1 rad do not reach it either; hinges limited to nearly ±π do.
    for (most, expected) in [(0.1, Outcome::Closest(Reason::Limits)), (3.1, Outcome::Solved)] {
        let (found, solution) = outcome(Joint::hinge(Vector3::z(), -most, most), [0.0, 0.5, 0.0]);
        assert_eq!((found, solution.limited.contains(&true)), (expected, most < 1.0));
    }
    // A target outside the plane of the hinges does not depend on their limits.
    let (found, solution) = outcome(Joint::hinge(Vector3::z(), -3.1, 3.1), [0.5, 0.0, 0.2]);
    assert_eq!(found, Outcome::Closest(Reason::NotConverged));
    assert!((solution.residuals[0].distance - 0.2).abs() < 1e-3, "{solution:?}");
}

#[test]
fn the_closest_configuration_is_returned_but_where_the_seed_leads_nearly_as_near() {
    let mut random = Random::new(7);
    for acceleration in [0, 5] {
        for run in 0..30 {
            let chain = limited_chain(&mut random, 1 + run % 6, any_joint);
            let target = Point3::from(random.direction());
            let seed = anywhere(&mut random, &chain, &Isometry3::identity());
            let (mut nearest, margin) = (f64::INFINITY, 0.009 * tip_reach(&chain).outer);
            for iterations in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
                let options = SkeletonOptions::default().with_iterations(iterations).with_acceleration(acceleration);
                let distance = solve_chain(&chain, target, &seed, options).residuals[0].distance;
                assert!(distance <= nearest + margin, "{iterations}: {distance} after {nearest}");
                nearest = nearest.min(distance);
            }
        }
    }
}

#[test]
fn attempts_end_where_cycles_are_not_limited() {
    let chain = with_lengths(&[Joint::ball(Cone::circular(0.1), Range::ALL); 4], |_| 0.25);
    let options = SkeletonOptions::default().with_iterations(usize::MAX).with_restarts(3);
    for target in [Point3::new(0.0, 0.5, 0.0), Point3::new(-0.9, 0.0, 0.0), Point3::new(0.0, 0.0, 9.0)] {
        let solution = solve_chain(&chain, target, &chain.at_rest(), options);
        assert!(!solution.is_solved() && solution.iterations < 100_000, "{solution:?}");
    }
}

#[test]
fn the_same_problem_gives_the_same_bits_and_allocates_nothing() {
    let mut random = Random::new(5);
    for _ in 0..30 {
        let chain = limited_chain(&mut random, 7, any_joint);
        let (mut scratch, mut solution) = (chain.scratch(&SkeletonOptions::default()), chain.solution());
        for _ in 0..3 {
            let (target, seed) = reachable(&mut random, &chain);
            for target in [target, target * 20.0] {
                let targets = [SkeletonTarget::new(7, target)];
                let problem = SkeletonProblem {
                    targets: &targets,
                    root: Root::Fixed,
                    seed: &seed,
                    options: SkeletonOptions::default(),
                };
                let allocations = measure(|| chain.solve(&problem, &mut scratch, &mut solution).unwrap());
                assert_eq!(allocations.count_total, 0);
                let fresh = solve(&chain, &problem);
                assert_eq!((&fresh, bits(&fresh)), (&solution, bits(&solution)));
            }
        }
    }
}
