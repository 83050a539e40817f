//! What the limits of joints and path allow of the speed along a smooth part of a path.
//!
//! The path length s moves as s(x) of a first motion with x from 0 to 1, a polynomial that is at rest at both ends. Sought is how fast x
//! moves: its squared rate z(x). With Q(x) = q(s(x)) and derivatives by x the joints have the velocity Q′ √z, the acceleration
//! Q″ z + ½ Q′ z′ and the jerk √z (Q‴ z + 3/2 Q″ z′ + ½ Q′ z″) (Verscheure and others 2009, "Time-optimal path tracking for robots: a convex
//! optimization approach"). As the first motion is at rest at the ends, z need not vanish there.

use nalgebra::Vector6;

use super::joint_curve::{Derivatives, JointCurve, Part};
use super::path_problem::PathProblem;
use super::spline::Basis;
use super::trajectory::Timing;
use crate::robot::{Chain, ChainPoses};

/// Greatest interval of x.
const GREATEST_INTERVAL: f64 = 1.0 / 64.0;
/// Greatest interval over the distance from the nearer end.
const INTERVAL_OF_DISTANCE: f64 = 0.1;
/// Least number of intervals in a ramp of the first motion.
const INTERVALS_OF_A_RAMP: f64 = 12.0;
/// Length of a ramp of the first motion over the length on which the path can come to speed. Beyond it the first motion is even, and an even
/// speed is a constant z.
const RAMP_SHARE: f64 = 0.5;
/// Least length of a ramp of the first motion over the length of the path.
const LEAST_RAMP: f64 = 1e-6;
/// Places in each interval where limits are checked, in an interval from 0 to 1, with their weights in Boole's rule.
const CHECKED_PLACES: [(f64, f64); 5] =
    [(0.0, 7.0 / 90.0), (0.25, 32.0 / 90.0), (0.5, 12.0 / 90.0), (0.75, 32.0 / 90.0), (1.0, 7.0 / 90.0)];

/// The first motion: the path length by x, with its derivatives. A ramp up, an even speed, and a ramp down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FirstMotion {
    start: f64,
    end: f64,
    /// Change of path length by x between the ramps \[m\].
    rate: f64,
    /// The ramps' share of x, at the start and at the end.
    ramps: [f64; 2],
}

impl FirstMotion {
    /// From `start` to `end` with ramps of the given lengths \[m\], or shorter ones where the path is too short.
    fn new(start: f64, end: f64, ramps: [f64; 2]) -> Self {
        let length = end - start;
        let ramps = ramps.map(|ramp| ramp.max(LEAST_RAMP * length));
        let both = ramps[0] + ramps[1];
        let ramps = ramps.map(|ramp| ramp * (length / both).min(1.0));
        let rate = length + ramps[0] + ramps[1];
        Self { start, end, rate, ramps: ramps.map(|ramp| 2.0 * ramp / rate) }
    }

    /// The path length and its first three derivatives.
    pub(super) fn at(&self, x: f64) -> [f64; 4] {
        self.on_interval_of(x, x)
    }

    /// The same at the end of an interval that contains `inside`: the third derivative may be another one beyond it.
    fn on_interval_of(&self, inside: f64, x: f64) -> [f64; 4] {
        let [up, down] = self.ramps;
        if inside < up {
            let [length, rate, change, bend] = self.on_ramp(x, up);
            [self.start + length, rate, change, bend]
        } else if 1.0 - inside < down {
            let [length, rate, change, bend] = self.on_ramp(1.0 - x, down);
            [self.end - length, rate, -change, bend]
        } else {
            [self.start + self.rate * (x - 0.5 * up), self.rate, 0.0, 0.0]
        }
    }

    fn on_ramp(&self, x: f64, ramp: f64) -> [f64; 4] {
        let part = x / ramp;
        [
            self.rate * ramp * part.powi(3) * (1.0 - 0.5 * part),
            self.rate * part * part * (3.0 - 2.0 * part),
            self.rate / ramp * 6.0 * part * (1.0 - part),
            self.rate / (ramp * ramp) * 6.0 * (1.0 - 2.0 * part),
        ]
    }

    /// Where it has a path length.
    fn inverse(&self, length: f64) -> f64 {
        let (mut below, mut above) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (below + above);
            if self.at(middle)[0] < length { below = middle } else { above = middle }
        }
        0.5 * (below + above)
    }

    /// The intervals of x, in which curve and first motion are polynomials: short where the speed changes most.
    pub(super) fn intervals(&self, part: &Part) -> Vec<f64> {
        let [up, down] = self.ramps;
        let inner = &part.basis.ends()[1..part.basis.ends().len() - 1];
        let mut breaks: Vec<f64> = inner.iter().map(|length| self.inverse(*length)).collect();
        breaks.extend([up, 1.0 - down, 1.0]);
        breaks.sort_by(f64::total_cmp);
        let mut ends = vec![0.0];
        for end in breaks {
            let mut here = ends[ends.len() - 1];
            let step = |x: f64| {
                let least = if x < 0.5 { up } else { down } / INTERVALS_OF_A_RAMP;
                (INTERVAL_OF_DISTANCE * x.min(1.0 - x)).max(least).min(GREATEST_INTERVAL)
            };
            // What is left at the end is divided evenly, so that no very short interval is left.
            while end - here > 2.0 * step(here) {
                here += step(here);
                ends.push(here);
            }
            if end - here > step(here) {
                ends.push(0.5 * (here + end));
            }
            if end - here > 1e-3 * step(here) {
                ends.push(end);
            }
        }
        let last = ends.len() - 1;
        ends[last] = 1.0;
        ends
    }
}

