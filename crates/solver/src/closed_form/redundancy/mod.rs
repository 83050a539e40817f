//! Arms of seven revolute joints. A pose leaves them a continuum of configurations, which is swept for the one that a problem prefers.
//!
//! A search along a free joint has one shape, whether that is the arm angle ([`arm_angle_search`]), an outermost joint ([`offset_search`]) or
//! a locked one ([`sweep`]). [`starts`] are the best places of a grid, by the largest move from the seed. A [`descent`] goes down from each.

mod arm_angle;
mod arm_angle_search;
mod descent;
mod joint_ranges;
mod locked_joint;
mod offset;
mod offset_search;
mod seven_axis;
mod single;
mod spherical_joint;
mod starts;
mod sweep;

pub(super) use seven_axis::SevenAxis;
