//! FABRIK on chains of points: what a pass, a cycle and a solve promise, from one segment to a thousand.

use nalgebra::SVector;
use urdf_ik::skeleton::points::{Options, Outcome, PointChain, Problem, Reason, Root};

use crate::common::Random;
use crate::random_chains::{arc, check_lengths, direction, options, reachable, run as run_problem, solve, walk};

const SEGMENTS: [usize; 5] = [1, 2, 10, 100, 1000];

fn lengths_hold_after_every_pass<const D: usize>() {
    let mut random = Random::new(1);
    for segments in SEGMENTS {
        for _ in 0..5 {
            let chain = PointChain::from_points(&walk::<D>(&mut random, segments)).unwrap();
            // The points to start from need not have the lengths.
            let mut points = walk::<D>(&mut random, segments);
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
            let mut points = walk::<3>(&mut random, segments);
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
            let points = walk::<3>(&mut random, segments);
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

/// Algorithm 1 of the paper, line by line, with the root put to `root` (the paper's b) and a limit of cycles.
fn published<const D: usize>(
    points: &mut [SVector<f64, D>],
    lengths: &[f64],
    (root, target): (SVector<f64, D>, SVector<f64, D>),
    (tolerance, most): (f64, usize),
) -> usize {
    let (n, mut cycles) = (lengths.len(), 0);
    if (root - target).norm() > lengths.iter().sum() {
        points[0] = root;
        for i in 0..n {
            let lambda = lengths[i] / (target - points[i]).norm();
            points[i + 1] = (1.0 - lambda) * points[i] + lambda * target;
        }
        return 0;
    }
    // The paper's root is in its place from the start.
    while (points[n] - target).norm().max((points[0] - root).norm()) > tolerance && cycles < most {
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

fn is_the_published_algorithm<const D: usize>() {
    let mut random = Random::new(4);
    for segments in [2, 5, 10, 100] {
        for run in 0..20 {
            let points = walk::<D>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let moved = points[0] + direction::<D>(&mut random) * 0.1;
            let (root, place) = if run % 2 == 0 { (Root::Fixed, points[0]) } else { (Root::At(moved), moved) };
            let stretch = if run % 5 == 4 { 2.0 * chain.reach().outer } else { 0.0 };
            let towards = reachable(&mut random, &points, &chain, 0.95) - points[0];
            let target = place + towards + towards.normalize() * stretch;
            // Interrupted as well, so that each cycle is compared and not only the end.
            for cycles in [1, 2, 3, 200_000] {
                let options = Options { cycles, ..options(0) };
                let solution = run_problem(&chain, &Problem { target, root, points: &points, options });
                let mut expected = points.clone();
                let taken = published(&mut expected, chain.lengths(), (place, target), (1e-6, cycles));
                assert_eq!((solution.cycles, solution.mixed), (taken, 0), "{segments} {run}");
                for (found, expected) in solution.points.iter().zip(&expected) {
                    assert!((found - expected).norm() < 1e-9, "{segments} {run}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn without_acceleration_it_is_the_published_algorithm() {
    is_the_published_algorithm::<2>();
    is_the_published_algorithm::<3>();
}

fn every_way_solves_what_is_in_reach<const D: usize>() {
    let mut random = Random::new(5);
    for segments in SEGMENTS {
        for _ in 0..20 {
            let points = walk::<D>(&mut random, segments);
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
    for (segments, turns) in [(10, &[0.5, 1.0, 3.0][..]), (100, &[0.5, 1.0]), (1000, &[1.0])] {
        for ratio in [0.95, 0.99, 0.999] {
            for turn in turns {
                let points = arc::<3>(segments, *turn);
                let target = direction(&mut random) * ratio;
                let accelerated = solve(&points, target, options(5));
                assert_eq!(accelerated.outcome, Outcome::Solved);
                // Plain cycles may take very long: it is enough that five times as many do not reach the target.
                let cycles = 5 * accelerated.cycles - 1;
                let plain = solve(&points, target, Options { cycles, ..options(0) });
                let reason = Outcome::Closest(Reason::NotConverged);
                assert_eq!(plain.outcome, reason, "{segments} {ratio} {turn}: {cycles}, {}", plain.cycles);
            }
        }
    }
}

#[test]
fn a_solved_chain_is_a_fixed_point() {
    let mut random = Random::new(7);
    for segments in SEGMENTS {
        for options in [options(0), options(5), Options { circles: true, ..options(0) }] {
            let points = walk::<3>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let target = match segments {
                1 => points[0] + direction(&mut random) * chain.reach().outer,
                _ => reachable(&mut random, &points, &chain, 0.9),
            };
            let solved = solve(&points, target, options);
            let again = run_problem(&chain, &Problem { target, root: Root::Fixed, points: &solved.points, options });
            assert_eq!((again.points, again.cycles), (solved.points.clone(), 0));
            // Nor does a cycle move a tip that is exactly at the target, or any other point.
            let mut moved = solved.points.clone();
            chain.reach_forward(&solved.points[segments], &mut moved).unwrap();
            chain.reach_backward(&solved.points[0], &mut moved).unwrap();
            for (moved, point) in moved.iter().zip(&solved.points) {
                assert!((moved - point).norm() < 1e-12, "{segments}: {moved} {point}");
            }
        }
    }
}
