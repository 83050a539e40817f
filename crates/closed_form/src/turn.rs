//! An angle by its cosine and sine: a chain of subproblems needs no trigonometric function until its end.

use nalgebra::Vector3;

/// A rotation about an axis that the context defines, stored as cosine and sine of its angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Cosine of the angle.
    pub cos: f64,
    /// Sine of the angle.
    pub sin: f64,
}

impl Turn {
    /// The rotation by 0.
    pub const ZERO: Self = Self { cos: 1.0, sin: 0.0 };

    /// The rotation by π rad.
    pub const HALF: Self = Self { cos: -1.0, sin: 0.0 };

    /// The rotation by `angle` \[rad\].
    pub fn new(angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Self { cos, sin }
    }

    /// The rotation with a cosine and sine proportional to `cos` and `sin`; the rotation by 0 if both vanish.
    pub fn towards(cos: f64, sin: f64) -> Self {
        let scale = 1.0 / (cos * cos + sin * sin).sqrt();
        if scale.is_finite() { Self { cos: cos * scale, sin: sin * scale } } else { Self::ZERO }
    }

    /// The angle, from -π to π \[rad\].
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

    /// `vector` after this rotation about the unit vector `axis`, by Rodrigues' formula. It keeps its unit.
    pub fn about(self, axis: &Vector3<f64>, vector: &Vector3<f64>) -> Vector3<f64> {
        let along = axis.dot(vector) * (1.0 - self.cos);
        vector * self.cos + axis.cross(vector) * self.sin + axis * along
    }
}
