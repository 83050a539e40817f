//! Lists with one entry per variable of a chain, from values for named joints.

use super::problem_error::check_bounds;
use super::{Bounds, ProblemError};
use urdf_ik_robot::Chain;

/// A list with one entry per variable of `chain`, in the order of the variables: the values in `named`, in any unit,
/// and `default` for the other joints. Error messages call the list `what`.
///
/// # Errors
/// [`ProblemError::UnknownJoint`] if a name is not that of a variable, [`ProblemError::JointTwice`] if a name is
/// repeated.
pub fn list_by_joint<'a, T: Copy>(
    chain: &Chain,
    what: &'static str,
    default: T,
    named: impl IntoIterator<Item = (&'a str, T)>,
) -> Result<Vec<T>, ProblemError> {
    let mut list: Vec<Option<T>> = vec![None; chain.variables().len()];
    for (joint, value) in named {
        let index = chain.variables().iter().position(|variable| variable.name == joint).ok_or_else(|| {
            let joints = chain.variable_names().into_iter().map(str::to_owned).collect();
            ProblemError::UnknownJoint { what, joint: joint.to_owned(), joints }
        })?;
        if list[index].replace(value).is_some() {
            return Err(ProblemError::JointTwice { what, joint: joint.to_owned() });
        }
    }
    Ok(list.into_iter().map(|value| value.unwrap_or(default)).collect())
}

/// Owned [`Bounds`] \[rad or m\] that are valid for their chain.
#[derive(Debug, Clone, PartialEq)]
pub struct JointBounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl JointBounds {
    /// Lower and upper bound of an unbounded joint: −∞ and ∞ \[rad or m\].
    pub const NONE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

    /// Bounds from one pair per variable of `chain`, the lower bound first \[rad or m\]. Equal bounds lock a variable.
    ///
    /// # Errors
    /// [`ProblemError::Length`] if there is not one pair per variable, [`ProblemError::Bounds`] if bounds are NaN,
    /// reversed or outside the limits.
    pub fn new(chain: &Chain, bounds: &[[f64; 2]]) -> Result<Self, ProblemError> {
        let (lower, upper) = bounds.iter().map(|[lower, upper]| (*lower, *upper)).unzip();
        let bounds = Self { lower, upper };
        check_bounds(chain, bounds.as_bounds())?;
        Ok(bounds)
    }

    /// A view of the bounds \[rad or m\] for [`Problem::bounds`](super::Problem::bounds).
    pub fn as_bounds(&self) -> Bounds<'_> {
        Bounds { lower: &self.lower, upper: &self.upper }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_robot::Robot;

    fn chain() -> Chain {
        let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf")).unwrap();
        Chain::with_defaults(&robot, None, &[]).unwrap()
    }

    #[test]
    fn joints_without_a_value_have_the_default() {
        let list = list_by_joint(&chain(), "move_weights", 0.0, [("elbow_joint", 2.0)]).unwrap();
        assert_eq!((list.len(), list.iter().sum::<f64>()), (7, 2.0));
    }

    #[test]
    fn bad_names_and_bounds_are_refused_by_name() {
        let chain = chain();
        let error = |named: &[(&str, [f64; 2])]| {
            let list = list_by_joint(&chain, "bounds", JointBounds::NONE, named.iter().copied());
            list.and_then(|list| JointBounds::new(&chain, &list)).unwrap_err().to_string()
        };
        assert!(error(&[("knee", [0.0, 1.0])]).starts_with("bounds name 'knee', which is not"), "the name");
        assert!(error(&[("elbow_joint", [0.0, 1.0]), ("elbow_joint", [0.0, 1.0])]).contains("'elbow_joint' twice"));
        for bad in [[f64::NAN, 1.0], [0.0, f64::NAN], [1.0, 0.0], [50.0, 60.0], [f64::INFINITY, f64::INFINITY]] {
            assert!(error(&[("elbow_joint", bad)]).starts_with("joint 'elbow_joint' has no position"), "{bad:?}");
        }
    }
}
