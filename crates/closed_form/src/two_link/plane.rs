//! The plane of the links, oriented by yaw and roll of the base.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::answer::{PlaneFreedom, Solutions};
use super::{Angles, ROUNDINGS, TwoLink};
use crate::whole_turns::wrapped;

/// The plane with the normal n = R_y(yaw) R_z(roll) x, in the base frame.
pub(crate) struct ArmPlane {
    pub(crate) yaw: f64,
    pub(crate) roll: f64,
    /// Direction of the rotated y axis, from which angles are counted.
    along: Vector3<f64>,
    /// Direction of the rotated z axis, towards which angles are counted.
    across: Vector3<f64>,
    /// True if the normal is the base axis, so that the yaw is arbitrary.
    level: bool,
}

impl ArmPlane {
    /// The plane with that unit normal and a roll in \[-π/2, π/2\].
    fn with_normal(normal: &Vector3<f64>) -> Self {
        let horizontal = normal.x.hypot(normal.z);
        let level = horizontal <= ROUNDINGS;
        let yaw = if level { 0.0 } else { wrapped((-normal.z).atan2(normal.x)) };
        // The arcsine of n_y would lose half of the digits near ±π/2.
        let roll = normal.y.atan2(horizontal);
        let ((sin_yaw, cos_yaw), (sin_roll, cos_roll)) = (yaw.sin_cos(), roll.sin_cos());
        let along = Vector3::new(-sin_roll * cos_yaw, cos_roll, sin_roll * sin_yaw);
        Self { yaw, roll, along, across: Vector3::new(sin_yaw, 0.0, cos_yaw), level }
    }

    /// This plane with the opposite normal. Coordinates only change their sign, so both sides agree on singular
    /// shapes.
    fn seen_from_behind(&self) -> Self {
        let Self { yaw, roll, along, across, level } = *self;
        if level {
            return Self { yaw, roll: -roll, along: -along, across, level };
        }
        Self { yaw: wrapped(yaw + PI), roll: -roll, along, across: -across, level }
    }

    /// Coordinates of a vector in the plane.
    pub(crate) fn coordinates(&self, vector: &Vector3<f64>) -> [f64; 2] {
        [vector.dot(&self.along), vector.dot(&self.across)]
    }
}

/// Unit normal of the plane that contains the base axis y and `vector`, with its `freedom`: that of the yaw if the
/// distance of `vector` from the axis is at most `slack`.
pub(crate) fn upright(vector: &Vector3<f64>, slack: f64, freedom: PlaneFreedom) -> (Vector3<f64>, PlaneFreedom) {
    let horizontal = vector.x.hypot(vector.z);
    if horizontal > slack {
        return (Vector3::new(vector.z / horizontal, 0.0, -vector.x / horizontal), freedom);
    }
    (Vector3::x(), PlaneFreedom::Yaw)
}

/// Configurations of `links` with their end at `wrist` (base frame \[m\], with a rounding error of at most `slack`),
/// in the plane with that unit normal, for either direction of the normal. If the plane can rotate, a single
/// configuration.
pub(crate) fn on_both_sides<P: Copy + Default>(
    links: &TwoLink,
    wrist: &Vector3<f64>,
    normal: &Vector3<f64>,
    freedom: PlaneFreedom,
    slack: f64,
    configuration: impl Fn(&ArmPlane, &Angles) -> P,
) -> Solutions<P, 4> {
    let front = ArmPlane::with_normal(normal);
    let planar = links.solve_within(front.coordinates(wrist), slack);
    let plane = if front.level { PlaneFreedom::YawAgainstShoulder } else { freedom };
    let mut solutions = Solutions::new(planar.shape, planar.freedom, plane, planar.missing);
    if freedom != PlaneFreedom::None {
        solutions.push(configuration(&front, &planar.configurations()[0]));
        return solutions;
    }
    planar.configurations().iter().for_each(|angles| solutions.push(configuration(&front, angles)));
    let back = front.seen_from_behind();
    let planar = links.solve_within(back.coordinates(wrist), slack);
    planar.configurations().iter().for_each(|angles| solutions.push(configuration(&back, angles)));
    solutions
}
