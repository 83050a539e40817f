//! Checks that motions of the joints, and the configurations where they stop, are clear of collisions.

use urdf_ik_collision::{Clearance, KnownGaps, MotionCheck, Near, NearStart, SegmentScratch};

/// Allowed decrease of a pair's distance below the margin \[m\], during a motion between two configurations that
/// respect the margin. A straight motion in joint space past a rounded body comes slightly closer to it than its ends.
pub const TRANSIT_ALLOWANCE: f64 = 1e-3;
/// Upper bound of the allowance, as a fraction of the margin.
const MAX_ALLOWANCE_FRACTION: f64 = 0.5;
/// Fraction of the allowance available at checked configurations; the rest covers the motion between two of them.
const CHECKED_FRACTION: f64 = 0.75;

/// Checks straight motions in joint space for collisions. Configurations are positions of the chain's n variables \[rad
/// or m\].
///
/// At rest, the distance of every pair is at least the margin; in motion, it may be smaller by [`TRANSIT_ALLOWANCE`].
/// A closer pair may only separate until it reaches that distance. At rest, a pair that starts inside the margin may
/// stay at its distance.
pub struct TransitCheck<'a> {
    clearance: Clearance<'a>,
    scratch: &'a mut SegmentScratch,
    /// The pair of bodies that violated the last check; `None` if there was none, or if the motion was too long to
    /// check.
    pub stopped_by: Option<Near>,
}

impl<'a> TransitCheck<'a> {
    /// A check with the given scene and margin. `scratch` is reusable memory.
    pub fn new(clearance: Clearance<'a>, scratch: &'a mut SegmentScratch) -> Self {
        Self { clearance, scratch, stopped_by: None }
    }

    /// Fraction, from 0 to 1, of the straight motion from `from` to `to` \[rad or m\] that is clear and at whose end
    /// the joints may come to rest.
    pub fn fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        let resolution = CHECKED_FRACTION * self.allowance();
        let at_rest = MotionCheck { clearance: self.clearance, near_start: NearStart::KeepGap, resolution };
        let at_rest = at_rest.free_part(from, to, self.scratch);
        let passing = self.passing().free_part(from, to, self.scratch);
        let least = if passing.fraction < at_rest.fraction { passing } else { at_rest };
        self.stopped_by = least.stopped_by;
        least.fraction
    }

    /// Like [`fraction`](Self::fraction), for joints that may already be in motion. With `has_begun`, the joints only
    /// pass through `from`: the whole motion is accepted if it is clear, even if they could not rest at its ends.
    pub fn fraction_ahead(&mut self, from: &[f64], to: &[f64], has_begun: bool) -> f64 {
        if has_begun && self.passing().check(&[from, to], None, self.scratch).is_ok() {
            self.stopped_by = None;
            return 1.0;
        }
        self.fraction(from, to)
    }

    /// True if the polyline through `corners` is clear for joints that do not stop at its ends. Pairs whose distance is
    /// known from `gaps` are not checked again; `gaps` is updated.
    pub(super) fn is_clear(&mut self, corners: &[&[f64]], gaps: &mut KnownGaps) -> bool {
        let checked = self.passing().check(corners, Some(gaps), self.scratch);
        self.stopped_by = checked.err().flatten();
        checked.is_ok()
    }

    /// True if joints that are `here` now may come to rest `there`.
    pub(super) fn may_rest(&mut self, here: &[f64], there: &[f64], gaps: &mut KnownGaps) -> bool {
        let Clearance { scene, margin } = self.clearance;
        self.stopped_by = None;
        if gaps.all_known_clear(scene, margin, there) {
            return true;
        }
        let SegmentScratch { scene: found, required_gaps, .. } = &mut *self.scratch;
        required_gaps.begin(&[], margin);
        self.stopped_by = self.clearance.worst_at(there, required_gaps, found);
        if self.stopped_by.is_some() {
            scene.find_near(here, margin, found);
            required_gaps.begin(&found.near, margin);
            self.stopped_by = self.clearance.worst_at(there, required_gaps, found);
        }
        self.stopped_by.is_none()
    }

    /// The rule for joints in motion.
    fn passing(&self) -> MotionCheck<'a> {
        let margin = self.clearance.margin - CHECKED_FRACTION * self.allowance();
        let resolution = (1.0 - CHECKED_FRACTION) * self.allowance();
        MotionCheck { clearance: Clearance { margin, ..self.clearance }, near_start: NearStart::OpenOnly, resolution }
    }

    fn allowance(&self) -> f64 {
        TRANSIT_ALLOWANCE.min(MAX_ALLOWANCE_FRACTION * self.clearance.margin)
    }
}
