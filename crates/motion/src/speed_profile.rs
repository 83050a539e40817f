//! The speed along a smooth part of a path, from rest to rest: as fast as all limits allow.
//!
//! The squared rate z(x) of the [first motion](super::first_motion) is a spline of degree two, so that accelerations are continuous and
//! jerks bounded. The time ∫ dx / √z is lessened with a logarithmic barrier at each limit, by Newton's method (Boyd and Vandenberghe 2004,
//! "Convex optimization", chapter 11). Second derivatives that are not surely positive are left out.

use super::first_motion::FirstMotion;
use super::speed_limits::Place;
use super::timing::SpeedProblem;
use urdf_ik_mathematics::band_matrix::BandMatrix;
use urdf_ik_mathematics::spline::Basis;

/// Newton steps at most, for one weight of the time.
const STEPS: usize = 30;
/// Half of the squared Newton decrement that is small enough.
const MIN_DECREMENT: f64 = 1e-4;
/// Weights of the time against the barriers, one after the other, over the time.
const WEIGHTS: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
/// Share of the greatest speed that is used: between the places where limits are checked, rates may be a little greater.
const USED_SHARE: f64 = 0.995;
/// Places and weights of Gauss and Legendre's rule with five points, in an interval from 0 to 1.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_5),
    (0.230_765_344_947_158_5, 0.239_314_335_249_683_2),
    (0.5, 0.284_444_444_444_444_5),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_2),
    (0.953_089_922_969_332, 0.118_463_442_528_094_5),
];

/// The speed along a smooth part of a path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpeedProfile {
    motion: FirstMotion,
    basis: Basis<3>,
    /// Coefficients of z.
    coefficients: Vec<f64>,
    /// Time at each end of an interval of x \[s\].
    times: Vec<f64>,
}

/// Length of the path so far, with the speed and the acceleration along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Progress {
    pub(super) length: f64,
    pub(super) speed: f64,
    pub(super) acceleration: f64,
}

impl SpeedProfile {
    /// The fastest one along a part of a curve.
    pub(super) fn new(problem: &SpeedProblem) -> Self {
        let motion = FirstMotion::new(problem);
        let basis = Basis::new(&motion.intervals(&problem.part));
        let places = problem.places(&motion, &basis);
        let mut coefficients = vec![slow(&places); basis.coefficients()];
        Search::new(&places, coefficients.len()).speed_up(&mut coefficients);
        // Time that passes more slowly by this factor lessens velocities by it, accelerations by its square, jerks by its cube.
        for coefficient in &mut coefficients {
            *coefficient *= USED_SHARE * USED_SHARE;
        }
        let mut profile = Self { motion, basis, coefficients, times: vec![0.0] };
        for interval in 0..profile.basis.ends().len() - 1 {
            let end = profile.basis.ends()[interval + 1];
            profile.times.push(profile.times[interval] + profile.time_on(interval, end));
        }
        profile
    }

    /// Time that it takes \[s\].
    pub(super) fn duration(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// The progress after `time` seconds; at rest at the ends.
    pub(super) fn at(&self, time: f64) -> Progress {
        let interval = self.times.partition_point(|end| *end <= time).clamp(1, self.times.len() - 1) - 1;
        let [start, end] = [interval, interval + 1].map(|end| (self.times[end], self.basis.ends()[end]));
        let mut x = start.1 + (end.1 - start.1) * ((time - start.0) / (end.0 - start.0)).clamp(0.0, 1.0);
        for _ in 0..6 {
            let late = self.times[interval] + self.time_on(interval, x) - time;
            x = (x - late * self.squared_rate(interval, x)[0].sqrt()).clamp(start.1, end.1);
        }
        let [z, slope, _] = self.squared_rate(interval, x);
        let [length, rate, change, _] = self.motion.at(x);
        Progress { length, speed: rate * z.sqrt(), acceleration: change * z + 0.5 * rate * slope }
    }

    /// Time from the start of an interval to `x` in it.
    fn time_on(&self, interval: usize, x: f64) -> f64 {
        let start = self.basis.ends()[interval];
        let step = x - start;
        let at =
            |(place, weight): &(f64, f64)| weight * step / self.squared_rate(interval, start + place * step)[0].sqrt();
        GAUSS.iter().map(at).sum()
    }

    /// z and its derivatives.
    fn squared_rate(&self, interval: usize, x: f64) -> [f64; 3] {
        derivatives(&self.basis.derivatives(interval, x), &self.coefficients[interval..])
    }
}

fn derivatives(basis: &[[f64; 3]; 3], coefficients: &[f64]) -> [f64; 3] {
    basis.map(|row| row[0] * coefficients[0] + row[1] * coefficients[1] + row[2] * coefficients[2])
}

/// A constant z that is well within all limits.
fn slow(places: &[Place]) -> f64 {
    let mut z = f64::MAX;
    for place in places {
        z = z.min(0.5 * place.greatest);
        z = place.accelerations.iter().fold(z, |z, row| z.min(0.5 / row[0].abs()));
        z = place.jerks.iter().fold(z, |z, row| z.min((0.5 / row[0].abs()).powf(2.0 / 3.0)));
    }
    z
}

/// The search for the fastest z, with its scratch.
struct Search<'a> {
    places: &'a [Place],
    hessian: BandMatrix,
    /// The slope, and then the step.
    step: Vec<f64>,
    tried: Vec<f64>,
}

