//! A piece of a tip's line, and motions of tips.

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3, Vector6};

use crate::servo::command::{Axes, turned};
use urdf_ik_mathematics::spatial::stacked;

/// Where a tip is, and how it moves: twist and its derivative along the axes of the base link [m, rad].
#[derive(Debug, Clone, Copy)]
pub struct TipMotion {
    pub pose: Isometry3<f64>,
    pub twist: Vector6<f64>,
    pub rate: Vector6<f64>,
}

impl TipMotion {
    /// A tip that stands.
    pub fn rest(pose: Isometry3<f64>) -> Self {
        Self { pose, twist: Vector6::zeros(), rate: Vector6::zeros() }
    }

    /// Turns as in another motion.
    pub fn turn_as(&mut self, other: &Self) {
        for (part, of_other) in [(&mut self.twist, &other.twist), (&mut self.rate, &other.rate)] {
            part.fixed_rows_mut::<3>(3).copy_from(&of_other.fixed_rows::<3>(3));
        }
    }
}

/// A piece of a tip's line: from a pose on, with a twist whose second derivative is constant, along some axes.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    pub pose: Isometry3<f64>,
    pub axes: Axes,
    /// Twist and its derivatives.
    pub twist: [Vector6<f64>; 3],
}

impl Piece {
    /// Where the tip is so long after the beginning.
    pub fn at(&self, time: f64) -> TipMotion {
        let [velocity, acceleration, jerk] = &self.twist;
        let twist = velocity + (acceleration + jerk * (0.5 * time)) * time;
        let rate = acceleration + jerk * time;
        let moved = (velocity + (acceleration / 2.0 + jerk * (time / 6.0)) * time) * time;
        let [linear, angular] = [0, 3].map(|row| moved.fixed_rows::<3>(row).into_owned());
        let turn = UnitQuaternion::from_scaled_axis(angular);
        match self.axes {
            Axes::Base => {
                let place = Translation3::from(self.pose.translation.vector + linear);
                TipMotion { pose: Isometry3::from_parts(place, turn * self.pose.rotation), twist, rate }
            }
            Axes::Tip => {
                let pose = self.pose * Isometry3::from_parts(Translation3::from(along_screw(&angular) * linear), turn);
                let (twist, rate) = (turned(&pose.rotation, &twist), turned(&pose.rotation, &rate));
                TipMotion { pose, twist, rate: rate + spun(&twist) }
            }
        }
    }
}

/// What makes of a translation along axes that turn by `angular` meanwhile the one along those at the beginning.
fn along_screw(angular: &Vector3<f64>) -> Matrix3<f64> {
    let angle = angular.norm();
    let cross = angular.cross_matrix();
    if angle < 1e-4 {
        return Matrix3::identity() + cross * 0.5 + cross * cross / 6.0;
    }
    let squared = angle * angle;
    Matrix3::identity()
        + cross * ((1.0 - angle.cos()) / squared)
        + cross * cross * ((angle - angle.sin()) / (squared * angle))
}

/// The change of a twist that turns with the tip.
pub fn spun(twist: &Vector6<f64>) -> Vector6<f64> {
    let [linear, angular] = [0, 3].map(|row| twist.fixed_rows::<3>(row).into_owned());
    stacked(&angular.cross(&linear), &Vector3::zeros())
}
