//! The Python module `urdfik`: inverse kinematics for any robot with a URDF, with NumPy arrays in and out.
//!
//! It is the library [`urdf_ik`] and the command line: what comes from Python is checked and becomes a problem of the
//! library, whose answer becomes arrays, with the same bits. The module `urdfik._urdfik` is this crate; what holds
//! answers is Python, in `python/urdfik`.

#![forbid(unsafe_code)]

mod answers;
mod arguments;
mod arm;
mod arrays;
mod batch;
mod deprecated;
mod figures;
mod goals;
mod interruption;
mod joint_options;
mod kinematics;
mod motion;
mod options;
mod path_or_text;
mod pitch_yaw;
mod plain_data;
mod poses;
mod robot;
mod saved_world;
mod servo;
mod shared;
mod skeleton;
mod solve;
mod tip_commands;
mod world;

use std::ffi::OsString;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    urdfik,
    Error,
    PyValueError,
    "An argument or a file is invalid. The message names it and says what to do."
);

/// A `urdfik.Error` with this message.
fn refused(sentence: impl std::fmt::Display) -> PyErr {
    Error::new_err(sentence.to_string())
}

/// Runs a command of the command line, whose first argument is the name of the program, and returns the exit status.
#[pyfunction]
fn run_command(arguments: Vec<OsString>) -> u8 {
    urdf_ik_cli::run(arguments)
}

#[pymodule]
mod _urdfik {
    #[pymodule_export]
    use super::{
        Error, arm::rebuild_arm, goals::pose_numbers, robot::PyRobot, robot::rebuild_robot, run_command,
        servo::PyServo, servo::rebuild_servo, shared::PyArm, shared::PyWorld, skeleton::PySkeleton,
    };
}
