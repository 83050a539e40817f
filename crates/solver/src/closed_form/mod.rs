//! Solves by closed forms: the solutions of the formulas of [`urdf_ik_closed_form`] are wrapped into the limits and
//! verified by forward kinematics.
//!
//! For arms near a family they are starting points, refined on the real arm by Newton steps of the [Jacobian
//! method](super::Method::Jacobian).

mod candidates;
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
