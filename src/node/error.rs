//! Why the node cannot start.

use thiserror::Error;

use crate::parameters::Refusal;

/// Why the node cannot start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NodeError {
    /// rcl refused the arguments, or could not create its context.
    #[error("ROS 2 did not start: {0}")]
    Context(String),
    /// A node, topic or service could not be created.
    #[error("ROS 2 refused a node, topic or service: {0}")]
    Ros(#[from] r2r::Error),
    /// A parameter override was refused.
    #[error("{0}")]
    Parameter(#[from] Refusal),
    /// The operating system refused a thread, a timer or a signal handler.
    #[error("the operating system refused: {0}")]
    System(#[from] std::io::Error),
}
