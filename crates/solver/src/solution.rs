//! The solution that a solver returns.

use std::time::Duration;

use super::Target;
use urdf_ik_collision::Scene;
use urdf_ik_mathematics::segments::Reach;
use urdf_ik_robot::Chain;
use urdf_ik_text::names;

/// How far one tip is from its target, by forward kinematics of exactly the positions of the solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residual {
    /// Distance \[m\] over the position axes that count.
    pub position: f64,
    /// Angle \[rad\] over the orientation axes that count.
    pub orientation: f64,
}

/// Why a solution is only the closest one that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// It is certain that no configuration reaches the target.
    OutOfReach {
        /// Index of the target.
        target: usize,
        /// Distance from the chain's first joint that the target needs \[m\].
        distance: f64,
        /// The distances that the chain can reach \[m\].
        reach: Reach,
    },
    /// Joints at their limits prevent it: [`Solution::saturated`].
    JointLimits,
    /// The step bounds of [`Mode::Track`](super::Mode::Track) did not allow more.
    StepLimited,
    /// Two bodies have to keep clear of each other.
    Collision {
        /// Index of the pair among [`Scene::pairs`].
        pair: usize,
        /// Their distance at the positions \[m\].
        distance: f64,
    },
    /// Every configuration found that meets the targets was refused: see [`Problem::accepts`](super::Problem::accepts).
    Refused,
    /// No attempt led to a solution.
    NotConverged,
}

/// Whether the targets are met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// Every target is met within its tolerance.
    Solved,
    /// Every position is met within its tolerance, and the weighted squared orientation error is a local minimum under this
    /// condition: see [`Unreached::Position`](super::Unreached::Position).
    PositionOnly,
    /// The positions are the best ones found. Unless [`Problem::unreached`](super::Problem::unreached) was
    /// [`Unreached::Stop`](super::Unreached::Stop), they are a local minimum of the squared orientation error plus the squared position
    /// error over the squared [length scale](super::Solver::length_scale).
    Closest(Reason),
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The targets were met.
    Converged,
    /// The attempts were used up, or more of them could not help.
    Attempts,
    /// The deadline passed, or the search was interrupted.
    Deadline,
}

/// A solver's answer. Made by [`Solver::solution`](super::Solver::solution), overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions of the chain's variables \[rad or m\], always inside the limits.
    pub positions: Vec<f64>,
    /// The residual of each target, in the order of the problem's targets.
    pub residuals: Vec<Residual>,
    /// The minimised error at `positions` \[rad²\]: squared orientation errors plus squared position errors over the squared length
    /// scale.
    pub squared_error: f64,
    /// Where the targets are not met, indices of the variables that are at a limit and that the remaining error pushes against it.
    pub saturated: Vec<usize>,
    /// Smallest singular value of the Jacobian at `positions`, over the axes that count, in the tip's frame, with position rows
    /// divided by the length scale: 0 at a singularity. Tracking always computes it. After a search, call
    /// [`Solver::smallest_singular_value`](super::Solver::smallest_singular_value), which takes as long as a search.
    pub smallest_singular_value: Option<f64>,
    /// Whether it is one of a continuum of solutions at a singularity, chosen near the seed. Only the exact closed forms can tell.
    pub continuous: bool,
    /// With a [clearance](super::Problem::clearance), the nearest pair at `positions`, by its index among [`Scene::pairs`], and its distance
    /// \[m\]; `None` where no pair was found near.
    pub nearest: Option<(usize, f64)>,
    /// Iterations over all attempts.
    pub iterations: usize,
    /// Starting points tried, including the seed.
    pub attempts: usize,
    /// Time that the solve took. It is the only field that differs between two solves of the same problem.
    pub elapsed: Duration,
    /// Whether the targets are met.
    pub outcome: Outcome,
    /// Why the search ended.
    pub stop: Stop,
}

impl Solution {
    /// Memory for a solution of `chain`.
    pub fn new(chain: &Chain) -> Self {
        let variables = chain.variables().len();
        Self {
            positions: chain.nominal_positions(),
            residuals: Vec::with_capacity(chain.tips().len()),
            squared_error: f64::INFINITY,
            saturated: Vec::with_capacity(variables),
            smallest_singular_value: None,
            continuous: false,
            nearest: None,
            iterations: 0,
            attempts: 0,
            elapsed: Duration::ZERO,
            outcome: Outcome::Closest(Reason::NotConverged),
            stop: Stop::Attempts,
        }
    }

    /// The outcome as a sentence for people, with the names of `chain`'s links and joints.
    pub fn sentence(&self, chain: &Chain) -> String {
        self.sentence_with(chain, None)
    }

    /// The outcome as a sentence, also with the names of what collides in `scene`, which is that of the problem.
    pub fn sentence_in(&self, chain: &Chain, scene: &Scene) -> String {
        self.sentence_with(chain, Some(scene))
    }

    fn sentence_with(&self, chain: &Chain, scene: Option<&Scene>) -> String {
        let missed = || {
            let Residual { position, orientation } = self.worst_residual();
            format!("{position:.3e} m and {orientation:.3e} rad off")
        };
        let reason = match self.outcome {
            Outcome::Closest(reason) => reason,
            Outcome::PositionOnly => {
                let Residual { position, orientation } = self.worst_residual();
                return format!(
                    "position only: the orientation is {orientation:.4} rad off; the position is {position:.3e} m off"
                );
            }
            Outcome::Solved => {
                let continuum = if self.continuous { ", one of a continuum of solutions" } else { "" };
                return format!("solved: {}{continuum}", missed());
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
            Reason::Refused => format!("what meets the targets was refused, in {} attempts", self.attempts),
            Reason::NotConverged => format!("no solution was found in {} attempts", self.attempts),
        };
        let time_up = match self.stop {
            Stop::Deadline => format!("; time was up after {:.1} ms", self.elapsed.as_secs_f64() * 1e3),
            Stop::Converged | Stop::Attempts => String::new(),
        };
        format!("{why}{time_up}; the closest configuration found is {}", missed())
    }

    /// The largest position error \[m\] and the largest orientation error \[rad\] of the targets.
    pub fn worst_residual(&self) -> Residual {
        let worst = |f: fn(&Residual) -> f64| self.residuals.iter().map(f).fold(0.0, f64::max);
        Residual { position: worst(|r| r.position), orientation: worst(|r| r.orientation) }
    }

    /// Makes [`Outcome::PositionOnly`] of an answer that meets all positions but not all orientations.
    pub(super) fn accept_position(&mut self, targets: &[Target]) {
        let mut residuals = self.residuals.iter().zip(targets);
        if !self.is_solved() && residuals.all(|(residual, target)| residual.position <= target.tolerance.position) {
            self.outcome = Outcome::PositionOnly;
            self.saturated.clear();
        }
    }

    /// Whether every target is met.
    pub fn is_solved(&self) -> bool {
        self.outcome == Outcome::Solved
    }
}

/// The numbers with four digits after the point, or with as many as it takes to tell the first from the others.
fn distinct(numbers: [f64; 3]) -> [String; 3] {
    let with = |digits: usize| numbers.map(|number| format!("{number:.digits$}"));
    let told_apart = |[first, others @ ..]: &[String; 3]| !others.contains(first);
    (4..17).map(with).find(told_apart).unwrap_or_else(|| with(17))
}
