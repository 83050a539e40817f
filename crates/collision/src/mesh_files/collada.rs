//! Reads the triangles of a COLLADA file: its scene, with every mesh at its pose.
//!
//! `up_axis` is ignored, as in RViz and MoveIt: the axes of the file are those of the URDF. Features that are rare in
//! robot meshes are refused by name: library nodes, `lookat` and `skew` transforms, triangle strips and fans.
//!
//! COLLADA is read here because the reader of mesh-loader panics on malformed files and places a mesh only once where a
//! scene has two instances of it.

use std::collections::HashMap;

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use roxmltree::{Document, Node};

use super::{MAX_TRIANGLES, Triangles};
use crate::malformed::Malformed;
use urdf_ik_robot::xml::numbers;
use urdf_ik_text::names::short;

/// The triangles of a COLLADA text \[m\].
///
/// # Errors
/// The reason why the text is invalid, as the end of a sentence.
pub(crate) fn triangles(bytes: &[u8]) -> Result<Triangles, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let document = Document::parse(text)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(format!("it is not COLLADA but <{}>", root.tag_name().name()).into());
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
                "instance_node" => return Err("it has an <instance_node>, which is not read".into()),
                "instance_geometry" => {
                    let corner = |corner: [f64; 3]| placed.transform_point(&Point3::from(corner)).into();
                    let mesh = meshes.of(part.attribute("url").unwrap_or_default())?;
                    triangles.extend(mesh.iter().map(|triangle| triangle.map(corner)));
                }
                _ => {}
            }
        }
        // Repeated instances can turn a small file into a huge mesh.
        if triangles.len() > MAX_TRIANGLES {
            break;
        }
    }
    Ok(triangles)
}

/// The scene that the file instantiates, or its only one.
fn visual_scene<'a>(document: &'a Document<'a>) -> Result<Node<'a, 'a>, Malformed> {
    let root = document.root_element();
    let shown = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let url = shown.and_then(|shown| shown.attribute("url")).and_then(|url| url.strip_prefix('#'));
    let mut scenes = document.descendants().filter(|node| node.tag_name().name() == "visual_scene");
    let scene = scenes.find(|scene| url.is_none() || scene.attribute("id") == url);
    Ok(scene.ok_or("it has no <visual_scene> to show")?)
}

/// The transform of a node in its parent.
fn transform(node: Node) -> Result<Matrix4<f64>, Malformed> {
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
            "lookat" | "skew" => return Err(format!("it has a <{name}>, which is not read").into()),
            _ => continue,
        };
        placed *= step.ok_or_else(|| format!("its <{name}> has not the finite numbers that it must have"))?;
    }
    Ok(placed)
}

/// The children of a name, in any namespace.
fn children<'a>(node: Node<'a, 'a>, name: &str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}

/// Maximum number of indices per corner, and of numbers per position.
const MAX_STRIDE: usize = 64;

/// The meshes of a file, each parsed at its first use.
pub(crate) struct Meshes<'a> {
    /// Every element with an id.
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    read: HashMap<String, Triangles>,
}

impl<'a> Meshes<'a> {
    pub(crate) fn new(document: &'a Document<'a>) -> Self {
        let named = document.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
        Self { by_id: named.collect(), read: HashMap::new() }
    }

    /// The mesh at `url`. A geometry without a mesh has no triangles.
    pub(crate) fn of(&mut self, url: &str) -> Result<&Triangles, Malformed> {
        if !self.read.contains_key(url) {
            let mesh = child(self.element(url)?, "mesh");
            let triangles = mesh.map_or(Ok(Vec::new()), |mesh| self.triangles(mesh))?;
            self.read.insert(url.to_owned(), triangles);
        }
        Ok(&self.read[url])
    }

    fn element(&self, url: &str) -> Result<Node<'a, 'a>, Malformed> {
        let found = url.strip_prefix('#').and_then(|id| self.by_id.get(id));
        Ok(*found.ok_or_else(|| format!("it names '{}', which it does not have", short(url)))?)
    }

