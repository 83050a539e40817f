//! Meshes by their names, each read once.

use std::collections::HashMap;
use std::sync::Arc;

use super::mesh::Mesh;
use super::mesh_file::{MeshError, read_mesh};
use urdf_ik_robot::MeshFolders;

/// Greatest number of triangles of all meshes of a robot, or of a list of obstacles.
const MAX_TRIANGLES_IN_ALL: usize = 4_000_000;

/// Meshes by name and scale: two shapes of the same file share it.
pub(super) struct Meshes<'a> {
    folders: &'a MeshFolders,
    read: HashMap<(String, [u64; 3]), Arc<Mesh>>,
    triangles: usize,
}

impl<'a> Meshes<'a> {
    /// None read yet; they are looked for in `folders`.
    pub fn new(folders: &'a MeshFolders) -> Self {
        Self { folders, read: HashMap::new(), triangles: 0 }
    }

    /// The mesh named `file`, scaled.
    pub fn of(&mut self, file: &str, scale: [f64; 3]) -> Result<Arc<Mesh>, MeshError> {
        let key = (file.to_owned(), scale.map(f64::to_bits));
        if let Some(mesh) = self.read.get(&key) {
            return Ok(Arc::clone(mesh));
        }
        let mesh = Arc::new(read_mesh(&self.folders.find(file)?, scale)?);
        self.triangles += mesh.triangles.num_triangles();
        if self.triangles > MAX_TRIANGLES_IN_ALL {
            return Err(MeshError::TooManyInAll { mesh: file.to_owned(), most: MAX_TRIANGLES_IN_ALL });
        }
        self.read.insert(key, Arc::clone(&mesh));
        Ok(mesh)
    }
}
