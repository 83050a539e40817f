//! FABRIK on trees of points: solve rates, targets that cannot be met, the root.

use allocation_counter::measure;
use nalgebra::{Point3, Vector3};
use urdf_ik::skeleton::tree::{Options, Outcome, Problem, Reason, Root, Solution, Target, Tree};

use crate::common::Random;

/// Appends `segments` points in a row to the point `from`. Returns the last one.
fn grow(parents: &mut Vec<Option<usize>>, mut from: usize, segments: usize) -> usize {
    for _ in 0..segments {
        parents.push(Some(from));
        from = parents.len() - 1;
    }
    from
}

/// A random tree with one level of sub-bases, or two, and its ends.
fn tree(random: &mut Random, levels: usize, ends: usize) -> (Tree, Vec<usize>) {
    let mut parents = vec![None];
    let trunk = grow(&mut parents, 0, 1 + random.below(3));
    let second = if levels == 2 { trunk } else { grow(&mut parents, trunk, 1 + random.below(3)) };
    let mut tips = Vec::new();
    for end in 0..ends {
        let from = if end < ends.div_ceil(2).max(2) { second } else { trunk };
        tips.push(grow(&mut parents, from, 2 + random.below(3)));
    }
    let lengths = parents.iter().map(|parent| if parent.is_some() { random.between(0.1, 0.5) } else { 0.0 });
    let lengths = lengths.collect();
    (Tree::new(parents, lengths).unwrap(), tips)
}

/// A random configuration whose branches bend by an amount that grows with `bend`.
fn sample(random: &mut Random, tree: &Tree, bend: f64) -> Vec<Point3<f64>> {
    let mut points = vec![Point3::origin(); tree.parents().len()];
    let mut directions = vec![Vector3::z(); points.len()];
    for (point, parent) in tree.parents().iter().enumerate() {
        if let Some(parent) = *parent {
            directions[point] = (directions[parent] + random.direction() * bend).normalize();
            points[point] = points[parent] + directions[point] * tree.lengths()[point];
        }
    }
    points
}

fn solve(tree: &Tree, targets: &[Target], seed: &[Point3<f64>], root: Root<Point3<f64>>) -> Solution {
    let mut solution = tree.solution();
    let options = Options::default();
    tree.solve(&Problem { targets, seed, root, options }, &mut tree.scratch(), &mut solution).unwrap();
    for (point, parent) in tree.parents().iter().enumerate() {
        let Some(parent) = *parent else { continue };
        let length = (solution.points[point] - solution.points[parent]).norm();
        assert!((length - tree.lengths()[point]).abs() < 1e-13, "{length}");
    }
    for (target, residual) in targets.iter().zip(&solution.residuals) {
        assert_eq!((solution.points[target.point] - target.position).norm(), residual.distance);
        assert_eq!(residual.outcome == Outcome::Solved, residual.distance <= options.tolerance);
    }
    assert_eq!(solution.residuals.len(), targets.len());
    assert!(solution.iterations <= options.iterations && solution.restarts <= options.restarts);
    solution
}

#[test]
fn targets_of_random_configurations_are_met() {
    for root in [Root::Fixed, Root::Free] {
        for bend in [0.7, 3.0] {
            for (levels, ends) in (2..=3).flat_map(|levels| (2..=5).map(move |ends| (levels, ends))) {
                let mut random = Random::new(1);
                let (mut solved, mut cycles) = (0, 0);
                for _ in 0..100 {
                    let (tree, tips) = tree(&mut random, levels, ends);
                    let goal = sample(&mut random, &tree, bend);
                    let targets: Vec<_> = tips.iter().map(|&tip| Target::new(tip, goal[tip])).collect();
                    let solution = solve(&tree, &targets, &sample(&mut random, &tree, bend), root);
                    solved += usize::from(solution.solved());
                    cycles += solution.iterations;
                }
                println!("{root:?} bend {bend} levels {levels} ends {ends}: {solved} of 100, {cycles} cycles");
                assert!(solved >= 98, "{root:?} bend {bend} levels {levels} ends {ends}: {solved} of 100");
            }
        }
    }
}

