//! Whether a configuration is collision-free: cheap bounds first, exact tests only for pairs that remain undecided.
//!
//! ```text
//! bounding spheres ──▶ eight spheres per shape ──▶ 64 and 512 spheres ──▶ convex hulls ──▶ triangles
//! ```

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};
use nalgebra::{Isometry3, Point3, Vector3};

use super::moving_joints::{JointFrames, MovingJoints, PlacedBody};
use super::near::Near;
use crate::narrow_phase::depth::Depths;
use crate::narrow_phase::mesh_and_primitive::{FourSpheres, OpenSpheres};
use crate::narrow_phase::visitors::{DistanceQuery, Proximity};
use crate::narrow_phase::{Contact, ShapePair, TOUCHING};
use crate::shapes::PlacedShape;
use crate::shapes::primitive::Primitive;
use crate::shapes::transform::{Transform, vector};
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Pairs of shapes that can never be closer than this are omitted; larger margins use distance queries [m].
pub(crate) const MAX_MARGIN: f64 = 0.1;

/// A shape of a body, in the frame of the joint that carries it.
#[derive(Clone)]
struct BodyShape {
    /// The moving joint that carries it; `None` for a static shape.
    frame: Option<usize>,
    /// The pose of the shape's core in that frame.
    local: Transform,
    shape: PlacedShape,
    /// A bounding sphere, in that frame.
    centre: Vector3<f64>,
    radius: f64,
    /// Some point of the shape is at most this far from the centre.
    surface: f64,
}

impl BodyShape {
    fn new(frame: Option<usize>, pose: &Isometry3<f64>, shape: &PlacedShape) -> Self {
        let local = Transform::of(&(pose * shape.core_pose));
        let sphere = shape.sphere();
        let centre = local.point(&vector(sphere.centre));
        Self { frame, local, shape: shape.clone(), centre, radius: sphere.radius, surface: sphere.surface }
    }

    /// The pose of the core in the root link's frame.
    #[inline(always)]
    fn place(&self, frames: &JointFrames) -> Transform {
        frames.of(self.frame).times(&self.local)
    }

    /// The gap between the bounding spheres of two shapes \[m\]; negative if they overlap.
    fn spheres_apart(&self, other: &Self, frames: &JointFrames) -> f64 {
        let [at, at_other] = [self, other].map(|part| frames.of(part.frame).point(&part.centre));
        (at - at_other).norm() - self.radius - other.radius
    }
}

/// A pair of shapes, by their indices.
#[derive(Debug, Clone, Copy)]
struct BodyShapePair {
    /// The index of the pair of bodies.
    bodies: usize,
    parts: [usize; 2],
}

/// The bounding spheres of four moving shapes.
#[derive(Clone)]
struct SphereGroup {
    parts: [usize; LANES],
    radius: Lanes,
    surface: Lanes,
}

/// A static box, cylinder, sphere or capsule.
#[derive(Clone)]
struct StaticPrimitive {
    part: usize,
    solid: Primitive,
    /// The root link's frame in its own.
    inverse: Transform,
    /// For each group, a bit mask of the shapes that must not touch it.
    against: Vec<u32>,
}

/// The pairs of shapes of a scene, sorted by the cost of their first test.
#[derive(Clone)]
pub(crate) struct FreeCheck {
    pub joints: MovingJoints,
    parts: Vec<BodyShape>,
    /// All pairs of shapes, in the order of the pairs of bodies.
    all: Vec<BodyShapePair>,
    /// For each pair of bodies, the range of its pairs of shapes in `all`.
    of_bodies: Vec<Range<usize>>,
    groups: Vec<SphereGroup>,
    standing: Vec<StaticPrimitive>,
    /// All pairs of shapes without a static primitive.
    others: Vec<[usize; 2]>,
}

/// A pair of shapes that bounding spheres have not proven clear.
#[derive(Debug, Clone, Copy)]
struct UndecidedPair {
    parts: [usize; 2],
    /// The pose of the first in the frame of the second.
    place: Transform,
    /// Bit mask of the eight root spheres of its mesh not yet proven clear.
    spheres: u32,
}

