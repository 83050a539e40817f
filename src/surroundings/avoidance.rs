//! Collision avoidance of motions: a scene and a margin.

use std::sync::Arc;

use super::Surroundings;
use crate::reports::{RefuseAs, Refused};
use crate::robot_in_use::LoadedRobot;
use urdf_ik_collision::{Clearance, MissingShapesError, Scene};
use urdf_ik_parameters::Settings;

/// A scene and the required distance from it.
#[derive(Clone)]
pub(crate) struct Avoidance {
    /// The robot of the scene.
    pub loaded: Arc<LoadedRobot>,
    pub scene: Arc<Scene>,
    /// Minimum distance of every pair \[m\].
    pub margin: f64,
    /// The part of the margin that compensates for the lower clearance of the measured arm \[m\].
    pub clearance_loss: f64,
}

/// Why the obstacles to avoid are unknown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotReady {
    /// Shapes have to be loaded first.
    #[error("the obstacles to avoid are not known yet")]
    NotYet,
    /// Permanently missing shapes.
    #[error(transparent)]
    MissingShapesError(#[from] MissingShapesError),
}

impl Avoidance {
    /// The avoidance configured in `settings`, with the joints outside the chain at `positions` (one entry a joint);
    /// `None` if collisions are not avoided.
    ///
    /// # Errors
    /// [`Refused`] if shapes of the robot are unusable or missing.
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

    /// The avoidance at the current positions, without waiting.
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

    /// The avoidance for a moving arm: the last scene of its robot. Requests a new scene if it is outdated.
    ///
    /// # Errors
    /// [`NotReady`] if there is no scene yet, or shapes are missing.
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

    fn new(loaded: &Arc<LoadedRobot>, scene: Arc<Scene>, settings: &Settings) -> Result<Self, MissingShapesError> {
        settings.missing_shapes.check(scene.missing_shapes())?;
        Ok(Self { loaded: Arc::clone(loaded), scene, margin: settings.collision_margin, clearance_loss: 0.0 })
    }

    /// The avoidance with a margin widened by the `clearance_loss` of the measured arm \[m\].
    pub(crate) fn widened(self, clearance_loss: f64) -> Self {
        Self { margin: self.margin + clearance_loss, clearance_loss, ..self }
    }

    /// The scene, if collisions are avoided.
    pub(crate) fn scene(avoidance: Option<&Self>) -> Option<&Scene> {
        avoidance.map(|avoidance| &*avoidance.scene)
    }

    /// The clearance for solvers.
    pub(crate) fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.margin }
    }
}
