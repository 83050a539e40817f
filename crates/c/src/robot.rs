//! Robots: trees of links and joints.

use std::ffi::c_char;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use urdf_ik::robot::{MeshFolders, Robot, UrdfError, UrdfOptions, read_urdf_file};

use crate::failure::{Failure, UrdfIkStatus, guarded, guarded_or};
use crate::joint::UrdfIkJoint;
use crate::pointers::{entries, hand_out, take_back, text};

const SOFT: UrdfOptions = UrdfOptions { soft_limits: true };
const HARD: UrdfOptions = UrdfOptions { soft_limits: false };

/// A robot: a tree of links and joints. Immutable: threads can share it.
pub struct UrdfIkRobot(pub(crate) Arc<RobotData>);

/// A robot with its source, in which worlds find the collision shapes.
pub(crate) struct RobotData {
    pub robot: Robot,
    /// Text of the URDF; `None` for a robot of joint descriptions.
    pub urdf: Option<String>,
    /// Its file, if any: meshes are searched for around it.
    file: Option<PathBuf>,
}

impl RobotData {
    fn read(urdf: String, file: Option<&Path>, options: UrdfOptions) -> Result<Self, UrdfError> {
        let robot = Robot::from_urdf_with(&urdf, options)?;
        Ok(Self { robot, urdf: Some(urdf), file: file.map(Path::to_owned) })
    }

    fn read_file(path: &str, options: UrdfOptions) -> Result<Self, UrdfError> {
        Self::read(read_urdf_file(path)?, Some(Path::new(path)), options)
    }

    /// Search path of meshes.
    pub fn mesh_folders(&self) -> MeshFolders {
        MeshFolders::from_environment(self.file.as_deref())
    }
}

/// Reads a robot from the URDF file at `path` (UTF-8). Fails with URDF_IK_STATUS_URDF if it is invalid.
///
/// # Safety
/// `path` is a null-terminated string; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_file(path: *const c_char, robot: *mut *mut UrdfIkRobot) -> UrdfIkStatus {
    guarded(|| unsafe { made(RobotData::read_file(text(path, "path")?, HARD), robot) })
}

/// Reads a robot from the text of a URDF. Fails with URDF_IK_STATUS_URDF if it is invalid.
///
/// # Safety
/// `urdf` is a null-terminated string; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_urdf(urdf: *const c_char, robot: *mut *mut UrdfIkRobot) -> UrdfIkStatus {
    guarded(|| unsafe { made(RobotData::read(text(urdf, "urdf")?.to_owned(), None, HARD), robot) })
}

/// Like urdf_ik_robot_from_file(), but the soft limits of `<safety_controller>` narrow those of
/// `<limit>`, as in MoveIt.
///
/// # Safety
/// `path` is a null-terminated string; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_file_with_soft_limits(
    path: *const c_char,
    robot: *mut *mut UrdfIkRobot,
) -> UrdfIkStatus {
    guarded(|| unsafe { made(RobotData::read_file(text(path, "path")?, SOFT), robot) })
}

/// Like urdf_ik_robot_from_urdf(), but the soft limits of `<safety_controller>` narrow those of
/// `<limit>`, as in MoveIt.
///
/// # Safety
/// `urdf` is a null-terminated string; `robot` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_from_urdf_with_soft_limits(
    urdf: *const c_char,
    robot: *mut *mut UrdfIkRobot,
) -> UrdfIkStatus {
    guarded(|| unsafe { made(RobotData::read(text(urdf, "urdf")?.to_owned(), None, SOFT), robot) })
}

/// Creates a robot from `count` joint descriptions, for programs that have a robot model already, perhaps with narrower
/// limits. The joints name its links and must form one tree. Fails with URDF_IK_STATUS_URDF if they are invalid.
///
/// # Safety
/// `name` is a null-terminated string; there are `count` joints; `robot` is written.
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
        let described = Robot::from_joints(unsafe { text(name, "name") }?, &described);
        unsafe { made(described.map(|robot| RobotData { robot, urdf: None, file: None }), robot) }
    })
}

/// # Safety
/// As [`hand_out`].
unsafe fn made(made: Result<RobotData, UrdfError>, robot: *mut *mut UrdfIkRobot) -> Result<(), Failure> {
    let made = made.map_err(|e| Failure::new(UrdfIkStatus::Urdf, e))?;
    unsafe { hand_out(robot, UrdfIkRobot(Arc::new(made)), "robot") }
}

/// Frees a robot. Its arms remain valid.
///
/// # Safety
/// `robot` is NULL, or a robot that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_robot_free(robot: *mut UrdfIkRobot) {
    guarded_or((), || unsafe { take_back(robot) });
}
