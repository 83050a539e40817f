//! Reads the triangles of a mesh file: STL, OBJ or COLLADA (.dae).

pub(crate) mod collada;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::shapes::MAX_EXTENT;
use crate::shapes::mesh::Mesh;
use urdf_ik_robot::MeshFolders;
use urdf_ik_text::Malformed;
use urdf_ik_text::files;
use urdf_ik_text::names::{sentence, short};

/// Maximum size of a mesh file \[bytes\].
pub const MAX_MESH_BYTES: usize = 128 << 20;

/// Maximum number of triangles of a mesh.
pub const MAX_TRIANGLES: usize = 1_000_000;

/// Triangles by their corners, before the scale of the URDF is applied \[m\].
pub(crate) type Triangles = Vec<[[f64; 3]; 3]>;

/// A text STL contains the word "facet" within its first bytes, after a name of reasonable length \[bytes\]. A binary
/// STL may start with "solid" as well.
const STL_HEADER_SCAN: usize = 4096;

/// Loads the mesh file at `path` and scales it.
///
/// # Errors
/// [`Malformed`] if the file cannot be read or is not a valid mesh.
pub(crate) fn read_mesh(path: &Path, scale: [f64; 3]) -> Result<Mesh, Malformed> {
    let triangles = read_triangles(path)?;
    let vertices = scaled(triangles.as_flattened(), scale);
    let corners = 0..u32::try_from(vertices.len()).unwrap_or(0);
    let faces: Vec<[u32; 3]> = corners.step_by(3).map(|corner| [corner, corner + 1, corner + 2]).collect();
    mesh_of(&path.display().to_string(), &vertices, &faces)
}

/// Vertices multiplied by `scale` along x, y and z.
pub(crate) fn scaled(vertices: &[[f64; 3]], scale: [f64; 3]) -> Vec<[f64; 3]> {
    vertices.iter().map(|&at| [0, 1, 2].map(|i| at[i] * scale[i])).collect()
}

