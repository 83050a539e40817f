//! FABRIK with joint limits: they hold for every target, and most targets are met within them.

use std::f64::consts::PI;

use allocation_counter::measure;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::limiter::{
    Cone, InputError, Joint, Limit, LimitedChain, Options, Outcome, Problem, Range, Reason, Solution,
};

use crate::common::Random;

fn rotation(random: &mut Random) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, 3.1))
}

fn rotations(random: &mut Random, chain: &LimitedChain) -> Vec<UnitQuaternion<f64>> {
    chain.joints().iter().map(|_| rotation(random)).collect()
}

fn chain(random: &mut Random, joints: usize, joint: impl Fn(&mut Random, usize) -> Joint) -> LimitedChain {
    let joints: Vec<_> = (0..joints).map(|index| joint(random, index)).collect();
    let lengths = joints.iter().map(|_| random.between(0.1, 0.3)).collect();
    LimitedChain::new(joints, lengths).unwrap()
}

/// A cone with sides from 1° to 179°.
fn irregular(random: &mut Random) -> Cone {
    let mut side = || random.between(1.0, 179.0).to_radians();
    Cone { up: side(), down: side(), left: side(), right: side() }
}

/// Ball joints and hinges of all kinds.
fn mixed(random: &mut Random, joints: usize) -> LimitedChain {
    chain(random, joints, |random, index| {
        let joint = match random.below(4) {
            0 => Joint::hinge(random.direction(), random.between(-2.0, 0.0), random.between(0.0, 2.0)),
            1 => Joint::ball(Cone::circular([1.0_f64, 90.0, 179.0][index % 3].to_radians()), Range::ALL),
            _ => Joint::ball(irregular(random), Range::new(random.between(-3.0, 0.0), random.between(0.0, 3.0))),
        };
        if random.below(2) == 0 { joint } else { joint.with_rest(rotation(random)) }
    })
}

/// Checks limits by the equation of the ellipse and by angles, from the frames alone, and lengths by the points.
fn check(chain: &LimitedChain, root: &Isometry3<f64>, solution: &Solution) {
    let mut before = root.rotation;
    for (index, joint) in chain.joints().iter().enumerate() {
        let relative = (before * joint.rest).inverse() * solution.frames[index];
        let direction = relative * Vector3::x();
        match joint.limit {
            Limit::Ball { cone, twist } => {
                let polar = direction.y.hypot(direction.z).atan2(direction.x);
                let azimuth = direction.z.atan2(direction.y);
                let a = if direction.y >= 0.0 { cone.left } else { cone.right };
                let b = if direction.z >= 0.0 { cone.up } else { cone.down };
                let measure = (polar * azimuth.cos() / a).powi(2) + (polar * azimuth.sin() / b).powi(2);
                assert!(measure < 1.0 + 1e-11, "{index}: {measure} {joint:?}");
                // Near half a turn back, swing and twist are almost not unique.
                if polar < 3.1 {
                    let swing = UnitQuaternion::rotation_between(&Vector3::x(), &direction).unwrap();
                    let angle = (swing.inverse() * relative).scaled_axis().x;
                    let apart = (twist.nearest(angle) - angle).abs().rem_euclid(2.0 * PI);
                    assert!(apart.min(2.0 * PI - apart) < 1e-9, "{index}: {angle} {twist:?}");
                }
            }
            Limit::Hinge { axis, angle } => {
                assert!((relative * axis - axis).norm() < 1e-13);
                let turn = relative.scaled_axis().dot(&axis.normalize());
                assert!(angle.lower - 1e-12 <= turn && turn <= angle.upper + 1e-12, "{index}: {turn} {angle:?}");
            }
        }
        let segment = solution.points[index + 1] - solution.points[index];
        assert!((segment - solution.frames[index] * Vector3::x() * chain.lengths()[index]).norm() < 1e-13);
        before = solution.frames[index];
    }
    assert_eq!(solution.points[0].coords, root.translation.vector);
    assert!(chain.violation(&solution.rotations).unwrap() < 1e-13);
}

