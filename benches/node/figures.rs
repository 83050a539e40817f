//! Statistics of many samples.

use std::time::Duration;

/// Samples of a time, from the shortest to the longest.
pub struct Times(Vec<Duration>);

impl Times {
    pub fn new(mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        Self(samples)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The time \[µs\] that this many per mille of the samples do not exceed; NaN without samples.
    pub fn per_mille(&self, share: usize) -> f64 {
        let index = (self.0.len() * share).div_ceil(1000).saturating_sub(1);
        self.0.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
    }
}
