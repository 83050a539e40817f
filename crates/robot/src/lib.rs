//! The robot of a URDF, and chains between its links. Both are constant.
//!
//! ```
//! use urdf_ik_robot::{Chain, Robot};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf(
//!     r#"<robot name="pendulum">
//!          <link name="ceiling"/> <link name="rod"/>
//!          <joint name="pivot" type="continuous">
//!            <parent link="ceiling"/> <child link="rod"/> <axis xyz="0 1 0"/>
//!          </joint>
//!        </robot>"#,
//! )?;
//! let chain = Chain::new(&robot, "ceiling", &["rod"])?;
//! assert_eq!(chain.variables()[0].name, "pivot");
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod assembly;
mod chain;
mod description;
mod error;
mod joint;
mod kinematic_urdf;
mod kinematics;
mod limit_warnings;
mod mass;
mod meshes;
mod noodle;
mod urdf;
mod visuals;
mod working_range;
pub mod xml;

pub use chain::{Chain, ChainJoint, Tip, Variable};
pub use description::{JointDescription, MimicDescription};
pub use error::{ChainError, PositionsError, UrdfError};
pub use joint::{Domain, Joint, JointKind, Mimic, nearest_turn, whole_turns, without_whole_turns};
pub use kinematics::{ChainPoses, manipulability};
pub use mass::Mass;
pub use meshes::{MeshFolders, MeshNotFound};
pub use noodle::{Noodle, NoodleError, NoodleJoints};
pub use urdf::{UrdfOptions, read_urdf_file};
pub use visuals::Visuals;

use std::collections::HashMap;

use nalgebra::Isometry3;

/// A link: a rigid body with a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name, unique in the robot.
    pub name: String,
    /// Index of the parent joint among [`Robot::joints`]; `None` for the root link.
    pub parent_joint: Option<usize>,
    /// Its mass, if the URDF has a valid `<inertial>` element.
    pub mass: Option<Mass>,
}

/// A robot: a tree of links and joints.
///
/// Joint positions of the whole robot are slices with one entry for each of [`Robot::joints`], in rad or m. Entries of
/// joints without a position are not used. [`Robot::apply_mimic`] sets those of mimic joints.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    name: String,
    links: Vec<Link>,
    joints: Vec<Joint>,
    /// Joint indices, parents before children.
    order: Vec<usize>,
    root: usize,
    warnings: Vec<String>,
    /// Index of each link and of each joint by its name.
    link_names: HashMap<String, usize>,
    joint_names: HashMap<String, usize>,
    /// For each joint, the joints that mimic it.
    followers: Vec<Vec<usize>>,
    /// The greatest length from the root to a link along the joints between them \[m\].
    size: f64,
}

impl Robot {
    /// The robot's name in its URDF.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The links, in the order of the URDF.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The joints, in the order of the URDF.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Indices of the joints, parents before children.
    #[doc(hidden)]
    pub fn parents_first(&self) -> impl Iterator<Item = usize> {
        self.order.iter().copied()
    }

    /// Index of the root link among [`Robot::links`].
    pub fn root(&self) -> usize {
        self.root
    }

