//! Skeletons for tests, and checks that every solution has to pass.

use std::f64::consts::PI;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{
    Cone, Joint, Limit, Outcome, Range, Reach, Root, Segment, Skeleton, SkeletonConfiguration, SkeletonOptions,
    SkeletonProblem, SkeletonSolution, SkeletonTarget,
};

use crate::common::Random;

/// For chains of points: FABRIK without polish and restarts.
pub fn options(acceleration: usize) -> SkeletonOptions {
    SkeletonOptions::default()
        .with_acceleration(acceleration)
        .with_iterations(200_000)
        .with_restarts(0)
        .with_polish(false)
}

/// A direction in the plane, or in space.
pub fn direction(random: &mut Random, dimensions: usize) -> Vector3<f64> {
    loop {
        let vector = within(random, dimensions).coords;
        if (0.1..1.0).contains(&vector.norm()) {
            return vector.normalize();
        }
    }
}

fn within(random: &mut Random, dimensions: usize) -> Point3<f64> {
    Vector3::from_fn(|axis, _| if axis < dimensions { random.between(-1.0, 1.0) } else { 0.0 }).into()
}

pub fn rotation(random: &mut Random) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, 3.1))
}

pub fn rotations(random: &mut Random, count: usize) -> Vec<UnitQuaternion<f64>> {
    (0..count).map(|_| rotation(random)).collect()
}

/// A random walk: a configuration of a chain of random lengths.
pub fn walk(random: &mut Random, dimensions: usize, segments: usize) -> Vec<Point3<f64>> {
    let mut points = vec![within(random, dimensions)];
    for i in 0..segments {
        points.push(points[i] + direction(random, dimensions) * random.between(0.05, 0.3));
    }
    points
}

/// A slightly curved chain of equal segments, 1 m long in total, in the plane.
pub fn arc(segments: usize, turn: f64) -> Vec<Point3<f64>> {
    let count = f64::from(u32::try_from(segments).unwrap());
    let (mut points, mut angle) = (vec![Point3::origin()], -turn / 2.0);
    for i in 0..segments {
        points.push(points[i] + Vector3::new(angle.cos(), angle.sin(), 0.0) / count);
        angle += turn / count;
    }
    points
}

/// The chain in the plane whose segments are between successive `points`.
pub fn plane_through(points: &[Point3<f64>]) -> Skeleton {
    let segment = |(parent, ends): (usize, &[Point3<f64>])| Segment::new(parent, (ends[1] - ends[0]).norm());
    let segments: Vec<_> = points.windows(2).enumerate().map(segment).collect();
    Skeleton::in_plane(&segments).unwrap()
}

/// The chain in the plane or in space whose segments are between successive `points`.
pub fn chain_through(points: &[Point3<f64>], dimensions: usize) -> Skeleton {
    if dimensions == 2 { plane_through(points) } else { Skeleton::chain_through(points).unwrap() }
}

pub fn at(points: &[Point3<f64>]) -> SkeletonConfiguration {
    SkeletonConfiguration { points: points.to_vec(), orientations: Vec::new() }
}

/// The distances that the tip of a chain can have from its root.
pub fn tip_reach(chain: &Skeleton) -> Reach {
    chain.reach(0, chain.segment_count()).unwrap()
}

/// A point in reach of a chain in space from `root`, up to `fraction` of the way from the inner to the outer reach.
pub fn reachable(random: &mut Random, root: &Point3<f64>, chain: &Skeleton, fraction: f64) -> Point3<f64> {
    let Reach { inner, outer } = tip_reach(chain);
    let dimensions = if chain.is_planar() { 2 } else { 3 };
    root + direction(random, dimensions) * random.between(inner, inner + fraction * (outer - inner))
}

/// A chain with these joints and segments of 0.1 to 0.3 m.
pub fn limited_chain(random: &mut Random, joints: usize, joint: impl Fn(&mut Random, usize) -> Joint) -> Skeleton {
    let joints: Vec<_> = (0..joints).map(|index| joint(random, index)).collect();
    with_lengths(&joints, |_| random.between(0.1, 0.3))
}

/// A chain of these joints with segments of these lengths.
pub fn with_lengths(joints: &[Joint], mut length: impl FnMut(usize) -> f64) -> Skeleton {
    let segment = |(index, joint): (usize, &Joint)| Segment::new(index, length(index)).with_joint(*joint);
    Skeleton::new(&joints.iter().enumerate().map(segment).collect::<Vec<_>>()).unwrap()
}

/// A cone with sides from 1° to 179°.
pub fn irregular(random: &mut Random) -> Cone {
    let mut side = || random.between(1.0, 179.0).to_radians();
    Cone { up: side(), down: side(), left: side(), right: side() }
}

/// A ball joint or a hinge of any kind.
pub fn any_joint(random: &mut Random, index: usize) -> Joint {
    let joint = match random.below(4) {
        0 => Joint::hinge(random.direction(), random.between(-2.0, 0.0), random.between(0.0, 2.0)),
        1 => Joint::ball(Cone::circular([1.0_f64, 90.0, 179.0][index % 3].to_radians()), Range::ALL),
        _ => Joint::ball(irregular(random), Range::new(random.between(-3.0, 0.0), random.between(0.0, 3.0))),
    };
    if random.below(2) == 0 { joint } else { joint.with_rest(rotation(random)) }
}

