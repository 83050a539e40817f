//! Arms of seven turning joints, which have a continuum of postures for a pose: it is gone over for the posture that a problem prefers.

mod arm_angle;
mod arm_angle_search;
mod descent;
mod grid;
mod locked;
mod minimax_line;
mod miss;
mod offset;
mod room;
mod single;
mod spherical_joint;
mod sweep;
#[cfg(test)]
mod testing;

pub(super) use locked::Locked;
