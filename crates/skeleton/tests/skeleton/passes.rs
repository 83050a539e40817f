//! Single passes of a cycle: invariants after each, and fixed points of a cycle.

use nalgebra::{Isometry3, Point3, Vector3};
use urdf_ik::skeleton::{
    Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonTarget,
};

use crate::common::Random;
use crate::figures::{
    any_joint, at, check_joint, check_lengths, check_limits, limited_chain, rotation, rotations, solve,
};

/// Forward and backward pass.
fn cycle(skeleton: &Skeleton, problem: &SkeletonProblem, configuration: &mut SkeletonConfiguration) {
    let mut scratch = skeleton.scratch(&problem.options);
    skeleton.reach_forward(problem, &mut scratch, configuration).unwrap();
    skeleton.reach_backward(problem, &mut scratch, configuration).unwrap();
}

/// A random configuration of `skeleton` within its limits, with a target for its last point.
fn within_limits(
    random: &mut Random,
    skeleton: &Skeleton,
    target: Point3<f64>,
) -> (SkeletonConfiguration, [SkeletonTarget; 1]) {
    let root = Isometry3::from_parts(random.direction().into(), rotation(random));
    let seed = skeleton.place(&root, &rotations(random, skeleton.segment_count())).unwrap();
    let targets = [SkeletonTarget::new(skeleton.segment_count(), target)];
    let options = SkeletonOptions::default().with_iterations(0);
    let placed = solve(skeleton, &SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options });
    (placed.configuration, targets)
}

#[test]
fn lengths_of_a_tree_hold_after_every_pass() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        // A trunk, at 1 a sub-base with an arm to 11, and at 6 a second one with two more; 2 and 7 are tails
        // without a target.
        let parents = [0, 1, 1, 1, 3, 4, 4, 5, 6, 6, 8, 9, 10];
        let segments = parents.map(|parent| Segment::new(parent, random.between(0.1, 0.5)));
        let tree = Skeleton::new(&segments).unwrap();
        let seed = at(&[(); 14].map(|()| Point3::from(random.direction() * random.unit())));
        let targets = [11, 12, 13].map(|point| SkeletonTarget::new(point, Point3::from(random.direction())));
        let problem =
            SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options: SkeletonOptions::default() };
        let (mut current, mut scratch) = (seed.clone(), tree.scratch(&problem.options));
        for _ in 0..20 {
            tree.reach_forward(&problem, &mut scratch, &mut current).unwrap();
            for (index, Segment { parent, length, .. }) in segments.iter().enumerate() {
                let found = (current.points[index + 1] - current.points[*parent]).norm();
                // At the sub-bases the branches disagree.
                let is_free = [1, 6].contains(parent) || [2, 7].contains(&(index + 1));
                assert!((found - length).abs() < 1e-14 || is_free, "{index}: {found} {length}");
            }
            tree.reach_backward(&problem, &mut scratch, &mut current).unwrap();
            check_lengths(&tree, &current.points);
        }
    }
}

#[test]
fn a_sub_base_takes_the_centroid_by_weight() {
    let tree = Skeleton::new(&[Segment::new(0, 5.0), Segment::new(1, 1.0), Segment::new(1, 1.0)]).unwrap();
    let seed = at(&[(0.0, 0.0), (5.0, 0.0), (5.0, 1.0), (5.0, -1.0)].map(|(x, y)| Point3::new(x, y, 0.0)));
    let mut targets =
        [SkeletonTarget::new(2, Point3::new(5.0, 3.0, 0.0)), SkeletonTarget::new(3, Point3::new(5.0, -3.0, 0.0))];
    targets[0].weight = 3.0;
    let problem =
        SkeletonProblem { targets: &targets, seed: &seed, root: Root::Free, options: SkeletonOptions::default() };
    let mut reached = seed.clone();
    tree.reach_forward(&problem, &mut tree.scratch(&problem.options), &mut reached).unwrap();
    // The branches suggest y = 2 and y = -2.
    assert!((reached.points[1] - Point3::new(5.0, 1.0, 0.0)).norm() < 1e-15);
}

