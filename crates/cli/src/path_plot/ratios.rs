//! Quantities of a trajectory over their limits, which makes joints and quantities comparable.

use urdf_ik::motion::{PathProblem, Timing, Trajectory, TrajectoryPoint};
use urdf_ik::robot::{Chain, Domain};

/// A quantity with a limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LimitedQuantity {
    /// Speed of the tip along the path.
    TipSpeed,
    /// Acceleration of the tip along the path.
    TipAcceleration,
    /// Position of a joint, from −1 at the lower limit to 1 at the upper limit.
    Position,
    /// Velocity of a joint.
    Velocity,
    /// Acceleration of a joint.
    Acceleration,
    /// Jerk of a joint.
    Jerk,
}

/// The tip or a joint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Tip,
    /// A joint, by the index of its variable in the chain.
    Joint(usize),
}

/// The ratio of a quantity to its limit at each point of a trajectory.
pub struct LimitRatio {
    pub quantity: LimitedQuantity,
    pub owner: Owner,
    /// One ratio per point of the trajectory, with the sign of the quantity; ±1 at the limit.
    pub values: Vec<f64>,
}

impl LimitRatio {
    /// The greatest magnitude of the ratio; 1 at the limit.
    pub fn greatest(&self) -> f64 {
        self.values.iter().fold(0.0, |greatest, value| greatest.max(value.abs()))
    }
}

/// All ratios of a trajectory: those of the tip, then those of each variable of the chain. Quantities without limits
/// are left out.
pub fn ratios(chain: &Chain, problem: &PathProblem, timing: &Timing, trajectory: &Trajectory) -> Vec<LimitRatio> {
    let (points, limits) = (&trajectory.points, problem.limits);
    let mut ratios = Vec::new();
    let mut add = |quantity, owner, values: Vec<f64>, limit: f64| {
        if limit > 0.0 && limit.is_finite() {
            ratios.push(LimitRatio { quantity, owner, values: values.iter().map(|value| value / limit).collect() });
        }
    };
    let times: Vec<f64> = points.iter().map(|point| point.time).collect();
    let speeds = rates(&times, points.iter().map(|point| point.length));
    let tip_accelerations = rates(&times, speeds.iter().copied());
    let tip_speeds = points.iter().zip(&speeds).map(|(point, speed)| speed * problem.path.speed_at(point.length));
    add(LimitedQuantity::TipSpeed, Owner::Tip, tip_speeds.collect(), timing.speed);
    add(LimitedQuantity::TipAcceleration, Owner::Tip, tip_accelerations, timing.acceleration);
    for (joint, variable) in chain.variables().iter().enumerate() {
        let owner = Owner::Joint(joint);
        let of = |value: fn(&TrajectoryPoint) -> &Vec<f64>| points.iter().map(|point| value(point)[joint]).collect();
        if let Domain::Interval { lower, upper } = variable.domain {
            let middle = f64::midpoint(lower, upper);
            let positions = points.iter().map(|point| point.positions[joint] - middle).collect();
            add(LimitedQuantity::Position, owner, positions, 0.5 * (upper - lower));
        }
        add(LimitedQuantity::Velocity, owner, of(|point| &point.velocities), limits.velocities[joint]);
        add(LimitedQuantity::Acceleration, owner, of(|point| &point.accelerations), limits.accelerations[joint]);
        let jerks = rates(&times, points.iter().map(|point| point.accelerations[joint]));
        add(LimitedQuantity::Jerk, owner, jerks, limits.jerks[joint]);
    }
    ratios
}

/// Forward differences of a quantity over time; the last value is repeated.
fn rates(times: &[f64], quantity: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let changes = quantity.clone().zip(quantity.skip(1)).map(|(from, to)| to - from);
    let mut rates: Vec<f64> =
        changes.zip(times.windows(2)).map(|(change, time)| change / (time[1] - time[0])).collect();
    rates.extend(rates.last().copied().or((!times.is_empty()).then_some(0.0)));
    rates
}
