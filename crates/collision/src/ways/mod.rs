//! How far a motion in straight lines keeps clear: conservative advancement.
//!
//! A pair needs time to come near: as long as its distance over the greatest speed of its points. So a look at one place clears a stretch
//! of the motion for it (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems"). Each pair is looked at when its own time
//! is over: most are far apart, and are looked at once.

pub(crate) mod kept_gaps;

use crate::narrow_phase::visitors::Wanted;
use crate::scene::near::Near;
use crate::scene::{Clearance, SceneScratch};
use crate::ways::kept_gaps::{KnownGaps, RequiredGaps};

/// More room than this is told by spheres alone \[m\]. More would take longer than it clears.
const MAX_ROOM: f64 = 0.01;
/// Between two looks no pair comes nearer by less than this \[m\].
const MIN_RESOLUTION: f64 = 1e-6;
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
    pub required_gaps: RequiredGaps,
    /// For each pair, what is known of it so far.
    views: Vec<View>,
    /// The configuration of the last look.
    at: Vec<f64>,
    /// The least and the greatest positions of the variables on the motion.
    low: Vec<f64>,
    high: Vec<f64>,
}

/// A place on a motion.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Place {
    /// Which of the lines it is on.
    line: usize,
    /// The fraction of that line.
    fraction: f64,
}

impl Place {
    const START: Self = Self { line: 0, fraction: 0.0 };
    /// Beyond the end of every motion.
    const NEVER: Self = Self { line: usize::MAX, fraction: 0.0 };

    fn or_before(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

/// What is known of a pair on a motion.
#[derive(Debug, Clone, Copy)]
struct View {
    /// Where it was looked at, and kept what it has to.
    seen: Place,
    /// Where it has to be looked at again.
    due: Place,
}

impl SegmentScratch {
    /// Makes room for all that can be found, so that no later look has to.
    fn make_room(&mut self, pairs: usize, variables: usize) {
        self.at.resize(variables, 0.0);
        self.scene.near.clear();
        self.scene.near.reserve(pairs);
        self.views.clear();
        self.views.resize(pairs, View { seen: Place::START, due: Place::START });
        self.required_gaps.make_room(pairs);
    }

    /// Puts off what is known to keep the margin all along the lines between these corners.
    fn leave_out_known(&mut self, corners: &[&[f64]], clearance: &Clearance, gaps: &KnownGaps) {
        let Self { low, high, views, .. } = self;
        for (bound, choose) in [(&mut *low, f64::min as fn(f64, f64) -> f64), (&mut *high, f64::max)] {
            bound.clear();
            bound.extend_from_slice(corners[0]);
            for corner in corners {
                bound.iter_mut().zip(*corner).for_each(|(bound, position)| *bound = choose(*bound, *position));
            }
        }
        for (pair, view) in views.iter_mut().enumerate() {
            if gaps.keeps(clearance.scene, pair, clearance.margin, [low, high]) {
                view.due = Place::NEVER;
            }
        }
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
pub enum Nearer {
    /// The gap that it begins with.
    Keeps,
    /// Each gap that it has opened to, up to the margin: it only opens.
    Opens,
}

/// How a motion has to keep clear. Positions are those of the chain's variables, and finite.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// Every pair has to keep the margin at each place that is looked at, or what is said of those that begin nearer.
    pub clearance: Clearance<'a>,
    /// What these keep.
    pub nearer: Nearer,
    /// Between two such places a pair comes nearer by no more than this \[m\].
    pub resolution: f64,
}

impl Clearance<'_> {
    /// The pair that is farthest below what it has to keep at `positions`.
    #[doc(hidden)]
    pub fn worst_at(&self, positions: &[f64], required: &RequiredGaps, scratch: &mut SceneScratch) -> Option<Near> {
        if required.is_empty() && self.scene.is_free(positions, self.margin, scratch) {
            return None;
        }
        self.scene.find_near(positions, self.margin, scratch);
        required.worst(&scratch.near).copied()
    }

    /// How much of the straight motion between two configurations keeps clear. Positions are those of the chain's variables, and finite.
    ///
    /// Every pair has to keep the margin, or where it begins nearer, the gap that it begins with. It keeps it at the place that
    /// [`write_between`] gives for the fraction, and all the way there it comes nearer by no more than `resolution` \[m\].
    pub fn free_part(&self, from: &[f64], to: &[f64], resolution: f64, scratch: &mut SegmentScratch) -> FreePart {
        Rule { clearance: *self, nearer: Nearer::Keeps, resolution }.free_part(from, to, scratch)
    }
}

impl Rule<'_> {
    /// How much of the straight motion between two configurations keeps to it, as [`write_between`] gives it.
    pub fn free_part(&self, from: &[f64], to: &[f64], scratch: &mut SegmentScratch) -> FreePart {
        let corners = [from, to];
        let motion = Motion::new(self, &corners);
        match motion.advance(None, scratch) {
            Advance::Free => FreePart { fraction: 1.0, stopped_by: None },
            Advance::Stopped { free, near_at, near } => motion.stop([free.fraction, near_at.fraction], near, scratch),
            Advance::TooLong { free } => FreePart { fraction: free.fraction, stopped_by: None },
        }
    }

    /// Whether the straight lines from corner to corner, of which there is at least one, keep to it. What is known of the `gaps` is not
    /// looked at again, and they are made new.
    ///
    /// # Errors
    /// The pair that comes too near: [`FreePart::stopped_by`].
    pub fn check(
        &self,
        corners: &[&[f64]],
        gaps: Option<&mut KnownGaps>,
        scratch: &mut SegmentScratch,
    ) -> Result<(), Option<Near>> {
        match Motion::new(self, corners).advance(gaps, scratch) {
            Advance::Free => Ok(()),
            Advance::Stopped { near, .. } => Err(Some(near)),
            Advance::TooLong { .. } => Err(None),
        }
    }
}

/// How far a motion keeps clear.
enum Advance {
    /// To its end.
    Free,
    /// Up to the place `free` at least; at `near_at` a pair is too near.
    Stopped { free: Place, near_at: Place, near: Near },
    /// Up to that place, after which no more was looked at.
    TooLong { free: Place },
}

/// A motion in straight lines from corner to corner.
struct Motion<'a> {
    rule: &'a Rule<'a>,
    corners: &'a [&'a [f64]],
    /// By how much the distance of any pair changes at most \[m\].
    length: f64,
    resolution: f64,
}

