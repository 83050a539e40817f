//! The C interface of `urdf_ik`: kinematics, collisions, paths, the servo and skeletons, behind opaque handles.
//!
//! cbindgen generates `include/urdf_ik.h` from this crate; `include/urdf_ik.hpp` is a thin C++ wrapper.
//! Every function that can fail returns a [`UrdfIkStatus`]; [`urdf_ik_error`] has the message. No panic
//! crosses the interface.
//!
//! **Threads.** Robots, arms, worlds, skeletons and answers are immutable and can be shared between threads. A
//! workspace and a servo belong to one thread at a time. Error messages are stored per thread.
//!
//! **Memory.** The caller frees each handle that it created, in any order: an arm outlives its robot, and a workspace
//! its arm. Returned texts belong to the library.
//!
//! This is the only crate for users with unsafe code of its own: it dereferences pointers of the caller.

#![deny(unsafe_op_in_unsafe_fn)]
#![allow(unsafe_code, reason = "pointers come from C")]
#![allow(rustdoc::broken_intra_doc_links, reason = "units stand in brackets, as in the header, and are no links")]

mod arm;
mod failure;
mod goals;
mod joint;
mod kinematics;
mod links;
mod path;
mod plain_structs;
mod pointers;
mod problem;
mod robot;
mod servo;
mod servo_report;
mod skeleton;
mod skeleton_answer;
mod solve;
mod workspace;
mod world;

pub use arm::*;
pub use failure::*;
pub use joint::*;
pub use kinematics::*;
pub use path::*;
pub use plain_structs::*;
pub use problem::*;
pub use robot::*;
pub use servo::*;
pub use servo_report::*;
pub use skeleton::*;
pub use skeleton_answer::*;
pub use solve::*;
pub use workspace::*;
pub use world::*;
