//! FABRIK on chains of points: boundaries of the reach, straight lines, coincident points, extreme numbers.

use nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::{Outcome, Reason, Root, Skeleton, SkeletonProblem, SkeletonTarget};

use crate::common::Random;
use crate::figures::{arc, at, direction, options, plane_through, reachable, solve, solve_chain, solve_through};
use crate::figures::{tip_reach, walk};

const SEGMENTS: [usize; 5] = [1, 2, 10, 100, 1000];

fn check_out_of_reach(random: &mut Random, points: &[Point3<f64>], distance: f64) {
    let chain = Skeleton::chain_through(points).unwrap();
    let (reach, towards) = (tip_reach(&chain), direction(random, 3));
    let solution = solve_through(points, points[0] + towards * distance, options(5));
    let residual = solution.residuals[0];
    let Outcome::Closest(Reason::OutOfReach { distance: found, inner, outer }) = residual.outcome else {
        panic!("{distance}: {residual:?}");
    };
    assert!((found - distance).abs() < 1e-9 && (inner, outer) == (reach.inner, reach.outer));
    assert!((residual.distance - reach.gap(distance)).abs() < 1e-9);
    assert_eq!(solution.iterations, 0);
    if distance > outer {
        let mut along = 0.0;
        for (segment, point) in solution.configuration.points[1..].iter().enumerate() {
            along += chain.segment(segment).unwrap().length;
            assert!((point - points[0] - towards * along).norm() < 1e-9);
        }
    }
    let sentence = residual.outcome.to_string();
    assert!(sentence.contains("out of reach") && sentence.contains(&format!("{outer:.6} m")), "{sentence}");
}

#[test]
fn targets_out_of_reach_get_the_straight_or_the_folded_chain() {
    let mut random = Random::new(8);
    for segments in SEGMENTS {
        let points = walk(&mut random, 3, segments);
        let outer = tip_reach(&Skeleton::chain_through(&points).unwrap()).outer;
        for factor in [1.001, 3.0] {
            check_out_of_reach(&mut random, &points, factor * outer);
        }
        for long in [0, segments / 2, segments - 1] {
            let mut points = points.clone();
            let longer = direction(&mut random, 3) * (1.1 * outer);
            points[long + 1..].iter_mut().for_each(|point| *point += longer);
            let inner = tip_reach(&Skeleton::chain_through(&points).unwrap()).inner;
            for factor in [0.0, 1e-3, 0.9] {
                check_out_of_reach(&mut random, &points, factor * inner);
            }
        }
    }
}

#[test]
fn targets_at_the_limits_of_the_reach_need_no_cycle() {
    let mut random = Random::new(9);
    for lengths in [&[0.3][..], &[0.1, 0.7, 0.2, 0.1], &[0.5; 40]] {
        let chain = Skeleton::chain(lengths).unwrap();
        let points = walk(&mut random, 3, lengths.len());
        let reach = tip_reach(&chain);
        for (limit, inwards) in [(reach.outer, 1.0), (reach.inner, -1.0)] {
            for depth in [1.0, 1e-3, 0.0, -1e-3, -1.0] {
                let distance = limit - inwards * depth * 0.99e-6;
                let target = points[0] + direction(&mut random, 3) * distance;
                if limit > 0.0 {
                    let solution = solve_chain(&chain, &points, target, Root::Fixed, options(0));
                    assert_eq!((solution.is_solved(), solution.iterations), (true, 0), "{limit} {depth}");
                }
            }
        }
    }
}

#[test]
fn a_chain_in_line_with_its_target_is_bent_always_the_same_way() {
    for segments in [2, 3, 4, 10, 100] {
        for along in [0.9999, 0.9, 0.5, 0.25, 0.0, -0.5, -0.9] {
            for options in [options(0), options(5), options(0).with_circles(true)] {
                if segments == 100 && along > 0.999 && options.acceleration == 0 {
                    continue;
                }
                let points = arc(segments, 0.0);
                let target = Point3::new(along, 0.0, 0.0);
                let solution = solve_through(&points, target, options);
                assert!(solution.is_solved(), "{segments} {along} {options:?}");
                assert_eq!(solution, solve_through(&points, target, options));
            }
        }
    }
    // Along the third axis, where the first two coordinates have no direction.
    let points: Vec<_> = (0..5).map(|i| Point3::new(0.1, 0.2, f64::from(i))).collect();
    assert!(solve_through(&points, Point3::new(0.1, 0.2, 3.7), options(5)).is_solved());
    let nearly: Vec<_> = (0..5).map(|i| Point3::new(1e-14 * f64::from(i % 2), 0.0, f64::from(i))).collect();
    assert!(solve_through(&nearly, Point3::new(0.0, 0.0, 3.7), options(0)).is_solved());
}

