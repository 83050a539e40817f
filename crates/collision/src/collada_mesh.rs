//! The meshes in the library of a COLLADA file, as triangles.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::collada_element::{HasTagName, child};
use super::triangles::Triangles;

/// Greatest number of indices of a corner, and of numbers of a position.
const MAX_STRIDE: usize = 64;

/// The meshes of a file, each read when it is first asked for.
pub(super) struct Meshes<'a> {
    /// Every element that has an id.
    by_id: HashMap<&'a str, Node<'a, 'a>>,
    read: HashMap<String, Triangles>,
}

impl<'a> Meshes<'a> {
    pub(super) fn new(document: &'a Document<'a>) -> Self {
        let named = document.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
        Self { by_id: named.collect(), read: HashMap::new() }
    }

    /// The mesh at `url`. A geometry that is no mesh has no triangles.
    pub(super) fn of(&mut self, url: &str) -> Result<&Triangles, String> {
        if !self.read.contains_key(url) {
            let mesh = child(self.element(url)?, "mesh");
            let triangles = mesh.map_or(Ok(Vec::new()), |mesh| self.triangles(mesh))?;
            self.read.insert(url.to_owned(), triangles);
        }
        Ok(&self.read[url])
    }

    fn element(&self, url: &str) -> Result<Node<'a, 'a>, String> {
        let found = url.strip_prefix('#').and_then(|id| self.by_id.get(id));
        found.copied().ok_or_else(|| format!("it names '{}', which it does not have", urdf_ik_text::names::short(url)))
    }

    fn triangles(&self, mesh: Node<'a, 'a>) -> Result<Triangles, String> {
        let mut triangles = Vec::new();
        for part in mesh.children().filter(Node::is_element) {
            let name = part.tag_name().name();
            match name {
                "triangles" | "polylist" | "polygons" => self.add_polygons(part, name, &mut triangles)?,
                "tristrips" | "trifans" => return Err(format!("it has <{name}>, which is not read")),
                _ => {}
            }
        }
        Ok(triangles)
    }

    /// Adds the polygons of an element `name`.
    fn add_polygons(&self, part: Node<'a, 'a>, name: &str, triangles: &mut Triangles) -> Result<(), String> {
        let inputs = || part.children().filter(|input| input.has_tag_name_of("input"));
        let offset = |input: Node| input.attribute("offset").and_then(|offset| offset.parse().ok()).unwrap_or(0_usize);
        let vertex = inputs().find(|input| input.attribute("semantic") == Some("VERTEX"));
        let vertex = vertex.ok_or_else(|| format!("its <{name}> has no input VERTEX"))?;
        let places = self.places(vertex)?;
        let stride = 1 + inputs().map(offset).max().unwrap_or(0).min(MAX_STRIDE);
        for indices in part.children().filter(|child| child.has_tag_name_of("p")) {
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

    /// The places of an input VERTEX.
    fn places(&self, vertex: Node<'a, 'a>) -> Result<Vec<[f64; 3]>, String> {
        let source = |input: Node<'a, 'a>| self.element(input.attribute("source").unwrap_or_default());
        let mut inputs = source(vertex)?.children().filter(|input| input.has_tag_name_of("input"));
        let position = inputs.find(|input| input.attribute("semantic") == Some("POSITION"));
        let source = source(position.ok_or("its <vertices> have no input POSITION")?)?;
        let numbers: Vec<f64> = list(child(source, "float_array").ok_or("its positions have no <float_array>")?)?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let stride = accessor.and_then(|accessor| accessor.attribute("stride")).map_or(Ok(3), str::parse);
        match stride {
            Ok(stride @ 3..=MAX_STRIDE) => {
                Ok(numbers.chunks_exact(stride).map(|place| [place[0], place[1], place[2]]).collect())
            }
            _ => Err(format!("its positions have a stride that is not from 3 to {MAX_STRIDE}")),
        }
    }
}

/// Adds a polygon as a fan of triangles, which is right for a convex one.
fn add_fan(polygon: &[usize], places: &[[f64; 3]], triangles: &mut Triangles) -> Result<(), String> {
    let corner = |at: usize| places.get(polygon[at]).copied().ok_or("it names a vertex that it does not have");
    for at in 2..polygon.len() {
        triangles.push([corner(0)?, corner(at - 1)?, corner(at)?]);
    }
    Ok(())
}

/// The numbers in an element.
fn list<T: std::str::FromStr>(element: Node) -> Result<Vec<T>, String> {
    let numbers = element.text().unwrap_or_default().split_whitespace().map(str::parse).collect::<Result<_, _>>();
    numbers.map_err(|_| format!("its <{}> has something that is not a number", element.tag_name().name()))
}
