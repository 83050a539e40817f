//! Spheres around the surface of a mesh, as a tree.

use parry3d_f64::math::Vector;
use parry3d_f64::shape::Triangle;

use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Number of spheres into which one is divided.
pub(crate) const BRANCHES: usize = 8;
/// A sphere around so few pieces is not divided.
const LEAF: usize = 2;
/// Nor is one that was divided so often.
pub(crate) const DEPTH: usize = 6;
/// Pieces of a mesh: no more, unless it has more triangles.
const PIECES: usize = 4096;
/// Marks a sphere that is not divided.
const UNDIVIDED: u32 = 1 << 31;
/// What rounding may do to a place, for each metre from the origin \[m\].
const ROUNDING: f64 = 1e-10;

/// A sphere around a part of a surface \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sphere {
    pub centre: Vector,
    pub radius: f64,
    /// Some point of the surface is no farther from the centre than this.
    pub surface: f64,
}

/// At most eight spheres, which have together all that the one has that they divide.
#[derive(Debug, Clone, Default)]
pub(crate) struct Eight {
    pub centre: [[Lanes; 3]; 2],
    pub radius: [Lanes; 2],
    pub surface: [Lanes; 2],
    below: [u32; BRANCHES],
    /// Which of them there are, as bits.
    pub used: u32,
}

/// What is below a sphere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Below<'a> {
    /// The index of the eight that divide it.
    Eight(u32),
    /// All that it has.
    Pieces(&'a [Piece]),
}

/// Spheres around a surface, from one around all of it to many small ones.
#[derive(Debug, Clone)]
pub(crate) struct Spheres {
    pub all: Sphere,
    /// The first divide the sphere around all.
    pub eights: Vec<Eight>,
    /// Where the pieces of each sphere that is not divided are among `pieces`.
    leaves: Vec<(u32, u32)>,
    pieces: Vec<Piece>,
}

/// The corners of a triangle or of a part of one.
pub(crate) type Piece = [Vector; 3];

impl Spheres {
    /// The spheres of triangles, of which there is at least one.
    pub fn new(triangles: impl Iterator<Item = Triangle>) -> Self {
        let mut pieces = pieces(triangles.map(|triangle| [triangle.a, triangle.b, triangle.c]).collect());
        let mut spheres = Self { all: sphere(&pieces), eights: Vec::new(), leaves: Vec::new(), pieces: Vec::new() };
        spheres.divide(&mut pieces, 1);
        spheres
    }

    /// What is below that sphere.
    #[inline(always)]
    pub fn below(&self, eight: &Eight, branch: usize) -> Below<'_> {
        let below = eight.below[branch];
        if below & UNDIVIDED == 0 {
            return Below::Eight(below);
        }
        let (start, end) = self.leaves[(below & !UNDIVIDED) as usize];
        Below::Pieces(&self.pieces[start as usize..end as usize])
    }

    /// Calls `visit` for each sphere that is divided less than `depth` times below the first eight, with its eight and its place among them.
    pub fn each_above(&self, depth: usize, visit: &mut impl FnMut(usize, usize)) {
        let mut open = vec![(0, depth)];
        while let Some((at, depth)) = open.pop() {
            let eight = &self.eights[at];
            for branch in 0..eight.used.count_ones() as usize {
                visit(at, branch);
                if let (Below::Eight(below), true) = (self.below(eight, branch), depth > 1) {
                    open.push((below as usize, depth - 1));
                }
            }
        }
    }

    /// The corners of all that a sphere has.
    pub fn corners(&self, at: usize, branch: usize) -> Vec<Vector> {
        let mut corners = Vec::new();
        let mut open = vec![(&self.eights[at], branch)];
        while let Some((eight, branch)) = open.pop() {
            match self.below(eight, branch) {
                Below::Pieces(pieces) => corners.extend_from_slice(pieces.as_flattened()),
                Below::Eight(below) => {
                    let eight = &self.eights[below as usize];
                    open.extend((0..eight.used.count_ones() as usize).map(|branch| (eight, branch)));
                }
            }
        }
        corners
    }

    /// Adds the spheres of these pieces, and gives the index of the first eight.
    fn divide(&mut self, pieces: &mut [Piece], depth: usize) -> u32 {
        let at = self.eights.len();
        self.eights.push(Eight::default());
        let mut parts = Vec::with_capacity(BRANCHES);
        split(pieces, BRANCHES, &mut parts);
        let mut eight = Eight { used: (1 << parts.len()) - 1, ..Eight::default() };
        for (branch, part) in parts.into_iter().enumerate() {
            let around = sphere(part);
            let divided = depth < DEPTH && part.len() > LEAF;
            let below = if divided { self.divide(part, depth + 1) } else { self.leaf(part) };
            eight.set(branch, around, below);
        }
        self.eights[at] = eight;
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn leaf(&mut self, pieces: &mut [Piece]) -> u32 {
        let index = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = self.pieces.len();
        self.pieces.extend_from_slice(pieces);
        self.leaves.push((index(start), index(self.pieces.len())));
        index(self.leaves.len() - 1) | UNDIVIDED
    }
}

