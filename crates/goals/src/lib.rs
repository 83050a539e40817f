//! Goals of a configuration besides poses: a point inside a box, a distance, an axis within a cone, bounds of an
//! orientation, gaze, relations of joints, and the centre of mass.
//!
//! A [`Goal`] refers to a link, or to a link relative to another one. It has a few scalar values, each with an
//! interval, and is met where none of them exceeds its interval by more than the tolerance. Each kind is one file
//! with its values, their derivatives, its fields in requests and its sentence; [`KINDS`] lists them.
//!
//! ```
//! use serde_json::json;
//! use urdf_ik_goals::{ExactConfiguration, Goal, GoalContext, Rows};
//! use urdf_ik_robot::{Chain, ChainPoses, Robot};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let robot = Robot::from_urdf_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../urdf/arm7.urdf"))?;
//! let chain = Chain::with_defaults(&robot, None, &[])?;
//! let context = GoalContext { robot: &robot, chain: &chain, positions: &robot.neutral_positions(), frames: &[] };
//! // A cup that is level within 5°.
//! let level = json!({"type": "cone", "axis": [0, 0, 1], "direction": [0, 0, 1], "angle": 0.087});
//! let goal = Goal::read(&level, &context)?;
//! let mut poses = ChainPoses::new(&chain);
//! let positions = chain.nominal_positions();
//! chain.forward_kinematics(&positions, &mut poses);
//! let at = ExactConfiguration { positions: &positions, poses: &poses };
//! println!("{}", goal.sentence(goal.violation(&at, &mut Rows::default())));
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod alignment;
mod center_of_mass;
mod cone;
mod distance;
mod drawing;
mod frames;
mod gaze;
mod goal;
mod joints;
mod orientation;
mod position;
mod rows;

pub use center_of_mass::CenterOfMass;
pub use cone::Cone;
pub use distance::Distance;
pub use drawing::{Drawing, Grip, GripValue, Region, Subject};
pub use frames::{Aim, Between, Configuration, FixedFrame, GoalContext, Middle, Place, Places, Relative};
pub use gaze::Gaze;
pub use goal::{
    ExactConfiguration, Goal, GoalError, KINDS, Kind, KindReader, MAX_GOALS, Requirement, TOLERANCE, Unit,
    distinct_names,
};
pub use joints::Joints;
pub use orientation::{Orientation, Parameterization};
pub use position::Position;
pub use rows::{Derivative, MAX_ROWS, Row, Rows};

#[cfg(test)]
mod tests;