#[test]
fn a_plane_in_space_is_the_plane() {
    let mut random = Random::new(10);
    for segments in [1, 2, 3, 10, 100] {
        for case in 0..10 {
            let points = if case == 0 { arc(segments, 0.0) } else { walk(&mut random, 2, segments) };
            let chain = plane_through(&points);
            let mut target = reachable(&mut random, &points[0], &chain, 1.2);
            if case == 0 {
                target = Point3::new(0.83, 0.0, 0.0);
            }
            for options in [options(0), options(5), options(5).with_circles(true)] {
                let plane = solve_chain(&chain, &points, target, Root::Fixed, options);
                let space = solve_through(&points, target, options);
                assert_eq!(plane.iterations, space.iterations, "{segments} {case}");
                for (plane, space) in plane.configuration.points.iter().zip(&space.configuration.points) {
                    assert!((plane - space).norm() < 1e-6 && space.z == 0.0, "{segments} {case} {options:?}");
                }
            }
        }
    }
}

#[test]
fn the_same_problem_gives_the_same_bits_in_any_scratch() {
    let mut random = Random::new(11);
    let seed = at(&walk(&mut random, 3, 30));
    let chain = Skeleton::chain_through(&seed.points).unwrap();
    let options = options(5);
    let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
    for _ in 0..20 {
        let targets = [SkeletonTarget::new(30, reachable(&mut random, &seed.points[0], &chain, 1.1))];
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options };
        chain.solve(&problem, &mut scratch, &mut solution).unwrap();
        assert_eq!(solution, solve(&chain, &problem));
    }
}

#[test]
fn a_moved_root_arrives_and_a_free_one_is_dragged() {
    let mut random = Random::new(12);
    for segments in SEGMENTS {
        let points = walk(&mut random, 3, segments);
        let chain = Skeleton::chain_through(&points).unwrap();
        let outer = tip_reach(&chain).outer;
        let moved = points[0] + direction(&mut random, 3) * 0.4;
        let distance = if segments == 1 { outer } else { 0.6 * outer };
        let target = moved + direction(&mut random, 3) * distance;
        let root = Root::At(Isometry3::from(moved.coords));
        for acceleration in [0, 5] {
            assert!(solve_chain(&chain, &points, target, root, options(acceleration)).is_solved());
        }
        // Only the tip is right: the root is not.
        solve_chain(&chain, &points, points[segments], root, options(5));

        let target = points[0] + direction(&mut random, 3) * (5.0 * outer);
        let dragged = solve_chain(&chain, &points, target, Root::Free, options(5));
        let (targets, seed) = ([SkeletonTarget::new(segments, target)], at(&points));
        let problem = SkeletonProblem { targets: &targets, root: Root::Free, seed: &seed, options: options(5) };
        let mut expected = seed.clone();
        chain.reach_forward(&problem, &mut chain.scratch(&options(5)), &mut expected).unwrap();
        assert!(dragged.is_solved() && dragged.iterations <= 1);
        for (found, expected) in dragged.configuration.points.iter().zip(&expected.points) {
            // A chain of 1000 segments is dragged by hundreds of metres.
            assert!((found - expected).norm() < 1e-13 * (1.0 + 5.0 * outer), "{segments}: {found} {expected}");
        }
    }
}

#[test]
fn a_joint_that_meets_its_neighbour_keeps_the_direction_of_the_segment() {
    let chain = Skeleton::chain(&[1.0, 2.0]).unwrap();
    let points = |heights: [f64; 3]| at(&heights.map(|y| Point3::new(0.0, y, 0.0)));
    // The target, and the place of the root, are at the joint before the tip; the tip is above that joint.
    let start = points([0.0, 1.0, 3.0]);
    let targets = [SkeletonTarget::new(2, start.points[1])];
    let root = Root::At(Isometry3::from(start.points[1].coords));
    let problem = SkeletonProblem { targets: &targets, root, seed: &start, options: options(0) };
    let (mut forward, mut backward) = (start.clone(), start.clone());
    chain.reach_forward(&problem, &mut chain.scratch(&options(0)), &mut forward).unwrap();
    assert_eq!(forward.points, points([0.0, -1.0, 1.0]).points);
    chain.reach_backward(&problem, &mut chain.scratch(&options(0)), &mut backward).unwrap();
    assert_eq!(backward.points, points([1.0, 2.0, 4.0]).points);
}

