//! Arms of seven revolute joints. A pose leaves them a continuum of configurations, which is swept for the one that a problem prefers.

mod arm_angle;
mod arm_angle_search;
mod descent;
mod grid;
mod joint_ranges;
mod locked_joint;
mod minimax_line;
mod offset;
mod offset_search;
mod seven_axis;
mod single;
mod spherical_joint;
mod sweep;

pub(super) use seven_axis::SevenAxis;
