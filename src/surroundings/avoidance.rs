//! What the arm keeps clear of while it moves: the world at one moment, and the margin.

use std::sync::Arc;

use super::Surroundings;
use crate::reports::Refused;
use crate::robot_in_use::LoadedRobot;
use urdf_ik_collision::{Clearance, Scene};
use urdf_ik_parameters::Settings;

/// The world at one moment, and how far from it the arm stays.
#[derive(Clone)]
pub(crate) struct Avoidance {
    /// The robot that the scene is of.
    pub loaded: Arc<LoadedRobot>,
    pub scene: Arc<Scene>,
    /// The least distance of every pair \[m\].
    pub margin: f64,
}

/// The world is not known yet: shapes have to be loaded first.
#[derive(Clone, Copy)]
pub(crate) struct NotReady;

impl Avoidance {
    /// What `settings` ask to avoid around a robot, with the joints outside its chain at `positions` (one entry a joint); `None` where they
    /// ask for nothing.
    ///
    /// # Errors
    /// [`Refused`] where the shapes of the robot cannot be used.
    pub(crate) async fn of(
        surroundings: &Surroundings,
        loaded: &Arc<LoadedRobot>,
        positions: &[f64],
        settings: &Settings,
    ) -> Result<Option<Self>, Refused> {
        if !settings.avoid_collisions {
            return Ok(None);
        }
        let scene = surroundings.scene(loaded, positions, settings).await?;
        Ok(Some(Self::new(loaded, scene, settings)))
    }

    /// What the robot keeps clear of at its present positions, without waiting.
    ///
    /// # Errors
    /// [`NotReady`].
    pub(crate) fn at_once(surroundings: &Surroundings, settings: &Settings) -> Result<Option<Self>, NotReady> {
        if !settings.avoid_collisions {
            return Ok(None);
        }
        let now = surroundings.present().ok_or(NotReady)?;
        let scene = surroundings.scene_now(&now.loaded, &now.positions).ok_or(NotReady)?;
        Ok(Some(Self::new(&now.loaded, scene, settings)))
    }

    /// What a moving arm keeps clear of: the last scene of the robot that was made. Where it is out of date, another one is asked for.
    ///
    /// # Errors
    /// [`NotReady`] where none was made yet.
    pub(crate) fn in_motion(surroundings: &Surroundings, settings: &Settings) -> Result<Option<Self>, NotReady> {
        Self::at_once(surroundings, settings).or_else(|NotReady| {
            surroundings.ask_for_scene();
            let loaded = surroundings.present().ok_or(NotReady)?.loaded;
            let scene = surroundings.last_scene(&loaded).ok_or(NotReady)?;
            Ok(Some(Self::new(&loaded, scene, settings)))
        })
    }

    fn new(loaded: &Arc<LoadedRobot>, scene: Arc<Scene>, settings: &Settings) -> Self {
        Self { loaded: Arc::clone(loaded), scene, margin: settings.collision_margin }
    }

    /// What is around the robot, where anything is avoided.
    pub(crate) fn scene(avoidance: Option<&Self>) -> Option<&Scene> {
        avoidance.map(|avoidance| &*avoidance.scene)
    }

    /// What solvers take to keep clear.
    pub(crate) fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.margin }
    }
}
