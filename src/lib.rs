//! The ROS 2 node of `urdf_ik`: a thin layer that puts robot and solver on the ROS graph.

#![forbid(unsafe_code)]

pub mod node;

use urdf_ik::{UniqueKeys, collision, config, files, motion, parameters, robot, segments, solver, spatial};
use urdf_ik_text::names;
