//! The angle between an axis of a link and a direction.
//!
//! By the arctangent of sine and cosine: the arccosine loses half of its digits near 0 and π.

use nalgebra::Vector3;

use crate::rows::{Row, Rows};

/// Sine of an angle below which the normal of both directions is rounding.
const MIN_SINE: f64 = 1e-12;
/// Sum of the unit axis and direction, squared, below which they are opposite.
const MIN_SUM: f64 = 1e-6;

/// An axis that is to lie within an angle of a direction.
pub(crate) struct Alignment {
    /// The axis, a unit vector.
    pub axis: Vector3<f64>,
    /// The direction, a unit vector.
    pub direction: Vector3<f64>,
    /// The angle \[rad\]; 0: exactly along it.
    pub angle: f64,
}

impl Alignment {
    /// Number of rows for an angle.
    pub fn rows(angle: f64) -> usize {
        if angle == 0.0 { 2 } else { 1 }
    }

    /// Adds the rows. Where the angle decreases by the rotation of the axis about a unit vector n, it changes by
    /// n · ω and `force(n)` · v.
    pub fn push(&self, rows: &mut Rows, force: impl Fn(&Vector3<f64>) -> Vector3<f64>) {
        let normal = self.axis.cross(&self.direction);
        let (sine, cosine) = (normal.norm(), self.axis.dot(&self.direction));
        let angle = sine.atan2(cosine);
        let normal = if sine > MIN_SINE { normal / sine } else { perpendicular(&self.axis) };
        if self.angle == 0.0 {
            // The rotation vector to the direction is perpendicular to the axis.
            let first = self.across();
            for across in [first, self.axis.cross(&first)] {
                let row = Row { value: -angle * normal.dot(&across), interval: [0.0; 2] };
                rows.push(row, [force(&across), across]);
            }
            return;
        }
        // Along the great circle through both, the angle has two signs: an angle below 0 is one on the other side.
        let row = Row { value: angle, interval: [-self.angle, self.angle] };
        rows.push(row, [-force(&normal), -normal]);
    }

    /// A unit vector perpendicular to the axis. Near the direction it depends smoothly on the axis: perpendicular to
    /// the direction, and turned with it by the least rotation.
    fn across(&self) -> Vector3<f64> {
        let sum = self.axis + self.direction;
        let squared = sum.norm_squared();
        if squared < MIN_SUM {
            return perpendicular(&self.axis);
        }
        let first = perpendicular(&self.direction);
        first - sum * (2.0 * first.dot(&self.axis) / squared)
    }
}

/// A unit vector perpendicular to a unit vector.
pub(crate) fn perpendicular(vector: &Vector3<f64>) -> Vector3<f64> {
    vector.cross(&Vector3::ith(vector.iamin(), 1.0)).normalize()
}

/// Checks an angle between 0 and π.
pub(crate) fn check_angle(angle: f64) -> Result<(), urdf_ik_text::Malformed> {
    if (0.0..=std::f64::consts::PI).contains(&angle) {
        return Ok(());
    }
    Err(format!("its 'angle' is {}; it must be 0 to π rad", urdf_ik_text::names::number(angle)).into())
}
