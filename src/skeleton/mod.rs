//! Figures of segments.
pub(crate) mod anderson;
mod circle;
mod cone;
mod configuration;
mod direction;
mod joint;
mod moments;
mod outcome;
pub mod pitch_yaw;
mod problem;
mod solution;
mod swing_twist;
mod tree;

pub use crate::segments::{Element, InputError, Reach};
pub use circle::{Circle, circle_between};
pub use cone::{Cone, Range};
pub use configuration::Configuration;
pub use joint::{Joint, JointError, Limit};
pub use outcome::{Outcome, Reason};
pub use problem::{Options, Problem, ProblemError, Root, Target};
pub use solution::{Residual, Solution};
pub use tree::{Segment, Skeleton, SkeletonError};