    /// Sentences about ignored parts and suspicious limits of the URDF.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Index of the link named `name`; `None` if there is none.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.link_names.get(name).copied()
    }

    /// Index of the joint named `name`; `None` if there is none.
    pub fn joint_index(&self, name: &str) -> Option<usize> {
        self.joint_names.get(name).copied()
    }

    /// Indices of `link` and of all links above it, up to the root link.
    #[doc(hidden)]
    pub fn links_up_from(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        let above = |&link: &usize| self.links[link].parent_joint.map(|joint| self.joints[joint].parent);
        std::iter::successors(Some(link), above)
    }

    /// Indices of the joints between two links, given by index: for each link, the joints from it up to the link where
    /// both paths meet.
    #[doc(hidden)]
    pub fn joints_between(&self, links: [usize; 2]) -> [Vec<usize>; 2] {
        let joint_above = |link: usize| self.links[link].parent_joint;
        let ways = links.map(|link| self.links_up_from(link).filter_map(joint_above).collect::<Vec<_>>());
        let [first, second] = &ways;
        let shared = first.iter().rev().zip(second.iter().rev()).take_while(|(a, b)| a == b).count();
        ways.map(|way| way[..way.len() - shared].to_vec())
    }

    /// Names of the links without children, in the order of the URDF.
    pub fn leaves(&self) -> Vec<&str> {
        let mut is_leaf = vec![true; self.links.len()];
        for joint in &self.joints {
            is_leaf[joint.parent] = false;
        }
        self.links.iter().zip(is_leaf).filter(|(_, is_leaf)| *is_leaf).map(|(link, _)| link.name.as_str()).collect()
    }

    /// Index of the uppermost link that only fixed joints connect with `link`. Links with the same result are rigidly
    /// connected.
    #[doc(hidden)]
    pub fn rigid_body(&self, link: usize) -> usize {
        let is_fixed = |link: usize| {
            let joint = self.links[link].parent_joint.map(|joint| &self.joints[joint]);
            joint.is_some_and(|joint| joint.kind == JointKind::Fixed)
        };
        self.links_up_from(link).find(|&link| !is_fixed(link)).unwrap_or(link)
    }

    /// Indices of the joints with a position, including mimic joints, as in a joint state. Ascending.
    pub fn movable(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joints.len()).filter(|&joint| self.joints[joint].kind.has_position())
    }

    /// Index of the joint named `name`; `None` if there is none, or if it has no position.
    pub fn movable_index(&self, name: &str) -> Option<usize> {
        self.joint_index(name).filter(|&joint| self.joints[joint].kind.has_position())
    }

    /// Names of the joints that have a position, in the order of [`Robot::movable`].
    pub fn movable_names(&self) -> impl Iterator<Item = &str> + '_ {
        self.movable().map(|joint| self.joints[joint].name.as_str())
    }

    /// Permitted positions \[rad or m\] of the joint with index `joint`: its own limits or, for a mimic joint, those
    /// that follow from the limits of its master.
    pub fn domain(&self, joint: usize) -> Domain {
        let Mimic { master, multiplier, offset } = self.joints[joint].rule(joint);
        let own = self.joints[master].domain;
        if master == joint { own } else { own.image(multiplier, offset) }
    }

    /// The joints that mimic the joint with index `joint`, each with its rule.
    #[doc(hidden)]
    pub fn followers(&self, joint: usize) -> impl Iterator<Item = (&Joint, Mimic)> + '_ {
        self.followers[joint].iter().filter_map(|&follower| {
            let follower = &self.joints[follower];
            Some((follower, follower.mimic?))
        })
    }

    /// Checks that `positions` has one finite entry for each of [`Robot::joints`] \[rad or m\].
    ///
    /// # Errors
    /// [`PositionsError`] for a wrong number of entries, or the first that is not finite.
    pub fn check_positions(&self, positions: &[f64]) -> Result<(), PositionsError> {
        error::check_positions(self.joints.iter().map(|joint| &joint.name), positions)
    }

    /// Sets the position of each mimic joint from that of its master. `positions` has one entry for each joint \[rad
    /// or m\].
    pub fn apply_mimic(&self, positions: &mut [f64]) {
        for (index, joint) in self.joints.iter().enumerate() {
            if let Some(mimic) = joint.mimic {
                positions[index] = mimic.multiplier * positions[mimic.master] + mimic.offset;
            }
        }
    }

    /// Joint positions inside the limits \[rad or m\], one for each joint: 0 if permitted, otherwise the middle of the
    /// [working range](Self::working_range). Mimic joints follow their rules.
    pub fn neutral_positions(&self) -> Vec<f64> {
        let neutral = |joint: usize| {
            let range = self.working_range(joint);
            if range.contains(0.0) { 0.0 } else { range.middle() }
        };
        let mut positions: Vec<f64> = (0..self.joints.len()).map(neutral).collect();
        self.apply_mimic(&mut positions);
        positions
    }

    /// Positions of all joints \[rad or m\], one entry for each joint: those that `given` has by name, and
    /// [neutral](Self::neutral_positions) ones of the others. Mimic joints follow their rules.
    ///
    /// # Errors
    /// [`PositionsError`] for the first joint that is unknown, or whose position is not finite.
    pub fn positions_by_name<'a>(
        &self,
        given: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<f64>, PositionsError> {
        let mut positions = self.neutral_positions();
        for (name, value) in given {
            let joint = self.movable_index(name).ok_or_else(|| PositionsError::Unknown {
                joint: name.to_owned(),
                joints: self.movable_names().map(str::to_owned).collect(),
            })?;
            positions[joint] = value;
        }
        self.check_positions(&positions)?;
        self.apply_mimic(&mut positions);
        Ok(positions)
    }

    /// Poses of all links in the root link's frame (translations \[m\]), in the order of [`Robot::links`]. `positions`
    /// has one entry for each joint \[rad or m\], including mimic joints.
    pub fn link_poses(&self, positions: &[f64]) -> Vec<Isometry3<f64>> {
        let mut poses = vec![Isometry3::identity(); self.links.len()];
        for &index in &self.order {
            let joint = &self.joints[index];
            poses[joint.child] = poses[joint.parent] * joint.transform(positions[index]);
        }
        poses
    }
}
