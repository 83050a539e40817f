//! The problem that a solver is given: targets, seed, mode and preferences.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use nalgebra::Isometry3;
use thiserror::Error;

use crate::robot::Chain;

/// Targets farther from the base link's origin than this \[m\] are refused.
const FARTHEST: f64 = 1e9;

/// The largest errors with which a target counts as met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Largest position error \[m\], over the position axes that count.
    pub position: f64,
    /// Largest orientation error \[rad\], over the orientation axes that count.
    pub orientation: f64,
}

impl Default for Tolerance {
    /// 10 µm and 10 µrad.
    fn default() -> Self {
        Self { position: 1e-5, orientation: 1e-5 }
    }
}

/// The desired pose of a tip link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// Index of the tip among [`Chain::tips`].
    pub tip: usize,
    /// Pose of the tip link in the base link's frame.
    pub pose: Isometry3<f64>,
    /// Axes of the tip link's frame that need not match: translations along x, y, z, then rotations about x, y, z.
    ///
    /// With one rotation free, the orientation error is the angle between that axis of the tip and of the target.
    pub free_axes: [bool; 6],
    /// Largest errors with which the target counts as met.
    pub tolerance: Tolerance,
    /// Weight of its squared error against that of other targets, where not all can be met.
    pub weight: f64,
}

impl Target {
    /// A full pose in the base link's frame for the tip with index `tip`, at the default tolerance.
    #[must_use]
    pub fn new(tip: usize, pose: Isometry3<f64>) -> Self {
        Self { tip, pose, free_axes: [false; 6], tolerance: Tolerance::default(), weight: 1.0 }
    }

    /// The same target with free orientation.
    #[must_use]
    pub fn position_only(mut self) -> Self {
        self.free_axes[3..].fill(true);
        self
    }

    /// Whether all three axes of position count.
    pub(crate) fn full_position(&self) -> bool {
        !self.free_axes[..3].contains(&true)
    }

    /// Whether all three axes of orientation count.
    pub(crate) fn full_orientation(&self) -> bool {
        !self.free_axes[3..].contains(&true)
    }
}

/// Number of axes of all targets that count.
pub(super) fn counted_axes(targets: &[Target]) -> usize {
    targets.iter().map(|target| target.free_axes.iter().filter(|free| !**free).count()).sum()
}

/// Which of several solutions the solver returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// The one found first. The search starts from the seed.
    #[default]
    First,
    /// Of all that are found, the one whose largest joint move from the seed is smallest.
    Nearest,
    /// Of all that are found, the one with the greatest manipulability.
    MostManipulable,
}

impl Pick {
    /// All values.
    pub const ALL: [Self; 3] = [Self::First, Self::Nearest, Self::MostManipulable];

    /// Its name in parameters and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Nearest => "nearest",
            Self::MostManipulable => "most_manipulable",
        }
    }
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not the name of a [`Pick`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is no pick '{name}'; the picks are: {}", Pick::ALL.map(Pick::name).join(", "))]
pub struct UnknownPick {
    /// The given name.
    pub name: String,
}

impl FromStr for Pick {
    type Err = UnknownPick;

    fn from_str(name: &str) -> Result<Self, UnknownPick> {
        Self::ALL.into_iter().find(|pick| pick.name() == name).ok_or_else(|| UnknownPick { name: name.to_owned() })
    }
}

/// How the solver searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode<'a> {
    /// Follow the seed's branch of solutions: one attempt, in which each variable has a largest step from the seed.
    Track {
        /// Largest step of each variable \[rad or m\]; infinite for no bound.
        max_step: &'a [f64],
    },
    /// Find any solution: start from the seed, then from other starting points.
    Search {
        /// Which of the solutions that are found to return.
        pick: Pick,
        /// Largest number of starting points, including the seed.
        attempts: usize,
        /// Selects the sequence of starting points that follows the seed table.
        random_seed: u64,
    },
}

impl Mode<'_> {
    /// [`Mode::Search`] for the first solution, with 100 attempts.
    #[must_use]
    pub fn search() -> Self {
        Self::Search { pick: Pick::First, attempts: 100, random_seed: 0 }
    }
}

