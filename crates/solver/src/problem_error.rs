//! Errors of invalid problems, and the checks of their lists.

use thiserror::Error;

use super::Bounds;
use urdf_ik_mathematics::segments::MAX_COORDINATE;
use urdf_ik_robot::{Chain, Domain};
use urdf_ik_text::names::{self, number, short};

/// Why a problem is not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The problem has neither a target nor a goal.
    #[error("the problem has no target")]
    NoTarget,
    /// A target refers to a tip that the chain does not have.
    #[error("target {target} is for tip {tip}, but the chain has {tips}")]
    UnknownTip {
        /// Index of the target.
        target: usize,
        /// Invalid index of the tip.
        tip: usize,
        /// Number of tips of the chain.
        tips: usize,
    },
    /// Two targets refer to the same tip.
    #[error("two targets are for the tip link '{tip}'")]
    TipTwice {
        /// Name of the tip link.
        tip: String,
    },
    /// A target pose has an entry that is NaN or infinite.
    #[error("the target pose of '{tip}' has an entry that is not a finite number")]
    TargetNotFinite {
        /// Name of the tip link.
        tip: String,
    },
    /// A target position is so far away that squared distances lose precision.
    #[error(
        "the target position of '{tip}' lies at {distance:e} m on one axis; it must lie within {MAX_COORDINATE:e} m"
    )]
    TargetTooFar {
        /// Name of the tip link.
        tip: String,
        /// Largest absolute coordinate in the base link's frame \[m\].
        distance: f64,
    },
    /// All six axes of a target are free.
    #[error("the target of '{tip}' leaves all six axes free; at least one must count")]
    NothingAsked {
        /// Name of the tip link.
        tip: String,
    },
    /// The target constrains the position of a tip that the chain can only rotate.
    #[error(
        "the chain only rotates '{tip}', since its joints and the tip all lie in one point; leave the position free \
         (x, y, z) and ask for the orientation alone"
    )]
    OnlyRotates {
        /// Name of the tip link.
        tip: String,
    },
    /// The weight of a target is not a finite number above 0.
    #[error("the weight of the target of '{tip}' is {}; it must be a finite number above 0", number(*value))]
    Weight {
        /// Name of the tip link.
        tip: String,
        /// The invalid weight.
        value: f64,
    },
    /// A tolerance is not a finite number above 0 \[m or rad\].
    #[error("the {which} tolerance is {}; it must be a finite number above 0", number(*value))]
    Tolerance {
        /// Name of the tolerance: `position` or `orientation`.
        which: &'static str,
        /// The invalid value \[m or rad\].
        value: f64,
    },
    /// The margin of the clearance is NaN, infinite or negative.
    #[error("the margin of the clearance is {} m; it must be a finite number, 0 or more", number(*value))]
    Margin {
        /// The invalid margin \[m\].
        value: f64,
    },
    /// The scene of the clearance is of a chain with another number of variables.
    #[error(
        "the scene of the clearance is that of a chain with {variables} variables, but this one has {expected}: make it of the same chain"
    )]
    OtherScene {
        /// Number of variables of the scene's chain.
        variables: usize,
        /// Number of variables of the solver's chain.
        expected: usize,
    },
    /// A value is given for a joint that is not a variable of the chain.
    #[error(
        "{what} name '{}', which is not one of the joints that are solved for: {}",
        short(joint),
        names::list(joints)
    )]
    UnknownJoint {
        /// Name of the list: `bounds` or `move_weights`.
        what: &'static str,
        /// The unknown name.
        joint: String,
        /// Names of the chain's variables.
        joints: Vec<String>,
    },
    /// A list has two values for the same joint.
    #[error("{what} name '{}' twice", short(joint))]
    JointTwice {
        /// Name of the list: `bounds` or `move_weights`.
        what: &'static str,
        /// Name of the joint.
        joint: String,
    },
    /// A move weight of the preference is NaN, infinite or negative.
    #[error("the move weight of joint '{joint}' is {}; it must be a finite number, 0 or more", number(*value))]
    MoveWeight {
        /// Name of the joint.
        joint: String,
        /// The invalid weight \[1/rad² or 1/m²\].
        value: f64,
    },
    /// A weight of the preference is NaN, infinite or negative.
    #[error("the {which} weight is {}; it must be a finite number, 0 or more", number(*value))]
    PreferenceWeight {
        /// Name of the term: `posture`, `limits` or `manipulability`.
        which: &'static str,
        /// The invalid weight.
        value: f64,
    },
    /// The bounds of a variable are NaN, reversed or outside its limits.
    #[error("joint '{joint}' has no position: its bounds are {} to {}, and its limits {limits}", number(*lower), number(*upper))]
    Bounds {
        /// Name of the joint.
        joint: String,
        /// Lower bound \[rad or m\].
        lower: f64,
        /// Upper bound \[rad or m\].
        upper: f64,
        /// Joint limits, in words.
        limits: String,
    },
    /// A list does not have one entry per variable of the chain.
    #[error("the {what} has {found} entries; the chain has {expected} variables")]
    Length {
        /// Name of the list: `seed`, `preferred posture`, `move weights`, `lower bounds`, `upper bounds`, `max_step`
        /// or `max_step of the preference`.
        what: &'static str,
        /// Number of entries.
        found: usize,
        /// Number of variables of the chain.
        expected: usize,
    },
    /// A position of the seed or of the preferred posture is NaN or infinite.
    #[error("the {what} of joint '{joint}' is {value}; it must be a finite number")]
    NotFinite {
        /// Name of the list: `seed` or `preferred posture`.
        what: &'static str,
        /// Name of the joint.
        joint: String,
        /// The invalid position \[rad or m\].
        value: f64,
    },
    /// A largest step is NaN or negative.
    #[error("the largest step of joint '{joint}' is {}; it must be 0 or more", number(*value))]
    Step {
        /// Name of the joint.
        joint: String,
        /// The invalid step \[rad or m\].
        value: f64,
    },
}

