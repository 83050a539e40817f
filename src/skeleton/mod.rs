//! Figures of segments apart from any URDF: FABRIK on chains of free points ([`points`]), on trees of them ([`tree`]), on chains with
//! limited joints ([`limiter`]), and the arm of summed pitch and yaw ([`pitch_yaw`]). [`segments`] has what they share.

mod anderson;
pub mod limiter;
pub mod pitch_yaw;
pub mod points;
pub mod segments;
pub mod tree;
