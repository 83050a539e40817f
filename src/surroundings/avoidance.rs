//! What the arm keeps clear of while it moves: the world at one moment, and the margin.

use std::sync::Arc;

use super::Surroundings;
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_collision::{Clearance, Scene, ShapesMissing};
use urdf_ik_parameters::Settings;

/// The world at one moment, and how far from it the arm stays.
#[derive(Clone)]
pub(crate) struct Avoidance {
    /// The robot that the scene is of.
    pub loaded: Arc<LoadedRobot>,
    pub scene: Arc<Scene>,
    /// The least distance of every pair \[m\].
    pub margin: f64,
    /// How much of that is there because the measured arm is nearer to something than its command \[m\].
    pub clearance_loss: f64,
}

/// Why it is not known what to avoid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReady {
    /// Shapes have to be loaded first.
    #[error("what it has to avoid is not known yet")]
    NotYet,
    /// They never will be.
    #[error(transparent)]
    ShapesMissing(#[from] ShapesMissing),
}

impl Avoidance {
    /// What `settings` ask to avoid around a robot, with the joints outside its chain at `positions` (one entry a joint); `None` where they
    /// ask for nothing.
    ///
    /// # Errors
    /// [`Refused`] where the shapes of the robot cannot be used, or some are missing.
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
        Self::new(loaded, scene, settings).map(Some).refuse_as("collisions")
    }

    /// What the robot keeps clear of at its present positions, without waiting.
    ///
    /// # Errors
    /// [`NotReady`].
    pub(crate) fn at_once(surroundings: &Surroundings, settings: &Settings) -> Result<Option<Self>, NotReady> {
        if !settings.avoid_collisions {
            return Ok(None);
        }
        let now = surroundings.present().ok_or(NotReady::NotYet)?;
        let scene = surroundings.scene_now(&now.loaded, &now.positions).ok_or(NotReady::NotYet)?;
        Ok(Some(Self::new(&now.loaded, scene, settings)?))
    }

    /// What a moving arm keeps clear of: the last scene of the robot that was made. Where it is out of date, another one is asked for.
    ///
    /// # Errors
    /// [`NotReady`] where none was made yet, or shapes are missing.
    pub(crate) fn in_motion(surroundings: &Surroundings, settings: &Settings) -> Result<Option<Self>, NotReady> {
        let found = Self::at_once(surroundings, settings);
        if !matches!(found, Err(NotReady::NotYet)) {
            return found;
        }
        surroundings.ask_for_scene();
        let loaded = surroundings.present().ok_or(NotReady::NotYet)?.loaded;
        let scene = surroundings.last_scene(&loaded).ok_or(NotReady::NotYet)?;
        Ok(Some(Self::new(&loaded, scene, settings)?))
    }

    fn new(loaded: &Arc<LoadedRobot>, scene: Arc<Scene>, settings: &Settings) -> Result<Self, ShapesMissing> {
        settings.missing_shapes.check(scene.missing_shapes())?;
        Ok(Self { loaded: Arc::clone(loaded), scene, margin: settings.collision_margin, clearance_loss: 0.0 })
    }

    /// What a motion keeps clear of whose measured arm is so much nearer to something than its command \[m\].
    pub(crate) fn widened(self, clearance_loss: f64) -> Self {
        Self { margin: self.margin + clearance_loss, clearance_loss, ..self }
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
