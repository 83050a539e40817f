//! Lines in space, such as joint axes: relative placement and rigid motions.

use nalgebra::{Isometry3, Vector3};

use super::Turn;
use super::subproblems::PARALLEL_SINE_SQUARED;

/// A line, with a point on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Direction, a unit vector.
    pub direction: Vector3<f64>,
    /// Any point on the line \[m\].
    pub point: Vector3<f64>,
}

impl Line {
    /// The acute angle between two lines \[rad\].
    pub fn angle(&self, other: &Self) -> f64 {
        let (a, b) = (&self.direction, &other.direction);
        a.cross(b).norm().atan2(a.dot(b).abs())
    }

    /// Deviation of two lines from a right angle \[rad\].
    pub fn angle_from_right(&self, other: &Self) -> f64 {
        let sine = other.direction.dot(&self.direction);
        sine.abs().atan2((other.direction - self.direction * sine).norm())
    }

    /// Feet of the common perpendicular of two lines: on this one, then on `other` \[m\]. For parallel lines, those at
    /// this line's `point`.
    pub fn feet(&self, other: &Self) -> (Vector3<f64>, Vector3<f64>) {
        let (u, v) = (&self.direction, &other.direction);
        let between = other.point - self.point;
        let (cosine, sine) = (u.dot(v), u.cross(v).norm_squared());
        let (along_u, along_v) = (between.dot(u), between.dot(v));
        // On parallel lines every point is a foot.
        let on_first = if sine > PARALLEL_SINE_SQUARED { (along_u - cosine * along_v) / sine } else { 0.0 };
        let on_second = cosine * on_first - along_v;
        (self.point + u * on_first, other.point + v * on_second)
    }

    /// Distance between two lines \[m\].
    pub fn distance(&self, other: &Self) -> f64 {
        let (one, other) = self.feet(other);
        (one - other).norm()
    }

    /// Distance of a point from this line \[m\].
    pub fn distance_from(&self, point: &Vector3<f64>) -> f64 {
        self.direction.cross(&(point - self.point)).norm()
    }

    /// This line rotated by `turn` about the line `about`.
    #[inline]
    #[must_use]
    pub fn turned(&self, turn: Turn, about: &Self) -> Self {
        let point = about.point + turn.about(&about.direction, &(self.point - about.point));
        Self { direction: turn.about(&about.direction, &self.direction), point }
    }

    /// This line after a rigid `motion` (translation \[m\]).
    #[inline]
    #[must_use]
    pub fn moved(&self, motion: &Isometry3<f64>) -> Self {
        let point = motion.rotation * self.point + motion.translation.vector;
        Self { direction: motion.rotation * self.direction, point }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn skew_lines_are_measured_along_their_common_perpendicular() {
        let one = Line { direction: Vector3::x(), point: Vector3::new(5.0, 0.0, 1.0) };
        let angle: f64 = 0.3;
        let direction = Vector3::new(angle.cos(), angle.sin(), 0.0);
        let other = Line { direction, point: Vector3::new(2.0, 0.0, 1.25) - direction * 3.0 };
        assert!((one.angle(&other) - angle).abs() < 1e-15);
        assert!((one.angle_from_right(&other) - (FRAC_PI_2 - angle)).abs() < 1e-15);
        assert!((one.distance(&other) - 0.25).abs() < 1e-15);
        let (here, there) = one.feet(&other);
        assert!((here - Vector3::new(2.0, 0.0, 1.0)).norm() < 1e-14, "{here}");
        assert!((there - Vector3::new(2.0, 0.0, 1.25)).norm() < 1e-14, "{there}");
    }

    #[test]
    fn the_distance_of_parallel_lines_does_not_depend_on_their_points() {
        let one = Line { direction: Vector3::z(), point: Vector3::zeros() };
        for sign in [1.0, -1.0] {
            let other = Line { direction: Vector3::z() * sign, point: Vector3::new(0.3, 0.4, -7.0) };
            assert_eq!((one.angle(&other), one.angle_from_right(&other)), (0.0, FRAC_PI_2));
            assert!((one.distance(&other) - 0.5).abs() < 1e-15);
            assert!((one.distance_from(&other.point) - 0.5).abs() < 1e-15);
        }
    }
}