/// A moving shape, and a static primitive that its bounding sphere may touch.
#[derive(Debug, Clone, Copy)]
struct StaticCandidate {
    part: usize,
    standing: usize,
}

/// Scratch memory of a check.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckScratch {
    pub frames: JointFrames,
    depths: Depths,
    centres: Vec<[Lanes; 3]>,
    /// Pairs whose bounding spheres are not clear.
    meeting: Vec<StaticCandidate>,
    open: Vec<UndecidedPair>,
}

impl FreeCheck {
    pub fn new(joints: MovingJoints, bodies: &[PlacedBody], pairs: &[[usize; 2]]) -> Self {
        let (mut parts, mut of_body) = (Vec::new(), Vec::new());
        for body in bodies {
            let start = parts.len();
            parts.extend(body.shapes.iter().map(|shape| BodyShape::new(body.frame, &body.pose, shape)));
            of_body.push(start..parts.len());
        }
        let (mut all, mut of_bodies) = (Vec::new(), Vec::new());
        for (pair, &[first, second]) in pairs.iter().enumerate() {
            let start = all.len();
            for a in of_body[first].clone() {
                all.extend(of_body[second].clone().map(|b| BodyShapePair { bodies: pair, parts: [a, b] }));
            }
            of_bodies.push(start..all.len());
        }
        let moving: Vec<usize> = (0..parts.len()).filter(|&part| parts[part].frame.is_some()).collect();
        let groups: Vec<SphereGroup> = moving.chunks(LANES).map(|four| group(&parts, four)).collect();
        let (mut standing, mut others) = (Vec::<StaticPrimitive>::new(), Vec::new());
        for &BodyShapePair { parts: [a, b], .. } in &all {
            if !can_meet(&joints, &parts[a], &parts[b]) {
                continue;
            }
            let (mover, still) = if parts[a].frame.is_none() { (b, a) } else { (a, b) };
            let (None, Some(convex)) = (parts[still].frame, parts[still].shape.convex()) else {
                others.push([a, b]);
                continue;
            };
            let at = standing.iter().position(|other| other.part == still).unwrap_or_else(|| {
                let inverse = parts[still].local.inverse();
                standing.push(StaticPrimitive {
                    part: still,
                    solid: convex.solid,
                    inverse,
                    against: vec![0; groups.len()],
                });
                standing.len() - 1
            });
            let place = moving.binary_search(&mover).unwrap_or(0);
            standing[at].against[place / LANES] |= 1 << (place % LANES);
        }
        Self { joints, parts, all, of_bodies, groups, standing, others }
    }

    /// Writes the frames of the moving joints at `positions` \[rad or m\] of the chain's variables to `scratch`.
    pub fn place(&self, positions: &[f64], scratch: &mut CheckScratch) {
        dispatch!(Level::new(), simd => self.joints.frames(simd, positions, &mut scratch.frames));
    }

    /// Checks that the distances of all pairs exceed a positive `margin` \[m\] at `positions` \[rad or m\].
    ///
    /// # Errors
    /// The index of a violating pair of bodies.
    pub fn check(&self, positions: &[f64], margin: f64, scratch: &mut CheckScratch) -> Result<(), usize> {
        let near = dispatch!(Level::new(), simd => {
            self.joints.frames(simd, positions, &mut scratch.frames);
            self.check_all(simd, margin, scratch)
        });
        near.map_err(|[a, b]| {
            let is_near = |pair: &&BodyShapePair| pair.parts == [a, b] || pair.parts == [b, a];
            self.all.iter().find(is_near).map_or(0, |pair| pair.bodies)
        })
    }

    /// True if the distance of a pair of bodies exceeds a positive `margin` \[m\] at the frames of [`Self::place`].
    pub fn is_pair_free(&self, pair: usize, margin: f64, scratch: &CheckScratch) -> bool {
        dispatch!(Level::new(), simd => self.check_pair(simd, &scratch.frames, pair, margin))
    }

