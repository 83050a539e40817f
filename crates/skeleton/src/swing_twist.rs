//! Swing-twist decomposition of rotations.

use nalgebra::{Quaternion, UnitQuaternion};

use super::cone::Polar;

/// A rotation as a twist about x followed by a swing of the x axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct SwingTwist {
    pub swing: Polar,
    /// Twist angle \[rad\], from -π to π.
    pub twist: f64,
}

impl SwingTwist {
    pub(super) fn of(rotation: &UnitQuaternion<f64>) -> Self {
        let sign = if rotation.w < 0.0 { -1.0 } else { 1.0 };
        let (w, x, y, z) = (sign * rotation.w, sign * rotation.i, sign * rotation.j, sign * rotation.k);
        let (along, across) = (w.hypot(x), y.hypot(z));
        // At a half turn back, the decomposition is not unique: all of it counts as swing.
        let (cosine, sine) = if along > 0.0 { (w / along, x / along) } else { (1.0, 0.0) };
        // The swing axis is (0, -sin φ, cos φ), with azimuth φ.
        let (swing_y, swing_z) = (y * cosine - z * sine, z * cosine + y * sine);
        let swing = if across > 0.0 {
            Polar { angle: 2.0 * across.atan2(along), cosine: swing_z / across, sine: -swing_y / across }
        } else {
            Polar { angle: 0.0, cosine: 1.0, sine: 0.0 }
        };
        Self { swing, twist: 2.0 * sine.atan2(cosine) }
    }

    pub(super) fn rotation(&self) -> UnitQuaternion<f64> {
        let (across, along) = (0.5 * self.swing.angle).sin_cos();
        let (sine, cosine) = (0.5 * self.twist).sin_cos();
        let (y, z) = (-across * self.swing.sine, across * self.swing.cosine);
        UnitQuaternion::new_normalize(Quaternion::new(
            along * cosine,
            along * sine,
            y * cosine + z * sine,
            z * cosine - y * sine,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use nalgebra::Vector3;

    use super::*;
    use urdf_ik_mathematics::pseudorandom::{direction, fraction};

    #[test]
    fn swing_times_twist_is_the_rotation() {
        for index in 0..500 {
            let wanted = UnitQuaternion::from_scaled_axis(direction(6, index) * (PI * fraction(6, 700 + index)));
            let parts = SwingTwist::of(&wanted);
            assert!(parts.rotation().angle_to(&wanted) < 1e-7 && (-PI..=PI).contains(&parts.twist));
            assert!((parts.swing.direction() - wanted * Vector3::x()).norm() < 1e-14);
            // The swing equals that of `spatial`, and the rest is a rotation about x.
            let swing = urdf_ik_mathematics::spatial::swing(&wanted, &Vector3::x());
            let rest = UnitQuaternion::from_scaled_axis(swing).inverse() * wanted;
            assert!(rest.angle_to(&UnitQuaternion::from_axis_angle(&Vector3::x_axis(), parts.twist)) < 1e-7);
        }
    }
}
