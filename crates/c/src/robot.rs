//! Robots: the links and joints that arms are made of.

use std::ffi::c_char;

use urdf_ik::robot::{Robot, UrdfError, UrdfOptions, read_urdf_file};

use crate::failure::{Failure, UrdfIkStatus, guarded, guarded_or};
use crate::joint::UrdfIkJoint;
use crate::pointers::{entries, hand_out, take_back, text};

const SOFT: UrdfOptions = UrdfOptions { soft_limits: true };

/// A robot: a tree of links and joints. It does not change, so threads can share it.
pub struct UrdfIkRobot(pub(crate) Robot);

/// Reads a robot from the URDF file at `path` (UTF-8). URDF_IK_STATUS_URDF where it is refused.
///
/// # Safety
/// `path` is a text; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_file(path: *const c_char, robot: *mut *mut UrdfIkRobot) -> UrdfIkStatus {
    guarded(|| unsafe { made(Robot::from_urdf_file(text(path, "path")?), robot) })
}

/// Reads a robot from the text of a URDF. URDF_IK_STATUS_URDF where it is refused.
///
/// # Safety
/// `urdf` is a text; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_urdf(urdf: *const c_char, robot: *mut *mut UrdfIkRobot) -> UrdfIkStatus {
    guarded(|| unsafe { made(Robot::from_urdf(text(urdf, "urdf")?), robot) })
}

/// As urdf_ik_robot_from_file(), and the soft limits of `<safety_controller>` narrow those of `<limit>`, as in MoveIt.
///
/// # Safety
/// `path` is a text; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_file_with_soft_limits(
    path: *const c_char,
    robot: *mut *mut UrdfIkRobot,
) -> UrdfIkStatus {
    guarded(|| {
        let read = unsafe { read_urdf_file(text(path, "path")?) }.map_err(UrdfError::from);
        unsafe { made(read.and_then(|urdf| Robot::from_urdf_with(&urdf, SOFT)), robot) }
    })
}

/// As urdf_ik_robot_from_urdf(), and the soft limits of `<safety_controller>` narrow those of `<limit>`, as in MoveIt.
///
/// # Safety
/// `urdf` is a text; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_urdf_with_soft_limits(
    urdf: *const c_char,
    robot: *mut *mut UrdfIkRobot,
) -> UrdfIkStatus {
    guarded(|| unsafe { made(Robot::from_urdf_with(text(urdf, "urdf")?, SOFT), robot) })
}

/// Makes a robot of `count` joints, without the text of a URDF: for programs that have a model of the robot already, perhaps with narrower
/// limits. Its links are those that the joints name; the joints must form one tree. URDF_IK_STATUS_URDF where it is refused.
///
/// # Safety
/// `name` is a text; there are `count` joints; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_joints(
    name: *const c_char,
    joints: *const UrdfIkJoint,
    count: usize,
    robot: *mut *mut UrdfIkRobot,
) -> UrdfIkStatus {
    guarded(|| {
        let joints = unsafe { entries(joints, count, "joints") }?;
        let described = joints.iter().map(|joint| unsafe { joint.description() }).collect::<Result<Vec<_>, _>>()?;
        unsafe { made(Robot::from_joints(text(name, "name")?, &described), robot) }
    })
}

/// # Safety
/// As [`hand_out`].
unsafe fn made(made: Result<Robot, UrdfError>, robot: *mut *mut UrdfIkRobot) -> Result<(), Failure> {
    let made = made.map_err(|e| Failure::new(UrdfIkStatus::Urdf, e))?;
    unsafe { hand_out(robot, UrdfIkRobot(made), "robot") }
}

/// Frees a robot. Its arms stay.
///
/// # Safety
/// `robot` is NULL, or a robot that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_free(robot: *mut UrdfIkRobot) {
    guarded_or((), || unsafe { take_back(robot) });
}
