//! Continuous collision checks of straight joint motions by conservative advancement.
//!
//! A pair cannot collide sooner than its distance divided by the largest relative speed of its points. So one distance
//! query clears an interval of the motion (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems").
//! Each pair is checked again when its own interval ends; most pairs are far apart and are checked once.

pub(crate) mod gap_bounds;

use crate::motion_checks::gap_bounds::{KnownGaps, RequiredGaps};
use crate::narrow_phase::visitors::DistanceQuery;
use crate::scene::near::Near;
use crate::scene::{Clearance, SceneScratch};

/// Largest slack that is measured exactly; more is taken from bounding spheres \[m\]. Measuring more costs longer than
/// the interval it clears saves.
const MAX_MEASURED_SLACK: f64 = 0.01;
/// Smallest permitted resolution \[m\].
const MIN_RESOLUTION: f64 = 1e-6;
/// A blocked motion ends within this fraction of the resolution before the violation.
const BISECTION_TOLERANCE: f64 = 0.01;
/// Maximum number of checks of a motion.
const MAX_CHECKS: usize = 100_000;

/// The clear part of a straight motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreePart {
    /// Fraction of the motion up to which it is clear, from 0 to 1.
    pub fraction: f64,
    /// The pair that violates its required gap just beyond `fraction`; `None` if the whole motion is clear or needs too
    /// many checks.
    pub stopped_by: Option<Near>,
}

/// Scratch memory of a motion check. It grows to the largest scene in use.
#[derive(Debug, Clone, Default)]
pub struct SegmentScratch {
    /// The result of distance queries.
    pub scene: SceneScratch,
    /// The gaps required by the start of the motion.
    #[doc(hidden)]
    pub required_gaps: RequiredGaps,
    /// For each pair, the progress of its check.
    progress: Vec<PairProgress>,
    /// The configuration checked last.
    at: Vec<f64>,
    /// Bounds of the variables over the motion.
    low: Vec<f64>,
    high: Vec<f64>,
}

/// A time of a polyline motion.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Time {
    /// Index of the line segment.
    line: usize,
    /// Fraction of the segment.
    fraction: f64,
}

impl Time {
    const START: Self = Self { line: 0, fraction: 0.0 };
    /// Beyond the end of every motion.
    const NEVER: Self = Self { line: usize::MAX, fraction: 0.0 };

    fn or_before(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

/// Progress of the check of one pair along a motion.
#[derive(Debug, Clone, Copy)]
struct PairProgress {
    /// Position along the motion at which it was last verified clear.
    cleared: Time,
    /// Position along the motion at which it must be checked next.
    due: Time,
}

impl SegmentScratch {
    /// Reserves the maximum memory, so that no later check allocates.
    fn reserve(&mut self, pairs: usize, variables: usize) {
        self.at.resize(variables, 0.0);
        self.scene.near.clear();
        self.scene.near.reserve(pairs);
        self.progress.clear();
        self.progress.resize(pairs, PairProgress { cleared: Time::START, due: Time::START });
        self.required_gaps.reserve(pairs);
    }

    /// Skips the pairs known to maintain the margin everywhere on the polyline through these corners.
    fn skip_known(&mut self, corners: &[&[f64]], clearance: &Clearance, gaps: &KnownGaps) {
        let Self { low, high, progress, .. } = self;
        for (bound, choose) in [(&mut *low, f64::min as fn(f64, f64) -> f64), (&mut *high, f64::max)] {
            bound.clear();
            bound.extend_from_slice(corners[0]);
            for corner in corners {
                bound.iter_mut().zip(*corner).for_each(|(bound, position)| *bound = choose(*bound, *position));
            }
        }
        for (pair, progress) in progress.iter_mut().enumerate() {
            if gaps.is_known_clear(clearance.scene, pair, clearance.margin, [low, high]) {
                progress.due = Time::NEVER;
            }
        }
    }
}

/// Writes to `at` the configuration at `fraction` (0 to 1) of the straight motion from `from` to `to`. All three slices
/// have one entry per variable \[rad or m\].
pub fn interpolate_into(from: &[f64], to: &[f64], fraction: f64, at: &mut [f64]) {
    for (at, (from, to)) in at.iter_mut().zip(from.iter().zip(to)) {
        // Rounding must not overshoot an end.
        let between = (from + fraction * (to - from)).max(from.min(*to)).min(from.max(*to));
        *at = if fraction < 1.0 { between } else { *to };
    }
}

/// Rule for pairs that start inside the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NearStart {
    /// They must maintain their initial gap.
    KeepGap,
    /// They may only separate: each larger gap becomes the new minimum, up to the margin.
    OpenOnly,
}

/// A continuous collision check of joint motions. All positions are finite values \[rad or m\] of the chain's
/// variables.
#[derive(Clone, Copy)]
pub struct MotionCheck<'a> {
    /// Scene and margin. Every pair must maintain the margin at each checked configuration, with the exceptions of
    /// `near_start`.
    pub clearance: Clearance<'a>,
    /// Rule for pairs that start inside the margin.
    pub near_start: NearStart,
    /// Largest distance \[m\] by which a pair may approach between two checked configurations.
    pub resolution: f64,
}

