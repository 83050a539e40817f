//! The surroundings of a robot: obstacles, and parts that it carries.

pub(crate) mod obstacle;
pub(crate) mod obstacle_list;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use crate::links::srdf::Srdf;
use crate::shapes::{Core, MAX_EXTENT, PlacedShape, is_near};
use crate::world::obstacle::Obstacle;
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_text::names::short;

/// Maximum number of obstacles and attached parts.
pub const MAX_OBSTACLES: usize = 1000;
/// Maximum number of shapes of all obstacles and attached parts.
pub const MAX_OBSTACLE_SHAPES: usize = 10_000;
/// Maximum number of triangles of all obstacles and attached parts.
pub const MAX_OBSTACLE_TRIANGLES: usize = 2_000_000;

/// Obstacles and attached parts by name, sorted by name, so that the order of insertion does not matter.
///
/// ```
/// use std::sync::Arc;
/// use nalgebra::Isometry3;
/// use urdf_ik_collision::{Geometry, Obstacle, World};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut table = Obstacle::default();
/// table.add_primitive(Geometry::Box { size: [1.0, 0.6, 0.05] }, &Isometry3::identity())?;
/// let mut world = World::default();
/// world.add("table", Arc::new(table), Isometry3::translation(0.5, 0.0, 0.3))?;
/// world.move_to("table", Isometry3::translation(0.5, 0.0, 0.4))?;
/// assert_eq!(world.obstacle("table").map(|(_, pose)| pose.translation.z), Some(0.4));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct World {
    obstacles: BTreeMap<String, (Arc<Obstacle>, Isometry3<f64>)>,
    attached: BTreeMap<String, Attached>,
}

/// A part attached to a link, such as a grasped object.
#[derive(Clone)]
pub struct Attached {
    /// Its shapes, in the part's frame.
    pub obstacle: Arc<Obstacle>,
    /// Its pose in the link's frame \[m\].
    pub pose: Isometry3<f64>,
    /// Index of the link in [`Robot::links`].
    pub link: usize,
    /// Names of links, obstacles and other attached parts that the part may touch, in addition to its own link.
    pub may_touch: BTreeSet<String>,
}

/// Why a world cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// There is no obstacle with this name.
    #[error("there is no obstacle '{}'", short(id))]
    Unknown {
        /// The unknown name.
        id: String,
    },
    /// The obstacle is attached to a link.
    #[error("'{}' is attached to a link, which moves it: detach it first", short(id))]
    Carried {
        /// Name of the attached part.
        id: String,
    },
    /// A pose is not finite or too far away.
    #[error("the pose of '{}' is not finite, or farther than {MAX_EXTENT} m away", short(id))]
    Pose {
        /// Name of the obstacle or attached part.
        id: String,
    },
    /// There is no pose for the link that carries an attached part.
    #[error("'{}' is attached to the link of index {link}, but there are {links} links", short(id))]
    UnknownLink {
        /// Name of the attached part.
        id: String,
        /// Index of the link.
        link: usize,
        /// Number of links.
        links: usize,
    },
    /// The world would exceed a size limit.
    #[error("there would be {number} {what} in all; there may be {most}: remove some first")]
    TooMany {
        /// Kind of the items, in the plural.
        what: &'static str,
        /// Number of items.
        number: usize,
        /// Maximum number.
        most: usize,
    },
}

impl WorldError {
    pub(crate) fn unknown_link(id: &str, link: usize, links: usize) -> Self {
        Self::UnknownLink { id: id.to_owned(), link, links }
    }
}

impl World {
    /// Adds an obstacle at `pose` \[m\] in the root link's frame. It replaces an obstacle or attached part of the same
    /// name.
    ///
    /// # Errors
    /// [`WorldError::Pose`] if the pose is not finite, or farther than [`MAX_EXTENT`] away.
    pub fn add(&mut self, id: &str, obstacle: Arc<Obstacle>, pose: Isometry3<f64>) -> Result<(), WorldError> {
        check_pose(id, &pose)?;
        self.attached.remove(id);
        self.obstacles.insert(id.to_owned(), (obstacle, pose));
        Ok(())
    }

    /// Moves an obstacle to `pose` \[m\] in the root link's frame.
    ///
    /// # Errors
    /// [`WorldError::Unknown`] if there is no obstacle with this name, [`WorldError::Carried`] if it is attached to a
    /// link, [`WorldError::Pose`] as for [`World::add`].
    pub fn move_to(&mut self, id: &str, pose: Isometry3<f64>) -> Result<(), WorldError> {
        check_pose(id, &pose)?;
        let is_carried = self.attached.contains_key(id);
        let missing = |id: String| if is_carried { WorldError::Carried { id } } else { WorldError::Unknown { id } };
        let found = self.obstacles.get_mut(id).ok_or_else(|| missing(id.to_owned()))?;
        found.1 = pose;
        Ok(())
    }

    /// Removes an obstacle or an attached part.
    ///
    /// # Errors
    /// [`WorldError::Unknown`] if neither has this name.
    pub fn remove(&mut self, id: &str) -> Result<(), WorldError> {
        let found = self.obstacles.remove(id).is_some() | self.attached.remove(id).is_some();
        if found { Ok(()) } else { Err(WorldError::Unknown { id: id.to_owned() }) }
    }

