//! The status of a target as a message, and refusals.

use r2r::builtin_interfaces::msg::Time;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use crate::collision::Scene;
use crate::names;
use crate::robot::Chain;
use crate::solver::{Outcome, Reason, Solution, Solver, Target};

/// The outcomes of `SolveStatus` in the type of its field.
pub(crate) mod outcome {
    use r2r::urdf_ik::msg::SolveStatus;

    pub const SOLVED: u8 = SolveStatus::SOLVED as u8;
    pub const OUT_OF_REACH: u8 = SolveStatus::OUT_OF_REACH as u8;
    pub const JOINT_LIMITS: u8 = SolveStatus::JOINT_LIMITS as u8;
    pub const STEP_LIMITED: u8 = SolveStatus::STEP_LIMITED as u8;
    pub const NOT_CONVERGED: u8 = SolveStatus::NOT_CONVERGED as u8;
    pub const INVALID: u8 = SolveStatus::INVALID as u8;
    pub const UNKNOWN_FRAME: u8 = SolveStatus::UNKNOWN_FRAME as u8;
    pub const NO_ROBOT: u8 = SolveStatus::NO_ROBOT as u8;
    pub const SKIPPED: u8 = SolveStatus::SKIPPED as u8;
    pub const COLLISION: u8 = SolveStatus::COLLISION as u8;
}

/// Why a request was not solved.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    /// One of the outcomes of `SolveStatus`.
    pub outcome: u8,
    /// A sentence for the caller.
    pub sentence: String,
    /// The kind of the fault: faults of one kind are logged once.
    pub kind: String,
}

impl AsRef<Self> for Refused {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Refused {
    /// A fault that differs from others by its whole sentence.
    pub(crate) fn said(sentence: String) -> Self {
        Self { outcome: outcome::INVALID, kind: sentence.clone(), sentence }
    }

    /// A request that makes no sense: `sentence` names the field.
    pub(crate) fn invalid(kind: &str, sentence: String) -> Self {
        Self { outcome: outcome::INVALID, sentence, kind: kind.into() }
    }

    /// A frame that cannot be related to the robot.
    pub(crate) fn unknown_frame(name: &str, sentence: String) -> Self {
        Self { outcome: outcome::UNKNOWN_FRAME, sentence, kind: format!("frame {}", names::short(name)) }
    }

    /// A frame name that is not valid UTF-8.
    pub(crate) fn damaged_frame() -> Self {
        Self::unknown_frame("not UTF-8", "the target's frame_id is not valid UTF-8".into())
    }

    /// The robot was replaced while the request was processed.
    pub(crate) fn other_robot() -> Self {
        Self::invalid("robot", "the robot was replaced in the meantime: send the request again".into())
    }

    /// There is no robot yet.
    pub(crate) fn no_robot() -> Self {
        Self {
            outcome: outcome::NO_ROBOT,
            sentence:
                "there is no robot yet: set the parameter robot_description, start the node with urdf_file, or publish \
                       the topic robot_description"
                    .into(),
            kind: "no robot".into(),
        }
    }

    /// The refusal as a status; `header` and `tip_link` as the request had them.
    pub(crate) fn status(self, header: Header, tip_link: String) -> SolveStatus {
        SolveStatus {
            outcome: self.outcome,
            message: self.sentence,
            header,
            tip_link,
            position_error: f64::NAN,
            orientation_error: f64::NAN,
            smallest_singular_value: f64::NAN,
            ..SolveStatus::default()
        }
    }
}

/// The status of a solution for the target with that index, found in `scene`. The solution's smallest singular value must
/// have been filled in.
pub(crate) fn of_solution(
    solver: &Solver,
    (targets, index): (&[Target], usize),
    (solution, scene): (&Solution, Option<&Scene>),
    header: Header,
) -> SolveStatus {
    let (chain, target) = (solver.chain(), &targets[index]);
    let residual = solution.residuals.get(index).copied().unwrap_or_default();
    let met = residual.position <= target.tolerance.position && residual.orientation <= target.tolerance.orientation;
    // Of several targets this one may be met although others are not.
    let is_met_alone = met && targets.len() > 1 && !solution.is_solved();
    let sentence = sentence(solution, chain, scene);
    SolveStatus {
        outcome: if is_met_alone { outcome::SOLVED } else { code(solution.outcome) },
        message: if is_met_alone {
            format!("this target is met, but the targets of other tips are not: {sentence}")
        } else {
            sentence
        },
        header,
        tip_link: chain.tips()[target.tip].link.clone(),
        solver: solver.method().kind().name().into(),
        position_error: residual.position,
        orientation_error: residual.orientation,
        limiting_joints: match solution.outcome {
            Outcome::Closest(Reason::JointLimits) if !is_met_alone => {
                solution.saturated.iter().map(|&variable| chain.variables()[variable].name.clone()).collect()
            }
            _ => Vec::new(),
        },
        smallest_singular_value: solution.smallest_singular_value.unwrap_or(f64::NAN),
        iterations: u32::try_from(solution.iterations).unwrap_or(u32::MAX),
        attempts: u32::try_from(solution.attempts).unwrap_or(u32::MAX),
        solve_time: solution.elapsed.as_secs_f64(),
        joint_state_stamp: Time::default(),
        nearest: Vec::new(),
        nearest_distance: 0.0,
    }
}

/// The outcome of a solution that was found in `scene`, as a sentence.
pub(crate) fn sentence(solution: &Solution, chain: &Chain, scene: Option<&Scene>) -> String {
    match scene {
        Some(scene) => solution.sentence_in(chain, scene),
        None => solution.sentence(chain),
    }
}

/// An outcome as a value of the field `outcome`.
pub(crate) fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Solved => outcome::SOLVED,
        Outcome::Closest(Reason::OutOfReach { .. }) => outcome::OUT_OF_REACH,
        Outcome::Closest(Reason::JointLimits) => outcome::JOINT_LIMITS,
        Outcome::Closest(Reason::StepLimited) => outcome::STEP_LIMITED,
        Outcome::Closest(Reason::Collision { .. }) => outcome::COLLISION,
        Outcome::Closest(Reason::NotConverged) => outcome::NOT_CONVERGED,
    }
}