/// A tree that forks `levels` times, and its ends.
fn forks(random: &mut Random, levels: usize) -> (Tree, Vec<usize>) {
    let (mut parents, mut tips) = (vec![None], vec![0]);
    for _ in 0..levels {
        tips = tips.iter().flat_map(|&tip| [grow(&mut parents, tip, 2), grow(&mut parents, tip, 2)]).collect();
    }
    let lengths = parents.iter().map(|parent| if parent.is_some() { random.between(0.1, 0.5) } else { 0.0 });
    let lengths = lengths.collect();
    (Tree::new(parents, lengths).unwrap(), tips)
}

#[test]
fn sub_bases_of_many_levels_and_some_ends_out_of_reach() {
    let mut random = Random::new(7);
    for levels in [4, 6] {
        let (tree, tips) = forks(&mut random, levels);
        let goal = sample(&mut random, &tree, 1.0);
        let near: Vec<_> = tips.iter().map(|&tip| Target::new(tip, goal[tip])).collect();
        // From a configuration nearby: few random configurations lead to a solution for that many targets.
        let noise = sample(&mut random, &tree, 1.0);
        let seed: Vec<_> = goal.iter().zip(&noise).map(|(goal, noise)| goal + 0.1 * noise.coords).collect();
        let solution = solve(&tree, &near, &seed, Root::Fixed);
        assert!(solution.solved(), "{levels} levels: {:?}", solution.residuals);
        // The targets of one of the last forks are too far away; all others are still met.
        let mut targets = near.clone();
        for target in &mut targets[..2] {
            target.position *= 100.0;
        }
        let solution = solve(&tree, &targets, &seed, Root::Fixed);
        for (index, residual) in solution.residuals.iter().enumerate() {
            let out_of_reach = matches!(residual.outcome, Outcome::Closest(Reason::OutOfReach { .. }));
            assert_eq!((out_of_reach, residual.outcome == Outcome::Solved), (index < 2, index >= 2), "{residual:?}");
        }
    }
}

#[test]
fn a_solved_tree_is_a_fixed_point_bit_for_bit() {
    let mut random = Random::new(8);
    for _ in 0..50 {
        let (tree, tips) = tree(&mut random, 3, 4);
        let goal = sample(&mut random, &tree, 1.0);
        let targets: Vec<_> = tips.iter().map(|&tip| Target::new(tip, goal[tip])).collect();
        for root in [Root::Fixed, Root::Free] {
            let solved = solve(&tree, &targets, &sample(&mut random, &tree, 1.0), root);
            if solved.solved() {
                let again = solve(&tree, &targets, &solved.points, root);
                assert_eq!((again.iterations, &again.points), (0, &solved.points));
            }
        }
    }
}

#[test]
fn the_closest_configuration_of_all_attempts_is_returned() {
    let mut random = Random::new(9);
    for _ in 0..20 {
        let (tree, tips) = tree(&mut random, 3, 4);
        let (goal, seed) = (sample(&mut random, &tree, 3.0), sample(&mut random, &tree, 3.0));
        // Far enough apart that not all can be met.
        let targets: Vec<_> = tips.iter().map(|&tip| Target::new(tip, goal[tip] * 2.0)).collect();
        let mut before = f64::INFINITY;
        for restarts in 0..8 {
            let options = Options { restarts, ..Options::default() };
            let mut solution = tree.solution();
            let problem = Problem { targets: &targets, seed: &seed, root: Root::Free, options };
            tree.solve(&problem, &mut tree.scratch(), &mut solution).unwrap();
            let error = solution.residuals.iter().map(|residual| residual.distance.powi(2)).sum::<f64>().sqrt();
            assert!(error <= before + 1e-12, "{restarts}: {error} after {before}");
            before = error;
        }
    }
}

