//! Reads the triangles of a COLLADA file: its scene, with every mesh at its place.
//!
//! `up_axis` is not followed, as in RViz and MoveIt: the axes of the file are those of the URDF. What is rare in meshes of robots is
//! refused by name: nodes of a library, cameras that transform, strips and fans of triangles.

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use roxmltree::{Document, Node};

use super::collada_element::{HasTagName, child};
use super::collada_mesh::Meshes;
use super::triangles::{MAX_TRIANGLES, Triangles};
use urdf_ik_robot::xml::numbers;

/// The triangles of a COLLADA text \[m\].
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub(super) fn triangles(bytes: &[u8]) -> Result<Triangles, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let document = Document::parse(text).map_err(|e| e.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(format!("it is not COLLADA but <{}>", root.tag_name().name()));
    }
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit")).and_then(|unit| unit.attribute("meter"));
    let unit = unit.map_or(Some([1.0]), numbers::<1>).ok_or("its <unit> has no finite number as meter")?[0];
    let mut meshes = Meshes::new(&document);
    let mut triangles = Vec::new();
    let mut open = vec![(visual_scene(&document)?, Matrix4::new_scaling(unit))];
    while let Some((node, above)) = open.pop() {
        let placed = above * transform(node)?;
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "node" => open.push((part, placed)),
                "instance_node" => return Err("it has an <instance_node>, which is not read".to_owned()),
                "instance_geometry" => {
                    let corner = |corner: [f64; 3]| placed.transform_point(&Point3::from(corner)).into();
                    let mesh = meshes.of(part.attribute("url").unwrap_or_default())?;
                    triangles.extend(mesh.iter().map(|triangle| triangle.map(corner)));
                }
                _ => {}
            }
        }
        // An instance that is repeated can make a small file large.
        if triangles.len() > MAX_TRIANGLES {
            break;
        }
    }
    Ok(triangles)
}

/// The scene that the file shows, or the only one that it has.
fn visual_scene<'a>(document: &'a Document<'a>) -> Result<Node<'a, 'a>, String> {
    let root = document.root_element();
    let shown = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let url = shown.and_then(|shown| shown.attribute("url")).and_then(|url| url.strip_prefix('#'));
    let mut scenes = document.descendants().filter(|node| node.has_tag_name_of("visual_scene"));
    scenes
        .find(|scene| url.is_none() || scene.attribute("id") == url)
        .ok_or_else(|| "it has no <visual_scene> to show".to_owned())
}

/// How a node is placed in the one above it.
fn transform(node: Node) -> Result<Matrix4<f64>, String> {
    let mut placed = Matrix4::identity();
    for part in node.children().filter(Node::is_element) {
        let name = part.tag_name().name();
        let text = part.text().unwrap_or_default();
        let step = match name {
            "matrix" => numbers::<16>(text).map(|entries| Matrix4::from_row_slice(&entries)),
            "translate" => numbers::<3>(text).map(|vector| Matrix4::new_translation(&vector.into())),
            "scale" => numbers::<3>(text).map(|factors| Matrix4::new_nonuniform_scaling(&factors.into())),
            "rotate" => numbers::<4>(text).and_then(|[x, y, z, degrees]| {
                let axis = Unit::try_new(Vector3::new(x, y, z), 1e-12)?;
                Some(Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous())
            }),
            "lookat" | "skew" => return Err(format!("it has a <{name}>, which is not read")),
            _ => continue,
        };
        placed *= step.ok_or_else(|| format!("its <{name}> has not the finite numbers that it must have"))?;
    }
    Ok(placed)
}
