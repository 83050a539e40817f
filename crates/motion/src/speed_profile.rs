//! Time-optimal speed along a smooth part of a path, from rest to rest, under all limits.
//!
//! The squared rate z(x) of the [nominal motion](super::nominal_motion) is a quadratic spline, so accelerations are
//! continuous and jerks bounded. The duration ∫ dx / √z is minimised with a logarithmic barrier at each limit, by
//! Newton's method (Boyd and Vandenberghe 2004, "Convex optimization", chapter 11). Second derivatives that may be
//! negative are omitted.
//!
//! The squared rate of a first motion, which starts and ends at rest, has no singularity at the ends of the path,
//! unlike the squared speed. The barrier keeps the same relative distance from each limit along the whole path, so the
//! speed does not chatter between limits. A corner that is not rounded is a rest.

use super::nominal_motion::NominalMotion;
use super::speed_limits::LimitSample;
use super::timing::SpeedProblem;
use urdf_ik_mathematics::band_matrix::BandMatrix;
use urdf_ik_mathematics::spline::Basis;

/// Maximum number of Newton steps for one barrier weight.
const STEPS: usize = 30;
/// Half of the squared Newton decrement at which the iteration ends.
const DECREMENT_TOLERANCE: f64 = 1e-4;
/// Successive weights of the duration against the barriers, divided by the duration.
const WEIGHTS: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
/// Fraction of the maximum speed that is used: between the checked points, limits may be exceeded slightly.
const SPEED_FRACTION: f64 = 0.995;
/// Nodes and weights of the five-point Gauss-Legendre rule on the interval from 0 to 1.
const GAUSS_NODES: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_5),
    (0.230_765_344_947_158_5, 0.239_314_335_249_683_2),
    (0.5, 0.284_444_444_444_444_5),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_2),
    (0.953_089_922_969_332, 0.118_463_442_528_094_5),
];

/// The speed along a smooth part of a path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpeedProfile {
    motion: NominalMotion,
    basis: Basis<3>,
    /// Spline coefficients of z.
    coefficients: Vec<f64>,
    /// Time at each end of an interval of x \[s\].
    times: Vec<f64>,
}

/// Path length \[m\], with the speed \[m/s\] and the acceleration \[m/s²\] along the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PathProgress {
    pub(super) length: f64,
    pub(super) speed: f64,
    pub(super) acceleration: f64,
}

impl SpeedProfile {
    /// The fastest profile along a part of a curve.
    pub(super) fn new(problem: &SpeedProblem) -> Self {
        let motion = NominalMotion::new(problem);
        let basis = Basis::new(&motion.intervals(problem.part));
        let samples = problem.samples(&motion, &basis);
        let mut coefficients = vec![slow(&samples); basis.coefficients()];
        ProfileSearch::new(&samples, coefficients.len()).speed_up(&mut coefficients);
        // Scaling the time by a factor scales velocities by it, accelerations by its square, jerks by its cube.
        for coefficient in &mut coefficients {
            *coefficient *= SPEED_FRACTION * SPEED_FRACTION;
        }
        let mut profile = Self { motion, basis, coefficients, times: vec![0.0] };
        for interval in 0..profile.basis.ends().len() - 1 {
            let end = profile.basis.ends()[interval + 1];
            profile.times.push(profile.times[interval] + profile.time_on(interval, end));
        }
        profile
    }

    /// Duration \[s\].
    pub(super) fn duration(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// The progress at `time` \[s\]; at rest at the ends.
    pub(super) fn at(&self, time: f64) -> PathProgress {
        let interval = self.times.partition_point(|end| *end <= time).clamp(1, self.times.len() - 1) - 1;
        let [start, end] = [interval, interval + 1].map(|end| (self.times[end], self.basis.ends()[end]));
        let mut x = start.1 + (end.1 - start.1) * ((time - start.0) / (end.0 - start.0)).clamp(0.0, 1.0);
        for _ in 0..6 {
            let late = self.times[interval] + self.time_on(interval, x) - time;
            x = (x - late * self.squared_rate(interval, x)[0].sqrt()).clamp(start.1, end.1);
        }
        let [z, slope, _] = self.squared_rate(interval, x);
        let [length, rate, change, _] = self.motion.at(x);
        PathProgress { length, speed: rate * z.sqrt(), acceleration: change * z + 0.5 * rate * slope }
    }

    /// Time from the start of an interval to `x` in it \[s\].
    fn time_on(&self, interval: usize, x: f64) -> f64 {
        let start = self.basis.ends()[interval];
        let step = x - start;
        let at =
            |(node, weight): &(f64, f64)| weight * step / self.squared_rate(interval, start + node * step)[0].sqrt();
        GAUSS_NODES.iter().map(at).sum()
    }

    /// z and its derivatives.
    fn squared_rate(&self, interval: usize, x: f64) -> [f64; 3] {
        derivatives(&self.basis.derivatives(interval, x), &self.coefficients[interval..])
    }
}

fn derivatives(basis: &[[f64; 3]; 3], coefficients: &[f64]) -> [f64; 3] {
    basis.map(|row| row[0] * coefficients[0] + row[1] * coefficients[1] + row[2] * coefficients[2])
}

/// A constant z well inside all limits.
fn slow(samples: &[LimitSample]) -> f64 {
    let mut z = f64::MAX;
    for sample in samples {
        z = z.min(0.5 * sample.max_z);
        z = sample.accelerations.iter().fold(z, |z, row| z.min(0.5 / row[0].abs()));
        z = sample.jerks.iter().fold(z, |z, row| z.min((0.5 / row[0].abs()).powf(2.0 / 3.0)));
    }
    z
}

/// Newton's method for the fastest z, with its scratch memory.
struct ProfileSearch<'a> {
    samples: &'a [LimitSample],
    hessian: BandMatrix,
    /// The negative gradient, and then the step.
    step: Vec<f64>,
}

