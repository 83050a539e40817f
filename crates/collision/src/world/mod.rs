//! What surrounds a robot: obstacles, and parts that it carries.

pub(crate) mod obstacle;
pub(crate) mod obstacle_list;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use crate::links::srdf::Srdf;
use crate::world::obstacle::Obstacle;
use urdf_ik_robot::{Chain, Robot};
use urdf_ik_text::names::short;

/// Greatest number of obstacles and attached parts.
pub const MAX_OBSTACLES: usize = 1000;
/// Greatest number of their shapes.
pub const MAX_OBSTACLE_SHAPES: usize = 10_000;
/// Greatest number of triangles of their meshes.
pub const MAX_OBSTACLE_TRIANGLES: usize = 2_000_000;

/// Obstacles and attached parts by their names. Their order is that of the names, so that the order in which they came does not matter.
#[derive(Clone, Default)]
pub struct World {
    obstacles: BTreeMap<String, (Arc<Obstacle>, Isometry3<f64>)>,
    attached: BTreeMap<String, Attached>,
}

/// A part that a link carries.
#[derive(Clone)]
pub struct Attached {
    /// Its shapes.
    pub obstacle: Arc<Obstacle>,
    /// Its pose in the frame of the link.
    pub pose: Isometry3<f64>,
    /// Index of the link.
    pub link: usize,
    /// Names of links, obstacles and other attached parts that it may touch, besides the link.
    pub may_touch: BTreeSet<String>,
}

/// A change of the world that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Nothing has that name.
    #[error("there is no obstacle '{}'", short(id))]
    Unknown {
        /// The name.
        id: String,
    },
    /// A link carries it.
    #[error("'{}' is attached to a link, which moves it: detach it first", short(id))]
    Carried {
        /// The name.
        id: String,
    },
    /// There is more than is computed with.
    #[error("there would be {number} {what} in all; there may be {most}: remove some first")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// Their number.
        number: usize,
        /// The bound.
        most: usize,
    },
}

impl World {
    /// Adds an obstacle at `pose` in the root link's frame, in place of what had the name before.
    pub fn add(&mut self, id: &str, obstacle: Arc<Obstacle>, pose: Isometry3<f64>) {
        self.attached.remove(id);
        self.obstacles.insert(id.to_owned(), (obstacle, pose));
    }

    /// Moves an obstacle.
    ///
    /// # Errors
    /// [`WorldError::Unknown`]; [`WorldError::Carried`] for an attached part.
    pub fn move_to(&mut self, id: &str, pose: Isometry3<f64>) -> Result<(), WorldError> {
        let is_carried = self.attached.contains_key(id);
        let missing = |id: String| if is_carried { WorldError::Carried { id } } else { WorldError::Unknown { id } };
        let found = self.obstacles.get_mut(id).ok_or_else(|| missing(id.to_owned()))?;
        found.1 = pose;
        Ok(())
    }

    /// Removes an obstacle or an attached part.
    ///
    /// # Errors
    /// [`WorldError::Unknown`].
    pub fn remove(&mut self, id: &str) -> Result<(), WorldError> {
        let found = self.obstacles.remove(id).is_some() | self.attached.remove(id).is_some();
        if found { Ok(()) } else { Err(WorldError::Unknown { id: id.to_owned() }) }
    }

    /// Attaches a part, in place of what had the name before.
    pub fn attach(&mut self, id: &str, attached: Attached) {
        self.obstacles.remove(id);
        self.attached.insert(id.to_owned(), attached);
    }

    /// Leaves an attached part where it is, as an obstacle. `links` are the poses of all links in the root link's frame.
    ///
    /// # Errors
    /// [`WorldError::Unknown`] where no link carries a part of that name.
    pub fn detach(&mut self, id: &str, links: &[Isometry3<f64>]) -> Result<(), WorldError> {
        let attached = self.attached.remove(id).ok_or_else(|| WorldError::Unknown { id: id.to_owned() })?;
        self.add(id, attached.obstacle, links[attached.link] * attached.pose);
        Ok(())
    }

    /// The obstacle of that name, with its pose in the root link's frame.
    pub fn obstacle(&self, id: &str) -> Option<(&Arc<Obstacle>, &Isometry3<f64>)> {
        self.obstacles.get(id).map(|(obstacle, pose)| (obstacle, pose))
    }

    /// Checks that there is not more than is computed with.
    ///
    /// # Errors
    /// [`WorldError::TooMany`].
    pub fn check_size(&self) -> Result<(), WorldError> {
        let all = || {
            let obstacles = self.obstacles.values().map(|(obstacle, _)| obstacle);
            obstacles.chain(self.attached.values().map(|attached| &attached.obstacle))
        };
        let shapes = all().map(|obstacle| obstacle.shapes().len()).sum();
        let triangles = all().map(|obstacle| obstacle.triangle_count()).sum();
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

    /// The obstacles, with their poses in the root link's frame.
    pub fn obstacles(&self) -> impl Iterator<Item = (&str, &Arc<Obstacle>, &Isometry3<f64>)> {
        self.obstacles.iter().map(|(id, (obstacle, pose))| (id.as_str(), obstacle, pose))
    }

    /// The attached parts.
    pub fn attached(&self) -> impl Iterator<Item = (&str, &Attached)> {
        self.attached.iter().map(|(id, attached)| (id.as_str(), attached))
    }

    /// This world, in which each attached part may also touch the end effector of its link: that of the SRDF that has the link, or where
    /// none has it, all links that are fixed to a tip link of `chain` or beyond it, if the link is one of them.
    #[must_use]
    pub fn with_end_effectors(&self, robot: &Robot, chain: &Chain, srdf: Option<&Srdf>) -> Self {
        let mut world = self.clone();
        for (id, attached) in self.attached() {
            let links = end_effector_of(robot, chain, srdf, attached.link);
            let names = links.into_iter().map(|link| robot.links()[link].name.clone());
            let may_touch = attached.may_touch.iter().cloned().chain(names).collect();
            world.attach(id, Attached { may_touch, ..attached.clone() });
        }
        world
    }
}

/// Indices of the links of the end effector that has the link of index `link`.
fn end_effector_of(robot: &Robot, chain: &Chain, srdf: Option<&Srdf>, link: usize) -> BTreeSet<usize> {
    let by_srdf = srdf.map(|srdf| srdf.end_effectors.links_with(robot, link)).unwrap_or_default();
    if !by_srdf.is_empty() {
        return by_srdf;
    }
    let tips = chain.tips().iter().filter_map(|tip| robot.link_index(&tip.link));
    tips.map(|tip| beyond(robot, chain, tip)).filter(|links| links.contains(&link)).flatten().collect()
}

/// The links that are fixed to `tip` or beyond it, up to joints that the chain moves.
fn beyond(robot: &Robot, chain: &Chain, tip: usize) -> BTreeSet<usize> {
    let mut links = BTreeSet::from([robot.rigid_body(tip)]);
    for joint in robot.parents_first().filter(|&joint| !chain.moves(robot, joint)) {
        if links.contains(&robot.joints()[joint].parent) {
            links.insert(robot.joints()[joint].child);
        }
    }
    links
}
