//! Workspaces: what one thread solves in.

use std::ffi::{CString, c_char};
use std::ptr;

use urdf_ik::robot::ChainPoses;
use urdf_ik::solver::{Scratch, Solution, Solver, Target};

use crate::arm::UrdfIkArm;
use crate::failure::{UrdfIkStatus, c_text, guarded, guarded_or};
use crate::pointers::{hand_out, reference, take_back};

/// The memory of one thread for solves of an arm. Solves in it allocate nothing.
pub struct UrdfIkWorkspace {
    pub(crate) solver: Solver,
    pub(crate) scratch: Scratch,
    pub(crate) solution: Solution,
    pub(crate) targets: Vec<Target>,
    pub(crate) poses: ChainPoses,
    /// The default seed.
    pub(crate) nominal: Vec<f64>,
    reason: CString,
}

/// Creates a workspace for `arm`.
///
/// # Safety
/// `arm` is an arm; `workspace` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_workspace_new(
    arm: *const UrdfIkArm,
    workspace: *mut *mut UrdfIkWorkspace,
) -> UrdfIkStatus {
    guarded(|| {
        let solver = unsafe { reference(arm, "arm") }?.solver.clone();
        let made = UrdfIkWorkspace {
            scratch: solver.scratch(),
            solution: solver.solution(),
            targets: Vec::with_capacity(solver.chain().tips().len()),
            poses: ChainPoses::new(solver.chain()),
            nominal: solver.chain().nominal_positions(),
            reason: CString::default(),
            solver,
        };
        unsafe { hand_out(workspace, made, "workspace") }
    })
}

/// Frees a workspace.
///
/// # Safety
/// `workspace` is NULL, or a workspace that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_workspace_free(workspace: *mut UrdfIkWorkspace) {
    guarded_or((), || unsafe { take_back(workspace) });
}

/// The last answer of urdf_ik_solve() in this workspace as a sentence (UTF-8) with numbers and names, valid until the
/// next call with this workspace. NULL if `workspace` is NULL.
///
/// # Safety
/// `workspace` is NULL, or a workspace that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_workspace_reason(workspace: *mut UrdfIkWorkspace) -> *const c_char {
    guarded_or(ptr::null(), || {
        let Some(workspace) = (unsafe { workspace.as_mut() }) else { return ptr::null() };
        workspace.reason = c_text(&workspace.solution.sentence(workspace.solver.chain()));
        workspace.reason.as_ptr()
    })
}
