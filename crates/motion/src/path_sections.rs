//! The sections of a path: straight lines between waypoints, and rounded corners between two lines.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// A straight line with a constant angular rate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PathLine {
    /// Pose at its start.
    pub(super) from: Isometry3<f64>,
    /// Change of position per metre of path, in the base link's frame.
    pub(super) shift: Vector3<f64>,
    /// Rotation vector per metre of path \[rad/m\], the same in the frame of `from` and in the moving frame.
    pub(super) turn: Vector3<f64>,
    /// Path length \[m\].
    pub(super) length: f64,
    /// Index of the waypoint at its end.
    pub(super) waypoint: usize,
}

impl PathLine {
    /// The pose at path length `length` \[m\].
    pub(super) fn at(&self, length: f64) -> Isometry3<f64> {
        Isometry3::from_parts(
            Translation3::from(self.from.translation.vector + self.shift * length),
            self.from.rotation * UnitQuaternion::from_scaled_axis(self.turn * length),
        )
    }
}

/// A rounded corner: the velocity of the first line changes into that of the second. With the weight w of the second,
/// from 0 to 1, the rate of the pose is (1 − w) first + w second. As w(x) = 3x² − 2x³ begins and ends with zero slope,
/// the path has a continuous second derivative and a bounded third one. Its speed is at most that of the lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Blend {
    corner: Isometry3<f64>,
    /// Change of position per metre of the two lines, in the base link's frame.
    shifts: [Vector3<f64>; 2],
    /// Rotation vectors per metre of the two lines \[rad/m\].
    turns: [Vector3<f64>; 2],
    /// Path length from its start to the corner, and from there to its end \[m\].
    radius: f64,
}

impl Blend {
    /// Over the last `radius` metres of the first line and the first ones of the second.
    pub(super) fn new(first: &PathLine, second: &PathLine, radius: f64) -> Self {
        let (shifts, turns) = ([first.shift, second.shift], [first.turn, second.turn]);
        Self { corner: second.at(0.0), shifts, turns, radius }
    }

    /// Path length \[m\].
    pub(super) fn length(&self) -> f64 {
        2.0 * self.radius
    }

    /// Metres travelled along the second line at a fraction of the corner from 0 to 1: the integral of w. By symmetry,
    /// also the remaining metres of the first line.
    fn travelled(&self, part: f64) -> f64 {
        self.length() * part.powi(3) * (1.0 - 0.5 * part)
    }

    /// The pose at path length `length` \[m\].
    pub(super) fn at(&self, length: f64) -> Isometry3<f64> {
        let part = length / self.length();
        let (left, travelled) = (self.travelled(1.0 - part), self.travelled(part));
        let position = self.corner.translation.vector - self.shifts[0] * left + self.shifts[1] * travelled;
        let [before, behind] = [self.turns[0] * -left, self.turns[1] * travelled].map(UnitQuaternion::from_scaled_axis);
        Isometry3::from_parts(Translation3::from(position), self.corner.rotation * before * behind)
    }

    /// Rates of position \[m\] and orientation \[rad\] at path length `length`, per metre of path.
    pub(super) fn rates_at(&self, length: f64) -> [f64; 2] {
        let part = length / self.length();
        let weight = part * part * (3.0 - 2.0 * part);
        let shift = self.shifts[0] * (1.0 - weight) + self.shifts[1] * weight;
        let behind = UnitQuaternion::from_scaled_axis(self.turns[1] * self.travelled(part));
        let turn = behind.inverse() * self.turns[0] * (1.0 - weight) + self.turns[1] * weight;
        [shift.norm(), turn.norm()]
    }
}
