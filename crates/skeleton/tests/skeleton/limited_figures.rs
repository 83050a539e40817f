//! Skeletons with several end effectors and limited joints: the bundled humanoid and hand, and random trees. Limits are
//! checked by independent code.

use std::f64::consts::TAU;
use std::path::Path;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::file::Model;
use urdf_ik::skeleton::{
    Cone, Joint, Limit, Outcome, Range, Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions,
    SkeletonProblem, SkeletonSolution, SkeletonTarget,
};

use crate::common::joints::{Spread, rotation};
use crate::common::{Random, Share};

/// A skeleton with its end effectors and its height \[m\].
struct Figure {
    skeleton: Skeleton,
    ends: Vec<usize>,
    rest: SkeletonConfiguration,
    height: f64,
}

fn bundled(name: &str) -> Figure {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("config/skeletons").join(name);
    let Model::Skeleton(named) = Model::read(&file).unwrap() else { panic!("{name} is no skeleton") };
    let ends = named.ends.clone();
    let rest = named.rest.clone();
    let heights = || rest.points.iter().map(|point| point.z);
    let height = heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min);
    Figure { skeleton: named.skeleton.clone(), ends, rest, height }
}

/// The angle by which a rotation violates the limits of a joint, by independent formulas.
fn excess(joint: &Joint, rotation: &UnitQuaternion<f64>) -> f64 {
    let beyond = |angle: f64, range: &Range| {
        let turned = |angle: f64| (angle - range.lower).rem_euclid(TAU);
        let (inside, width) = (turned(angle), range.upper - range.lower);
        if inside <= width { 0.0 } else { (inside - width).min(TAU - inside) }
    };
    match &joint.limit {
        Limit::Hinge { axis, angle } => {
            let axis = axis.normalize();
            let turn = rotation.scaled_axis();
            let apart = (turn - axis * turn.dot(&axis)).norm();
            apart.max(beyond(turn.dot(&axis), angle))
        }
        Limit::Ball { cone, twist } => {
            let direction = rotation * Vector3::x();
            let polar = direction.x.clamp(-1.0, 1.0).acos();
            let azimuth = direction.z.atan2(direction.y);
            let (side, height) = (
                if direction.y >= 0.0 { cone.left } else { cone.right },
                if direction.z >= 0.0 { cone.up } else { cone.down },
            );
            // The ellipse with the polar angle as radius: (θ cos φ / side)² + (θ sin φ / height)² = 1.
            let part = |lean: f64, most: f64| if lean.abs() < 1e-9 { 0.0 } else { lean / most };
            let share = part(polar * azimuth.cos(), side).hypot(part(polar * azimuth.sin(), height));
            let swing = if share > 0.0 { (polar - polar / share).max(0.0) } else { 0.0 };
            let swung = UnitQuaternion::rotation_between(&Vector3::x(), &direction).unwrap();
            let twisted = (swung.inverse() * rotation).scaled_axis().x;
            swing.max(beyond(twisted, twist))
        }
        _ => 0.0,
    }
}

/// Checks lengths, limits and residuals, all from points and orientations.
fn check(skeleton: &Skeleton, root: &Isometry3<f64>, problem: &SkeletonProblem, solution: &SkeletonSolution) {
    let SkeletonConfiguration { points, orientations } = &solution.configuration;
    assert!((points[0] - Point3::from(root.translation.vector)).norm() < 1e-12);
    for segment in 0..skeleton.segment_count() {
        let Segment { parent, length, joint } = skeleton.segment(segment).unwrap();
        let along = points[segment + 1] - points[parent];
        assert!((along - orientations[segment + 1] * Vector3::x() * length).norm() < 1e-12);
        let turn = (orientations[parent] * joint.rest).inverse() * orientations[segment + 1];
        let excess = excess(&joint, &turn);
        assert!(excess < 1e-7, "segment {segment} leaves its limits by {excess}");
    }
    for (target, residual) in problem.targets.iter().zip(&solution.residuals) {
        let distance = (points[target.point] - target.position).norm();
        let angle = target.orientation.map_or(0.0, |wish| orientations[target.point].angle_to(&wish));
        assert!((distance - residual.distance).abs() < 1e-12 && (angle - residual.angle).abs() < 1e-9);
        let is_met = distance <= problem.options.tolerance && angle <= problem.options.orientation_tolerance;
        assert_eq!(is_met, residual.outcome == Outcome::Solved);
    }
}

