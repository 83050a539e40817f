//! The distances that the ends of a row of segments can have.

/// The distances \[m\] that two points can have from each other: none below `inner` and none above `outer`. The two
/// ends of a row of segments whose joints rotate freely can have every distance from `inner` to `outer`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reach {
    /// Smallest distance \[m\]; of a row the length of the longest segment minus that of all others together, or 0.
    pub inner: f64,
    /// Largest distance \[m\]; of a row the sum of the lengths.
    pub outer: f64,
}

impl Reach {
    /// The reach of segments of `lengths` \[m\] in a row; of none, 0.
    pub fn of(lengths: &[f64]) -> Self {
        lengths.iter().fold(Self::default(), |reach, &length| reach.then(length))
    }

    /// The reach with one more segment of `length` \[m\]: the third sides of all triangles of which one side is this
    /// length and another a distance that was possible before.
    #[must_use]
    pub fn then(self, length: f64) -> Self {
        Self { inner: (self.inner - length).max(length - self.outer).max(0.0), outer: self.outer + length }
    }

    /// By how much \[m\] `distance` \[m\] is above `outer` or below `inner`; 0 within the reach.
    pub fn gap(&self, distance: f64) -> f64 {
        (distance - self.outer).max(self.inner - distance).max(0.0)
    }
}
