//! Whether the joints keep clear on their way, and where they stand.

use urdf_ik_collision::{Clearance, KnownGaps, Near, Nearer, Rule, SegmentScratch};

/// How much nearer than the margin a pair may come on the way between two configurations of which both keep it \[m\]. A straight way past
/// something round comes a little nearer to it than its ends.
pub const WAY_ALLOWANCE: f64 = 1e-3;
/// Greatest share of the margin that this may be.
const MAX_SHARE: f64 = 0.5;
/// The share of the allowance that every place which is looked at keeps; the rest is for what is between two such places.
const SHARE_OF_PLACES: f64 = 0.75;

/// Looks at ways of the joints for what they have to keep clear of. Positions are those of the chain's variables.
///
/// Where the joints stand, every pair keeps the margin; on the way it comes nearer by no more than [`WAY_ALLOWANCE`]. A pair that is nearer
/// than that may only open, until it is not. Where the joints stand, a pair may stay as near as it is.
pub struct ClearWay<'a> {
    clearance: Clearance<'a>,
    scratch: &'a mut SegmentScratch,
    /// What came too near at last; `None` where nothing did, or where a way was too long to look at.
    pub stopped_by: Option<Near>,
}

impl<'a> ClearWay<'a> {
    /// The `scratch` can be kept for the next look.
    pub fn new(clearance: Clearance<'a>, scratch: &'a mut SegmentScratch) -> Self {
        Self { clearance, scratch, stopped_by: None }
    }

    /// The fraction of the straight way from one configuration to another that is clear, and at whose end the joints may stand.
    pub fn fraction(&mut self, from: &[f64], to: &[f64]) -> f64 {
        let resolution = SHARE_OF_PLACES * self.allowance();
        let standing = Rule { clearance: self.clearance, nearer: Nearer::Keeps, resolution };
        let standing = standing.free_part(from, to, self.scratch);
        let passing = self.passing().free_part(from, to, self.scratch);
        let least = if passing.fraction < standing.fraction { passing } else { standing };
        self.stopped_by = least.stopped_by;
        least.fraction
    }

    /// The fraction of the straight way that joints in motion can go on along. Joints that have begun to move only pass where they are now,
    /// so they need not be able to stand there.
    pub fn fraction_ahead(&mut self, from: &[f64], to: &[f64], has_begun: bool) -> f64 {
        if has_begun && self.passing().check(&[from, to], None, self.scratch).is_ok() {
            self.stopped_by = None;
            return 1.0;
        }
        self.fraction(from, to)
    }

    /// Whether the way in straight lines from corner to corner is clear, which the joints pass without standing at its ends. What is known of
    /// the `gaps` is not looked at again, and they are made new.
    pub(super) fn is_clear(&mut self, corners: &[&[f64]], gaps: &mut KnownGaps) -> bool {
        let checked = self.passing().check(corners, Some(gaps), self.scratch);
        self.stopped_by = checked.err().flatten();
        checked.is_ok()
    }

    /// Whether joints that are `here` now may stand somewhere else.
    pub(super) fn may_stand(&mut self, here: &[f64], there: &[f64], gaps: &mut KnownGaps) -> bool {
        let Clearance { scene, margin } = self.clearance;
        self.stopped_by = None;
        if gaps.all_keep(scene, margin, there) {
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

    /// What the joints keep to on the way.
    fn passing(&self) -> Rule<'a> {
        let margin = self.clearance.margin - SHARE_OF_PLACES * self.allowance();
        let resolution = (1.0 - SHARE_OF_PLACES) * self.allowance();
        Rule { clearance: Clearance { margin, ..self.clearance }, nearer: Nearer::Opens, resolution }
    }

    fn allowance(&self) -> f64 {
        WAY_ALLOWANCE.min(MAX_SHARE * self.clearance.margin)
    }
}
