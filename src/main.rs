//! The ROS 2 node. See the library of this crate.

#![forbid(unsafe_code)]

use std::process::ExitCode;

/// The allocator of the whole process, also of C and C++: it gives the memory of large messages back to the system. On
/// other processors its page size would have to be chosen.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match urdf_ik_node::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("urdf_ik_node: {error}");
            ExitCode::FAILURE
        }
    }
}
