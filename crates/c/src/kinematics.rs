//! Forward kinematics and Jacobians.

use nalgebra::Isometry3;
use urdf_ik::robot::ChainPoses;
use urdf_ik::spatial::motion_between;

use crate::failure::{Failure, UrdfIkStatus, guarded};
use crate::links::place_of;
use crate::plain_structs::{UrdfIkPose, isometry};
use crate::pointers::{entries, exclusive, exclusive_entries, finite_positions, reference};
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
        let joint = Some(chain.tips()[tip].parent);
        unsafe { workspace.write_jacobian(positions, joint, |poses| poses.tips()[tip], jacobian) }
    })
}

/// Writes the pose of a link, whose index urdf_ik_arm_link() returns, in the frame of the base link, at joint positions
/// (n entries) [rad or m]. Allocates nothing.
///
/// # Safety
/// No other thread uses `workspace`; `positions` has n entries; `pose` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_link_pose(
    workspace: *mut UrdfIkWorkspace,
    positions: *const f64,
    link: usize,
    pose: *mut UrdfIkPose,
) -> UrdfIkStatus {
    guarded(|| {
        let workspace = unsafe { exclusive(workspace, "workspace") }?;
        let chain = workspace.solver.chain();
        let place = place_of(&workspace.links, link)?;
        let positions = unsafe { finite_positions(positions, chain.variables().len()) }?;
        let pose = unsafe { exclusive(pose, "pose") }?;
        chain.forward_kinematics(positions, &mut workspace.poses);
        *pose = (&place.pose(&workspace.poses)).into();
        Ok(())
    })
}

/// Writes the geometric Jacobian (6 x n, row-major) of a link, whose index urdf_ik_arm_link() returns, at joint
/// positions (n entries) [rad or m], as urdf_ik_jacobian() does for a tip. Joints that do not move the link have zero
/// columns. Allocates nothing.
///
/// # Safety
/// No other thread uses `workspace`; `positions` has n entries; `jacobian`, 6 n entries, is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_link_jacobian(
    workspace: *mut UrdfIkWorkspace,
    positions: *const f64,
    link: usize,
    jacobian: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let workspace = unsafe { exclusive(workspace, "workspace") }?;
        let place = place_of(&workspace.links, link)?;
        let positions = unsafe { finite_positions(positions, workspace.columns.len()) }?;
        unsafe { workspace.write_jacobian(positions, place.joint, |poses| place.pose(poses), jacobian) }
    })
}

/// Writes the motion from one pose to another, both in one frame and with its axes, to `difference` (6 entries): the
/// displacement of the origin [m], then the rotation vector of the shortest rotation [rad]. Divided by a time it is a
/// mean velocity.
///
/// # Safety
/// `from` and `to` are poses; `difference`, 6 entries, is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_pose_difference(
    from: *const UrdfIkPose,
    to: *const UrdfIkPose,
    difference: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let [from, to] = [unsafe { reference(from, "from") }?, unsafe { reference(to, "to") }?].map(isometry);
        let (from, to) = (from.map_err(Failure::problem)?, to.map_err(Failure::problem)?);
        let difference = unsafe { exclusive_entries(difference, 6, "difference") }?;
        difference.copy_from_slice(motion_between(&from, &to).as_slice());
        Ok(())
    })
}

impl UrdfIkWorkspace {
    /// Writes the Jacobian of the origin of a pose that a chain joint moves, row after row.
    ///
    /// # Safety
    /// `jacobian` has 6 entries for each of the positions.
    unsafe fn write_jacobian(
        &mut self,
        positions: &[f64],
        joint: Option<usize>,
        pose: impl FnOnce(&ChainPoses) -> Isometry3<f64>,
        jacobian: *mut f64,
    ) -> Result<(), Failure> {
        let jacobian = unsafe { exclusive_entries(jacobian, 6 * positions.len(), "jacobian") }?;
        let chain = self.solver.chain();
        chain.forward_kinematics(positions, &mut self.poses);
        let origin = pose(&self.poses).translation.vector.into();
        chain.jacobian_of(&self.poses, joint, &origin, &mut self.columns);
        for (row, entries) in jacobian.chunks_exact_mut(positions.len()).enumerate() {
            entries.iter_mut().zip(&self.columns).for_each(|(entry, column)| *entry = column[row]);
        }
        Ok(())
    }
}
