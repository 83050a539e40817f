//! When cycles make no progress any more.

use nalgebra::Point3;

use super::cycle::CycleScratch;
use super::errors::Errors;
use super::search::Search;
use super::state::State;

/// A chain whose end moves by no more than this fraction of the tolerance in a cycle has stalled. Near a stretched chain, plain cycles
/// move the end by no more than a 100 000th of the remaining distance, which is not a stall.
const STALL: f64 = 1e-6;
/// Largest number of times that a chain in a line with its target is bent.
const BENDS: u32 = 5;
/// An attempt has stalled when no error has fallen to a share in as many cycles.
struct Patience {
    cycles: usize,
    share: f64,
}

const ON_POINTS: Patience = Patience { cycles: 20, share: 0.99 };
const WITH_ORIENTATIONS: Patience = Patience { cycles: 12, share: 0.99 };
/// Where the polish follows, which converges faster.
const BEFORE_POLISH: Patience = Patience { cycles: 4, share: 0.7 };

/// Watches the cycles of one attempt.
pub(super) struct Watch {
    /// The least errors so far, and the cycles since one of them fell.
    lowest: [f64; 2],
    cycles: usize,
    /// Where the end of a single chain was after the cycle before.
    end: Option<Point3<f64>>,
    bends: u32,
    polish_follows: bool,
}

impl Watch {
    pub(super) fn new(polish_follows: bool) -> Self {
        Self { lowest: [f64::INFINITY; 2], cycles: 0, end: None, bends: 0, polish_follows }
    }

    /// Whether the cycle that led to `state`, or the last few, made no progress. A chain in a line with its target is bent instead.
    pub(super) fn has_stalled(
        &mut self,
        search: &Search,
        errors: &Errors,
        state: &mut State,
        cycle: &mut CycleScratch,
    ) -> bool {
        if search.is_single_chain {
            return self.stands_still(search, state, cycle);
        }
        let patience = if state.orientations.is_empty() {
            ON_POINTS
        } else if self.polish_follows {
            BEFORE_POLISH
        } else {
            WITH_ORIENTATIONS
        };
        self.cycles += 1;
        for (lowest, error) in self.lowest.iter_mut().zip(errors.reducible()) {
            if error < patience.share * *lowest {
                (*lowest, self.cycles) = (error, 0);
            }
        }
        self.cycles >= patience.cycles
    }

    fn stands_still(&mut self, search: &Search, state: &mut State, cycle: &mut CycleScratch) -> bool {
        let Search { skeleton, problem, reach, .. } = search;
        let last = skeleton.segment_count();
        let end = state.points[last];
        let is_still =
            self.end.replace(end).is_some_and(|before| (end - before).norm() <= STALL * problem.options.tolerance);
        if !is_still {
            return false;
        }
        if self.bends == BENDS || !skeleton.bend(&problem.targets[0].position, reach, self.bends, &mut state.points) {
            return true;
        }
        cycle.reset(skeleton);
        (self.end, self.bends) = (Some(state.points[last]), self.bends + 1);
        false
    }
}