#[test]
fn segments_without_length_and_points_in_one_place() {
    let mut random = Random::new(13);
    for options in [options(0), options(5), options(5).with_circles(true)] {
        for lengths in [&[0.2, 0.0, 0.3, 0.0, 0.0, 0.25][..], &[0.0, 0.3, 0.3], &[0.3, 0.25, 0.0]] {
            let chain = Skeleton::chain(lengths).unwrap();
            let here = vec![Point3::new(0.1, 0.2, 0.3); lengths.len() + 1];
            for points in [here, walk(&mut random, 3, lengths.len())] {
                for fraction in [0.0, 0.2, 0.6, 0.9] {
                    let reach = tip_reach(&chain);
                    let distance = fraction * (reach.outer - reach.inner) + reach.inner;
                    let target = points[0] + direction(&mut random, 3) * distance;
                    let solution = solve_chain(&chain, &points, target, Root::Fixed, options);
                    assert!(solution.is_solved(), "{fraction} {lengths:?} {options:?}");
                }
            }
        }
        let nothing = Skeleton::chain(&[0.0; 3]).unwrap();
        let points = [Point3::new(1.0, 2.0, 0.0); 4];
        let solution = solve_chain(&nothing, &points, Point3::new(1.0, 3.0, 0.0), Root::Fixed, options);
        assert_eq!((&solution.configuration.points[..], solution.residuals[0].distance), (&points[..], 1.0));
    }
}

#[test]
fn circles_close_bent_chains_in_fewer_cycles_and_exactly() {
    let mut random = Random::new(14);
    for segments in [2, 3, 10, 30] {
        let (mut plain, mut closed) = (0, 0);
        for _ in 0..50 {
            let points = walk(&mut random, 3, segments);
            let chain = Skeleton::chain_through(&points).unwrap();
            let target = reachable(&mut random, &points[0], &chain, 0.8);
            plain += solve_through(&points, target, options(0)).iterations;
            let solution = solve_through(&points, target, options(0).with_circles(true));
            assert!(solution.residuals[0].distance == 0.0 || solution.iterations == 0);
            closed += solution.iterations;
        }
        assert!(closed < plain, "{segments}: {closed} {plain}");
        assert!(segments > 2 || closed == 50, "two segments take one cycle");
    }
}

#[test]
fn a_limit_of_cycles_is_kept_and_reported() {
    let points = arc(100, 1.0);
    let target = Point3::new(0.0, 0.999, 0.0);
    let few = solve_through(&points, target, options(0).with_iterations(3));
    assert_eq!((few.residuals[0].outcome, few.iterations), (Outcome::Closest(Reason::NotConverged), 3));
    let none = solve_through(&points, target, options(0).with_iterations(0));
    assert_eq!(none.configuration.points, points);
}

#[test]
fn extreme_scales_neither_panic_nor_give_nan() {
    let mut random = Random::new(15);
    for scale in [1e-300, 1e-160, 1e-150, 1e-9, 1e-3, 1e3, 1e8] {
        let lengths: Vec<f64> = (0..6).map(|_| scale * random.between(0.5, 1.5)).collect();
        let chain = Skeleton::chain(&lengths).unwrap();
        let points: Vec<_> = walk(&mut random, 3, 6).iter().map(|point| point * scale).collect();
        for options in [options(0), options(5), options(5).with_circles(true)] {
            let options = options.with_tolerance(1e-6 * scale).with_iterations(3000);
            for size in [0.0, 1.0, 3.0, 100.0] {
                let target = points[0] + direction(&mut random, 3) * (size * scale);
                let targets = [SkeletonTarget::new(6, target.map(|x: f64| x.clamp(-1e9, 1e9)))];
                let mut solution = chain.solution();
                let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &at(&points), options };
                chain.solve(&problem, &mut chain.scratch(&options), &mut solution).unwrap();
                let mut coordinates = solution.configuration.points.iter().flat_map(|point| point.iter());
                assert!(coordinates.all(|x| x.is_finite()), "{scale}");
                assert!(scale < 1e-100 || size > 3.0 || solution.is_solved(), "{scale} {size}");
            }
        }
    }
}
