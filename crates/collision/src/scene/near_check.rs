//! Which pairs are near each other, with their distances and nearest points.

use fearless_simd::{Simd, dispatch};
use nalgebra::{Point3, Vector3};
use parry3d_f64::math::Vector as Point;

use crate::links::distances::TOUCHING;
use crate::narrow_phase::convex::{alternate, convex_nearest};
use crate::narrow_phase::depth::{Depths, Overlap};
use crate::narrow_phase::mesh_and_solid::{MeshAndSolid, NearPoints, Verdict};
use crate::narrow_phase::separation::are_apart;
use crate::narrow_phase::two_meshes::TwoMeshes;
use crate::narrow_phase::{Part, direction};
use crate::scene::free_check::FreeCheck;
use crate::scene::moving_joints::{Frame, JointFrames};
use crate::shapes::{Core, pose};

/// Two bodies near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Index of the pair among [`Scene::pairs`](super::Scene::pairs).
    pub pair: usize,
    /// Their distance \[m\]; 0 where they touch.
    pub distance: f64,
    /// How far one has to move at least to leave the other \[m\]; 0 where they do not overlap. A mesh counts by its convex pieces.
    pub depth: f64,
    /// The nearest point of each, or the deepest where they overlap, in the root link's frame \[m\].
    pub points: [Point3<f64>; 2],
    /// The direction in which the first moves away from the second, in the root link's frame; of length 1.
    pub normal: Vector3<f64>,
}

impl Near {
    /// How far the two are apart \[m\]: their distance, or less than 0 by the depth where they overlap.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.distance - self.depth
    }
}

/// So many directions are tried to prove that two shapes are not near.
const STEPS: usize = 6;
/// What is no more than this nearer than something else is not looked for \[m\]: a mesh may have a million triangles at one distance.
pub(crate) const SAME: f64 = 1e-12;
/// Nor what is nearer by this share of the room that there is, where that is enough to know.
const SHARE_OF_ROOM: f64 = 0.2;
/// So many times the nearest point of a shape is looked for at most before triangles are compared.
const GUESSES: usize = 4;

/// Up to where, and how exactly, distances are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// No greater ones \[m\].
    pub within: f64,
    /// Greater ones than this may be found too great, by a share of what is beyond \[m\].
    pub exact_below: f64,
}

impl Wanted {
    pub fn exact(within: f64) -> Self {
        Self { within, exact_below: f64::INFINITY }
    }

    /// What a distance that was found tells for sure \[m\].
    pub fn at_least(&self, found: f64) -> f64 {
        found - SAME - SHARE_OF_ROOM * (found - self.exact_below).max(0.0)
    }

    /// Up to where something nearer is looked for than what was found \[m\].
    pub fn nearer_than(&self, found: f64) -> f64 {
        self.within.min(self.at_least(found))
    }

    /// Points of two shapes that are near each other: the nearest of the first to a point of the second, the nearest of the second to that, and
    /// so on.
    pub fn guess(
        &self,
        on_second: Point,
        to_first: impl Fn(Point) -> Point,
        to_second: impl Fn(Point) -> Point,
    ) -> NearPoints {
        let found = (f64::INFINITY, [on_second; 2]);
        let (least, [q, p]) = alternate(found, GUESSES, to_first, to_second, |least| self.at_least(least));
        (least, [p, q])
    }
}

impl FreeCheck {
    /// Finds all pairs that are no farther apart than `within` \[m\], in the order of the pairs.
    pub fn find_near(&self, frames: &JointFrames, within: f64, depths: &mut Depths, near: &mut Vec<Near>) {
        near.clear();
        near.reserve(self.all.len());
        for parts in self.all.chunk_by(|(one, _), (other, _)| one == other) {
            if let Some(found) = self.nearest_parts(frames, parts, Wanted::exact(within), depths) {
                near.push(found);
            }
        }
    }

    /// How near one pair is, where that is wanted.
    pub fn nearness(&self, frames: &JointFrames, pair: usize, wanted: Wanted, depths: &mut Depths) -> Option<Near> {
        self.nearest_parts(frames, self.parts_of(pair), wanted, depths)
    }

