//! Quality of solutions: the nearest configuration beyond reach, folded chains, arms with tight bounds, taut ropes,
//! targets with very different weights, and continuity of a drag.

use nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::file::Model;
use urdf_ik::skeleton::pitch_yaw::{PitchYawArm, PitchYawOptions, PitchYawProblem};
use urdf_ik::skeleton::{
    Outcome, Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonTarget,
};

use crate::common::{Random, Share};
use crate::figures::{any_joint, limited_chain, rotations, solve, tip_reach};

/// A random configuration, possibly outside the limits.
fn anywhere(random: &mut Random, figure: &Skeleton) -> SkeletonConfiguration {
    figure.place(&Isometry3::identity(), &rotations(random, figure.segment_count())).unwrap()
}

/// The problem of these targets from `seed`, with a fixed root.
fn problem<'a>(targets: &'a [SkeletonTarget], seed: &'a SkeletonConfiguration) -> SkeletonProblem<'a> {
    SkeletonProblem { targets, root: Root::Fixed, seed, options: SkeletonOptions::default() }
}

#[test]
fn chains_folded_near_their_root_are_solved() {
    let mut random = Random::new(1);
    for run in 0..600 {
        let count = 2 + run % 7;
        let lengths: Vec<f64> = (0..count).map(|_| if run % 2 == 0 { 0.5 } else { random.between(0.2, 0.5) }).collect();
        let chain = Skeleton::chain(&lengths).unwrap();
        let distance = tip_reach(&chain).inner.max(random.between(0.0, 0.01));
        let targets = [SkeletonTarget::new(count, Point3::from(random.direction() * distance))];
        let seed = if run % 3 == 0 { chain.at_rest() } else { anywhere(&mut random, &chain) };
        let solution = solve(&chain, &problem(&targets, &seed));
        assert!(solution.is_solved(), "run {run}: {solution:?}");
    }
}

/// No other search gets much nearer: many attempts from other configurations.
#[test]
fn limited_chains_come_as_near_to_targets_beyond_reach_as_any_search() {
    let (mut random, mut farther) = (Random::new(2), Share { failed: 0, of: 60 });
    for run in 0..farther.of {
        let count = 3 + run % 6;
        let chain = limited_chain(&mut random, count, any_joint);
        let reach = chain.total_length();
        let targets = [SkeletonTarget::new(count, Point3::from(random.direction() * reach * random.between(1.0, 1.5)))];
        let seed = chain.at_rest();
        let found = solve(&chain, &problem(&targets, &seed)).residuals[0].distance;
        let options = SkeletonOptions::default().with_restarts(0);
        let other = |_| {
            let seed = anywhere(&mut random, &chain);
            solve(&chain, &SkeletonProblem { options, ..problem(&targets, &seed) }).residuals[0].distance
        };
        let nearest = (0..30).map(other).fold(f64::INFINITY, f64::min);
        farther.failed += usize::from(found > nearest + 0.01 * reach);
    }
    farther.assert_at_most(0.005, "farther than the results of other searches");
}

#[test]
fn arms_with_tight_bounds_reach_what_they_can() {
    let mut random = Random::new(3);
    for run in 0..2000 {
        let lengths: Vec<f64> = (0..2 + run % 5).map(|_| random.between(0.1, 0.5)).collect();
        let bounds: Vec<[f64; 3]> = (0..2 * lengths.len())
            .map(|_| {
                let (middle, half) = (random.between(-1.5, 1.5), random.between(0.1, 1.0));
                [middle - half, middle + half, random.between(middle - half, middle + half)]
            })
            .collect();
        let [lower, upper, inside] = [0, 1, 2].map(|which| bounds.iter().map(|bound| bound[which]).collect::<Vec<_>>());
        let arm = PitchYawArm::new(Point3::origin(), lengths).unwrap().with_bounds(lower, upper).unwrap();
        let (target, seed) = (arm.tip(&inside).unwrap(), vec![0.0; arm.variables()]);
        let mut solution = arm.solution();
        let problem = PitchYawProblem { target, seed: &seed, options: PitchYawOptions::default() };
        arm.solve(&problem, &mut arm.scratch(), &mut solution).unwrap();
        assert_eq!(solution.residual.outcome, Outcome::Solved, "run {run}: {solution:?}");
    }
}

#[test]
fn taut_ropes_with_a_free_root_are_solved() {
    let mut random = Random::new(4);
    for run in 0..20 {
        let count = 50 + 10 * (run % 10);
        let chain = Skeleton::chain(&vec![0.02; count]).unwrap();
        let from = Point3::from(random.direction());
        let to = from + random.direction() * chain.total_length() * random.between(0.9, 0.995);
        let (targets, seed) = ([SkeletonTarget::new(0, from), SkeletonTarget::new(count, to)], chain.at_rest());
        let solution = solve(&chain, &SkeletonProblem { root: Root::Free, ..problem(&targets, &seed) });
        assert!(solution.is_solved(), "{count} segments: {:?}", solution.residuals);
    }
}