#[test]
fn attempts_end_where_cycles_are_not_limited() {
    let (tree, seed) = two_arms();
    let targets = [Target::new(4, Point3::new(0.0, 0.8, 0.2)), Target::new(7, Point3::new(0.0, -0.8, 0.2))];
    let options = Options { iterations: usize::MAX, restarts: 3, ..Options::default() };
    let problem = Problem { targets: &targets, seed: &seed, root: Root::Free, options };
    let mut solution = tree.solution();
    tree.solve(&problem, &mut tree.scratch(), &mut solution).unwrap();
    assert!(!solution.solved() && solution.restarts == 3 && solution.iterations < 100_000, "{solution:?}");
}

#[test]
fn inner_points_and_ends_meet_their_targets_together() {
    let mut random = Random::new(2);
    let mut solved = 0;
    for _ in 0..200 {
        let (tree, tips) = tree(&mut random, 3, 3);
        let goal = sample(&mut random, &tree, 3.0);
        let inner = tree.parents()[tips[0]].unwrap();
        let targets: Vec<_> = tips.iter().chain([&inner]).map(|&point| Target::new(point, goal[point])).collect();
        solved += usize::from(solve(&tree, &targets, &sample(&mut random, &tree, 3.0), Root::Fixed).solved());
    }
    println!("{solved} of 200");
    assert!(solved >= 190, "{solved} of 200");
}

/// A trunk of 0.5 m and two arms of 3 segments of 0.2 m each.
fn two_arms() -> (Tree, Vec<Point3<f64>>) {
    let mut parents = vec![None, Some(0)];
    for _ in 0..2 {
        grow(&mut parents, 1, 3);
    }
    let tree = Tree::new(parents, vec![0.0, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]).unwrap();
    let seed = sample(&mut Random::new(3), &tree, 1.0);
    (tree, seed)
}

#[test]
fn an_end_out_of_reach_stretches_and_the_other_is_still_met() {
    let (tree, seed) = two_arms();
    let mut random = Random::new(4);
    for _ in 0..50 {
        let far = Point3::from(random.direction() * random.between(1.3, 5.0));
        // Anywhere that the second arm reaches when the trunk points towards the first target, or slightly beyond.
        let near = Point3::from(random.direction() * random.between(0.3, 0.8));
        let targets = [Target::new(4, far), Target::new(7, near)];
        let solution = solve(&tree, &targets, &seed, Root::Fixed);
        let Outcome::Closest(Reason::OutOfReach { distance, inner, outer }) = solution.residuals[0].outcome else {
            panic!("{solution:?}");
        };
        assert!((distance - far.coords.norm()).abs() < 1e-15 && inner == 0.0 && (outer - 1.1).abs() < 1e-12);
        assert_eq!(solution.residuals[1].outcome, Outcome::Solved, "{solution:?}");
        let arm = solution.points[4] - solution.points[1];
        assert!(arm.norm() > 0.599, "{arm}");
        assert!(arm.angle(&(far - solution.points[1])) < 0.05, "{arm} {solution:?}");
    }
}

#[test]
fn two_ends_out_of_reach_stretch_and_the_tree_settles() {
    let (tree, seed) = two_arms();
    let targets = [Target::new(4, Point3::new(0.0, 0.3, 4.0)), Target::new(7, Point3::new(0.0, -0.3, 4.0))];
    let solution = solve(&tree, &targets, &seed, Root::Fixed);
    for residual in &solution.residuals {
        assert!(matches!(residual.outcome, Outcome::Closest(Reason::OutOfReach { .. })));
        assert!(residual.distance < 2.93, "{solution:?}");
    }
    let text = solution.residuals[0].outcome.to_string();
    let expected = "out of reach: 4.011234 m from the root, where 0.000000 to 1.100000 m are possible";
    assert_eq!(text, expected);
}

