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
        /// Index of the target among the problem's targets.
        target: usize,
        /// Invalid index of the tip.
        tip: usize,
        /// Number of tips of the chain.
        tips: usize,
    },
    /// Two targets refer to the tip link with this name.
    #[error("two targets are for the tip link '{0}'")]
    TipTwice(String),
    /// The target pose of the tip link with this name has an entry that is NaN or infinite.
    #[error("the target pose of '{0}' has an entry that is not a finite number")]
    TargetNotFinite(String),
    /// A target position is so far away that squared distances lose precision.
    #[error(
        "the target position of '{tip}' lies at {distance:e} m on one axis; it must lie within {MAX_COORDINATE:e} m"
    )]
    TargetTooFar {
        /// Name of the tip link.
        tip: String,
        /// Largest absolute coordinate of the target position in the base link's frame \[m\].
        distance: f64,
    },
    /// All six axes of the target of the tip link with this name are free.
    #[error("the target of '{0}' leaves all six axes free; at least one must count")]
    NothingAsked(String),
    /// A target constrains the position of the tip link with this name, but the chain can only rotate this link.
    #[error(
        "the chain only rotates '{0}', since its joints and the tip all lie in one point; leave the position free \
         (x, y, z) and ask for the orientation alone"
    )]
    OnlyRotates(String),
    /// The margin of the clearance is NaN, infinite or negative.
    #[error("the margin of the clearance is {} m; it must be a finite number, 0 or more", number(*value))]
    Margin {
        /// The invalid margin \[m\].
        value: f64,
    },
    /// The scene of the clearance belongs to a chain with another number of variables.
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
        /// The name that is not that of a variable.
        joint: String,
        /// Names of the chain's variables, in order.
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
    /// The bounds of a variable are NaN, reversed or outside its limits.
    #[error("joint '{joint}' has no position: its bounds are {} to {}, and its limits {limits}", number(*lower), number(*upper))]
    Bounds {
        /// Name of the joint.
        joint: String,
        /// Lower bound \[rad or m\].
        lower: f64,
        /// Upper bound \[rad or m\].
        upper: f64,
        /// Joint limits \[rad or m\], in words.
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
    /// A position, largest step, weight or tolerance is outside its range.
    #[error("the {what} is {}; it must be {range}", number(*value))]
    Number {
        /// Name of the number, with its joint or tip link if there are several.
        what: String,
        /// The invalid number: a position or step \[rad or m\], a tolerance \[m or rad\] or a weight.
        value: f64,
        /// The valid range, in words.
        range: &'static str,
    },
}

/// A range of numbers.
#[derive(Clone, Copy)]
pub(super) struct NumberRange {
    words: &'static str,
    contains: fn(f64) -> bool,
}

impl NumberRange {
    pub(super) const FINITE: Self = Self { words: "a finite number", contains: f64::is_finite };
    pub(super) const POSITIVE: Self = Self { words: "a finite number above 0", contains: |x| x.is_finite() && x > 0.0 };
    pub(super) const WEIGHT: Self =
        Self { words: "a finite number, 0 or more", contains: |x| x.is_finite() && x >= 0.0 };
    pub(super) const STEP: Self = Self { words: "0 or more", contains: |x| x >= 0.0 };

    /// Checks a number that messages call `what`.
    pub(super) fn check(self, value: f64, what: impl FnOnce() -> String) -> Result<(), ProblemError> {
        if (self.contains)(value) {
            return Ok(());
        }
        Err(ProblemError::Number { what: what(), value, range: self.words })
    }

    /// Checks a list with one number per variable. Messages call it `list`, and a number in it `entry`.
    pub(super) fn check_list(
        self,
        chain: &Chain,
        [list, entry]: [&'static str; 2],
        values: &[f64],
    ) -> Result<(), ProblemError> {
        check_length(chain, list, values.len())?;
        let mut values = chain.variables().iter().zip(values);
        values.try_for_each(|(variable, value)| self.check(*value, || format!("{entry} of joint '{}'", variable.name)))
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

fn check_length(chain: &Chain, what: &'static str, found: usize) -> Result<(), ProblemError> {
    let expected = chain.variables().len();
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, found, expected }) }
}
