//! FABRIK on chains of points: limits of the reach, straight lines, points in one place, extreme numbers.

use nalgebra::{Vector2, Vector3};
use urdf_ik::skeleton::points::{Options, Outcome, PointChain, Problem, Reason, Root};

use crate::common::Random;
use crate::random_chains::{arc, direction, options, reachable, run, solve, walk};

const SEGMENTS: [usize; 5] = [1, 2, 10, 100, 1000];

fn check_out_of_reach(random: &mut Random, points: &[Vector3<f64>], distance: f64) {
    let chain = PointChain::from_points(points).unwrap();
    let (inner, outer, towards) = (chain.reach().inner, chain.reach().outer, direction::<3>(random));
    let solution = solve(points, points[0] + towards * distance, options(5));
    let Outcome::Closest(Reason::OutOfReach { distance: found, inner: i, outer: o }) = solution.outcome else {
        panic!("{distance}: {:?}", solution.outcome);
    };
    assert!((found - distance).abs() < 1e-9 && (i, o) == (inner, outer));
    assert!((solution.distance - (distance - outer).max(inner - distance)).abs() < 1e-9);
    assert_eq!((solution.cycles, solution.points[0]), (0, points[0]));
    if distance > outer {
        let mut along = 0.0;
        for (point, length) in solution.points[1..].iter().zip(chain.lengths()) {
            along += length;
            assert!((point - points[0] - towards * along).norm() < 1e-9);
        }
    }
    let sentence = solution.outcome.to_string();
    assert!(sentence.contains("out of reach") && sentence.contains(&format!("{outer:.6} m")), "{sentence}");
}

#[test]
fn targets_out_of_reach_get_the_straight_or_the_folded_chain() {
    let mut random = Random::new(8);
    for segments in SEGMENTS {
        let points = walk::<3>(&mut random, segments);
        let outer = PointChain::from_points(&points).unwrap().reach().outer;
        for factor in [1.001, 3.0] {
            check_out_of_reach(&mut random, &points, factor * outer);
        }
        for long in [0, segments / 2, segments - 1] {
            let mut points = points.clone();
            let longer = direction::<3>(&mut random) * (1.1 * outer);
            points[long + 1..].iter_mut().for_each(|point| *point += longer);
            let inner = PointChain::from_points(&points).unwrap().reach().inner;
            for factor in [0.0, 1e-3, 0.9] {
                check_out_of_reach(&mut random, &points, factor * inner);
            }
        }
    }
}

#[test]
fn targets_at_the_limits_of_the_reach_need_no_cycle() {
    let mut random = Random::new(9);
    for lengths in [vec![0.3], vec![0.1, 0.7, 0.2, 0.1], vec![0.5; 40]] {
        let chain = PointChain::<3>::new(lengths).unwrap();
        let points = walk::<3>(&mut random, chain.segments());
        for (limit, inwards) in [(chain.reach().outer, 1.0), (chain.reach().inner, -1.0)] {
            for depth in [1.0, 1e-3, 0.0, -1e-3, -1.0] {
                let distance = limit - inwards * depth * 0.99e-6;
                let target = points[0] + direction::<3>(&mut random) * distance;
                if limit > 0.0 {
                    let solution =
                        run(&chain, &Problem { target, root: Root::Fixed, points: &points, options: options(0) });
                    assert_eq!((solution.outcome, solution.cycles), (Outcome::Solved, 0), "{limit} {depth}");
                }
            }
        }
    }
}

#[test]
fn a_chain_in_line_with_its_target_is_bent_always_the_same_way() {
    for segments in [2, 3, 4, 10, 100] {
        for along in [0.9999, 0.9, 0.5, 0.25, 0.0, -0.5, -0.9] {
            for options in [options(0), options(5), Options { circles: true, ..options(0) }] {
                if segments == 100 && along > 0.999 && options.acceleration == 0 {
                    continue;
                }
                let points = arc::<3>(segments, 0.0);
                let target = Vector3::new(along, 0.0, 0.0);
                let solution = solve(&points, target, options);
                assert_eq!(solution.outcome, Outcome::Solved, "{segments} {along} {options:?}");
                assert_eq!(solution, solve(&points, target, options));
            }
        }
    }
    // Along the third axis, where the first two coordinates have no direction.
    let points: Vec<Vector3<f64>> = (0..5).map(|i| Vector3::new(0.1, 0.2, f64::from(i))).collect();
    assert_eq!(solve(&points, Vector3::new(0.1, 0.2, 3.7), options(5)).outcome, Outcome::Solved);
    let nearly: Vec<Vector3<f64>> = (0..5).map(|i| Vector3::new(1e-14 * f64::from(i % 2), 0.0, f64::from(i))).collect();
    assert_eq!(solve(&nearly, Vector3::new(0.0, 0.0, 3.7), options(0)).outcome, Outcome::Solved);
}

