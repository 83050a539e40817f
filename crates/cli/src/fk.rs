//! `urdf_ik fk`: the poses of all links, as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};
use urdf_ik::robot::Robot;
use urdf_ik::spatial::{NotARotation, rotation_from};

use super::Result;
use super::input::read_json;
use super::options::ConfigurationArguments;
use super::output::write_line;

/// A pose in JSON: position \[m\] and orientation quaternion (x, y, z, w).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseJson {
    p: [f64; 3],
    q_xyzw: [f64; 4],
}

impl From<&Isometry3<f64>> for PoseJson {
    fn from(pose: &Isometry3<f64>) -> Self {
        Self { p: pose.translation.vector.into(), q_xyzw: pose.rotation.coords.into() }
    }
}

impl PoseJson {
    /// The pose, with a translation \[m\].
    ///
    /// # Errors
    /// [`NotARotation`] if the quaternion does not have length 1.
    pub fn pose(&self) -> Result<Isometry3<f64>, NotARotation> {
        Ok(Isometry3::from_parts(self.p.into(), rotation_from(self.q_xyzw)?))
    }
}

/// Prints the poses of all links at each configuration as JSON, in the root link's frame.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &ConfigurationArguments, out: &mut impl Write) -> Result {
    let robot = arguments.robot.robot()?;
    let samples: Vec<BTreeMap<String, f64>> = read_json(&arguments.positions)?;
    let mut answers = Vec::with_capacity(samples.len());
    for sample in &samples {
        let poses = robot.link_poses(&positions(&robot, sample)?);
        let links = robot.links().iter().zip(&poses);
        answers.push(links.map(|(link, pose)| (link.name.as_str(), PoseJson::from(pose))).collect::<BTreeMap<_, _>>());
    }
    write_line(out, &answers)
}

/// One position per joint of the robot \[rad or m\]. Joints that are not in `sample` are at 0; mimic joints follow
/// their master.
///
/// # Errors
/// A message if the robot does not have a joint of that name.
pub fn positions(robot: &Robot, sample: &BTreeMap<String, f64>) -> Result<Vec<f64>> {
    let mut positions = vec![0.0; robot.joints().len()];
    for (name, position) in sample {
        let index = robot.joint_index(name).ok_or_else(|| format!("the robot has no joint '{name}'"))?;
        positions[index] = *position;
    }
    robot.apply_mimic(&mut positions);
    Ok(positions)
}