    /// A lower bound \[m\] for the distance of a pair of bodies at the frames of [`FreeCheck::place`], from the
    /// bounding spheres of their shapes; negative if these overlap.
    pub fn spheres_apart(&self, pair: usize, scratch: &CheckScratch) -> f64 {
        let gap =
            |pair: &BodyShapePair| self.parts[pair.parts[0]].spheres_apart(&self.parts[pair.parts[1]], &scratch.frames);
        self.parts_of(pair).iter().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// The nearest points \[m\] of two bodies in the root link's frame after [`Self::place`]; `None` if too distant.
    pub fn nearness(&self, pair: usize, query: DistanceQuery, scratch: &mut CheckScratch) -> Option<Near> {
        let CheckScratch { frames, depths, .. } = scratch;
        let mut nearest = None::<Near>;
        for BodyShapePair { bodies, parts } in self.parts_of(pair) {
            let [a, b] = parts.map(|part| &self.parts[part]);
            // Once in contact, other shapes of the bodies may still be deeper.
            let within = nearest.map_or(query.within, |near| near.distance).max(TOUCHING);
            if a.spheres_apart(b, frames) > within {
                continue;
            }
            let at_second = b.place(frames);
            let place = at_second.inverse().times(&a.place(frames));
            let found = ShapePair::new(&a.shape, &b.shape, place).contact(DistanceQuery { within, ..query }, depths);
            if let Some(Contact { distance, depth, points, normal }) = found
                && nearest.is_none_or(|nearest| distance - depth < nearest.gap())
            {
                let points = points.map(|point| Point3::from(at_second.point(&point)));
                let normal = at_second.rotation * normal;
                nearest = Some(Near { pair: *bodies, distance, depth, points, normal });
            }
        }
        nearest
    }

    /// The pairs of shapes of a pair of bodies.
    fn parts_of(&self, pair: usize) -> &[BodyShapePair] {
        &self.all[self.of_bodies[pair].clone()]
    }

    #[inline(always)]
    fn check_pair<S: Simd>(&self, simd: S, frames: &JointFrames, pair: usize, margin: f64) -> bool {
        for pair in self.parts_of(pair) {
            let Some(mut open) = self.first_of_pair(simd, frames, pair.parts, margin) else { continue };
            if self.check_open(simd, std::slice::from_mut(&mut open), margin).is_err() {
                return false;
            }
        }
        true
    }

    fn shapes(&self, open: &UndecidedPair) -> ShapePair<'_> {
        let [first, second] = open.parts.map(|part| &self.parts[part].shape);
        ShapePair::new(first, second, open.place)
    }

    /// [`FreeCheck::check`] with a pair of shapes as the error.
    #[inline(always)]
    fn check_all<S: Simd>(&self, simd: S, margin: f64, scratch: &mut CheckScratch) -> Result<(), [usize; 2]> {
        self.place_centres(scratch);
        // The maximum, so that scratch memory grows once.
        scratch.open.clear();
        scratch.open.reserve(self.all.len());
        self.check_standing(simd, margin, scratch)?;
        self.first_spheres(simd, margin, scratch)?;
        let CheckScratch { frames, open, .. } = scratch;
        for &parts in &self.others {
            open.extend(self.first_of_pair(simd, frames, parts, margin));
        }
        self.check_open(simd, open, margin)
    }

    #[inline(always)]
    fn place_centres(&self, scratch: &mut CheckScratch) {
        let CheckScratch { frames, centres, .. } = scratch;
        centres.clear();
        for group in &self.groups {
            let mut placed = [Lanes::default(); 3];
            for (lane, &part) in group.parts.iter().enumerate() {
                let part = &self.parts[part];
                let centre = frames.of(part.frame).point(&part.centre);
                for (lanes, coordinate) in placed.iter_mut().zip(centre.iter()) {
                    lanes.0[lane] = *coordinate;
                }
            }
            centres.push(placed);
        }
    }

    /// Tests the bounding spheres of moving shapes against static primitives.
    #[inline(always)]
    fn check_standing<S: Simd>(&self, simd: S, margin: f64, scratch: &mut CheckScratch) -> Result<(), [usize; 2]> {
        let CheckScratch { centres, meeting, .. } = scratch;
        meeting.clear();
        meeting.reserve(self.all.len());
        for (group, centres) in centres.iter().enumerate() {
            let SphereGroup { radius, surface, parts } = &self.groups[group];
            for (index, standing) in self.standing.iter().enumerate() {
                let against = standing.against[group];
                if against == 0 {
                    continue;
                }
                let centres = standing.inverse.four_points(simd, centres);
                let spheres = FourSpheres { radius, surface };
                let OpenSpheres { open, near } = standing.solid.test_four(simd, centres, spheres, margin);
                if near & against != 0 {
                    return Err([parts[(near & against).trailing_zeros() as usize], standing.part]);
                }
                let mut bits = open & against;
                while bits != 0 {
                    meeting.push(StaticCandidate { part: parts[bits.trailing_zeros() as usize], standing: index });
                    bits &= bits - 1;
                }
            }
        }
        Ok(())
    }

