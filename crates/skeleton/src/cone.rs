//! Joint limits: cones of directions, and ranges of angles.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

/// An irregular cone of directions around the x axis, with four half-angles.
///
/// The half-angles \[rad\], from 0 to π, bound the lean to each side; y is left and z is up. The azimuth of a direction
/// is the angle about x from left (y) towards up (z); its polar angle is the angle from x. In the quadrant between two
/// half-angles a (left or right) and b (up or down), the largest polar angle at azimuth φ is
///
/// ```text
/// limit(φ) = a b / sqrt((b cos φ)² + (a sin φ)²)
/// ```
///
/// a quarter of an ellipse with the polar angle as radius. Aristidou and Lasenby (2011) draw the ellipse in a plane
/// across the axis instead, with the tangents of the angles as half-axes, which limits them to 90°. Here the
/// half-angles may be up to π, which is unlimited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// Half-angle towards +z \[rad\].
    pub up: f64,
    /// Half-angle towards -z \[rad\].
    pub down: f64,
    /// Half-angle towards +y \[rad\].
    pub left: f64,
    /// Half-angle towards -y \[rad\].
    pub right: f64,
}

/// A direction in polar coordinates: polar angle \[rad\], and cosine and sine of the azimuth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polar {
    pub angle: f64,
    pub cosine: f64,
    pub sine: f64,
}

impl Polar {
    /// The polar coordinates of a vector of any length. Along the axis, where the azimuth is undefined, it is 0.
    pub(super) fn of(direction: &Vector3<f64>) -> Self {
        let across = direction.y.hypot(direction.z);
        let angle = across.atan2(direction.x);
        if across == 0.0 {
            return Self { angle, cosine: 1.0, sine: 0.0 };
        }
        Self { angle, cosine: direction.y / across, sine: direction.z / across }
    }

    pub(super) fn direction(&self) -> Vector3<f64> {
        let (across, along) = self.angle.sin_cos();
        Vector3::new(along, across * self.cosine, across * self.sine)
    }
}

impl Cone {
    /// All directions.
    pub const ALL: Self = Self { up: PI, down: PI, left: PI, right: PI };

    /// A circular cone of half-angle `angle` \[rad\].
    pub fn circular(angle: f64) -> Self {
        Self { up: angle, down: angle, left: angle, right: angle }
    }

    /// The largest permitted polar angle \[rad\] at `azimuth` \[rad\], measured from y towards z.
    pub fn limit(&self, azimuth: f64) -> f64 {
        let (sine, cosine) = azimuth.sin_cos();
        self.limit_towards(cosine, sine)
    }

    pub(super) fn limit_towards(&self, cosine: f64, sine: f64) -> f64 {
        let (a, b) = self.quadrant(cosine, sine);
        let (across, along) = ((b * cosine).abs(), (a * sine).abs());
        let root = across.hypot(along);
        // Both vanish only if a half-angle is 0: on the axis of the other half-angle, or if both are 0.
        if root > 0.0 {
            return (a * (b / root)).min(a.max(b));
        }
        if cosine.abs() > sine.abs() { a } else { b }
    }

    /// The derivative of the largest polar angle with respect to the azimuth \[rad/rad\].
    pub(super) fn slope_towards(&self, cosine: f64, sine: f64) -> f64 {
        let (a, b) = self.quadrant(cosine, sine);
        let square = (b * cosine).powi(2) + (a * sine).powi(2);
        if square > 0.0 { a * b * (b * b - a * a) * sine * cosine / (square * square.sqrt()) } else { 0.0 }
    }

    /// The half-angles of the quadrant: left or right, and up or down.
    fn quadrant(&self, cosine: f64, sine: f64) -> (f64, f64) {
        (if cosine >= 0.0 { self.left } else { self.right }, if sine >= 0.0 { self.up } else { self.down })
    }

    /// True if `direction`, a vector of any nonzero length in the joint's frame, is at most `margin` \[rad\] outside
    /// the cone.
    pub fn contains(&self, direction: &Vector3<f64>, margin: f64) -> bool {
        let polar = Polar::of(direction);
        polar.angle <= self.limit_towards(polar.cosine, polar.sine) + margin
    }

    /// Projects `direction`, a vector of any nonzero length in the joint's frame, onto the cone. A direction inside is
    /// kept; one outside moves to the boundary at the same azimuth. That is the nearest direction for a circular cone,
    /// and close to it otherwise. The result is a unit vector in the joint's frame.
    ///
    /// If one half-angle of a quadrant is 0, the quadrant is only the arc of the other one; a direction moves to the
    /// point of the arc with the same lean to that side, at most to its end. The direction straight back, whose
    /// azimuth is undefined, is treated as left.
    pub fn nearest(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let polar = Polar::of(direction);
        let nearest = self.nearest_polar(polar);
        if nearest.angle == polar.angle { direction.normalize() } else { nearest.direction() }
    }

    pub(super) fn nearest_polar(&self, polar: Polar) -> Polar {
        let (a, b) = self.quadrant(polar.cosine, polar.sine);
        if a == 0.0 {
            let angle = (polar.angle * polar.sine.abs()).min(b);
            return Polar { angle, cosine: 0.0, sine: 1.0_f64.copysign(polar.sine) };
        }
        if b == 0.0 {
            let angle = (polar.angle * polar.cosine.abs()).min(a);
            return Polar { angle, cosine: 1.0_f64.copysign(polar.cosine), sine: 0.0 };
        }
        Polar { angle: polar.angle.min(self.limit_towards(polar.cosine, polar.sine)), ..polar }
    }
}

/// A range of angles \[rad\], with bounds between -2π and 2π. A range of 2π or more is unlimited. Angles that differ
/// by full revolutions are equivalent: 3 to 4 is a range through π.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest angle \[rad\].
    pub lower: f64,
    /// Largest angle \[rad\].
    pub upper: f64,
}

impl Range {
    /// All angles: from -π to π \[rad\].
    pub const ALL: Self = Self { lower: -PI, upper: PI };

    /// The range from `lower` to `upper` \[rad\]; validated by [`Skeleton::new`](crate::Skeleton::new).
    pub fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }

    /// The angle \[rad\] within the range that is nearest to `angle` \[rad\] modulo full revolutions; `angle` itself if
    /// the range is unlimited.
    pub fn nearest(&self, angle: f64) -> f64 {
        if self.is_unlimited() { angle } else { self.inside(angle) }
    }

    /// [`Self::nearest`], wrapped into the range even if it is unlimited.
    pub(super) fn inside(&self, angle: f64) -> f64 {
        let middle = 0.5 * (self.lower + self.upper);
        // Wrapped to ±π around the middle, so that the nearer bound is found.
        let away = (angle - middle + PI).rem_euclid(TAU) - PI;
        if self.lower <= angle && angle <= self.upper { angle } else { (middle + away).clamp(self.lower, self.upper) }
    }

    /// True for a full turn or more.
    pub(super) fn is_unlimited(&self) -> bool {
        self.upper - self.lower >= TAU
    }

    /// The angle at `fraction` of the range, of at most a full turn.
    pub(super) fn at(&self, fraction: f64) -> f64 {
        self.lower + fraction * (self.upper - self.lower).min(TAU)
    }
}
