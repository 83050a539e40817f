//! The collision shapes of all links of a robot.

pub(crate) mod distances;
pub(crate) mod pairs;
pub(crate) mod srdf;
pub(crate) mod urdf;

use std::collections::BTreeMap;
use std::ops::Range;

use thiserror::Error;

use crate::links::urdf::{Collision, collisions};
use crate::mesh_files::{MeshCache, MeshTriangles};
use crate::shapes::{Geometry, PlacedShape};
use urdf_ik_robot::xml::XmlError;
use urdf_ik_robot::{MeshFolders, Robot};
use urdf_ik_text::names::{self, sentence, short};
use urdf_ik_text::{Malformed, named_values};

/// Maximum number of collision shapes of a robot. The number of pairs grows with its square.
const MAX_SHAPES: usize = 1000;

/// The collision shapes of a robot's links. Immutable.
#[derive(Clone)]
pub struct LinkShapes {
    /// Sorted by link index.
    shapes: Vec<PlacedShape>,
    /// For each link, the range of its shapes.
    ranges: Vec<Range<usize>>,
    faults: Vec<ShapeFault>,
}

named_values! {
    /// How collision checks treat links whose shapes could not be loaded. Links without a `<collision>` element are not
    /// affected.
    #[non_exhaustive]
    pub enum MissingShapes("way to treat missing shapes", "ways to treat missing shapes") {
        /// Collision checks fail, because a missing shape might be in contact.
        Refuse = "refuse",
        /// The links are checked with the shapes that could be loaded.
        Ignore = "ignore",
    }
}

/// Links whose shapes could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "shapes of these links could not be loaded, so collisions cannot be excluded: {} ({}); set missing_shapes to ignore where \
     they may count without them",
    names::list(links),
    sentence(reason)
)]
pub struct MissingShapesError {
    /// Names of the links, in the order of the URDF.
    pub links: Vec<String>,
    /// Reason why the first shape could not be loaded.
    pub reason: String,
}

/// No link has a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("collisions cannot be avoided: no link of the robot has a collision shape")]
pub struct NoShapesError;

/// An unusable `<collision>` element and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("link '{}' counts without a shape: {reason}", short(link))]
pub struct ShapeFault {
    /// Name of the link.
    pub link: String,
    /// The reason, as a sentence without its full stop.
    pub reason: String,
}

/// A URDF whose collision geometry cannot be read: the XML is not well-formed, or there are too many shapes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CollisionsError(String);

impl LinkShapes {
    /// Reads the `<collision>` elements of `urdf`, the text from which `robot` was built. Mesh files are searched for
    /// in `folders`.
    ///
    /// Shapes that are invalid or cannot be loaded are listed in [`LinkShapes::faults`]; the link keeps its other
    /// shapes.
    ///
    /// # Errors
    /// [`CollisionsError`] if the text is not well-formed XML or has too many shapes.
    pub fn of_urdf(urdf: &str, robot: &Robot, folders: &MeshFolders) -> Result<Self, CollisionsError> {
        Self::with_meshes(urdf, robot, folders, &BTreeMap::new())
    }

    /// Like [`LinkShapes::of_urdf`], but a mesh in `meshes` replaces the file that the URDF calls by the same name.
    ///
    /// # Errors
    /// [`CollisionsError`] as for [`LinkShapes::of_urdf`].
    pub fn with_meshes(
        urdf: &str,
        robot: &Robot,
        folders: &MeshFolders,
        meshes: &BTreeMap<String, MeshTriangles>,
    ) -> Result<Self, CollisionsError> {
        let unreadable = "the collision geometry of the robot description cannot be read";
        let refused = |e: XmlError| CollisionsError(format!("{unreadable}: {}", sentence(&e.reason)));
        let collisions = collisions(urdf).map_err(refused)?;
        let count = collisions.len();
        if count > MAX_SHAPES {
            let most = format!("the robot description has {count} collision shapes; it may have {MAX_SHAPES}");
            return Err(CollisionsError(most));
        }
        let mut meshes = MeshCache::new(folders, meshes);
        let (mut shapes, mut faults) = (Vec::new(), Vec::new());
        for collision in collisions {
            // `robot` was built from the same text, so every link is found.
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

    /// The shapes of the link with index `link` in [`Robot::links`]; empty if it has none.
    pub fn of_link(&self, link: usize) -> &[PlacedShape] {
        self.ranges.get(link).map_or(&[], |range| &self.shapes[range.clone()])
    }

    /// Indices in [`Robot::links`] of the links with shapes, ascending.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ranges.len()).filter(|&link| !self.ranges[link].is_empty())
    }

    /// Checks that at least one link has a shape, so that collisions can be found.
    ///
    /// # Errors
    /// [`NoShapesError`] if no link has a shape.
    pub fn check_not_empty(&self) -> Result<(), NoShapesError> {
        self.links().next().map(drop).ok_or(NoShapesError)
    }

    /// The unusable shapes, in the order of the URDF.
    pub fn faults(&self) -> &[ShapeFault] {
        &self.faults
    }

    /// The links with missing shapes; `None` if there are none. [`MissingShapes::check`](crate::MissingShapes::check)
    /// decides whether that is an error.
    pub fn missing(&self) -> Option<MissingShapesError> {
        let reason = self.faults.first()?.reason.clone();
        let mut links: Vec<String> = self.faults.iter().map(|fault| fault.link.clone()).collect();
        links.dedup();
        Some(MissingShapesError { links, reason })
    }
}

impl MissingShapes {
    /// Applies this policy to the `missing` shapes.
    ///
    /// # Errors
    /// [`MissingShapesError`], a clone of `missing`, under [`MissingShapes::Refuse`].
    pub fn check(self, missing: Option<&MissingShapesError>) -> Result<(), MissingShapesError> {
        match (self, missing) {
            (Self::Refuse, Some(missing)) => Err(missing.clone()),
            _ => Ok(()),
        }
    }
}

fn shape(collision: Collision, meshes: &mut MeshCache) -> Result<Option<PlacedShape>, Malformed> {
    let (origin, mut geometry) = (collision.origin?, collision.geometry?);
    let mut mesh = None;
    if let Geometry::Mesh { file, scale, triangles } = &mut geometry {
        let read = meshes.of(file, *scale)?;
        *triangles = read.faces.len();
        mesh = Some(read);
    }
    Ok(PlacedShape::new(geometry, &origin, mesh))
}
