//! Bounding sphere trees of mesh surfaces.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};
use nalgebra::Vector3;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;

use super::transform::{point, vector};

use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Number of children of a sphere.
const BRANCHES: usize = 8;
/// A sphere around so few pieces is a leaf.
const MAX_LEAF_PIECES: usize = 2;
/// Maximum depth of the tree.
const MAX_DEPTH: usize = 6;
/// Each level leaves at most seven siblings on the stack.
const STACK_SIZE: usize = MAX_DEPTH * BRANCHES;
/// Maximum number of pieces of a mesh, unless it has more triangles.
const MAX_PIECES: usize = 4096;
/// Marks a leaf.
const LEAF_FLAG: u32 = 1 << 31;
/// Bound for the rounding error of a coordinate, per metre from the origin \[m\].
const RELATIVE_ROUNDING: f64 = 1e-10;

/// A bounding sphere of a part of a surface \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sphere {
    pub centre: Vector,
    pub radius: f64,
    /// Upper bound for the distance of the surface from the centre \[m\].
    pub surface: f64,
}

/// Up to eight sibling spheres.
#[derive(Debug, Clone, Default)]
pub(crate) struct SphereOctet {
    pub centre: [[Lanes; 3]; 2],
    pub radius: [Lanes; 2],
    pub surface: [Lanes; 2],
    children: [u32; BRANCHES],
    /// Bit mask of those in use.
    pub used: u32,
}

/// The contents of a sphere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SphereChildren<'a> {
    /// The index of the octet of its children.
    Octet(u32),
    /// The surface pieces of a leaf.
    Pieces(&'a [SurfacePiece]),
}

/// A bounding sphere tree of a surface.
#[derive(Debug, Clone)]
pub(crate) struct Spheres {
    pub all: Sphere,
    /// Nodes of the tree, eight spheres each. The first octet contains the children of the root sphere.
    pub octets: Vec<SphereOctet>,
    /// For each leaf, the range of its pieces in `pieces`.
    leaves: Vec<(u32, u32)>,
    pieces: Vec<SurfacePiece>,
}

/// The corners of a triangle, or of a part of one.
pub(crate) type SurfacePiece = [Vector; 3];

impl Spheres {
    /// The sphere tree of some triangles, which must not be empty.
    pub fn new(triangles: Vec<SurfacePiece>) -> Self {
        let mut pieces = pieces(triangles);
        let mut spheres = Self { all: sphere(&pieces), octets: Vec::new(), leaves: Vec::new(), pieces: Vec::new() };
        spheres.divide(&mut pieces, 1);
        spheres
    }

