//! Whether a configuration is free of contacts: what is cheap is asked first, and only what that leaves open is asked again.
//!
//! ```text
//! spheres around shapes ──▶ eight spheres a shape ──▶ 64 and 512 spheres ──▶ convex hulls ──▶ triangles
//! ```

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};
use nalgebra::{Isometry3, Point3, Vector3};

use super::moving_joints::{JointFrames, MovingJoints, PlacedBody};
use super::near::Near;
use crate::narrow_phase::depth::Depths;
use crate::narrow_phase::mesh_and_solid::{FourSpheres, OpenSpheres};
use crate::narrow_phase::visitors::{Verdict, Wanted};
use crate::narrow_phase::{Contact, ShapePair, TOUCHING};
use crate::shapes::PlacedShape;
use crate::shapes::frame::{Frame, vector};
use crate::shapes::solid::Solid;
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Pairs of shapes that never come nearer than this are left out of the check [m], and a greater margin is asked otherwise.
pub(crate) const MAX_MARGIN: f64 = 0.1;

/// A shape of a body.
#[derive(Clone)]
struct Part {
    /// The moving joint that carries it.
    frame: Option<usize>,
    /// The place of the shape's core in that frame.
    local: Frame,
    shape: PlacedShape,
    /// A sphere around it, in that frame.
    centre: Vector3<f64>,
    radius: f64,
    /// Some point of it is no farther from the centre than this.
    surface: f64,
}

impl Part {
    fn new(frame: Option<usize>, pose: &Isometry3<f64>, shape: &PlacedShape) -> Self {
        let local = Frame::of(&(pose * shape.core_pose));
        let sphere = shape.sphere();
        let centre = local.point(&vector(sphere.centre));
        Self { frame, local, shape: shape.clone(), centre, radius: sphere.radius, surface: sphere.surface }
    }

    /// The place of the core in the root link's frame.
    #[inline(always)]
    fn place(&self, frames: &JointFrames) -> Frame {
        frames.of(self.frame).times(&self.local)
    }

    /// How far the spheres around two parts are apart; less than 0 where they overlap \[m\].
    fn spheres_apart(&self, other: &Self, frames: &JointFrames) -> f64 {
        let [at, at_other] = [self, other].map(|part| frames.of(part.frame).point(&part.centre));
        (at - at_other).norm() - self.radius - other.radius
    }
}

/// A pair of parts, by their indices.
#[derive(Debug, Clone, Copy)]
struct PartPair {
    /// The index of their pair of bodies.
    bodies: usize,
    parts: [usize; 2],
}

/// Four parts that move.
#[derive(Clone)]
struct Group {
    parts: [usize; LANES],
    radius: Lanes,
    surface: Lanes,
}

/// A solid that stands still.
#[derive(Clone)]
struct Standing {
    part: usize,
    solid: Solid,
    /// The root link's frame in its own.
    inverse: Frame,
    /// For each group, which of its parts may not touch it.
    against: Vec<u32>,
}

/// The pairs of a scene, in the order of what they cost.
#[derive(Clone)]
pub(crate) struct FreeCheck {
    pub joints: MovingJoints,
    parts: Vec<Part>,
    /// In the order of the pairs of bodies.
    all: Vec<PartPair>,
    /// For each pair of bodies, where its pairs of parts are among all.
    of_bodies: Vec<Range<usize>>,
    groups: Vec<Group>,
    standing: Vec<Standing>,
    /// All other pairs of parts.
    others: Vec<[usize; 2]>,
}

/// A pair that spheres leave open.
#[derive(Debug, Clone, Copy)]
struct Open {
    parts: [usize; 2],
    /// The place of the first in the frame of the second.
    place: Frame,
    /// Which of the first eight spheres of its mesh are open.
    spheres: u32,
}

/// A moving part, and a standing solid that its sphere may touch.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    part: usize,
    standing: usize,
}

/// What a check works in.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckScratch {
    pub frames: JointFrames,
    depths: Depths,
    centres: Vec<[Lanes; 3]>,
    /// Pairs whose spheres around all are open.
    meeting: Vec<Meeting>,
    open: Vec<Open>,
}

