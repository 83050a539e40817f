//! How far a straight motion from one configuration to another keeps clear: conservative advancement.
//!
//! A pair needs time to come near: as long as its distance over the greatest speed of its points. So a look at one place clears a stretch
//! of the motion for it (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems"). Each pair is looked at when its own time
//! is over: most are far apart, and are looked at once.

use super::floors::Floors;
use super::near_check::Near;
use super::scene::{Clearance, SceneScratch};

/// More room than this is told by spheres alone \[m\]. More would take longer than it clears.
const GREATEST_ROOM: f64 = 0.01;
/// Where a pair has less room than was asked for, this share of it is asked for next, and where it has it, so many times as much.
const LESS_ROOM: f64 = 0.5;
const MORE_ROOM: f64 = 1.5;
/// Between two looks no pair comes nearer by less than this \[m\].
const LEAST_RESOLUTION: f64 = 1e-6;
/// A motion that is stopped ends no farther before than this fraction of the resolution.
const SHARPNESS: f64 = 0.01;
/// Looks at most.
const LOOKS: usize = 100_000;

/// How much of a straight motion keeps clear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreePart {
    /// The fraction up to which it does, from 0 to 1.
    pub fraction: f64,
    /// Where it is less than 1, the pair that comes too near, as it is just beyond; `None` where the motion is too long to tell.
    pub stopped_by: Option<Near>,
}

/// What a motion is checked in. It grows with the largest scene that it has seen.
#[derive(Debug, Clone, Default)]
pub struct SegmentScratch {
    /// What a look at all pairs has found.
    pub scene: SceneScratch,
    /// What the pairs have to keep, from where the motion begins.
    #[doc(hidden)]
    pub floors: Floors,
    /// For each pair, what is known of it so far.
    views: Vec<View>,
    /// The configuration of the last look.
    at: Vec<f64>,
}

/// What is known of a pair on a motion.
#[derive(Debug, Clone, Copy)]
struct View {
    /// The fraction at which it was looked at, and kept what it has to.
    seen: f64,
    /// The fraction at which it has to be looked at again; infinite where it keeps clear to the end.
    due: f64,
    /// By how much it could come nearer there at least \[m\].
    room: f64,
}

impl SegmentScratch {
    /// Makes room for all that can be found, so that no later look has to.
    fn make_room(&mut self, pairs: usize, variables: usize) {
        self.at.resize(variables, 0.0);
        self.scene.near.clear();
        self.scene.near.reserve(pairs);
        self.views.clear();
        self.views.resize(pairs, View { seen: 0.0, due: 0.0, room: GREATEST_ROOM });
        self.floors.make_room(pairs);
    }
}

/// Writes the configuration at `fraction` of the straight motion between two configurations into `at`.
pub fn write_between(from: &[f64], to: &[f64], fraction: f64, at: &mut [f64]) {
    for (at, (from, to)) in at.iter_mut().zip(from.iter().zip(to)) {
        // Rounding must not carry it past an end.
        let between = (from + fraction * (to - from)).max(from.min(*to)).min(from.max(*to));
        *at = if fraction < 1.0 { between } else { *to };
    }
}

/// What a pair has to keep that begins nearer than the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nearer {
    /// The gap that it begins with.
    Keeps,
    /// Each gap that it has opened to, up to the margin: it only opens.
    Opens,
}

