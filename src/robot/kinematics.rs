//! Forward kinematics and Jacobian of a chain, into scratch that the caller owns.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3, Vector6};

use super::{Chain, JointKind};

/// Poses of a chain at one posture, in the base link's frame. Made by [`ChainPoses::new`], filled by
/// [`Chain::forward_kinematics`], reusable for any posture of the same chain.
#[derive(Debug, Clone)]
pub struct ChainPoses {
    /// Frame of each chain joint after its motion.
    joints: Vec<Isometry3<f64>>,
    /// Pose of each tip link.
    tips: Vec<Isometry3<f64>>,
}

impl ChainPoses {
    /// Room for the poses of `chain`, all at identity.
    #[must_use]
    pub fn new(chain: &Chain) -> Self {
        Self {
            joints: vec![Isometry3::identity(); chain.joints().len()],
            tips: vec![Isometry3::identity(); chain.tips().len()],
        }
    }

    /// Pose of each tip link in the base link's frame, in the order of [`Chain::tips`].
    #[must_use]
    pub fn tips(&self) -> &[Isometry3<f64>] {
        &self.tips
    }
}

impl Chain {
    /// Computes the poses of joints and tips at `positions`.
    ///
    /// # Panics
    /// Where `positions` has not one entry for each variable or `poses` was made for another chain.
    pub fn forward_kinematics(&self, positions: &[f64], poses: &mut ChainPoses) {
        for (index, joint) in self.joints().iter().enumerate() {
            let along = joint.multiplier * positions[joint.variable] + joint.offset;
            // A turn has no translation that would have to be turned.
            let local = match joint.kind {
                JointKind::Revolute | JointKind::Continuous => {
                    joint.placement * UnitQuaternion::from_axis_angle(&joint.axis, along)
                }
                _ => joint.placement * joint.kind.motion(&joint.axis, along),
            };
            poses.joints[index] = match joint.parent {
                Some(parent) => poses.joints[parent] * local,
                None => local,
            };
        }
        for (pose, tip) in poses.tips.iter_mut().zip(self.tips()) {
            *pose = poses.joints[tip.parent] * tip.placement;
        }
    }

    /// Writes the geometric Jacobian of one tip: column i is the twist of the tip link, linear part first, for unit speed of
    /// variable i, in the base link's frame, at the point of the tip link that stands at `point` (base link's frame; the
    /// tip's own origin for the usual Jacobian). Variables that do not move the tip have zero columns.
    ///
    /// `poses` must hold the forward kinematics of the posture; `columns` has one entry for each variable and is overwritten.
    ///
    /// # Panics
    /// Where `columns` has another length or `tip` is no index of [`Chain::tips`].
    pub fn jacobian(&self, poses: &ChainPoses, tip: usize, point: &Point3<f64>, columns: &mut [Vector6<f64>]) {
        assert_eq!(columns.len(), self.variables().len(), "one column for each variable");
        columns.fill(Vector6::zeros());
        let mut next = Some(self.tips()[tip].parent);
        while let Some(index) = next {
            let joint = &self.joints()[index];
            let frame = &poses.joints[index];
            let axis = frame.rotation * joint.axis.into_inner() * joint.multiplier;
            let (linear, angular) = if joint.kind == JointKind::Prismatic {
                (axis, Vector3::zeros())
            } else {
                (axis.cross(&(point.coords - frame.translation.vector)), axis)
            };
            let column = &mut columns[joint.variable];
            *column += Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
            next = joint.parent;
        }
    }
}