/// Preferences among the solutions of a redundant chain or of a target with free axes, by motions in the null space.
///
/// The solver minimises the sum of the terms below, each times its weight. The targets stay met within their tolerances.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Preference<'a> {
    /// Preferred positions, one entry for each variable \[rad or m\].
    pub posture: Option<&'a [f64]>,
    /// Weight of half the squared distance to that posture \[rad²\], prismatic joints over the length scale.
    pub posture_weight: f64,
    /// Weight of half the squared distance of each variable from the middle of its limits, over half their range.
    pub limits_weight: f64,
    /// Weights of half the squared moves from the seed, one entry for each variable \[1/rad² or 1/m²\]. One over the square of a variable's
    /// velocity limit makes slow joints move less than fast ones.
    pub move_weights: Option<&'a [f64]>,
    /// Weight of the negative logarithm of the manipulability (Yoshikawa 1985, "Manipulability of robotic mechanisms"): the
    /// product of the singular values of the Jacobian, in the sense of
    /// [`Solution::smallest_singular_value`](super::Solution::smallest_singular_value).
    pub manipulability_weight: f64,
}

impl Preference<'_> {
    /// Whether no configuration is preferred. Short moves may be: they are preferred anyway.
    pub(crate) fn is_none(&self) -> bool {
        (self.posture.is_none() || self.posture_weight == 0.0)
            && self.limits_weight == 0.0
            && self.manipulability_weight == 0.0
    }
}

/// One problem for a solver.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// Desired poses of the tips: at least one, and at most one for each tip. Tips without a target are free.
    pub targets: &'a [Target],
    /// Positions to start from, one entry for each variable \[rad or m\]. Positions outside the limits are moved to the limits.
    pub seed: &'a [f64],
    /// How the solver searches.
    pub mode: Mode<'a>,
    /// Preferences for the null space.
    pub preference: Preference<'a>,
    /// Time after which the search ends with the best positions so far. It is a safeguard: the number of attempts is the budget.
    pub deadline: Option<Duration>,
}

/// Why a problem is not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// There is no target.
    #[error("the problem has no target")]
    NoTarget,
    /// A target names a tip that the chain does not have.
    #[error("target {target} is for tip {tip}, but the chain has {tips}")]
    UnknownTip {
        /// Index of the target.
        target: usize,
        /// Index of the tip.
        tip: usize,
        /// Number of tips.
        tips: usize,
    },
    /// Two targets are for one tip.
    #[error("two targets are for the tip link '{tip}'")]
    TipTwice {
        /// The tip link.
        tip: String,
    },
    /// A target pose has an entry that is NaN or infinite.
    #[error("the target pose of '{tip}' has an entry that is not a finite number")]
    TargetNotFinite {
        /// The tip link.
        tip: String,
    },
    /// A target position is so far away that squares of distances lose their meaning.
    #[error("the target position of '{tip}' lies at {distance:e} m on one axis; it must lie within {FARTHEST:e} m")]
    TargetTooFar {
        /// The tip link.
        tip: String,
        /// Its largest coordinate \[m\].
        distance: f64,
    },
    /// Every axis is free.
    #[error("the target of '{tip}' leaves all six axes free; at least one must count")]
    NothingAsked {
        /// The tip link.
        tip: String,
    },
    /// The position of a tip counts that the chain only rotates.
    #[error(
        "the chain only rotates '{tip}', since its joints and the tip all lie in one point; leave the position free \
         (x, y, z) and ask for the orientation alone"
    )]
    OnlyRotates {
        /// The tip link.
        tip: String,
    },
    /// A weight is not above zero.
    #[error("the weight of the target of '{tip}' is {value}; it must be a finite number above 0")]
    Weight {
        /// The tip link.
        tip: String,
        /// The given value.
        value: f64,
    },
    /// A tolerance is not above zero.
    #[error("the {which} tolerance is {value}; it must be a finite number above 0")]
    Tolerance {
        /// `position` or `orientation`.
        which: &'static str,
        /// The given value.
        value: f64,
    },
    /// A weight of the preference is NaN, infinite or negative.
    #[error("the {which} weight is {value}; it must be a finite number, 0 or more")]
    PreferenceWeight {
        /// `posture`, `limits`, `manipulability` or `move`.
        which: &'static str,
        /// The given value.
        value: f64,
    },
    /// The seed, the preferred posture, or the list of steps, has another length than the chain.
    #[error("the {what} has {found} entries; the chain has {expected} variables")]
    Length {
        /// `seed`, `preferred posture`, `move weights` or `max_step`.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A position of the seed or of the preferred posture is NaN or infinite.
    #[error("the {what} of joint '{joint}' is {value}; it must be a finite number")]
    NotFinite {
        /// `seed` or `preferred posture`.
        what: &'static str,
        /// The joint.
        joint: String,
        /// The given value.
        value: f64,
    },
    /// A step bound is NaN or negative.
    #[error("the largest step of joint '{joint}' is {value}; it must be 0 or more")]
    Step {
        /// The joint.
        joint: String,
        /// The given value.
        value: f64,
    },
}

