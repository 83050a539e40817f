//! The distances that the ends of a row of segments can have.

/// The distances \[m\] that two points can have from each other: none below `inner` and none above `outer`. Of the two ends of a row of
/// segments between which every joint rotates freely, all from `inner` to `outer`.
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

    /// The reach with one more segment of `length` \[m\]: the third sides of triangles of this side and a distance
    /// possible before.
    #[must_use]
    pub fn then(self, length: f64) -> Self {
        Self { inner: (self.inner - length).max(length - self.outer).max(0.0), outer: self.outer + length }
    }

    /// How much farther \[m\] than it reaches, or nearer, `distance` \[m\] is; 0 for one within it.
    pub fn gap(&self, distance: f64) -> f64 {
        (distance - self.outer).max(self.inner - distance).max(0.0)
    }
}
