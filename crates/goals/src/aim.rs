//! Where goals lead a link: the middle of their bounds, for starting points near it.

use nalgebra::{Rotation3, Vector3};

use crate::frames::{Between, Place};

/// A position or an orientation of a place in the base link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aim {
    /// The place.
    pub place: Place,
    /// Its goal.
    pub at: Middle,
}

/// The middle of bounds, in the base link's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Middle {
    /// Position of the origin \[m\].
    Position(Vector3<f64>),
    /// Orientation.
    Orientation(Rotation3<f64>),
}

/// The middle of intervals; `None` without bounds on both sides.
pub(crate) fn middle(lower: &[f64; 3], upper: &[f64; 3]) -> Option<Vector3<f64>> {
    let middle = (Vector3::from(*lower) + Vector3::from(*upper)) * 0.5;
    middle.iter().all(|entry| entry.is_finite()).then_some(middle)
}

impl Between {
    /// An aim of the link; `None` if the chain moves the frame.
    pub(crate) fn aim(&self, at: impl FnOnce(&Place) -> Middle) -> Option<Aim> {
        let place = self.link.shifted(&self.point);
        self.frame.joint.is_none().then(|| Aim { place, at: at(&self.frame) })
    }
}