    fn triangles(&self, mesh: Node<'a, 'a>) -> Result<Triangles, Malformed> {
        let mut triangles = Vec::new();
        for part in mesh.children().filter(Node::is_element) {
            let name = part.tag_name().name();
            match name {
                "triangles" | "polylist" | "polygons" => self.add_polygons(part, name, &mut triangles)?,
                "tristrips" | "trifans" => return Err(format!("it has <{name}>, which is not read").into()),
                _ => {}
            }
        }
        Ok(triangles)
    }

    /// Adds the polygons of an element named `name`.
    fn add_polygons(&self, part: Node<'a, 'a>, name: &str, triangles: &mut Triangles) -> Result<(), Malformed> {
        let inputs = || children(part, "input");
        let offset = |input: Node| input.attribute("offset").and_then(|offset| offset.parse().ok()).unwrap_or(0_usize);
        let vertex = inputs().find(|input| input.attribute("semantic") == Some("VERTEX"));
        let vertex = vertex.ok_or_else(|| format!("its <{name}> has no input VERTEX"))?;
        let places = self.places(vertex)?;
        let stride = 1 + inputs().map(offset).max().unwrap_or(0).min(MAX_STRIDE);
        for indices in children(part, "p") {
            let indices: Vec<usize> = list(indices)?;
            let corner = offset(vertex).min(stride - 1);
            let corners: Vec<usize> = indices.chunks_exact(stride).map(|indices| indices[corner]).collect();
            let sizes = match name {
                "polylist" => list(child(part, "vcount").ok_or("its <polylist> has no <vcount>")?)?,
                "polygons" => vec![corners.len()],
                _ => vec![3; corners.len() / 3],
            };
            let mut rest = corners.as_slice();
            for size in sizes {
                let (polygon, after) =
                    rest.split_at_checked(size).ok_or_else(|| format!("its <{name}> ends too early"))?;
                add_fan(polygon, &places, triangles)?;
                rest = after;
            }
        }
        Ok(())
    }

    /// The vertex positions of a VERTEX input.
    fn places(&self, vertex: Node<'a, 'a>) -> Result<Vec<[f64; 3]>, Malformed> {
        let source = |input: Node<'a, 'a>| self.element(input.attribute("source").unwrap_or_default());
        let mut inputs = children(source(vertex)?, "input");
        let position = inputs.find(|input| input.attribute("semantic") == Some("POSITION"));
        let source = source(position.ok_or("its <vertices> have no input POSITION")?)?;
        let numbers: Vec<f64> = list(child(source, "float_array").ok_or("its positions have no <float_array>")?)?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let stride = accessor.and_then(|accessor| accessor.attribute("stride")).map_or(Ok(3), str::parse);
        match stride {
            Ok(stride @ 3..=MAX_STRIDE) => {
                Ok(numbers.chunks_exact(stride).map(|place| [place[0], place[1], place[2]]).collect())
            }
            _ => Err(format!("its positions have a stride that is not from 3 to {MAX_STRIDE}").into()),
        }
    }
}

/// Adds a convex polygon as a fan of triangles.
fn add_fan(polygon: &[usize], places: &[[f64; 3]], triangles: &mut Triangles) -> Result<(), Malformed> {
    let corner = |at: usize| places.get(polygon[at]).copied().ok_or("it names a vertex that it does not have");
    for at in 2..polygon.len() {
        triangles.push([corner(0)?, corner(at - 1)?, corner(at)?]);
    }
    Ok(())
}

/// Parses the numbers in an element.
fn list<T: std::str::FromStr>(element: Node) -> Result<Vec<T>, Malformed> {
    let numbers = element.text().unwrap_or_default().split_whitespace().map(str::parse).collect::<Result<_, _>>();
    Ok(numbers.map_err(|_| format!("its <{}> has something that is not a number", element.tag_name().name()))?)
}
