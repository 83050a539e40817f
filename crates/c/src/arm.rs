//! Arms: the joints between a base link and one or several tips, with a solver.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::Arc;

use urdf_ik::robot::Chain;
use urdf_ik::solver::{Solver, SolverKind};

use crate::failure::{Failure, UrdfIkStatus, c_text, guarded, guarded_or};
use crate::links::{LinkPlace, places};
use crate::plain_structs::{UrdfIkPose, isometry};
use crate::pointers::{entries, exclusive, exclusive_entries, hand_out, optional_text, reference, take_back, text};
use crate::robot::{RobotData, UrdfIkRobot};

/// The joints between a base link and one or several tip links, with a solver. Immutable: threads can share it.
pub struct UrdfIkArm {
    pub(crate) robot: Arc<RobotData>,
    pub(crate) solver: Solver,
    pub(crate) joint_names: Vec<CString>,
    pub(crate) tip_names: Vec<CString>,
    pub(crate) links: Arc<[Option<LinkPlace>]>,
}

impl UrdfIkArm {
    fn new(robot: &Arc<RobotData>, solver: Solver) -> Self {
        let c_texts = |names: Vec<&str>| names.into_iter().map(c_text).collect();
        let chain = solver.chain();
        let (joint_names, tip_names) = (c_texts(chain.variable_names()), c_texts(chain.tip_names()));
        let links = places(&robot.robot, chain).into();
        Self { robot: Arc::clone(robot), joint_names, tip_names, links, solver }
    }

    /// Number of joints, n.
    pub fn joint_count(&self) -> usize {
        self.joint_names.len()
    }
}

fn refused(sentence: impl std::fmt::Display) -> Failure {
    Failure::new(UrdfIkStatus::Chain, sentence)
}

/// Creates an arm of `robot` from the link `base` to the `tip_count` links `tips`. `base` may be NULL for the root
/// link, and `tip_count` 0 for the only movable leaf link. `solver` is "jacobian", "closed_form" or "fabrik"; NULL
/// means "jacobian". Fails with URDF_IK_STATUS_CHAIN if there is no such chain or the solver does not apply to it.
///
/// # Safety
/// `robot` is a robot; `base`, `solver` and the `tips` are null-terminated strings; `arm` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_new(
    robot: *const UrdfIkRobot,
    base: *const c_char,
    tips: *const *const c_char,
    tip_count: usize,
    solver: *const c_char,
    arm: *mut *mut UrdfIkArm,
) -> UrdfIkStatus {
    guarded(|| {
        let robot = unsafe { reference(robot, "robot") }?;
        let base = unsafe { optional_text(base, "base") }?;
        let tips = unsafe { entries(tips, tip_count, "tips") }?;
        let tips = tips.iter().map(|tip| unsafe { text(*tip, "an entry of tips") }).collect::<Result<Vec<_>, _>>()?;
        let kind =
            unsafe { optional_text(solver, "solver") }?.map(str::parse::<SolverKind>).transpose().map_err(refused)?;
        let chain = Arc::new(Chain::with_defaults(&robot.0.robot, base, &tips).map_err(refused)?);
        let solver = Solver::prepare(kind.unwrap_or_default(), &chain).map_err(refused)?;
        unsafe { hand_out(arm, UrdfIkArm::new(&robot.0, solver), "arm") }
    })
}

/// Creates a copy of `arm` with a tool on each tip link: `tools` has `tool_count` poses, one per tip, in the frame of
/// the tip link. Targets, forward kinematics and Jacobians then refer to the tools. Fails with URDF_IK_STATUS_CHAIN
/// if the solver does not apply or a pose is invalid.
///
/// # Safety
/// `arm` is an arm; there are `tool_count` `tools`; `with_tools` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_with_tools(
    arm: *const UrdfIkArm,
    tools: *const UrdfIkPose,
    tool_count: usize,
    with_tools: *mut *mut UrdfIkArm,
) -> UrdfIkStatus {
    guarded(|| {
        let arm = unsafe { reference(arm, "arm") }?;
        let tools = unsafe { entries(tools, tool_count, "tools") }?;
        let tools = tools.iter().map(isometry).collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let chain = Arc::new(arm.solver.chain().with_tools(&tools).map_err(refused)?);
        let solver = Solver::prepare(arm.solver.method(), &chain).map_err(refused)?;
        unsafe { hand_out(with_tools, UrdfIkArm::new(&arm.robot, solver), "with_tools") }
    })
}