/// How many of `sets` sets of targets for all end effectors, half of them with orientations, are met from rest.
fn solved(figure: &Figure, random: &mut Random, spread: Spread, sets: usize) -> usize {
    let Figure { skeleton, ends, rest, height } = figure;
    let options = SkeletonOptions::default().with_tolerance(1e-4 * height).with_orientation_tolerance(1e-4);
    let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
    let root = Isometry3::from_parts(rest.points[0].into(), rest.orientations[0]);
    let joints: Vec<_> = (0..skeleton.segment_count()).map(|index| skeleton.segment(index).unwrap().joint).collect();
    let mut solved = 0;
    for set in 0..sets {
        let rotations: Vec<_> = joints.iter().map(|joint| rotation(random, joint, spread)).collect();
        let goal = skeleton.place(&root, &rotations).unwrap();
        let target = |(index, &end): (usize, &usize)| {
            let target = SkeletonTarget::new(end, goal.points[end]);
            if (index + set).is_multiple_of(2) { target.with_orientation(goal.orientations[end]) } else { target }
        };
        let targets: Vec<_> = ends.iter().enumerate().map(target).collect();
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: rest, options };
        skeleton.solve(&problem, &mut scratch, &mut solution).unwrap();
        check(skeleton, &root, &problem, &solution);
        solved += usize::from(solution.is_solved());
    }
    solved
}

#[test]
fn the_humanoid_and_the_hand_reach_what_their_limits_allow() {
    for name in ["humanoid.yaml", "hand.yaml"] {
        for (spread, how) in [(Spread::Even, "evenly"), (Spread::Border, "at the border")] {
            let solved = solved(&bundled(name), &mut Random::new(1), spread, 200);
            println!("{name}, {how}: {solved} of 200");
            assert!(solved >= 199, "{name}, {how}: {solved} of 200");
        }
    }
}

/// A cone with sides from 10° to 90°, some of which do not open at all, a fixed joint, a hinge, or a free joint.
fn any_joint(random: &mut Random) -> Joint {
    let rest = UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, 1.5));
    let mut side = || if random.below(8) == 0 { 0.0 } else { random.between(10.0, 90.0).to_radians() };
    let cone = Cone { up: side(), down: side(), left: side(), right: side() };
    let twist = random.between(0.0, 60.0).to_radians();
    let joint = match random.below(8) {
        0 => Joint::free(),
        1 => Joint::ball(Cone::circular(0.0), Range::new(0.0, 0.0)),
        2 | 3 => Joint::hinge(random.direction(), 0.0, random.between(60.0, 150.0).to_radians()),
        _ => Joint::ball(cone, Range::new(-twist, twist)),
    };
    joint.with_rest(rest)
}

/// A trunk of two or three segments and two to five limbs of three or four.
fn any_figure(random: &mut Random) -> Figure {
    let mut segments: Vec<Segment> = Vec::new();
    let trunk = 2 + random.below(2);
    for parent in 0..trunk {
        segments.push(Segment::new(parent, random.between(0.1, 0.4)).with_joint(any_joint(random)));
    }
    let mut ends = Vec::new();
    for _ in 0..2 + random.below(4) {
        let mut parent = random.below(trunk + 1);
        for _ in 0..3 + random.below(2) {
            segments.push(Segment::new(parent, random.between(0.1, 0.4)).with_joint(any_joint(random)));
            parent = segments.len();
        }
        ends.push(parent);
    }
    let skeleton = Skeleton::new(&segments).unwrap();
    let (rest, height) = (skeleton.at_rest(), 1.0);
    Figure { skeleton, ends, rest, height }
}

#[test]
fn random_figures_reach_what_their_limits_allow() {
    let mut random = Random::new(2);
    let mut total = 0;
    for _ in 0..100 {
        let figure = any_figure(&mut random);
        total += solved(&figure, &mut random, Spread::Border, 4);
    }
    println!("{total} of 400");
    assert!(total >= 396, "{total} of 400");
}

#[test]
fn ends_out_of_reach_stretch_within_the_limits_and_leave_the_others_alone() {
    let Figure { skeleton, ends, rest, height } = bundled("humanoid.yaml");
    let options = SkeletonOptions::default().with_tolerance(1e-4 * height);
    let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
    let root = Isometry3::from_parts(rest.points[0].into(), rest.orientations[0]);
    for far in 0..ends.len() {
        let target = |(index, &end): (usize, &usize)| {
            // Outward, to the point that a stretched limb of free joints would reach.
            let away = (rest.points[end] - rest.points[0]).normalize() * 5.0;
            SkeletonTarget::new(end, if index == far { rest.points[0] + away } else { rest.points[end] })
        };
        let targets: Vec<_> = ends.iter().enumerate().map(target).collect();
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &rest, options };
        skeleton.solve(&problem, &mut scratch, &mut solution).unwrap();
        check(&skeleton, &root, &problem, &solution);
        for (index, residual) in solution.residuals.iter().enumerate() {
            assert_eq!(residual.outcome == Outcome::Solved, index != far, "{far} {index} {residual:?}");
        }
        let before = (rest.points[ends[far]] - targets[far].position).norm();
        assert!(solution.residuals[far].distance <= before + 1e-9, "{far}: {before} {:?}", solution.residuals[far]);
    }
}

