//! Arms of seven turning joints, which have a continuum of postures for a pose: it is gone over for the posture that a problem prefers.

mod arm_angle;
mod ball;
mod descent;
mod grid;
mod least_move;
mod locked;
mod miss;
#[cfg(test)]
mod odd_arms;
mod offset;
mod room;
mod single;
mod sweep;
mod swivel;

pub(super) use locked::Locked;
