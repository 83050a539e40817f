//! The outcome of a problem.

use std::fmt;

use urdf_ik_mathematics::segments::Reach;

/// Why a point did not reach its target. No model returns all of these reasons.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// It is certain that no configuration reaches the target, even without limits.
    OutOfReach {
        /// Distance of the target from the root \[m\].
        distance: f64,
        /// Smallest distance from the root that the point can have \[m\].
        inner: f64,
        /// Largest distance from the root that the point can have \[m\].
        outer: f64,
    },
    /// It is certain that no configuration meets both this target and another one.
    Apart {
        /// Index of the other target.
        other: usize,
        /// Distance between the two targets \[m\].
        distance: f64,
        /// Smallest distance that the two points can have \[m\].
        inner: f64,
        /// Largest distance that the two points can have \[m\].
        outer: f64,
    },
    /// Limits block the search. Whether a solution exists is not known.
    Limits,
    /// The end hardly moved from one cycle to the next.
    Stalled,
    /// The next point of a path would have taken a larger turn than allowed, however near the point.
    Turn {
        /// The turn it would have taken \[rad\].
        turn: f64,
    },
    /// The iterations were used up, or none brought the point nearer. Whether a solution exists is not known.
    NotConverged,
}

impl Reason {
    /// If a target `distance` \[m\] from the root is certainly missed by more than `tolerance` \[m\], since its point
    /// can only be within `reach` of the root, the reason.
    pub(super) fn out_of_reach(reach: &Reach, distance: f64, tolerance: f64) -> Option<Self> {
        let Reach { inner, outer } = *reach;
        (reach.gap(distance) > tolerance).then_some(Self::OutOfReach { distance, inner, outer })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::OutOfReach { distance, inner, outer } => {
                write!(f, "out of reach: {distance:.6} m from the root, where {inner:.6} to {outer:.6} m are possible")
            }
            Self::Apart { other, distance, inner, outer } => {
                let points = format_args!("but their points can only be {inner:.6} to {outer:.6} m apart");
                write!(f, "contradicts target {other}: they are {distance:.6} m apart, {points}")
            }
            Self::Limits => f.write_str("limits are in the way"),
            Self::Stalled => f.write_str("the end hardly moves any more"),
            Self::Turn { turn } => write!(f, "the next point of the path needs a turn of {turn:.3} rad"),
            Self::NotConverged => f.write_str("no configuration was found that reaches it"),
        }
    }
}

/// Whether a point reached its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The point is at its target within the tolerance.
    Solved,
    /// The answer is the closest one that was found.
    Closest(Reason),
}

impl Outcome {
    /// Whether it is proved that no configuration meets the target.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        matches!(self, Self::Closest(Reason::OutOfReach { .. } | Reason::Apart { .. }))
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
