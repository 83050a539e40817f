//! Arms of seven revolute joints. The configurations that meet a pose form self-motion curves; the one that the
//! problem prefers is found by a sweep of one redundancy parameter, and a [`descent`] on the self-motion from
//! the best samples.
//!
//! The parameter is the position of a joint. With a spherical wrist it is the outermost joint on the other side, and
//! the branches are evaluated eight samples at a time ([`branches`], [`grid`]). Otherwise it is a joint that leaves
//! six with a closed form while it is locked ([`locked_sweep`]).

mod branches;
mod descent;
mod grid;
mod joint_ranges;
mod lanes32;
mod locked_joint;
mod locked_sweep;
mod seven_axis;
mod spherical_wrist;

pub(super) use seven_axis::SevenAxis;
