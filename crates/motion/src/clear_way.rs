//! Whether the joints keep clear on their way, and where they stand.

use urdf_ik_collision::{Clearance, Near, SegmentScratch};

/// How much nearer than the margin a pair may come on the way between two configurations of which both keep it \[m\]. A straight way past
/// something round comes a little nearer to it than its ends.
pub const WAY_ALLOWANCE: f64 = 1e-3;
/// Greatest share of the margin that this may be.
const GREATEST_SHARE: f64 = 0.5;
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
        let standing = self.clearance.free_part(from, to, SHARE_OF_PLACES * self.allowance(), self.scratch);
        let passing = self.on_the_way();
        let resolution = self.resolution();
        let part = passing.motion(from, to).opening().free_part(resolution, self.scratch);
        let least = if part.fraction < standing.fraction { part } else { standing };
        self.stopped_by = least.stopped_by;
        least.fraction
    }

    /// The fraction of the straight way that joints in motion can go on along. Joints that have begun to move only pass where they are now,
    /// so they need not be able to stand there.
    pub fn fraction_ahead(&mut self, from: &[f64], to: &[f64], has_begun: bool) -> f64 {
        if has_begun && self.is_clear(from, to) { 1.0 } else { self.fraction(from, to) }
    }

    /// Whether the straight way from one configuration to another is clear, which the joints pass without standing at its ends.
    pub fn is_clear(&mut self, from: &[f64], to: &[f64]) -> bool {
        let (passing, resolution) = (self.on_the_way(), self.resolution());
        let checked = passing.motion(from, to).opening().check(resolution, self.scratch);
        self.stopped_by = checked.err().flatten();
        checked.is_ok()
    }

    /// Whether joints that are `here` now may stand somewhere else.
    pub fn may_stand(&mut self, here: &[f64], there: &[f64]) -> bool {
        let Clearance { scene, margin } = self.clearance;
        let SegmentScratch { scene: found, floors, .. } = &mut *self.scratch;
        floors.begin(&[], margin);
        self.stopped_by = self.clearance.worst_at(there, floors, found);
        if self.stopped_by.is_some() {
            scene.find_near(here, margin, found);
            floors.begin(&found.near, margin);
            self.stopped_by = self.clearance.worst_at(there, floors, found);
        }
        self.stopped_by.is_none()
    }

    /// What every place keeps on the way.
    fn on_the_way(&self) -> Clearance<'a> {
        Clearance { margin: self.clearance.margin - SHARE_OF_PLACES * self.allowance(), ..self.clearance }
    }

    /// How much nearer a pair may come between two such places \[m\].
    fn resolution(&self) -> f64 {
        (1.0 - SHARE_OF_PLACES) * self.allowance()
    }

    fn allowance(&self) -> f64 {
        WAY_ALLOWANCE.min(GREATEST_SHARE * self.clearance.margin)
    }
}