fn solve(chain: &LimitedChain, problem: &Problem) -> Solution {
    let mut solution = chain.solution();
    chain.solve(problem, &mut chain.scratch(&problem.options), &mut solution).unwrap();
    check(chain, &problem.root, &solution);
    assert_eq!((solution.points.last().unwrap() - problem.target).norm(), solution.distance);
    assert_eq!(solution.outcome == Outcome::Solved, solution.distance <= problem.options.tolerance);
    assert!(solution.iterations <= problem.options.iterations);
    solution
}

fn problem(target: Point3<f64>, seed: &[UnitQuaternion<f64>]) -> Problem<'_> {
    Problem { target, root: Isometry3::identity(), seed, options: Options::default() }
}

/// The tip of a random configuration within the limits.
fn reachable(random: &mut Random, chain: &LimitedChain) -> Point3<f64> {
    let (far, goal) = (Point3::new(1e3, 0.0, 0.0), rotations(random, chain));
    let options = Options { iterations: 0, ..Options::default() };
    let solution = solve(chain, &Problem { options, ..problem(far, &goal) });
    *solution.points.last().unwrap()
}

#[test]
fn limits_hold_after_every_cycle_whatever_the_target() {
    let mut random = Random::new(1);
    for run in 0..60 {
        let chain = mixed(&mut random, 1 + run % 8);
        let seed = rotations(&mut random, &chain);
        let root = Isometry3::from_parts(random.direction().into(), rotation(&mut random));
        let target = Point3::from(random.direction() * random.between(0.0, 4.0));
        // The best of all cycles is one of them.
        for iterations in 0..20 {
            let options = Options { iterations, acceleration: [0, 1, 5][run % 3], ..Options::default() };
            let solution = solve(&chain, &Problem { target, root, seed: &seed, options });
            assert!(solution.points.iter().all(|point| point.coords.norm() < 10.0));
        }
    }
}

/// The number of targets met of 50 that are the tips of random configurations, with restarts and without; the mean number of
/// cycles.
fn rates(joints: usize, joint: impl Fn(&mut Random, usize) -> Joint) -> (usize, usize, usize) {
    let mut random = Random::new(2);
    let (mut solved, mut first, mut cycles) = (0, 0, 0);
    for _ in 0..50 {
        let chain = chain(&mut random, joints, &joint);
        let (target, seed) = (reachable(&mut random, &chain), rotations(&mut random, &chain));
        let solution = solve(&chain, &problem(target, &seed));
        let met = solution.outcome == Outcome::Solved;
        solved += usize::from(met);
        first += usize::from(met && solution.restarts == 0);
        cycles += solution.iterations;
    }
    println!("{joints} joints: {solved} of 50, {first} without a restart, {cycles} cycles");
    (solved, first, cycles / 50)
}

#[test]
fn most_targets_within_cones_are_met() {
    for joints in [4, 8, 20] {
        assert_eq!(rates(joints, |_, _| Joint::free()).0, 50);
        let narrow = Range::new(-0.5, 0.5);
        for angle in [30.0_f64, 60.0, 90.0, 120.0, 179.0] {
            let (solved, ..) = rates(joints, |_, _| Joint::ball(Cone::circular(angle.to_radians()), narrow));
            assert!(solved >= 48, "{angle}: {solved}");
        }
        let (solved, ..) = rates(joints, |random, _| Joint::ball(irregular(random), narrow));
        assert!(solved >= 49, "{solved}");
    }
}

#[test]
fn restarts_solve_many_targets_that_limits_block() {
    let (solved, first, _) = rates(6, |_, _| Joint::hinge(Vector3::z(), 0.0, 1.57));
    assert!(solved >= 46 && first + 5 <= solved, "{first} {solved}");
}

#[test]
fn hinges_of_different_axes_converge_fast() {
    for (joints, most) in [(3, 40), (6, 200), (12, 20), (30, 10)] {
        let (solved, _, cycles) = rates(joints, |_, index| {
            let axis = if index % 2 == 0 { Vector3::z() } else { Vector3::y() };
            Joint::hinge(axis, -1.57, 1.57)
        });
        assert!(solved >= 48 && cycles <= most, "{joints} joints: {solved} of 50 in {cycles} cycles");
    }
}

