//! The ROS 2 node. See the library of this crate.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    match urdf_ik_node::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("urdf_ik_node: {error}");
            ExitCode::FAILURE
        }
    }
}