impl<'a> Problem<'a> {
    /// A search for the first solution from `seed`, without preference or deadline.
    #[must_use]
    pub fn new(targets: &'a [Target], seed: &'a [f64]) -> Self {
        Self { targets, seed, mode: Mode::search(), preference: Preference::default(), deadline: None }
    }

    /// Checks that the problem is valid for `chain`.
    pub(super) fn check(&self, chain: &Chain) -> Result<(), ProblemError> {
        if self.targets.is_empty() {
            return Err(ProblemError::NoTarget);
        }
        for (index, target) in self.targets.iter().enumerate() {
            let tips = chain.tips().len();
            let tip = chain.tips().get(target.tip);
            let tip = tip.ok_or(ProblemError::UnknownTip { target: index, tip: target.tip, tips })?;
            if self.targets[..index].iter().any(|other| other.tip == target.tip) {
                return Err(ProblemError::TipTwice { tip: tip.link.clone() });
            }
            target.check(&tip.link)?;
        }
        check_positions(chain, "seed", self.seed)?;
        self.preference.check(chain)?;
        if let Mode::Track { max_step } = self.mode {
            check_length(chain, "max_step", max_step.len())?;
            for (variable, &value) in chain.variables().iter().zip(max_step) {
                if value.is_nan() || value < 0.0 {
                    return Err(ProblemError::Step { joint: variable.name.clone(), value });
                }
            }
        }
        Ok(())
    }
}

impl Target {
    fn check(&self, tip: &str) -> Result<(), ProblemError> {
        let finite = self.pose.translation.vector.iter().chain(self.pose.rotation.coords.iter()).all(|v| v.is_finite());
        if !finite {
            return Err(ProblemError::TargetNotFinite { tip: tip.to_owned() });
        }
        let distance = self.pose.translation.vector.amax();
        if distance > FARTHEST {
            return Err(ProblemError::TargetTooFar { tip: tip.to_owned(), distance });
        }
        if !self.free_axes.contains(&false) {
            return Err(ProblemError::NothingAsked { tip: tip.to_owned() });
        }
        if !(self.weight.is_finite() && self.weight > 0.0) {
            return Err(ProblemError::Weight { tip: tip.to_owned(), value: self.weight });
        }
        for (which, value) in [("position", self.tolerance.position), ("orientation", self.tolerance.orientation)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(ProblemError::Tolerance { which, value });
            }
        }
        Ok(())
    }
}

impl Preference<'_> {
    /// Checks that the preference is valid for `chain`.
    pub(crate) fn check(&self, chain: &Chain) -> Result<(), ProblemError> {
        if let Some(posture) = self.posture {
            check_positions(chain, "preferred posture", posture)?;
        }
        if let Some(weights) = self.move_weights {
            check_length(chain, "move weights", weights.len())?;
        }
        let moves = self.move_weights.unwrap_or_default().iter().map(|weight| ("move", *weight));
        for (which, value) in moves.chain([
            ("posture", self.posture_weight),
            ("limits", self.limits_weight),
            ("manipulability", self.manipulability_weight),
        ]) {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ProblemError::PreferenceWeight { which, value });
            }
        }
        Ok(())
    }
}

fn check_positions(chain: &Chain, what: &'static str, positions: &[f64]) -> Result<(), ProblemError> {
    check_length(chain, what, positions.len())?;
    for (variable, &value) in chain.variables().iter().zip(positions) {
        if !value.is_finite() {
            return Err(ProblemError::NotFinite { what, joint: variable.name.clone(), value });
        }
    }
    Ok(())
}

fn check_length(chain: &Chain, what: &'static str, found: usize) -> Result<(), ProblemError> {
    let expected = chain.variables().len();
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, found, expected }) }
}
