//! The surroundings of the robot in use, and the scene for collision avoidance.
//!
//! Collision geometry is loaded on first use, in a thread of its own.
//!
//! A scene is built once, on first use, for all users. The spin thread uses a scene only if it exists already. Meshes
//! are loaded only when collision checking is on.

pub(crate) mod avoidance;
mod clearance_loss;
mod collision_model;
pub(crate) mod semantic;

pub(crate) use avoidance::{Avoidance, NotReady};
pub(crate) use clearance_loss::ClearanceLoss;

use std::sync::Arc;

use tokio::sync::{Notify, watch};

use crate::reports::{Fault, RefuseAs, Refused, Warnings};
use crate::robot_in_use::{Configuration, LoadedRobot};
use crate::ros::{Lock, OBSTACLES, task};
use collision_model::CollisionModel;
use urdf_ik_collision::{Attached, Body, Scene, Srdf, World};
use urdf_ik_parameters::Settings;
use urdf_ik_robot::Robot;
use urdf_ik_text::names;

/// The robot in use and its surroundings.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    /// `None` before a robot is loaded. Obstacles are in the frame of its root link.
    pub robot: Option<Arc<LoadedRobot>>,
    pub world: Arc<World>,
    /// The SRDF, if it belongs to this robot.
    pub srdf: Option<Arc<Srdf>>,
}

/// The surroundings of the robot, and the scene of both.
pub(crate) struct Surroundings {
    state: Lock<SurroundingsState>,
    /// Locked while a scene is made: concurrent requests share it.
    making: tokio::sync::Mutex<()>,
    /// Counts changes.
    changes: watch::Sender<u64>,
    /// Wakes the task that makes scenes.
    asked: Notify,
    /// Clearance of the command minus clearance of the measured arm \[m\].
    pub clearance_loss: Lock<f64>,
    warnings: Arc<Warnings>,
    /// Returns the robot's current configuration.
    present: Present,
}

/// Returns the robot's current configuration; `None` before a robot is loaded.
type Present = Box<dyn Fn() -> Option<Configuration> + Send + Sync>;

struct SurroundingsState {
    environment: Environment,
    /// The SRDF of the parameter or topic, for any robot.
    given: Option<Arc<Srdf>>,
    /// The last model and scene, possibly outdated.
    model: Option<Arc<CollisionModel>>,
    made: Option<Made>,
}

/// A scene and its inputs.
#[derive(Clone)]
struct Made {
    model: Arc<CollisionModel>,
    world: Arc<World>,
    /// Positions of the joints that the chain does not move.
    rest: Vec<f64>,
    scene: Arc<Scene>,
}

impl Surroundings {
    /// Without a robot and obstacles; `given` is the SRDF of the parameter.
    pub(crate) fn new(given: Option<Srdf>, warnings: Arc<Warnings>, present: Present) -> Self {
        let given = given.map(Arc::new);
        let state = SurroundingsState { environment: Environment::default(), given, model: None, made: None };
        Self {
            state: Lock::new(state),
            making: tokio::sync::Mutex::default(),
            changes: watch::Sender::new(0),
            asked: Notify::new(),
            clearance_loss: Lock::default(),
            warnings,
            present,
        }
    }

    /// The robot's current configuration; `None` before a robot is loaded.
    fn present(&self) -> Option<Configuration> {
        (self.present)()
    }

    /// The robot in use and its surroundings.
    pub(crate) fn environment(&self) -> Environment {
        self.state.lock().environment.clone()
    }

    /// Counts changes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Wakes tasks that wait for a change.
    pub(crate) fn note_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Replaces the robot. Obstacles stay in place relative to its root link, and attached parts with the links of the
    /// same names; others are removed with a warning. [`Surroundings::note_change`] must follow once the robot has a
    /// configuration.
    pub(crate) fn use_robot(&self, loaded: &Arc<LoadedRobot>) {
        let mut state = self.state.lock();
        if let Some(before) = &state.environment.robot {
            let (world, lost) = moved(&state.environment.world, &before.robot, &loaded.robot);
            if !lost.is_empty() {
                log::warn!(
                    "obstacles: the new robot has another root link, or not the links that carried them, so these are removed: {}",
                    names::list(&lost)
                );
            }
            state.environment.world = Arc::new(world);
        }
        let fits = state.given.as_ref().map(|srdf| srdf.unknown_links(&loaded.robot));
        if let Some(Err(e)) = &fits {
            log::warn!("robot_description_semantic: {e}; the robot is used without it");
        }
        state.environment.srdf = state.given.clone().filter(|_| matches!(fits, Some(Ok(_))));
        state.environment.robot = Some(Arc::clone(loaded));
    }

