//! Constraints of joint and path limits on the speed along a smooth part of a path.
//!
//! The path length is s(x) of a [nominal motion](super::nominal_motion) with x from 0 to 1, and the unknown is the
//! squared rate z(x) of x. With Q(x) = q(s(x)) and derivatives by x the joints have the velocity Q′ √z, the
//! acceleration Q″ z + ½ Q′ z′ and the jerk √z (Q‴ z + 3/2 Q″ z′ + ½ Q′ z″) (Verscheure and others 2009, "Time-optimal
//! path tracking for robots: a convex optimization approach"). As the nominal motion is at rest at the ends, z need not
//! vanish there.

use nalgebra::Vector6;

use super::joint_curve::Derivatives;
use super::limits::MotionLimits;
use super::nominal_motion::NominalMotion;
use super::timing::SpeedProblem;
use super::tip_kinematics::TipJacobian;
use urdf_ik_mathematics::spline::Basis;

/// Points of each interval, from 0 to 1, at which limits are checked, with their weights in Boole's rule.
const CHECKED_POINTS: [(f64, f64); 5] =
    [(0.0, 7.0 / 90.0), (0.25, 32.0 / 90.0), (0.5, 12.0 / 90.0), (0.75, 32.0 / 90.0), (1.0, 7.0 / 90.0)];

/// The limits at one point x.
pub(super) struct LimitSample {
    /// Index of the first of the three coefficients of z that contribute.
    pub(super) first: usize,
    /// Weights of the coefficients in z and its first two derivatives.
    pub(super) basis: [[f64; 3]; 3],
    /// Quadrature weight of 1 / √z in the duration.
    pub(super) weight: f64,
    /// Maximum of z by the velocity limits.
    pub(super) max_z: f64,
    /// For each acceleration limit, the weights of z and z′, divided by the limit.
    pub(super) accelerations: Vec<[f64; 2]>,
    /// For each jerk limit, the weights of z, z′ and z″ in the jerk over √z, divided by the limit.
    pub(super) jerks: Vec<[f64; 3]>,
}

impl SpeedProblem<'_> {
    /// The limits along the part, for z on `basis`.
    pub(super) fn samples(&self, motion: &NominalMotion, basis: &Basis<3>) -> Vec<LimitSample> {
        let Self { chain, path, timing, curve, part } = self;
        let mut samples = Vec::new();
        let mut tip = TipJacobian::new(chain, path.target.tip);
        for (first, ends) in basis.ends().windows(2).enumerate() {
            let size = ends[1] - ends[0];
            let middle = 0.5 * (ends[0] + ends[1]);
            let on_curve = part.basis.interval(motion.at(middle)[0]);
            for (point, weight) in CHECKED_POINTS {
                let x = ends[0] + point * size;
                let lengths = motion.on_interval_of(middle, x);
                let joints = curve.derivatives(part, on_curve, lengths[0]);
                let speed = timing.speed / (lengths[1] * self.tip_speed(&mut tip, lengths[0], &joints));
                let mut limits = LimitSample {
                    first,
                    basis: basis.derivatives(first, x),
                    weight: weight * size,
                    max_z: speed * speed,
                    accelerations: vec![[lengths[2] / timing.acceleration, 0.5 * lengths[1] / timing.acceleration]],
                    jerks: Vec::new(),
                };
                for i in 0..path.limits.velocities.len() {
                    limits.add_joint(&lengths, joints.each_ref().map(|derivative| derivative[i]), path.limits, i);
                }
                samples.push(limits);
            }
        }
        samples
    }

    /// Speed of the tip per metre of path: by the path, or by the joints where it is higher, along a free axis or by
    /// the deviation.
    fn tip_speed(&self, tip: &mut TipJacobian, length: f64, joints: &Derivatives) -> f64 {
        tip.find(&joints[0]);
        let twist: Vector6<f64> = tip.columns.iter().zip(&joints[1]).map(|(column, rate)| column * *rate).sum();
        twist.fixed_rows::<3>(0).norm().max(self.path.path.speed_at(length))
    }
}

impl LimitSample {
    fn add_joint(&mut self, s: &[f64; 4], q: [f64; 4], limits: &MotionLimits, i: usize) {
        let first = q[1] * s[1];
        let second = q[2] * s[1] * s[1] + q[1] * s[2];
        let third = q[3] * s[1].powi(3) + 3.0 * q[2] * s[1] * s[2] + q[1] * s[3];
        let velocity = limits.velocities[i] / first;
        self.max_z = self.max_z.min(velocity * velocity);
        let (acceleration, jerk) = (limits.accelerations[i], limits.jerks[i]);
        // An infinite limit yields zeros.
        self.accelerations.push([second / acceleration, 0.5 * first / acceleration]);
        self.jerks.push([third / jerk, 1.5 * second / jerk, 0.5 * first / jerk]);
    }
}
