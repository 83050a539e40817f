//! What became of a target, as a colour: the same in handles and markers.

use super::report::Verdict;

/// What became of the newest target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing was asked.
    Neutral,
    OnItsWay,
    Reached,
    /// By joint limits, by something in the way, or because no solution was found.
    HeldBack,
    OutOfReach,
    /// A target, or a choice in the menu.
    Refused,
}

impl Tone {
    /// The tone of a verdict.
    pub(crate) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Solved => Self::Reached,
            Verdict::StepLimited => Self::OnItsWay,
            Verdict::JointLimits | Verdict::NotConverged | Verdict::Collision => Self::HeldBack,
            Verdict::OutOfReach => Self::OutOfReach,
            Verdict::Invalid | Verdict::UnknownFrame | Verdict::NoRobot | Verdict::Skipped => Self::Refused,
        }
    }

    /// Red, green and blue, 0 to 1. The colour-blind can tell them apart: seen with protanopia, deuteranopia or tritanopia (simulated after
    /// Machado, Oliveira and Fernandes 2009), the least difference of two is 20 in CIELAB.
    pub(crate) fn colour(self) -> [f32; 3] {
        match self {
            Self::Neutral => [0.85, 0.85, 0.85],
            Self::OnItsWay => [0.25, 0.55, 0.95],
            Self::Reached => [0.0, 0.72, 0.5],
            Self::HeldBack => [0.95, 0.77, 0.1],
            Self::OutOfReach => [0.86, 0.3, 0.05],
            Self::Refused => [0.8, 0.3, 0.65],
        }
    }
}
