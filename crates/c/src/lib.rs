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
mod batch;
mod failure;
mod joint;
mod kinematics;
mod pointers;
mod problem;
mod questions;
mod robot;
mod solve;
mod workspace;

pub use arm::{
    UrdfIkArm, urdf_ik_arm_bounds, urdf_ik_arm_free, urdf_ik_arm_joint_count, urdf_ik_arm_joint_name, urdf_ik_arm_new,
    urdf_ik_arm_nominal, urdf_ik_arm_tip_count, urdf_ik_arm_tip_name,
};
pub use batch::urdf_ik_solve_batch;
pub use failure::{UrdfIkStatus, urdf_ik_error, urdf_ik_version};
pub use joint::{
    URDF_IK_JOINT_CONTINUOUS, URDF_IK_JOINT_FIXED, URDF_IK_JOINT_FLOATING, URDF_IK_JOINT_PLANAR,
    URDF_IK_JOINT_PRISMATIC, URDF_IK_JOINT_REVOLUTE, UrdfIkJoint, urdf_ik_joint,
};
pub use kinematics::{urdf_ik_forward_kinematics, urdf_ik_jacobian};
pub use problem::{
    URDF_IK_PICK_FIRST, URDF_IK_PICK_MOST_MANIPULABLE, URDF_IK_PICK_NEAREST, UrdfIkPose, UrdfIkProblem, UrdfIkTarget,
    urdf_ik_problem, urdf_ik_target,
};
pub use questions::{UrdfIkAccepts, UrdfIkCost};
pub use robot::{
    UrdfIkRobot, urdf_ik_robot_free, urdf_ik_robot_from_file, urdf_ik_robot_from_joints, urdf_ik_robot_from_urdf,
};
pub use solve::{UrdfIkAnswer, UrdfIkOnSolution, UrdfIkOutcome, urdf_ik_solve, urdf_ik_solve_all};
pub use workspace::{UrdfIkWorkspace, urdf_ik_workspace_free, urdf_ik_workspace_new, urdf_ik_workspace_reason};
