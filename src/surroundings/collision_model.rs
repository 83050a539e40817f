//! The collision shapes and pairs of a robot, shared by its scenes.

use std::sync::Arc;

use crate::reports::Fault;
use crate::robot_in_use::LoadedRobot;
use urdf_ik_collision::{Body, LinkShapes, Pairs, Scene, SceneError, Srdf, World, static_contacts};
use urdf_ik_robot::{MeshFolders, PositionsError};
use urdf_ik_text::names;

/// Tolerance of a joint outside the chain between scene and measurement \[rad or m\]: measurements are noisy. It moves
/// bodies within a metre by less than a millimetre.
const NOISE: f64 = 5e-4;

/// The collision geometry of a robot. Constant.
pub(crate) struct CollisionModel {
    loaded: Arc<LoadedRobot>,
    srdf: Option<Arc<Srdf>>,
    shapes: LinkShapes,
    pairs: Pairs,
    /// The joints that the chain does not move.
    uncontrolled: Vec<usize>,
}

impl CollisionModel {
    /// Loads the shapes, and determines the pairs. Logs missing shapes.
    ///
    /// # Errors
    /// [`Fault`] if the collision geometry cannot be read at all.
    pub(crate) fn load(
        loaded: &Arc<LoadedRobot>,
        srdf: Option<&Arc<Srdf>>,
        folders: &MeshFolders,
    ) -> Result<Self, Fault> {
        let LoadedRobot { text, robot, chain, .. } = &**loaded;
        let shapes = LinkShapes::of_urdf(text, robot, folders)?;
        for fault in shapes.faults() {
            log::warn!("collisions: {fault}");
        }
        let unknown = srdf.map(|srdf| srdf.unknown_links(robot)).transpose()?;
        if let Some(unknown) = unknown.filter(|unknown| !unknown.is_empty()) {
            log::warn!("robot_description_semantic: the robot has not these links: {}", names::list(&unknown));
        }
        let srdf = srdf.cloned();
        let pairs = Pairs::of_chain(robot, chain, &shapes, srdf.as_deref())?;
        let uncontrolled = robot.movable().filter(|&joint| !chain.moves(robot, joint)).collect();
        Ok(Self { loaded: Arc::clone(loaded), srdf, shapes, pairs, uncontrolled })
    }

    /// True for this robot with this SRDF.
    pub(crate) fn is_of(&self, loaded: &Arc<LoadedRobot>, srdf: Option<&Arc<Srdf>>) -> bool {
        let is_same_srdf = match (&self.srdf, srdf) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        is_same_srdf && self.loaded.is_same_robot(loaded)
    }

    /// The scene with `world`, and the joints outside the chain at `positions` (one entry a joint).
    pub(crate) fn scene(&self, world: &World, positions: &[f64]) -> Result<Scene, SceneError> {
        let (robot, chain) = (&self.loaded.robot, &*self.loaded.chain);
        let world = world.with_end_effectors(robot, chain, self.srdf.as_deref());
        Scene::new(robot, chain, &self.shapes, &self.pairs, &world, positions)
    }

    /// Contacts that no motion of the chain can separate, with `world` and the joints at `positions` (one entry a
    /// joint).
    pub(crate) fn static_contacts(&self, world: &World, positions: &[f64]) -> Result<Vec<[Body; 2]>, PositionsError> {
        let LoadedRobot { robot, chain, .. } = &*self.loaded;
        static_contacts(robot, chain, &self.shapes, self.srdf.as_deref(), world, positions)
    }

    /// The entries of `positions` (one entry a joint) for joints that the chain does not move.
    pub(crate) fn rest(&self, positions: &[f64]) -> Vec<f64> {
        self.uncontrolled.iter().map(|&joint| positions[joint]).collect()
    }

    /// True if the joints that the chain does not move are at `rest` in `positions`, within the noise of measurements.
    pub(crate) fn is_at(&self, rest: &[f64], positions: &[f64]) -> bool {
        self.distance_from(rest, positions) <= NOISE
    }

    /// The largest distance of the joints that the chain does not move between `rest` and `positions` \[rad or m\].
    pub(crate) fn distance_from(&self, rest: &[f64], positions: &[f64]) -> f64 {
        let uncontrolled = self.uncontrolled.iter().zip(rest);
        uncontrolled.map(|(&joint, rest)| (positions[joint] - rest).abs()).fold(0.0, f64::max)
    }
}
