//! How far a straight motion from one configuration to another keeps clear: conservative advancement.
//!
//! A pair needs time to come near: as long as its distance over the greatest speed of its points. So a look at one place clears a stretch
//! of the motion (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems").

use super::floors::Floors;
use super::near_check::Near;
use super::scene::{Clearance, SceneScratch};

/// How far a look goes beyond the margin at most \[m\]. Farther takes longer, and clears more.
const LOOK: f64 = 0.05;
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
    /// What the last look has found.
    pub scene: SceneScratch,
    /// What the pairs have to keep, from where the motion begins.
    pub floors: Floors,
    /// The configuration of the last look.
    at: Vec<f64>,
}

impl SegmentScratch {
    /// Makes room for all that can be found, so that no later look has to.
    fn make_room(&mut self, pairs: usize, variables: usize) {
        self.at.resize(variables, 0.0);
        self.scene.near.clear();
        self.scene.near.reserve(pairs);
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
    /// How much of the straight motion between two configurations keeps clear. Positions are those of the chain's variables, and finite.
    ///
    /// Every pair has to keep the margin, or where it begins nearer, the gap that it begins with. It keeps it at the place that
    /// [`write_between`] gives for the fraction, and all the way there it comes nearer by no more than `resolution` \[m\].
    pub fn free_part(&self, from: &[f64], to: &[f64], resolution: f64, scratch: &mut SegmentScratch) -> FreePart {
        Motion::new(self, from, to, Nearer::Keeps).free_part(resolution, scratch)
    }

    /// How much of that motion keeps clear where a pair that begins nearer than the margin may only open, until it is not.
    pub(crate) fn opening_part(
        &self,
        from: &[f64],
        to: &[f64],
        resolution: f64,
        scratch: &mut SegmentScratch,
    ) -> FreePart {
        Motion::new(self, from, to, Nearer::Opens).free_part(resolution, scratch)
    }

    /// Whether all of what [`Clearance::free_part`] looks at keeps clear, and if not, the pair that comes too near:
    /// [`FreePart::stopped_by`].
    pub(crate) fn check(
        &self,
        from: &[f64],
        to: &[f64],
        resolution: f64,
        scratch: &mut SegmentScratch,
    ) -> Result<(), Option<Near>> {
        Motion::new(self, from, to, Nearer::Keeps).check(resolution, scratch)
    }

    /// Whether all of what [`Clearance::opening_part`] looks at keeps clear, and if not, the pair that comes too near.
    pub(crate) fn check_opening(
        &self,
        from: &[f64],
        to: &[f64],
        resolution: f64,
        scratch: &mut SegmentScratch,
    ) -> Result<(), Option<Near>> {
        Motion::new(self, from, to, Nearer::Opens).check(resolution, scratch)
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
struct Motion<'a> {
    clearance: &'a Clearance<'a>,
    from: &'a [f64],
    to: &'a [f64],
    /// By how much the distance of any pair changes at most \[m\].
    length: f64,
    nearer: Nearer,
}

impl<'a> Motion<'a> {
    fn new(clearance: &'a Clearance<'a>, from: &'a [f64], to: &'a [f64], nearer: Nearer) -> Self {
        Self { clearance, from, to, length: clearance.scene.greatest_motion(from, to), nearer }
    }

    fn free_part(&self, resolution: f64, scratch: &mut SegmentScratch) -> FreePart {
        let sharpness = SHARPNESS * resolution.max(LEAST_RESOLUTION) / self.length;
        match self.advance(resolution, scratch) {
            Advance::Free => FreePart { fraction: 1.0, stopped_by: None },
            Advance::Stopped { free, near_at, near } => self.stop([free, near_at], near, sharpness, scratch),
            Advance::TooLong { free } => FreePart { fraction: free, stopped_by: None },
        }
    }

    fn check(&self, resolution: f64, scratch: &mut SegmentScratch) -> Result<(), Option<Near>> {
        match self.advance(resolution, scratch) {
            Advance::Free => Ok(()),
            Advance::Stopped { near, .. } => Err(Some(near)),
            Advance::TooLong { .. } => Err(None),
        }
    }

    /// Looks at one place after the other, as far apart as nothing can be missed.
    fn advance(&self, resolution: f64, scratch: &mut SegmentScratch) -> Advance {
        let resolution = resolution.max(LEAST_RESOLUTION);
        let look = self.length.min(LOOK);
        scratch.make_room(self.clearance.scene.pairs().len(), self.from.len());
        self.look(0.0, look, scratch);
        scratch.floors.begin(&scratch.scene.near, self.clearance.margin);
        let mut free = 0.0;
        for _ in 0..LOOKS {
            if self.length == 0.0 || free + self.clears(look, 0.0, scratch) >= 1.0 {
                return Advance::Free;
            }
            // Where it is free at both ends of a stretch, it comes nearer in between by half of the slack at most.
            let next = (free + self.clears(look, 2.0 * resolution, scratch)).min(1.0);
            self.look(next, look, scratch);
            if let Some(&near) = scratch.floors.worst(&scratch.scene.near) {
                return Advance::Stopped { free, near_at: next, near };
            }
            if self.nearer == Nearer::Opens {
                scratch.floors.raise(&scratch.scene.near);
            }
            free = next;
        }
        Advance::TooLong { free }
    }

    /// Finds what is within `look` of the margin at `fraction` of the motion.
    fn look(&self, fraction: f64, look: f64, scratch: &mut SegmentScratch) {
        write_between(self.from, self.to, fraction, &mut scratch.at);
        self.clearance.scene.find_near(&scratch.at, self.clearance.margin + look, &mut scratch.scene);
    }

    /// The fraction of the motion in which no pair closes by more than its room and `slack`, from where the last look was.
    fn clears(&self, look: f64, slack: f64, scratch: &SegmentScratch) -> f64 {
        let others = (look + slack) / self.length;
        let fraction = |near: &Near| {
            let room = near.gap() - scratch.floors.of(near.pair) + slack;
            // The bound of all is one of each pair, and cheaper.
            if room / self.length >= others {
                return others;
            }
            let length = self.clearance.scene.greatest_motion_of(near.pair, self.from, self.to);
            if length > 0.0 { room / length } else { others }
        };
        scratch.scene.near.iter().map(fraction).fold(others, f64::min)
    }

    /// Halves the stretch from where it is free to where `near` comes too near, until it is short.
    fn stop(
        &self,
        [mut free, mut near_at]: [f64; 2],
        near: Near,
        sharpness: f64,
        scratch: &mut SegmentScratch,
    ) -> FreePart {
        let mut stopped_by = near;
        while near_at - free > sharpness {
            let middle = 0.5 * (free + near_at);
            if middle <= free || middle >= near_at {
                break;
            }
            self.look(middle, 0.0, scratch);
            match scratch.floors.worst(&scratch.scene.near) {
                Some(&near) => (near_at, stopped_by) = (middle, near),
                None => free = middle,
            }
        }
        FreePart { fraction: free, stopped_by: Some(stopped_by) }
    }
}