/// A trunk of two segments and three arms of three.
fn three_arms(random: &mut Random, limited: bool) -> Skeleton {
    let mut segments = vec![Segment::new(0, 0.4), Segment::new(1, 0.3)];
    for segment in 0..9 {
        let parent = if segment % 3 == 0 { 2 } else { segments.len() };
        segments.push(Segment::new(parent, random.between(0.1, 0.3)));
    }
    if limited {
        segments = segments.iter().enumerate().map(|(i, segment)| segment.with_joint(any_joint(random, i))).collect();
    }
    Skeleton::new(&segments).unwrap()
}

#[test]
fn weights_do_not_keep_targets_from_being_met() {
    let mut random = Random::new(5);
    for limited in [false, true] {
        for run in 0..60 {
            let figure = three_arms(&mut random, limited);
            // Without cycles the solution is the seed, moved into the limits.
            let far = [SkeletonTarget::new(5, Point3::new(1e3, 0.0, 0.0))];
            let (drawn, none) = (anywhere(&mut random, &figure), SkeletonOptions::default().with_iterations(0));
            let allowed =
                solve(&figure, &SkeletonProblem { options: none, ..problem(&far, &drawn) }).configuration.points;
            let mut targets = [5, 8, 11].map(|point| SkeletonTarget::new(point, allowed[point]));
            (targets[run % 3].weight, targets[(run + 1) % 3].weight) = (1e6, [1.0, 1e3][run % 2]);
            let solution = solve(&figure, &problem(&targets, &figure.at_rest()));
            assert!(solution.is_solved(), "run {run}: {:?}", solution.residuals);
        }
    }
}

/// In steps of 5 mm within and beyond reach, a segment turns by over 0.5 rad only if the point gets nearer by over 1 %
/// of its reach.
#[test]
fn figures_that_are_dragged_do_not_leap() {
    let mut beyond = 0;
    for (run, name) in ["humanoid", "hand", "noodle"].into_iter().enumerate() {
        let file = crate::common::root().join(format!("config/skeletons/{name}.yaml"));
        let Model::Skeleton(model) = Model::read(&file).unwrap() else { panic!("{name} is no skeleton") };
        let (figure, mut random, mut seed) = (&model.skeleton, Random::new(6 + run as u64), model.rest.clone());
        let end = *model.ends.last().unwrap();
        let (root, reach, options) =
            (seed.points[0], figure.reach(0, end).unwrap().outer, SkeletonOptions::default().with_restarts(0));
        let (mut to, mut goal, mut scratch) = (seed.points[end], root, figure.scratch(&options));
        for frame in 0..600 {
            if frame % 100 == 0 {
                goal = root + random.direction() * reach * random.between(0.2, 1.5);
            }
            to += (goal - to).cap_magnitude(0.005);
            let targets = [SkeletonTarget::new(end, to)];
            let mut solution = figure.solution();
            figure
                .solve(&SkeletonProblem { options, ..problem(&targets, &seed) }, &mut scratch, &mut solution)
                .unwrap();
            let distance = solution.residuals[0].distance;
            let turn = |(segment, before): (usize, &Point3<f64>)| {
                let (parent, after) = (figure.segment(segment).unwrap().parent, &solution.configuration.points);
                (after[segment + 1] - after[parent]).angle(&(before - seed.points[parent]))
            };
            let most = seed.points[1..].iter().enumerate().map(turn).fold(0.0, f64::max);
            let nearer = (seed.points[end] - to).norm() - distance;
            assert!(
                most <= 0.5 || nearer > 0.01 * reach,
                "{name}, frame {frame}: {most} rad to come nearer by {nearer} m"
            );
            beyond += usize::from(!solution.is_solved());
            seed = solution.configuration;
        }
    }
    assert!(beyond > 500, "{beyond} frames beyond reach");
}

#[test]
fn restarts_leave_limited_segments_alone_that_lead_to_no_target() {
    let (mut random, mut restarted) = (Random::new(7), 0);
    for run in 0..40 {
        let figure = three_arms(&mut random, run % 2 == 0);
        let targets = [
            SkeletonTarget::new(5, Point3::from(random.direction() * 3.0)),
            SkeletonTarget::new(8, Point3::from(random.direction() * 3.0)),
        ];
        let (rest, none) = (figure.at_rest(), SkeletonOptions::default().with_iterations(0));
        let asked = problem(&targets, &rest);
        let answers = [none, asked.options].map(|options| solve(&figure, &SkeletonProblem { options, ..asked }));
        restarted += usize::from(answers[1].restarts > 0);
        for three in [[2, 9, 10], [9, 10, 11]] {
            let [before, after] = answers.each_ref().map(|solution| {
                let [a, b, c] = three.map(|point| solution.configuration.points[point]);
                (b - a).angle(&(c - b))
            });
            // Cycles move them a little.
            assert!((before - after).abs() < 0.5, "run {run}: {before} to {after} rad");
        }
    }
    assert!(restarted > 10, "{restarted} runs had restarts");
}
