//! Closed-form inverse kinematics of chains of revolute joints, derived from their joint axes: all solutions of six
//! joints, to machine precision. Chains of two to five joints are extended to six. Seven joints are swept by one of
//! them (`urdf_ik_solver`).
//!
//! The axes determine the [`Family`]. Most families decompose into [subproblems] with closed-form solutions (Elias
//! and Wen 2022, "IK-Geo: Unified robot inverse kinematics using subproblem decomposition"; Ostermeier et al. 2024,
//! "Automatic geometric decomposition for analytical inverse kinematics"). A spherical wrist on a general shoulder,
//! and three parallel axes before a wrist of skew ones, lead to a quartic equation (Pieper 1968, "The kinematics of
//! manipulators under computer control"). A chain is also tried in reverse, from its tip to its base. The general 6R
//! arm has up to 16 solutions, the zeros of a determinant that depends on one joint angle (Raghavan and Roth 1993,
//! "Inverse kinematics of the general 6R manipulator and related linkages").
//!
//! Axes that deviate from a family by more than rounding ([`EXACT_DEVIATION`]), but by little ([`NEAR_DEVIATION`]),
//! still use its solutions as starting points of Newton steps on the real arm. Every solution is verified by the
//! chain's forward kinematics.
//!
//! Arms of [two](two_link) and [three](three_link) links have their own formulas.
//!
//! Angles remain cosine and sine until the end, and half angles replace an arccosine where it would lose half of the
//! digits: straight wrists, folded elbows and stretched arms stay exact. A closed form that is only approximately valid
//! provides a starting point, never an answer.
//!
//! ```
//! use nalgebra::Point2;
//! use urdf_ik_closed_form::two_link::{Shape, TwoLink};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let arm = TwoLink::new([0.4, 0.3])?;
//! let solutions = arm.solve(&Point2::new(0.3, 0.4))?;
//! assert_eq!((solutions.shape, solutions.configurations().len()), (Shape::Bent, 2));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod arm;
mod arm_solutions;
mod axes;
mod axis_deviation;
pub mod family;
mod general;
mod line;
mod no_closed_form;
mod self_check;
mod shared_steps;
mod six_axis;
mod spherical_wrist;
pub mod subproblems;
pub mod three_link;
mod three_parallel_axes;
mod trigonometric;
pub mod turn;
pub mod two_link;
mod whole_turns;

pub use arm_solutions::{ArmSolutions, MAX_SOLUTIONS};
pub use axes::{JOINTS, MIN_JOINTS, REDUNDANT_JOINTS};
pub use axis_deviation::{AxisDeviation, EXACT_DEVIATION, Greatest, NEAR_DEVIATION};
pub use family::{Family, FamilyKind, Shoulder};
pub use no_closed_form::NoClosedForm;
#[doc(hidden)]
pub use {
    arm::{CONDITION_SLACK, DecomposableArm},
    arm_solutions::SAME_SOLUTION,
    axes::Axes,
    axis_deviation::{AxisConditions, with_deviation},
    line::Line,
    self_check::{SAMPLE_POSITIONS, self_check},
    six_axis::SixAxis,
    trigonometric::Linear,
    turn::Turn,
    whole_turns::same,
};
