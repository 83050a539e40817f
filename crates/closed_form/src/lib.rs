//! Closed-form solutions of chains of revolute joints, found from their axes. Six joints have all their solutions at
//! once, to machine precision. Seven joints are swept by the arm angle or by one joint. To two to five joints others
//! are added.
//!
//! The axes decide the family ([`Family`]). Most families are decomposable into a few [subproblems] that have closed forms (Elias and
//! Wen 2022, "IK-Geo: Unified robot inverse kinematics using subproblem decomposition"; Ostermeier et al. 2024, "Automatic geometric
//! decomposition for analytical inverse kinematics"). A spherical wrist on a general shoulder, and three parallel axes before a wrist
//! of skew ones, lead to an equation of the fourth degree (Pieper 1968, "The kinematics of manipulators under computer control").
//! Read from the tip to the base, a chain may belong to a family that it does not belong to otherwise. The general 6R arm has up to 16
//! solutions, which are the zeros of a determinant that depends on one joint angle (Raghavan and Roth 1993, "Inverse kinematics of
//! the general 6R manipulator and related linkages").
//!
//! Axes that miss a family by more than rounding ([`EXACT_DEVIATION`]) but not by much ([`NEAR_DEVIATION`]) still have
//! its solutions for starting points: Newton steps lead from there to where the arm itself meets the target. Every
//! solution, of either kind of arm, is measured by the chain's forward kinematics before it counts.
//!
//! Arms of [two](two_link) and [three](three_link) links have formulas of their own.

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
mod decomposition;
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
    arm::{Arm, CONDITION_SLACK},
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