/// Frees an arm. Its workspaces remain valid.
///
/// # Safety
/// `arm` is NULL, or an arm that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_free(arm: *mut UrdfIkArm) {
    guarded_or((), || unsafe { take_back(arm) });
}

/// Number of joints n, without mimic joints: the length of joint positions. 0 if `arm` is NULL.
///
/// # Safety
/// `arm` is NULL or an arm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_joint_count(arm: *const UrdfIkArm) -> usize {
    unsafe { arm.as_ref() }.map_or(0, UrdfIkArm::joint_count)
}

/// Number of tip links. 0 if `arm` is NULL.
///
/// # Safety
/// `arm` is NULL or an arm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_tip_count(arm: *const UrdfIkArm) -> usize {
    unsafe { arm.as_ref() }.map_or(0, |arm| arm.tip_names.len())
}

/// Name of a joint (UTF-8), in the order of joint positions, valid as long as the arm; NULL if the index
/// is out of range.
///
/// # Safety
/// `arm` is NULL or an arm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_joint_name(arm: *const UrdfIkArm, joint: usize) -> *const c_char {
    unsafe { arm.as_ref() }.map_or(ptr::null(), |arm| name_of(&arm.joint_names, joint))
}

/// Name of a tip link (UTF-8), valid as long as the arm; NULL if the index is out of range.
///
/// # Safety
/// `arm` is NULL or an arm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_tip_name(arm: *const UrdfIkArm, tip: usize) -> *const c_char {
    unsafe { arm.as_ref() }.map_or(ptr::null(), |arm| name_of(&arm.tip_names, tip))
}

pub(crate) fn name_of(names: &[CString], index: usize) -> *const c_char {
    names.get(index).map_or(ptr::null(), |name| name.as_ptr())
}

/// Writes the limits of the joints [rad or m], n entries each: -INFINITY and INFINITY for continuous joints.
///
/// # Safety
/// `arm` is an arm; `lower` and `upper` are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_bounds(arm: *const UrdfIkArm, lower: *mut f64, upper: *mut f64) -> UrdfIkStatus {
    guarded(|| {
        let variables = unsafe { reference(arm, "arm") }?.solver.chain().variables();
        let lower = unsafe { exclusive_entries(lower, variables.len(), "lower") }?;
        let upper = unsafe { exclusive_entries(upper, variables.len(), "upper") }?;
        for ((variable, lower_end), upper_end) in variables.iter().zip(lower).zip(upper) {
            [*lower_end, *upper_end] = variable.domain.ends();
        }
        Ok(())
    })
}

/// Writes the middle of the joint ranges [rad or m], n entries, 0 for continuous joints: a default seed.
///
/// # Safety
/// `arm` is an arm; `positions` are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_nominal(arm: *const UrdfIkArm, positions: *mut f64) -> UrdfIkStatus {
    guarded(|| {
        let chain = unsafe { reference(arm, "arm") }?.solver.chain();
        let nominal = chain.nominal_positions();
        unsafe { exclusive_entries(positions, nominal.len(), "positions") }?.copy_from_slice(&nominal);
        Ok(())
    })
}

/// Writes the index of the link `name`, for urdf_ik_link_pose() and urdf_ik_link_jacobian(). It need not be between the
/// base link and a tip, but joints of the arm alone move it relative to the base link. Fails with URDF_IK_STATUS_CHAIN
/// if the robot has no such link, or other joints move it. Allocates nothing unless it fails.
///
/// # Safety
/// `arm` is an arm; `name` is a null-terminated string; `link` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_arm_link(
    arm: *const UrdfIkArm,
    name: *const c_char,
    link: *mut usize,
) -> UrdfIkStatus {
    guarded(|| {
        let arm = unsafe { reference(arm, "arm") }?;
        let name = unsafe { text(name, "name") }?;
        let robot = &arm.robot.robot;
        let found = robot.link_index(name).filter(|link| arm.links[*link].is_some());
        *unsafe { exclusive(link, "link") }? = found.ok_or_else(|| unknown(arm, name))?;
        Ok(())
    })
}

fn unknown(arm: &UrdfIkArm, name: &str) -> Failure {
    let robot = &arm.robot.robot;
    let reason = if robot.link_index(name).is_some() { "joints off the arm move the link" } else { "there is no link" };
    let known = robot.links().iter().zip(arm.links.iter()).filter(|(_, place)| place.is_some());
    let names: Vec<&str> = known.map(|(link, _)| link.name.as_str()).collect();
    Failure::new(UrdfIkStatus::Chain, format!("{reason} '{name}'; the arm determines those of: {}", names.join(", ")))
}
