//! Measurements of FABRIK on chains of points: the savings by acceleration and circles, the time of a cycle, and the
//! comparison with cyclic coordinate descent and the Jacobian transpose; how often it meets its targets with limited
//! joints; and figures with several ends. Prints tables: `cargo bench --bench skeleton`.
//!
//! All chains are in space, with a fixed root. Unless noted otherwise they have equal segments, are 1 m long, and the
//! tolerance is 1 µm.

mod descent;
mod figures;
mod limits;

use std::error::Error;

use descent::{descend_by_coordinates, descend_by_transpose, iterate};
use nalgebra::{Point3, Vector3};
use urdf_ik::skeleton::{Root, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonTarget};
use urdf_ik_testing::measure::{Times, number};
use urdf_ik_testing::random::Random;

type Points = Vec<Point3<f64>>;
type Fallible<T> = Result<T, Box<dyn Error>>;

/// Cycles or iterations after which a run counts as failed.
const LIMIT: usize = 500_000;

fn main() -> Fallible<()> {
    stretched()?;
    circles()?;
    cost()?;
    beside()?;
    paper()?;
    limits::table()?;
    figures::table()
}

/// Uniform in the ball of radius 1.
fn in_ball(random: &mut Random) -> Vector3<f64> {
    loop {
        let vector = Vector3::from_fn(|_, _| random.between(-1.0, 1.0));
        if (1e-6..=1.0).contains(&vector.norm()) {
            return vector;
        }
    }
}

fn direction(random: &mut Random) -> Vector3<f64> {
    in_ball(random).normalize()
}

fn random_walk(random: &mut Random, segments: usize) -> Points {
    let mut points = vec![Point3::origin()];
    for i in 0..segments {
        points.push(points[i] + direction(random) / number(segments));
    }
    points
}

/// A smooth chain: an arc of 1 rad.
fn arc(segments: usize) -> Points {
    let mut points = vec![Point3::origin()];
    for i in 0..segments {
        let angle = (number(i) + 0.5) / number(segments) - 0.5;
        points.push(points[i] + Vector3::new(angle.cos(), angle.sin(), 0.0) / number(segments));
    }
    points
}

/// Iterations of many runs.
#[derive(Default)]
struct Tally {
    iterations: Vec<usize>,
    failed: usize,
    times: Times,
}

impl Tally {
    fn mean(&self) -> f64 {
        number(self.iterations.iter().sum()) / number(self.iterations.len())
    }

    fn quantile(&mut self, permille: usize) -> usize {
        self.iterations.sort_unstable();
        self.iterations[((self.iterations.len() - 1) * permille).div_ceil(1000)]
    }

    /// Median time of a run \[µs\], on which single interruptions have no influence.
    fn micros(&self) -> f64 {
        self.times.percentile(50)
    }

    /// Runs `solve`, which returns iterations and success, and counts.
    fn add(&mut self, solve: impl FnOnce() -> Fallible<(usize, bool)>) -> Fallible<()> {
        let (iterations, solved) = self.times.add(solve)?;
        self.iterations.push(iterations);
        self.failed += usize::from(!solved);
        Ok(())
    }
}

fn fabrik(tally: &mut Tally, start: &Points, targets: &[Point3<f64>], options: SkeletonOptions) -> Fallible<()> {
    let chain = Skeleton::chain_through(start)?;
    let seed = SkeletonConfiguration { points: start.clone(), orientations: Vec::new() };
    let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
    for target in targets {
        tally.add(|| {
            let targets = [SkeletonTarget::new(chain.segment_count(), *target)];
            chain.solve(
                &SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options },
                &mut scratch,
                &mut solution,
            )?;
            Ok((solution.iterations, solution.is_solved()))
        })?;
    }
    Ok(())
}

fn options(acceleration: usize, circles: bool) -> SkeletonOptions {
    SkeletonOptions::default()
        .with_acceleration(acceleration)
        .with_circles(circles)
        .with_iterations(LIMIT)
        .with_restarts(0)
        .with_polish(false)
}

