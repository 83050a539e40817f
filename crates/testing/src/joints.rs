//! Random rotations of limited joints.

use std::f64::consts::PI;

use nalgebra::{Unit, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{Joint, Limit};

use super::Random;

/// Distribution of directions in a cone.
#[derive(Clone, Copy)]
pub enum Spread {
    /// Uniform.
    Even,
    /// Directions outside are moved to the border, so that many lie there.
    Border,
}

/// A rotation that a joint allows.
pub fn rotation(random: &mut Random, joint: &Joint, spread: Spread) -> UnitQuaternion<f64> {
    match &joint.limit {
        Limit::Hinge { axis, angle } => {
            UnitQuaternion::from_axis_angle(&Unit::new_normalize(*axis), random.between(angle.lower, angle.upper))
        }
        Limit::Ball { cone, twist } => {
            // A flat cone has probability zero.
            let is_flat = cone.up.min(cone.down).max(cone.left.min(cone.right)) == 0.0;
            let direction = loop {
                let wished = random.direction();
                if cone.contains(&wished, 0.0) {
                    break wished;
                }
                if is_flat || matches!(spread, Spread::Border) {
                    break cone.nearest(&Vector3::new(wished.x.abs(), wished.y, wished.z));
                }
            };
            let swing = UnitQuaternion::rotation_between(&Vector3::x(), &direction).unwrap_or_default();
            swing * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), random.between(twist.lower, twist.upper))
        }
        _ => UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, PI)),
    }
}