    /// Replaces the SRDF.
    ///
    /// # Errors
    /// [`Fault`] if it belongs to another robot.
    pub(crate) fn use_srdf(&self, srdf: Srdf) -> Result<(), Fault> {
        let mut state = self.state.lock();
        let srdf = Arc::new(srdf);
        if let Some(loaded) = state.environment.robot.clone() {
            srdf.unknown_links(&loaded.robot)?;
            state.environment.srdf = Some(Arc::clone(&srdf));
        }
        state.given = Some(srdf);
        drop(state);
        self.note_change();
        Ok(())
    }

    /// Changes the world of `loaded`, unless `change` or the size of the new world is refused.
    ///
    /// # Errors
    /// [`Refused`] by `change`, if the world would be too large, or if the robot was replaced.
    pub(crate) fn change(
        &self,
        loaded: &Arc<LoadedRobot>,
        change: impl FnOnce(&mut World) -> Result<(), Refused>,
    ) -> Result<Arc<World>, Refused> {
        let mut state = self.state.lock();
        if !state.environment.is_of(loaded) {
            return Err(Refused::other_robot());
        }
        let mut world = World::clone(&state.environment.world);
        change(&mut world)?;
        world.check_size().refuse_as("obstacles")?;
        let world = Arc::new(world);
        state.environment.world = Arc::clone(&world);
        drop(state);
        self.note_change();
        Ok(world)
    }

    /// The scene of `loaded` with the joints outside its chain at `positions` (one entry a joint), if it exists.
    /// Cheap, without waiting.
    pub(crate) fn scene_now(&self, loaded: &Arc<LoadedRobot>, positions: &[f64]) -> Option<Arc<Scene>> {
        let state = self.state.lock();
        let made = state.made.as_ref().filter(|made| {
            made.model.is_of(loaded, state.environment.srdf.as_ref())
                && Arc::ptr_eq(&made.world, &state.environment.world)
                && made.model.is_at(&made.rest, positions)
        });
        made.map(|made| Arc::clone(&made.scene))
    }

    /// The last scene of the robot, with any obstacles and any positions of the joints outside the chain.
    pub(crate) fn last_scene(&self, loaded: &Arc<LoadedRobot>) -> Option<Arc<Scene>> {
        let state = self.state.lock();
        let made = state.made.as_ref().filter(|made| made.model.is_of(loaded, state.environment.srdf.as_ref()));
        made.map(|made| Arc::clone(&made.scene))
    }

    /// Requests a scene of the current surroundings, without waiting.
    pub(crate) fn ask_for_scene(&self) {
        self.asked.notify_one();
    }

    /// The scene of the robot, made now if necessary: the first one loads the robot's shapes.
    ///
    /// # Errors
    /// [`Refused`] if the robot was replaced, or its collision geometry cannot be read.
    pub(crate) async fn scene(
        &self,
        loaded: &Arc<LoadedRobot>,
        positions: &[f64],
        settings: &Settings,
    ) -> Result<Arc<Scene>, Refused> {
        if let Some(scene) = self.scene_now(loaded, positions) {
            return Ok(scene);
        }
        let _making = self.making.lock().await;
        if let Some(scene) = self.scene_now(loaded, positions) {
            return Ok(scene);
        }
        let (environment, model, before) = {
            let state = self.state.lock();
            (state.environment.clone(), state.model.clone(), state.made.clone())
        };
        if !environment.is_of(loaded) {
            return Err(Refused::other_robot());
        }
        let (loaded, positions, folders) = (Arc::clone(loaded), positions.to_vec(), loaded.mesh_folders(settings));
        let make = move || {
            let model = match model.filter(|model| model.is_of(&loaded, environment.srdf.as_ref())) {
                Some(model) => model,
                None => Arc::new(CollisionModel::load(&loaded, environment.srdf.as_ref(), &folders)?),
            };
            let is_new = before.is_none_or(|before| !Arc::ptr_eq(&before.world, &environment.world));
            let contacts = is_new.then(|| model.static_contacts(&environment.world, &positions)).transpose()?;
            let scene = Arc::new(model.scene(&environment.world, &positions)?);
            Ok((Made { rest: model.rest(&positions), model, world: environment.world, scene }, contacts))
        };
        let made = tokio::task::spawn_blocking(make).await.unwrap_or_else(|_| {
            Err(Fault::new("making the scene failed inside urdf_ik; please report this with the description"))
        });
        let (made, new_contacts) = made.refuse_as("collisions")?;
        if let Some(contacts) = new_contacts {
            warn_about(&self.warnings, &contacts);
        }
        let scene = Arc::clone(&made.scene);
        self.keep(made);
        Ok(scene)
    }