/// The first motion on a part of a curve, with ramps that fit the limits at its ends.
pub(super) fn first_motion(problem: &PathProblem, timing: &Timing, (curve, part): (&JointCurve, &Part)) -> FirstMotion {
    let mut joints: Derivatives = std::array::from_fn(|_| vec![0.0; curve.variables()]);
    let limits = problem.limits;
    let ramps = [part.start(), part.end()].map(|length| {
        curve.at(part, part.basis.interval(length), length, &mut joints);
        let least = |limits: &[f64], most: f64| {
            joints[1].iter().zip(limits).fold(most, |least, (rate, limit)| least.min(limit / rate.abs()))
        };
        let speed = least(&limits.velocities, timing.speed);
        let acceleration = least(&limits.accelerations, timing.acceleration);
        let jerk = least(&limits.jerks, f64::INFINITY);
        // The length of a ramp with such limits: with constant jerk alone, or with constant acceleration in the middle.
        let time = if speed * jerk > acceleration * acceleration {
            speed / acceleration + acceleration / jerk
        } else {
            2.0 * (speed / jerk).sqrt()
        };
        RAMP_SHARE * 0.5 * speed * time
    });
    FirstMotion::new(part.start(), part.end(), ramps)
}

/// A place where limits are checked.
pub(super) struct Place {
    /// Index of the first of three coefficients of z that count there.
    pub(super) first: usize,
    /// What they count for z and its first two derivatives.
    pub(super) basis: [[f64; 3]; 3],
    /// Share of the time: its weight times 1 / √z.
    pub(super) weight: f64,
    /// Greatest z by velocities.
    pub(super) greatest: f64,
    /// For each acceleration, what z and z′ count, over its limit.
    pub(super) accelerations: Vec<[f64; 2]>,
    /// For each jerk over √z, what z, z′ and z″ count, over its limit.
    pub(super) jerks: Vec<[f64; 3]>,
}

/// The places of a part, with z on `basis`.
pub(super) fn places(
    chain: &Chain,
    problem: &PathProblem,
    timing: &Timing,
    (curve, part): (&JointCurve, &Part),
    (motion, basis): (&FirstMotion, &Basis<3>),
) -> Vec<Place> {
    let mut places = Vec::new();
    let mut tip = TipSpeed::new(chain, problem);
    let mut joints: Derivatives = std::array::from_fn(|_| vec![0.0; curve.variables()]);
    for (first, ends) in basis.ends().windows(2).enumerate() {
        let size = ends[1] - ends[0];
        let middle = 0.5 * (ends[0] + ends[1]);
        let on_curve = part.basis.interval(motion.at(middle)[0]);
        for (place, weight) in CHECKED_PLACES {
            let x = ends[0] + place * size;
            let lengths = motion.on_interval_of(middle, x);
            curve.at(part, on_curve, lengths[0], &mut joints);
            let speed = timing.speed / (lengths[1] * tip.at(lengths[0], &joints));
            let mut limits = Place {
                first,
                basis: basis.derivatives(first, x),
                weight: weight * size,
                greatest: speed * speed,
                accelerations: vec![[lengths[2] / timing.acceleration, 0.5 * lengths[1] / timing.acceleration]],
                jerks: Vec::new(),
            };
            for i in 0..curve.variables() {
                limits.add_joint(&lengths, joints.each_ref().map(|derivative| derivative[i]), problem, i);
            }
            places.push(limits);
        }
    }
    places
}

impl Place {
    fn add_joint(&mut self, s: &[f64; 4], q: [f64; 4], problem: &PathProblem, i: usize) {
        let limits = problem.limits;
        let first = q[1] * s[1];
        let second = q[2] * s[1] * s[1] + q[1] * s[2];
        let third = q[3] * s[1].powi(3) + 3.0 * q[2] * s[1] * s[2] + q[1] * s[3];
        let velocity = limits.velocities[i] / first;
        self.greatest = self.greatest.min(velocity * velocity);
        let (acceleration, jerk) = (limits.accelerations[i], limits.jerks[i]);
        // Where there is no limit, nothing counts.
        self.accelerations.push([second / acceleration, 0.5 * first / acceleration]);
        self.jerks.push([third / jerk, 1.5 * second / jerk, 0.5 * first / jerk]);
    }
}

/// How fast the tip moves for each metre of path.
struct TipSpeed<'a> {
    chain: &'a Chain,
    problem: &'a PathProblem<'a>,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
}

impl<'a> TipSpeed<'a> {
    fn new(chain: &'a Chain, problem: &'a PathProblem<'a>) -> Self {
        let columns = vec![Vector6::zeros(); chain.variables().len()];
        Self { chain, problem, poses: ChainPoses::new(chain), columns }
    }

    /// By the path, or by the joints where the tip moves faster: along a free axis, or by what it deviates.
    fn at(&mut self, length: f64, joints: &Derivatives) -> f64 {
        let (chain, tip) = (self.chain, self.problem.target.tip);
        chain.forward_kinematics(&joints[0], &mut self.poses);
        let point = self.poses.tips()[tip].translation.vector.into();
        chain.jacobian(&self.poses, tip, &point, &mut self.columns);
        let columns = self.columns.iter().zip(&joints[1]);
        let twist: Vector6<f64> = columns.map(|(column, rate)| column * *rate).sum();
        twist.fixed_rows::<3>(0).norm().max(self.problem.path.speed_at(length))
    }
}
