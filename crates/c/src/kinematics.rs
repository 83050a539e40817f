//! Forward kinematics and Jacobians.

use nalgebra::Vector6;

use crate::failure::{Failure, UrdfIkStatus, guarded};
use crate::plain_structs::UrdfIkPose;
use crate::pointers::{entries, exclusive, exclusive_entries};
use crate::workspace::UrdfIkWorkspace;

/// Writes the pose of each tip link, in the frame of the base link, at joint positions (n entries) [rad or m].
///
/// # Safety
/// No other thread uses `workspace`; `positions` has n entries; `poses`, one for each tip, are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_forward_kinematics(
    workspace: *mut UrdfIkWorkspace,
    positions: *const f64,
    poses: *mut UrdfIkPose,
) -> UrdfIkStatus {
    guarded(|| {
        let workspace = unsafe { exclusive(workspace, "workspace") }?;
        let chain = workspace.solver.chain();
        let positions = unsafe { entries(positions, chain.variables().len(), "positions") }?;
        let poses = unsafe { exclusive_entries(poses, chain.tips().len(), "poses") }?;
        chain.forward_kinematics(positions, &mut workspace.poses);
        for (pose, found) in poses.iter_mut().zip(workspace.poses.tips()) {
            *pose = found.into();
        }
        Ok(())
    })
}

/// Writes the geometric Jacobian (6 x n, row-major) of a tip at joint positions (n entries) [rad or m]. Column i is
/// the twist of the tip's origin for unit velocity of joint i, in the axes of the base link: linear [m/rad or m/m],
/// then angular [rad/rad, 0 for prismatic joints].
///
/// # Safety
/// No other thread uses `workspace`; `positions` has n entries; `jacobian`, 6 n entries, is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_jacobian(
    workspace: *mut UrdfIkWorkspace,
    positions: *const f64,
    tip: usize,
    jacobian: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let workspace = unsafe { exclusive(workspace, "workspace") }?;
        let chain = workspace.solver.chain();
        let (variables, tips) = (chain.variables().len(), chain.tips().len());
        if tip >= tips {
            return Err(Failure::argument(format!("there is no tip with index {tip}; the arm has {tips}")));
        }
        let positions = unsafe { entries(positions, variables, "positions") }?;
        let jacobian = unsafe { exclusive_entries(jacobian, 6 * variables, "jacobian") }?;
        let mut columns = vec![Vector6::zeros(); variables];
        chain.forward_kinematics(positions, &mut workspace.poses);
        let origin = workspace.poses.tips()[tip].translation.vector.into();
        chain.jacobian(&workspace.poses, tip, &origin, &mut columns);
        for (row, entries) in jacobian.chunks_exact_mut(variables).enumerate() {
            entries.iter_mut().zip(&columns).for_each(|(entry, column)| *entry = column[row]);
        }
        Ok(())
    })
}
