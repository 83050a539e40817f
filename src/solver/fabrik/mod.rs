//! Forward and backward reaching inverse kinematics (FABRIK; Aristidou and Lasenby 2011).

pub mod limiter;
mod scatter;
pub mod tree;