impl<'a> Motion<'a> {
    fn new(rule: &'a Rule<'a>, corners: &'a [&'a [f64]]) -> Self {
        let length = corners.windows(2).map(|line| rule.clearance.scene.greatest_motion(line[0], line[1])).sum();
        Self { rule, corners, length, resolution: rule.resolution.max(MIN_RESOLUTION) }
    }

    /// Looks at each pair in one place after the other, as far apart as nothing can be missed.
    fn advance(&self, mut gaps: Option<&mut KnownGaps>, scratch: &mut SegmentScratch) -> Advance {
        let Clearance { scene, margin } = self.rule.clearance;
        scratch.make_room(scene.pairs().len(), scene.variables());
        scratch.required_gaps.begin(&[], margin);
        if let Some(gaps) = &mut gaps {
            gaps.begin(scene);
            scratch.leave_out_known(self.corners, &self.rule.clearance, gaps);
        } else if self.length <= MAX_ROOM && scene.is_free(self.corners[0], margin + self.length, &mut scratch.scene) {
            return Advance::Free;
        }
        for _ in 0..LOOKS {
            let next = scratch.views.iter().fold(Place::NEVER, |next, view| next.or_before(view.due));
            if next == Place::NEVER {
                return Advance::Free;
            }
            self.place(next, scratch);
            for pair in 0..scratch.views.len() {
                if scratch.views[pair].due > next {
                    continue;
                }
                match self.look_at(pair, next, gaps.is_some(), scratch) {
                    Ok(gap) => {
                        if let Some(gaps) = &mut gaps {
                            gaps.note(pair, &scratch.at, gap);
                        }
                    }
                    Err(near) => return Advance::Stopped { free: scratch.views[pair].seen, near_at: next, near },
                }
            }
        }
        let seen = |free: Place, view: &View| if view.due == Place::NEVER { free } else { free.or_before(view.seen) };
        Advance::TooLong { free: scratch.views.iter().fold(Place::NEVER, seen) }
    }

    /// Puts the bodies at a place of the motion.
    fn place(&self, place: Place, scratch: &mut SegmentScratch) {
        match self.corners[place.line..] {
            [from, to, ..] => write_between(from, to, place.fraction, &mut scratch.at),
            [at] => scratch.at.copy_from_slice(at),
            [] => {}
        }
        self.rule.clearance.scene.check.place(&scratch.at, &mut scratch.scene.check);
    }

    /// Looks at a pair there, and says when to look again. Gives a gap \[m\] that it has at least, or the pair where that is less than it has
    /// to be. Who goes on from there later wants to know of more room than the motion needs.
    fn look_at(&self, pair: usize, place: Place, goes_on: bool, scratch: &mut SegmentScratch) -> Result<f64, Near> {
        let Clearance { scene, margin } = self.rule.clearance;
        let mut gap = scene.check.spheres_apart(pair, &scratch.scene.check);
        let mut due = Place::NEVER;
        // The bound of all pairs is one of each, and cheaper.
        if gap - margin < self.length || goes_on {
            let needed = if goes_on { MAX_ROOM } else { self.length_after(place, pair).min(MAX_ROOM) };
            if gap - margin <= needed {
                gap = self.measure(pair, place, margin + needed.max(self.resolution), scratch)?;
            }
            due = self.due(pair, place, gap - scratch.required_gaps.of(pair));
        }
        scratch.views[pair] = View { seen: place, due };
        Ok(gap)
    }

    /// A gap that a pair has there at least \[m\], up to `within`.
    fn measure(&self, pair: usize, place: Place, within: f64, scratch: &mut SegmentScratch) -> Result<f64, Near> {
        let SegmentScratch { scene: found, required_gaps, .. } = scratch;
        let Clearance { scene, margin } = self.rule.clearance;
        let wanted = Wanted { within, exact_below: margin };
        let near = scene.check.nearness(pair, wanted, &mut found.check);
        if let Some(near) = near {
            if place == Place::START {
                required_gaps.add(&near);
            }
            if near.gap() < required_gaps.of(pair) {
                return Err(near);
            }
        }
        let gap = near.map_or(within, |near| wanted.at_least(near.gap()));
        if self.rule.nearer == Nearer::Opens {
            required_gaps.raise(pair, gap);
        }
        Ok(gap)
    }

    /// By how much the distance of a pair changes at most from a place to the end \[m\].
    fn length_after(&self, place: Place, pair: usize) -> f64 {
        self.lines_after(place, pair).map(|(_, length)| length).sum()
    }

    /// The lines from a place on, each with the part of it that is left, and by how much the distance of a pair changes on that at most
    /// \[m\].
    fn lines_after(&self, place: Place, pair: usize) -> impl Iterator<Item = (Place, f64)> {
        let scene = self.rule.clearance.scene;
        self.corners[place.line..].windows(2).enumerate().map(move |(at, line)| {
            let fraction = if at == 0 { place.fraction } else { 0.0 };
            let length = (1.0 - fraction) * scene.greatest_motion_of(pair, line[0], line[1]);
            (Place { line: place.line + at, fraction }, length)
        })
    }

    /// Where a pair has to be looked at again that could come nearer by `room` \[m\] at a place. At each corner it keeps what it has to, so
    /// that a motion can begin there. On a line it keeps that at both ends of a stretch, and comes nearer in between by half of the slack at
    /// most.
    fn due(&self, pair: usize, place: Place, mut room: f64) -> Place {
        for (from, length) in self.lines_after(place, pair) {
            if room < length {
                let share = (room + 2.0 * self.resolution) / length;
                return Place { fraction: (from.fraction + share * (1.0 - from.fraction)).min(1.0), ..from };
            }
            room -= length;
        }
        Place::NEVER
    }

    /// Halves the stretch of a straight motion from where a pair keeps clear to where `near` comes too near, until it is short.
    fn stop(&self, [mut free, mut near_at]: [f64; 2], near: Near, scratch: &mut SegmentScratch) -> FreePart {
        let sharpness = SHARPNESS * self.resolution / self.length;
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

    /// The pair that is farthest below what it has to keep, at `fraction` of a straight motion.
    fn worst_at(&self, fraction: f64, scratch: &mut SegmentScratch) -> Option<Near> {
        write_between(self.corners[0], self.corners[1], fraction, &mut scratch.at);
        self.rule.clearance.worst_at(&scratch.at, &scratch.required_gaps, &mut scratch.scene)
    }
}
