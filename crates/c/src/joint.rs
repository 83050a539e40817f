//! Joint descriptions, for robots without a URDF.

use std::ffi::c_char;

use urdf_ik::robot::{Domain, JointDescription, JointKind, MimicDescription};

use crate::failure::Failure;
use crate::plain_structs::{UrdfIkPose, check_reserved, isometry};
use crate::pointers::{optional_text, text};

/// A fixed joint.
pub const URDF_IK_JOINT_FIXED: i32 = 0;
/// A rotation about the axis within limits [rad].
pub const URDF_IK_JOINT_REVOLUTE: i32 = 1;
/// A rotation about the axis without limits [rad].
pub const URDF_IK_JOINT_CONTINUOUS: i32 = 2;
/// A translation along the axis within limits [m].
pub const URDF_IK_JOINT_PRISMATIC: i32 = 3;
/// Six degrees of freedom. Treated as fixed; no arm can contain it.
pub const URDF_IK_JOINT_FLOATING: i32 = 4;
/// Motion in a plane. Treated as fixed; no arm can contain it.
pub const URDF_IK_JOINT_PLANAR: i32 = 5;

/// A joint between two links, as a URDF describes it. urdf_ik_joint() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkJoint {
    /// Name of the joint (UTF-8), unique in the robot.
    pub name: *const c_char,
    /// Type, one of URDF_IK_JOINT_….
    pub kind: i32,
    /// Name of the parent link.
    pub parent: *const c_char,
    /// Name of the child link.
    pub child: *const c_char,
    /// Pose of the joint's frame in the frame of the parent link. Default: identity.
    pub origin: UrdfIkPose,
    /// Axis in the frame of the joint, of any length but 0. Default: x.
    pub axis: [f64; 3],
    /// Least position of a revolute or prismatic joint [rad or m]. Default: 0.
    pub lower: f64,
    /// Greatest position of a revolute or prismatic joint [rad or m]. Default: 0.
    pub upper: f64,
    /// Name of the joint that this one mimics. NULL: none.
    pub mimic: *const c_char,
    /// The position is `multiplier * position of the mimicked joint + offset`. Default: 1.
    pub multiplier: f64,
    /// Position while the mimicked joint is at 0 [rad or m]. Default: 0.
    pub offset: f64,
    /// For fields of later versions: 0.
    pub reserved: [u64; 4],
}

/// A joint of a type URDF_IK_JOINT_… between two links, with default fields.
///
/// # Safety
/// The texts live as long as the joint is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_joint(
    name: *const c_char,
    kind: i32,
    parent: *const c_char,
    child: *const c_char,
) -> UrdfIkJoint {
    UrdfIkJoint { name, kind, parent, child, axis: [1.0, 0.0, 0.0], multiplier: 1.0, ..UrdfIkJoint::default() }
}

impl UrdfIkJoint {
    /// Converts to the type of the library.
    ///
    /// # Safety
    /// Its pointers are NULL, or point to texts.
    pub(crate) unsafe fn description(&self) -> Result<JointDescription, Failure> {
        check_reserved(&self.reserved, "a joint", "urdf_ik_joint")?;
        let name = unsafe { text(self.name, "name of a joint") }?;
        let (parent, child) =
            unsafe { (text(self.parent, "parent of a joint")?, text(self.child, "child of a joint")?) };
        let kind =
            usize::try_from(self.kind).ok().and_then(|kind| JointKind::ALL.get(kind).copied()).ok_or_else(|| {
                Failure::argument(format!("joint '{name}' has the type {}; it must be from 0 to 5", self.kind))
            })?;
        let mimic = unsafe { optional_text(self.mimic, "mimic of a joint") }?.map(str::to_owned);
        let mimic = mimic.map(|joint| MimicDescription { joint, multiplier: self.multiplier, offset: self.offset });
        let origin = isometry(&self.origin)
            .map_err(|error| Failure::argument(format!("joint '{name}' has no origin: {error}")))?;
        Ok(JointDescription {
            origin,
            axis: self.axis.into(),
            domain: Domain::Interval { lower: self.lower, upper: self.upper },
            mimic,
            ..JointDescription::new(name, kind, parent, child)
        })
    }
}