#[test]
fn joints_at_rest_half_a_turn_away_take_no_more_cycles() {
    let mut random = Random::new(8);
    let half = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI);
    let (mut straight, mut turned) = (0, 0);
    for _ in 0..30 {
        let joints = vec![Joint::free(); 6];
        let rests = joints.iter().map(|joint| joint.with_rest(half)).collect();
        let given: Vec<_> = (0..6).map(|_| UnitQuaternion::from_scaled_axis(random.direction() * 0.2)).collect();
        let same: Vec<_> = given.iter().map(|rotation| half.inverse() * rotation).collect();
        let target = Point3::from(random.direction() * (0.98 * 1.2));
        for (joints, seed, cycles) in [(joints, given, &mut straight), (rests, same, &mut turned)] {
            let chain = LimitedChain::new(joints, vec![0.2; 6]).unwrap();
            let solution = solve(&chain, &problem(target, &seed));
            assert_eq!(solution.outcome, Outcome::Solved);
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
        let chain = mixed(&mut random, 8);
        let (target, seed) = (reachable(&mut random, &chain), rotations(&mut random, &chain));
        let options = Options { acceleration: 0, ..Options::default() };
        plain += solve(&chain, &Problem { options, ..problem(target, &seed) }).iterations;
        accelerated += solve(&chain, &problem(target, &seed)).iterations;
    }
    println!("{plain} plain cycles, {accelerated} accelerated ones");
    assert!(2 * accelerated < plain, "{accelerated} {plain}");

    let chain = LimitedChain::new(vec![Joint::free(); 2], vec![1.0; 2]).unwrap();
    let (seed, plain) = ([UnitQuaternion::identity(); 2], Options { acceleration: 0, ..Options::default() });
    let problem = problem(Point3::new(0.5, 0.5, 0.5), &seed);
    let found = chain.solve(&problem, &mut chain.scratch(&plain), &mut chain.solution());
    assert_eq!(found, Err(InputError::Depth { found: 0, expected: 5 }));
    let problem = Problem { options: plain, ..problem };
    assert_eq!(chain.solve(&problem, &mut chain.scratch(&Options::default()), &mut chain.solution()), Ok(()));
}

#[test]
fn hinges_of_one_axis_stay_in_their_plane() {
    let mut random = Random::new(3);
    for _ in 0..100 {
        let chain = chain(&mut random, 6, |random, _| Joint::hinge(Vector3::z(), -random.between(0.1, 3.0), 1.5));
        let root = Isometry3::from_parts(random.direction().into(), rotation(&mut random));
        let seed = rotations(&mut random, &chain);
        let target = Point3::from(random.direction() * random.between(0.1, 2.0));
        let solution = solve(&chain, &Problem { root, ..problem(target, &seed) });
        for point in &solution.points {
            assert!((root.inverse() * point).z.abs() < 1e-14, "{point}");
        }
    }
}

#[test]
fn a_seed_that_is_a_solution_is_returned_unchanged() {
    let mut random = Random::new(4);
    for _ in 0..100 {
        let chain = mixed(&mut random, 8);
        let (target, seed) = (reachable(&mut random, &chain), rotations(&mut random, &chain));
        let solution = solve(&chain, &problem(target, &seed));
        if solution.outcome == Outcome::Solved {
            let again = solve(&chain, &problem(target, &solution.rotations));
            assert_eq!((again.iterations, again.outcome), (0, Outcome::Solved));
            assert_eq!(again.rotations, solution.rotations);
        }
    }
}

