//! Workspaces: what one thread solves in.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::Arc;

use nalgebra::Vector6;
use urdf_ik::robot::ChainPoses;
use urdf_ik::solver::{Scratch, Solution, Solver, Target};

use crate::arm::UrdfIkArm;
use crate::failure::{UrdfIkStatus, c_text, guarded, guarded_or};
use crate::goals::GoalsByText;
use crate::links::LinkPlace;
use crate::pointers::{hand_out, reference, take_back};
use crate::robot::RobotData;
use crate::world::WorldData;

/// The memory of one thread for solves of an arm. Solves in it allocate nothing, unless their goals change.
pub struct UrdfIkWorkspace {
    pub(crate) robot: Arc<RobotData>,
    pub(crate) solver: Solver,
    pub(crate) scratch: Scratch,
    pub(crate) solution: Solution,
    pub(crate) targets: Vec<Target>,
    /// The world of the last problem.
    pub(crate) world: Option<Arc<WorldData>>,
    /// The goals of the last problem.
    pub(crate) goals: GoalsByText,
    pub(crate) poses: ChainPoses,
    /// Columns of a Jacobian.
    pub(crate) columns: Vec<Vector6<f64>>,
    pub(crate) links: Arc<[Option<LinkPlace>]>,
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
        let UrdfIkArm { robot, solver, links, .. } = unsafe { reference(arm, "arm") }?;
        let solver = solver.clone();
        let made = UrdfIkWorkspace {
            robot: Arc::clone(robot),
            scratch: solver.scratch(),
            solution: solver.solution(),
            targets: Vec::with_capacity(solver.chain().tips().len()),
            world: None,
            goals: GoalsByText::default(),
            poses: ChainPoses::new(solver.chain()),
            columns: vec![Vector6::zeros(); solver.chain().variables().len()],
            links: Arc::clone(links),
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
        let (solution, chain) = (&workspace.solution, workspace.solver.chain());
        let scene = workspace.world.as_ref().map(|world| &world.scene);
        workspace.reason = c_text(&solution.sentence_in(chain, scene));
        workspace.reason.as_ptr()
    })
}

/// The violation of each goal at the last answer of urdf_ik_solve() in this workspace [m or rad], in the order of the
/// goals, valid until the next call with this workspace. A goal that is met may be violated by up to 1e-5. Writes their
/// number to `count`. NULL without goals, or if `workspace` is NULL.
///
/// # Safety
/// `workspace` is NULL, or a workspace that no other thread uses; `count` is written unless it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_workspace_violations(
    workspace: *const UrdfIkWorkspace,
    count: *mut usize,
) -> *const f64 {
    let violations = unsafe { workspace.as_ref() }.map_or(&[][..], |workspace| &workspace.solution.violations);
    if let Some(count) = unsafe { count.as_mut() } {
        *count = violations.len();
    }
    if violations.is_empty() { ptr::null() } else { violations.as_ptr() }
}
