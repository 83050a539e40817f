//! FABRIK on chains of points in figures: what acceleration and circles save, what a cycle costs, and how it compares with cyclic
//! coordinate descent and the Jacobian transpose. Prints tables: `cargo bench --bench points`.
//!
//! All chains are 1 m long and in space, with equal segments and a fixed root; the tolerance is 1 µm where nothing else is said.

use std::error::Error;
use std::time::Instant;

use nalgebra::{UnitQuaternion, Vector3};
use urdf_ik::solver::fabrik::points::{Options, Outcome, PointChain, Problem, Root};

type Posture = Vec<Vector3<f64>>;
type Fallible<T> = Result<T, Box<dyn Error>>;

/// Cycles or iterations after which a run counts as failed.
const LIMIT: usize = 500_000;

fn main() -> Fallible<()> {
    stretched()?;
    circles()?;
    cost()?;
    paper()
}

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((self.0 >> 32) as u32) / (f64::from(u32::MAX) + 1.0)
    }

    /// Uniform in the ball of radius 1.
    fn in_ball(&mut self) -> Vector3<f64> {
        loop {
            let vector = Vector3::from_fn(|_, _| 2.0 * self.unit() - 1.0);
            if (1e-6..=1.0).contains(&vector.norm()) {
                return vector;
            }
        }
    }

    fn direction(&mut self) -> Vector3<f64> {
        self.in_ball().normalize()
    }

    fn walk(&mut self, segments: usize) -> Posture {
        let mut points = vec![Vector3::zeros()];
        for i in 0..segments {
            points.push(points[i] + self.direction() / number(segments));
        }
        points
    }
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// A smooth posture: an arc of 1 rad.
fn arc(segments: usize) -> Posture {
    let mut points = vec![Vector3::zeros()];
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
    seconds: f64,
}

impl Tally {
    fn mean(&self) -> f64 {
        number(self.iterations.iter().sum()) / number(self.iterations.len())
    }

    fn quantile(&mut self, permille: usize) -> usize {
        self.iterations.sort_unstable();
        self.iterations[((self.iterations.len() - 1) * permille).div_ceil(1000)]
    }

    /// Runs `solve` (which gives iterations and success), and counts.
    fn add(&mut self, solve: impl FnOnce() -> Fallible<(usize, bool)>) -> Fallible<()> {
        let start = Instant::now();
        let (iterations, solved) = solve()?;
        self.seconds += start.elapsed().as_secs_f64();
        self.iterations.push(iterations);
        self.failed += usize::from(!solved);
        Ok(())
    }
}

fn fabrik(tally: &mut Tally, start: &Posture, targets: &[Vector3<f64>], options: Options) -> Fallible<()> {
    let chain = PointChain::from_points(start)?;
    let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
    for target in targets {
        tally.add(|| {
            let problem = Problem { target: *target, root: Root::Fixed, points: start, options };
            chain.solve(&problem, &mut scratch, &mut solution)?;
            Ok((solution.cycles, solution.outcome == Outcome::Solved))
        })?;
    }
    Ok(())
}

fn options(acceleration: usize, circles: bool) -> Options {
    Options { acceleration, circles, cycles: LIMIT, stall: 0.0, ..Options::default() }
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
            let mut random = Random(1);
            let targets: Vec<_> = (0..targets).map(|_| random.direction() * distance).collect();
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
                    let mut random = Random(2);
                    for _ in 0..runs {
                        let start = if walk { random.walk(segments) } else { arc(segments) };
                        let target = random.direction() * (low + (high - low) * random.unit());
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
            let options = Options { tolerance: 1e-300, cycles, ..options(depth, circles) };
            let mut least = f64::INFINITY;
            for _ in 0..5 {
                let mut tally = Tally::default();
                let targets = vec![Vector3::new(0.0, 0.999_999, 0.0); 20_000 / (segments * cycles) + 1];
                fabrik(&mut tally, &start, &targets, options)?;
                let steps = number(tally.iterations.iter().sum()) * number(segments);
                least = least.min(1e9 * tally.seconds / steps);
            }
            cells.push(format!("{least:.1}"));
        }
        println!("| {segments} | {} |", cells.join(" | "));
    }
    Ok(())
}

