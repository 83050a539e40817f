//! What is said of one target: its verdict, and the status that is published.

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use urdf_ik_solver::{Outcome, Reason, Residual};

/// What became of a target, or of a query: the outcomes of `SolveStatus`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Verdict {
    #[default]
    Solved = SolveStatus::SOLVED as u8,
    OutOfReach = SolveStatus::OUT_OF_REACH as u8,
    JointLimits = SolveStatus::JOINT_LIMITS as u8,
    StepLimited = SolveStatus::STEP_LIMITED as u8,
    NotConverged = SolveStatus::NOT_CONVERGED as u8,
    Collision = SolveStatus::COLLISION as u8,
    Invalid = SolveStatus::INVALID as u8,
    UnknownFrame = SolveStatus::UNKNOWN_FRAME as u8,
    NoRobot = SolveStatus::NO_ROBOT as u8,
    Skipped = SolveStatus::SKIPPED as u8,
    PositionOnly = SolveStatus::POSITION_ONLY as u8,
    FollowingError = SolveStatus::FOLLOWING_ERROR as u8,
}

/// What is said of one target.
#[derive(Clone)]
pub(crate) struct Report {
    pub verdict: Verdict,
    /// All but the field `outcome`.
    pub status: SolveStatus,
}

impl Report {
    /// A report with the verdict as a sentence, for a target that was not solved; `header` and `tip_link` are those of the target.
    pub(crate) fn new(verdict: Verdict, message: String, header: Header, tip_link: String) -> Self {
        let (position_error, orientation_error, smallest_singular_value) = (f64::NAN, f64::NAN, f64::NAN);
        let status = SolveStatus { message, header, tip_link, smallest_singular_value, ..SolveStatus::default() };
        Self { verdict, status: SolveStatus { position_error, orientation_error, ..status } }
    }

    /// Puts in how far the tip is from the target.
    pub(crate) fn set_residual(&mut self, residual: Residual) {
        (self.status.position_error, self.status.orientation_error) = (residual.position, residual.orientation);
    }

    /// The report as it is published.
    pub(crate) fn message(self) -> SolveStatus {
        SolveStatus { outcome: self.verdict.code(), ..self.status }
    }
}

impl Verdict {
    /// The value of the field `outcome`.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Solved => Self::Solved,
            Outcome::PositionOnly => Self::PositionOnly,
            Outcome::Closest(Reason::OutOfReach { .. }) => Self::OutOfReach,
            Outcome::Closest(Reason::JointLimits) => Self::JointLimits,
            Outcome::Closest(Reason::StepLimited) => Self::StepLimited,
            Outcome::Closest(Reason::Collision { .. }) => Self::Collision,
            Outcome::Closest(Reason::NotConverged | Reason::Refused) => Self::NotConverged,
        }
    }
}

/// What became of the newest target, as handles and markers show it by a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusColour {
    /// Nothing was asked.
    Neutral,
    OnItsWay,
    Reached,
    /// By joint limits, a collision, drives that do not follow, because no solution was found, or in its orientation alone.
    HeldBack,
    OutOfReach,
    /// A target, or a choice in the menu.
    Refused,
}

impl StatusColour {
    /// The colour of a verdict.
    pub(crate) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Solved => Self::Reached,
            Verdict::StepLimited => Self::OnItsWay,
            Verdict::JointLimits
            | Verdict::NotConverged
            | Verdict::Collision
            | Verdict::PositionOnly
            | Verdict::FollowingError => Self::HeldBack,
            Verdict::OutOfReach => Self::OutOfReach,
            Verdict::Invalid | Verdict::UnknownFrame | Verdict::NoRobot | Verdict::Skipped => Self::Refused,
        }
    }

    /// Red, green and blue, 0 to 1. The colour-blind can tell them apart: seen with protanopia, deuteranopia or tritanopia (simulated after
    /// Machado, Oliveira and Fernandes 2009), the least difference of two is 20 in CIELAB.
    pub(crate) fn rgb(self) -> [f32; 3] {
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
