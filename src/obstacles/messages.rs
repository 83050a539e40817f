//! Conversion of obstacles. All input is checked.

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion};
use r2r::shape_msgs::msg::{Mesh, MeshTriangle, SolidPrimitive};
use r2r::urdf_ik::msg::Obstacle as Message;

use crate::messages::convert;
use crate::reports::{Fault, fault};
use crate::ros::constants;
use urdf_ik_collision::{Geometry, MAX_EXTENT, Obstacle};
use urdf_ik_text::names::number;

constants! { u8: SolidPrimitive { BOX, SPHERE, CYLINDER } }

/// The shapes of a message.
///
/// # Errors
/// [`Fault`] about the first invalid shape.
pub(super) fn shapes(message: &Message) -> Result<Obstacle, Fault> {
    let mut obstacle = Obstacle::default();
    let places = poses("primitives", message.primitives.len(), "primitive_poses", &message.primitive_poses)?;
    for (index, (primitive, place)) in message.primitives.iter().zip(places).enumerate() {
        let geometry = geometry(primitive);
        let added = geometry.and_then(|geometry| Ok(obstacle.add_primitive(geometry, &place?)?));
        added.map_err(|fault| fault.of(format_args!("primitives[{index}]")))?;
    }
    let places = poses("meshes", message.meshes.len(), "mesh_poses", &message.mesh_poses)?;
    for (index, (mesh, place)) in message.meshes.iter().zip(places).enumerate() {
        let added = place.and_then(|place| add_mesh(&mut obstacle, &index.to_string(), mesh, &place));
        added.map_err(|fault| fault.of(format_args!("meshes[{index}]")))?;
    }
    Ok(obstacle)
}

/// One pose for each of `count` shapes: those of the message, or identities if it has none.
fn poses<'a>(
    what: &str,
    count: usize,
    name: &str,
    poses: &'a [Pose],
) -> Result<impl Iterator<Item = Result<Isometry3<f64>, Fault>> + use<'a>, Fault> {
    if !poses.is_empty() && poses.len() != count {
        return Err(fault!("{name} has {} poses for {count} {what}; give one for each, or none", poses.len()));
    }
    Ok((0..count).map(|index| poses.get(index).map_or(Ok(Isometry3::identity()), pose)))
}

/// The pose of a message. As in MoveIt, an orientation of four zeros is the identity.
///
/// # Errors
/// [`Fault`] with the field that is not finite, too large or not a rotation.
pub(super) fn pose(message: &Pose) -> Result<Isometry3<f64>, Fault> {
    let mut message = message.clone();
    let Quaternion { x, y, z, w } = &mut message.orientation;
    if [*x, *y, *z, *w] == [0.0; 4] {
        *w = 1.0;
    }
    let pose = convert::pose(&message)?;
    for (axis, &value) in ["x", "y", "z"].iter().zip(&pose.translation.vector) {
        if value.abs() > MAX_EXTENT {
            let value = number(value);
            return Err(fault!("position {axis} of the pose is {value}; it must be at most {MAX_EXTENT} m"));
        }
    }
    Ok(pose)
}

fn geometry(primitive: &SolidPrimitive) -> Result<Geometry, Fault> {
    let dimensions = primitive.dimensions.as_slice();
    match (primitive.type_, dimensions) {
        (BOX, &[x, y, z]) => Ok(Geometry::Box { size: [x, y, z] }),
        (SPHERE, &[radius]) => Ok(Geometry::Sphere { radius }),
        (CYLINDER, &[length, radius]) => Ok(Geometry::Cylinder { radius, length }),
        (BOX, _) => Err(wrong_dimensions("a box has 3 dimensions, its edges", dimensions)),
        (SPHERE, _) => Err(wrong_dimensions("a sphere has 1 dimension, its radius", dimensions)),
        (CYLINDER, _) => Err(wrong_dimensions("a cylinder has 2 dimensions, its height and radius", dimensions)),
        (other, _) => {
            Err(fault!("its type is {other}; what is read is BOX, SPHERE and CYLINDER: send others as a mesh"))
        }
    }
}

fn wrong_dimensions(expected: &str, given: &[f64]) -> Fault {
    fault!("{expected}, but {} are given", given.len())
}