#[test]
fn lengths_and_limits_hold_forward_and_backward() {
    let mut random = Random::new(2);
    for _ in 0..60 {
        let chain = limited_chain(&mut random, 7, any_joint);
        let target = Point3::from(random.direction() * random.between(0.0, 3.0));
        let (seed, targets) = within_limits(&mut random, &chain, target);
        let problem =
            SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options: SkeletonOptions::default() };
        let (mut current, mut scratch) = (seed.clone(), chain.scratch(&problem.options));
        for _ in 0..15 {
            chain.reach_forward(&problem, &mut scratch, &mut current).unwrap();
            assert_eq!(current.points[7], target);
            check_lengths(&chain, &current.points);
            // The first joint is where the chain is cut.
            for index in 1..7 {
                let joint = chain.segment(index).unwrap().joint;
                let base = current.orientations[index] * joint.rest;
                check_joint(&joint, &(base.inverse() * current.orientations[index + 1]));
            }
            chain.reach_backward(&problem, &mut scratch, &mut current).unwrap();
            check_lengths(&chain, &current.points);
            check_limits(&chain, &current);
        }
    }
}

#[test]
fn an_accelerated_cycle_leads_no_farther_away_than_a_plain_one() {
    let (mut random, mut accelerated, mut compared) = (Random::new(3), 0, 0);
    for _ in 0..120 {
        let chain = limited_chain(&mut random, 7, any_joint);
        let target = Point3::from(random.direction() * random.between(0.0, 3.0));
        let (seed, targets) = within_limits(&mut random, &chain, target);
        let after = |iterations: usize| {
            let options = SkeletonOptions::default().with_iterations(iterations).with_restarts(0).with_polish(false);
            let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options };
            (problem, solve(&chain, &problem))
        };
        let mut before = f64::INFINITY;
        for iterations in 0..30 {
            let (problem, solution) = after(iterations);
            let distance = solution.residuals[0].distance;
            let next = after(iterations + 1).1;
            // Then it is the configuration of the last cycle, and there is a next one.
            if distance < before && next.iterations > iterations {
                let mut plain = solution.configuration.clone();
                cycle(&chain, &problem, &mut plain);
                let (plain, next) = ((plain.points[7] - target).norm(), next.residuals[0].distance);
                assert!(next <= plain + 1e-12, "{iterations}: {next} {plain}");
                compared += 1;
            }
            before = distance;
        }
        accelerated += after(30).1.accelerated;
    }
    println!("{compared} cycles compared, {accelerated} accelerated");
    assert!(accelerated > 500 && compared > 500, "{accelerated} {compared}");
}

#[test]
fn a_configuration_at_its_target_is_a_fixed_point_of_the_cycle() {
    let mut random = Random::new(4);
    for number in 0..60 {
        let chain = limited_chain(&mut random, 6, any_joint);
        let (seed, mut targets) = within_limits(&mut random, &chain, Point3::origin());
        targets[0].position = seed.points[6];
        let problem =
            SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options: SkeletonOptions::default() };
        let mut current = seed.clone();
        for _ in 0..5 {
            cycle(&chain, &problem, &mut current);
        }
        for (found, expected) in current.points.iter().zip(&seed.points) {
            // Hinges nearly aligned with their segments magnify rounding errors.
            assert!((found - expected).norm() < 1e-10, "{number}: {found} {expected}");
        }
        let mut turns = current.orientations.iter().zip(&seed.orientations);
        assert!(turns.all(|(found, expected)| found.angle_to(expected) < 1e-6));
    }
}

#[test]
fn coincident_points_and_targets_give_numbers() {
    let tree = Skeleton::new(&[Segment::new(0, 1.0), Segment::new(1, 0.0), Segment::new(1, 1.0)]).unwrap();
    let seed = at(&[Point3::origin(); 4]);
    for place in [Vector3::zeros(), Vector3::x(), Vector3::z() * 1e9, Vector3::y() * 1e-300] {
        let targets = [SkeletonTarget::new(2, Point3::from(place)), SkeletonTarget::new(3, Point3::from(-place))];
        for root in [Root::Fixed, Root::Free, Root::At(Isometry3::from(place))] {
            solve(
                &tree,
                &SkeletonProblem { targets: &targets, seed: &seed, root, options: SkeletonOptions::default() },
            );
        }
    }
}
