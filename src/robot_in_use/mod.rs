//! The robot in use: its description, its measured joints, and frames relative to it.

pub(crate) mod configuration;
pub(crate) mod description;
pub(crate) mod frames;
pub(crate) mod link_poses;
pub(crate) mod measured;

pub(crate) use configuration::Configuration;
pub(crate) use description::{LoadedRobot, ReadyRobot};
pub(crate) use frames::{Frames, LocatedFrame};
pub(crate) use measured::{Measured, Measurement};