fn stretched() -> Fallible<()> {
    println!("Mean cycles from an arc of 1 rad to targets in random directions near the limit of the reach\n");
    println!(
        "| segments | distance | targets | plain | depth 1 | depth 3 | depth 5 | depth 8 | plain/depth 5 | failed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for segments in [10, 100, 1000] {
        for (distance, targets) in [(0.95, 30), (0.99, 10), (0.999, 3)] {
            let start = arc(segments);
            let mut random = Random::new(1);
            let targets: Vec<_> = (0..targets).map(|_| Point3::from(direction(&mut random) * distance)).collect();
            let (mut means, mut failed) = (Vec::new(), Vec::new());
            for depth in [0, 1, 3, 5, 8] {
                let mut tally = Tally::default();
                fabrik(&mut tally, &start, &targets, options(depth, false))?;
                means.push(tally.mean());
                failed.push(tally.failed);
            }
            let cells: Vec<_> = means.iter().map(|mean| format!("{mean:.1}")).collect();
            let (count, gain) = (targets.len(), means[0] / means[3]);
            println!("| {segments} | {distance} | {count} | {} | {gain:.0} | {failed:?} |", cells.join(" | "));
        }
    }
    Ok(())
}

fn circles() -> Fallible<()> {
    println!("\nMean cycles (99th percentile) from random walks and from an arc of 1 rad, with and without circles\n");
    println!("| start | segments | distance | plain | with circles | depth 5 | with circles | failed |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, walk) in [("walk", true), ("arc", false)] {
        for segments in [2, 3, 10, 30, 100, 1000] {
            for (low, high) in [(0.0, 0.8), (0.8, 0.95), (0.95, 0.99)] {
                let runs = if segments < 1000 { 200 } else { 3 };
                let mut tallies = [(); 4].map(|()| Tally::default());
                for (tally, (depth, circles)) in tallies.iter_mut().zip([(0, false), (0, true), (5, false), (5, true)])
                {
                    let mut random = Random::new(2);
                    for _ in 0..runs {
                        let start = if walk { random_walk(&mut random, segments) } else { arc(segments) };
                        let target = Point3::from(direction(&mut random) * (low + (high - low) * random.unit()));
                        fabrik(tally, &start, &[target], options(depth, circles))?;
                    }
                }
                let failed = tallies.each_ref().map(|tally| tally.failed);
                let cells = tallies.map(|mut tally| format!("{:.1} ({})", tally.mean(), tally.quantile(990)));
                println!("| {name} | {segments} | {low} to {high} | {} | {failed:?} |", cells.join(" | "));
            }
        }
    }
    Ok(())
}

