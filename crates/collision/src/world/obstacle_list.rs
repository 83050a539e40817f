//! Reads a list of obstacles in JSON, the format of obstacle files and scene files, and of attached parts: obstacles
//! with the link that carries them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nalgebra::{Isometry3, Translation3};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::mesh_files::{MeshCache, mesh_of, scaled};
use crate::shapes::geometry::{PRIMITIVES, Sizes};
use crate::shapes::mesh::Mesh;
use crate::shapes::{Geometry, MAX_EXTENT, MIN_SIZE};
use crate::world::obstacle::Obstacle;
use crate::world::{Attached, MAX_OBSTACLES, World, WorldError};
use urdf_ik_mathematics::spatial::{pose_from_matrix, rotation_from};
use urdf_ik_robot::{MeshFolders, Robot};
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::{Fields, row, wrong};
use urdf_ik_text::names::{self, sentence, short};

/// Why a list of obstacles is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObstacleListError {
    /// The JSON is not a list of objects.
    #[error("obstacles must be a JSON list of objects, such as {EXAMPLE}")]
    NotAList,
    /// A size limit is exceeded, or an obstacle is too far away.
    #[error(transparent)]
    World(#[from] WorldError),
    /// An obstacle has no valid name.
    #[error("obstacle number {number} cannot be named: {reason}")]
    NoId {
        /// Position in the list, from 1.
        number: usize,
        /// Reason why the name is invalid.
        reason: String,
    },
    /// An obstacle is invalid.
    #[error("obstacle '{}': {}", short(id), sentence(reason))]
    Obstacle {
        /// Name of the obstacle.
        id: String,
        /// Reason why it is invalid.
        reason: String,
    },
    /// The link of an attached part is invalid.
    #[error("an attached part is invalid: {}", sentence(reason))]
    Attached {
        /// Reason why it is invalid.
        reason: String,
    },
}

/// An example for error messages.
const EXAMPLE: &str = r#"[{"id": "table", "type": "box", "size": [1, 1, 0.05], "p": [0.5, 0, 0.2]}]"#;

/// Name of a mesh that is given by vertices and faces instead of a file.
const IN_MEMORY: &str = "of its vertices and faces";

/// Builds a world from a list of obstacles in JSON.
///
/// Each obstacle is an object with `id`, `type` and the dimensions of its type \[m\]. A `box` has `size` (edge lengths
/// along x, y and z), a `sphere` has `radius`, a `cylinder` and a `capsule` have `radius` and `length` (of the
/// cylindrical part) along z. A `mesh` has `file`, or `vertices` \[m\] and `faces` (indices of vertices), and
/// optionally `scale`. `p` is the position \[m\] and `q_xyzw` the optional orientation in the root link's frame;
/// instead of both, `pose` is a homogeneous matrix (4 rows) or x y z qx qy qz qw. Mesh files are looked up in
/// `folders`, like those of a URDF.
///
/// ```
/// use serde_json::json;
/// use urdf_ik_collision::world_from_json;
/// use urdf_ik_robot::MeshFolders;
///
/// let list = json!([{"id": "table", "type": "box", "size": [1, 1, 0.05], "p": [0.5, 0, 0.2]}]);
/// let world = world_from_json(&list, &MeshFolders::from_environment(None))?;
/// assert_eq!(world.obstacles().count(), 1);
/// # Ok::<(), urdf_ik_collision::ObstacleListError>(())
/// ```
///
/// # Errors
/// [`ObstacleListError`] for the first invalid obstacle.
pub fn world_from_json(list: &Value, folders: &MeshFolders) -> Result<World, ObstacleListError> {
    let list = list.as_array().ok_or(ObstacleListError::NotAList)?;
    if list.len() > MAX_OBSTACLES {
        return Err(WorldError::TooMany { what: "obstacles", number: list.len(), most: MAX_OBSTACLES }.into());
    }
    let no_meshes = BTreeMap::new();
    let (mut world, mut meshes) = (World::default(), MeshCache::new(folders, &no_meshes));
    for (index, entry) in list.iter().enumerate() {
        let entry = entry.as_object().ok_or(ObstacleListError::NotAList)?;
        let id = id_of(entry).map_err(|Malformed(reason)| ObstacleListError::NoId { number: index + 1, reason })?;
        let refuse = |Malformed(reason)| ObstacleListError::Obstacle { id: id.to_owned(), reason };
        if world.obstacle(id).is_some() {
            return Err(refuse("the list has two of that id".into()));
        }
        let (obstacle, pose) = read(entry, &mut meshes).map_err(refuse)?;
        world.add(id, Arc::new(obstacle), pose)?;
    }
    world.check_size()?;
    Ok(world)
}