/// The objective at one sample, with its derivatives by z, z′ and z″.
#[derive(Default)]
struct BarrierCost {
    value: f64,
    slope: [f64; 3],
    curvature: [[f64; 3]; 3],
}

impl<'a> ProfileSearch<'a> {
    fn new(samples: &'a [LimitSample], unknowns: usize) -> Self {
        Self { samples, hessian: BandMatrix::zeros(unknowns, 3), step: vec![0.0; unknowns] }
    }

    fn speed_up(&mut self, z: &mut [f64]) {
        for weight in WEIGHTS {
            let weight = weight / self.time(z);
            for _ in 0..STEPS {
                if !self.newton_step(weight, z) {
                    break;
                }
            }
        }
    }

    fn time(&self, z: &[f64]) -> f64 {
        let at = |sample: &LimitSample| sample.weight / derivatives(&sample.basis, &z[sample.first..])[0].sqrt();
        self.samples.iter().map(at).sum()
    }

    /// Takes one step; returns whether another one is worthwhile.
    fn newton_step(&mut self, weight: f64, z: &mut [f64]) -> bool {
        self.hessian.clear();
        self.step.fill(0.0);
        let mut value = 0.0;
        for sample in self.samples {
            let Some(cost) = sample.cost(weight, derivatives(&sample.basis, &z[sample.first..])) else { return false };
            value += cost.value;
            for a in 0..3 {
                self.step[sample.first + a] -= (0..3).map(|k| sample.basis[k][a] * cost.slope[k]).sum::<f64>();
                let row: [f64; 3] =
                    std::array::from_fn(|l| (0..3).map(|k| sample.basis[k][a] * cost.curvature[k][l]).sum());
                for b in 0..=a {
                    let entry = (0..3).map(|l| row[l] * sample.basis[l][b]).sum();
                    self.hessian.add(sample.first + a, sample.first + b, entry);
                }
            }
        }
        let slope = self.step.clone();
        if !self.hessian.factorise(0.0) {
            return false;
        }
        self.hessian.solve(&mut self.step);
        let decrement: f64 = slope.iter().zip(&self.step).map(|(slope, step)| slope * step).sum();
        let mut fraction = 1.0;
        while fraction > 1e-6 {
            let tried: Vec<f64> = z.iter().zip(&self.step).map(|(z, step)| z + fraction * step).collect();
            if self.value(weight, &tried).is_some_and(|found| found < value - 0.1 * fraction * decrement) {
                z.copy_from_slice(&tried);
                return 0.5 * decrement > DECREMENT_TOLERANCE;
            }
            fraction *= 0.5;
        }
        false
    }

    /// The objective at z; `None` outside a limit.
    fn value(&self, weight: f64, z: &[f64]) -> Option<f64> {
        let cost = |sample: &LimitSample| sample.cost(weight, derivatives(&sample.basis, &z[sample.first..]));
        self.samples.iter().map(|sample| cost(sample).map(|cost| cost.value)).sum()
    }
}

impl LimitSample {
    /// The weighted duration minus the logarithms of the slacks of all limits; `None` outside a limit.
    fn cost(&self, weight: f64, [z, slope, bend]: [f64; 3]) -> Option<BarrierCost> {
        if !(z > 0.0 && z < self.max_z) {
            return None;
        }
        let root = z.sqrt();
        let time = weight / root;
        let slack = self.max_z - z;
        let mut cost = BarrierCost { value: time, ..BarrierCost::default() };
        cost.slope[0] = -0.5 * time / z + 1.0 / slack;
        cost.curvature[0][0] = 0.75 * time / (z * z) + 1.0 / (slack * slack);
        // One logarithm of a product instead of many.
        let mut product = 1.0 - z / self.max_z;
        for row in &self.accelerations {
            product *= cost.add_barrier(row[0] * z + row[1] * slope, [row[0], row[1], 0.0])?;
        }
        for row in &self.jerks {
            let over_root = row[0] * z + row[1] * slope + row[2] * bend;
            product *= cost.add_barrier(
                root * over_root,
                [root * row[0] + 0.5 * over_root / root, root * row[1], root * row[2]],
            )?;
        }
        cost.value -= product.ln();
        Some(cost.times(self.weight))
    }
}

impl BarrierCost {
    fn times(mut self, factor: f64) -> Self {
        self.value *= factor;
        self.slope = self.slope.map(|entry| factor * entry);
        self.curvature = self.curvature.map(|row| row.map(|entry| factor * entry));
        self
    }

    /// Adds the barrier −ln(1 − used²) of a quantity relative to its limit to the derivatives; returns 1 − used².
    /// `None` outside the limit.
    fn add_barrier(&mut self, used: f64, slope: [f64; 3]) -> Option<f64> {
        let left = 1.0 - used * used;
        if left <= 0.0 || left.is_nan() {
            return None;
        }
        let first = 2.0 * used / left;
        let second = 2.0 * (1.0 + used * used) / (left * left);
        for k in 0..3 {
            self.slope[k] += first * slope[k];
            for l in 0..3 {
                self.curvature[k][l] += second * slope[k] * slope[l];
            }
        }
        Some(left)
    }
}