pub(super) fn check_positions(chain: &Chain, what: &'static str, positions: &[f64]) -> Result<(), ProblemError> {
    check_length(chain, what, positions.len())?;
    for (variable, &value) in chain.variables().iter().zip(positions) {
        if !value.is_finite() {
            return Err(ProblemError::NotFinite { what, joint: variable.name.clone(), value });
        }
    }
    Ok(())
}

/// Checks largest steps: one entry per variable, 0 or more.
pub(super) fn check_steps(chain: &Chain, what: &'static str, steps: &[f64]) -> Result<(), ProblemError> {
    check_length(chain, what, steps.len())?;
    let mut steps = chain.variables().iter().zip(steps);
    match steps.find(|(_, step)| step.is_nan() || **step < 0.0) {
        Some((variable, &value)) => Err(ProblemError::Step { joint: variable.name.clone(), value }),
        None => Ok(()),
    }
}

/// Checks bounds: one entry per variable, each allowing a position within the limits.
pub(super) fn check_bounds(chain: &Chain, bounds: Bounds) -> Result<(), ProblemError> {
    check_length(chain, "lower bounds", bounds.lower.len())?;
    check_length(chain, "upper bounds", bounds.upper.len())?;
    for (index, variable) in chain.variables().iter().enumerate() {
        let (lower, upper) = (bounds.lower[index], bounds.upper[index]);
        let [least, greatest] = bounds.within(index, variable.domain).ends();
        let is_some = least <= greatest && least < f64::INFINITY && greatest > f64::NEG_INFINITY;
        if lower.is_nan() || upper.is_nan() || !is_some {
            let [least, greatest] = variable.domain.ends().map(number);
            let limits =
                if variable.domain == Domain::Circle { "none".into() } else { format!("{least} to {greatest}") };
            return Err(ProblemError::Bounds { joint: variable.name.clone(), lower, upper, limits });
        }
    }
    Ok(())
}

pub(super) fn check_length(chain: &Chain, what: &'static str, found: usize) -> Result<(), ProblemError> {
    let expected = chain.variables().len();
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, found, expected }) }
}
