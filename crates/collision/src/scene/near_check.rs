//! Which pairs are near each other, with their distances and nearest points.

use nalgebra::{Point3, Vector3};

use super::free_check::{FreeCheck, PartPair};
use super::moving_joints::JointFrames;
use crate::narrow_phase::depth::Depths;
use crate::narrow_phase::visitors::Wanted;
use crate::narrow_phase::{Contact, ShapePair, TOUCHING};

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

impl FreeCheck {
    /// Finds all pairs that are no farther apart than `within` \[m\], in the order of the pairs.
    pub fn find_near(&self, frames: &JointFrames, within: f64, depths: &mut Depths, near: &mut Vec<Near>) {
        near.clear();
        near.reserve(self.all.len());
        for parts in self.all.chunk_by(|one, other| one.bodies == other.bodies) {
            if let Some(found) = self.nearness(frames, parts, Wanted::exact(within), depths) {
                near.push(found);
            }
        }
    }

    /// How near the nearest of some pairs of parts of one pair of bodies is, where that is wanted.
    pub fn nearness(
        &self,
        frames: &JointFrames,
        pairs: &[PartPair],
        wanted: Wanted,
        depths: &mut Depths,
    ) -> Option<Near> {
        let mut nearest = None::<Near>;
        for pair in pairs {
            let [a, b] = pair.parts.map(|part| &self.parts[part]);
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
                nearest = Some(Near { pair: pair.bodies, distance, depth, points, normal });
            }
        }
        nearest
    }
}
