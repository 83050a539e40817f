//! What a search works in.

use super::avoidance::scratch::AvoidanceScratch;
use super::clearance::ClearanceScratch;
use super::closest::ClosestScratch;
use super::distinct::Known;
use super::explore::Exploration;
use super::flow::FlowScratch;
use super::null_space::NullSpaceScratch;
use super::prepared_search::Search;
use super::self_motion::SelfMotionScratch;
use super::setup::Setup;
use super::singular_values::SingularValueScratch;
use super::verdict::VerdictScratch;

/// What a search works in: each stage has its own part, and only a whole solve sees all of them.
#[derive(Debug, Clone)]
pub struct SearchScratch {
    pub(super) setup: Setup,
    pub(super) exploration: Exploration,
    pub(super) null_space: NullSpaceScratch,
    pub(super) flow: FlowScratch,
    pub(super) nearest: ClosestScratch,
    pub(super) singular_values: SingularValueScratch,
    pub(super) verdict: VerdictScratch,
    pub self_motion: SelfMotionScratch,
    pub(super) known: Known,
    pub(super) avoidance: AvoidanceScratch,
}

impl SearchScratch {
    /// Where clearances are looked at.
    pub fn clearance(&mut self) -> &mut ClearanceScratch {
        &mut self.exploration.clearance
    }
}

impl Search {
    /// Scratch for this search, to keep and reuse.
    pub fn scratch(&self) -> SearchScratch {
        SearchScratch {
            setup: Setup::new(self),
            exploration: Exploration::new(self),
            null_space: NullSpaceScratch::new(self),
            flow: FlowScratch::new(self),
            nearest: ClosestScratch::new(self),
            singular_values: SingularValueScratch::new(self),
            verdict: VerdictScratch::new(self),
            self_motion: SelfMotionScratch::new(self),
            known: Known::new(self),
            avoidance: AvoidanceScratch::default(),
        }
    }
}
