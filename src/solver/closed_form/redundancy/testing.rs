//! Arms of seven joints for tests: with frames anywhere, axes of any sign, and forward kinematics of their own.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::pseudorandom::fraction;
use crate::solver::closed_form::axes::{Axes, REDUNDANT};

/// Numbers that fill an interval evenly, each drawn once.
pub struct Scattered(pub usize);

impl Scattered {
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        self.0 += 10;
        lower + (upper - lower) * fraction(self.0, 0)
    }

    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    pub fn positions(&mut self) -> [f64; REDUNDANT] {
        [(); REDUNDANT].map(|()| self.between(-3.1, 3.1))
    }

    pub fn pose(&mut self) -> Isometry3<f64> {
        let rotation = UnitQuaternion::from_scaled_axis(self.vector(1.7));
        Isometry3::from_parts(Translation3::from(self.vector(0.4)), rotation)
    }

    fn sign(&mut self) -> f64 {
        if self.between(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 }
    }

    /// Three axes, the middle one at right angles to the others, which may be at any angle.
    fn ball(&mut self) -> [Vector3<f64>; 3] {
        let second = self.vector(1.0).normalize();
        let beside = second.cross(&self.vector(1.0)).normalize();
        let angle = self.between(-3.0, 3.0);
        [beside * self.sign(), second, (beside * angle.cos() + second.cross(&beside) * angle.sin()) * self.sign()]
    }

    /// An arm whose first three axes meet, and whose last three; or with the first axis off by `offset` \[m\]. Points are anywhere on
    /// the axes.
    pub fn arm(&mut self, offset: f64) -> Axes<REDUNDANT> {
        let [a, b, c] = self.ball();
        let [e, f, g] = self.ball();
        let elbow = c.cross(&self.vector(1.0)).normalize();
        let directions = [a, b, c, elbow, e, f, g];
        let shoulder = self.vector(0.3);
        let middle = shoulder + c * self.between(0.3, 0.5) + self.vector(0.05);
        let wrist = middle + elbow.cross(&self.vector(1.0)).normalize() * self.between(0.3, 0.5) + self.vector(0.05);
        let first = shoulder + a.cross(&self.vector(1.0)).normalize() * offset;
        let centres = [first, shoulder, shoulder, middle, wrist, wrist, wrist];
        let points = std::array::from_fn(|i| centres[i] + directions[i] * self.between(-0.2, 0.2));
        Axes { directions, points, tip: self.pose() }
    }
}

/// Pose of the tip \[m\]: a product of exponentials.
pub fn tip(axes: &Axes<REDUNDANT>, positions: &[f64; REDUNDANT]) -> Isometry3<f64> {
    let mut pose = axes.tip;
    for index in (0..REDUNDANT).rev() {
        let axis = Unit::new_normalize(axes.directions[index]);
        let centre = Translation3::from(axes.points[index]);
        let turn = UnitQuaternion::from_axis_angle(&axis, positions[index]);
        pose = centre * turn * centre.inverse() * pose;
    }
    pose
}

/// By how much the tip misses a pose \[m or rad, whichever is more\].
pub fn miss(axes: &Axes<REDUNDANT>, positions: &[f64; REDUNDANT], pose: &Isometry3<f64>) -> f64 {
    let left = tip(axes, positions).inv_mul(pose);
    left.translation.vector.norm().max(left.rotation.angle())
}