fn paper() -> Fallible<()> {
    println!(
        "\n10 segments, 1000 targets uniform in the ball of the reach, tolerance 1 mm of 1 m, at most 10000 iterations"
    );
    for (name, walk) in [("an arc of 1 rad", false), ("a random walk", true)] {
        println!("\nfrom {name}\n\n| method | mean | median | 99 % | failed | mean µs |\n|---|---|---|---|---|---|");
        for method in ["FABRIK", "FABRIK, circles", "FABRIK, depth 5", "CCD", "Jacobian transpose"] {
            let (mut tally, mut random) = (Tally::default(), Random(3));
            for _ in 0..1000 {
                let mut start = if walk { random.walk(10) } else { arc(10) };
                let target = random.in_ball();
                let (depth, circles) = (if method.ends_with('5') { 5 } else { 0 }, method.ends_with("circles"));
                let options = Options { tolerance: 1e-3, cycles: 10_000, ..options(depth, circles) };
                match method {
                    "CCD" => tally.add(|| Ok(iterate(&mut start, &target, descend_by_coordinates)))?,
                    "Jacobian transpose" => tally.add(|| Ok(iterate(&mut start, &target, descend_by_transpose)))?,
                    _ => fabrik(&mut tally, &start, &[target], options)?,
                }
            }
            let (mean, failed, micros) = (tally.mean(), tally.failed, 1e6 * tally.seconds / 1000.0);
            let (median, most) = (tally.quantile(500), tally.quantile(990));
            println!("| {method} | {mean:.1} | {median} | {most} | {failed} | {micros:.2} |");
        }
    }
    Ok(())
}

/// Takes steps until the tip is at the target; gives their number and whether it is.
fn iterate(points: &mut Posture, target: &Vector3<f64>, step: fn(&mut [Vector3<f64>], &Vector3<f64>)) -> (usize, bool) {
    let tip = points.len() - 1;
    for iterations in 0..10_000 {
        if (points[tip] - target).norm() <= 1e-3 {
            return (iterations, true);
        }
        step(points, target);
    }
    (10_000, false)
}

/// One sweep of cyclic coordinate descent (Wang and Chen 1991): each joint, from the last to the first, turns the tip as near to
/// the target as it can.
fn descend_by_coordinates(points: &mut [Vector3<f64>], target: &Vector3<f64>) {
    let tip = points.len() - 1;
    for joint in (0..tip).rev() {
        let pivot = points[joint];
        if let Some(turn) = UnitQuaternion::rotation_between(&(points[tip] - pivot), &(target - pivot)) {
            for point in &mut points[joint + 1..] {
                *point = pivot + turn * (*point - pivot);
            }
        }
    }
}

/// One step of the Jacobian transpose on ball joints: rotation vectors α Jᵀe, with the α that is best to first order (Buss 2004),
/// and no turn beyond half a radian.
fn descend_by_transpose(points: &mut [Vector3<f64>], target: &Vector3<f64>) {
    let tip = points.len() - 1;
    let error = target - points[tip];
    let turn = |joint: usize| (points[tip] - points[joint]).cross(&error);
    let (mut forward, mut largest) = (Vector3::zeros(), 0.0_f64);
    for joint in 0..tip {
        forward += turn(joint).cross(&(points[tip] - points[joint]));
        largest = largest.max(turn(joint).norm());
    }
    let best = error.dot(&forward) / forward.norm_squared().max(f64::MIN_POSITIVE);
    let step = best.min(0.5 / largest.max(f64::MIN_POSITIVE));
    let turns: Posture = (0..tip).map(|joint| turn(joint) * step).collect();
    // A segment takes part in the turns of all joints before it.
    let (mut total, mut was_start) = (UnitQuaternion::identity(), points[0]);
    for (segment, turn) in turns.into_iter().enumerate() {
        total *= UnitQuaternion::from_scaled_axis(turn);
        let was = points[segment + 1];
        points[segment + 1] = points[segment] + total * (was - was_start);
        was_start = was;
    }
}