impl FreeCheck {
    pub fn new(joints: MovingJoints, bodies: &[PlacedBody], pairs: &[[usize; 2]]) -> Self {
        let (mut parts, mut of_body) = (Vec::new(), Vec::new());
        for body in bodies {
            let start = parts.len();
            parts.extend(body.shapes.iter().map(|shape| Part::new(body.frame, &body.pose, shape)));
            of_body.push(start..parts.len());
        }
        let (mut all, mut of_bodies) = (Vec::new(), Vec::new());
        for (pair, &[first, second]) in pairs.iter().enumerate() {
            let start = all.len();
            for a in of_body[first].clone() {
                all.extend(of_body[second].clone().map(|b| PartPair { bodies: pair, parts: [a, b] }));
            }
            of_bodies.push(start..all.len());
        }
        let moving: Vec<usize> = (0..parts.len()).filter(|&part| parts[part].frame.is_some()).collect();
        let groups: Vec<Group> = moving.chunks(LANES).map(|four| group(&parts, four)).collect();
        let (mut standing, mut others) = (Vec::<Standing>::new(), Vec::new());
        for &PartPair { parts: [a, b], .. } in &all {
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
                standing.push(Standing { part: still, solid: convex.solid, inverse, against: vec![0; groups.len()] });
                standing.len() - 1
            });
            let place = moving.binary_search(&mover).unwrap_or(0);
            standing[at].against[place / LANES] |= 1 << (place % LANES);
        }
        Self { joints, parts, all, of_bodies, groups, standing, others }
    }

    /// Puts the bodies where the joints take them.
    pub fn place(&self, positions: &[f64], scratch: &mut CheckScratch) {
        dispatch!(Level::new(), simd => self.joints.frames(simd, positions, &mut scratch.frames));
    }

    /// Checks that all pairs are farther apart than `margin`, which is greater than 0, at these positions; else gives the index of a pair
    /// of bodies that is not.
    pub fn check(&self, positions: &[f64], margin: f64, scratch: &mut CheckScratch) -> Result<(), usize> {
        let near = dispatch!(Level::new(), simd => {
            self.joints.frames(simd, positions, &mut scratch.frames);
            self.check_all(simd, margin, scratch)
        });
        near.map_err(|[a, b]| {
            let is_near = |pair: &&PartPair| pair.parts == [a, b] || pair.parts == [b, a];
            self.all.iter().find(is_near).map_or(0, |pair| pair.bodies)
        })
    }

    /// Whether one pair of bodies is farther apart than `margin`, which is greater than 0, where they are placed.
    pub fn is_pair_free(&self, pair: usize, margin: f64, scratch: &CheckScratch) -> bool {
        dispatch!(Level::new(), simd => self.check_pair(simd, &scratch.frames, pair, margin))
    }

    /// How far a pair of bodies is apart at least where they are placed, by the spheres around their parts; less than 0 where these overlap
    /// \[m\].
    pub fn spheres_apart(&self, pair: usize, scratch: &CheckScratch) -> f64 {
        let gap =
            |pair: &PartPair| self.parts[pair.parts[0]].spheres_apart(&self.parts[pair.parts[1]], &scratch.frames);
        self.parts_of(pair).iter().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// How near a pair of bodies is where they are placed, if that is wanted.
    pub fn nearness(&self, pair: usize, wanted: Wanted, scratch: &mut CheckScratch) -> Option<Near> {
        let CheckScratch { frames, depths, .. } = scratch;
        let mut nearest = None::<Near>;
        for PartPair { bodies, parts } in self.parts_of(pair) {
            let [a, b] = parts.map(|part| &self.parts[part]);
            // What touches is looked for beyond what does already: it may be deeper.
            let within = nearest.map_or(wanted.within, |near| near.distance).max(TOUCHING);
            if a.spheres_apart(b, frames) > within {
                continue;
            }
            let at_second = b.place(frames);
            let place = at_second.inverse().times(&a.place(frames));
            let found = ShapePair::new(&a.shape, &b.shape, place).contact(Wanted { within, ..wanted }, depths);
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

    /// The pairs of parts of a pair of bodies.
    fn parts_of(&self, pair: usize) -> &[PartPair] {
        &self.all[self.of_bodies[pair].clone()]
    }

    #[inline(always)]
    fn check_pair<S: Simd>(&self, simd: S, frames: &JointFrames, pair: usize, margin: f64) -> bool {
        for pair in self.parts_of(pair) {
            let Some(open) = self.first_of_pair(simd, frames, pair.parts, margin) else { continue };
            let shapes = self.shapes(&open);
            if shapes.verdict_by_bounds(simd, open.spheres, margin) != Verdict::Free
                && shapes.are_within(simd, open.spheres, margin)
            {
                return false;
            }
        }
        true
    }

    fn shapes(&self, open: &Open) -> ShapePair<'_> {
        let [first, second] = open.parts.map(|part| &self.parts[part].shape);
        ShapePair::new(first, second, open.place)
    }

    /// Checks as [`FreeCheck::check`], and gives a pair of parts.
    #[inline(always)]
    fn check_all<S: Simd>(&self, simd: S, margin: f64, scratch: &mut CheckScratch) -> Result<(), [usize; 2]> {
        self.place_centres(scratch);
        // All that there can be, so that a scratch grows once.
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

    /// The spheres around moving parts against solids that stand still.
    #[inline(always)]
    fn check_standing<S: Simd>(&self, simd: S, margin: f64, scratch: &mut CheckScratch) -> Result<(), [usize; 2]> {
        let CheckScratch { centres, meeting, .. } = scratch;
        meeting.clear();
        meeting.reserve(self.all.len());
        for (group, centres) in centres.iter().enumerate() {
            let Group { radius, surface, parts } = &self.groups[group];
            for (index, standing) in self.standing.iter().enumerate() {
                let against = standing.against[group];
                if against == 0 {
                    continue;
                }
                let centres = standing.inverse.four_points(simd, centres);
                let spheres = FourSpheres { radius, surface };
                let OpenSpheres { open, near } = standing.solid.open_of_four(simd, centres, spheres, margin);
                if near & against != 0 {
                    return Err([parts[(near & against).trailing_zeros() as usize], standing.part]);
                }
                let mut bits = open & against;
                while bits != 0 {
                    meeting.push(Meeting { part: parts[bits.trailing_zeros() as usize], standing: index });
                    bits &= bits - 1;
                }
            }
        }
        Ok(())
    }

    /// The first eight spheres of each pair that meets.
    #[inline(always)]
    fn first_spheres<S: Simd>(&self, simd: S, margin: f64, scratch: &mut CheckScratch) -> Result<(), [usize; 2]> {
        let CheckScratch { frames, meeting, open, .. } = scratch;
        let (mut placed, mut at) = (usize::MAX, Frame::ROOT);
        for &Meeting { part, standing } in meeting.iter().rev() {
            let standing = &self.standing[standing];
            if placed != part {
                (placed, at) = (part, self.parts[part].place(frames));
            }
            let mut pair = Open { parts: [part, standing.part], place: standing.inverse.times(&at), spheres: 0 };
            pair.spheres = self.shapes(&pair).first_spheres(simd, margin).ok_or(pair.parts)?;
            if pair.spheres != 0 {
                open.push(pair);
            }
        }
        Ok(())
    }

    /// Two parts, unless their first spheres prove them apart.
    #[inline(always)]
    fn first_of_pair<S: Simd>(&self, simd: S, frames: &JointFrames, parts: [usize; 2], margin: f64) -> Option<Open> {
        let [a, b] = parts.map(|part| &self.parts[part]);
        let apart = frames.of(a.frame).point(&a.centre) - frames.of(b.frame).point(&b.centre);
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let place = b.place(frames).inverse().times(&a.place(frames));
        // Where a sphere is certainly near, all are open, and those below it say so again.
        let spheres = ShapePair::new(&a.shape, &b.shape, place).first_spheres(simd, margin).unwrap_or(u32::MAX);
        (spheres != 0).then_some(Open { parts, place, spheres })
    }

    /// Decides the open pairs: first what spheres and hulls can tell, then what is left to triangles.
    #[inline(always)]
    fn check_open<S: Simd>(&self, simd: S, open: &mut [Open], margin: f64) -> Result<(), [usize; 2]> {
        let mut left = 0;
        for index in 0..open.len() {
            match self.shapes(&open[index]).verdict_by_bounds(simd, open[index].spheres, margin) {
                Verdict::Free => {}
                Verdict::Near => return Err(open[index].parts),
                Verdict::Open => {
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

fn group(parts: &[Part], four: &[usize]) -> Group {
    let parts_of = std::array::from_fn(|lane| four[lane.min(four.len() - 1)]);
    Group {
        parts: parts_of,
        radius: Lanes(parts_of.map(|part| parts[part].radius)),
        surface: Lanes(parts_of.map(|part| parts[part].surface)),
    }
}

/// Whether a joint could bring two parts nearer to each other than [`MAX_MARGIN`].
fn can_meet(joints: &MovingJoints, a: &Part, b: &Part) -> bool {
    let (mover, still) = if a.frame.is_none() { (b, a) } else { (a, b) };
    let (Some(frame), None) = (mover.frame, still.frame) else { return true };
    let Some((place, reach)) = joints.reach(frame, mover.centre.norm() + mover.radius) else { return true };
    let apart = match still.shape.convex() {
        Some(convex) => convex.solid.signed_distance_to(&still.local.inverse().point(&place)),
        None => (still.centre - place).norm() - still.radius,
    };
    apart <= reach + MAX_MARGIN
}