impl Clearance<'_> {
    /// The pair that is farthest below what it has to keep at `positions`.
    #[doc(hidden)]
    pub fn worst_at(&self, positions: &[f64], floors: &Floors, scratch: &mut SceneScratch) -> Option<Near> {
        if floors.is_empty() && self.scene.is_free(positions, self.margin, scratch) {
            return None;
        }
        self.scene.find_near(positions, self.margin, scratch);
        floors.worst(&scratch.near).copied()
    }

    /// How much of the straight motion between two configurations keeps clear. Positions are those of the chain's variables, and finite.
    ///
    /// Every pair has to keep the margin, or where it begins nearer, the gap that it begins with. It keeps it at the place that
    /// [`write_between`] gives for the fraction, and all the way there it comes nearer by no more than `resolution` \[m\].
    pub fn free_part(&self, from: &[f64], to: &[f64], resolution: f64, scratch: &mut SegmentScratch) -> FreePart {
        self.motion(from, to).free_part(resolution, scratch)
    }

    /// That motion.
    #[doc(hidden)]
    #[must_use]
    pub fn motion<'a>(&'a self, from: &'a [f64], to: &'a [f64]) -> Motion<'a> {
        let length = self.scene.greatest_motion(from, to);
        Motion { clearance: self, from, to, length, nearer: Nearer::Keeps }
    }
}

/// How far a motion keeps clear.
enum Advance {
    /// To its end.
    Free,
    /// Up to the fraction `free` at least; at `near_at` a pair is too near.
    Stopped { free: f64, near_at: f64, near: Near },
    /// Up to that fraction, after which no more was looked at.
    TooLong { free: f64 },
}

/// A straight motion.
pub struct Motion<'a> {
    clearance: &'a Clearance<'a>,
    from: &'a [f64],
    to: &'a [f64],
    /// By how much the distance of any pair changes at most \[m\].
    length: f64,
    nearer: Nearer,
}

