//! Reports on solutions, and refusals.

use std::error::Error;
use std::fmt::{self, Display};
use std::ops::Deref;

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use super::report::{Report, TargetOutcome};
use urdf_ik_collision::Scene;
use urdf_ik_solver::{Outcome, Reason, Solution, Solver, Target};
use urdf_ik_text::names;

/// A problem with external input, as a sentence for users. `?` converts library errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Prefixes the fault with the name of its subject.
    pub(crate) fn of(self, name: impl Display) -> Self {
        Self(format!("{name}: {self}"))
    }
}

/// A [`Fault`] with the arguments of `format!`.
macro_rules! fault {
    ($($arguments:tt)*) => { $crate::reports::status::Fault::new(format!($($arguments)*)) };
}
pub(crate) use fault;

/// A [`Refused::invalid`] with the arguments of `format!` after its kind.
macro_rules! refused {
    ($kind:expr, $($arguments:tt)*) => { $crate::reports::status::Refused::invalid($kind, format!($($arguments)*)) };
}
pub(crate) use refused;

impl<E: Error> From<E> for Fault {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        Self(refused.sentence)
    }
}

impl From<Fault> for String {
    fn from(Fault(sentence): Fault) -> Self {
        sentence
    }
}

impl Deref for Fault {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The reason why a request was refused.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub outcome: TargetOutcome,
    /// A sentence for the caller.
    pub sentence: String,
    /// The kind of the fault: faults of one kind are logged once.
    pub kind: String,
}

impl Refused {
    /// A fault that is identified by its whole sentence.
    pub(crate) fn of_sentence(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { outcome: TargetOutcome::Invalid, kind: sentence.clone(), sentence }
    }

    /// An invalid request; `sentence` names the field.
    pub(crate) fn invalid(kind: &str, sentence: impl Into<String>) -> Self {
        Self { outcome: TargetOutcome::Invalid, sentence: sentence.into(), kind: kind.into() }
    }

    /// A frame without a known transform to the robot.
    pub(crate) fn unknown_frame(name: &str, sentence: impl Into<String>) -> Self {
        let kind = format!("frame {}", names::short(name));
        Self { outcome: TargetOutcome::UnknownFrame, sentence: sentence.into(), kind }
    }

    /// A frame name that is not valid UTF-8.
    pub(crate) fn damaged_frame() -> Self {
        Self::unknown_frame("not UTF-8", "the target's frame_id is not valid UTF-8")
    }

    /// The robot was replaced during the request.
    pub(crate) fn other_robot() -> Self {
        Self::invalid("robot", "the robot was replaced in the meantime: send the request again")
    }

    /// No robot is loaded yet.
    pub(crate) fn no_robot() -> Self {
        let sentence = "there is no robot yet: set the parameter robot_description, start the node with urdf_file, or \
             publish the topic robot_description";
        Self { outcome: TargetOutcome::NoRobot, ..Self::invalid("no robot", sentence) }
    }

    /// The refusal in place of the `report` on a failed motion.
    pub(crate) fn report_on(self, report: Report) -> Report {
        let Report { status: SolveStatus { header, tip_link, .. }, listener, .. } = report;
        Report { listener, ..self.report(header, tip_link) }
    }

    /// The refusal as a report; `header` and `tip_link` are those of the request.
    pub(crate) fn report(self, header: Header, tip_link: String) -> Report {
        Report::new(self.outcome, self.sentence, header, tip_link)
    }
}

/// Converts errors into refusals.
pub(crate) trait RefuseAs<T> {
    /// # Errors
    /// [`Refused::invalid`] of this kind, with the message of the error.
    fn refuse_as(self, kind: &str) -> Result<T, Refused>;
}

impl<T, E: Display> RefuseAs<T> for Result<T, E> {
    fn refuse_as(self, kind: &str) -> Result<T, Refused> {
        self.map_err(|error| Refused::invalid(kind, error.to_string()))
    }
}

/// The report on a solution for the target with this index, found in `scene`. The smallest singular value of the
/// solution must be set.
pub(crate) fn of_solution(
    solver: &Solver,
    targets: &[Target],
    index: usize,
    solution: &Solution,
    scene: Option<&Scene>,
    header: Header,
) -> Report {
    let (chain, target) = (solver.chain(), &targets[index]);
    let residual = solution.residuals.get(index).copied().unwrap_or_default();
    let met = residual.within(target);
    // One of several targets may be met although others are not.
    let is_met_alone = met && solution.residuals.len() > 1 && !solution.is_solved();
    let sentence = solution.sentence_in(chain, scene);
    let (outcome, sentence) = if is_met_alone {
        (TargetOutcome::Solved, format!("this target is met, but other targets or goals are not: {sentence}"))
    } else {
        (solution.outcome.into(), sentence)
    };
    let mut report = Report::new(outcome, sentence, header, chain.tips()[target.tip].link.clone());
    report.set_residual(residual);
    let (status, count) = (&mut report.status, |count| u32::try_from(count).unwrap_or(u32::MAX));
    status.solver = solver.method().kind().name().into();
    if outcome == TargetOutcome::JointLimits {
        let names = solution.saturated.iter().map(|&variable| chain.variables()[variable].name.clone());
        status.limiting_joints = names.collect();
    }
    if let (Outcome::Closest(Reason::Collision { pair, distance }), Some(scene)) = (solution.outcome, scene) {
        // They block the motion, and may be far from the current position.
        (status.nearest, status.nearest_distance) = (bodies(scene, pair), distance);
    }
    status.smallest_singular_value = solution.smallest_singular_value.unwrap_or(f64::NAN);
    (status.iterations, status.attempts) = (count(solution.iterations), count(solution.attempts));
    status.solve_time = solution.elapsed.as_secs_f64();
    report
}

/// The names of the bodies of a pair, by index.
pub(crate) fn bodies(scene: &Scene, pair: usize) -> Vec<String> {
    scene.pairs().nth(pair).map(|pair| pair.map(|body| body.name().to_owned()).to_vec()).unwrap_or_default()
}