    /// The contents of a sphere of an octet.
    #[inline(always)]
    pub fn children(&self, octet: &SphereOctet, branch: usize) -> SphereChildren<'_> {
        let children = octet.children[branch];
        if children & LEAF_FLAG == 0 {
            return SphereChildren::Octet(children);
        }
        let (start, end) = self.leaves[(children & !LEAF_FLAG) as usize];
        SphereChildren::Pieces(&self.pieces[start as usize..end as usize])
    }

    /// A point of the surface within `bound` \[m\] of `to`, such that the minimum distance is at least `share` times
    /// its distance; for `share` = 1 the nearest point. `None` if all points are farther than `bound`.
    pub fn nearest_to(&self, to: &Vector3<f64>, bound: f64, share: f64) -> Option<Vector3<f64>> {
        dispatch!(Level::new(), simd => self.nearest_by(simd, to, bound, share))
    }

    #[inline(always)]
    fn nearest_by<S: Simd>(&self, simd: S, to: &Vector3<f64>, mut bound: f64, share: f64) -> Option<Vector3<f64>> {
        let mut nearest = None;
        // Octets still to visit, with lower bounds for their distances.
        let (mut stack, mut height) = ([(f64::NEG_INFINITY, 0_u32); STACK_SIZE], 1);
        while height > 0 {
            height -= 1;
            let (gap, at) = stack[height];
            if gap > bound {
                continue;
            }
            let octet = &self.octets[at as usize];
            let (gaps, mut open) = octet.gaps(simd, to, bound);
            let start = height;
            while open != 0 {
                let branch = open.trailing_zeros() as usize;
                open &= open - 1;
                match self.children(octet, branch) {
                    SphereChildren::Octet(children) => {
                        stack[height] = (gaps[branch], children);
                        height += 1;
                    }
                    SphereChildren::Pieces(pieces) => {
                        for &[a, b, c] in pieces {
                            let outside = (a.min(b).min(c) - point(to)).max(point(to) - a.max(b).max(c));
                            if outside.max_element() > bound {
                                continue;
                            }
                            let found = Triangle::new(a, b, c).project_local_point(point(to), false).point;
                            let apart = point(to).distance(found);
                            if apart <= bound {
                                (nearest, bound) = (Some(vector(found)), share * apart);
                            }
                        }
                    }
                }
            }
            // Visit the nearest one first.
            if let Some(last) = height.checked_sub(1).filter(|&last| last > start) {
                let first = (start..last).fold(last, |first, at| if stack[at].0 < stack[first].0 { at } else { first });
                stack.swap(first, last);
            }
        }
        nearest
    }

    /// The corners of all pieces inside a sphere \[m\].
    pub fn corners(&self, children: SphereChildren) -> Vec<Vector> {
        let mut corners = Vec::new();
        if let SphereChildren::Pieces(pieces) = children {
            corners.extend_from_slice(pieces.as_flattened());
        }
        let mut descent = SphereTraversal::new(self, children);
        while let Some((_, octet)) = descent.next_octet() {
            descent.open = octet.used;
            while let Some(branch) = descent.next_open() {
                corners.extend_from_slice(descent.enter(branch).unwrap_or_default().as_flattened());
            }
        }
        corners
    }

    /// Builds the tree of some pieces and returns the index of its first octet.
    fn divide(&mut self, pieces: &mut [SurfacePiece], depth: usize) -> u32 {
        let at = self.octets.len();
        self.octets.push(SphereOctet::default());
        let mut parts = Vec::with_capacity(BRANCHES);
        split(pieces, BRANCHES, &mut parts);
        let mut octet = SphereOctet { used: (1 << parts.len()) - 1, ..SphereOctet::default() };
        for (branch, part) in parts.into_iter().enumerate() {
            let around = sphere(part);
            let divided = depth < MAX_DEPTH && part.len() > MAX_LEAF_PIECES;
            let children = if divided { self.divide(part, depth + 1) } else { self.leaf(part) };
            octet.set(branch, around, children);
        }
        self.octets[at] = octet;
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn leaf(&mut self, pieces: &mut [SurfacePiece]) -> u32 {
        let index = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = self.pieces.len();
        self.pieces.extend_from_slice(pieces);
        self.leaves.push((index(start), index(self.pieces.len())));
        index(self.leaves.len() - 1) | LEAF_FLAG
    }
}

/// Depth-first traversal of a sphere tree. For each octet the caller selects the spheres to enter.
pub(crate) struct SphereTraversal<'a> {
    spheres: &'a Spheres,
    /// Octets still to visit, each with its depth.
    stack: [(u32, u32); STACK_SIZE],
    height: usize,
    /// The current octet, and a bit mask of its selected spheres that are not entered yet.
    octet: &'a SphereOctet,
    pub open: u32,
    pub divisions: u32,
}

impl<'a> SphereTraversal<'a> {
    /// A traversal of the contents of a sphere.
    #[inline(always)]
    pub fn new(spheres: &'a Spheres, children: SphereChildren<'a>) -> Self {
        let octet = &spheres.octets[0];
        let mut descent = Self { spheres, stack: [(0, 0); STACK_SIZE], height: 0, octet, open: 0, divisions: 0 };
        if let SphereChildren::Octet(children) = children {
            (descent.stack[0], descent.height) = ((children, 0), 1);
        }
        descent
    }

    /// The next selected sphere of the current octet.
    #[inline(always)]
    pub fn next_open(&mut self) -> Option<usize> {
        let branch = self.open.trailing_zeros() as usize;
        let found = (self.open != 0).then_some(branch)?;
        self.open &= self.open - 1;
        Some(found)
    }

    /// Enters a sphere of the current octet. Returns the pieces of a leaf; `None` if the children are visited later.
    #[inline(always)]
    pub fn enter(&mut self, branch: usize) -> Option<&'a [SurfacePiece]> {
        match self.spheres.children(self.octet, branch) {
            SphereChildren::Pieces(pieces) => Some(pieces),
            SphereChildren::Octet(children) => {
                self.stack[self.height] = (children, self.divisions + 1);
                self.height += 1;
                None
            }
        }
    }

    /// The next octet, with its index.
    #[inline(always)]
    pub fn next_octet(&mut self) -> Option<(u32, &'a SphereOctet)> {
        self.height = self.height.checked_sub(1)?;
        let at;
        (at, self.divisions) = self.stack[self.height];
        self.octet = &self.spheres.octets[at as usize];
        Some((at, self.octet))
    }
}