impl Clearance<'_> {
    /// The pair with the largest violation of its required gap at `positions` \[rad or m\]; `None` if there is no
    /// violation.
    #[doc(hidden)]
    pub fn worst_at(&self, positions: &[f64], required: &RequiredGaps, scratch: &mut SceneScratch) -> Option<Near> {
        if required.is_empty() && self.scene.is_free(positions, self.margin, scratch) {
            return None;
        }
        self.scene.find_near(positions, self.margin, scratch);
        required.worst(&scratch.near).copied()
    }

    /// The clear part of the straight motion from `from` to `to`, two configurations of the chain's variables
    /// \[rad or m\] with finite entries.
    ///
    /// Every pair must maintain the margin, or its initial gap if it starts inside the margin. The requirement is
    /// satisfied at the returned fraction, see [`interpolate_into`]. Before it, no pair violates the requirement by
    /// more than `resolution` \[m\].
    pub fn free_part(&self, from: &[f64], to: &[f64], resolution: f64, scratch: &mut SegmentScratch) -> FreePart {
        MotionCheck { clearance: *self, near_start: NearStart::KeepGap, resolution }.free_part(from, to, scratch)
    }
}

impl MotionCheck<'_> {
    /// The clear part of the straight motion from `from` to `to`, two configurations of the chain's variables
    /// \[rad or m\]; [`interpolate_into`] defines its fraction.
    pub fn free_part(&self, from: &[f64], to: &[f64], scratch: &mut SegmentScratch) -> FreePart {
        let corners = [from, to];
        let motion = PolylineMotion::new(self, &corners);
        match motion.advance(None, scratch) {
            Advance::Free => FreePart { fraction: 1.0, stopped_by: None },
            Advance::Stopped { free, near_at, near } => motion.stop([free.fraction, near_at.fraction], near, scratch),
            Advance::TooLong { free } => FreePart { fraction: free.fraction, stopped_by: None },
        }
    }

    /// Checks the polyline through `corners`: at least one configuration, each with one entry per variable
    /// \[rad or m\]. Pairs that are clear according to `gaps` are skipped, and `gaps` is updated.
    ///
    /// # Errors
    /// The violating pair; `None` if the motion needs too many checks.
    pub fn check(
        &self,
        corners: &[&[f64]],
        gaps: Option<&mut KnownGaps>,
        scratch: &mut SegmentScratch,
    ) -> Result<(), Option<Near>> {
        match PolylineMotion::new(self, corners).advance(gaps, scratch) {
            Advance::Free => Ok(()),
            Advance::Stopped { near, .. } => Err(Some(near)),
            Advance::TooLong { .. } => Err(None),
        }
    }
}

/// Result of an advancement.
enum Advance {
    /// The whole motion is clear.
    Free,
    /// The motion is clear up to `free` at least; at `near_at` a pair violates its required gap.
    Stopped { free: Time, near_at: Time, near: Near },
    /// The motion is clear up to here, then the maximum number of checks was reached.
    TooLong { free: Time },
}

/// A motion along straight lines from corner to corner.
struct PolylineMotion<'a> {
    rule: &'a MotionCheck<'a>,
    corners: &'a [&'a [f64]],
    /// Upper bound for the change of any pair's distance \[m\].
    length: f64,
    resolution: f64,
}

