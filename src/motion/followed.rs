//! The result of following a path: configurations by path length.

use super::path_stop::PathStop;
use crate::solver::{Residual, Tolerance};

/// A configuration on a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Knot {
    /// Length of the path before it \[m\].
    pub length: f64,
    /// Positions of the chain's variables \[rad or m\], inside their limits.
    pub positions: Vec<f64>,
}

/// A followed path.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Configurations in the order of the path. Empty where the start of the path cannot be reached.
    pub knots: Vec<Knot>,
    /// Indices of the knots at corners, where the tip has to be at rest.
    pub rests: Vec<usize>,
    /// Fraction of the path's length that is followed. Exactly 1 where the last pose is reached.
    pub fraction: f64,
    /// Where and why it stopped before that.
    pub stop: Option<PathStop>,
    /// Greatest distance of the tip from the pose of the path at the same length, where the joints move evenly between knots. Over the axes
    /// that are not free.
    pub deviation: Residual,
}

impl Followed {
    /// Indices of the first and the last knot of each smooth part between two rests.
    pub(super) fn smooth_parts(&self) -> impl Iterator<Item = (usize, usize)> {
        let ends = self.rests.iter().copied().chain(self.knots.len().checked_sub(1));
        let mut start = 0;
        ends.map(move |end| (std::mem::replace(&mut start, end), end)).filter(|(start, end)| start < end)
    }
}

/// The greater of two ratios: of the position to what is allowed, and of the orientation to what is allowed.
pub(super) fn ratio(residual: &Residual, allowed: &Tolerance) -> f64 {
    (residual.position / allowed.position).max(residual.orientation / allowed.orientation)
}

/// The greater position and the greater orientation of two residuals.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual { position: a.position.max(b.position), orientation: a.orientation.max(b.orientation) }
}
