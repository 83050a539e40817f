//! Whether a configuration is free of contacts: what is cheap is asked first, and only what that leaves open is asked again.
//!
//! ```text
//! spheres around shapes ──▶ eight spheres a shape ──▶ 64 and 512 spheres ──▶ convex hulls ──▶ triangles
//! ```

use fearless_simd::{Level, Simd, dispatch};
use parry3d_f64::math::Pose;

use crate::links::distances::shape_distance;
use crate::narrow_phase::mesh_and_solid::{MeshAndSolid, Verdict, open_lanes, open_spheres, placed};
use crate::narrow_phase::separation::{are_apart, separating_direction, separation};
use crate::narrow_phase::two_meshes::TwoMeshes;
use crate::narrow_phase::{Part, direction};
use crate::scene::moving_joints::{Frame, JointFrames, MovingJoints, PlacedBody};
use crate::shapes::solid::Solid;
use crate::shapes::spheres::DEPTH;
use crate::shapes::{Core, pose};
use urdf_ik_mathematics::lanes::{LANES, Lanes};

/// Pairs of shapes that never come nearer than this are left out of the check [m], and a greater margin is asked otherwise.
pub(crate) const GREATEST_MARGIN: f64 = 0.1;

/// So many directions are tried before GJK.
const STEPS: usize = 5;
/// How often spheres are divided before hulls are asked.
const BEFORE_HULLS: usize = 2;

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
    pub level: Level,
    pub parts: Vec<Part>,
    /// All pairs of parts, each with the index of its pair of bodies.
    pub all: Vec<(usize, [usize; 2])>,
    groups: Vec<Group>,
    standing: Vec<Standing>,
    /// All other pairs of parts.
    others: Vec<[usize; 2]>,
}

/// A pair that spheres leave open.
#[derive(Debug, Clone, Copy)]
struct Open {
    first: usize,
    second: usize,
    /// The place of the first in the frame of the second.
    place: Frame,
    /// Which of its first eight spheres are open.
    spheres: u32,
}

/// What a check works in.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckScratch {
    centres: Vec<[Lanes; 3]>,
    /// Parts and standing solids whose spheres are open.
    pairs: Vec<(usize, usize)>,
    open: Vec<Open>,
}

impl FreeCheck {
    pub fn new(joints: &MovingJoints, bodies: &[PlacedBody], pairs: &[[usize; 2]]) -> Self {
        let (mut parts, mut of_body) = (Vec::new(), Vec::new());
        for body in bodies {
            let start = parts.len();
            parts.extend(body.shapes.iter().map(|shape| Part::new(body.frame, &body.pose, shape)));
            of_body.push(start..parts.len());
        }
        let mut all: Vec<(usize, [usize; 2])> = Vec::new();
        for (pair, &[first, second]) in pairs.iter().enumerate() {
            for a in of_body[first].clone() {
                all.extend(of_body[second].clone().map(|b| (pair, [a, b])));
            }
        }
        let moving: Vec<usize> = (0..parts.len()).filter(|&part| parts[part].frame.is_some()).collect();
        let groups: Vec<Group> = moving.chunks(LANES).map(|four| group(&parts, four)).collect();
        let (mut standing, mut others) = (Vec::<Standing>::new(), Vec::new());
        for &(_, [a, b]) in &all {
            if !can_meet(joints, &parts[a], &parts[b]) {
                continue;
            }
            let (mover, still) = if parts[a].frame.is_none() { (b, a) } else { (a, b) };
            let (None, Some(solid)) = (parts[still].frame, parts[still].solid) else {
                others.push([a, b]);
                continue;
            };
            let at = standing.iter().position(|other| other.part == still).unwrap_or_else(|| {
                let inverse = parts[still].local.inverse();
                standing.push(Standing { part: still, solid, inverse, against: vec![0; groups.len()] });
                standing.len() - 1
            });
            let place = moving.binary_search(&mover).unwrap_or(0);
            standing[at].against[place / LANES] |= 1 << (place % LANES);
        }
        Self { level: Level::new(), parts, all, groups, standing, others }
    }

    /// Checks that all pairs are farther apart than `margin`, which is greater than 0, at these positions; else gives the index of a pair
    /// of bodies that is not.
    pub fn check(
        &self,
        joints: &MovingJoints,
        positions: &[f64],
        margin: f64,
        (frames, scratch): (&mut JointFrames, &mut CheckScratch),
    ) -> Result<(), usize> {
        let near = dispatch!(self.level, simd => {
            joints.frames(simd, positions, frames);
            self.check_all(simd, frames, margin, scratch)
        });
        near.map_err(|[a, b]| {
            self.all.iter().find(|(_, parts)| *parts == [a, b] || *parts == [b, a]).map_or(0, |(pair, _)| *pair)
        })
    }

    /// Whether one pair of bodies is farther apart than `margin`, which is greater than 0.
    pub fn is_pair_free(&self, frames: &JointFrames, pair: usize, margin: f64) -> bool {
        dispatch!(self.level, simd => self.check_pair(simd, frames, pair, margin))
    }