#[test]
fn targets_too_far_apart_contradict_each_other_and_weights_settle_it() {
    let (tree, seed) = two_arms();
    let mut targets = [Target::new(4, Point3::new(0.0, 0.8, 0.2)), Target::new(7, Point3::new(0.0, -0.8, 0.2))];
    let residuals = |targets: &[Target]| {
        let solution = solve(&tree, targets, &seed, Root::Free);
        let Outcome::Closest(Reason::Apart { other: 1, distance, outer, .. }) = solution.residuals[0].outcome else {
            panic!("{solution:?}");
        };
        assert!((distance - 1.6).abs() < 1e-12 && (outer - 1.2).abs() < 1e-12);
        [solution.residuals[0].distance, solution.residuals[1].distance]
    };
    let even = residuals(&targets);
    assert!((even[0] - 0.2).abs() < 0.01 && (even[1] - 0.2).abs() < 0.01, "{even:?}");
    targets[0].weight = 9.0;
    let uneven = residuals(&targets);
    assert!(uneven[0] < 0.1 * uneven[1] + 0.05, "{uneven:?}");
}

#[test]
fn the_root_stays_or_moves_or_follows() {
    let (tree, seed) = two_arms();
    let there = Point3::new(3.0, 2.0, 1.0);
    let goal =
        [Target::new(4, there + Vector3::new(0.3, 0.0, 0.6)), Target::new(7, there + Vector3::new(-0.3, 0.1, 0.6))];
    let fixed = solve(&tree, &goal, &seed, Root::Fixed);
    assert!(!fixed.solved() && fixed.points[0] == seed[0]);
    let moved = solve(&tree, &goal, &seed, Root::At(there));
    assert!(moved.solved() && moved.points[0] == there);
    let free = solve(&tree, &goal, &seed, Root::Free);
    assert!(free.solved() && (free.points[0] - there).norm() < 2.0);
    let with_root = [goal[0], goal[1], Target::new(0, there)];
    let placed = solve(&tree, &with_root, &seed, Root::Free);
    assert!(placed.solved() && (placed.points[0] - there).norm() <= 1e-6);
}

#[test]
fn a_straight_tree_bends_towards_its_own_root() {
    let tree = Tree::new(vec![None, Some(0), Some(1), Some(2)], vec![0.0, 1.0, 1.0, 1.0]).unwrap();
    let seed = [0.0, 1.0, 2.0, 3.0].map(|x| Point3::new(x, 0.0, 0.0));
    let solution = solve(&tree, &[Target::new(3, Point3::new(1.2, 0.0, 0.0))], &seed, Root::Fixed);
    assert!(solution.solved() && solution.restarts > 0, "{solution:?}");
}

#[test]
fn branches_without_a_target_are_dragged_along() {
    let (tree, seed) = two_arms();
    // So far away that the trunk has to move.
    let solution = solve(&tree, &[Target::new(4, Point3::new(1.0, 0.2, -0.2))], &seed, Root::Fixed);
    assert!(solution.solved());
    assert!((solution.points[7] - seed[7]).norm() > 1e-3);
}

#[test]
fn the_same_problem_gives_the_same_bits_and_allocates_nothing() {
    let mut random = Random::new(6);
    let (tree, tips) = tree(&mut random, 3, 5);
    let (mut scratch, mut solution) = (tree.scratch(), tree.solution());
    for run in 0..30 {
        let (goal, seed) = (sample(&mut random, &tree, 2.0), sample(&mut random, &tree, 2.0));
        let stretch = if run % 3 == 0 { 3.0 } else { 1.0 };
        let targets: Vec<_> = tips.iter().map(|&tip| Target::new(tip, goal[tip] * stretch)).collect();
        for root in [Root::Fixed, Root::Free, Root::At(Point3::new(0.1, 0.2, 0.3))] {
            let problem = Problem { targets: &targets, seed: &seed, root, options: Options::default() };
            let allocations = measure(|| tree.solve(&problem, &mut scratch, &mut solution).unwrap());
            assert_eq!(allocations.count_total, 0);
            let fresh = solve(&tree, &targets, &seed, root);
            let bits = |solution: &Solution| -> Vec<u64> {
                solution.points.iter().flat_map(|point| [point.x, point.y, point.z].map(f64::to_bits)).collect()
            };
            assert_eq!((&fresh, bits(&fresh)), (&solution, bits(&solution)));
        }
    }
}
