//! Recognises chains of a robot that are three links with an up vector, from their joint axes.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::{ThreeLink, ThreeLinkAngles};
use crate::two_link::chain::{
    ElbowBend, JointAxis, NotOfThisShape, SHAPE_TOLERANCE, VariableMapping, base_frame, check_parallel,
};
use crate::two_link::{PlaneFreedom, Solutions};
use urdf_ik_mathematics::segments::InputError;
use urdf_ik_robot::Chain;

/// A chain of five joints: the axes of yaw, roll and shoulder intersect in one point, and the roll axis is
/// perpendicular to both others; the axes of elbow and wrist are parallel to the shoulder's. The up vector is the
/// direction from the wrist's axis to the tip's origin, perpendicular to that axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreeLinkChain {
    arm: ThreeLink,
    /// Roll at zero positions \[rad\]; the yaw is 0 then.
    zero_roll: f64,
    bend: ElbowBend,
    /// Angle of the last link from the second at zero positions \[rad\].
    zero_wrist: f64,
    /// -1 if the wrist's axis is opposite to the shoulder's, otherwise 1.
    wrist_sign: f64,
    mappings: [VariableMapping; 5],
}

impl ThreeLinkChain {
    /// Recognises `chain` as three links.
    ///
    /// # Errors
    /// [`NotOfThisShape`] with the deviation.
    pub fn of(chain: &Chain) -> Result<Self, NotOfThisShape> {
        let ([yaw, roll, shoulder, elbow, wrist], tip) = JointAxis::row::<5>(chain)?;
        check_parallel(&shoulder, &elbow)?;
        check_parallel(&shoulder, &wrist)?;
        // Yaw about y and roll about z, as in the module documentation.
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
        let bend = ElbowBend::new([elbow_end, wrist_end], &elbow, &shoulder.line.direction);
        let last = ElbowBend::new([wrist_end, end], &wrist, &shoulder.line.direction);
        let [first, second] = bend.lengths;
        let length = last.lengths[1];
        if length <= SHAPE_TOLERANCE {
            return Err(NotOfThisShape::NoLastLink { wrist: wrist.name, distance: length });
        }
        let normal = base.inverse_transform_vector(&shoulder.line.direction);
        let zero_wrist = last.zero.shoulder + last.zero.elbow - bend.zero.shoulder - bend.zero.elbow;
        let mappings = [yaw.mapping, roll.mapping, shoulder.mapping, elbow.mapping, wrist.mapping];
        let arm = ThreeLink::new(base, [first, second, length])?;
        let zero_roll = normal.y.atan2(normal.x);
        Ok(Self { arm, zero_roll, bend, zero_wrist, wrist_sign: last.elbow_sign, mappings })
    }

    /// The links on their base, in the base link's frame.
    pub fn arm(&self) -> &ThreeLink {
        &self.arm
    }

    /// All positions of the chain's variables, from -π (excluded) to π \[rad\], at which the tip's origin is at `end`
    /// \[m\] and the last link points along `up`, both in the base link's frame. Joint limits are ignored. They are the
    /// solutions of [`ThreeLink::solve`], each followed by its [equivalent](ThreeLinkAngles::rolled_over), unless both
    /// belong to one continuum.
    ///
    /// # Errors
    /// As for [`ThreeLink::solve`].
    pub fn solve(&self, end: &Point3<f64>, up: &Vector3<f64>) -> Result<Solutions<[f64; 5], 8>, InputError> {
        let found = self.arm.solve(end, up)?;
        let mut solutions = Solutions::new(found.shape, found.freedom, found.plane, found.missing);
        for angles in found.configurations() {
            solutions.push(self.positions(angles));
            // If yaw and shoulder can rotate against each other, the equivalent belongs to the same continuum.
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
        VariableMapping::positions(&self.mappings, turns)
    }
}
