//! Chains of a robot that are three links with an up vector: recognised by their axes.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::{ThreeLink, ThreeLinkAngles};
use crate::two_link::chain::{Axis, Bend, NotOfThisShape, Reading, SHAPE_TOLERANCE, base_frame, check_parallel};
use crate::two_link::{PlaneFreedom, Solutions};
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_robot::Chain;

/// A chain of five joints: yaw, roll and shoulder with axes that cross in one point, the roll's at right angles to both others, then
/// elbow and wrist with axes parallel to the shoulder's. The up vector is the direction from the wrist to the tip link's origin,
/// across these axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreeLinkChain {
    arm: ThreeLink,
    /// Roll while nothing has turned \[rad\]; the yaw is 0 then.
    zero_roll: f64,
    bend: Bend,
    /// Angle of the last link from the second while nothing has turned \[rad\].
    zero_wrist: f64,
    /// -1 where the wrist's axis is opposite to the shoulder's, else 1.
    wrist_sign: f64,
    readings: [Reading; 5],
}

impl ThreeLinkChain {
    /// Recognises `chain` as three links.
    ///
    /// # Errors
    /// [`NotOfThisShape`], which says what is in the way, and by how much.
    pub fn of(chain: &Chain) -> Result<Self, NotOfThisShape> {
        let ([yaw, roll, shoulder, elbow, wrist], tip) = Axis::row::<5>(chain)?;
        check_parallel(&shoulder, &elbow)?;
        check_parallel(&shoulder, &wrist)?;
        // Yaw along y and roll along z, as the article has it.
        let quarter = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2);
        let base = base_frame(&yaw, &roll)? * quarter;
        // Normal of the plane along x, roll along y.
        let plane = base_frame(&roll, &shoulder)?;
        let distance = (plane.translation.vector - base.translation.vector).norm();
        if distance > SHAPE_TOLERANCE {
            return Err(NotOfThisShape::NotMeeting { first: yaw.name, second: shoulder.name, distance });
        }
        let local = |point: &Point3<f64>| plane.inverse_transform_point(point);
        let beside = local(&tip).x.abs();
        if beside > SHAPE_TOLERANCE {
            return Err(NotOfThisShape::TipBeside { first: roll.name, distance: beside });
        }
        let [elbow_end, wrist_end, end] =
            [elbow.point(), wrist.point(), tip].map(|point| [-local(&point).z, local(&point).y]);
        let bend = Bend::new([elbow_end, wrist_end], &elbow, &shoulder.line.direction);
        let last = Bend::new([wrist_end, end], &wrist, &shoulder.line.direction);
        let [first, second] = bend.lengths;
        let length = last.lengths[1];
        if length <= SHAPE_TOLERANCE {
            return Err(NotOfThisShape::NoLastLink { wrist: wrist.name, distance: length });
        }
        let normal = base.inverse_transform_vector(&shoulder.line.direction);
        let zero_wrist = last.zero.shoulder + last.zero.elbow - bend.zero.shoulder - bend.zero.elbow;
        let readings = [yaw.reading, roll.reading, shoulder.reading, elbow.reading, wrist.reading];
        let arm = ThreeLink::new(base, [first, second, length])?;
        let zero_roll = normal.y.atan2(normal.x);
        Ok(Self { arm, zero_roll, bend, zero_wrist, wrist_sign: last.elbow_sign, readings })
    }

    /// The links on their base.
    pub fn arm(&self) -> &ThreeLink {
        &self.arm
    }

    /// All positions of the chain's variables \[rad\], in (-π, π] whatever the limits, at which the tip link's origin
    /// is at `end` \[m\] and the last link points along `up` (both in the base link's frame): those of
    /// [`ThreeLink::solve`], each followed by its other angles, [rolled over](ThreeLinkAngles::rolled_over), unless
    /// both are of one family.
    ///
    /// # Errors
    /// As [`ThreeLink::solve`].
    pub fn solve(&self, end: &Point3<f64>, up: &Vector3<f64>) -> Result<Solutions<[f64; 5], 8>, InputError> {
        let found = self.arm.solve(end, up)?;
        let mut solutions = Solutions::new(found.shape, found.freedom, found.missing);
        solutions.plane = found.plane;
        for angles in found.configurations() {
            solutions.push(self.positions(angles));
            // Where the yaw may turn against the shoulder, half a turn leads there.
            if found.plane != PlaneFreedom::YawAgainstShoulder {
                solutions.push(self.positions(&angles.rolled_over()));
            }
        }
        Ok(solutions)
    }

    fn positions(&self, angles: &ThreeLinkAngles) -> [f64; 5] {
        let [shoulder, elbow] = self.bend.turns(angles.shoulder, angles.elbow);
        let wrist = self.wrist_sign * (angles.wrist - self.zero_wrist);
        let turns = [angles.yaw, angles.roll - self.zero_roll, shoulder, elbow, wrist];
        [0, 1, 2, 3, 4].map(|joint| self.readings[joint].position(turns[joint]))
    }
}
