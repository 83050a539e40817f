//! The report on a solution, and refusals.

use std::error::Error;
use std::fmt::{self, Display};
use std::ops::Deref;

use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::SolveStatus;

use super::report::{Report, Verdict};
use urdf_ik_collision::Scene;
use urdf_ik_robot::Chain;
use urdf_ik_solver::{Outcome, Reason, Solution, Solver, Target};
use urdf_ik_text::names;

/// What is wrong with something from outside: a sentence for people. An error of the libraries becomes one by `?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// The fault with the name of what has it in front.
    pub(crate) fn of(self, name: impl Display) -> Self {
        Self(format!("{name}: {self}"))
    }
}

/// A [`Fault`] of a sentence with the arguments of `format!`.
macro_rules! fault {
    ($($arguments:tt)*) => { $crate::reports::status::Fault::new(format!($($arguments)*)) };
}
pub(crate) use fault;

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

/// Why a request was not solved.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub verdict: Verdict,
    /// A sentence for the caller.
    pub sentence: String,
    /// The kind of the fault: faults of one kind are logged once.
    pub kind: String,
}

impl Refused {
    /// A fault that differs from others by its whole sentence.
    pub(crate) fn said(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { verdict: Verdict::Invalid, kind: sentence.clone(), sentence }
    }

    /// A request that makes no sense: `sentence` names the field.
    pub(crate) fn invalid(kind: &str, sentence: impl Into<String>) -> Self {
        Self { verdict: Verdict::Invalid, sentence: sentence.into(), kind: kind.into() }
    }

    /// A frame that cannot be related to the robot.
    pub(crate) fn unknown_frame(name: &str, sentence: impl Into<String>) -> Self {
        let kind = format!("frame {}", names::short(name));
        Self { verdict: Verdict::UnknownFrame, sentence: sentence.into(), kind }
    }

    /// A frame name that is not valid UTF-8.
    pub(crate) fn damaged_frame() -> Self {
        Self::unknown_frame("not UTF-8", "the target's frame_id is not valid UTF-8")
    }

    /// The robot was replaced while the request was processed.
    pub(crate) fn other_robot() -> Self {
        Self::invalid("robot", "the robot was replaced in the meantime: send the request again")
    }

    /// There is no robot yet.
    pub(crate) fn no_robot() -> Self {
        Self {
            verdict: Verdict::NoRobot,
            sentence:
                "there is no robot yet: set the parameter robot_description, start the node with urdf_file, or publish \
                       the topic robot_description"
                    .into(),
            kind: "no robot".into(),
        }
    }

    /// The refusal in place of the `report` on a motion that has failed.
    pub(crate) fn report_on(self, report: Report) -> Report {
        let Report { status: SolveStatus { header, tip_link, .. }, .. } = report;
        self.report(header, tip_link)
    }

    /// The refusal as a report; `header` and `tip_link` as the request had them.
    pub(crate) fn report(self, header: Header, tip_link: String) -> Report {
        Report::new(self.verdict, self.sentence, header, tip_link)
    }
}

/// Makes a refusal of what is wrong with a request.
pub(crate) trait RefuseAs<T> {
    /// # Errors
    /// [`Refused::invalid`] of that kind, with the sentence of the error.
    fn refuse_as(self, kind: &str) -> Result<T, Refused>;
}

impl<T, E: Display> RefuseAs<T> for Result<T, E> {
    fn refuse_as(self, kind: &str) -> Result<T, Refused> {
        self.map_err(|error| Refused::invalid(kind, error.to_string()))
    }
}

/// The report on a solution for the target with that index, found in `scene`. The solution's smallest singular value must
/// have been filled in.
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
    // Of several targets this one may be met although others are not.
    let is_met_alone = met && targets.len() > 1 && !solution.is_solved();
    let sentence = sentence(solution, chain, scene);
    let (verdict, sentence) = if is_met_alone {
        (Verdict::Solved, format!("this target is met, but the targets of other tips are not: {sentence}"))
    } else {
        (solution.outcome.into(), sentence)
    };
    let mut report = Report::new(verdict, sentence, header, chain.tips()[target.tip].link.clone());
    report.set_residual(residual);
    let (status, count) = (&mut report.status, |count| u32::try_from(count).unwrap_or(u32::MAX));
    status.solver = solver.method().kind().name().into();
    if verdict == Verdict::JointLimits {
        let names = solution.saturated.iter().map(|&variable| chain.variables()[variable].name.clone());
        status.limiting_joints = names.collect();
    }
    if let (Outcome::Closest(Reason::Collision { pair, distance }), Some(scene)) = (solution.outcome, scene) {
        // They are in the way, and need not be near where the arm is.
        (status.nearest, status.nearest_distance) = (bodies(scene, pair), distance);
    }
    status.smallest_singular_value = solution.smallest_singular_value.unwrap_or(f64::NAN);
    (status.iterations, status.attempts) = (count(solution.iterations), count(solution.attempts));
    status.solve_time = solution.elapsed.as_secs_f64();
    report
}

/// The names of the two bodies of a pair, by its index.
pub(crate) fn bodies(scene: &Scene, pair: usize) -> Vec<String> {
    scene.pairs().nth(pair).map(|pair| pair.map(|body| body.name().to_owned()).to_vec()).unwrap_or_default()
}

/// The outcome of a solution that was found in `scene`, as a sentence.
pub(crate) fn sentence(solution: &Solution, chain: &Chain, scene: Option<&Scene>) -> String {
    match scene {
        Some(scene) => solution.sentence_in(chain, scene),
        None => solution.sentence(chain),
    }
}
