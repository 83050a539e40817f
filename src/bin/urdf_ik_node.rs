//! The ROS 2 node. See the crate's module `node`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match urdf_ik::node::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("urdf_ik_node: {error}");
            ExitCode::FAILURE
        }
    }
}