/// Builds a mesh of triangles, whose `faces` are indices of `vertices` \[m\].
///
/// # Errors
/// [`Malformed`] with `name` if there are too many triangles or none, or a vertex or a face is not valid.
pub(crate) fn mesh_of(name: &str, vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> Result<Mesh, Malformed> {
    let (mesh, triangles) = (short(name), faces.len());
    if triangles > MAX_TRIANGLES || vertices.len() > 3 * MAX_TRIANGLES {
        return Err(format!("mesh {mesh} has {triangles} triangles; it may have {MAX_TRIANGLES}: simplify it").into());
    }
    if !vertices.as_flattened().iter().all(|coordinate| coordinate.abs() <= MAX_EXTENT) {
        let wrong = "has a vertex that is not finite, or farther than";
        return Err(format!("mesh {mesh} {wrong} {MAX_EXTENT} m from the origin").into());
    }
    if let Some(vertex) = faces.as_flattened().iter().find(|vertex| **vertex as usize >= vertices.len()) {
        let reason = format!("a face has the vertex {vertex}, but there are {}", vertices.len());
        return Err(unreadable(name, &reason));
    }
    Ok(Mesh::new(vertices, faces).ok_or_else(|| format!("mesh {mesh} has no triangles"))?)
}

fn unreadable(name: &str, reason: &str) -> Malformed {
    format!("mesh {} cannot be read: {}", short(name), sentence(reason)).into()
}

fn read_triangles(path: &Path) -> Result<Triangles, Malformed> {
    let name = path.display().to_string();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let read: fn(&[u8]) -> Result<Triangles, Malformed> = match ending.as_deref() {
        Some("stl") => |bytes| {
            check_binary_stl(bytes)?;
            of_scene(&mesh_loader::stl::from_slice(bytes)?)
        },
        // Materials are separate files and do not matter.
        Some("obj") => |bytes| of_scene(&mesh_loader::obj::from_slice(bytes, None, |_| Ok(Vec::new()))?),
        Some("dae") => collada::triangles,
        _ => {
            let mesh = short(&name);
            return Err(format!("mesh {mesh} ends in none of .stl, .obj and .dae, which are read: convert it").into());
        }
    };
    let bytes = files::read_bytes(path, MAX_MESH_BYTES)?;
    read(&bytes).map_err(|Malformed(reason)| unreadable(&name, &reason))
}

/// Refuses a binary STL whose header and file length disagree about the number of triangles: the file is truncated or
/// corrupt.
fn check_binary_stl(bytes: &[u8]) -> Result<(), Malformed> {
    // Header of 80 bytes, the number of triangles, and 50 bytes for each triangle.
    let Some((header, triangles)) = bytes.split_at_checked(84) else { return Ok(()) };
    let beginning = &bytes[..bytes.len().min(STL_HEADER_SCAN)];
    let is_text = bytes.trim_ascii_start().starts_with(b"solid") && beginning.windows(5).any(|word| word == b"facet");
    let said = header[80..].iter().rev().fold(0, |number, &byte| (number << 8) | usize::from(byte));
    let there = triangles.len() / 50;
    if is_text || said == there {
        return Ok(());
    }
    Err(format!("its header says {said} triangles, but its length is that of {there}").into())
}

fn of_scene(scene: &mesh_loader::Scene) -> Result<Triangles, Malformed> {
    let mut triangles = Vec::new();
    for mesh in &scene.meshes {
        let place = |vertex: u32| mesh.vertices.get(vertex as usize).map(|place| place.map(f64::from));
        for face in &mesh.faces {
            let [Some(a), Some(b), Some(c)] = face.map(place) else {
                return Err("a face has a vertex that the file does not have".into());
            };
            triangles.push([a, b, c]);
        }
    }
    Ok(triangles)
}

/// Maximum number of triangles of all meshes of a robot or of a list of obstacles.
const MAX_TRIANGLES_IN_ALL: usize = 4_000_000;

/// A triangle mesh: the coordinates x, y and z of its vertices \[m\], and the three vertex indices of each triangle.
pub type MeshTriangles = (Vec<[f64; 3]>, Vec<[u32; 3]>);

/// Meshes by name and scale, so that shapes of the same file share one mesh.
pub(crate) struct MeshCache<'a> {
    folders: &'a MeshFolders,
    /// Meshes without a file, by name.
    in_memory: &'a BTreeMap<String, MeshTriangles>,
    read: HashMap<(String, [u64; 3]), Arc<Mesh>>,
    triangles: usize,
}

impl<'a> MeshCache<'a> {
    /// An empty cache. Mesh files are searched for in `folders`, except those of `in_memory`.
    pub fn new(folders: &'a MeshFolders, in_memory: &'a BTreeMap<String, MeshTriangles>) -> Self {
        Self { folders, in_memory, read: HashMap::new(), triangles: 0 }
    }

    /// The mesh named `file`, its vertices multiplied by `scale` (dimensionless) along x, y and z; loaded on first use.
    ///
    /// # Errors
    /// [`Malformed`] if the mesh cannot be loaded, or all meshes together have too many triangles.
    pub fn of(&mut self, file: &str, scale: [f64; 3]) -> Result<Arc<Mesh>, Malformed> {
        let key = (file.to_owned(), scale.map(f64::to_bits));
        if let Some(mesh) = self.read.get(&key) {
            return Ok(Arc::clone(mesh));
        }
        let mesh = Arc::new(match self.in_memory.get(file) {
            Some((vertices, faces)) => mesh_of(file, &scaled(vertices, scale), faces)?,
            None => read_mesh(&self.folders.find(file)?, scale)?,
        });
        self.triangles += mesh.faces.len();
        if self.triangles > MAX_TRIANGLES_IN_ALL {
            let most = format!("all meshes together may have {MAX_TRIANGLES_IN_ALL} triangles");
            return Err(format!("mesh {} is too much: {most}: simplify them", short(file)).into());
        }
        self.read.insert(key, Arc::clone(&mesh));
        Ok(mesh)
    }
}
