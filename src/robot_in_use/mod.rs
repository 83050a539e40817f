//! The robot in use: its description, its measured joints, frames relative to it, and goals.

pub(crate) mod configuration;
pub(crate) mod description;
pub(crate) mod frames;
mod goal_names;
pub(crate) mod goals;
pub(crate) mod link_poses;
pub(crate) mod measured;

pub(crate) use configuration::Configuration;
pub(crate) use description::{LoadedRobot, ReadyRobot};
pub(crate) use frames::{Frames, LocatedFrame};
pub(crate) use goals::{GoalReader, RequestedGoals, StandingGoals};
pub(crate) use measured::{Measured, Measurement};
