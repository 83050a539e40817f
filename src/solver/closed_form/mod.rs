//! Inverse kinematics in closed form: every solution at once, to machine precision, for arms whose geometry allows it.

pub mod three_link;
pub mod two_link;
