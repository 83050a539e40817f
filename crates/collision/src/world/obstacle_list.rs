//! Reads a list of obstacles in JSON, as files of obstacles and of scenes have it.

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::malformed::Malformed;
use crate::mesh_files::Meshes;
use crate::shapes::{Geometry, MAX_EXTENT, MIN_SIZE};
use crate::world::obstacle::Obstacle;
use crate::world::{MAX_OBSTACLES, World, WorldError};
use urdf_ik_mathematics::spatial::rotation_from;
use urdf_ik_robot::MeshFolders;
use urdf_ik_text::names::{sentence, short};

/// Why a list of obstacles was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ObstacleListError {
    /// It is no list of objects.
    #[error("obstacles must be a JSON list of objects, such as {EXAMPLE}")]
    NotAList,
    /// There is too much.
    #[error(transparent)]
    TooMuch(#[from] WorldError),
    /// One has no name.
    #[error("obstacle number {number} cannot be named: {reason}")]
    NoId {
        /// Where it is in the list; the first has number 1.
        number: usize,
        /// What is wrong with its name.
        reason: String,
    },
    /// One cannot be read.
    #[error("obstacle '{}': {}", short(id), sentence(reason))]
    Obstacle {
        /// Its name.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A list as messages show it.
const EXAMPLE: &str = r#"[{"id": "table", "type": "box", "size": [1, 1, 0.05], "p": [0.5, 0, 0.2]}]"#;

/// The world of a list of obstacles in JSON.
///
/// Each is an object with `id`, `type` and the sizes of its type \[m\]: a `box` has `size` (its edges along x, y and z), a `sphere` has
/// `radius`, a `cylinder` and a `capsule` have `radius` and `length` (of the cylinder alone) along z, a `mesh` has `file` and, where it is not
/// 1, `scale`. `p` is its position \[m\] and `q_xyzw` its orientation, where it is turned, in the root link's frame. Meshes are looked for
/// in `folders`, as those of a URDF.
///
/// # Errors
/// [`ObstacleListError`] for the first obstacle that is wrong.
pub fn world_from_json(list: &Value, folders: &MeshFolders) -> Result<World, ObstacleListError> {
    let list = list.as_array().ok_or(ObstacleListError::NotAList)?;
    if list.len() > MAX_OBSTACLES {
        return Err(WorldError::TooMany { what: "obstacles", number: list.len(), most: MAX_OBSTACLES }.into());
    }
    let (mut world, mut meshes) = (World::default(), Meshes::new(folders));
    for (index, entry) in list.iter().enumerate() {
        let entry = entry.as_object().ok_or(ObstacleListError::NotAList)?;
        let id = id_of(entry).map_err(|Malformed(reason)| ObstacleListError::NoId { number: index + 1, reason })?;
        let refuse = |Malformed(reason)| ObstacleListError::Obstacle { id: id.to_owned(), reason };
        if world.obstacle(id).is_some() {
            return Err(refuse("the list has two of that id".into()));
        }
        let (obstacle, pose) = read(entry, &mut meshes).map_err(refuse)?;
        world.add(id, Arc::new(obstacle), pose);
    }
    world.check_size()?;
    Ok(world)
}

fn id_of(entry: &Map<String, Value>) -> Result<&str, Malformed> {
    let id = Fields::new(entry).text("id")?;
    if id.is_empty() { Err("its 'id' is empty".into()) } else { Ok(id) }
}

/// The obstacle of an entry, and its pose.
fn read(entry: &Map<String, Value>, meshes: &mut Meshes) -> Result<(Obstacle, Isometry3<f64>), Malformed> {
    let mut fields = Fields::new(entry);
    fields.text("id")?;
    let kind = fields.text("type")?;
    let mut obstacle = Obstacle::default();
    let here = Isometry3::identity();
    if kind == "mesh" {
        let (file, scale) = (fields.text("file")?, fields.numbers_or("scale", [1.0; 3])?);
        if !scale.iter().all(|factor| (MIN_SIZE..=MAX_EXTENT).contains(&factor.abs())) {
            return Err(format!("its 'scale' is {scale:?}; it must be three numbers that are not 0").into());
        }
        let mesh = meshes.of(file, scale)?;
        let geometry = Geometry::Mesh { file: file.to_owned(), scale, triangles: mesh.faces.len() };
        obstacle.add(geometry, &here, Some(mesh))?;
    } else {
        obstacle.add_primitive(primitive(kind, &mut fields)?, &here)?;
    }
    let at = fields.numbers("p")?;
    let rotation = rotation_from(fields.numbers_or("q_xyzw", [0.0, 0.0, 0.0, 1.0])?)?;
    fields.finish()?;
    if !at.iter().all(|coordinate| coordinate.abs() <= MAX_EXTENT) {
        return Err(format!("its 'p' is farther than {MAX_EXTENT} m away").into());
    }
    Ok((obstacle, Isometry3::from_parts(Translation3::from(at), rotation)))
}

fn primitive(kind: &str, fields: &mut Fields) -> Result<Geometry, Malformed> {
    Ok(match kind {
        "box" => Geometry::Box { size: fields.numbers("size")? },
        "sphere" => Geometry::Sphere { radius: fields.number("radius")? },
        "cylinder" => Geometry::Cylinder { radius: fields.number("radius")?, length: fields.number("length")? },
        "capsule" => Geometry::Capsule { radius: fields.number("radius")?, length: fields.number("length")? },
        _ => {
            let kind = short(kind);
            return Err(format!("its 'type' is '{kind}'; it must be box, sphere, cylinder, capsule or mesh").into());
        }
    })
}

/// The fields of an object, which are asked for one after the other. What was not asked for is unknown.
pub(crate) struct Fields<'a> {
    object: &'a Map<String, Value>,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The fields of `object`.
    pub fn new(object: &'a Map<String, Value>) -> Self {
        Self { object, asked: Vec::new() }
    }

    pub fn text(&mut self, name: &'static str) -> Result<&'a str, Malformed> {
        let value = self.value(name)?;
        value.as_str().ok_or_else(|| wrong(name, "a text", value))
    }

    pub fn number(&mut self, name: &'static str) -> Result<f64, Malformed> {
        let value = self.value(name)?;
        value.as_f64().ok_or_else(|| wrong(name, "a number", value))
    }

    pub fn numbers<const N: usize>(&mut self, name: &'static str) -> Result<[f64; N], Malformed> {
        let value = self.value(name)?;
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| wrong(name, &format!("{N} numbers"), value))
    }

    /// The numbers, or `default` where there is no such field.
    pub fn numbers_or<const N: usize>(&mut self, name: &'static str, default: [f64; N]) -> Result<[f64; N], Malformed> {
        self.asked.push(name);
        if self.object.contains_key(name) { self.numbers(name) } else { Ok(default) }
    }

    /// Refuses fields that were not asked for.
    pub fn finish(self) -> Result<(), Malformed> {
        match self.object.keys().find(|key| !self.asked.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => {
                Err(format!("the field '{}' is unknown here; there are: {}", short(key), self.asked.join(", ")).into())
            }
        }
    }

    fn value(&mut self, name: &'static str) -> Result<&'a Value, Malformed> {
        self.asked.push(name);
        self.object.get(name).ok_or_else(|| format!("the field '{name}' is missing").into())
    }
}

fn wrong(name: &str, wanted: &str, found: &Value) -> Malformed {
    format!("its '{name}' is {}; it must be {wanted}", short(&found.to_string())).into()
}