/// Moves the tip of `chain` from `points` to `target`.
pub fn solve_chain(
    chain: &Skeleton,
    points: &[Point3<f64>],
    target: Point3<f64>,
    root: Root,
    options: SkeletonOptions,
) -> SkeletonSolution {
    let targets = [SkeletonTarget::new(chain.segment_count(), target)];
    solve(chain, &SkeletonProblem { targets: &targets, root, seed: &at(points), options })
}

/// Moves the tip of the chain through `points`, in space, to `target`.
pub fn solve_through(points: &[Point3<f64>], target: Point3<f64>, options: SkeletonOptions) -> SkeletonSolution {
    solve_chain(&Skeleton::chain_through(points).unwrap(), points, target, Root::Fixed, options)
}

/// Solves in new memory, and checks lengths, limits, residuals and the root.
pub fn solve(skeleton: &Skeleton, problem: &SkeletonProblem) -> SkeletonSolution {
    let mut solution = skeleton.solution();
    skeleton.solve(problem, &mut skeleton.scratch(&problem.options), &mut solution).unwrap();
    check_lengths(skeleton, &solution.configuration.points);
    check_residuals(problem, &solution);
    if !skeleton.is_free() {
        check_limits(skeleton, &solution.configuration);
    }
    let root = solution.configuration.points[0];
    match problem.root {
        Root::Fixed => assert_eq!(root, problem.seed.points[0]),
        Root::At(place) => assert_eq!(root.coords, place.translation.vector),
        Root::Free => (),
    }
    assert!(solution.iterations <= problem.options.iterations && solution.restarts <= problem.options.restarts);
    solution
}

/// Lengths hold up to rounding of the coordinates.
pub fn check_lengths(skeleton: &Skeleton, points: &[Point3<f64>]) {
    let farthest = points.iter().fold(0.0, |farthest: f64, point| farthest.max(point.coords.amax()));
    for index in 0..skeleton.segment_count() {
        let Segment { parent, length, .. } = skeleton.segment(index).unwrap();
        let found = (points[index + 1] - points[parent]).norm();
        assert!((found - length).abs() <= 8.0 * f64::EPSILON * (farthest + length), "{index}: {found} {length}");
    }
}

fn check_residuals(problem: &SkeletonProblem, solution: &SkeletonSolution) {
    let SkeletonOptions { tolerance, orientation_tolerance, .. } = problem.options;
    assert_eq!(solution.residuals.len(), problem.targets.len());
    for (target, residual) in problem.targets.iter().zip(&solution.residuals) {
        assert_eq!((solution.configuration.points[target.point] - target.position).norm(), residual.distance);
        let is_met = residual.distance <= tolerance && residual.angle <= orientation_tolerance;
        assert_eq!(residual.outcome == Outcome::Solved, is_met);
    }
}

/// Checks limits by the equation of the ellipse and by angles, from the orientations alone, and their consistency with
/// the points.
pub fn check_limits(skeleton: &Skeleton, configuration: &SkeletonConfiguration) {
    let SkeletonConfiguration { points, orientations } = configuration;
    for index in 0..skeleton.segment_count() {
        let Segment { parent, length, joint } = skeleton.segment(index).unwrap();
        let relative = (orientations[parent] * joint.rest).inverse() * orientations[index + 1];
        check_joint(&joint, &relative);
        let along = orientations[index + 1] * Vector3::x() * length;
        assert!((points[index + 1] - points[parent] - along).norm() < 1e-13, "{index}");
    }
    let violation = skeleton.violation(configuration).unwrap();
    // The twist of a joint with a swing of nearly a half turn is inaccurate.
    assert!(violation < 1e-10, "{violation:e} rad outside the limits");
}

/// Checks the limits of a joint by its rotation.
pub fn check_joint(joint: &Joint, relative: &UnitQuaternion<f64>) {
    let direction = relative * Vector3::x();
    match joint.limit {
        Limit::Ball { cone, twist } => {
            let polar = direction.y.hypot(direction.z).atan2(direction.x);
            let azimuth = direction.z.atan2(direction.y);
            let a = if direction.y >= 0.0 { cone.left } else { cone.right };
            let b = if direction.z >= 0.0 { cone.up } else { cone.down };
            let measure = (polar * azimuth.cos() / a).powi(2) + (polar * azimuth.sin() / b).powi(2);
            assert!(measure < 1.0 + 1e-11, "{measure} {joint:?}");
            // Near a half turn, swing and twist are almost ambiguous.
            if polar < 3.1 {
                let swing = UnitQuaternion::rotation_between(&Vector3::x(), &direction).unwrap();
                let angle = (swing.inverse() * relative).scaled_axis().x;
                let apart = (twist.nearest(angle) - angle).abs().rem_euclid(2.0 * PI);
                assert!(apart.min(2.0 * PI - apart) < 1e-9, "{angle} {twist:?}");
            }
        }
        Limit::Hinge { axis, angle } => {
            assert!((relative * axis - axis).norm() < 1e-13);
            let turn = relative.scaled_axis().dot(&axis.normalize());
            assert!(angle.lower - 1e-12 <= turn && turn <= angle.upper + 1e-12, "{turn} {angle:?}");
        }
        _ => (),
    }
}

/// All coordinates of a solution, as bits.
pub fn bits(solution: &SkeletonSolution) -> Vec<u64> {
    let SkeletonConfiguration { points, orientations } = &solution.configuration;
    let turns = orientations.iter().flat_map(|turn| turn.coords.iter());
    points.iter().flat_map(|point| point.iter()).chain(turns).map(|number| number.to_bits()).collect()
}
