//! An angle by its cosine and sine: a chain of subproblems needs no trigonometric function until its end.

use nalgebra::Vector3;

/// A planar rotation, stored as cosine and sine. Its axis is given by the context.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Cosine of the angle.
    pub cos: f64,
    /// Sine of the angle.
    pub sin: f64,
}

impl Turn {
    /// The identity.
    pub const ZERO: Self = Self { cos: 1.0, sin: 0.0 };

    /// The rotation by π.
    pub const HALF: Self = Self { cos: -1.0, sin: 0.0 };

    /// The rotation by `angle` \[rad\].
    pub fn new(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { cos, sin }
    }

    /// The rotation whose cosine and sine are proportional to `cos` and `sin`; the identity if both vanish.
    pub fn towards(cos: f64, sin: f64) -> Self {
        let scale = 1.0 / (cos * cos + sin * sin).sqrt();
        if scale.is_finite() { Self { cos: cos * scale, sin: sin * scale } } else { Self::ZERO }
    }

    /// The angle \[rad\] in \[-π, π\].
    pub fn angle(self) -> f64 {
        self.sin.atan2(self.cos)
    }

    /// The inverse rotation.
    #[must_use]
    pub fn back(self) -> Self {
        Self { sin: -self.sin, ..self }
    }

    /// The composition of two rotations about the same axis.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let cos = self.cos * other.cos - self.sin * other.sin;
        Self { cos, sin: self.sin * other.cos + self.cos * other.sin }
    }

    /// `vector`, rotated about the unit vector `axis` (Rodrigues' formula).
    pub fn about(self, axis: &Vector3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
        let along = axis.dot(vector) * (1.0 - self.cos);
        vector * self.cos + axis.cross(vector) * self.sin + axis * along
    }
}
