//! Lines in space, and turns about them.

use nalgebra::{Isometry3, Vector3};

use crate::solver::closed_form::turn::Turn;

/// Functions of a line whose components are linear in those that two turns about skew lines leave.
pub(super) const FUNCTIONS: usize = 14;

/// A line, with a point that is carried along with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Unit vector.
    pub direction: Vector3<f64>,
    pub point: Vector3<f64>,
}

impl Line {
    /// This line, turned about another.
    pub fn turned(&self, turn: Turn, about: &Self) -> Self {
        Self { direction: turn.about(&about.direction, &self.direction), point: about.carry(turn, &self.point) }
    }

    /// A point, turned about this line.
    pub fn carry(&self, turn: Turn, point: &Vector3<f64>) -> Vector3<f64> {
        self.point + turn.about(&self.direction, &(point - self.point))
    }

    /// This line, moved.
    pub fn moved(&self, motion: &Isometry3<f64>) -> Self {
        let point = motion.rotation * self.point + motion.translation.vector;
        Self { direction: motion.rotation * self.direction, point }
    }

    /// The functions of Raghavan and Roth: point p and direction l, p·p, p·l, p×l and (p·p) l - 2 (p·l) p.
    pub fn functions(&self) -> [f64; FUNCTIONS] {
        let (p, l) = (&self.point, &self.direction);
        let (square, along, moment) = (p.norm_squared(), p.dot(l), p.cross(l));
        let last = l * square - p * (2.0 * along);
        let [[p, l], [moment, last]] = [[p, l], [&moment, &last]].map(|pair| pair.map(|v| [v.x, v.y, v.z]));
        [p[0], p[1], p[2], l[0], l[1], l[2], square, along, moment[0], moment[1], moment[2], last[0], last[1], last[2]]
    }
}