#[test]
fn a_plane_in_space_is_the_plane() {
    let mut random = Random::new(10);
    let lift = |point: &Vector2<f64>| Vector3::new(point.x, point.y, 0.0);
    for segments in [1, 2, 3, 10, 100] {
        for case in 0..10 {
            let points = if case == 0 { arc::<2>(segments, 0.0) } else { walk::<2>(&mut random, segments) };
            let chain = PointChain::from_points(&points).unwrap();
            let mut target = reachable(&mut random, &points, &chain, 1.2);
            if case == 0 {
                target = Vector2::new(0.83, 0.0);
            }
            let lifted: Vec<_> = points.iter().map(lift).collect();
            for options in [options(0), options(5), Options { circles: true, ..options(5) }] {
                let (plane, space) = (solve(&points, target, options), solve(&lifted, lift(&target), options));
                assert_eq!(plane.cycles, space.cycles, "{segments} {case}");
                for (plane, space) in plane.points.iter().zip(&space.points) {
                    assert!((lift(plane) - space).norm() < 1e-6 && space.z == 0.0, "{segments} {case} {options:?}");
                }
            }
        }
    }
}

#[test]
fn the_same_problem_gives_the_same_bits_in_any_scratch() {
    let mut random = Random::new(11);
    let points = walk::<3>(&mut random, 30);
    let chain = PointChain::from_points(&points).unwrap();
    let options = options(5);
    let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
    for _ in 0..20 {
        let target = reachable(&mut random, &points, &chain, 1.1);
        let problem = Problem { target, root: Root::Fixed, points: &points, options };
        chain.solve(&problem, &mut scratch, &mut solution).unwrap();
        assert_eq!(solution, run(&chain, &problem));
    }
}

#[test]
fn a_moved_root_arrives_and_a_free_one_is_dragged() {
    let mut random = Random::new(12);
    for segments in SEGMENTS {
        let points = walk::<3>(&mut random, segments);
        let chain = PointChain::from_points(&points).unwrap();
        let moved = points[0] + direction::<3>(&mut random) * 0.4;
        let distance = if segments == 1 { chain.reach().outer } else { 0.6 * chain.reach().outer };
        let target = moved + direction::<3>(&mut random) * distance;
        for acceleration in [0, 5] {
            let problem = Problem { target, root: Root::At(moved), points: &points, options: options(acceleration) };
            let solution = run(&chain, &problem);
            assert_eq!((solution.outcome, solution.points[0]), (Outcome::Solved, moved));
        }
        // The tip alone is right: the root is not.
        let target = points[segments];
        let problem = Problem { target, root: Root::At(moved), points: &points, options: options(5) };
        assert_eq!(run(&chain, &problem).points[0], moved);

        let target = points[0] + direction::<3>(&mut random) * (5.0 * chain.reach().outer);
        let dragged = run(&chain, &Problem { target, root: Root::Free, points: &points, options: options(5) });
        let mut expected = points.clone();
        chain.reach_forward(&target, &mut expected).unwrap();
        assert_eq!((dragged.outcome, dragged.cycles, dragged.points), (Outcome::Solved, 0, expected));
    }
}

#[test]
fn a_joint_that_meets_its_neighbour_keeps_the_direction_of_the_segment() {
    let chain = PointChain::<2>::new(vec![1.0, 2.0]).unwrap();
    let start = [Vector2::new(0.0, 0.0), Vector2::new(0.0, 1.0), Vector2::new(0.0, 3.0)];
    // The target is at the joint before the tip, and the tip is above that joint.
    let mut points = start;
    chain.reach_forward(&start[1], &mut points).unwrap();
    assert_eq!(points, [Vector2::new(0.0, 0.0), Vector2::new(0.0, -1.0), Vector2::new(0.0, 1.0)]);
    let mut points = start;
    chain.reach_backward(&start[1], &mut points).unwrap();
    assert_eq!(points, [Vector2::new(0.0, 1.0), Vector2::new(0.0, 2.0), Vector2::new(0.0, 4.0)]);
}

