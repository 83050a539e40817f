//! One accelerated cycle of FABRIK on the joints of a robot, for four configurations at once.
//!
//! FABRIK is forward and backward reaching (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the
//! Inverse Kinematics problem").

use fearless_simd::Simd;

use super::configurations::Configurations;
use super::fabrik_acceleration::Acceleration;
use super::fabrik_cycle::{FabrikCycle, FabrikCycleScratch, MARKER_DISTANCE};
use super::goals::Task;
use super::lanes::{LANES, Lanes};
use super::links::KernelLinks;
use crate::method::FabrikOptions;

/// Fractional part of the golden ratio: fractional parts of its multiples are evenly distributed.
const GOLDEN_RATIO_FRACTION: f64 = 0.618_033_988_749_894_9;
/// Range of the logarithm of the marker distance over the attempts.
const MARKER_LOG_RANGE: f64 = 1.4;

/// Scratch memory of FABRIK cycles.
#[derive(Debug, Clone)]
pub struct FabrikScratch {
    cycle: FabrikCycleScratch,
    acceleration: Acceleration,
    /// Distance of the orientation markers from the tip in each lane, in units of the length scale.
    marker_distances: Lanes,
}

impl FabrikScratch {
    /// Memory for the chain of `links`. `units` has one entry per variable: 1 rad, or the length scale \[m\].
    pub fn new(links: &KernelLinks, units: Vec<f64>) -> Self {
        let acceleration = Acceleration::new(units, links.ends.len());
        Self { cycle: FabrikCycleScratch::new(links), acceleration, marker_distances: Lanes::splat(MARKER_DISTANCE) }
    }

    /// Prepares a lane for attempt `number`. Attempts differ in their marker distances, and thus in their local
    /// minima.
    pub fn begin(&mut self, lane: usize, number: usize) {
        #[expect(clippy::cast_precision_loss, reason = "numbers of attempts stay far below 2^52")]
        let spread = (number as f64 * GOLDEN_RATIO_FRACTION).fract() - if number == 0 { 0.0 } else { 0.5 };
        self.marker_distances.0[lane] = MARKER_DISTANCE * (MARKER_LOG_RANGE * spread).exp();
        self.acceleration.forget(lane);
    }

    /// Writes the step \[rad or m\] of one cycle into `configurations.step`, accelerated according to `options`.
    #[inline(always)]
    pub fn cycle<S: Simd>(
        &mut self,
        simd: S,
        options: FabrikOptions,
        links: &KernelLinks,
        task: Task,
        configurations: &mut Configurations,
    ) {
        let marker_distance = self.marker_distances.load(simd);
        self.cycle.run(FabrikCycle { simd, links, task, configurations, marker_distance });
        let Configurations { positions, rows, step, .. } = configurations;
        if options.acceleration > 0 {
            let rows = &rows[..task.goals.targets.len()];
            self.acceleration.accelerate(simd, options.acceleration, positions, rows, &mut self.cycle.next);
        }
        for ((step, next), position) in step.iter_mut().zip(&self.cycle.next).zip(positions) {
            let difference = next.load(simd) - position.load(simd);
            step.store(difference);
        }
    }

    /// Clears the history of the lanes that are not `moving` (1 or 0), because they did not take the step.
    pub fn forget_idle_lanes(&mut self, moving: &Lanes) {
        for lane in (0..LANES).filter(|lane| moving.0[*lane] == 0.0) {
            self.acceleration.forget(lane);
        }
    }
}

#[cfg(test)]
mod tests;
