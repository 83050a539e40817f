//! Approximate convex decomposition: cuts a mesh across its longest axis where its silhouettes are not convex, so that
//! the convex hulls of the pieces fit better than a single hull.
//!
//! Meshes are cut across one axis only: links are hollow because of tubes between joint housings, and such cuts are
//! found within a millisecond.

use std::f64::consts::TAU;

use parry3d_f64::math::Vector as Point;

use super::spheres::around;

/// Maximum number of pieces of a mesh.
const MAX_PIECES: usize = 4;
/// Number of slices along the axis; cuts are between slices.
const SLICE_COUNT: usize = 32;
/// Number of directions across the axis in which silhouettes are computed.
const DIRECTION_COUNT: usize = 16;
/// Minimum gain of a cut: the mean reduction of the distance between hulls and silhouettes, as a fraction of half the
/// width of the mesh.
const MIN_CUT_GAIN: f64 = 0.02;
/// Meshes with more triangles are not cut, because their slices could take too much memory.
const MAX_DECOMPOSED_TRIANGLES: usize = 50_000;

/// For each piece, points whose convex hull contains it. Nearly convex meshes are one piece.
pub(crate) fn convex_pieces(vertices: &[Point], faces: &[[u32; 3]]) -> Vec<Vec<Point>> {
    if faces.len() > MAX_DECOMPOSED_TRIANGLES {
        return vec![vertices.to_vec()];
    }
    let (low, high) = around(faces.as_flattened().iter().map(|&vertex| vertices[vertex as usize]));
    let size = high - low;
    let axis = (1..3).fold(0, |most, axis| if size[axis] > size[most] { axis } else { most });
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let planes: Vec<f64> =
        (1..SLICE_COUNT).map(|plane| low[axis] + size[axis] * (plane as f64 / SLICE_COUNT as f64)).collect();
    let slices = slices(vertices, faces, axis, &planes);
    let pieces = cut(&silhouettes(&slices, axis));
    pieces.iter().map(|&(start, end)| slices[start..end].concat()).filter(|points| !points.is_empty()).collect()
}

/// The vertices in each slice between planes across an axis, and the intersections of edges with the planes.
fn slices(vertices: &[Point], faces: &[[u32; 3]], axis: usize, planes: &[f64]) -> Vec<Vec<Point>> {
    let slice_of = |point: Point| planes.partition_point(|&plane| plane <= point[axis]);
    let mut slices = vec![Vec::new(); SLICE_COUNT];
    for &vertex in vertices {
        slices[slice_of(vertex)].push(vertex);
    }
    let edges = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)]);
    let mut edges: Vec<[u32; 2]> = faces.iter().flat_map(edges).collect();
    edges.sort_unstable();
    edges.dedup();
    for edge in edges {
        let [mut from, mut to] = edge.map(|vertex| vertices[vertex as usize]);
        if to[axis] < from[axis] {
            (from, to) = (to, from);
        }
        for at in slice_of(from)..slice_of(to) {
            let point = from + (to - from) * ((planes[at] - from[axis]) / (to[axis] - from[axis]));
            slices[at].push(point);
            slices[at + 1].push(point);
        }
    }
    slices
}

/// The extent of each slice in some directions across the axis \[m\]. Empty slices have none.
fn silhouettes(slices: &[Vec<Point>], axis: usize) -> Vec<[f64; SLICE_COUNT]> {
    let across = |direction: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let (sine, cosine) = (TAU * direction as f64 / DIRECTION_COUNT as f64).sin_cos();
        let mut across = Point::ZERO;
        (across[(axis + 1) % 3], across[(axis + 2) % 3]) = (cosine, sine);
        across
    };
    let silhouette = |direction: Point| {
        let least = slices.iter().flatten().fold(f64::INFINITY, |least, point| least.min(direction.dot(*point)));
        std::array::from_fn(|slice| slices[slice].iter().fold(least, |most, point| most.max(direction.dot(*point))))
    };
    (0..DIRECTION_COUNT).map(across).map(silhouette).collect()
}

/// The ranges of slices that form the pieces: greedily the best cut while it gains enough.
fn cut(silhouettes: &[[f64; SLICE_COUNT]]) -> Vec<(usize, usize)> {
    let excess = |start: usize, end: usize| silhouettes.iter().map(|reach| excess(&reach[start..end])).sum::<f64>();
    let best = |&(start, end): &(usize, usize)| {
        let gain = |at: usize| excess(start, end) - excess(start, at) - excess(at, end);
        let cuts = (start + 1..end).map(|at| (gain(at), at));
        cuts.fold((0.0, end), |best, next| if next.0 > best.0 { next } else { best })
    };
    let worth = MIN_CUT_GAIN * silhouettes.iter().flatten().sum::<f64>();
    let mut pieces = vec![(0, SLICE_COUNT)];
    while pieces.len() < MAX_PIECES {
        let cuts = pieces.iter().map(best).enumerate();
        let (piece, (gain, at)) = cuts.fold((0, (0.0, 0)), |best, next| if next.1.0 > best.1.0 { next } else { best });
        if gain <= worth {
            break;
        }
        pieces.push((at, pieces[piece].1));
        pieces[piece].1 = at;
    }
    pieces
}

/// The difference between the convex hull of adjacent slices and their own extents in one direction, summed over the
/// slices \[m\].
fn excess(reach: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let slope = |from: usize, to: usize| (reach[to] - reach[from]) / (to - from) as f64;
    let mut corners: Vec<usize> = Vec::with_capacity(reach.len());
    for next in 0..reach.len() {
        while let [.., before, last] = corners[..]
            && slope(before, last) <= slope(last, next)
        {
            corners.pop();
        }
        corners.push(next);
    }
    let beyond = |side: &[usize]| {
        let (from, to) = (side[0], side[1]);
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let at = |slice: usize| reach[from] + slope(from, to) * (slice - from) as f64 - reach[slice];
        (from + 1..to).map(at).sum::<f64>()
    };
    corners.windows(2).map(beyond).sum()
}
