//! Detection of stalled cycles.

use nalgebra::Point3;

use super::cycle::CycleBuffers;
use super::posture::Posture;
use super::setup::{Errors, SkeletonSetup};

/// A chain has stalled if its end moves by at most this fraction of the tolerance in a cycle. Near a stretched chain,
/// plain cycles move the end by up to 1e-5 of the remaining distance, which is not a stall.
const STALL_TOLERANCE: f64 = 1e-6;
/// Maximum number of times a chain collinear with its target is bent.
const MAX_BENDS: u32 = 5;
/// An attempt has stalled if no error has fallen to `share` of its value within `cycles`.
#[derive(Clone, Copy)]
struct Stall {
    cycles: usize,
    share: f64,
}

/// For attempts on points.
const POINT_STALL: Stall = Stall { cycles: 20, share: 0.99 };
/// For attempts with orientations.
const FRAME_STALL: Stall = Stall { cycles: 12, share: 0.99 };
/// A single chain that is slow for this long, even with circles, would not converge within 5000 cycles.
const MAX_SLOW_CYCLES: usize = 200;
/// For attempts followed by a polish, which converges faster.
const PRE_POLISH_STALL: Stall = Stall { cycles: 1, share: 0.5 };

/// Detects stalls of an attempt.
pub(super) struct StallDetector {
    /// The smallest errors so far, and the cycles since the last improvement.
    lowest: [f64; 2],
    cycles: usize,
    /// The end of a single chain after the previous cycle.
    end: Option<Point3<f64>>,
    bends: u32,
    /// The threshold in use.
    stall: Stall,
}

impl StallDetector {
    pub(super) fn new(has_orientations: bool, polish_follows: bool) -> Self {
        let stall = match (has_orientations, polish_follows) {
            (false, _) => POINT_STALL,
            (true, false) => FRAME_STALL,
            (true, true) => PRE_POLISH_STALL,
        };
        Self { lowest: [f64::INFINITY; 2], cycles: 0, end: None, bends: 0, stall }
    }

    /// True if the last cycles made no progress. A chain collinear with its target is bent instead.
    pub(super) fn has_stalled(
        &mut self,
        setup: &SkeletonSetup,
        errors: &Errors,
        posture: &mut Posture,
        cycle: &mut CycleBuffers,
    ) -> bool {
        self.cycles += 1;
        for (lowest, error) in self.lowest.iter_mut().zip(errors.reducible()) {
            if error < self.stall.share * *lowest {
                (*lowest, self.cycles) = (error, 0);
            }
        }
        let is_followed = setup.is_single_chain && self.cycles < MAX_SLOW_CYCLES;
        if is_followed { self.is_stationary(setup, posture, cycle) } else { self.is_slow() }
    }

    /// True if no error has improved enough for the given number of cycles.
    pub(super) fn is_slow(&self) -> bool {
        self.cycles >= self.stall.cycles
    }

    fn is_stationary(&mut self, setup: &SkeletonSetup, posture: &mut Posture, cycle: &mut CycleBuffers) -> bool {
        let SkeletonSetup { skeleton, problem, .. } = setup;
        let last = skeleton.segment_count();
        let end = posture.points[last];
        let before = self.end.replace(end);
        let least = STALL_TOLERANCE * problem.options.tolerance;
        let is_still = before.is_some_and(|before| (end - before).norm() <= least);
        if !is_still {
            return false;
        }
        if self.bends == MAX_BENDS || !setup.bend(self.bends, &mut posture.points) {
            return true;
        }
        cycle.reset(skeleton);
        (self.end, self.bends) = (Some(posture.points[last]), self.bends + 1);
        false
    }
}