/// What is lessened at one place, with its derivatives by z, z′ and z″.
#[derive(Default)]
struct Cost {
    value: f64,
    slope: [f64; 3],
    curvature: [[f64; 3]; 3],
}

impl<'a> Search<'a> {
    fn new(places: &'a [Place], unknowns: usize) -> Self {
        Self { places, hessian: BandMatrix::zeros(unknowns, 3), step: vec![0.0; unknowns], tried: vec![0.0; unknowns] }
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
        let at = |place: &Place| place.weight / derivatives(&place.basis, &z[place.first..])[0].sqrt();
        self.places.iter().map(at).sum()
    }

    /// Takes one step; returns whether another one is worth it.
    fn newton_step(&mut self, weight: f64, z: &mut [f64]) -> bool {
        self.hessian.clear();
        self.step.fill(0.0);
        let mut value = 0.0;
        for place in self.places {
            let Some(cost) = place.cost(weight, derivatives(&place.basis, &z[place.first..])) else { return false };
            value += cost.value;
            for a in 0..3 {
                self.step[place.first + a] -= (0..3).map(|k| place.basis[k][a] * cost.slope[k]).sum::<f64>();
                let row: [f64; 3] =
                    std::array::from_fn(|l| (0..3).map(|k| place.basis[k][a] * cost.curvature[k][l]).sum());
                for b in 0..=a {
                    let entry = (0..3).map(|l| row[l] * place.basis[l][b]).sum();
                    self.hessian.add(place.first + a, place.first + b, entry);
                }
            }
        }
        let slope = self.step.clone();
        if !self.hessian.factorise() {
            return false;
        }
        self.hessian.solve(&mut self.step);
        let decrement: f64 = slope.iter().zip(&self.step).map(|(slope, step)| slope * step).sum();
        let mut share = 1.0;
        while share > 1e-6 {
            for (tried, (z, step)) in self.tried.iter_mut().zip(z.iter().zip(&self.step)) {
                *tried = z + share * step;
            }
            if self.value(weight, &self.tried).is_some_and(|tried| tried < value - 0.1 * share * decrement) {
                z.copy_from_slice(&self.tried);
                return 0.5 * decrement > MIN_DECREMENT;
            }
            share *= 0.5;
        }
        false
    }

    /// The cost of z; `None` outside a limit.
    fn value(&self, weight: f64, z: &[f64]) -> Option<f64> {
        let cost = |place: &Place| place.cost(weight, derivatives(&place.basis, &z[place.first..]));
        self.places.iter().map(|place| cost(place).map(|cost| cost.value)).sum()
    }
}

impl Place {
    /// The weighted time less the logarithms of what is left of each limit. `None` outside a limit.
    fn cost(&self, weight: f64, [z, slope, bend]: [f64; 3]) -> Option<Cost> {
        if !(z > 0.0 && z < self.greatest) {
            return None;
        }
        let root = z.sqrt();
        let time = weight / root;
        let left = self.greatest - z;
        let mut cost = Cost { value: time, ..Cost::default() };
        cost.slope[0] = -0.5 * time / z + 1.0 / left;
        cost.curvature[0][0] = 0.75 * time / (z * z) + 1.0 / (left * left);
        // One logarithm of a product instead of many.
        let mut product = 1.0 - z / self.greatest;
        for row in &self.accelerations {
            product *= cost.keep(row[0] * z + row[1] * slope, [row[0], row[1], 0.0])?;
        }
        for row in &self.jerks {
            let over_root = row[0] * z + row[1] * slope + row[2] * bend;
            product *=
                cost.keep(root * over_root, [root * row[0] + 0.5 * over_root / root, root * row[1], root * row[2]])?;
        }
        cost.value -= product.ln();
        Some(cost.times(self.weight))
    }
}

impl Cost {
    fn times(mut self, factor: f64) -> Self {
        self.value *= factor;
        self.slope = self.slope.map(|entry| factor * entry);
        self.curvature = self.curvature.map(|row| row.map(|entry| factor * entry));
        self
    }

    /// Keeps `used` between -1 and 1: adds the derivatives of −ln(1 − used²), and gives 1 − used². `None` outside.
    fn keep(&mut self, used: f64, slope: [f64; 3]) -> Option<f64> {
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
