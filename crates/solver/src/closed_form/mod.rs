//! Solves by closed forms: what the formulas of [`urdf_ik_closed_form`] find is measured, folded into the limits and handed out.
//!
//! Near a family the solutions of its formulas are starting points, from which Newton steps of the
//! [Jacobian method](super::Method::Jacobian) lead to where the arm itself meets the target.

mod chain_form;
mod choices;
mod redundancy;
mod short_chains;
mod solve;

pub use chain_form::ClosedForm;
pub use urdf_ik_closed_form::{
    ArmSolutions, AxisDeviation, EXACT_DEVIATION, Family, FamilyKind, Greatest, JOINTS, MAX_SOLUTIONS, MIN_JOINTS,
    NEAR_DEVIATION, NoClosedForm, REDUNDANT_JOINTS, Shoulder, family, subproblems, three_link, turn, two_link,
};
