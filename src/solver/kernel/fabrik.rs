//! One accelerated cycle of FABRIK, forward and backward reaching, on the joints of a robot (Aristidou and Lasenby 2011, "FABRIK: A
//! fast, iterative solver for the Inverse Kinematics problem"), for four configurations at once.

use fearless_simd::Simd;

use super::configurations::Configurations;
use super::damped_step::Bounds;
use super::fabrik_acceleration::Acceleration;
use super::fabrik_cycle::{CycleScratch, MARKER, cycle};
use super::lanes::{LANES, Lanes};
use super::links::Links;
use super::residual::Goal;
use crate::solver::method::FabrikOptions;

/// The golden ratio's fraction: its multiples spread evenly over the unit interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// The range of the logarithm of the distances of the orientation markers.
const MARKER_SPREAD: f64 = 1.4;

/// Scratch of the cycles.
#[derive(Debug, Clone)]
pub struct FabrikScratch {
    cycle: CycleScratch,
    acceleration: Acceleration,
    /// Distance of the orientation markers in each lane, in units of the length scale.
    markers: Lanes,
}

impl FabrikScratch {
    /// `units` are what counts as 1 of each variable: 1 rad, or the length scale \[m\].
    pub fn new(links: &Links, units: Vec<f64>) -> Self {
        let acceleration = Acceleration::new(units, links.ends.len());
        Self { cycle: CycleScratch::new(links), acceleration, markers: Lanes::splat(MARKER) }
    }

    /// Makes a lane ready for attempt `number`. Other attempts have longer or shorter markers, which get stuck elsewhere.
    pub fn begin(&mut self, lane: usize, number: usize) {
        #[expect(clippy::cast_precision_loss, reason = "numbers of attempts stay far below 2^52")]
        let spread = (number as f64 * GOLDEN).fract() - if number == 0 { 0.0 } else { 0.5 };
        self.markers.0[lane] = MARKER * (MARKER_SPREAD * spread).exp();
        self.acceleration.forget(lane);
    }

    /// Writes into `step` what one cycle, accelerated as the options have it, makes of the postures in `batch`.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parts of one scratch, borrowed apart")]
    pub fn cycle<S: Simd>(
        &mut self,
        simd: S,
        options: FabrikOptions,
        links: &Links,
        goals: &[Goal],
        batch: &Configurations,
        bounds: Bounds,
        step: &mut [Lanes],
    ) {
        cycle(simd, links, goals, batch, &mut self.cycle, bounds, &self.markers);
        if options.acceleration > 0 {
            let now = (&*batch.positions, &batch.rows[..goals.len()]);
            self.acceleration.accelerate(simd, options.acceleration, now, &mut self.cycle.next);
        }
        for ((step, next), position) in step.iter_mut().zip(&self.cycle.next).zip(&batch.positions) {
            let difference = next.load(simd) - position.load(simd);
            step.store(difference);
        }
    }

    /// Forgets what lanes that are not `moving` have done: the cycle was not theirs.
    pub fn keep(&mut self, moving: &Lanes) {
        for lane in (0..LANES).filter(|lane| moving.0[*lane] == 0.0) {
            self.acceleration.forget(lane);
        }
    }
}

#[cfg(test)]
mod tests;
