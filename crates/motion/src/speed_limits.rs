//! What the limits of joints and path allow of the speed along a smooth part of a path.
//!
//! The path length is s(x) of a [first motion](super::first_motion) with x from 0 to 1. Sought is how fast x moves: its squared rate z(x). With Q(x) = q(s(x)) and derivatives by x the joints have the velocity Q′ √z, the acceleration
//! Q″ z + ½ Q′ z′ and the jerk √z (Q‴ z + 3/2 Q″ z′ + ½ Q′ z″) (Verscheure and others 2009, "Time-optimal path tracking for robots: a convex
//! optimization approach"). As the first motion is at rest at the ends, z need not vanish there.

use nalgebra::Vector6;

use super::first_motion::FirstMotion;
use super::joint_curve::Derivatives;
use super::limits::MotionLimits;
use super::timing::SpeedProblem;
use super::tip::TipJacobian;
use urdf_ik_mathematics::spline::Basis;

/// Places in each interval where limits are checked, in an interval from 0 to 1, with their weights in Boole's rule.
const CHECKED_PLACES: [(f64, f64); 5] =
    [(0.0, 7.0 / 90.0), (0.25, 32.0 / 90.0), (0.5, 12.0 / 90.0), (0.75, 32.0 / 90.0), (1.0, 7.0 / 90.0)];

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

impl SpeedProblem<'_> {
    /// The places of the part, with z on `basis`.
    pub(super) fn places(&self, motion: &FirstMotion, basis: &Basis<3>) -> Vec<Place> {
        let Self { chain, path, timing, part } = self;
        let mut places = Vec::new();
        let mut tip = TipJacobian::new(chain, path.target.tip);
        let mut joints = part.derivatives();
        for (first, ends) in basis.ends().windows(2).enumerate() {
            let size = ends[1] - ends[0];
            let middle = 0.5 * (ends[0] + ends[1]);
            let on_curve = part.basis.interval(motion.at(middle)[0]);
            for (place, weight) in CHECKED_PLACES {
                let x = ends[0] + place * size;
                let lengths = motion.on_interval_of(middle, x);
                part.at(on_curve, lengths[0], &mut joints);
                let speed = timing.speed / (lengths[1] * self.tip_speed(&mut tip, lengths[0], &joints));
                let mut limits = Place {
                    first,
                    basis: basis.derivatives(first, x),
                    weight: weight * size,
                    greatest: speed * speed,
                    accelerations: vec![[lengths[2] / timing.acceleration, 0.5 * lengths[1] / timing.acceleration]],
                    jerks: Vec::new(),
                };
                for i in 0..path.limits.velocities.len() {
                    limits.add_joint(&lengths, joints.each_ref().map(|derivative| derivative[i]), path.limits, i);
                }
                places.push(limits);
            }
        }
        places
    }

    /// How fast the tip moves for each metre of path: by the path, or by the joints where it moves faster, along a free axis or by what it
    /// deviates.
    fn tip_speed(&self, tip: &mut TipJacobian, length: f64, joints: &Derivatives) -> f64 {
        tip.find(&joints[0]);
        let twist: Vector6<f64> = tip.columns.iter().zip(&joints[1]).map(|(column, rate)| column * *rate).sum();
        twist.fixed_rows::<3>(0).norm().max(self.path.path.speed_at(length))
    }
}

impl Place {
    fn add_joint(&mut self, s: &[f64; 4], q: [f64; 4], limits: &MotionLimits, i: usize) {
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
