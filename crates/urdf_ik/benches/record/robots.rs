//! The robots whose answers are recorded.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use urdf_ik::robot::{Chain, ChainPoses, Noodle, NoodleJoints, Robot};

use crate::{Fallible, Random};

/// Folders with robots, relative to the package.
const FOLDERS: [&str; 3] = ["urdf", "tests/data/urdf", "tests/data/robots"];

/// Robot names, files, base links (the root if `None`) and tip links (the only leaf if empty).
const ROBOTS: [(&str, &str, Option<&str>, &[&str]); 16] = [
    ("two_link", "two_link.urdf", None, &[]),
    ("three_link", "three_link.urdf", None, &[]),
    ("arm5", "arm5.urdf", None, &[]),
    ("arm6", "arm6.urdf", None, &[]),
    ("arm7", "arm7.urdf", None, &[]),
    ("mixed_joints", "mixed_joints.urdf", Some("base_link"), &["tool"]),
    ("two_arms", "two_arms.urdf", Some("base_link"), &["left_hand", "right_hand"]),
    ("dual_arm", "dual_arm.urdf", None, &["left_hand", "right_hand"]),
    ("fetch7", "fetch.urdf", Some("torso_lift_link"), &["gripper_link"]),
    ("frankie", "frankie.urdf", None, &["frankie_hand"]),
    ("gen3", "gen3.urdf", Some("base_link"), &["EndEffector_Link"]),
    ("iiwa14", "iiwa14.urdf", Some("base_link"), &["tool0"]),
    ("kr6", "kr6r900sixx.urdf", Some("base_link"), &["tool0"]),
    ("panda", "panda.urdf", Some("panda_link0"), &["panda_hand_tcp"]),
    ("talos7", "talos_full_v2.urdf", Some("torso_2_link"), &["gripper_left_base_link"]),
    ("ur5", "ur5_robot.urdf", Some("base_link"), &["tool0"]),
];

/// Segments of the noodle.
const SEGMENTS: usize = 20;

/// A robot with one of its chains.
#[derive(Clone)]
pub struct Arm {
    pub name: String,
    pub robot: Arc<Robot>,
    pub chain: Arc<Chain>,
}

/// All available robots, and a noodle. Reports missing robots: the record is then smaller.
pub fn robots() -> Fallible<Vec<Arm>> {
    let mut arms = Vec::new();
    for (name, file, base, tips) in ROBOTS {
        let paths =
            FOLDERS.map(|folder| Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder).join(file));
        match paths.iter().find(|path| path.is_file()) {
            Some(path) => arms.push(Arm::new(name, Robot::from_urdf_file(path)?, base, tips)?),
            None => println!("a smaller record, without {name}: {file} is in none of {FOLDERS:?}"),
        }
    }
    let noodle = Noodle { joints: NoodleJoints::Alternating, ..Noodle::new(SEGMENTS) };
    arms.push(Arm::new("noodle", Robot::from_urdf(&noodle.urdf()?)?, None, &[])?);
    Ok(arms)
}

impl Arm {
    pub fn new(name: &str, robot: Robot, base: Option<&str>, tips: &[&str]) -> Fallible<Self> {
        let chain = Arc::new(Chain::with_defaults(&robot, base, tips)?);
        Ok(Self { name: name.to_owned(), robot: Arc::new(robot), chain })
    }

    /// The poses of the tips at positions of the chain's variables.
    pub fn tips(&self, positions: &[f64]) -> Vec<Isometry3<f64>> {
        let mut poses = ChainPoses::new(&self.chain);
        self.chain.forward_kinematics(positions, &mut poses);
        poses.tips().to_vec()
    }
}

impl Random {
    /// True once in `times` on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_euler_angles(self.between(-3.1, 3.1), self.between(-1.5, 1.5), self.between(-3.1, 3.1))
    }

    /// A pose up to `distance` from the origin along each axis \[m\].
    pub fn pose(&mut self, distance: f64) -> Isometry3<f64> {
        let [x, y, z] = [(); 3].map(|()| self.between(-distance, distance));
        Isometry3::from_parts(Translation3::new(x, y, z), self.rotation())
    }

    /// Positions within `step` of others and inside the limits.
    pub fn near(&mut self, chain: &Chain, positions: &[f64], step: f64) -> Vec<f64> {
        let domains = chain.domains().into_iter();
        domains.zip(positions).map(|(domain, at)| domain.clamp(at + self.between(-step, step))).collect()
    }
}

/// The numbers of a pose.
pub fn pose_numbers(pose: &Isometry3<f64>) -> impl Iterator<Item = f64> + '_ {
    pose.translation.vector.iter().chain(pose.rotation.coords.iter()).copied()
}
