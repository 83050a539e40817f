//! FABRIK, forward and backward reaching (Aristidou and Lasenby 2011, "FABRIK: A fast, iterative solver for the Inverse Kinematics
//! problem"): on chains of free points ([`points`]), on trees of them ([`tree`]), on chains with limits ([`limiter`]), and on the
//! joints of a robot ([`Fabrik`]).
//!
//! Of the latter, `hinge` holds the method, `mixing` its acceleration. The search around it (starting points, limits, picks,
//! branches, cores) is the Jacobian solver's own.

mod anderson;
mod fit;
mod hinge;
pub mod limiter;
mod mixing;
pub mod points;
pub(super) mod scatter;
#[cfg(test)]
mod tests;
pub mod tree;

use std::sync::Arc;

use fearless_simd::Simd;

use super::NotApplicable;
use super::goal::Goal;
use super::jacobian::Jacobian;
use super::jacobian::kernel::Batch;
use super::jacobian::normal::Bounds;
use super::lanes::{LANES, Lanes};
use super::links::Links;
use crate::robot::Chain;
use hinge::HingeScratch;
use mixing::Mixing;

/// Greatest depth of the acceleration.
pub const GREATEST_ACCELERATION: usize = mixing::DEPTH;

/// How FABRIK goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Earlier cycles that the acceleration goes by, at most [`GREATEST_ACCELERATION`]; 0 for plain cycles.
    pub acceleration: usize,
    /// Whether Newton steps take over near the targets, and lead to the nearest posture where they cannot be met. Without, it is
    /// FABRIK alone.
    pub polish: bool,
}

impl Default for Options {
    /// Accelerated by three earlier cycles, and polished.
    fn default() -> Self {
        Self { acceleration: 3, polish: true }
    }
}

/// FABRIK prepared for one chain. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Fabrik {
    search: Jacobian,
    options: Options,
}

impl Fabrik {
    /// Prepares the solver for `chain`, with its default options.
    ///
    /// # Errors
    /// As [`Jacobian::prepare`].
    pub fn prepare(chain: &Arc<Chain>) -> Result<Self, NotApplicable> {
        Jacobian::prepare(chain).map(|search| Self::on(&search, Options::default()))
    }

    /// The solver on what has been prepared for another.
    pub(super) fn on(search: &Jacobian, options: Options) -> Self {
        let options = Options { acceleration: options.acceleration.min(GREATEST_ACCELERATION), ..options };
        Self { search: search.clone().reaching(options), options }
    }

    /// The same solver with other options. A greater depth than [`GREATEST_ACCELERATION`] means that.
    #[must_use]
    pub fn with_options(&self, options: Options) -> Self {
        Self::on(&self.search, options)
    }

    /// The options in use.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// The search whose steps are cycles of reaching.
    pub(super) fn search(&self) -> &Jacobian {
        &self.search
    }
}

/// Scratch of the cycles.
#[derive(Debug, Clone)]
pub(super) struct ReachingScratch {
    hinge: HingeScratch,
    mixing: Mixing,
    /// Distance of the orientation markers in each lane, in units of the length scale.
    markers: Lanes,
}

impl ReachingScratch {
    /// `units` are what counts as 1 of each variable: 1 rad, or the length scale \[m\].
    pub(super) fn new(links: &Links, units: Vec<f64>) -> Self {
        let mixing = Mixing::new(units, links.ends.len());
        Self { hinge: HingeScratch::new(links), mixing, markers: Lanes::splat(hinge::MARKER) }
    }

    /// Makes a lane ready for attempt `number`. Other attempts have longer or shorter markers, which get stuck elsewhere.
    pub(super) fn begin(&mut self, lane: usize, number: usize) {
        #[expect(clippy::cast_precision_loss, reason = "numbers of attempts stay far below 2^52")]
        let spread = (number as f64 * GOLDEN).fract() - if number == 0 { 0.0 } else { 0.5 };
        self.markers.0[lane] = hinge::MARKER * (SPREAD * spread).exp();
        self.mixing.forget(lane);
    }

    /// Writes into `step` what one cycle, accelerated as the options have it, makes of the postures in `batch`.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parts of one scratch, borrowed apart")]
    pub(super) fn cycle<S: Simd>(
        &mut self,
        simd: S,
        options: Options,
        links: &Links,
        goals: &[Goal],
        batch: &Batch,
        bounds: Bounds,
        step: &mut [Lanes],
    ) {
        hinge::cycle(simd, links, goals, batch, &mut self.hinge, bounds, &self.markers);
        if options.acceleration > 0 {
            let now = (&*batch.positions, &batch.rows[..goals.len()]);
            self.mixing.mix(simd, options.acceleration, now, &mut self.hinge.next);
        }
        for ((step, next), position) in step.iter_mut().zip(&self.hinge.next).zip(&batch.positions) {
            let difference = next.load(simd) - position.load(simd);
            step.store(difference);
        }
    }

    /// Forgets what lanes that are not `moving` have done: the cycle was not theirs.
    pub(super) fn keep(&mut self, moving: &Lanes) {
        for lane in (0..LANES).filter(|lane| moving.0[*lane] == 0.0) {
            self.mixing.forget(lane);
        }
    }
}

/// The golden ratio's fraction, whose multiples spread evenly over the unit interval, and the range of the logarithm of the markers'
/// lengths.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
const SPREAD: f64 = 1.4;
