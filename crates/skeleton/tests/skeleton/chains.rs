//! FABRIK on chains of points: guarantees of cycles and solves, from one segment to a thousand.

use nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::{Outcome, Reason, Root, Skeleton, SkeletonProblem, SkeletonTarget};

use crate::common::Random;
use crate::figures::{
    arc, at, chain_through, check_lengths, direction, options, reachable, solve_chain, solve_through,
};
use crate::figures::{tip_reach, walk};

const SEGMENTS: [usize; 5] = [1, 2, 10, 100, 1000];

#[test]
fn lengths_hold_after_every_pass_in_the_plane_and_in_space() {
    for dimensions in [2, 3] {
        let mut random = Random::new(1);
        for segments in SEGMENTS {
            for _ in 0..5 {
                let chain = chain_through(&walk(&mut random, dimensions, segments), dimensions);
                // The seed need not have the segment lengths.
                let seed = at(&walk(&mut random, dimensions, segments));
                let (mut current, mut scratch) = (seed.clone(), chain.scratch(&options(0)));
                for _ in 0..5 {
                    let target = reachable(&mut random, &seed.points[0], &chain, 1.5);
                    let targets = [SkeletonTarget::new(segments, target)];
                    let problem =
                        SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options: options(0) };
                    chain.reach_forward(&problem, &mut scratch, &mut current).unwrap();
                    assert_eq!(current.points[segments], target);
                    check_lengths(&chain, &current.points);
                    chain.reach_backward(&problem, &mut scratch, &mut current).unwrap();
                    assert_eq!(current.points[0], seed.points[0]);
                    check_lengths(&chain, &current.points);
                }
            }
        }
    }
}

#[test]
fn the_distance_never_grows_from_one_plain_cycle_to_the_next() {
    let mut random = Random::new(2);
    for segments in SEGMENTS {
        for _ in 0..10 {
            let seed = at(&walk(&mut random, 3, segments));
            let chain = Skeleton::chain_through(&seed.points).unwrap();
            // Targets out of reach as well.
            let target = reachable(&mut random, &seed.points[0], &chain, 1.2);
            let targets = [SkeletonTarget::new(segments, target)];
            let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options: options(0) };
            let (mut current, mut scratch) = (seed.clone(), chain.scratch(&options(0)));
            let mut before = f64::INFINITY;
            for cycle in 0..50 {
                chain.reach_forward(&problem, &mut scratch, &mut current).unwrap();
                chain.reach_backward(&problem, &mut scratch, &mut current).unwrap();
                let distance = (current.points[segments] - target).norm();
                assert!(distance <= before + 1e-12, "{segments} {cycle}: {distance} after {before}");
                before = distance;
            }
        }
    }
}

#[test]
fn nor_from_one_accelerated_cycle_to_the_next() {
    let mut random = Random::new(3);
    for segments in [2, 10, 100] {
        for _ in 0..10 {
            let points = walk(&mut random, 3, segments);
            let chain = Skeleton::chain_through(&points).unwrap();
            let target = reachable(&mut random, &points[0], &chain, 0.999);
            let mut before = f64::INFINITY;
            for iterations in 1..20 {
                let solution = solve_through(&points, target, options(5).with_iterations(iterations));
                assert!(solution.residuals[0].distance <= before + 1e-12, "{segments} {iterations}");
                before = solution.residuals[0].distance;
            }
        }
    }
}

/// The point at `length` from `from` towards `to`, as the paper writes it.
fn between(from: &Point3<f64>, to: &Point3<f64>, length: f64) -> Point3<f64> {
    let lambda = length / (to - from).norm();
    Point3::from((1.0 - lambda) * from.coords + lambda * to.coords)
}

/// The backward pass of the paper.
fn draw_from_root(points: &mut [Point3<f64>], lengths: &[f64]) {
    for (i, length) in lengths.iter().enumerate() {
        points[i + 1] = between(&points[i], &points[i + 1], *length);
    }
}

/// Algorithm 1 of the paper, line by line, with a limit of cycles. The first point is the root (the paper's b).
fn published(points: &mut [Point3<f64>], lengths: &[f64], target: Point3<f64>, most: usize) -> usize {
    let (n, root, mut cycles) = (lengths.len(), points[0], 0);
    if (root - target).norm() > lengths.iter().sum() {
        for i in 0..n {
            points[i + 1] = between(&points[i], &target, lengths[i]);
        }
        return 0;
    }
    while (points[n] - target).norm() > 1e-6 && cycles < most {
        points[n] = target;
        for i in (0..n).rev() {
            points[i] = between(&points[i + 1], &points[i], lengths[i]);
        }
        points[0] = root;
        draw_from_root(points, lengths);
        cycles += 1;
    }
    cycles
}