#[test]
fn certain_and_uncertain_reasons_are_distinguished() {
    let stiff = Joint::ball(Cone::circular(0.1), Range::ALL);
    let chain = LimitedChain::new(vec![stiff; 4], vec![0.25; 4]).unwrap();
    let seed = [UnitQuaternion::identity(); 4];
    let solution = solve(&chain, &problem(Point3::new(2.0, 0.0, 0.0), &seed));
    let reason = Reason::OutOfReach { distance: 2.0, inner: 0.0, outer: 1.0 };
    assert_eq!(solution.outcome, Outcome::Closest(reason));
    assert!((solution.distance - 1.0).abs() < 1e-9 && solution.restarts == 0);
    let solution = solve(&chain, &problem(Point3::new(0.0, 0.5, 0.0), &seed));
    assert_eq!(solution.outcome, Outcome::Closest(Reason::Limits));
    assert!(solution.limited.contains(&true));
    assert_eq!(solution.outcome.to_string(), "limits are in the way");
    // Hinges that bend by 0.1 rad each way do not reach it either; those that bend by π do.
    for (most, expected) in [(0.1, Outcome::Closest(Reason::Limits)), (3.1, Outcome::Solved)] {
        let chain = LimitedChain::new(vec![Joint::hinge(Vector3::z(), -most, most); 4], vec![0.25; 4]).unwrap();
        let solution = solve(&chain, &problem(Point3::new(0.0, 0.5, 0.0), &seed));
        assert_eq!((solution.outcome, solution.limited.contains(&true)), (expected, most < 1.0));
    }
    // A target outside the plane of the hinges does not depend on their limits.
    let chain = LimitedChain::new(vec![Joint::hinge(Vector3::z(), -3.1, 3.1); 4], vec![0.25; 4]).unwrap();
    let solution = solve(&chain, &problem(Point3::new(0.5, 0.0, 0.2), &seed));
    assert_eq!(solution.outcome, Outcome::Closest(Reason::NotConverged));
    assert!((solution.distance - 0.2).abs() < 1e-3, "{}", solution.distance);
}

#[test]
fn the_closest_configuration_of_all_cycles_and_attempts_is_returned() {
    let mut random = Random::new(7);
    for acceleration in [0, 5] {
        for run in 0..30 {
            let chain = mixed(&mut random, 1 + run % 6);
            let (target, seed) = (Point3::from(random.direction()), rotations(&mut random, &chain));
            let mut before = f64::INFINITY;
            for iterations in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144] {
                let options = Options { iterations, acceleration, ..Options::default() };
                let solution = solve(&chain, &Problem { options, ..problem(target, &seed) });
                assert!(solution.distance <= before, "{iterations}: {} after {before}", solution.distance);
                before = solution.distance;
            }
        }
    }
}

#[test]
fn attempts_end_where_cycles_are_not_limited() {
    let stiff = Joint::ball(Cone::circular(0.1), Range::ALL);
    let chain = LimitedChain::new(vec![stiff; 4], vec![0.25; 4]).unwrap();
    let seed = [UnitQuaternion::identity(); 4];
    let options = Options { iterations: usize::MAX, restarts: 3, ..Options::default() };
    for target in [Point3::new(0.0, 0.5, 0.0), Point3::new(-0.9, 0.0, 0.0), Point3::new(0.0, 0.0, 9.0)] {
        let solution = solve(&chain, &Problem { options, ..problem(target, &seed) });
        assert!(matches!(solution.outcome, Outcome::Closest(_)) && solution.iterations < 100_000, "{solution:?}");
    }
}

#[test]
fn the_same_problem_gives_the_same_bits_and_allocates_nothing() {
    let mut random = Random::new(5);
    for _ in 0..30 {
        let chain = mixed(&mut random, 7);
        let (mut scratch, mut solution) = (chain.scratch(&Options::default()), chain.solution());
        for _ in 0..3 {
            let (target, seed) = (reachable(&mut random, &chain), rotations(&mut random, &chain));
            for target in [target, target * 20.0] {
                let problem = problem(target, &seed);
                let allocations = measure(|| chain.solve(&problem, &mut scratch, &mut solution).unwrap());
                assert_eq!(allocations.count_total, 0);
                let fresh = solve(&chain, &problem);
                let bits = |solution: &Solution| -> Vec<u64> {
                    solution
                        .rotations
                        .iter()
                        .flat_map(|turn| [turn.w, turn.i, turn.j, turn.k].map(f64::to_bits))
                        .collect()
                };
                assert_eq!((&fresh, bits(&fresh)), (&solution, bits(&solution)));
            }
        }
    }
}
