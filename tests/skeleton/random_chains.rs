//! Chains of points for tests, and the checks that every solve has to pass.

use nalgebra::SVector;
use urdf_ik::skeleton::points::{Options, Outcome, PointChain, Problem, Root, Solution};

use crate::common::Random;

pub fn options(acceleration: usize) -> Options {
    Options { acceleration, cycles: 200_000, ..Options::default() }
}

pub fn direction<const D: usize>(random: &mut Random) -> SVector<f64, D> {
    loop {
        let vector: SVector<f64, D> = SVector::from_fn(|_, _| random.between(-1.0, 1.0));
        if (0.1..1.0).contains(&vector.norm()) {
            return vector.normalize();
        }
    }
}

/// A random walk: a configuration of a chain of random lengths.
pub fn walk<const D: usize>(random: &mut Random, segments: usize) -> Vec<SVector<f64, D>> {
    let mut points = vec![SVector::from_fn(|_, _| random.between(-1.0, 1.0))];
    for i in 0..segments {
        points.push(points[i] + direction::<D>(random) * random.between(0.05, 0.3));
    }
    points
}

/// A slightly curved chain of equal segments, 1 m long in total, in the plane of the first two axes.
pub fn arc<const D: usize>(segments: usize, turn: f64) -> Vec<SVector<f64, D>> {
    let count = f64::from(u32::try_from(segments).unwrap());
    let (mut points, mut angle) = (vec![SVector::zeros()], -turn / 2.0);
    for i in 0..segments {
        let step = SVector::from_fn(|axis, _| [angle.cos(), angle.sin(), 0.0][axis] / count);
        points.push(points[i] + step);
        angle += turn / count;
    }
    points
}

pub fn run<const D: usize>(chain: &PointChain<D>, problem: &Problem<D>) -> Solution<D> {
    let mut solution = chain.solution();
    chain.solve(problem, &mut chain.scratch(&problem.options), &mut solution).unwrap();
    check_lengths(chain, &solution.points);
    let tip = solution.points[chain.segments()];
    assert_eq!((tip - problem.target).norm(), solution.distance);
    assert_eq!(solution.outcome == Outcome::Solved, solution.distance <= problem.options.tolerance);
    solution
}

pub fn solve<const D: usize>(points: &[SVector<f64, D>], target: SVector<f64, D>, options: Options) -> Solution<D> {
    let chain = PointChain::from_points(points).unwrap();
    run(&chain, &Problem { target, root: Root::Fixed, points, options })
}

/// Lengths are kept up to the rounding of the coordinates.
pub fn check_lengths<const D: usize>(chain: &PointChain<D>, points: &[SVector<f64, D>]) {
    let farthest = points.iter().fold(0.0, |farthest: f64, point| farthest.max(point.amax()));
    for (segment, length) in chain.lengths().iter().enumerate() {
        let found = (points[segment + 1] - points[segment]).norm();
        assert!((found - length).abs() <= 8.0 * f64::EPSILON * (farthest + length), "{segment}: {found} {length}");
    }
}

/// A point in reach of the chain, up to `fraction` of the way from the inner to the outer reach.
pub fn reachable<const D: usize>(
    random: &mut Random,
    points: &[SVector<f64, D>],
    chain: &PointChain<D>,
    fraction: f64,
) -> SVector<f64, D> {
    let (inner, outer) = (chain.reach().inner, chain.reach().outer);
    points[0] + direction::<D>(random) * random.between(inner, inner + fraction * (outer - inner))
}