impl SphereOctet {
    /// A lower bound for the distance of each sphere's contents from `to` \[m\], and a bit mask of those within
    /// `bound`.
    #[inline(always)]
    fn gaps<S: Simd>(&self, simd: S, to: &Vector3<f64>, bound: f64) -> ([f64; BRANCHES], u32) {
        let (mut gaps, mut open) = ([0.0; BRANCHES], 0);
        for half in 0..2 {
            let [x, y, z] = &self.centre[half];
            let [x, y, z] = [x.load(simd) - to.x, y.load(simd) - to.y, z.load(simd) - to.z];
            let four = (x * x + y * y + z * z).sqrt() - self.radius[half].load(simd);
            #[expect(clippy::cast_possible_truncation, reason = "four bits")]
            let bits = four.simd_le(bound).to_bitmask() as u32;
            open |= bits << (LANES * half);
            let four: [f64; LANES] = four.into();
            gaps[half * LANES..][..LANES].copy_from_slice(&four);
        }
        (gaps, open & self.used)
    }

    /// Bit mask of the spheres within `reach` \[m\] of `centre` \[m\].
    #[inline(always)]
    pub fn reached<S: Simd>(&self, simd: S, centre: &Vector3<f64>, reach: f64) -> u32 {
        let mut open = 0;
        for half in 0..2 {
            let [x, y, z] = &self.centre[half];
            let [x, y, z] = [x.load(simd) - centre.x, y.load(simd) - centre.y, z.load(simd) - centre.z];
            let apart = self.radius[half].load(simd) + reach;
            #[expect(clippy::cast_possible_truncation, reason = "four bits")]
            let bits = (x * x + y * y + z * z).simd_le(apart * apart).to_bitmask() as u32;
            open |= bits << (LANES * half);
        }
        open & self.used
    }

    fn set(&mut self, branch: usize, sphere: Sphere, children: u32) {
        let (half, lane) = (branch / LANES, branch % LANES);
        for (lanes, coordinate) in self.centre[half].iter_mut().zip(sphere.centre.to_array()) {
            lanes.0[lane] = coordinate;
        }
        self.radius[half].0[lane] = sphere.radius;
        self.surface[half].0[lane] = sphere.surface;
        self.children[branch] = children;
    }

    #[inline(always)]
    pub fn get(&self, branch: usize) -> Sphere {
        let (half, lane) = (branch / LANES, branch % LANES);
        let [x, y, z] = self.centre[half].map(|lanes| lanes.0[lane]);
        Sphere { centre: Vector::new(x, y, z), radius: self.radius[half].0[lane], surface: self.surface[half].0[lane] }
    }
}

/// Splits pieces into at most `parts` compact groups.
fn split<'a>(pieces: &'a mut [SurfacePiece], parts: usize, into: &mut Vec<&'a mut [SurfacePiece]>) {
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

/// Subdivides triangles into small pieces.
fn pieces(mut pieces: Vec<SurfacePiece>) -> Vec<SurfacePiece> {
    let (low, high) = around(pieces.as_flattened().iter().copied());
    let size = (high - low).max_element() / 40.0;
    loop {
        let before = pieces.len();
        for at in 0..before {
            if pieces.len() >= MAX_PIECES {
                return pieces;
            }
            let [a, b, c] = pieces[at];
            let edges = [[a, b, c], [b, c, a], [c, a, b]];
            let length = |edge: &SurfacePiece| edge[0].distance(edge[1]);
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

fn centroid(piece: &SurfacePiece) -> Vector {
    (piece[0] + piece[1] + piece[2]) / 3.0
}

/// The bounding box of points.
pub(crate) fn around(points: impl Iterator<Item = Vector>) -> (Vector, Vector) {
    points.fold((Vector::INFINITY, Vector::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// A nearly minimal bounding sphere of pieces (Bădoiu and Clarkson 2003, "Smaller core-sets for balls").
fn sphere(pieces: &[SurfacePiece]) -> Sphere {
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
    let rounding = RELATIVE_ROUNDING * (1.0 + low.abs().max(high.abs()).max_element());
    Sphere { centre, radius: squared.sqrt() + rounding, surface: surface.sqrt() + rounding }
}
