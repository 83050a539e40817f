//! The report on a target: its outcome and its status message.

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;
use tokio::sync::mpsc;

use urdf_ik_solver::{Outcome, Reason, Residual};

/// The outcome of a target or query, with the codes of `SolveStatus`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TargetOutcome {
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
    GoalConflict = SolveStatus::GOAL_CONFLICT as u8,
}

/// The report on a target.
#[derive(Clone)]
pub(crate) struct Report {
    pub outcome: TargetOutcome,
    /// Without the field `outcome`.
    pub status: SolveStatus,
    /// Receives the report on arrival. It is closed if another motion replaces this one.
    pub listener: Option<mpsc::UnboundedSender<Self>>,
}

impl Report {
    /// A report on a target that was not solved; `header` and `tip_link` are those of the target.
    pub(crate) fn new(outcome: TargetOutcome, message: String, header: Header, tip_link: String) -> Self {
        let (position_error, orientation_error, smallest_singular_value) = (f64::NAN, f64::NAN, f64::NAN);
        let status = SolveStatus { message, header, tip_link, smallest_singular_value, ..SolveStatus::default() };
        let status = SolveStatus { position_error, orientation_error, ..status };
        Self { outcome, status, listener: None }
    }

    /// Sets the error of the tip from the target.
    pub(crate) fn set_residual(&mut self, residual: Residual) {
        (self.status.position_error, self.status.orientation_error) = (residual.position, residual.orientation);
    }

    /// Sets the names of two close bodies and their `distance` \[m\].
    pub(crate) fn set_nearest(&mut self, bodies: Vec<String>, distance: f64) {
        (self.status.nearest, self.status.nearest_distance) = (bodies, distance);
    }

    /// The published message.
    pub(crate) fn message(self) -> SolveStatus {
        SolveStatus { outcome: self.outcome.code(), ..self.status }
    }
}

impl TargetOutcome {
    /// The value of the field `outcome`.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Outcome> for TargetOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Solved => Self::Solved,
            Outcome::PositionOnly => Self::PositionOnly,
            Outcome::Closest(Reason::OutOfReach { .. } | Reason::Unreachable { .. }) => Self::OutOfReach,
            Outcome::Closest(Reason::Conflict { .. }) => Self::GoalConflict,
            Outcome::Closest(Reason::JointLimits) => Self::JointLimits,
            Outcome::Closest(Reason::StepLimited) => Self::StepLimited,
            Outcome::Closest(Reason::Collision { .. }) => Self::Collision,
            _ => Self::NotConverged,
        }
    }
}

/// The outcome of the latest target, shown as a colour by handles and markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusColour {
    /// No target.
    Neutral,
    OnItsWay,
    Reached,
    /// Limited by joint limits, a collision, following errors, goals or a failed search, or reached in position only.
    HeldBack,
    /// Also a violated standing goal.
    OutOfReach,
    /// A refused target or menu choice.
    Refused,
}

impl StatusColour {
    /// The colour of an outcome.
    pub(crate) fn of(outcome: TargetOutcome) -> Self {
        match outcome {
            TargetOutcome::Solved => Self::Reached,
            TargetOutcome::StepLimited => Self::OnItsWay,
            TargetOutcome::JointLimits
            | TargetOutcome::NotConverged
            | TargetOutcome::Collision
            | TargetOutcome::PositionOnly
            | TargetOutcome::FollowingError
            | TargetOutcome::GoalConflict => Self::HeldBack,
            TargetOutcome::OutOfReach => Self::OutOfReach,
            TargetOutcome::Invalid | TargetOutcome::UnknownFrame | TargetOutcome::NoRobot | TargetOutcome::Skipped => {
                Self::Refused
            }
        }
    }

    /// The colour of a standing goal.
    pub(crate) fn of_goal(is_violated: bool) -> Self {
        if is_violated { Self::OutOfReach } else { Self::Reached }
    }

    /// Red, green and blue, 0 to 1. Distinguishable by the colour-blind: in simulations of protanopia, deuteranopia
    /// and tritanopia (Machado, Oliveira and Fernandes 2009) any two differ by at least 20 in CIELAB.
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
