//! What becomes of the root, and how an answer is judged.

use std::fmt;

/// Where the root of a model ends up, `P` being a point \[m\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Root<P> {
    /// It stays where it is in the posture to start from.
    #[default]
    Fixed,
    /// It moves to this place \[m\], and the rest follows.
    At(P),
    /// It is free: it goes where the forward pass drags it.
    Free,
}

/// Why a point did not get to its target. No model gives all of these reasons.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No posture gets there, limits left out of account, which is certain.
    OutOfReach {
        /// Distance of the target from the root \[m\].
        distance: f64,
        /// Least distance from the root that the point can have \[m\].
        inner: f64,
        /// Greatest distance from the root that the point can have \[m\].
        outer: f64,
    },
    /// No posture meets this target and another one, which is certain.
    Apart {
        /// Index of the other target.
        other: usize,
        /// Distance between the two targets \[m\].
        distance: f64,
        /// Least distance that the two points can have \[m\].
        inner: f64,
        /// Greatest distance that the two points can have \[m\].
        outer: f64,
    },
    /// Limits are in the way. Whether a solution exists is not known.
    Limits,
    /// The tip hardly moved from one cycle to the next.
    Stalled,
    /// The next point of a path would have taken a larger turn than allowed, however near the point.
    Turn {
        /// The turn it would have taken \[rad\].
        turn: f64,
    },
    /// The iterations were used up, or none brought the point nearer. Whether a solution exists is not known.
    NotConverged,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OutOfReach { distance, inner, outer } => {
                write!(f, "out of reach: {distance:.6} m from the root, where {inner:.6} to {outer:.6} m are possible")
            }
            Self::Apart { other, distance, inner, outer } => {
                let points = format_args!("their points can be {inner:.6} to {outer:.6} m apart");
                write!(f, "contradicts target {other}: {distance:.6} m between them, {points}")
            }
            Self::Limits => f.write_str("limits are in the way"),
            Self::Stalled => f.write_str("the tip hardly moves any more"),
            Self::Turn { turn } => write!(f, "the path would go on with a turn of {turn:.3} rad"),
            Self::NotConverged => f.write_str("no posture found that gets there"),
        }
    }
}

/// Whether a point got to its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The point is at its target within the tolerance.
    Solved,
    /// The answer is the closest that was found.
    Closest(Reason),
}

impl Outcome {
    /// Of a point `distance` \[m\] from its target, where `tolerance` \[m\] counts as there; `reason` says why it is not.
    pub(crate) fn of(distance: f64, tolerance: f64, reason: impl FnOnce() -> Reason) -> Self {
        if distance <= tolerance { Self::Solved } else { Self::Closest(reason()) }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Solved => f.write_str("solved"),
            Self::Closest(reason) => reason.fmt(f),
        }
    }
}
