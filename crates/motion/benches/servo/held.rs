//! What holds an arm back at a configuration, whatever its servo says.

use nalgebra::{DMatrix, DVector, Vector6};

use crate::box_least_squares::{Bounds, exact};
use crate::watch::Subject;

/// Below this smallest singular value an arm counts as singular.
pub const SINGULAR: f64 = 0.03;
/// The share of the velocity bounds that may be needed.
const VELOCITY: f64 = 0.98;
/// The share of the acceleration and jerk bounds that may be needed.
const ACCELERATION: f64 = 0.9;
/// How many times the distance to brake a joint may need before a limit.
const BRAKING: f64 = 1.3;

/// What holds an arm back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// A small singular value.
    Singularity,
    /// No joint velocities within the bounds, and slow enough before limits, give the twist.
    Velocity,
    /// The accelerations along the line are too great.
    Acceleration,
    /// They change too fast.
    Jerk,
}

/// What a configuration and a twist say.
#[derive(Debug, Clone)]
pub struct Sight {
    pub held: Option<Held>,
    /// The time that the arm needs to brake from the twist, or to reach it \[s\].
    pub braking: f64,
    /// The accelerations that keep the twist as it is.
    needed: Option<DVector<f64>>,
}

/// The distance and the time to brake from a velocity without acceleration.
pub fn braking(velocity: f64, [_, acceleration, jerk]: [f64; 3]) -> (f64, f64) {
    let velocity = velocity.abs();
    let time = if velocity <= acceleration * acceleration / jerk {
        2.0 * (velocity / jerk).sqrt()
    } else {
        velocity / acceleration + acceleration / jerk
    };
    (0.5 * velocity * time, time)
}

/// The greatest velocity from which a joint comes to rest within that room.
pub fn greatest_before(room: f64, bounds: [f64; 3]) -> f64 {
    let (mut low, mut high) = (0.0, bounds[0]);
    if braking(high, bounds).0 <= room {
        return high;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if braking(middle, bounds).0 <= room { low = middle } else { high = middle }
    }
    low
}

/// The velocities that the joints may have: below their bounds, and slow enough to brake before their limits.
pub fn velocity_box(subject: &Subject, positions: &[f64]) -> Bounds {
    let side = |joint: usize, side: usize| {
        let bounds = subject.bounds(joint);
        let room = subject.room(joint, positions[joint])[side].max(0.0) / BRAKING;
        greatest_before(room, bounds).min(VELOCITY * bounds[0])
    };
    let joints = 0..subject.joints();
    Bounds {
        lower: joints.clone().map(|joint| -side(joint, 0)).collect(),
        upper: joints.map(|joint| side(joint, 1)).collect(),
    }
}

/// What holds the arm back there from a constant twist in the base link's axes, while its joints have these velocities.
pub fn look(subject: &Subject, positions: &[f64], velocities: &[f64], twist: &Vector6<f64>) -> Sight {
    let jacobian = subject.scaled_jacobian(positions);
    let mut sight = Sight { held: None, braking: 0.3, needed: None };
    let values = jacobian.singular_values();
    if values.len() < 6 || values.min() < SINGULAR {
        return Sight { held: Some(Held::Singularity), ..sight };
    }
    let Some(found) = exact(&jacobian, &subject.scaled_twist(twist), &velocity_box(subject, positions)) else {
        return Sight { held: Some(Held::Velocity), ..sight };
    };
    let times = (0..subject.joints()).map(|joint| braking(found[joint], subject.bounds(joint)).1);
    sight.braking = times.fold(0.0, f64::max);
    let limits: Vec<f64> = subject.limits.accelerations.iter().map(|limit| ACCELERATION * limit).collect();
    let limits = Bounds::symmetric(&limits);
    let needed = |velocities: &DVector<f64>| exact(&jacobian, &-drift(subject, positions, velocities), &limits);
    sight.needed = needed(&found);
    let redundant = subject.joints() > 6;
    let moving = redundant.then(|| needed(&DVector::from_column_slice(velocities)));
    if sight.needed.is_none() || moving.is_some_and(|moving| moving.is_none()) {
        sight.held = Some(Held::Acceleration);
    }
    sight
}

/// Whether the accelerations that two sights in sequence need, `time` apart, change too fast.
pub fn jerks(subject: &Subject, before: &Sight, after: &Sight, time: f64) -> bool {
    let (Some(before), Some(after)) = (&before.needed, &after.needed) else { return false };
    (0..before.len())
        .any(|joint| (after[joint] - before[joint]).abs() > ACCELERATION * subject.limits.jerks[joint] * time)
}

/// The acceleration of the tip while the joint velocities stay the same, linear rows over the length scale.
fn drift(subject: &Subject, positions: &[f64], velocities: &DVector<f64>) -> Vector6<f64> {
    const MOMENT: f64 = 1e-5;
    let at = |time: f64| -> DMatrix<f64> {
        let moved: Vec<f64> = positions.iter().zip(velocities.iter()).map(|(p, v)| p + time * v).collect();
        subject.scaled_jacobian(&moved)
    };
    let change = (at(MOMENT) - at(-MOMENT)) * velocities / (2.0 * MOMENT);
    Vector6::from_column_slice(change.as_slice())
}
