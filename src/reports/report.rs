//! What is said of one target. It becomes a message where it is published, and nowhere else.

use std::time::Duration;

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use urdf_ik_solver::{Outcome, Reason, Residual, SolverKind};

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
}

/// What became of a target.
#[derive(Clone, Default)]
pub(crate) struct Report {
    pub verdict: Verdict,
    /// The verdict as a sentence.
    pub sentence: String,
    /// That of the target, with the frame that was used.
    pub header: Header,
    pub tip_link: String,
    /// `None` where nothing was solved.
    pub solver: Option<SolverKind>,
    /// How far the tip is from the target; `None` where nothing was solved.
    pub residual: Option<Residual>,
    /// Names of the joints at their limits, where these are why the target is not met.
    pub limiting_joints: Vec<String>,
    /// `None` where it was not computed.
    pub smallest_singular_value: Option<f64>,
    pub iterations: usize,
    pub attempts: usize,
    pub solve_time: Duration,
    /// Stamp of the joint state that it is about.
    pub joint_state_stamp: Time,
    /// The two bodies that are nearest to each other, where any are near.
    pub nearest: Nearest,
}

/// Two bodies that are near each other; without names where none are.
#[derive(Clone, Default)]
pub(crate) struct Nearest {
    /// Their names.
    pub bodies: Vec<String>,
    /// \[m\].
    pub distance: f64,
}

impl Report {
    /// As it is published.
    pub(crate) fn message(self) -> SolveStatus {
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        let Residual { position, orientation } =
            self.residual.unwrap_or(Residual { position: f64::NAN, orientation: f64::NAN });
        SolveStatus {
            outcome: self.verdict.code(),
            message: self.sentence,
            header: self.header,
            tip_link: self.tip_link,
            solver: self.solver.map_or("", SolverKind::name).into(),
            position_error: position,
            orientation_error: orientation,
            limiting_joints: self.limiting_joints,
            smallest_singular_value: self.smallest_singular_value.unwrap_or(f64::NAN),
            iterations: count(self.iterations),
            attempts: count(self.attempts),
            solve_time: self.solve_time.as_secs_f64(),
            joint_state_stamp: self.joint_state_stamp,
            nearest: self.nearest.bodies,
            nearest_distance: self.nearest.distance,
        }
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
    /// By joint limits, by something in the way, or because no solution was found.
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
            Verdict::JointLimits | Verdict::NotConverged | Verdict::Collision => Self::HeldBack,
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
