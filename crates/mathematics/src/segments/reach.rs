//! Reach of a chain of segments.

/// Interval of the possible distances \[m\] between two points. The ends of a chain of segments with free ball joints
/// reach every distance in it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reach {
    /// Minimum distance \[m\]. For a chain: the longest segment minus the sum of the others, or 0 if that is negative.
    pub inner: f64,
    /// Maximum distance \[m\]. For a chain: the sum of the lengths.
    pub outer: f64,
}

impl Reach {
    /// The reach of a chain of segments with finite nonnegative `lengths` \[m\]; 0 without segments.
    pub fn of(lengths: &[f64]) -> Self {
        lengths.iter().fold(Self::default(), |reach, &length| reach.then(length))
    }

    /// The reach with an additional segment of `length` \[m\], by the triangle inequality.
    #[must_use]
    pub fn then(self, length: f64) -> Self {
        Self { inner: (self.inner - length).max(length - self.outer).max(0.0), outer: self.outer + length }
    }

    /// The amount \[m\] by which `distance` \[m\] lies outside the reach; 0 inside.
    pub fn gap(&self, distance: f64) -> f64 {
        (distance - self.outer).max(self.inner - distance).max(0.0)
    }
}