    /// How far a pair of bodies is apart at least, by the spheres around their parts; less than 0 where these overlap \[m\].
    pub fn spheres_apart(&self, frames: &JointFrames, pair: usize) -> f64 {
        let gap = |&(_, [a, b]): &(usize, [usize; 2])| self.parts[a].spheres_apart(&self.parts[b], frames);
        self.parts_of(pair).iter().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// The pairs of parts of a pair of bodies.
    pub fn parts_of(&self, pair: usize) -> &[(usize, [usize; 2])] {
        let [start, end] = [pair, pair + 1].map(|bound| self.all.partition_point(|(other, _)| *other < bound));
        &self.all[start..end]
    }

    #[inline(always)]
    fn check_pair<S: Simd>(&self, simd: S, frames: &JointFrames, pair: usize, margin: f64) -> bool {
        for &(_, parts) in self.parts_of(pair) {
            let Some(open) = self.first_of_pair(simd, frames, parts, margin) else { continue };
            if self.settle(simd, &open, margin) != Verdict::Free && self.triangles_are_near(simd, &open, margin) {
                return false;
            }
        }
        true
    }

    /// As [`FreeCheck::check`], with a pair of parts.
    #[inline(always)]
    fn check_all<S: Simd>(
        &self,
        simd: S,
        frames: &JointFrames,
        margin: f64,
        scratch: &mut CheckScratch,
    ) -> Result<(), [usize; 2]> {
        let CheckScratch { centres, pairs, open } = scratch;
        self.place_centres(frames, centres);
        // All that there can be, so that a scratch grows once.
        open.clear();
        open.reserve(self.all.len());
        self.check_standing(simd, centres, margin, pairs)?;
        self.first_spheres(simd, (frames, pairs), margin, open)?;
        self.check_others(simd, frames, margin, open);
        self.settle_all(simd, open, margin)
    }

    #[inline(always)]
    fn place_centres(&self, frames: &JointFrames, centres: &mut Vec<[Lanes; 3]>) {
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
    fn check_standing<S: Simd>(
        &self,
        simd: S,
        centres: &[[Lanes; 3]],
        margin: f64,
        pairs: &mut Vec<(usize, usize)>,
    ) -> Result<(), [usize; 2]> {
        pairs.clear();
        pairs.reserve(self.all.len());
        for (group, centres) in centres.iter().enumerate() {
            let Group { radius, surface, parts } = &self.groups[group];
            for (index, standing) in self.standing.iter().enumerate() {
                let against = standing.against[group];
                if against == 0 {
                    continue;
                }
                let centres = placed(simd, &standing.inverse, centres);
                let [open, near] = open_lanes(simd, &standing.solid, centres, (radius, surface), margin);
                if near & against != 0 {
                    return Err([parts[(near & against).trailing_zeros() as usize], standing.part]);
                }
                let mut bits = open & against;
                while bits != 0 {
                    pairs.push((parts[bits.trailing_zeros() as usize], index));
                    bits &= bits - 1;
                }
            }
        }
        Ok(())
    }

    /// The first eight spheres of each pair that is open.
    #[inline(always)]
    fn first_spheres<S: Simd>(
        &self,
        simd: S,
        (frames, pairs): (&JointFrames, &[(usize, usize)]),
        margin: f64,
        open: &mut Vec<Open>,
    ) -> Result<(), [usize; 2]> {
        let mut placed = (usize::MAX, Frame::ROOT);
        for &(part, index) in pairs.iter().rev() {
            let (first, standing) = (part, &self.standing[index]);
            let part = &self.parts[first];
            if placed.0 != first {
                placed = (first, frames.of(part.frame).times(&part.local));
            }
            let place = standing.inverse.times(&placed.1);
            let spheres = match &part.shape.core {
                Core::Mesh(mesh) => open_spheres(simd, &mesh.spheres.eights[0], &standing.solid, &place, margin),
                Core::Convex(_) => Some(u32::MAX),
            };
            match spheres {
                None => return Err([first, standing.part]),
                Some(0) => {}
                Some(spheres) => open.push(Open { first, second: standing.part, place, spheres }),
            }
        }
        Ok(())
    }

    /// The pairs of parts that both move, and those with meshes that stand still.
    #[inline(always)]
    fn check_others<S: Simd>(&self, simd: S, frames: &JointFrames, margin: f64, open: &mut Vec<Open>) {
        for &parts in &self.others {
            open.extend(self.first_of_pair(simd, frames, parts, margin));
        }
    }

    /// Two parts, unless their first spheres prove them apart.
    #[inline(always)]
    fn first_of_pair<S: Simd>(
        &self,
        simd: S,
        frames: &JointFrames,
        [first, second]: [usize; 2],
        margin: f64,
    ) -> Option<Open> {
        let [a, b] = [first, second].map(|part| &self.parts[part]);
        let apart = frames.of(a.frame).point(&a.centre) - frames.of(b.frame).point(&b.centre);
        let reach = a.radius + b.radius + margin;
        if apart.norm_squared() > reach * reach {
            return None;
        }
        let swap = a.solid.is_some() && b.solid.is_none();
        let (first, second) = if swap { (second, first) } else { (first, second) };
        let [a, b] = [first, second].map(|part| &self.parts[part]);
        let [at_a, at_b] = [a, b].map(|part| frames.of(part.frame).times(&part.local));
        let place = at_b.inverse().times(&at_a);
        let spheres = match (&a.shape.core, &b.shape.core, &b.solid) {
            (Core::Mesh(first), Core::Mesh(second), _) => {
                let meshes = TwoMeshes { first, second, place: &place };
                if meshes.first_spheres(simd, margin) == Verdict::Free { 0 } else { u32::MAX }
            }
            // Where a sphere is certainly near, all are open, and those below it say so again.
            (Core::Mesh(a), _, Some(solid)) => {
                open_spheres(simd, &a.spheres.eights[0], solid, &place, margin).unwrap_or(a.spheres.eights[0].used)
            }
            _ => u32::MAX,
        };
        (spheres != 0).then_some(Open { first, second, place, spheres })
    }

    /// Settles the open pairs: first what spheres and hulls can tell, then what is left to triangles.
    #[inline(always)]
    fn settle_all<S: Simd>(&self, simd: S, open: &mut [Open], margin: f64) -> Result<(), [usize; 2]> {
        let mut left = 0;
        for index in 0..open.len() {
            match self.settle(simd, &open[index], margin) {
                Verdict::Free => {}
                Verdict::Near => return Err([open[index].first, open[index].second]),
                Verdict::Open => {
                    open.swap(left, index);
                    left += 1;
                }
            }
        }
        for open in &open[..left] {
            if self.triangles_are_near(simd, open, margin) {
                return Err([open.first, open.second]);
            }
        }
        Ok(())
    }

    /// What spheres and hulls tell of a pair.
    #[inline(always)]
    fn settle<S: Simd>(&self, simd: S, open: &Open, margin: f64) -> Verdict {
        let [a, b] = [open.first, open.second].map(|part| &self.parts[part]);
        if let Some(pair) = self.with_solid(open) {
            let verdict = pair.descend(simd, open.spheres, BEFORE_HULLS, false, margin);
            if verdict != Verdict::Open {
                return verdict;
            }
        }
        if let (Core::Mesh(first), Core::Mesh(second)) = (&a.shape.core, &b.shape.core)
            && first.convex_pieces.len() + second.convex_pieces.len() > 2
        {
            return TwoMeshes { first, second, place: &open.place }.settle_pieces(simd, margin);
        }
        let outlines = (a.outline(), b.outline());
        let direction = direction((a, b), &open.place);
        if are_apart(simd, outlines, &open.place, &direction, (STEPS, margin)) {
            return Verdict::Free;
        }
        if let Some(direction) = separating_direction(outlines, &open.place, &direction, margin)
            && separation(simd, outlines, &open.place, &direction) > margin
        {
            return Verdict::Free;
        }
        Verdict::Open
    }

    /// The last word on a pair.
    #[inline(always)]
    fn triangles_are_near<S: Simd>(&self, simd: S, open: &Open, margin: f64) -> bool {
        let [a, b] = [open.first, open.second].map(|part| &self.parts[part]);
        match (&a.shape.core, &b.shape.core, self.with_solid(open)) {
            (Core::Mesh(first), Core::Mesh(second), _) => {
                TwoMeshes { first, second, place: &open.place }.are_within(simd, margin)
            }
            (_, _, Some(pair)) => pair.descend(simd, open.spheres, DEPTH, true, margin) != Verdict::Free,
            _ => shape_distance(&b.shape, &Pose::IDENTITY, &a.shape, &pose(&open.place.pose())) <= margin,
        }
    }

    /// A pair as that of a mesh and a solid, if it is one.
    #[inline(always)]
    fn with_solid<'a>(&'a self, open: &'a Open) -> Option<MeshAndSolid<'a>> {
        let [a, b] = [open.first, open.second].map(|part| &self.parts[part]);
        match (&a.shape.core, &b.solid) {
            (Core::Mesh(mesh), Some(solid)) => Some(MeshAndSolid { mesh, solid, shape: &b.shape, place: &open.place }),
            _ => None,
        }
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

/// Whether a joint could bring two parts nearer to each other than [`GREATEST_MARGIN`].
fn can_meet(joints: &MovingJoints, a: &Part, b: &Part) -> bool {
    let (mover, still) = if a.frame.is_none() { (b, a) } else { (a, b) };
    let (Some(frame), None) = (mover.frame, still.frame) else { return true };
    let Some((place, reach)) = joints.reach(frame, mover.centre.norm() + mover.radius) else { return true };
    let apart = match still.solid {
        Some(solid) => solid.signed_distance_to(&still.local.inverse().point(&place)),
        None => (still.centre - place).norm() - still.radius,
    };
    apart <= reach + GREATEST_MARGIN
}
