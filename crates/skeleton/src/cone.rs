//! The directions that a joint allows, and its range of twist about them.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

/// An irregular cone: the directions within an angle of the x axis which depends on the side towards which they lean.
///
/// Four half-angles \[rad\], from 0 to π, say how far a direction may lean to each side, of which y is left and z is
/// up. The azimuth of a direction is the angle from left (y) over up (z) about x; its polar angle the one from x. In
/// the quadrant between two half-angles a (left or right) and b (up or down), the largest polar angle at azimuth φ is
///
/// ```text
/// limit(φ) = a b / sqrt((b cos φ)² + (a sin φ)²)
/// ```
///
/// which is a quarter of an ellipse with the polar angle as radius. Aristidou and Lasenby (2011) draw their ellipse in
/// a plane across the axis instead, with tangents of the angles as half-axes. Theirs is limited to less than 90°. Here
/// the four angles may be up to π, where there is no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// Towards +z.
    pub up: f64,
    /// Towards -z.
    pub down: f64,
    /// Towards +y.
    pub left: f64,
    /// Towards -y.
    pub right: f64,
}

/// A direction in polar coordinates: polar angle \[rad\], cosine and sine of the azimuth.
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
    /// Every direction.
    pub const ALL: Self = Self { up: PI, down: PI, left: PI, right: PI };

    /// A circular cone of the half-angle `angle` \[rad\].
    pub fn circular(angle: f64) -> Self {
        Self { up: angle, down: angle, left: angle, right: angle }
    }

    /// The largest polar angle \[rad\] at `azimuth` \[rad\] from y towards z.
    pub fn limit(&self, azimuth: f64) -> f64 {
        let (sine, cosine) = azimuth.sin_cos();
        self.limit_towards(cosine, sine)
    }

    pub(super) fn limit_towards(&self, cosine: f64, sine: f64) -> f64 {
        let (a, b) = self.quadrant(cosine, sine);
        let (across, along) = ((b * cosine).abs(), (a * sine).abs());
        let root = across.hypot(along);
        // Both vanish only where an angle is 0: either on the axis of the other angle, or with both 0.
        if root > 0.0 {
            return (a * (b / root)).min(a.max(b));
        }
        if cosine.abs() > sine.abs() { a } else { b }
    }

    /// How the largest polar angle changes with the azimuth \[rad/rad\].
    pub(super) fn slope_towards(&self, cosine: f64, sine: f64) -> f64 {
        let (a, b) = self.quadrant(cosine, sine);
        let square = (b * cosine).powi(2) + (a * sine).powi(2);
        if square > 0.0 { a * b * (b * b - a * a) * sine * cosine / (square * square.sqrt()) } else { 0.0 }
    }

    /// Half-angles left or right and up or down on that side.
    fn quadrant(&self, cosine: f64, sine: f64) -> (f64, f64) {
        (if cosine >= 0.0 { self.left } else { self.right }, if sine >= 0.0 { self.up } else { self.down })
    }

    /// Whether `direction`, of any length, lies within the cone or at most `margin` \[rad\] outside it.
    pub fn contains(&self, direction: &Vector3<f64>, margin: f64) -> bool {
        let polar = Polar::of(direction);
        polar.angle <= self.limit_towards(polar.cosine, polar.sine) + margin
    }

    /// The direction of the cone to which `direction` is moved: itself where it lies in the cone, else the border at
    /// the same azimuth. That is the nearest direction where the cone is circular, and near to it elsewhere.
    ///
    /// Where one of the two half-angles of a quadrant is 0, the quadrant is only the arc of the other one, and a
    /// direction is moved to the point of the arc that leans as far to that side, at most to its end. The result is a
    /// unit vector. Straight back, where the azimuth is undefined, counts as left.
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

/// Angles \[rad\] from `lower` to `upper`, each between -2π and 2π. A range of 2π or more is no limit. Angles that
/// differ by full turns are the same, so that 3 to 4 is a range through π.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest angle.
    pub lower: f64,
    /// Largest angle.
    pub upper: f64,
}

impl Range {
    /// Every angle.
    pub const ALL: Self = Self { lower: -PI, upper: PI };

    /// From `lower` to `upper` \[rad\].
    pub fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }

    /// The angle of the range that is nearest to `angle` \[rad\] on the circle, without regard to full turns.
    pub fn nearest(&self, angle: f64) -> f64 {
        if self.is_unlimited() { angle } else { self.inside(angle) }
    }

    /// [`Self::nearest`], in the range even where that is no limit.
    pub(super) fn inside(&self, angle: f64) -> f64 {
        let middle = 0.5 * (self.lower + self.upper);
        // From -π to π away from the middle, so that both ends are as near as they can be.
        let away = (angle - middle + PI).rem_euclid(TAU) - PI;
        if self.lower <= angle && angle <= self.upper { angle } else { (middle + away).clamp(self.lower, self.upper) }
    }

    /// Whether it is a full turn.
    pub(super) fn is_unlimited(&self) -> bool {
        self.upper - self.lower >= TAU
    }

    /// The angle at the fraction `fraction` of the range, of a full turn at most.
    pub(super) fn at(&self, fraction: f64) -> f64 {
        self.lower + fraction * (self.upper - self.lower).min(TAU)
    }
}