#[test]
fn a_free_root_follows_with_its_limits() {
    let figure = bundled("humanoid.yaml");
    let Figure { skeleton, ends, rest, height } = &figure;
    let options = SkeletonOptions::default().with_tolerance(1e-4 * height);
    let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
    // All end effectors at another place: the whole skeleton has to move and turn.
    let moved = Isometry3::new(Vector3::new(2.0, -1.0, 0.5), Vector3::new(0.2, 0.1, 1.0));
    let targets: Vec<_> = ends.iter().map(|&end| SkeletonTarget::new(end, moved * rest.points[end])).collect();
    let problem = SkeletonProblem { targets: &targets, root: Root::Free, seed: rest, options };
    skeleton.solve(&problem, &mut scratch, &mut solution).unwrap();
    let SkeletonConfiguration { points, orientations } = &solution.configuration;
    assert!(solution.is_solved(), "{solution:?}");
    check(skeleton, &Isometry3::from_parts(points[0].into(), orientations[0]), &problem, &solution);
}

/// The largest step of any point between successive solutions, and the number of targets not met, while the end
/// effectors are dragged in 200 small steps from one configuration to another.
fn drag(figure: &Figure, random: &mut Random, ends: &[usize], restarts: usize) -> (f64, usize) {
    let Figure { skeleton, rest, height, .. } = figure;
    let options = SkeletonOptions::default().with_tolerance(1e-4 * height).with_restarts(restarts);
    let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
    let root = Isometry3::from_parts(rest.points[0].into(), rest.orientations[0]);
    let joints = || (0..skeleton.segment_count()).map(|index| skeleton.segment(index).unwrap().joint);
    let mut draw = || joints().map(|joint| rotation(random, &joint, Spread::Even)).collect::<Vec<_>>();
    let (from, to) = (draw(), draw());
    let mut at = skeleton.place(&root, &from).unwrap();
    let (mut largest, mut unmet) = (0.0_f64, 0);
    for step in 1..=200 {
        let between = from.iter().zip(&to).map(|(from, to)| from.slerp(to, f64::from(step) / 200.0));
        let goal = skeleton.place(&root, &between.collect::<Vec<_>>()).unwrap();
        let targets: Vec<_> = ends.iter().map(|&end| SkeletonTarget::new(end, goal.points[end])).collect();
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &at, options };
        skeleton.solve(&problem, &mut scratch, &mut solution).unwrap();
        check(skeleton, &root, &problem, &solution);
        unmet += usize::from(!solution.is_solved());
        let steps = at.points.iter().zip(&solution.configuration.points).map(|(a, b)| (a - b).norm());
        largest = steps.fold(largest, f64::max);
        at.clone_from(&solution.configuration);
    }
    (largest, unmet)
}

const DRAGS: usize = 30;

#[test]
fn a_figure_that_is_dragged_stays_near_where_it_was() {
    let figure = bundled("humanoid.yaml");
    for (ends, name) in [(&figure.ends[..], "all ends"), (&figure.ends[1..2], "one hand")] {
        for restarts in [0, 1] {
            let mut random = Random::new(3);
            let (mut jumps, mut blocks) = (Share { failed: 0, of: DRAGS }, Share { failed: 0, of: DRAGS });
            for _ in 0..DRAGS {
                let (step, missed) = drag(&figure, &mut random, ends, restarts);
                jumps.failed += usize::from(step >= 0.05);
                blocks.failed += usize::from(missed > 0);
            }
            println!("{name}, {restarts} restarts, drags with jumps: {jumps:?}, that are blocked: {blocks:?}");
            // If joints block each other only a jump helps, which a restart makes.
            let [jump, block] = if restarts == 0 { [0.01, 0.15] } else { [0.15, 0.01] };
            jumps.assert_at_most(jump, &format!("{name}, {restarts} restarts, jumps"));
            blocks.assert_at_most(block, &format!("{name}, {restarts} restarts, blocked"));
        }
    }
}

#[test]
fn a_straight_leg_bends_where_its_foot_is_lifted() {
    let Figure { skeleton, ends, rest, height } = bundled("humanoid.yaml");
    let options = SkeletonOptions::default().with_tolerance(1e-4 * height).with_restarts(1);
    let (mut scratch, mut solution) = (skeleton.scratch(&options), skeleton.solution());
    let mut at = rest.clone();
    for step in 1..=40 {
        let lift = Vector3::new(0.0, 0.0, 0.33 * f64::from(step) / 40.0);
        let target = |(index, &end): (usize, &usize)| {
            SkeletonTarget::new(end, if index == 4 { rest.points[end] + lift } else { rest.points[end] })
        };
        let targets: Vec<_> = ends.iter().enumerate().map(target).collect();
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &at, options };
        skeleton.solve(&problem, &mut scratch, &mut solution).unwrap();
        assert!(solution.is_solved(), "{step}: {solution:?}");
        at.clone_from(&solution.configuration);
    }
}
