//! Reasons why the node cannot start.

use std::env;

use thiserror::Error;

use urdf_ik_parameters::Refusal;
use urdf_ik_text::names;

/// Reasons why the node cannot start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NodeError {
    /// An unknown argument of the command line.
    #[error("there is no argument '{}': urdf_ik_node --help lists what there is", names::short(.0))]
    Argument(String),
    /// rcl refused the arguments, or could not create its context.
    #[error("ROS 2 did not start: {0}")]
    Context(String),
    /// A node, topic or service could not be created.
    #[error("ROS 2 refused a node, topic or service: {0}{causes}", causes = causes_under_security())]
    Ros(#[from] r2r::Error),
    /// A parameter override was refused.
    #[error("{0}")]
    Parameter(#[from] Refusal),
    /// The robot of a parameter cannot be used.
    #[error("the robot of the parameter {parameter} is refused: {reason}")]
    Robot {
        /// Name of the parameter.
        parameter: &'static str,
        /// The problem.
        reason: String,
    },
    /// The operating system refused a thread, a timer or a signal handler.
    #[error("the operating system refused: {0}")]
    System(#[from] std::io::Error),
}

/// The usual causes of a refusal under SROS 2: r2r passes on no more than a number.
fn causes_under_security() -> &'static str {
    if env::var_os("ROS_SECURITY_ENABLE").is_some_and(|value| value == "true") {
        ". ROS_SECURITY_ENABLE is true, so the cause may be a middleware without security, an enclave without all of its files, \
         an expired or foreign certificate, or a name missing from the permissions: see docs/security.md"
    } else {
        ""
    }
}
