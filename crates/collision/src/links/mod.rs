//! The shapes of all links of a robot.

pub(crate) mod distances;
pub(crate) mod missing;
pub(crate) mod pairs;
pub(crate) mod srdf;
pub(crate) mod urdf;

use std::ops::Range;

use thiserror::Error;

use crate::links::missing::ShapesMissing;
use crate::links::urdf::{Collision, collisions};
use crate::malformed::Malformed;
use crate::mesh_files::Meshes;
use crate::shapes::{Geometry, PlacedShape};
use urdf_ik_robot::{MeshFolders, Robot};
use urdf_ik_text::names::{sentence, short};

/// Greatest number of shapes of a robot. Every two of them can be a pair.
const MAX_SHAPES: usize = 1000;

/// The shapes of the links of a robot. Constant.
#[derive(Clone)]
pub struct LinkShapes {
    /// Sorted by links.
    shapes: Vec<PlacedShape>,
    /// For each link, where its shapes are.
    ranges: Vec<Range<usize>>,
    faults: Vec<ShapeFault>,
}

/// A shape that a link should have but does not, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("link '{}' counts without a shape: {reason}", short(link))]
pub struct ShapeFault {
    /// Name of the link.
    pub link: String,
    /// What is wrong, as a sentence without its end.
    pub reason: String,
}

/// A URDF whose collision geometry cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollisionsError {
    /// The text is not well-formed XML.
    #[error("the collision geometry of the robot description cannot be read: {}", sentence(reason))]
    Xml {
        /// What the XML reader said.
        reason: String,
    },
    /// There are more shapes than a robot has.
    #[error("the robot description has {shapes} collision shapes; it may have {MAX_SHAPES}")]
    TooManyShapes {
        /// Their number.
        shapes: usize,
    },
}

impl LinkShapes {
    /// The shapes of the `<collision>` elements of `urdf`, the text that `robot` is of. Meshes are looked for in `folders`.
    ///
    /// A shape that is missing or wrong is one of [`LinkShapes::faults`], and its link counts by the shapes that it has.
    ///
    /// # Errors
    /// [`CollisionsError`] where the text is not XML, or has too many shapes.
    pub fn of_urdf(urdf: &str, robot: &Robot, folders: &MeshFolders) -> Result<Self, CollisionsError> {
        let collisions = collisions(urdf).map_err(|e| CollisionsError::Xml { reason: e.reason })?;
        if collisions.len() > MAX_SHAPES {
            return Err(CollisionsError::TooManyShapes { shapes: collisions.len() });
        }
        let mut meshes = Meshes::new(folders);
        let (mut shapes, mut faults) = (Vec::new(), Vec::new());
        for collision in collisions {
            // Each link of the text is one of the robot.
            let Some(link) = robot.link_index(&collision.link) else { continue };
            let name = collision.link.clone();
            match shape(collision, &mut meshes) {
                Ok(shape) => shapes.extend(shape.map(|shape| (link, shape))),
                Err(Malformed(reason)) => faults.push(ShapeFault { link: name, reason }),
            }
        }
        shapes.sort_by_key(|&(link, _)| link);
        let start = |link: usize| shapes.partition_point(|&(other, _)| other < link);
        let ranges = (0..robot.links().len()).map(|link| start(link)..start(link + 1)).collect();
        let shapes = shapes.into_iter().map(|(_, shape)| shape).collect();
        Ok(Self { shapes, ranges, faults })
    }

    /// The shapes of the link of that index; none for a link that has none.
    pub fn of_link(&self, link: usize) -> &[PlacedShape] {
        self.ranges.get(link).map_or(&[], |range| &self.shapes[range.clone()])
    }

    /// Indices of the links that have a shape, ascending.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ranges.len()).filter(|&link| !self.ranges[link].is_empty())
    }

    /// The shapes that are missing, in the order of the URDF.
    pub fn faults(&self) -> &[ShapeFault] {
        &self.faults
    }

    /// The links that lack shapes; `None` where none does. [`MissingShapes::check`](crate::MissingShapes::check) tells whether that matters.
    pub fn missing(&self) -> Option<ShapesMissing> {
        let reason = self.faults.first()?.reason.clone();
        let mut links: Vec<String> = self.faults.iter().map(|fault| fault.link.clone()).collect();
        links.dedup();
        Some(ShapesMissing { links, reason })
    }
}

fn shape(collision: Collision, meshes: &mut Meshes) -> Result<Option<PlacedShape>, Malformed> {
    let (origin, mut geometry) = (collision.origin?, collision.geometry?);
    let mut mesh = None;
    if let Geometry::Mesh { file, scale, triangles } = &mut geometry {
        let read = meshes.of(file, *scale)?;
        *triangles = read.faces.len();
        mesh = Some(read);
    }
    Ok(PlacedShape::new(geometry, &origin, mesh))
}
