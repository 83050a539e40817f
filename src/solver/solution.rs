//! What a solver answers.

use std::time::Duration;

use super::reach::Reach;
use crate::names;
use crate::robot::Chain;

/// How far one tip is from its target, by forward kinematics of the very positions of the solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residual {
    /// Distance \[m\] over the position axes that count.
    pub position: f64,
    /// Angle \[rad\] over the orientation axes that count.
    pub orientation: f64,
}

/// Why a solution is only the closest that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No posture gets there, which is certain.
    OutOfReach {
        /// Index of the target.
        target: usize,
        /// How far from the chain's first joint the chain would have to get \[m\].
        distance: f64,
        /// How far it can get.
        reach: Reach,
    },
    /// Joints at their limits are in the way: [`Solution::saturated`].
    JointLimits,
    /// The step bounds of [`Mode::Track`](super::Mode::Track) did not allow more.
    StepLimited,
    /// No attempt led to a solution.
    NotConverged,
}

/// Whether the targets are met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// Every target is met within its tolerance.
    Solved,
    /// The positions are the best that was found: a local minimum of the squared orientation error plus the squared position
    /// error over the squared [length scale](super::Solver::length_scale).
    Closest(Reason),
}

/// What ended the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The targets were met.
    Converged,
    /// The attempts were used up, or more of them could not help.
    Attempts,
    /// The deadline struck.
    Deadline,
}

/// A solver's answer. Made by [`Solver::solution`](super::Solver::solution), overwritten by each solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Positions of the chain's variables \[rad or m\], always inside the limits.
    pub positions: Vec<f64>,
    /// How far each target is missed, in the order of the problem's targets.
    pub residuals: Vec<Residual>,
    /// What is minimised, at `positions` \[rad²\]: squared orientation errors plus squared position errors over the squared length
    /// scale.
    pub squared_error: f64,
    /// Where the targets are not met, indices of the variables that stand at a limit and are pressed against it by what is left of the
    /// error.
    pub saturated: Vec<usize>,
    /// Smallest singular value of the Jacobian at `positions`, over the axes that count, in the tip's frame, with position rows
    /// divided by the length scale: 0 at a singularity. Always there after tracking; a search leaves it to
    /// [`Solver::smallest_singular_value`](super::Solver::smallest_singular_value), which takes as long as a whole search.
    pub smallest_singular_value: Option<f64>,
    /// Whether it stands for a continuum of solutions in a singular posture, of which it is one near the seed. Only the closed form can
    /// tell, where it is exact.
    pub continuous: bool,
    /// Iterations over all attempts.
    pub iterations: usize,
    /// Starting points tried, the seed among them.
    pub attempts: usize,
    /// Time that the solve took. The only part that two solves of one problem do not share.
    pub elapsed: Duration,
    /// Whether the targets are met.
    pub outcome: Outcome,
    /// What ended the search.
    pub stop: Stop,
}

impl Solution {
    /// Room for a solution of `chain`.
    #[must_use]
    pub fn new(chain: &Chain) -> Self {
        let variables = chain.variables().len();
        Self {
            positions: chain.nominal_positions(),
            residuals: Vec::with_capacity(chain.tips().len()),
            squared_error: f64::INFINITY,
            saturated: Vec::with_capacity(variables),
            smallest_singular_value: None,
            continuous: false,
            iterations: 0,
            attempts: 0,
            elapsed: Duration::ZERO,
            outcome: Outcome::Closest(Reason::NotConverged),
            stop: Stop::Attempts,
        }
    }

    /// The outcome as a sentence, with the names of `chain`'s links and joints.
    #[must_use]
    pub fn sentence(&self, chain: &Chain) -> String {
        let missed = || {
            let Residual { position, orientation } = self.worst_residual();
            format!("{position:.3e} m and {orientation:.3e} rad off")
        };
        let Outcome::Closest(reason) = self.outcome else {
            let continuum = if self.continuous { ", one of a continuum of solutions" } else { "" };
            return format!("solved: {}{continuum}", missed());
        };
        let why = match reason {
            Reason::OutOfReach { distance, reach, .. } => format!(
                "out of reach: it takes {distance:.4} m from the chain's first joint, which reaches {:.4} to {:.4} m",
                reach.inner, reach.outer
            ),
            Reason::JointLimits => {
                let names: Vec<&str> =
                    self.saturated.iter().map(|&variable| chain.variables()[variable].name.as_str()).collect();
                format!("joint limits are in the way: {}", names::list(&names))
            }
            Reason::StepLimited => "on its way: the largest step allowed does not get there at once".into(),
            Reason::NotConverged => format!("no solution found in {} attempts", self.attempts),
        };
        let time_up = match self.stop {
            Stop::Deadline => format!("; time was up after {:.1} ms", self.elapsed.as_secs_f64() * 1e3),
            Stop::Converged | Stop::Attempts => String::new(),
        };
        format!("{why}{time_up}; the closest found is {}", missed())
    }

    /// The greatest distance \[m\] and the greatest angle \[rad\] by which targets are missed.
    #[must_use]
    pub fn worst_residual(&self) -> Residual {
        let worst = |f: fn(&Residual) -> f64| self.residuals.iter().map(f).fold(0.0, f64::max);
        Residual { position: worst(|r| r.position), orientation: worst(|r| r.orientation) }
    }

    /// Whether every target is met.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.outcome == Outcome::Solved
    }
}