    /// Tests the eight root spheres of each candidate.
    #[inline(always)]
    fn first_spheres<S: Simd>(&self, simd: S, margin: f64, scratch: &mut CheckScratch) -> Result<(), [usize; 2]> {
        let CheckScratch { frames, meeting, open, .. } = scratch;
        let (mut placed, mut at) = (usize::MAX, Transform::ROOT);
        for &StaticCandidate { part, standing } in meeting.iter().rev() {
            let standing = &self.standing[standing];
            if placed != part {
                (placed, at) = (part, self.parts[part].place(frames));
            }
            let mut pair =
                UndecidedPair { parts: [part, standing.part], place: standing.inverse.times(&at), spheres: 0 };
            pair.spheres = self.shapes(&pair).first_spheres(simd, margin).ok_or(pair.parts)?;
            if pair.spheres != 0 {
                open.push(pair);
            }
        }
        Ok(())
    }

    /// The pair of two shapes, unless bounding spheres prove it clear.
    #[inline(always)]
    fn first_of_pair<S: Simd>(
        &self,
        simd: S,
        frames: &JointFrames,
        parts: [usize; 2],
        margin: f64,
    ) -> Option<UndecidedPair> {
        let [a, b] = parts.map(|part| &self.parts[part]);
        let apart = frames.of(a.frame).point(&a.centre) - frames.of(b.frame).point(&b.centre);
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let place = b.place(frames).inverse().times(&a.place(frames));
        // If a sphere is certainly within the margin, all are kept: tests of their children will find it again.
        let spheres = ShapePair::new(&a.shape, &b.shape, place).first_spheres(simd, margin).unwrap_or(u32::MAX);
        (spheres != 0).then_some(UndecidedPair { parts, place, spheres })
    }

    /// Decides the remaining pairs: first by spheres and hulls, then by triangles.
    #[inline(always)]
    fn check_open<S: Simd>(&self, simd: S, open: &mut [UndecidedPair], margin: f64) -> Result<(), [usize; 2]> {
        let mut left = 0;
        for index in 0..open.len() {
            match self.shapes(&open[index]).proximity_by_bounds(simd, open[index].spheres, margin) {
                Proximity::Apart => {}
                Proximity::Within => return Err(open[index].parts),
                Proximity::Undecided => {
                    open.swap(left, index);
                    left += 1;
                }
            }
        }
        for open in &open[..left] {
            if self.shapes(open).are_within(simd, open.spheres, margin) {
                return Err(open.parts);
            }
        }
        Ok(())
    }
}

fn group(parts: &[BodyShape], four: &[usize]) -> SphereGroup {
    let parts_of = std::array::from_fn(|lane| four[lane.min(four.len() - 1)]);
    SphereGroup {
        parts: parts_of,
        radius: Lanes(parts_of.map(|part| parts[part].radius)),
        surface: Lanes(parts_of.map(|part| parts[part].surface)),
    }
}

/// True if a motion of the joints could bring two shapes closer than [`MAX_MARGIN`].
fn can_meet(joints: &MovingJoints, a: &BodyShape, b: &BodyShape) -> bool {
    let (mover, still) = if a.frame.is_none() { (b, a) } else { (a, b) };
    let (Some(frame), None) = (mover.frame, still.frame) else { return true };
    let Some((place, reach)) = joints.reach(frame, mover.centre.norm() + mover.radius) else { return true };
    let apart = match still.shape.convex() {
        Some(convex) => convex.solid.signed_distance_to(&still.local.inverse().point(&place)),
        None => (still.centre - place).norm() - still.radius,
    };
    apart <= reach + MAX_MARGIN
}
