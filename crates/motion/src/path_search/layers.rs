//! The path lengths of the layers.

use crate::path::Path;

/// Path length between two layers, where no rest is between them \[m\].
const SPACING: f64 = 0.02;
/// Number of layers above which they are farther apart, and above which, because of many rests, each has fewer nodes.
const MAX_LAYERS: u32 = 400;

/// Path lengths of the layers, ascending from 0: evenly between rests of the tip, as edges follow the path between
/// them, however many waypoints it has there.
pub(super) fn lengths(path: &Path) -> Vec<f64> {
    let spacing = SPACING.max(path.length() / f64::from(MAX_LAYERS));
    let (mut lengths, mut from) = (vec![0.0], 0.0);
    for end in path.rests().iter().copied().chain([path.length()]).filter(|end| *end > 0.0) {
        let count = ((end - from) / spacing).ceil().max(1.0);
        let mut part = 1.0;
        while part < count {
            lengths.push(from + (end - from) * part / count);
            part += 1.0;
        }
        lengths.push(end);
        from = end;
    }
    lengths
}

/// The number of nodes of each of so many layers, at most `most`: bounds time and memory of all layers together.
pub(super) fn nodes(layers: usize, most: usize) -> usize {
    (most * MAX_LAYERS as usize / layers.max(1)).clamp(1, most.max(1))
}