impl Eight {
    fn set(&mut self, branch: usize, sphere: Sphere, below: u32) {
        let (half, lane) = (branch / LANES, branch % LANES);
        for (lanes, coordinate) in self.centre[half].iter_mut().zip(sphere.centre.to_array()) {
            lanes.0[lane] = coordinate;
        }
        self.radius[half].0[lane] = sphere.radius;
        self.surface[half].0[lane] = sphere.surface;
        self.below[branch] = below;
    }

    #[inline(always)]
    pub fn get(&self, branch: usize) -> Sphere {
        let (half, lane) = (branch / LANES, branch % LANES);
        let [x, y, z] = self.centre[half].map(|lanes| lanes.0[lane]);
        Sphere { centre: Vector::new(x, y, z), radius: self.radius[half].0[lane], surface: self.surface[half].0[lane] }
    }
}

/// Divides pieces into at most that many parts, each close together.
fn split<'a>(pieces: &'a mut [Piece], parts: usize, into: &mut Vec<&'a mut [Piece]>) {
    if parts < 2 || pieces.len() < 2 {
        into.push(pieces);
        return;
    }
    let (low, high) = around(pieces.iter().map(centroid));
    let size = high - low;
    let axis = (1..3).fold(0, |most, axis| if size[axis] > size[most] { axis } else { most });
    let middle = pieces.len() / 2;
    pieces.select_nth_unstable_by(middle, |a, b| centroid(a)[axis].total_cmp(&centroid(b)[axis]));
    let (first, second) = pieces.split_at_mut(middle);
    split(first, parts / 2, into);
    split(second, parts / 2, into);
}

/// Triangles cut into small pieces.
fn pieces(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let (low, high) = around(pieces.as_flattened().iter().copied());
    let size = (high - low).max_element() / 40.0;
    loop {
        let before = pieces.len();
        for at in 0..before {
            if pieces.len() >= PIECES {
                return pieces;
            }
            let [a, b, c] = pieces[at];
            let edges = [[a, b, c], [b, c, a], [c, a, b]];
            let length = |edge: &Piece| edge[0].distance(edge[1]);
            let longer = |most, edge| if length(&edge) > length(&most) { edge } else { most };
            let [a, b, c] = edges.into_iter().fold(edges[0], longer);
            if a.distance(b) > size {
                let middle = (a + b) * 0.5;
                pieces[at] = [a, middle, c];
                pieces.push([middle, b, c]);
            }
        }
        if pieces.len() == before {
            return pieces;
        }
    }
}

fn centroid(piece: &Piece) -> Vector {
    (piece[0] + piece[1] + piece[2]) / 3.0
}

/// The box around points.
fn around(points: impl Iterator<Item = Vector>) -> (Vector, Vector) {
    points.fold((Vector::INFINITY, Vector::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// A sphere around pieces, nearly the smallest (Bădoiu and Clarkson 2003, "Smaller core-sets for balls").
fn sphere(pieces: &[Piece]) -> Sphere {
    let points = pieces.as_flattened();
    let (low, high) = around(points.iter().copied());
    let mut centre = (low + high) * 0.5;
    let farthest = |centre: Vector| {
        points.iter().fold((centre, 0.0), |most, &point| {
            let squared = point.distance_squared(centre);
            if squared > most.1 { (point, squared) } else { most }
        })
    };
    let mut best = (centre, farthest(centre).1);
    let rounds = (20_000 / points.len()).clamp(4, 32);
    for round in 1..=rounds {
        let (point, squared) = farthest(centre);
        if squared < best.1 {
            best = (centre, squared);
        }
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let share = 1.0 / (round as f64 + 1.0);
        centre += (point - centre) * share;
    }
    let (centre, squared) = best;
    let samples = points.iter().copied().chain(pieces.iter().map(centroid));
    let surface = samples.fold(f64::INFINITY, |least, point| least.min(point.distance_squared(centre)));
    let rounding = ROUNDING * (1.0 + low.abs().max(high.abs()).max_element());
    Sphere { centre, radius: squared.sqrt() + rounding, surface: surface.sqrt() + rounding }
}