    /// True if there are obstacles, or a scene was requested before.
    fn is_in_use(&self) -> bool {
        let state = self.state.lock();
        let world = &state.environment.world;
        state.model.is_some() || world.obstacles().next().is_some() || world.attached().next().is_some()
    }

    /// Stores a new scene. A scene whose joints outside the chain are farther from the published ones than before is
    /// discarded: it would replace the one that targets need.
    fn keep(&self, made: Made) {
        let now = self.present();
        let mut state = self.state.lock();
        state.model = Some(Arc::clone(&made.model));
        let Some(now) = now else { return };
        let apart = |made: &Made| made.model.distance_from(&made.rest, &now.positions);
        let is_nearer = state.made.as_ref().is_none_or(|before| {
            !Arc::ptr_eq(&before.model, &made.model)
                || !Arc::ptr_eq(&before.world, &made.world)
                || apart(&made) <= apart(before)
        });
        if is_nearer {
            state.made = Some(made);
        }
    }
}

impl Environment {
    /// True if this is the robot in use.
    pub(crate) fn is_of(&self, loaded: &Arc<LoadedRobot>) -> bool {
        self.robot.as_ref().is_some_and(|robot| robot.is_same_robot(loaded))
    }
}

/// The world of the robot `old` for `new`, and the names of removed bodies.
fn moved(world: &World, old: &Robot, new: &Robot) -> (World, Vec<String>) {
    let mut lost = Vec::new();
    if old.links()[old.root()].name != new.links()[new.root()].name {
        let all = world.obstacles().map(|(id, ..)| id).chain(world.attached().map(|(id, _)| id));
        return (World::default(), all.map(str::to_owned).collect());
    }
    let mut kept = world.clone();
    for (id, attached) in world.attached() {
        let link = new.link_index(&old.links()[attached.link].name);
        // It exists: this cannot fail.
        let _ = kept.remove(id);
        let moved = link.map(|link| kept.attach(id, Attached { link, ..attached.clone() }));
        if !matches!(moved, Some(Ok(()))) {
            lost.push(id.to_owned());
        }
    }
    (kept, lost)
}

/// Warns once about inseparable contacts.
fn warn_about(warnings: &Warnings, contacts: &[[Body; 2]]) {
    let subject = OBSTACLES.short_name();
    if contacts.is_empty() {
        warnings.recovered(subject);
        return;
    }
    let pairs: Vec<String> = contacts.iter().map(|[first, second]| format!("{first} and {second}")).collect();
    let sentence = format!(
        "these touch, and no joint of the chain moves them, so they do not count as collisions: {}",
        names::list(&pairs)
    );
    warnings.warn_once(subject, &sentence, &sentence);
}

/// Updates the scene after each change if collisions matter: they are avoided, there are obstacles, or a scene was
/// requested.
pub(crate) fn serve(surroundings: &Arc<Surroundings>, settings: &Arc<Lock<Arc<Settings>>>) {
    let (surroundings, settings) = (Arc::clone(surroundings), Arc::clone(settings));
    let mut changes = surroundings.changes();
    task::start(async move {
        loop {
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = surroundings.asked.notified() => {}
            }
            let settings = Arc::clone(&settings.lock());
            let is_wanted = settings.avoid_collisions || surroundings.is_in_use();
            let Some(now) = surroundings.present().filter(|_| is_wanted) else { continue };
            let made = surroundings.scene(&now.loaded, &now.positions, &settings).await;
            surroundings.warnings.note("collisions", &made);
        }
    });
}