    /// The nearest of the parts of one pair.
    fn nearest_parts(
        &self,
        frames: &JointFrames,
        parts: &[(usize, [usize; 2])],
        wanted: Wanted,
        depths: &mut Depths,
    ) -> Option<Near> {
        let mut nearest = None::<Near>;
        for &(pair, [first, second]) in parts {
            let [a, b] = [first, second].map(|part| &self.parts[part]);
            // What touches is looked for beyond what does already: it may be deeper.
            let within = nearest.map_or(wanted.within, |near| near.distance).max(TOUCHING);
            let wanted = Wanted { within, ..wanted };
            if a.spheres_apart(b, frames) > wanted.within {
                continue;
            }
            let at_second = frames.of(b.frame).times(&b.local);
            let place = at_second.inverse().times(&frames.of(a.frame).times(&a.local));
            let found = if a.solid.is_some() && b.solid.is_none() {
                self.nearest((b, a), &place.inverse(), wanted, depths).map(|near| near.turned(&place))
            } else {
                self.nearest((a, b), &place, wanted, depths)
            };
            if let Some(PartsNear { distance, depth, points, normal }) = found
                && nearest.is_none_or(|nearest| distance - depth < nearest.gap())
            {
                let points = points.map(|point| Point3::from(at_second.point(&point)));
                nearest = Some(Near { pair, distance, depth, points, normal: at_second.rotation * normal });
            }
        }
        nearest
    }

    /// How near two parts are to each other, where that is wanted. `place` is that of the first in the frame of the second.
    fn nearest(&self, (a, b): (&Part, &Part), place: &Frame, wanted: Wanted, depths: &mut Depths) -> Option<PartsNear> {
        let towards = direction((a, b), place);
        let found = dispatch!(self.level, simd => nearest_points(simd, (a, b), (place, &towards), wanted));
        let (distance, [p, q]) = found?;
        let points = [p, q].map(|point| Vector3::from(point.to_array()));
        if distance <= TOUCHING {
            let overlap = depths.of((a, b), place, &towards);
            let touch = Overlap { depth: 0.0, points, normal: towards };
            let Overlap { depth, points, normal } = overlap.unwrap_or(touch);
            return Some(PartsNear { distance: 0.0, depth, points, normal });
        }
        let normal = (points[0] - points[1]).try_normalize(0.0).unwrap_or(towards);
        Some(PartsNear { distance, depth: 0.0, points, normal })
    }
}

/// Two parts near each other, in the frame of the second.
struct PartsNear {
    distance: f64,
    depth: f64,
    points: [Vector3<f64>; 2],
    normal: Vector3<f64>,
}

impl PartsNear {
    /// The same for the second and the first, where `place` is that of the second in the frame that comes out.
    fn turned(self, place: &Frame) -> Self {
        let [p, q] = self.points.map(|point| place.point(&point));
        Self { points: [q, p], normal: -(place.rotation * self.normal), ..self }
    }
}

#[inline(always)]
fn nearest_points<S: Simd>(
    simd: S,
    (a, b): (&Part, &Part),
    (place, towards): (&Frame, &Vector3<f64>),
    wanted: Wanted,
) -> Option<NearPoints> {
    if are_apart(simd, (a.outline(), b.outline()), place, towards, (STEPS, wanted.within)) {
        return None;
    }
    match (&a.shape.core, &b.shape.core, &b.solid) {
        (Core::Mesh(first), Core::Mesh(second), _) => {
            let meshes = TwoMeshes { first, second, place };
            if meshes.first_spheres(simd, wanted.within) == Verdict::Free { None } else { meshes.nearest(simd, wanted) }
        }
        (Core::Mesh(mesh), _, Some(solid)) => {
            MeshAndSolid { mesh, solid, shape: &b.shape, place }.nearest(simd, towards, wanted)
        }
        _ => nearest_of_solids((a, b), place, wanted.within),
    }
}

fn nearest_of_solids((a, b): (&Part, &Part), place: &Frame, within: f64) -> Option<NearPoints> {
    let at_a = pose(&place.pose());
    let rounding = a.shape.margin + b.shape.margin;
    let Some([on_b, on_a]) = convex_nearest(b.shape.core.shape(), a.shape.core.shape(), &at_a) else {
        return Some((0.0, [at_a.translation, Point::ZERO]));
    };
    let direction = (on_a - on_b).normalize_or_zero();
    let distance = ((on_a - on_b).length() - rounding).max(0.0);
    let points = [on_a - direction * a.shape.margin, on_b + direction * b.shape.margin];
    (distance <= within).then_some((distance, points))
}
