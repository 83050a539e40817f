//! The program `urdf_ik`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(urdf_ik_cli::run(std::env::args_os()))
}
