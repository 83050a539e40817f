//! The configuration of the robot in use.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::description::LoadedRobot;
use urdf_ik_collision::{Near, Scene, SceneScratch};
use urdf_ik_robot::Variable;

/// The configuration of a robot.
#[derive(Clone)]
pub(crate) struct Configuration {
    pub loaded: Arc<LoadedRobot>,
    /// Current positions (one entry for each joint of the robot).
    pub positions: Vec<f64>,
    /// Positions at the end of the current motion.
    pub end: Vec<f64>,
}

impl Configuration {
    /// The pose of the root link's frame in the base link's.
    pub(crate) fn root_in_base(&self) -> Isometry3<f64> {
        let robot = &self.loaded.robot;
        let base = robot.link_index(self.loaded.chain.base()).unwrap_or(robot.root());
        robot.link_poses(&self.positions)[base].inverse()
    }

    /// The end of the motion, clamped to the limits if a joint of the chain was measured outside.
    pub(crate) fn end_inside(&self) -> Vec<f64> {
        let LoadedRobot { robot, chain, .. } = &*self.loaded;
        let inside = |variable: &Variable| variable.domain.clamp(self.end[variable.joint]);
        let mut end = self.end.clone();
        chain.write_into(robot, &chain.variables().iter().map(inside).collect::<Vec<_>>(), &mut end);
        end
    }

    /// The pairs of bodies of `scene` within the distance `within` \[m\], nearest first.
    pub(crate) fn near_pairs(&self, scene: &Scene, within: f64) -> Vec<Near> {
        let mut scratch = SceneScratch::default();
        scene.find_near(&self.loaded.chain.positions_from(&self.positions), within, &mut scratch);
        scratch.near.sort_by(|one, other| one.gap().total_cmp(&other.gap()));
        scratch.near
    }
}
