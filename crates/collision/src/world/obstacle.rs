//! Obstacles, which a robot must not touch.

use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use crate::mesh_files::{MeshTriangles, mesh_of};
use crate::shapes::mesh::Mesh;
use crate::shapes::{Core, Geometry, MAX_EXTENT, MIN_SIZE, PlacedShape, is_near};
use urdf_ik_text::Malformed;
use urdf_ik_text::names::number;

/// A rigid set of shapes.
#[derive(Clone, Default)]
pub struct Obstacle {
    /// The shapes, in the obstacle's frame.
    shapes: Vec<PlacedShape>,
}

/// Why a shape cannot be added to an obstacle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ObstacleError(String);

impl Obstacle {
    /// Adds a box, a cylinder, a sphere or a capsule at `pose` \[m\] in the obstacle's frame.
    ///
    /// # Errors
    /// [`ObstacleError`] for a size that is not positive or too large, a pose that is not finite or too far away, and
    /// for a mesh.
    pub fn add_primitive(&mut self, geometry: Geometry, pose: &Isometry3<f64>) -> Result<(), ObstacleError> {
        let is_wrong = |size: &&f64| !(MIN_SIZE..=MAX_EXTENT).contains(*size);
        if let Some(size) = geometry.sizes().into_iter().flat_map(|(_, sizes)| sizes).find(is_wrong) {
            let (kind, size) = (geometry.name(), number(*size));
            return Err(ObstacleError(format!(
                "a {kind} has a size of {size} m, which must be greater than 0 and at most {MAX_EXTENT} m"
            )));
        }
        self.add(geometry, pose, None)
    }

    /// Adds a triangle mesh at `pose` \[m\] in the obstacle's frame. `vertices` are x, y and z in the mesh's frame
    /// \[m\]; `faces` has the three vertex indices of each triangle. Error messages call the mesh `name`.
    ///
    /// # Errors
    /// [`ObstacleError`] for a mesh without triangles or with too many, a vertex that is not finite or does not exist,
    /// and a pose that is not finite or too far away.
    pub fn add_mesh(
        &mut self,
        name: &str,
        vertices: &[[f64; 3]],
        faces: &[[u32; 3]],
        pose: &Isometry3<f64>,
    ) -> Result<(), ObstacleError> {
        let mesh = mesh_of(name, vertices, faces).map_err(|Malformed(reason)| ObstacleError(reason))?;
        let geometry = Geometry::Mesh { file: name.to_owned(), scale: [1.0; 3], triangles: mesh.faces.len() };
        self.add(geometry, pose, Some(Arc::new(mesh)))
    }

    /// The shapes, in the obstacle's frame.
    pub fn shapes(&self) -> &[PlacedShape] {
        &self.shapes
    }

    /// The geometry of each shape, with its pose in the obstacle's frame \[m\].
    pub fn parts(&self) -> impl Iterator<Item = (&Geometry, &Isometry3<f64>)> {
        self.shapes.iter().map(|shape| (&shape.geometry, &shape.pose))
    }

    /// The triangles of the shape with index `shape`, in the shape's frame \[m\]; `None` if it is not a mesh or does
    /// not exist.
    pub fn triangles(&self, shape: usize) -> Option<MeshTriangles> {
        let Core::Mesh(mesh) = &self.shapes.get(shape)?.core else { return None };
        Some((mesh.vertices.iter().map(parry3d_f64::math::Vector::to_array).collect(), mesh.faces.clone()))
    }

    pub(crate) fn add(
        &mut self,
        geometry: Geometry,
        pose: &Isometry3<f64>,
        mesh: Option<Arc<Mesh>>,
    ) -> Result<(), ObstacleError> {
        if !is_near(pose) {
            return Err(ObstacleError(format!("a pose is not finite, or farther than {MAX_EXTENT} m away")));
        }
        let shape = PlacedShape::new(geometry, pose, mesh);
        self.shapes.push(shape.ok_or_else(|| ObstacleError("a mesh has no triangles".to_owned()))?);
        Ok(())
    }
}
