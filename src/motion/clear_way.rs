//! Whether the joints keep clear on their way, and where they stand.

use crate::collision::{Clearance, Near, SegmentScratch};

/// How much nearer than the margin a pair may come on the way between two configurations of which both keep it \[m\]. A straight way past
/// something round comes a little nearer to it than its ends.
pub const WAY_ALLOWANCE: f64 = 1e-3;
/// Greatest share of the margin that this may be.
const GREATEST_SHARE: f64 = 0.5;

/// Looks at ways of the joints for what they have to keep clear of. Positions are those of the chain's variables.
///
/// Where the joints stand, every pair keeps the margin; on the way it comes nearer by no more than [`WAY_ALLOWANCE`]. A pair that is nearer
/// at the beginning may stay so or open, and never close.
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
        self.look(self.clearance.margin, self.allowance(), (from, to))
    }

    /// Whether the straight way from one configuration to another is clear, which the joints pass without standing at its ends.
    pub fn is_clear(&mut self, from: &[f64], to: &[f64]) -> bool {
        let allowance = self.allowance();
        // Both the margin and the resolution take a part of what is allowed.
        self.look(self.clearance.margin - 0.9 * allowance, 0.1 * allowance, (from, to)) >= 1.0
    }

    /// Whether joints that are `here` now may stand somewhere else.
    pub fn may_stand(&mut self, here: &[f64], there: &[f64]) -> bool {
        let Clearance { scene, margin } = self.clearance;
        let SegmentScratch { scene: found, floors, .. } = &mut *self.scratch;
        scene.find_near(here, margin, found);
        floors.begin(&found.near, margin);
        scene.find_near(there, margin, found);
        self.stopped_by = floors.worst(&found.near).copied();
        self.stopped_by.is_none()
    }

    fn look(&mut self, margin: f64, resolution: f64, (from, to): (&[f64], &[f64])) -> f64 {
        let clearance = Clearance { margin, ..self.clearance };
        let part = clearance.free_part(from, to, resolution, self.scratch);
        self.stopped_by = part.stopped_by;
        part.fraction
    }

    fn allowance(&self) -> f64 {
        WAY_ALLOWANCE.min(GREATEST_SHARE * self.clearance.margin)
    }
}