impl<'a> PolylineMotion<'a> {
    fn new(rule: &'a MotionCheck<'a>, corners: &'a [&'a [f64]]) -> Self {
        let length = corners.windows(2).map(|line| rule.clearance.scene.greatest_motion(line[0], line[1])).sum();
        Self { rule, corners, length, resolution: rule.resolution.max(MIN_RESOLUTION) }
    }

    /// Checks each pair at a sequence of configurations, with steps short enough to miss nothing.
    fn advance(&self, mut gaps: Option<&mut KnownGaps>, scratch: &mut SegmentScratch) -> Advance {
        let Clearance { scene, margin } = self.rule.clearance;
        scratch.reserve(scene.pairs().len(), scene.variables());
        scratch.required_gaps.begin(&[], margin);
        if let Some(gaps) = &mut gaps {
            gaps.begin(scene);
            scratch.skip_known(self.corners, &self.rule.clearance, gaps);
        } else if self.length <= MAX_MEASURED_SLACK
            && scene.is_free(self.corners[0], margin + self.length, &mut scratch.scene)
        {
            return Advance::Free;
        }
        for _ in 0..MAX_CHECKS {
            let next = scratch.progress.iter().fold(Time::NEVER, |next, progress| next.or_before(progress.due));
            if next == Time::NEVER {
                return Advance::Free;
            }
            self.place(next, scratch);
            for pair in 0..scratch.progress.len() {
                if scratch.progress[pair].due > next {
                    continue;
                }
                match self.check_pair(pair, next, gaps.is_some(), scratch) {
                    Ok(gap) => {
                        if let Some(gaps) = &mut gaps {
                            gaps.record(pair, &scratch.at, gap);
                        }
                    }
                    Err(near) => return Advance::Stopped { free: scratch.progress[pair].cleared, near_at: next, near },
                }
            }
        }
        let cleared = |free: Time, progress: &PairProgress| {
            if progress.due == Time::NEVER { free } else { free.or_before(progress.cleared) }
        };
        Advance::TooLong { free: scratch.progress.iter().fold(Time::NEVER, cleared) }
    }

    /// Moves the bodies to a point of the motion.
    fn place(&self, place: Time, scratch: &mut SegmentScratch) {
        match self.corners[place.line..] {
            [from, to, ..] => interpolate_into(from, to, place.fraction, &mut scratch.at),
            [at] => scratch.at.copy_from_slice(at),
            [] => {}
        }
        self.rule.clearance.scene.check.place(&scratch.at, &mut scratch.scene.check);
    }

    /// Checks a pair and schedules its next check. Returns a lower bound for its gap \[m\], or the pair if it violates
    /// its required gap. With `is_continued`, a larger gap than this motion needs is measured for later motions.
    fn check_pair(
        &self,
        pair: usize,
        place: Time,
        is_continued: bool,
        scratch: &mut SegmentScratch,
    ) -> Result<f64, Near> {
        let Clearance { scene, margin } = self.rule.clearance;
        let mut gap = scene.check.spheres_apart(pair, &scratch.scene.check);
        let mut due = Time::NEVER;
        // The bound for all pairs holds for each, and is cheaper.
        if gap - margin < self.length || is_continued {
            let needed = if is_continued {
                MAX_MEASURED_SLACK
            } else {
                self.lines_after(place, pair).map(|(_, length)| length).sum::<f64>().min(MAX_MEASURED_SLACK)
            };
            if gap - margin <= needed {
                gap = self.measure(pair, place, margin + needed.max(self.resolution), scratch)?;
            }
            due = self.due(pair, place, gap - scratch.required_gaps.of(pair));
        }
        scratch.progress[pair] = PairProgress { cleared: place, due };
        Ok(gap)
    }

    /// A lower bound for the gap of a pair \[m\], at most `within`.
    fn measure(&self, pair: usize, place: Time, within: f64, scratch: &mut SegmentScratch) -> Result<f64, Near> {
        let SegmentScratch { scene: found, required_gaps, .. } = scratch;
        let Clearance { scene, margin } = self.rule.clearance;
        let query = DistanceQuery { within, exact_below: margin };
        let near = scene.check.nearness(pair, query, &mut found.check);
        if let Some(near) = near {
            if place == Time::START {
                required_gaps.add(&near);
            }
            if near.gap() < required_gaps.of(pair) {
                return Err(near);
            }
        }
        let gap = near.map_or(within, |near| query.lower_bound(near.gap()));
        if self.rule.near_start == NearStart::OpenOnly {
            required_gaps.raise(pair, gap);
        }
        Ok(gap)
    }

    /// The remaining line segments, each with an upper bound for the change of a pair's distance on its remainder
    /// \[m\].
    fn lines_after(&self, place: Time, pair: usize) -> impl Iterator<Item = (Time, f64)> {
        let scene = self.rule.clearance.scene;
        self.corners[place.line..].windows(2).enumerate().map(move |(at, line)| {
            let fraction = if at == 0 { place.fraction } else { 0.0 };
            let length = (1.0 - fraction) * scene.greatest_motion_of(pair, line[0], line[1]);
            (Time { line: place.line + at, fraction }, length)
        })
    }

    /// Where to check a pair again that may approach by `slack` \[m\] from here on. At each corner it meets its
    /// requirement, so that a motion can start there. On a segment it meets it at both ends of an interval, and falls
    /// below it in between by at most the resolution.
    fn due(&self, pair: usize, place: Time, mut slack: f64) -> Time {
        for (from, length) in self.lines_after(place, pair) {
            if slack < length {
                let share = (slack + 2.0 * self.resolution) / length;
                return Time { fraction: (from.fraction + share * (1.0 - from.fraction)).min(1.0), ..from };
            }
            slack -= length;
        }
        Time::NEVER
    }

    /// Bisects the interval from the last clear point of a straight motion to the violation by `near`.
    fn stop(&self, [mut free, mut near_at]: [f64; 2], near: Near, scratch: &mut SegmentScratch) -> FreePart {
        let sharpness = BISECTION_TOLERANCE * self.resolution / self.length;
        let mut stopped_by = near;
        if let Some(near) = self.worst_at(free, scratch) {
            // Another pair violates its requirement earlier. At the start none does.
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

    /// The pair with the largest violation of its required gap at `fraction` of a straight motion.
    fn worst_at(&self, fraction: f64, scratch: &mut SegmentScratch) -> Option<Near> {
        interpolate_into(self.corners[0], self.corners[1], fraction, &mut scratch.at);
        self.rule.clearance.worst_at(&scratch.at, &scratch.required_gaps, &mut scratch.scene)
    }
}
