//! What tracking that keeps clear works in.

use super::descent::DescentScratch;
use urdf_ik_collision::SegmentScratch;

/// Where tracking keeps clear. It makes room when a clearance is first given, and for larger scenes.
#[derive(Debug, Clone, Default)]
pub struct AvoidanceScratch {
    pub(super) segment: SegmentScratch,
    pub(super) descent: DescentScratch,
    /// The seed inside the limits.
    pub(super) seed: Vec<f64>,
    pub(super) answer: Vec<f64>,
    /// No bounds of steps.
    pub(super) steps: Vec<f64>,
}
