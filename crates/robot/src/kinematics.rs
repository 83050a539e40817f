//! Forward kinematics and Jacobian of a chain, without allocation.

use nalgebra::{DMatrix, Isometry3, Point3, Vector3, Vector6};

use super::{Chain, JointKind, Robot};
use urdf_ik_mathematics::spatial::stacked;

/// Poses of a chain in one configuration, in the base link's frame (translations \[m\]). [`ChainPoses::new`] allocates
/// the memory. [`Chain::forward_kinematics`] fills it, for any number of configurations of the same chain.
#[derive(Debug, Clone)]
pub struct ChainPoses {
    /// Frame of each chain joint after its motion.
    joints: Vec<Isometry3<f64>>,
    /// Pose of each tip.
    tips: Vec<Isometry3<f64>>,
}

impl ChainPoses {
    /// Memory for the poses of `chain`, all set to identity.
    pub fn new(chain: &Chain) -> Self {
        Self {
            joints: vec![Isometry3::identity(); chain.joints().len()],
            tips: vec![Isometry3::identity(); chain.tips().len()],
        }
    }

    /// Frame of each chain joint after its motion, in the base link's frame, in the order of [`Chain::joints`].
    pub fn joints(&self) -> &[Isometry3<f64>] {
        &self.joints
    }

    /// Pose of each tip in the base link's frame, in the order of [`Chain::tips`].
    pub fn tips(&self) -> &[Isometry3<f64>] {
        &self.tips
    }
}

impl Chain {
    /// Computes the poses of joints and tips at `positions` \[rad or m\], one per variable, and writes them to `poses`.
    ///
    /// ```
    /// use nalgebra::{Point3, Vector6};
    /// use urdf_ik_robot::{Chain, ChainPoses, Robot};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
    /// let chain = Chain::with_defaults(&robot, None, &[])?;
    /// let mut poses = ChainPoses::new(&chain);
    /// chain.forward_kinematics(&chain.nominal_positions(), &mut poses);
    /// let tip = Point3::from(poses.tips()[0].translation.vector);
    ///
    /// let mut columns = vec![Vector6::zeros(); chain.variables().len()];
    /// chain.jacobian(&poses, 0, &tip, &mut columns);
    /// println!("the tip is at {tip}; the first joint moves it by {} m/rad and rad/rad", columns[0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If `positions` does not have one entry for each variable, or `poses` was made for another chain.
    pub fn forward_kinematics(&self, positions: &[f64], poses: &mut ChainPoses) {
        for (index, joint) in self.joints().iter().enumerate() {
            let along = joint.multiplier * positions[joint.variable] + joint.offset;
            let local = joint.kind.child_pose(&joint.placement, &joint.axis, along);
            poses.joints[index] = match joint.parent {
                Some(parent) => poses.joints[parent] * local,
                None => local,
            };
        }
        for (pose, tip) in poses.tips.iter_mut().zip(self.tips()) {
            *pose = poses.joints[tip.parent] * tip.placement;
        }
    }

    /// The poses at `positions` \[rad or m\], one per variable, in new memory.
    ///
    /// # Panics
    /// As [`Chain::forward_kinematics`].
    pub fn poses_at(&self, positions: &[f64]) -> ChainPoses {
        let mut poses = ChainPoses::new(self);
        self.forward_kinematics(positions, &mut poses);
        poses
    }

    /// Writes the geometric Jacobian of the tip with index `tip` to `columns`, one column per variable. Column i is the
    /// twist of the tip for unit speed of variable i, in the base link's frame: three linear entries \[m/rad or m/m\],
    /// then three angular ones \[rad/rad or rad/m\]. Its reference point is `point` \[m\], in the base link's frame;
    /// usually the origin of the tip. A mimic joint contributes to the column of its variable. Variables that do not
    /// move the tip have zero columns.
    ///
    /// `poses` must contain the forward kinematics of the configuration. `columns` is overwritten.
    ///
    /// # Panics
    /// If `columns` has another length, or `tip` is not an index of [`Chain::tips`].
    pub fn jacobian(&self, poses: &ChainPoses, tip: usize, point: &Point3<f64>, columns: &mut [Vector6<f64>]) {
        self.jacobian_of(poses, Some(self.tips()[tip].parent), point, columns);
    }

    /// [`Chain::jacobian`] at a point of any link. `joint` is the last chain joint that moves the link, as
    /// [`Chain::attachment`] returns it: an index of [`Chain::joints`], or `None` for the base link. `point` \[m\] is
    /// in the base link's frame.
    ///
    /// # Panics
    /// If `columns` has another length, or `joint` is not an index of [`Chain::joints`].
    pub fn jacobian_of(
        &self,
        poses: &ChainPoses,
        joint: Option<usize>,
        point: &Point3<f64>,
        columns: &mut [Vector6<f64>],
    ) {
        assert_eq!(columns.len(), self.variables().len(), "one column for each variable");
        columns.fill(Vector6::zeros());
        for index in self.joints_up_from(joint) {
            let [linear, angular] = self.joint_twist(poses, index, point);
            columns[self.joints()[index].variable] += stacked(&linear, &angular);
        }
    }

    /// A chain joint and those before it, up to the base link.
    fn joints_up_from(&self, joint: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(joint, |&joint| self.joints()[joint].parent)
    }