#[test]
fn segments_without_length_and_points_in_one_place() {
    let mut random = Random::new(13);
    for options in [options(0), options(5), Options { circles: true, ..options(5) }] {
        for lengths in [vec![0.2, 0.0, 0.3, 0.0, 0.0, 0.25], vec![0.0, 0.3, 0.3], vec![0.3, 0.25, 0.0]] {
            let chain = PointChain::<3>::new(lengths).unwrap();
            let here = vec![Vector3::new(0.1, 0.2, 0.3); chain.segments() + 1];
            for points in [here, walk::<3>(&mut random, chain.segments())] {
                for fraction in [0.0, 0.2, 0.6, 0.9] {
                    let reach = fraction * (chain.reach().outer - chain.reach().inner) + chain.reach().inner;
                    let target = points[0] + direction::<3>(&mut random) * reach;
                    let solution = run(&chain, &Problem { target, root: Root::Fixed, points: &points, options });
                    assert_eq!(solution.outcome, Outcome::Solved, "{fraction} {:?} {options:?}", chain.lengths());
                }
            }
        }
        let nothing = PointChain::<2>::new(vec![0.0; 3]).unwrap();
        let points = [Vector2::new(1.0, 2.0); 4];
        let problem = Problem { target: Vector2::new(1.0, 3.0), root: Root::Fixed, points: &points, options };
        let solution = run(&nothing, &problem);
        assert_eq!((&solution.points[..], solution.distance), (&points[..], 1.0));
    }
}

#[test]
fn circles_close_bent_chains_in_fewer_cycles_and_exactly() {
    let mut random = Random::new(14);
    for segments in [2, 3, 10, 30] {
        let (mut plain, mut closed) = (0, 0);
        for _ in 0..50 {
            let points = walk::<3>(&mut random, segments);
            let chain = PointChain::from_points(&points).unwrap();
            let target = reachable(&mut random, &points, &chain, 0.8);
            plain += solve(&points, target, options(0)).cycles;
            let solution = solve(&points, target, Options { circles: true, ..options(0) });
            assert!(solution.distance == 0.0 || solution.cycles == 0);
            closed += solution.cycles;
        }
        assert!(closed < plain, "{segments}: {closed} {plain}");
        assert!(segments > 2 || closed == 50, "two segments take one cycle");
    }
}

#[test]
fn a_limit_of_cycles_and_a_stall_are_reported() {
    let points = arc::<3>(100, 1.0);
    let target = Vector3::new(0.0, 0.999, 0.0);
    let few = solve(&points, target, Options { cycles: 3, ..options(0) });
    assert_eq!((few.outcome, few.cycles), (Outcome::Closest(Reason::NotConverged), 3));
    let impatient = solve(&points, target, Options { stall: 1e-3, ..options(0) });
    assert_eq!(impatient.outcome, Outcome::Closest(Reason::Stalled));
    assert!(impatient.cycles < 1000 && impatient.distance > 1e-6);
    let none = solve(&points, target, Options { cycles: 0, ..options(0) });
    assert_eq!(none.points, points);
}

#[test]
fn extreme_scales_neither_panic_nor_give_nan() {
    let mut random = Random::new(15);
    for scale in [1e-300, 1e-160, 1e-150, 1e-9, 1e-3, 1e3, 1e8] {
        let lengths: Vec<f64> = (0..6).map(|_| scale * random.between(0.5, 1.5)).collect();
        let chain = PointChain::<3>::new(lengths).unwrap();
        let points: Vec<_> = walk::<3>(&mut random, 6).iter().map(|point| point * scale).collect();
        for options in [options(0), options(5), Options { circles: true, ..options(5) }] {
            let options = Options { tolerance: 1e-6 * scale, stall: 1e-12 * scale, cycles: 3000, ..options };
            for size in [0.0, 1.0, 3.0, 100.0] {
                let target = (points[0] + direction::<3>(&mut random) * (size * scale)).map(|x| x.clamp(-1e9, 1e9));
                let mut solution = chain.solution();
                let problem = Problem { target, root: Root::Fixed, points: &points, options };
                chain.solve(&problem, &mut chain.scratch(&options), &mut solution).unwrap();
                assert!(solution.points.iter().all(|point| point.iter().all(|x| x.is_finite())), "{scale}");
                assert!(scale < 1e-100 || size > 3.0 || solution.outcome == Outcome::Solved, "{scale} {size}");
            }
        }
    }
}