/// Attaches the parts of a list in JSON to links of `robot`.
///
/// Each part is an object as in [`world_from_json`], with its pose in the frame of the link that carries it, and with
/// two more fields: `link`, the name of that link, and optionally `may_touch`, a list of names of links and obstacles
/// that the part may also touch.
///
/// # Errors
/// [`ObstacleListError`] for the first invalid part; the parts before it are attached.
pub fn attach_from_json(
    world: &mut World,
    parts: &Value,
    robot: &Robot,
    folders: &MeshFolders,
) -> Result<(), ObstacleListError> {
    for part in parts.as_array().ok_or(ObstacleListError::NotAList)? {
        let mut part = part.as_object().ok_or(ObstacleListError::NotAList)?.clone();
        let (link, may_touch) = carrier(&mut part, robot).map_err(|reason| ObstacleListError::Attached { reason })?;
        let alone = world_from_json(&Value::Array(vec![Value::Object(part)]), folders)?;
        for (id, obstacle, pose) in alone.obstacles() {
            let (obstacle, may_touch) = (Arc::clone(obstacle), may_touch.clone());
            world.attach(id, Attached { obstacle, pose: *pose, link, may_touch })?;
        }
    }
    Ok(world.check_size()?)
}

/// Removes the additional fields of an attached part: the index of its link, and its allowed contacts.
fn carrier(part: &mut Map<String, Value>, robot: &Robot) -> Result<(usize, BTreeSet<String>), String> {
    let link = part.remove("link").ok_or("it needs 'link', the link that carries it")?;
    let link = link.as_str().ok_or_else(|| format!("its 'link' is {link}; it must be the name of a link"))?;
    let index = robot.link_index(link).ok_or_else(|| {
        let links: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
        format!("there is no link '{}' to attach it to; the links are: {}", short(link), names::list(&links))
    })?;
    let may_touch = part.remove("may_touch").map(serde_json::from_value).transpose();
    let may_touch = may_touch.map_err(|error| format!("its 'may_touch' is wrong: {error}"))?;
    Ok((index, may_touch.unwrap_or_default()))
}

fn id_of(entry: &Map<String, Value>) -> Result<&str, Malformed> {
    let id = Fields::new(entry).text("id")?;
    if id.is_empty() { Err("its 'id' is empty".into()) } else { Ok(id) }
}

/// The obstacle of an entry, and its pose in the root link's frame.
fn read(entry: &Map<String, Value>, meshes: &mut MeshCache) -> Result<(Obstacle, Isometry3<f64>), Malformed> {
    let mut fields = Fields::new(entry);
    fields.text("id")?;
    let kind = fields.text("type")?;
    let mut obstacle = Obstacle::default();
    let here = Isometry3::identity();
    if kind == "mesh" {
        add_mesh(&mut obstacle, &mut fields, meshes)?;
    } else {
        let primitive = Geometry::primitive(kind, &mut fields)?
            .ok_or_else(|| format!("its 'type' is '{}'; it must be {PRIMITIVES} or mesh", short(kind)))?;
        obstacle.add_primitive(primitive, &here)?;
    }
    let pose = pose(&mut fields)?;
    fields.finish()?;
    Ok((obstacle, pose))
}

/// Adds a mesh given by a file, or by vertices and faces.
fn add_mesh(obstacle: &mut Obstacle, fields: &mut Fields, meshes: &mut MeshCache) -> Result<(), Malformed> {
    let file = if fields.has("vertices") { None } else { Some(fields.text("file")?) };
    let scale = fields.numbers_or("scale", [1.0; 3])?;
    if !scale.iter().all(|factor| (MIN_SIZE..=MAX_EXTENT).contains(&factor.abs())) {
        return Err(format!("its 'scale' is {scale:?}; it must be three numbers that are not 0").into());
    }
    let mesh = if let Some(file) = file { meshes.of(file, scale)? } else { Arc::new(in_memory(fields, scale)?) };
    let file = file.unwrap_or(IN_MEMORY).to_owned();
    let geometry = Geometry::Mesh { file, scale, triangles: mesh.faces.len() };
    Ok(obstacle.add(geometry, &Isometry3::identity(), Some(mesh))?)
}

/// The mesh given by vertices and faces, scaled.
fn in_memory(fields: &mut Fields, scale: [f64; 3]) -> Result<Mesh, Malformed> {
    let vertices: Vec<[f64; 3]> = fields.rows("vertices", Value::as_f64)?;
    let index = |value: &Value| value.as_u64().and_then(|index| index.try_into().ok());
    mesh_of(IN_MEMORY, &scaled(&vertices, scale), &fields.rows("faces", index)?)
}

/// The pose given by `pose`, or by `p` and `q_xyzw`.
fn pose(fields: &mut Fields) -> Result<Isometry3<f64>, Malformed> {
    if !fields.has("pose") {
        let at = Translation3::from(fields.numbers("p")?);
        return Ok(Isometry3::from_parts(at, rotation_from(fields.numbers_or("q_xyzw", [0.0, 0.0, 0.0, 1.0])?)?));
    }
    let value = fields.value("pose")?;
    if let Some([x, y, z, rotation @ ..]) = row::<7, _>(value, Value::as_f64) {
        return Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation_from(rotation)?));
    }
    match row(value, |row_of| row(row_of, Value::as_f64)) {
        Some(rows) => Ok(pose_from_matrix(&rows)?),
        None => Err(wrong("pose", "4 rows of 4 numbers, or x y z qx qy qz qw", value)),
    }
}

impl Sizes for Fields<'_> {
    fn length(&mut self, name: &'static str) -> Result<f64, Malformed> {
        self.number(name)
    }

    fn lengths(&mut self, name: &'static str) -> Result<[f64; 3], Malformed> {
        self.numbers(name)
    }
}
