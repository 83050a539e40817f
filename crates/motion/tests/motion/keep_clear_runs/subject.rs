//! The arms of the runs.

use nalgebra::Isometry3;
use urdf_ik::collision::{LinkShapes, Pairs, Scene, Srdf, World};
use urdf_ik::motion::MotionLimits;
use urdf_ik::robot::{MeshFolders, Robot};
use urdf_ik::solver::Solver;

use crate::common::{Arm, root};

/// A robot with collision geometry.
pub struct Subject {
    pub arm: Arm,
    shapes: LinkShapes,
    pairs: Pairs,
    pub(super) solver: Solver,
    pub(super) limits: MotionLimits,
}

impl Subject {
    /// The bundled arm of seven joints.
    pub fn arm7() -> Self {
        let text = std::fs::read_to_string(root().join("urdf/arm7.urdf")).unwrap();
        Self::new(Arm::from_text(&text, "base_link", &["tool0"]), &text, &MeshFolders::new([], None), None)
    }

    /// A robot of ../shared/scenes.
    pub fn of_scenes(name: &str, base: &str, tip: &str) -> Self {
        let folder = root().join("../shared/scenes").join(name);
        let read = |ending: &str| std::fs::read_to_string(folder.join(format!("{name}.{ending}"))).unwrap();
        let (text, srdf) = (read("urdf"), read("srdf"));
        let arm = Arm::new(name, Robot::from_urdf(&text).unwrap(), base, &[tip]);
        let srdf = Srdf::from_text(&srdf).unwrap();
        Self::new(arm, &text, &MeshFolders::new([], Some(&folder)), Some(&srdf))
    }

    fn new(arm: Arm, text: &str, folders: &MeshFolders, srdf: Option<&Srdf>) -> Self {
        let shapes = LinkShapes::of_urdf(text, &arm.robot, folders).unwrap();
        assert_eq!(shapes.faults(), [], "{}", arm.name);
        let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, srdf).unwrap();
        let limits = arm.limits();
        Self { solver: arm.solver(), limits, arm, shapes, pairs }
    }

    pub(super) fn scene(&self, world: &World) -> Scene {
        let Arm { robot, chain, .. } = &self.arm;
        Scene::new(robot, chain, &self.shapes, &self.pairs, world, &robot.neutral_positions()).unwrap()
    }

    pub(super) fn tip(&self, positions: &[f64]) -> Isometry3<f64> {
        self.arm.tip_poses(positions)[0]
    }
}