#[test]
fn without_acceleration_it_is_the_published_algorithm() {
    for dimensions in [2, 3] {
        let mut random = Random::new(4);
        for segments in [2, 5, 10, 100] {
            for run in 0..20 {
                let points = walk(&mut random, dimensions, segments);
                let chain = chain_through(&points, dimensions);
                let moved = points[0] + direction(&mut random, dimensions) * 0.1;
                let lengths: Vec<_> = (0..segments).map(|segment| chain.segment(segment).unwrap().length).collect();
                let (mut start, mut root) = (points.clone(), Root::Fixed);
                if run % 2 == 1 {
                    // In the paper the root is in place from the start: the chain is moved there first.
                    (start[0], root) = (moved, Root::At(Isometry3::from(moved.coords)));
                    draw_from_root(&mut start, &lengths);
                }
                let stretch = if run % 5 == 4 { 2.0 * tip_reach(&chain).outer } else { 0.0 };
                let towards = reachable(&mut random, &points[0], &chain, 0.95) - points[0];
                let target = start[0] + towards + towards.normalize() * stretch;
                // Interrupted as well, to compare each cycle and not only the end.
                for iterations in [1, 2, 3, 200_000] {
                    let options = options(0).with_iterations(iterations);
                    let solution = solve_chain(&chain, &points, target, root, options);
                    let mut expected = start.clone();
                    let taken = published(&mut expected, &lengths, target, iterations);
                    assert_eq!((solution.iterations, solution.accelerated), (taken, 0), "{segments} {run}");
                    for (found, expected) in solution.configuration.points.iter().zip(&expected) {
                        assert!((found - expected).norm() < 1e-9, "{segments} {run}: {found} {expected}");
                    }
                }
            }
        }
    }
}

#[test]
fn plain_and_accelerated_agree_on_what_can_be_solved() {
    for dimensions in [2, 3] {
        let mut random = Random::new(5);
        for segments in SEGMENTS {
            for _ in 0..20 {
                let points = walk(&mut random, dimensions, segments);
                let chain = chain_through(&points, dimensions);
                let target = match segments {
                    1 => points[0] + direction(&mut random, dimensions) * tip_reach(&chain).outer,
                    _ => reachable(&mut random, &points[0], &chain, 0.9),
                };
                for options in [options(0), options(1), options(5), options(5).with_circles(true)] {
                    let solution = solve_chain(&chain, &points, target, Root::Fixed, options);
                    assert!(solution.is_solved(), "{segments} {options:?} {}", solution.iterations);
                    assert!(segments > 1 || solution.iterations == 0);
                }
            }
        }
    }
}

#[test]
fn acceleration_takes_at_most_a_fifth_of_the_cycles_of_a_nearly_stretched_chain() {
    let mut random = Random::new(6);
    for (segments, turns) in [(10, &[0.5, 1.0, 3.0][..]), (100, &[0.5, 1.0]), (1000, &[1.0])] {
        for ratio in [0.95, 0.99, 0.999] {
            for turn in turns {
                let points = arc(segments, *turn);
                let target = Point3::from(direction(&mut random, 3) * ratio);
                let accelerated = solve_through(&points, target, options(5));
                assert!(accelerated.is_solved());
                // Plain cycles may take very long: it suffices that five times as many do not reach the target.
                let iterations = 5 * accelerated.iterations - 1;
                let plain = solve_through(&points, target, options(0).with_iterations(iterations));
                let reason = Outcome::Closest(Reason::NotConverged);
                assert_eq!(plain.residuals[0].outcome, reason, "{segments} {ratio} {turn}: {iterations}");
            }
        }
    }
}

#[test]
fn a_solved_chain_is_a_fixed_point() {
    let mut random = Random::new(7);
    for segments in SEGMENTS {
        for options in [options(0), options(5), options(0).with_circles(true)] {
            let points = walk(&mut random, 3, segments);
            let chain = Skeleton::chain_through(&points).unwrap();
            let target = match segments {
                1 => points[0] + direction(&mut random, 3) * tip_reach(&chain).outer,
                _ => reachable(&mut random, &points[0], &chain, 0.9),
            };
            let solved = solve_through(&points, target, options).configuration;
            let again = solve_chain(&chain, &solved.points, target, Root::Fixed, options);
            assert_eq!((&again.configuration.points, again.iterations), (&solved.points, 0));
            // Nor does a cycle move any point if the tip is exactly at the target.
            let targets = [SkeletonTarget::new(segments, solved.points[segments])];
            let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &solved, options };
            let (mut moved, mut scratch) = (solved.clone(), chain.scratch(&options));
            chain.reach_forward(&problem, &mut scratch, &mut moved).unwrap();
            chain.reach_backward(&problem, &mut scratch, &mut moved).unwrap();
            for (moved, point) in moved.points.iter().zip(&solved.points) {
                assert!((moved - point).norm() < 1e-12, "{segments}: {moved} {point}");
            }
        }
    }
}