    /// Attaches a part to a link. It replaces an obstacle or attached part of the same name. [`Scene::new`] checks that
    /// the link exists.
    ///
    /// [`Scene::new`]: crate::Scene::new
    ///
    /// # Errors
    /// [`WorldError::Pose`] if the pose is not finite, or farther than [`MAX_EXTENT`] away.
    pub fn attach(&mut self, id: &str, attached: Attached) -> Result<(), WorldError> {
        check_pose(id, &attached.pose)?;
        self.obstacles.remove(id);
        self.attached.insert(id.to_owned(), attached);
        Ok(())
    }

    /// Converts an attached part to an obstacle at its current pose. `links` has the poses \[m\] of all links in the
    /// root link's frame, in the order of [`Robot::links`].
    ///
    /// # Errors
    /// [`WorldError::Unknown`] if no attached part has this name, [`WorldError::UnknownLink`] if `links` does not
    /// include its link, and [`WorldError::Pose`] as for [`World::add`].
    pub fn detach(&mut self, id: &str, links: &[Isometry3<f64>]) -> Result<(), WorldError> {
        let attached = self.attached.get(id).ok_or_else(|| WorldError::Unknown { id: id.to_owned() })?;
        let carrier =
            links.get(attached.link).ok_or_else(|| WorldError::unknown_link(id, attached.link, links.len()))?;
        self.add(id, Arc::clone(&attached.obstacle), carrier * attached.pose)
    }

    /// The obstacle named `id`, and its pose in the root link's frame \[m\]; `None` if there is none.
    pub fn obstacle(&self, id: &str) -> Option<(&Arc<Obstacle>, &Isometry3<f64>)> {
        self.obstacles.get(id).map(|(obstacle, pose)| (obstacle, pose))
    }

    /// Checks the maximum numbers of obstacles, shapes and triangles.
    ///
    /// # Errors
    /// [`WorldError::TooMany`] with the first exceeded limit.
    pub fn check_size(&self) -> Result<(), WorldError> {
        let all = || {
            let obstacles = self.obstacles.values().map(|(obstacle, _)| obstacle);
            obstacles.chain(self.attached.values().map(|attached| &attached.obstacle))
        };
        let shapes = all().map(|obstacle| obstacle.shapes().len()).sum();
        let faces = |shape: &PlacedShape| if let Core::Mesh(mesh) = &shape.core { mesh.faces.len() } else { 0 };
        let triangles = all().flat_map(|obstacle| obstacle.shapes()).map(faces).sum();
        for (what, number, most) in [
            ("obstacles", all().count(), MAX_OBSTACLES),
            ("shapes of obstacles", shapes, MAX_OBSTACLE_SHAPES),
            ("triangles of obstacles", triangles, MAX_OBSTACLE_TRIANGLES),
        ] {
            if number > most {
                return Err(WorldError::TooMany { what, number, most });
            }
        }
        Ok(())
    }

    /// All obstacles, sorted by name, with their poses in the root link's frame \[m\].
    pub fn obstacles(&self) -> impl Iterator<Item = (&str, &Arc<Obstacle>, &Isometry3<f64>)> {
        self.obstacles.iter().map(|(id, (obstacle, pose))| (id.as_str(), obstacle, pose))
    }

    /// All attached parts, sorted by name.
    pub fn attached(&self) -> impl Iterator<Item = (&str, &Attached)> {
        self.attached.iter().map(|(id, attached)| (id.as_str(), attached))
    }

    /// A copy of this world in which each attached part may also touch the end effector of its link: the end effector
    /// in the SRDF that contains the link. If there is none, it is the rigid body of a tip link of `chain` with all
    /// links beyond it that no variable moves relative to it, provided that the link is among them.
    #[must_use]
    pub fn with_end_effectors(&self, robot: &Robot, chain: &Chain, srdf: Option<&Srdf>) -> Self {
        let mut world = self.clone();
        for (id, attached) in self.attached() {
            let links = end_effector_of(robot, chain, srdf, attached.link);
            let names = links.into_iter().map(|link| robot.links()[link].name.clone());
            let may_touch = attached.may_touch.iter().cloned().chain(names).collect();
            world.attached.insert(id.to_owned(), Attached { may_touch, ..attached.clone() });
        }
        world
    }
}

fn check_pose(id: &str, pose: &Isometry3<f64>) -> Result<(), WorldError> {
    if is_near(pose) { Ok(()) } else { Err(WorldError::Pose { id: id.to_owned() }) }
}

/// Indices of the links of the end effector that contains the link of index `link`.
fn end_effector_of(robot: &Robot, chain: &Chain, srdf: Option<&Srdf>, link: usize) -> BTreeSet<usize> {
    let by_srdf = srdf.map(|srdf| srdf.end_effectors.links_with(robot, link)).unwrap_or_default();
    if !by_srdf.is_empty() {
        return by_srdf;
    }
    let tips = chain.tips().iter().filter_map(|tip| robot.link_index(&tip.link));
    tips.map(|tip| beyond(robot, chain, tip)).filter(|links| links.contains(&link)).flatten().collect()
}

/// The rigid body of `tip` and all links beyond it that the chain does not move relative to it.
fn beyond(robot: &Robot, chain: &Chain, tip: usize) -> BTreeSet<usize> {
    let mut links = BTreeSet::from([robot.rigid_body(tip)]);
    for joint in robot.parents_first().filter(|&joint| !chain.moves(robot, joint)) {
        if links.contains(&robot.joints()[joint].parent) {
            links.insert(robot.joints()[joint].child);
        }
    }
    links
}