fn cost() -> Fallible<()> {
    println!(
        "\nNanoseconds a segment and cycle (smallest of five runs of about 20000 segments, tolerance never met)\n"
    );
    println!("| segments | plain | with circles that never meet | depth 5 |\n|---|---|---|---|");
    for segments in [10, 30, 100, 300, 1000, 3000, 10_000] {
        let start = arc(segments);
        let mut cells = Vec::new();
        for (depth, circles) in [(0, false), (0, true), (5, false)] {
            let cycles = (20_000 / segments).clamp(2, 20);
            let options = options(depth, circles).with_tolerance(1e-300).with_iterations(cycles);
            let mut least = f64::INFINITY;
            for _ in 0..5 {
                let mut tally = Tally::default();
                let targets = vec![Point3::new(0.0, 0.999_999, 0.0); 20_000 / (segments * cycles) + 1];
                fabrik(&mut tally, &start, &targets, options)?;
                let steps = number(tally.iterations.iter().sum()) * number(segments);
                least = least.min(1e3 * tally.times.0.iter().sum::<f64>() / steps);
            }
            cells.push(format!("{least:.1}"));
        }
        println!("| {segments} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// The methods that move a chain.
#[derive(Clone, Copy)]
enum Method {
    /// FABRIK with this depth of acceleration, and with circles or without.
    Fabrik(usize, bool),
    Coordinates,
    Transpose,
}

const METHODS: [Method; 5] = [
    Method::Fabrik(0, false),
    Method::Fabrik(0, true),
    Method::Fabrik(5, false),
    Method::Coordinates,
    Method::Transpose,
];

/// Moves each start to its target, by at most `most` iterations each.
fn run(method: Method, cases: &[(Points, Point3<f64>)], tolerance: f64, most: usize) -> Fallible<Tally> {
    let mut tally = Tally::default();
    for (start, target) in cases {
        let step = match method {
            Method::Fabrik(depth, circles) => {
                let options = options(depth, circles).with_tolerance(tolerance).with_iterations(most);
                fabrik(&mut tally, start, &[*target], options)?;
                continue;
            }
            Method::Coordinates => descend_by_coordinates,
            Method::Transpose => descend_by_transpose,
        };
        let mut points = start.clone();
        tally.add(|| Ok(iterate(&mut points, target, tolerance, most, step)))?;
    }
    Ok(tally)
}

fn beside() -> Fallible<()> {
    let (tolerance, most) = (1e-3, 3000);
    println!(
        "\nMean iterations, median µs in all (least: bold) and failures in %, to 1 mm, at most {most} iterations\n"
    );
    println!("| start | segments | distance | FABRIK | with circles | depth 5 | CCD | Jacobian transpose |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, walk) in [("walk", true), ("arc", false)] {
        for (segments, runs) in [(3, 200), (10, 200), (100, 20)] {
            for (low, high) in [(0.1, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 0.99)] {
                let mut random = Random::new(3);
                let mut case = || {
                    let start = if walk { random_walk(&mut random, segments) } else { arc(segments) };
                    (start, Point3::from(direction(&mut random) * (low + (high - low) * random.unit())))
                };
                let cases: Vec<_> = (0..runs).map(|_| case()).collect();
                let mut tallies = Vec::new();
                for method in METHODS {
                    tallies.push(run(method, &cases, tolerance, most)?);
                }
                let least = tallies.iter().map(Tally::micros).fold(f64::INFINITY, f64::min);
                let cell = |tally: &Tally| {
                    let (failed, time) =
                        (100.0 * number(tally.failed) / number(runs), format!("{:.1}", tally.micros()));
                    let time = if tally.micros() <= least { format!("**{time}**") } else { time };
                    format!("{:.1}, {time}, {failed:.0}", tally.mean())
                };
                let cells: Vec<_> = tallies.iter().map(cell).collect();
                println!("| {name} | {segments} | {low} to {high} | {} |", cells.join(" | "));
            }
        }
    }
    Ok(())
}

/// The setting of Aristidou and Lasenby (2011, doi:10.1016/j.gmod.2011.05.003), as far as their section 5 specifies it:
/// 10 joints in space without limits, standing upright in a straight line (figure 9), so 9 segments, 900 mm long in
/// total, targets 600 mm from the tip, a tolerance of 1 µm (both from the text about figure 11). It does not specify
/// the 20 targets that table 1 averages over. Targets nearer to the limit of the reach take more iterations, hence a
/// row for each distance.
fn paper() -> Fallible<()> {
    let (tolerance, most) = (1e-6, 10_000);
    println!(
        "\nThe setting of Aristidou and Lasenby (2011): 10 joints, 900 mm, straight, to 1 µm, at most {most} iterations\n"
    );
    println!("| targets | FABRIK, mean | median | CCD, mean | median | Jacobian transpose, mean | median | failed |");
    println!("|---|---|---|---|---|---|---|---|");
    let reach = 0.9;
    let start: Points = (0..10).map(|joint| Point3::new(0.0, 0.0, 0.1 * number(joint))).collect();
    let row = |name: &str, target: &mut dyn FnMut() -> Point3<f64>| -> Fallible<()> {
        let cases: Vec<_> = (0..500).map(|_| (start.clone(), target())).collect();
        let (mut cells, mut failed) = (Vec::new(), Vec::new());
        for method in [Method::Fabrik(0, false), Method::Coordinates, Method::Transpose] {
            let mut tally = run(method, &cases, tolerance, most)?;
            cells.push(format!("{:.1} | {}", tally.mean(), tally.quantile(500)));
            failed.push(tally.failed);
        }
        println!("| {name} | {} | {failed:?} |", cells.join(" | "));
        Ok(())
    };
    let mut random = Random::new(4);
    for share in [0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
        row(&format!("{share} of the reach from the root"), &mut || (direction(&mut random) * (share * reach)).into())?;
    }
    row("600 mm from the tip, in reach", &mut || {
        loop {
            let target = start[9] + direction(&mut random) * 0.6;
            if target.coords.norm() < reach {
                return target;
            }
        }
    })?;
    row("anywhere in reach", &mut || (in_ball(&mut random) * reach).into())?;
    println!("| table 1 of the paper, 20 targets | 15.461 | | 26.308 | | 1311.190 | | |");
    Ok(())
}
