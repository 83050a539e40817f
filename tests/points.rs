//! FABRIK on chains of points: what a pass, a cycle and a whole solve promise, from one segment to a thousand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod common;
#[path = "common/points.rs"]
mod support;

use common::Random;
use nalgebra::Vector3;
use support::{arc, check_lengths, direction, options, posture, reachable, run, solve};
use urdf_ik::solver::fabrik::points::{Options, Outcome, PointChain, Problem, Root};

const SEGMENTS: [usize; 5] = [1, 2, 10, 100, 1000];

fn lengths_hold_after_every_pass<const D: usize>() {
    let mut random = Random::new(1);
    for segments in SEGMENTS {
        for _ in 0..5 {
            let chain = PointChain::from_points(&posture::<D>(&mut random, segments)).unwrap();
            // The points to start from need not have the lengths.
            let mut points = posture::<D>(&mut random, segments);
            for _ in 0..5 {
                let (root, target) = (points[0], reachable(&mut random, &points, &chain, 1.5));
                chain.reach_forward(&target, &mut points).unwrap();
                assert_eq!(points[segments], target);
                check_lengths(&chain, &points);
                chain.reach_backward(&root, &mut points).unwrap();
                assert_eq!(points[0], root);
                check_lengths(&chain, &points);
            }
        }
    }
}

#[test]
fn lengths_hold_after_every_pass_in_the_plane_and_in_space() {
    lengths_hold_after_every_pass::<2>();
    lengths_hold_after_every_pass::<3>();
}

#[test]
fn the_distance_never_grows_from_one_plain_cycle_to_the_next() {
    let mut random = Random::new(2);
    for segments in SEGMENTS {
        for _ in 0..10 {
            let mut points = posture::<3>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            // Targets out of reach as well.
            let (root, target) = (points[0], reachable(&mut random, &points, &chain, 1.2));
            let mut before = f64::INFINITY;
            for cycle in 0..50 {
                chain.reach_forward(&target, &mut points).unwrap();
                chain.reach_backward(&root, &mut points).unwrap();
                let distance = (points[segments] - target).norm();
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
            let points = posture::<3>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let target = reachable(&mut random, &points, &chain, 0.999);
            let mut before = f64::INFINITY;
            for cycles in 1..20 {
                let solution = solve(&points, target, Options { cycles, ..options(5) });
                assert!(solution.cycles <= cycles && solution.distance <= before + 1e-12, "{segments} {cycles}");
                before = solution.distance;
            }
        }
    }
}

/// The algorithm box of the paper, step by step.
fn published(points: &mut [Vector3<f64>], lengths: &[f64], target: Vector3<f64>, tolerance: f64) -> usize {
    let (n, root, mut cycles) = (lengths.len(), points[0], 0);
    while (points[n] - target).norm() > tolerance {
        points[n] = target;
        for i in (0..n).rev() {
            let lambda = lengths[i] / (points[i + 1] - points[i]).norm();
            points[i] = (1.0 - lambda) * points[i + 1] + lambda * points[i];
        }
        points[0] = root;
        for i in 0..n {
            let lambda = lengths[i] / (points[i + 1] - points[i]).norm();
            points[i + 1] = (1.0 - lambda) * points[i] + lambda * points[i + 1];
        }
        cycles += 1;
    }
    cycles
}

#[test]
fn without_acceleration_it_is_the_published_algorithm() {
    let mut random = Random::new(4);
    for segments in [2, 5, 10, 100] {
        for _ in 0..20 {
            let points = posture::<3>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let target = reachable(&mut random, &points, &chain, 0.95);
            let solution = solve(&points, target, options(0));
            let mut expected = points.clone();
            assert_eq!(solution.cycles, published(&mut expected, chain.lengths(), target, 1e-6));
            assert_eq!(solution.mixed, 0);
            for (found, expected) in solution.points.iter().zip(&expected) {
                assert!((found - expected).norm() < 1e-9, "{segments}: {found} {expected}");
            }
        }
    }
}

fn every_way_solves_what_is_in_reach<const D: usize>() {
    let mut random = Random::new(5);
    for segments in SEGMENTS {
        for _ in 0..20 {
            let points = posture::<D>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let target = match segments {
                1 => points[0] + direction::<D>(&mut random) * chain.reach().outer,
                _ => reachable(&mut random, &points, &chain, 0.9),
            };
            let mut before = usize::MAX;
            for options in [options(0), options(1), options(5), Options { circles: true, ..options(5) }] {
                let solution = solve(&points, target, options);
                assert_eq!(solution.outcome, Outcome::Solved, "{segments} {options:?} {}", solution.cycles);
                assert_eq!(solution.points[0], points[0]);
                before = before.min(solution.cycles);
            }
            assert!(segments > 1 || before == 0);
        }
    }
}

#[test]
fn plain_and_accelerated_agree_on_what_can_be_solved() {
    every_way_solves_what_is_in_reach::<2>();
    every_way_solves_what_is_in_reach::<3>();
}

#[test]
fn acceleration_takes_at_most_a_fifth_of_the_cycles_of_a_nearly_stretched_chain() {
    let mut random = Random::new(6);
    for (segments, ratios) in [(10, &[0.95, 0.99, 0.999][..]), (100, &[0.95, 0.99]), (1000, &[0.9])] {
        for ratio in ratios {
            let points = arc::<3>(segments, 1.0);
            let target = direction(&mut random) * *ratio;
            let plain = solve(&points, target, options(0));
            let accelerated = solve(&points, target, options(5));
            assert_eq!((plain.outcome, accelerated.outcome), (Outcome::Solved, Outcome::Solved));
            let cycles = (plain.cycles, accelerated.cycles);
            assert!(5 * cycles.1 <= cycles.0, "{segments} {ratio}: {cycles:?}");
        }
    }
}

#[test]
fn a_solved_chain_is_a_fixed_point() {
    let mut random = Random::new(7);
    for segments in SEGMENTS {
        for options in [options(0), options(5), Options { circles: true, ..options(0) }] {
            let points = posture::<3>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let target = match segments {
                1 => points[0] + direction(&mut random) * chain.reach().outer,
                _ => reachable(&mut random, &points, &chain, 0.9),
            };
            let solved = solve(&points, target, options);
            let again = run(&chain, &Problem { target, root: Root::Fixed, points: &solved.points, options });
            assert_eq!((again.points, again.cycles), (solved.points.clone(), 0));
            // Nor does a cycle move a tip that is exactly there, or any other point.
            let mut moved = solved.points.clone();
            chain.reach_forward(&solved.points[segments], &mut moved).unwrap();
            chain.reach_backward(&solved.points[0], &mut moved).unwrap();
            for (moved, point) in moved.iter().zip(&solved.points) {
                assert!((moved - point).norm() < 1e-12, "{segments}: {moved} {point}");
            }
        }
    }
}
