//! The C interface of `urdf_ik`: robots, arms, forward and inverse kinematics, behind opaque handles.
//!
//! `include/urdf_ik.h` is made of this crate by cbindgen, and `include/urdf_ik.hpp` is a thin header for C++ above it. Every function that can
//! fail returns a [`UrdfIkStatus`]; [`urdf_ik_error`] has the sentence. No panic crosses the border.
//!
//! **Threads.** Robots and arms do not change: any number of threads may use one at once. A workspace is used by one thread at a time.
//! Sentences of failures are kept for each thread.
//!
//! **Memory.** Who makes a handle frees it, in any order: an arm needs no robot, and a workspace no arm, that made it. Texts belong to the
//! library.
//!
//! This is the only crate with unsafe code of its own: that which looks behind the pointers of a caller.

#![deny(unsafe_op_in_unsafe_fn)]
#![allow(unsafe_code, reason = "pointers come from C")]
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets, as in the header, and are no links")]

mod arm;
mod failure;
mod joint;
mod kinematics;
mod pointers;
mod problem;
mod robot;
mod solve;
mod workspace;

pub use arm::*;
pub use failure::*;
pub use joint::*;
pub use kinematics::*;
pub use problem::*;
pub use robot::*;
pub use solve::*;
pub use workspace::*;
