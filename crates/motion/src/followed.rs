//! The result of following a path.

use super::joint_curve::JointCurve;
use super::path_stop::PathStop;
use urdf_ik_solver::{Residual, Tolerance};

/// A followed path.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// Joint positions by path length, inside their limits, as far as the path is followed. `None` where its start cannot be reached.
    pub curve: Option<JointCurve>,
    /// Fraction of the path's length that is followed. Exactly 1 where the last pose is reached.
    pub fraction: f64,
    /// Where and why it stopped before that.
    pub stop: Option<PathStop>,
    /// Greatest distance of the tip from the pose of the path at the same length. Over the axes that are not free.
    pub deviation: Residual,
}

/// The greater of two ratios: of the position to what is allowed, and of the orientation to what is allowed.
pub(super) fn ratio(residual: &Residual, allowed: &Tolerance) -> f64 {
    (residual.position / allowed.position).max(residual.orientation / allowed.orientation)
}

/// The greater position and the greater orientation of two residuals.
pub(super) fn larger(a: Residual, b: Residual) -> Residual {
    Residual { position: a.position.max(b.position), orientation: a.orientation.max(b.orientation) }
}
