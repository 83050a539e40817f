//! Reads the triangles of a COLLADA file: its scene, with every mesh at its pose.
//!
//! `up_axis` is ignored, as in RViz and MoveIt: the axes of the file are those of the URDF. Features that are rare in
//! robot meshes are refused by name: library nodes, `lookat` and `skew` transforms, triangle strips and fans.
//!
//! COLLADA is read here because the reader of mesh-loader panics on malformed files and places a mesh only once where a
//! scene has two instances of it.

use std::collections::HashMap;

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};

use super::{MAX_TRIANGLES, Triangles};
use urdf_ik_robot::xml::{Tree, numbers};
use urdf_ik_text::Malformed;
use urdf_ik_text::names::short;

/// The triangles of a COLLADA text \[m\].
///
/// # Errors
/// The reason why the text is invalid, as the end of a sentence.
pub(crate) fn triangles(bytes: &[u8]) -> Result<Triangles, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    let root = Tree::read(text)?;
    if root.name != "COLLADA" {
        return Err(format!("it is not COLLADA but <{}>", short(&root.name)).into());
    }
    let unit = root.child("asset").and_then(|asset| asset.child("unit")).and_then(|unit| unit.get("meter"));
    let unit = unit.map_or(Some([1.0]), numbers::<1>).ok_or("its <unit> has no finite number as meter")?[0];
    let mut meshes = Meshes::new(&root);
    let mut triangles = Vec::new();
    let mut open = vec![(visual_scene(&root)?, Matrix4::new_scaling(unit))];
    while let Some((node, above)) = open.pop() {
        let placed = above * transform(node)?;
        for part in &node.children {
            match part.name.as_str() {
                "node" => open.push((part, placed)),
                "instance_node" => return Err("it has an <instance_node>, which is not read".into()),
                "instance_geometry" => {
                    let corner = |corner: [f64; 3]| placed.transform_point(&Point3::from(corner)).into();
                    let mesh = meshes.of(part.get("url").unwrap_or_default())?;
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
fn visual_scene(root: &Tree) -> Result<&Tree, Malformed> {
    let shown = root.child("scene").and_then(|scene| scene.child("instance_visual_scene"));
    let url = shown.and_then(|shown| shown.get("url")).and_then(|url| url.strip_prefix('#'));
    let mut scenes = root.descendants().filter(|element| element.name == "visual_scene");
    let scene = scenes.find(|scene| url.is_none() || scene.get("id") == url);
    Ok(scene.ok_or("it has no <visual_scene> to show")?)
}

/// The transform of a node in its parent.
fn transform(node: &Tree) -> Result<Matrix4<f64>, Malformed> {
    let mut placed = Matrix4::identity();
    for Tree { name, text, .. } in &node.children {
        let step = match name.as_str() {
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

/// Maximum number of indices per corner, and of numbers per position.
const MAX_STRIDE: usize = 64;

/// The meshes of a file, each parsed at its first use.
pub(crate) struct Meshes<'a> {
    /// Every element with an id.
    by_id: HashMap<&'a str, &'a Tree>,
    read: HashMap<String, Triangles>,
}

impl<'a> Meshes<'a> {
    pub(crate) fn new(root: &'a Tree) -> Self {
        let named = root.descendants().filter_map(|element| Some((element.get("id")?, element)));
        Self { by_id: named.collect(), read: HashMap::new() }
    }

    /// The mesh at `url`. A geometry without a mesh has no triangles.
    pub(crate) fn of(&mut self, url: &str) -> Result<&Triangles, Malformed> {
        if !self.read.contains_key(url) {
            let mesh = self.element(url)?.child("mesh");
            let triangles = mesh.map_or(Ok(Vec::new()), |mesh| self.triangles(mesh))?;
            self.read.insert(url.to_owned(), triangles);
        }
        Ok(&self.read[url])
    }

    fn element(&self, url: &str) -> Result<&'a Tree, Malformed> {
        let found = url.strip_prefix('#').and_then(|id| self.by_id.get(id));
        Ok(*found.ok_or_else(|| format!("it names '{}', which it does not have", short(url)))?)
    }

    fn triangles(&self, mesh: &Tree) -> Result<Triangles, Malformed> {
        let mut triangles = Vec::new();
        for part in &mesh.children {
            let name = part.name.as_str();
            match name {
                "triangles" | "polylist" | "polygons" => self.add_polygons(part, &mut triangles)?,
                "tristrips" | "trifans" => return Err(format!("it has <{name}>, which is not read").into()),
                _ => {}
            }
        }
        Ok(triangles)
    }

    /// Adds the polygons of an element.
    fn add_polygons(&self, part: &Tree, triangles: &mut Triangles) -> Result<(), Malformed> {
        let name = part.name.as_str();
        let inputs = || part.named("input");
        let offset = |input: &Tree| input.get("offset").and_then(|offset| offset.parse().ok()).unwrap_or(0_usize);
        let vertex = inputs().find(|input| input.get("semantic") == Some("VERTEX"));
        let vertex = vertex.ok_or_else(|| format!("its <{name}> has no input VERTEX"))?;
        let places = self.places(vertex)?;
        let stride = 1 + inputs().map(offset).max().unwrap_or(0).min(MAX_STRIDE);
        for indices in part.named("p") {
            let indices: Vec<usize> = list(indices)?;
            let corner = offset(vertex).min(stride - 1);
            let corners: Vec<usize> = indices.chunks_exact(stride).map(|indices| indices[corner]).collect();
            let sizes = match name {
                "polylist" => list(part.child("vcount").ok_or("its <polylist> has no <vcount>")?)?,
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
    fn places(&self, vertex: &Tree) -> Result<Vec<[f64; 3]>, Malformed> {
        let source = |input: &Tree| self.element(input.get("source").unwrap_or_default());
        let mut inputs = source(vertex)?.named("input");
        let position = inputs.find(|input| input.get("semantic") == Some("POSITION"));
        let source = source(position.ok_or("its <vertices> have no input POSITION")?)?;
        let numbers: Vec<f64> = list(source.child("float_array").ok_or("its positions have no <float_array>")?)?;
        let accessor = source.child("technique_common").and_then(|common| common.child("accessor"));
        let stride = accessor.and_then(|accessor| accessor.get("stride")).map_or(Ok(3), str::parse);
        let Ok(stride @ 3..=MAX_STRIDE) = stride else {
            return Err(format!("its positions have a stride that is not from 3 to {MAX_STRIDE}").into());
        };
        Ok(numbers.chunks_exact(stride).map(|place| [place[0], place[1], place[2]]).collect())
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
fn list<T: std::str::FromStr>(element: &Tree) -> Result<Vec<T>, Malformed> {
    let numbers = element.text.split_whitespace().map(str::parse).collect::<Result<_, _>>();
    Ok(numbers.map_err(|_| format!("its <{}> has something that is not a number", element.name))?)
}
