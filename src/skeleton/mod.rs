//! Models made of segments, without a URDF: FABRIK on chains of free points ([`points`]), on trees of points ([`tree`]) and on
//! chains with limited joints ([`limiter`]), and the arm of summed pitch and yaw ([`pitch_yaw`]). They share [`segments`].

mod anderson;
pub mod limiter;
pub mod pitch_yaw;
pub mod points;
pub mod segments;
pub mod tree;
