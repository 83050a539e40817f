//! The shapes of all links of a robot.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use parry3d_f64::shape::TriMesh;
use thiserror::Error;

use super::mesh_file::{MeshError, read_mesh};
use super::shape::{Geometry, LinkShape};
use super::urdf_collisions::{Collision, collisions};
use crate::names::{sentence, short};
use crate::robot::{MeshFolders, Robot};

/// Greatest number of shapes of a robot. Every two of them can be a pair.
const MAX_SHAPES: usize = 1000;
/// Greatest number of triangles of all meshes of a robot.
const MAX_TRIANGLES_IN_ALL: usize = 4_000_000;

/// The shapes of the links of a robot. Constant.
#[derive(Clone)]
pub struct LinkShapes {
    /// Sorted by links.
    shapes: Vec<LinkShape>,
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
        let collisions = collisions(urdf).map_err(|reason| CollisionsError::Xml { reason })?;
        if collisions.len() > MAX_SHAPES {
            return Err(CollisionsError::TooManyShapes { shapes: collisions.len() });
        }
        let mut meshes = Meshes { folders, read: HashMap::new(), triangles: 0 };
        let (mut shapes, mut faults) = (Vec::new(), Vec::new());
        for collision in collisions {
            // Each link of the text is one of the robot.
            let Some(link) = robot.link_index(&collision.link) else { continue };
            let name = collision.link.clone();
            match shape(link, collision, &mut meshes) {
                Ok(shape) => shapes.extend(shape),
                Err(reason) => faults.push(ShapeFault { link: name, reason }),
            }
        }
        shapes.sort_by_key(|shape: &LinkShape| shape.link);
        let start = |link: usize| shapes.partition_point(|shape| shape.link < link);
        let ranges = (0..robot.links().len()).map(|link| start(link)..start(link + 1)).collect();
        Ok(Self { shapes, ranges, faults })
    }

    /// The shapes of the link of that index; none for a link that has none.
    #[must_use]
    pub fn of_link(&self, link: usize) -> &[LinkShape] {
        self.ranges.get(link).map_or(&[], |range| &self.shapes[range.clone()])
    }

    /// Indices of the links that have a shape, ascending.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ranges.len()).filter(|&link| !self.ranges[link].is_empty())
    }

    /// The shapes that are missing, in the order of the URDF.
    #[must_use]
    pub fn faults(&self) -> &[ShapeFault] {
        &self.faults
    }
}

fn shape(link: usize, collision: Collision, meshes: &mut Meshes) -> Result<Option<LinkShape>, String> {
    let (origin, mut geometry) = (collision.origin?, collision.geometry?);
    let mut mesh = None;
    if let Geometry::Mesh { file, scale, triangles } = &mut geometry {
        let read = meshes.of(file, *scale).map_err(|e| e.to_string())?;
        *triangles = read.num_triangles();
        mesh = Some(read);
    }
    Ok(LinkShape::new(link, geometry, &origin, mesh))
}

/// Meshes by name and scale: two links that show the same file share it.
struct Meshes<'a> {
    folders: &'a MeshFolders,
    read: HashMap<(String, [u64; 3]), Arc<TriMesh>>,
    triangles: usize,
}

impl Meshes<'_> {
    fn of(&mut self, file: &str, scale: [f64; 3]) -> Result<Arc<TriMesh>, MeshError> {
        let key = (file.to_owned(), scale.map(f64::to_bits));
        if let Some(mesh) = self.read.get(&key) {
            return Ok(Arc::clone(mesh));
        }
        let mesh = Arc::new(read_mesh(&self.folders.find(file)?, scale)?);
        self.triangles += mesh.num_triangles();
        if self.triangles > MAX_TRIANGLES_IN_ALL {
            return Err(MeshError::TooManyInAll { mesh: file.to_owned(), most: MAX_TRIANGLES_IN_ALL });
        }
        self.read.insert(key, Arc::clone(&mesh));
        Ok(mesh)
    }
}
