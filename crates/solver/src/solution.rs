//! The result of a solve.
//!
//! `Unreached::Stop` skips the search for the closest configuration, which takes nine tenths of the time of a
//! reachability map, because most of its poses are out of reach.

use std::time::Duration;

use super::Target;
use urdf_ik_collision::Scene;
use urdf_ik_goals::{Goal, TOLERANCE};
use urdf_ik_mathematics::segments::Reach;
use urdf_ik_robot::Chain;
use urdf_ik_text::names;

/// Error of one tip relative to its target, from forward kinematics of the returned positions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residual {
    /// Distance over the constrained position axes \[m\].
    pub position: f64,
    /// Angle over the constrained rotation axes \[rad\].
    pub orientation: f64,
}

/// A target or a goal of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The target with this index among the problem's targets.
    Target(usize),
    /// The goal with this index among the problem's goals.
    Goal(usize),
}

/// Why a solve returned only the closest configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No configuration can reach the target, as proved from link lengths and strokes.
    OutOfReach {
        /// Index of the target among the problem's targets.
        target: usize,
        /// Distance of the target from the chain's first joint \[m\].
        distance: f64,
        /// Smallest and largest distance from the first joint that the chain can reach \[m\].
        reach: Reach,
    },
    /// Joint limits block the motion towards the targets: see [`Solution::saturated`].
    JointLimits,
    /// The step bounds of [`Mode::Track`](super::Mode::Track) block the motion.
    StepLimited,
    /// A collision pair blocks the motion.
    Collision {
        /// Index of the pair among [`Scene::pairs`].
        pair: usize,
        /// Distance of the pair at the returned positions \[m\].
        distance: f64,
    },
    /// [`Problem::accepts`](super::Problem::accepts) rejected every configuration that meets the targets.
    Refused,
    /// A goal cannot be met, even alone and without joint limits.
    Unreachable {
        /// The goal.
        part: Part,
    },
    /// All other targets and goals can be met without this one.
    Conflict {
        /// The target or goal.
        part: Part,
    },
    /// No attempt converged.
    NotConverged,
}

/// Outcome of a solve: whether the targets are met.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// Every target and goal is met within its tolerance.
    Solved,
    /// Every position is within its tolerance, and the weighted squared orientation error is a local minimum under
    /// this constraint: see [`Unreached::Position`](super::Unreached::Position).
    PositionOnly,
    /// The targets are not met; the positions are the best ones found. Unless
    /// [`Problem::unreached`](super::Problem::unreached) is [`Unreached::Stop`](super::Unreached::Stop), they are a
    /// local minimum of the squared orientation error plus the squared position error divided by the squared [length
    /// scale](super::Solver::length_scale).
    Closest(Reason),
}

/// Reason for the end of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The targets are met.
    Converged,
    /// All attempts were made, or further ones could not help.
    Attempts,
    /// The deadline passed, or the search was interrupted.
    Deadline,
}

/// The result of a solve, created by [`Solver::solution`](super::Solver::solution) and overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions of the chain's variables \[rad or m\], one entry per variable, always within the limits.
    pub positions: Vec<f64>,
    /// The residual of each target \[m, rad\], in the order of the problem's targets.
    pub residuals: Vec<Residual>,
    /// The violation of each goal \[m or rad\], in the order of the problem's goals.
    pub violations: Vec<f64>,
    /// The problem's goals.
    pub(crate) goals: Vec<Goal>,
    /// The minimised error at `positions` \[rad²\]: the weighted sum of squared orientation errors and squared
    /// position errors, the latter divided by the squared length scale.
    pub squared_error: f64,
    /// Indices of the variables whose motion beyond a limit would reduce the error. Empty if the targets are met.
    pub saturated: Vec<usize>,
    /// Smallest singular value of the Jacobian at `positions`, over the constrained axes, in the tip's frame, with
    /// position rows divided by the length scale; 0 at a singularity. `Some` after tracking. After a search, call
    /// [`Solver::smallest_singular_value`](super::Solver::smallest_singular_value); it takes as long as a search.
    pub smallest_singular_value: Option<f64>,
    /// True if the solution is one of a continuum at a singularity, chosen near the seed. Only exact closed forms
    /// detect this.
    pub continuous: bool,
    /// The nearest collision pair at `positions`: its index among [`Scene::pairs`] and its distance \[m\]. `None`
    /// without a [clearance](super::Problem::clearance), or if no pair is near.
    pub nearest: Option<(usize, f64)>,
    /// Total number of iterations of all attempts.
    pub iterations: usize,
    /// Number of starting points tried, including the seed, without the refused ones: at most the attempts of the
    /// problem, unless refusals extend the search until its deadline.
    pub attempts: usize,
    /// Number of starting points whose solution was refused, by the clearance, the acceptance or the cost.
    pub refused: usize,
    /// Duration of the solve. No other field differs between two solves of the same problem.
    pub elapsed: Duration,
    /// Outcome: whether the targets are met.
    pub outcome: Outcome,
    /// Reason for the end of the search.
    pub stop: Stop,
}

impl Solution {
    /// Memory for a solution of `chain`, with nominal positions \[rad or m\] and [`Reason::NotConverged`].
    pub fn new(chain: &Chain) -> Self {
        let variables = chain.variables().len();
        Self {
            positions: chain.nominal_positions(),
            residuals: Vec::with_capacity(chain.tips().len()),
            violations: Vec::new(),
            goals: Vec::new(),
            squared_error: f64::INFINITY,
            saturated: Vec::with_capacity(variables),
            smallest_singular_value: None,
            continuous: false,
            nearest: None,
            iterations: 0,
            attempts: 0,
            refused: 0,
            elapsed: Duration::ZERO,
            outcome: Outcome::Closest(Reason::NotConverged),
            stop: Stop::Attempts,
        }
    }