fn add_mesh(obstacle: &mut Obstacle, name: &str, mesh: &Mesh, pose: &Isometry3<f64>) -> Result<(), Fault> {
    let vertices: Vec<[f64; 3]> = mesh.vertices.iter().map(|at| [at.x, at.y, at.z]).collect();
    let corners = |triangle: &MeshTriangle| <[u32; 3]>::try_from(triangle.vertex_indices.as_slice()).ok();
    let faces: Option<Vec<[u32; 3]>> = mesh.triangles.iter().map(corners).collect();
    let faces = faces.ok_or(Fault::new("a triangle has not three corners"))?;
    Ok(obstacle.add_mesh(name, &vertices, &faces, pose)?)
}

/// An obstacle as a message, at `pose` in `frame`.
///
/// # Errors
/// [`Fault`] with the name of a shape that messages do not have.
pub(super) fn message(id: &str, obstacle: &Obstacle, frame: &str, pose: &Isometry3<f64>) -> Result<Message, Fault> {
    let mut message = Message { id: id.to_owned(), pose: convert::pose_message(pose), ..Message::default() };
    frame.clone_into(&mut message.header.frame_id);
    for (index, (geometry, pose)) in obstacle.parts().enumerate() {
        let (type_, dimensions) = match *geometry {
            Geometry::Box { size } => (BOX, size.to_vec()),
            Geometry::Sphere { radius } => (SPHERE, vec![radius]),
            // There is no message for a capsule.
            Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => {
                (CYLINDER, vec![length, radius])
            }
            Geometry::Mesh { .. } => {
                let triangles = obstacle.triangles(index);
                message.meshes.extend(triangles.map(|(vertices, faces)| mesh_message(&vertices, &faces)));
                message.mesh_poses.push(convert::pose_message(pose));
                continue;
            }
            ref other => return Err(fault!("there is no message for the shape '{}' of '{id}'", other.name())),
        };
        message.primitives.push(SolidPrimitive { type_, dimensions, ..SolidPrimitive::default() });
        message.primitive_poses.push(convert::pose_message(pose));
    }
    Ok(message)
}

fn mesh_message(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> Mesh {
    Mesh {
        triangles: faces.iter().map(|face| MeshTriangle { vertex_indices: face.to_vec() }).collect(),
        vertices: vertices.iter().map(|&[x, y, z]| Point { x, y, z }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cylinder(dimensions: Vec<f64>) -> Message {
        let primitive = SolidPrimitive { type_: CYLINDER, dimensions, ..SolidPrimitive::default() };
        Message { primitives: vec![primitive], ..Message::default() }
    }

    #[test]
    fn obstacles_survive_the_way_there_and_back() {
        let mut given = cylinder(vec![0.4, 0.1]);
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        given.meshes.push(mesh_message(&corners, &[[0, 1, 2]]));
        given.mesh_poses.push(convert::pose_message(&Isometry3::translation(1.0, 2.0, 3.0)));
        let place = Isometry3::translation(0.0, 0.5, 0.0);
        let there = message("pipe", &shapes(&given).unwrap(), "world", &place).unwrap();
        let back = message("pipe", &shapes(&there).unwrap(), "world", &place).unwrap();
        assert_eq!(there, back);
        assert_eq!((there.primitives, there.meshes), (given.primitives, given.meshes));
        assert_eq!(there.mesh_poses, given.mesh_poses);
    }

    #[test]
    fn an_orientation_of_zeros_is_none() {
        let mut message = convert::pose_message(&Isometry3::translation(0.0, 0.0, 1.0));
        message.orientation.w = 0.0;
        assert_eq!(pose(&message).unwrap(), Isometry3::translation(0.0, 0.0, 1.0));
        message.orientation.x = 1e-3;
        assert!(pose(&message).unwrap_err().contains("orientation"));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (given, words) in [
            (cylinder(vec![0.4]), "primitives[0]: a cylinder has 2 dimensions"),
            (cylinder(vec![0.4, 0.0]), "primitives[0]: a cylinder has a size of 0 m"),
            (cylinder(vec![f64::NAN, 0.1]), "primitives[0]: a cylinder has a size of NaN m"),
            (cylinder(vec![0.1, 1e300]), "primitives[0]: a cylinder has a size of 1e300 m,"),
            (Message { meshes: vec![Mesh::default()], ..Message::default() }, "meshes[0]: mesh 0 has no triangles"),
        ] {
            let sentence = shapes(&given).err().unwrap();
            assert!(sentence.starts_with(words), "{sentence}");
        }
    }
}
