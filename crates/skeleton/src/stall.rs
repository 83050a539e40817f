//! When cycles make no progress any more.

use nalgebra::Point3;

use super::cycle::CycleScratch;
use super::posture::Posture;
use super::setup::{Errors, Setup};

/// A chain whose end moves by no more than this fraction of the tolerance in a cycle has stalled. Near a stretched
/// chain, plain cycles move the end by no more than a 100 000th of the remaining distance, which is not a stall.
const STALL: f64 = 1e-6;
/// Largest number of times that a chain in a line with its target is bent.
const BENDS: u32 = 5;
/// An attempt has stalled when no error has fallen to a share in as many cycles.
#[derive(Clone, Copy)]
struct Stall {
    cycles: usize,
    share: f64,
}

/// When an attempt on points has stalled.
const ON_POINTS: Stall = Stall { cycles: 20, share: 0.99 };
/// When an attempt with orientations has stalled.
const WITH_ORIENTATIONS: Stall = Stall { cycles: 12, share: 0.99 };
/// A single chain that has been slow for so many cycles, circles and all, would not arrive in 5000.
const HOPELESS: usize = 200;
/// When an attempt has stalled that a polish follows, which converges faster.
const BEFORE_POLISH: Stall = Stall { cycles: 1, share: 0.5 };

/// Watches the cycles of one attempt.
pub(super) struct Watch {
    /// The least errors so far, and the cycles since one of them fell.
    lowest: [f64; 2],
    cycles: usize,
    /// Where the end of a single chain was after the cycle before.
    end: Option<Point3<f64>>,
    bends: u32,
    /// One of the limits above.
    stall: Stall,
}

impl Watch {
    pub(super) fn new(has_orientations: bool, polish_follows: bool) -> Self {
        let stall = match (has_orientations, polish_follows) {
            (false, _) => ON_POINTS,
            (true, false) => WITH_ORIENTATIONS,
            (true, true) => BEFORE_POLISH,
        };
        Self { lowest: [f64::INFINITY; 2], cycles: 0, end: None, bends: 0, stall }
    }

    /// Whether the last few cycles made no progress. A chain in a line with its target is bent instead.
    pub(super) fn has_stalled(
        &mut self,
        setup: &Setup,
        errors: &Errors,
        posture: &mut Posture,
        cycle: &mut CycleScratch,
    ) -> bool {
        self.cycles += 1;
        for (lowest, error) in self.lowest.iter_mut().zip(errors.reducible()) {
            if error < self.stall.share * *lowest {
                (*lowest, self.cycles) = (error, 0);
            }
        }
        let is_followed = setup.is_single_chain && self.cycles < HOPELESS;
        if is_followed { self.stands_still(setup, posture, cycle) } else { self.is_slow() }
    }

    /// Whether no error has fallen by its share in so many cycles.
    pub(super) fn is_slow(&self) -> bool {
        self.cycles >= self.stall.cycles
    }

    fn stands_still(&mut self, setup: &Setup, posture: &mut Posture, cycle: &mut CycleScratch) -> bool {
        let Setup { skeleton, problem, .. } = setup;
        let last = skeleton.segment_count();
        let end = posture.points[last];
        let is_still =
            self.end.replace(end).is_some_and(|before| (end - before).norm() <= STALL * problem.options.tolerance);
        if !is_still {
            return false;
        }
        if self.bends == BENDS || !setup.bend(self.bends, &mut posture.points) {
            return true;
        }
        cycle.reset(skeleton);
        (self.end, self.bends) = (Some(posture.points[last]), self.bends + 1);
        false
    }
}
