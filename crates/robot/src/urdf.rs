//! Reads a [`Robot`] from the text of a URDF.

use std::path::Path;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::limit_warnings::about;
use super::xml::{Element, XmlError, each_element};
use super::{Domain, JointDescription, JointKind, MimicDescription, Robot, UrdfError, kinematic_urdf};
use urdf_ik_text::files::{self, MAX_URDF_BYTES, ReadError};

/// Options for reading a URDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UrdfOptions {
    /// True to narrow the limits of revolute and prismatic joints to the soft limits of their `<safety_controller>`, as
    /// MoveIt does. Soft limits that allow no position are ignored with a [warning](Robot::warnings). Default: false.
    pub soft_limits: bool,
}

impl Robot {
    /// Reads a robot from the text of a URDF, with the default [`UrdfOptions`].
    ///
    /// Only links, joints, limits, mimic rules and masses are read. Numbers must be finite, names must be unique, and
    /// the joints must form one tree. Axes are normalised. A mimic rule that names no movable joint is ignored with a
    /// [warning](Robot::warnings), as are elements of xacro.
    ///
    /// ```
    /// use urdf_ik_robot::{Domain, Robot};
    ///
    /// let robot = Robot::from_urdf(
    ///     r#"<robot name="lift">
    ///          <link name="base"/> <link name="table"/>
    ///          <joint name="column" type="prismatic"> <parent link="base"/> <child link="table"/> <axis xyz="0 0 1"/>
    ///            <limit lower="0.1" upper="0.6" velocity="0.2" effort="100"/> </joint>
    ///        </robot>"#,
    /// )?;
    /// let column = robot.joint_index("column").ok_or("no such joint")?;
    /// assert_eq!(robot.domain(column), Domain::Interval { lower: 0.1, upper: 0.6 });
    /// assert_eq!(robot.joints()[column].velocity, 0.2);
    /// assert_eq!(robot.link_poses(&[0.3])[1].translation.z, 0.3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`UrdfError`] with the invalid element and its fault, or for an unexpanded xacro file.
    pub fn from_urdf(text: &str) -> Result<Self, UrdfError> {
        Self::from_urdf_with(text, UrdfOptions::default())
    }

    /// Reads a robot from the text of a URDF, with the given `options`.
    ///
    /// # Errors
    /// As [`Robot::from_urdf`].
    pub fn from_urdf_with(text: &str, options: UrdfOptions) -> Result<Self, UrdfError> {
        if text.len() > MAX_URDF_BYTES {
            return Err(UrdfError::TooLong { bytes: text.len() });
        }
        let has_elements = has_xacro_elements(text);
        match Self::from_kinematic_part(text, options) {
            Ok(robot) if has_elements && robot.joints.is_empty() => {
                Err(UrdfError::Xacro { reason: "the robot has no joint".into() })
            }
            Ok(mut robot) if has_elements => {
                robot.warnings.push("elements of xacro are ignored: expand the file first".into());
                Ok(robot)
            }
            Err(error) if has_elements || text.contains("${") => Err(UrdfError::Xacro { reason: error.to_string() }),
            result => result,
        }
    }

    fn from_kinematic_part(text: &str, options: UrdfOptions) -> Result<Self, UrdfError> {
        let reduced = kinematic_urdf::kinematic_part(text, options)?;
        let urdf = urdf_rs::read_from_string(&reduced).map_err(|e| UrdfError::Reader { reason: e.to_string() })?;
        let links: Vec<&str> = urdf.links.iter().map(|link| link.name.as_str()).collect();
        let joints: Vec<JointDescription> = urdf.joints.iter().map(describe).collect();
        let mut robot = Self::assemble(&urdf.name, &links, &joints)?;
        robot.set_masses(text)?;
        let is_empty = |joint: &&urdf_rs::Joint| joint.safety_controller.is_some() && soft_range(joint).is_none();
        let unused: Vec<&str> = urdf.joints.iter().filter(is_empty).map(|joint| joint.name.as_str()).collect();
        let sentence = "soft limits are not used where they leave no range within the limits; these joints have such";
        robot.warnings.extend(about(sentence, &unused));
        Ok(robot)
    }

    /// Reads a robot from a URDF file.
    ///
    /// # Errors
    /// [`UrdfError::File`] if the path is not a regular file, or the file is larger than [`MAX_URDF_BYTES`], is not
    /// UTF-8 or cannot be read; otherwise as [`Robot::from_urdf`].
    pub fn from_urdf_file(path: impl AsRef<Path>) -> Result<Self, UrdfError> {
        Self::from_urdf(&read_urdf_file(path)?)
    }
}

/// True if there is a xacro element, which expansion would replace. Comments may contain some.
fn has_xacro_elements(text: &str) -> bool {
    let mut found = false;
    let mut visit = |element: Element| {
        found |= element.path().last().is_some_and(|name| name.starts_with("xacro:"));
        Ok::<_, XmlError>(())
    };
    // A text that is no XML is refused with its line.
    let _ = text.contains("<xacro:").then(|| each_element(text, usize::MAX, &mut visit));
    found
}

/// Reads the text of a URDF file.
///
/// # Errors
/// [`ReadError`] if the path is not a regular file, or the file is larger than [`MAX_URDF_BYTES`], is not UTF-8 or
/// cannot be read.
pub fn read_urdf_file(path: impl AsRef<Path>) -> Result<String, ReadError> {
    files::read_text(path.as_ref(), MAX_URDF_BYTES)
}

/// The intersection of the limits and the soft limits of a joint, if it is an interval.
fn soft_range(joint: &urdf_rs::Joint) -> Option<[f64; 2]> {
    let (limit, soft) = (&joint.limit, joint.safety_controller.as_ref()?);
    let range = [limit.lower.max(soft.soft_lower_limit), limit.upper.min(soft.soft_upper_limit)];
    (range[0] < range[1]).then_some(range)
}

fn describe(joint: &urdf_rs::Joint) -> JointDescription {
    let kind = match joint.joint_type {
        urdf_rs::JointType::Revolute => JointKind::Revolute,
        urdf_rs::JointType::Continuous => JointKind::Continuous,
        urdf_rs::JointType::Prismatic => JointKind::Prismatic,
        urdf_rs::JointType::Floating => JointKind::Floating,
        urdf_rs::JointType::Planar => JointKind::Planar,
        // urdf-rs has a spherical type that URDF does not have: it was refused before.
        urdf_rs::JointType::Fixed | urdf_rs::JointType::Spherical => JointKind::Fixed,
    };
    let [x, y, z] = joint.origin.xyz.0;
    // Roll, pitch and yaw of URDF are rotations about the fixed axes x, y, z in this order, like the Euler
    // angles of nalgebra.
    let [roll, pitch, yaw] = joint.origin.rpy.0;
    let mimic = joint.mimic.as_ref().map(|mimic| MimicDescription {
        joint: mimic.joint.clone(),
        multiplier: mimic.multiplier.unwrap_or(1.0),
        offset: mimic.offset.unwrap_or(0.0),
    });
    let [lower, upper] = soft_range(joint).unwrap_or([joint.limit.lower, joint.limit.upper]);
    JointDescription {
        origin: Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_euler_angles(roll, pitch, yaw)),
        axis: Vector3::from(joint.axis.xyz.0),
        domain: Domain::Interval { lower, upper },
        velocity: joint.limit.velocity,
        mimic,
        ..JointDescription::new(&joint.name, kind, &joint.parent.link, &joint.child.link)
    }
}