impl Motion<'_> {
    /// That motion where a pair that begins nearer than the margin may only open, until it is not.
    pub fn opening(self) -> Self {
        Self { nearer: Nearer::Opens, ..self }
    }

    /// How much of it keeps clear: see [`Clearance::free_part`].
    pub fn free_part(&self, resolution: f64, scratch: &mut SegmentScratch) -> FreePart {
        let sharpness = SHARPNESS * resolution.max(LEAST_RESOLUTION) / self.length;
        match self.advance(resolution, scratch) {
            Advance::Free => FreePart { fraction: 1.0, stopped_by: None },
            Advance::Stopped { free, near_at, near } => self.stop([free, near_at], near, sharpness, scratch),
            Advance::TooLong { free } => FreePart { fraction: free, stopped_by: None },
        }
    }

    /// Whether all of it keeps clear, and if not, the pair that comes too near: [`FreePart::stopped_by`].
    pub fn check(&self, resolution: f64, scratch: &mut SegmentScratch) -> Result<(), Option<Near>> {
        match self.advance(resolution, scratch) {
            Advance::Free => Ok(()),
            Advance::Stopped { near, .. } => Err(Some(near)),
            Advance::TooLong { .. } => Err(None),
        }
    }

    /// Looks at each pair in one place after the other, as far apart as nothing can be missed.
    fn advance(&self, resolution: f64, scratch: &mut SegmentScratch) -> Advance {
        let resolution = resolution.max(LEAST_RESOLUTION);
        scratch.make_room(self.clearance.scene.pairs().len(), self.from.len());
        scratch.floors.begin(&[], self.clearance.margin);
        let within = self.clearance.margin + self.length;
        if self.length <= GREATEST_ROOM && self.clearance.scene.is_free(self.from, within, &mut scratch.scene) {
            return Advance::Free;
        }
        for _ in 0..LOOKS {
            let next = scratch.views.iter().map(|view| view.due).fold(f64::INFINITY, f64::min);
            if next > 1.0 {
                return Advance::Free;
            }
            self.place(next, scratch);
            for pair in 0..scratch.views.len() {
                if scratch.views[pair].due > next {
                    continue;
                }
                if let Err(near) = self.look_at(pair, next, resolution, scratch) {
                    return Advance::Stopped { free: scratch.views[pair].seen, near_at: next, near };
                }
            }
        }
        Advance::TooLong { free: scratch.views.iter().map(|view| view.seen).fold(1.0, f64::min) }
    }

    /// Puts the bodies at `fraction` of the motion.
    fn place(&self, fraction: f64, scratch: &mut SegmentScratch) {
        write_between(self.from, self.to, fraction, &mut scratch.at);
        self.clearance.scene.place(&scratch.at, &mut scratch.scene);
    }

    /// Looks at a pair there, and says when to look again. Gives it where it is nearer than it has to be.
    fn look_at(&self, pair: usize, fraction: f64, resolution: f64, scratch: &mut SegmentScratch) -> Result<(), Near> {
        let (left, scene) = (1.0 - fraction, self.clearance.scene);
        let mut view = View { seen: fraction, due: f64::INFINITY, room: GREATEST_ROOM };
        let apart = scene.spheres_apart(pair, &scratch.scene) - self.clearance.margin;
        // The bound of all pairs is one of each, and cheaper.
        if apart < left * self.length {
            let length = scene.greatest_motion_of(pair, self.from, self.to);
            let asked = (left * length).min(MORE_ROOM * scratch.views[pair].room).min(GREATEST_ROOM);
            view.room = if apart > asked { apart } else { self.room(pair, fraction, asked, resolution, scratch)? };
            if view.room < left * length {
                // Where it keeps clear at both ends of a stretch, it comes nearer in between by half of the slack at most.
                view.due = (fraction + (view.room + 2.0 * resolution) / length).min(1.0);
            }
        }
        scratch.views[pair] = view;
        Ok(())
    }

    /// By how much a pair may come nearer there at least, which need not be more than what is asked \[m\]. Whether meshes are free is told
    /// much faster than their distance, so that is measured only where it is near what the pair has to keep.
    fn room(
        &self,
        pair: usize,
        fraction: f64,
        mut asked: f64,
        resolution: f64,
        scratch: &mut SegmentScratch,
    ) -> Result<f64, Near> {
        let SegmentScratch { scene: found, floors, .. } = scratch;
        let Clearance { scene, margin } = *self.clearance;
        while scene.has_two_meshes(pair) && floors.of(pair) >= margin {
            if scene.is_placed_pair_free(pair, margin + asked, found) {
                return Ok(asked);
            }
            if asked <= resolution {
                break;
            }
            asked *= LESS_ROOM;
        }
        let within = margin + asked.max(resolution);
        let near = scene.nearness(pair, within, found);
        if let Some(near) = near {
            if fraction == 0.0 {
                floors.add(&near);
            }
            if near.gap() < floors.of(pair) {
                return Err(near);
            }
        }
        let gap = near.map_or(within, |near| near.gap());
        if self.nearer == Nearer::Opens {
            floors.raise(pair, gap);
        }
        Ok(gap - floors.of(pair))
    }

    /// Halves the stretch from where a pair keeps clear to where `near` comes too near, until it is short.
    fn stop(
        &self,
        [mut free, mut near_at]: [f64; 2],
        near: Near,
        sharpness: f64,
        scratch: &mut SegmentScratch,
    ) -> FreePart {
        let mut stopped_by = near;
        if let Some(near) = self.worst_at(free, scratch) {
            // Another pair comes too near before. Where the motion begins, none is.
            (free, near_at, stopped_by) = (0.0, free, near);
        }
        while near_at - free > sharpness {
            let middle = 0.5 * (free + near_at);
            if middle <= free || middle >= near_at {
                break;
            }
            match self.worst_at(middle, scratch) {
                Some(near) => (near_at, stopped_by) = (middle, near),
                None => free = middle,
            }
        }
        FreePart { fraction: free, stopped_by: Some(stopped_by) }
    }

    /// The pair that is farthest below what it has to keep, at `fraction` of the motion.
    fn worst_at(&self, fraction: f64, scratch: &mut SegmentScratch) -> Option<Near> {
        write_between(self.from, self.to, fraction, &mut scratch.at);
        self.clearance.worst_at(&scratch.at, &scratch.floors, &mut scratch.scene)
    }
}