    /// The last chain joint that moves `link`, an index of [`Robot::links`], and the pose of the link in that joint's
    /// frame after its motion (translation \[m\]). The joint is an index of [`Chain::joints`], or `None` for the base
    /// link. Joints off the chain are at `positions` \[rad or m\], one per joint of the robot.
    pub fn attachment(&self, robot: &Robot, link: usize, positions: &[f64]) -> (Option<usize>, Isometry3<f64>) {
        let base = robot.link_index(self.base()).unwrap_or_else(|| robot.root());
        let [up, down] = robot.joints_between([base, link]);
        let (mut parent, mut placement) = (None, Isometry3::identity());
        let path = up.iter().map(|joint| (*joint, true)).chain(down.iter().rev().map(|joint| (*joint, false)));
        for (index, upwards) in path {
            let joint = &robot.joints()[index];
            match self.joints().iter().position(|known| known.joint == index) {
                // A joint that is traversed upwards moves its parent link, at its origin.
                Some(at) => {
                    parent = Some(at);
                    placement = if upwards { joint.origin.inverse() } else { Isometry3::identity() };
                }
                None if upwards => placement *= joint.transform(positions[index]).inverse(),
                None => placement *= joint.transform(positions[index]),
            }
        }
        (parent, placement)
    }

    /// Adds to `gradient`, one entry per variable, the power of a wrench on the link after the chain joint `joint`, per
    /// unit speed of each variable: force · v + torque · ω, with the link's velocity v at the origin of the base link's
    /// frame, and its angular velocity ω. Force and torque are in the base link's frame, in any unit; the torque is
    /// about its origin.
    ///
    /// `poses` must contain the forward kinematics of the configuration.
    ///
    /// # Panics
    /// If `gradient` has too few entries, or `joint` is not an index of [`Chain::joints`].
    pub fn add_power(
        &self,
        poses: &ChainPoses,
        joint: usize,
        [force, torque]: &[Vector3<f64>; 2],
        gradient: &mut [f64],
    ) {
        for index in self.joints_up_from(Some(joint)) {
            let [linear, angular] = self.joint_twist(poses, index, &Point3::origin());
            gradient[self.joints()[index].variable] += force.dot(&linear) + torque.dot(&angular);
        }
    }

    /// The acceleration J̇ q̇ of the tip with index `tip` for constant `velocities` \[rad/s or m/s\], one per variable,
    /// in the base link's frame: three linear entries \[m/s²\], then three angular ones \[rad/s²\]. Its reference point
    /// is `point` \[m\], in the base link's frame and fixed to the tip.
    ///
    /// With the twists vᵢ, ωᵢ of the joints in their order from the base link, the derivative of vᵢ with respect to
    /// joint j is ωⱼ × vᵢ for j ≤ i and ωᵢ × vⱼ for j > i; that of ωᵢ is ωⱼ × ωᵢ for j < i and 0 otherwise.
    ///
    /// `poses` must contain the forward kinematics of the configuration.
    ///
    /// # Panics
    /// If `velocities` does not have one entry for each variable, or `tip` is not an index of [`Chain::tips`].
    #[must_use]
    pub fn acceleration_of_constant_velocities(
        &self,
        poses: &ChainPoses,
        tip: usize,
        point: &Point3<f64>,
        velocities: &[f64],
    ) -> Vector6<f64> {
        let [mut linear, mut angular] = [Vector3::zeros(); 2];
        // The velocity of the tip by the joints beyond.
        let [mut beyond, mut turn_beyond] = [Vector3::zeros(); 2];
        for index in self.joints_up_from(Some(self.tips()[tip].parent)) {
            let velocity = velocities[self.joints()[index].variable];
            let [along, turn] = self.joint_twist(poses, index, point).map(|part| part * velocity);
            linear += turn.cross(&(2.0 * beyond + along));
            angular += turn.cross(&turn_beyond);
            beyond += along;
            turn_beyond += turn;
        }
        stacked(&linear, &angular)
    }

    /// Linear and angular velocity at `point` of the links beyond a joint, for unit speed of its variable.
    fn joint_twist(&self, poses: &ChainPoses, index: usize, point: &Point3<f64>) -> [Vector3<f64>; 2] {
        let (joint, frame) = (&self.joints()[index], &poses.joints[index]);
        let axis = frame.rotation * joint.axis.into_inner() * joint.multiplier;
        if joint.kind == JointKind::Prismatic {
            [axis, Vector3::zeros()]
        } else {
            [axis.cross(&(point.coords - frame.translation.vector)), axis]
        }
    }
}

/// The manipulability of a tip from the `columns` of its Jacobian J, one per variable, as [`Chain::jacobian`] writes
/// them (Yoshikawa 1985, "Manipulability of robotic mechanisms"): the product of the singular values of J in m and rad,
/// √det(J Jᵀ); with fewer than six variables that move the tip, √det(Jᵀ J). 0 at a singularity.
pub fn manipulability(columns: &[Vector6<f64>]) -> f64 {
    let moving: Vec<Vector6<f64>> = columns.iter().filter(|column| **column != Vector6::zeros()).copied().collect();
    if moving.is_empty() {
        return 0.0;
    }
    // The triangular factor has the same singular values, and squaring would lose half of the digits.
    let rows = DMatrix::from_fn(moving.len(), 6, |variable, axis| moving[variable][axis]);
    let tall = if moving.len() < 6 { rows.transpose() } else { rows };
    tall.qr().r().diagonal().product().abs()
}
