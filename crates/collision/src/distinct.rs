//! Leaves out what a mesh says again: files of triangles repeat each vertex, and some repeat triangles.

use std::collections::{HashMap, HashSet};

use parry3d_f64::math::Vector;

/// Each vertex once, and each triangle once, whichever its first corner and its orientation. Each face names vertices that there are.
pub(super) fn distinct(vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let mut places = Vec::new();
    let mut index = HashMap::with_capacity(vertices.len());
    let mut number = |vertex: [f64; 3]| {
        // Adding 0 makes -0 the same as 0.
        *index.entry(vertex.map(|coordinate| (coordinate + 0.0).to_bits())).or_insert_with(|| {
            places.push(Vector::from(vertex));
            u32::try_from(places.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let numbers: Vec<u32> = vertices.iter().map(|&vertex| number(vertex)).collect();
    let mut known = HashSet::with_capacity(faces.len());
    let mut faces: Vec<[u32; 3]> = faces.iter().map(|face| face.map(|corner| numbers[corner as usize])).collect();
    faces.retain(|&face| known.insert(corners_of(face)));
    (places, faces)
}

/// The same for all triangles with these corners; two for what is no more than a line between two of them, and one for a point.
fn corners_of(face: [u32; 3]) -> [u32; 3] {
    let mut corners = face;
    corners.sort_unstable();
    let [a, b, c] = corners;
    if a == b { [a, c, c] } else { corners }
}