    /// The outcome as an English sentence, with the joint names of `chain`.
    pub fn sentence(&self, chain: &Chain) -> String {
        self.sentence_in(chain, None)
    }

    /// The outcome as an English sentence, with the joint names of `chain` and, if the problem's `scene` is given, the
    /// names of colliding bodies.
    pub fn sentence_in(&self, chain: &Chain, scene: Option<&Scene>) -> String {
        let Residual { position, orientation } = self.worst_residual();
        let mut missed = format!("{position:.3e} m and {orientation:.3e} rad off");
        if let Some(goal) = self.worst_goal() {
            missed = if self.residuals.is_empty() { goal } else { format!("{missed}, and {goal}") };
        }
        let reason = match self.outcome {
            Outcome::Closest(reason) => reason,
            Outcome::PositionOnly => {
                let goals = self.worst_goal().map_or_else(String::new, |goal| format!("; {goal}"));
                return format!(
                    "position only: the orientation is {orientation:.4} rad off; the position is {position:.3e} m off{goals}"
                );
            }
            Outcome::Solved => {
                let continuum = if self.continuous { ", one of a continuum of solutions" } else { "" };
                return format!("solved: {missed}{continuum}");
            }
        };
        let why = match reason {
            Reason::OutOfReach { distance, reach, .. } => {
                let [distance, inner, outer] = distinct([distance, reach.inner, reach.outer]);
                format!(
                    "out of reach: it needs {distance} m from the chain's first joint, which reaches {inner} to {outer} m"
                )
            }
            Reason::JointLimits => {
                let names: Vec<&str> =
                    self.saturated.iter().map(|&variable| chain.variables()[variable].name.as_str()).collect();
                format!("these joints are at their limits: {}", names::list(&names))
            }
            Reason::StepLimited => {
                "on its way: the largest allowed step is too short to reach the target at once".into()
            }
            Reason::Collision { pair, distance } => match scene.and_then(|scene| scene.pairs().nth(pair)) {
                Some([first, second]) => format!("{first} is {distance:.4} m from {second}, and keeps clear of it"),
                None => format!("two bodies are {distance:.4} m apart, and keep clear of each other"),
            },
            Reason::Refused => format!("what meets the targets was refused; refused solutions: {}", self.refused),
            Reason::Unreachable { part } => {
                format!("{} cannot be met, even without joint limits", self.name_of(part, chain))
            }
            Reason::Conflict { part } => format!("{} excludes the others", self.name_of(part, chain)),
            Reason::NotConverged => format!("no solution was found in {} attempts", self.attempts),
        };
        let time_up = match self.stop {
            Stop::Deadline => format!("; time was up after {:.1} ms", self.elapsed.as_secs_f64() * 1e3),
            Stop::Converged | Stop::Attempts => String::new(),
        };
        if self.residuals.is_empty() {
            format!("{why}{time_up}; in the closest configuration found, {missed}")
        } else {
            format!("{why}{time_up}; the closest configuration found is {missed}")
        }
    }

    fn name_of(&self, part: Part, chain: &Chain) -> String {
        match part {
            Part::Target(target) if chain.tips().len() > 1 => format!("target {target}"),
            Part::Target(_) => "the target pose".to_owned(),
            Part::Goal(goal) => format!("goal '{}'", names::short(self.goals[goal].name())),
        }
    }

    /// A sentence about the goal with the largest violation, or that all are met; `None` without goals.
    fn worst_goal(&self) -> Option<String> {
        let worst = self.goals.iter().zip(&self.violations).max_by(|(_, one), (_, other)| one.total_cmp(other));
        let all_met = || "all goals are met".to_owned();
        worst.map(|(goal, violation)| if *violation > TOLERANCE { goal.sentence(*violation) } else { all_met() })
    }

    /// The largest position error \[m\] and the largest orientation error \[rad\] over all targets.
    pub fn worst_residual(&self) -> Residual {
        let worst = |f: fn(&Residual) -> f64| self.residuals.iter().map(f).fold(0.0, f64::max);
        Residual { position: worst(|r| r.position), orientation: worst(|r| r.orientation) }
    }

    /// Sets [`Outcome::PositionOnly`] if all positions and standing goals are met, but not all orientations and goals.
    pub(super) fn accept_position(&mut self, targets: &[Target]) {
        let mut residuals = self.residuals.iter().zip(targets);
        let mut violations = self.goals.iter().zip(&self.violations);
        if !self.is_solved()
            && residuals.all(|(residual, target)| residual.position <= target.tolerance.position)
            && violations.all(|(goal, violation)| !goal.is_standing() || *violation <= TOLERANCE)
        {
            self.outcome = Outcome::PositionOnly;
            self.saturated.clear();
        }
    }

    /// True if every target and goal is met.
    pub fn is_solved(&self) -> bool {
        self.outcome == Outcome::Solved
    }
}

/// The numbers with four decimals, or with as many as distinguish the first from the others.
fn distinct(numbers: [f64; 3]) -> [String; 3] {
    let with = |digits: usize| numbers.map(|number| format!("{number:.digits$}"));
    let are_distinct = |[first, others @ ..]: &[String; 3]| !others.contains(first);
    (4..17).map(with).find(are_distinct).unwrap_or_else(|| with(17))
}
