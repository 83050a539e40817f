//! Spheres around the surface of a mesh, as a tree.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch};
use nalgebra::Vector3;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::Triangle;

use super::frame::{point, vector};

use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Number of spheres into which one is divided.
const BRANCHES: usize = 8;
/// A sphere around so few pieces is not divided.
const LEAF: usize = 2;
/// A sphere that was divided so often is not divided again.
const DEPTH: usize = 6;
/// Each division leaves at most seven others behind.
const STACK: usize = DEPTH * BRANCHES;
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
    pub fn new(triangles: Vec<Piece>) -> Self {
        let mut pieces = pieces(triangles);
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

    /// A point of the surface, no farther from `to` than `bound` \[m\], than which none is nearer than `share` of its distance: the nearest where
    /// that is 1. `None` where all are farther away.
    pub fn nearest_to(&self, to: &Vector3<f64>, bound: f64, share: f64) -> Option<Vector3<f64>> {
        dispatch!(Level::new(), simd => self.nearest_by(simd, to, bound, share))
    }

    #[inline(always)]
    fn nearest_by<S: Simd>(&self, simd: S, to: &Vector3<f64>, mut bound: f64, share: f64) -> Option<Vector3<f64>> {
        let mut nearest = None;
        // Eights that are not looked at yet, and how far they are away at least.
        let (mut stack, mut height) = ([(f64::NEG_INFINITY, 0_u32); STACK], 1);
        while height > 0 {
            height -= 1;
            let (gap, at) = stack[height];
            if gap > bound {
                continue;
            }
            let eight = &self.eights[at as usize];
            let (gaps, mut open) = eight.gaps(simd, to, bound);
            let start = height;
            while open != 0 {
                let branch = open.trailing_zeros() as usize;
                open &= open - 1;
                match self.below(eight, branch) {
                    Below::Eight(below) => {
                        stack[height] = (gaps[branch], below);
                        height += 1;
                    }
                    Below::Pieces(pieces) => {
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
            // The nearest one is looked at first.
            if let Some(last) = height.checked_sub(1).filter(|&last| last > start) {
                let first = (start..last).fold(last, |first, at| if stack[at].0 < stack[first].0 { at } else { first });
                stack.swap(first, last);
            }
        }
        nearest
    }

    /// The corners of all that is below a sphere.
    pub fn corners(&self, below: Below) -> Vec<Vector> {
        let mut corners = Vec::new();
        if let Below::Pieces(pieces) = below {
            corners.extend_from_slice(pieces.as_flattened());
        }
        let mut descent = Descent::new(self, below);
        while let Some((_, eight)) = descent.next_eight() {
            descent.open(eight.used);
            while let Some(branch) = descent.next_open() {
                corners.extend_from_slice(descent.enter(branch).unwrap_or_default().as_flattened());
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

/// Goes down through the spheres of a surface. Of each eight it is told which are open, and only what these have is looked at.
pub(crate) struct Descent<'a> {
    spheres: &'a Spheres,
    /// Eights that are not looked at yet, each with how often the first were divided to get there.
    stack: [(u32, u32); STACK],
    height: usize,
    /// The eight that is looked at, and which of its spheres are open and not entered yet, as bits.
    eight: &'a Eight,
    open: u32,
    pub divisions: u32,
}

impl<'a> Descent<'a> {
    /// Through what is below a sphere, as far as it is divided.
    #[inline(always)]
    pub fn new(spheres: &'a Spheres, below: Below<'a>) -> Self {
        let eight = &spheres.eights[0];
        let mut descent = Self { spheres, stack: [(0, 0); STACK], height: 0, eight, open: 0, divisions: 0 };
        if let Below::Eight(below) = below {
            (descent.stack[0], descent.height) = ((below, 0), 1);
        }
        descent
    }

    /// Says which spheres of the last eight are open, as bits.
    #[inline(always)]
    pub fn open(&mut self, open: u32) {
        self.open = open;
    }

    /// The next open sphere of the last eight, by its place among them.
    #[inline(always)]
    pub fn next_open(&mut self) -> Option<usize> {
        let branch = self.open.trailing_zeros() as usize;
        let found = (self.open != 0).then_some(branch)?;
        self.open &= self.open - 1;
        Some(found)
    }

    /// What a sphere of the last eight has; `None` where that is divided, and comes later.
    #[inline(always)]
    pub fn enter(&mut self, branch: usize) -> Option<&'a [Piece]> {
        match self.spheres.below(self.eight, branch) {
            Below::Pieces(pieces) => Some(pieces),
            Below::Eight(below) => {
                self.stack[self.height] = (below, self.divisions + 1);
                self.height += 1;
                None
            }
        }
    }

    /// The next eight, with its index.
    #[inline(always)]
    pub fn next_eight(&mut self) -> Option<(u32, &'a Eight)> {
        self.height = self.height.checked_sub(1)?;
        let at;
        (at, self.divisions) = self.stack[self.height];
        self.eight = &self.spheres.eights[at as usize];
        Some((at, self.eight))
    }
}

impl Eight {
    /// How far what each has is from `to` at least \[m\], and for which that is no more than `bound`, as bits.
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

    /// Which of them are no farther from `centre` than `reach` and their radius, as bits.
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
pub(crate) fn around(points: impl Iterator<Item = Vector>) -> (Vector, Vector) {
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
