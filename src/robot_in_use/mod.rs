//! The robot in use: where it comes from, where its joints are, and where frames are from it.

pub(crate) mod configuration;
pub(crate) mod description;
pub(crate) mod frames;
pub(crate) mod link_poses;
pub(crate) mod measured;

pub(crate) use configuration::Configuration;
pub(crate) use description::{LoadedRobot, ReadyRobot};
pub(crate) use frames::{Frames, Located};
pub(crate) use measured::{Measured, Measurement};
