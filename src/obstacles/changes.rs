//! `change_obstacles`: atomic changes of the world.
//!
//! Obstacles are stored in the root link's frame, and their own frame is looked up once: a world is plain data, and its
//! scene does not depend on time. All changes of a request apply to a copy of the world, which replaces it if none is
//! refused.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{Obstacle as Message, ObstacleChange};
use r2r::urdf_ik::srv::ChangeObstacles::{Request, Response};

use super::messages;
use crate::arm::Arm;
use crate::messages::MAX_NAME_BYTES;
use crate::reports::{Fault, Refused, fault};
use crate::robot_in_use::{LoadedRobot, LocatedFrame, link_poses};
use crate::solving::Queries;
use urdf_ik_collision::{Attached, Obstacle, World};
use urdf_ik_parameters::Settings;
use urdf_ik_robot::Robot;
use urdf_ik_text::names::{self, short};
use urdf_ik_text::{UnknownName, named_values};

/// A validated change.
struct PreparedChange {
    change: Change,
    /// The frame of its pose.
    frame: Option<LocatedFrame>,
    /// Index of the link that will carry the obstacle.
    link: usize,
}

/// The service.
pub(super) async fn change_obstacles(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    Ok(Response { success: true, message: make(&queries, request.changes).await? })
}

/// Applies all changes in order, or none. Returns a sentence about the new world.
///
/// # Errors
/// [`Refused`] with the name of the obstacle.
pub(crate) async fn make(queries: &Queries, changes: Vec<ObstacleChange>) -> Result<String, Refused> {
    let Queries { arm, searches } = queries;
    let settings = arm.settings();
    let now = arm.configuration()?;
    let loaded = now.loaded;
    let has_meshes = changes.iter().any(|change| !change.obstacle.meshes.is_empty());
    let read = move || changes.into_iter().map(Change::read).collect::<Result<Vec<_>, _>>().map_err(invalid);
    // Reading large meshes takes long.
    let read = if has_meshes { searches.run_long(1, read).await? } else { read()? };
    let mut ready = Vec::with_capacity(read.len());
    for change in read {
        ready.push(prepare(arm, &loaded, &settings, change).await?);
    }
    // Updated after waiting for frames.
    let now = arm.configuration()?;
    if !now.loaded.is_same_robot(&loaded) {
        return Err(Refused::other_robot());
    }
    let poses = loaded.robot.link_poses(&now.positions);
    let world = arm.surroundings.change(&loaded, |world| {
        ready.into_iter().try_for_each(|ready| {
            let id = ready.change.id.clone();
            apply(world, &loaded.robot, &poses, ready).map_err(|fault| invalid(naming(&id, fault)))
        })
    })?;
    Ok(format!("there are {} obstacles and {} attached parts", world.obstacles().count(), world.attached().count()))
}

fn invalid(fault: Fault) -> Refused {
    Refused::invalid("obstacles", fault)
}

/// Looks up the frame and the link of a change.
async fn prepare(
    arm: &Arm,
    loaded: &LoadedRobot,
    settings: &Settings,
    mut change: Change,
) -> Result<PreparedChange, Refused> {
    let Change { id, action, header, pose, link_name, touch_links, .. } = &mut change;
    let naming_it = |fault: Fault| naming(id, fault);
    let index = |name: &str| link_poses::index(loaded, &settings.frame_prefix, name);
    let mut link = 0;
    if *action == Action::Attach {
        if link_name.is_empty() {
            return Err(invalid(naming_it(Fault::new("attach needs link_name, the link that carries it"))));
        }
        // Replaces prefixed link names; other names may be obstacles.
        let own = |name: &String| index(name).map_or(name.clone(), |link| loaded.robot.links()[link].name.clone());
        *touch_links = touch_links.iter().map(own).collect();
        link = index(link_name).map_err(|fault| invalid(naming_it(fault)))?;
    }
    let frame = match pose {
        None => None,
        Some(_) if *action == Action::Attach && header.frame_id.is_empty() => {
            Some(LocatedFrame::of_link(link_name.clone(), link))
        }
        Some(_) => {
            let frame = arm.frames.of_request(loaded, settings, header).await;
            let of_it =
                |refused: Refused| Refused { sentence: naming_it(Fault::new(&*refused.sentence)).into(), ..refused };
            Some(frame.map_err(of_it)?)
        }
    };
    Ok(PreparedChange { change, frame, link })
}

/// Applies one change, with the robot's links at `poses` in the root link's frame.
fn apply(
    world: &mut World,
    robot: &Robot,
    poses: &[Isometry3<f64>],
    PreparedChange { change, frame, link }: PreparedChange,
) -> Result<(), Fault> {
    let Change { id, action, shapes, pose, touch_links, .. } = change;
    let in_root = frame.zip(pose).map(|(frame, pose)| frame.in_root(poses) * pose).unwrap_or_default();
    match action {
        Action::Add => world.add(&id, shapes.unwrap_or_default(), in_root)?,
        Action::Move => world.move_to(&id, in_root)?,
        Action::Remove => world.remove(&id)?,
        Action::Clear => *world = World::default(),
        Action::Attach => {
            check_touch_links(world, robot, &touch_links)?;
            let missing = Fault::new("there is no such obstacle to attach: give it shapes");
            let present = || world.obstacle(&id).map(|(obstacle, pose)| (Arc::clone(obstacle), *pose));
            let (obstacle, pose) = shapes.map(|shapes| (shapes, in_root)).or_else(present).ok_or(missing)?;
            let pose = poses[link].inv_mul(&pose);
            world.attach(&id, Attached { obstacle, pose, link, may_touch: touch_links })?;
        }
        Action::Detach => world.detach(&id, poses)?,
    }
    Ok(())
}

/// Refuses names that are neither links of the robot nor obstacles or attached parts of the world.
fn check_touch_links(world: &World, robot: &Robot, names: &BTreeSet<String>) -> Result<(), Fault> {
    let is_body = |name: &str| {
        robot.link_index(name).is_some() || world.obstacle(name).is_some() || world.attached().any(|(id, _)| id == name)
    };
    let unknown: Vec<&String> = names.iter().filter(|name| !is_body(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(fault!("touch_links has names that are neither links of the robot nor obstacles: {}", names::list(&unknown)))
}

/// Maximum number of names in touch_links.
const MAX_TOUCH_LINKS: usize = 1000;

named_values! {
    /// The kind of a change.
    pub enum Action("change", "changes") {
        /// Add or replace an obstacle.
        Add = "add",
        /// Move an obstacle.
        Move = "move",
        /// Remove an obstacle or part.
        Remove = "remove",
        /// Remove everything.
        Clear = "clear",
        /// Attach an obstacle or shapes to a link.
        Attach = "attach",
        /// Turn a part into an obstacle.
        Detach = "detach",
    }
}

/// One change of the world.
struct Change {
    /// Name of the obstacle or part.
    id: String,
    action: Action,
    /// Shapes of an added or directly attached obstacle. Without shapes, the existing obstacle of that name is
    /// attached in place.
    shapes: Option<Arc<Obstacle>>,
    /// The frame of its pose.
    header: Header,
    /// Pose of an added, moved or directly attached obstacle.
    pose: Option<Isometry3<f64>>,
    /// The link that carries an attached part.
    link_name: String,
    /// Bodies that the part may touch.
    touch_links: BTreeSet<String>,
}

impl Change {
    /// Checks a change.
    ///
    /// # Errors
    /// [`Fault`] with the name of the obstacle.
    fn read(message: ObstacleChange) -> Result<Self, Fault> {
        let id = message.obstacle.id.clone();
        let action = action(&message.change, &id)?;
        Self::of(action, message).map_err(|fault| naming(&id, fault))
    }

    fn of(action: Action, message: ObstacleChange) -> Result<Self, Fault> {
        let ObstacleChange { change: name, obstacle, link_name, touch_links } = message;
        let shapes = messages::shapes(&obstacle)?;
        let shapes = (!shapes.shapes().is_empty()).then(|| Arc::new(shapes));
        if action != Action::Attach && !(link_name.is_empty() && touch_links.is_empty()) {
            return Err(fault!("link_name and touch_links are for attach, not for {}", short(&name)));
        }
        let has_place = match (action, &shapes) {
            (Action::Add, None) => return Err(Fault::new("it has no shapes: give it primitives or meshes")),
            (Action::Add, Some(_)) | (Action::Move, None) => true,
            (Action::Attach, shapes) => shapes.is_some(),
            (_, Some(_)) => {
                return Err(fault!("{} takes no shapes; add replaces an obstacle as a whole", short(&name)));
            }
            (_, None) => false,
        };
        let Message { id, header, pose, .. } = obstacle;
        let pose = has_place.then(|| messages::pose(&pose)).transpose()?;
        if touch_links.len() > MAX_TOUCH_LINKS || touch_links.iter().any(|name| name.len() > MAX_NAME_BYTES) {
            return Err(fault!("touch_links may have {MAX_TOUCH_LINKS} names of {MAX_NAME_BYTES} bytes"));
        }
        Ok(Self { id, action, shapes, header, pose, link_name, touch_links: touch_links.into_iter().collect() })
    }
}

/// A fault of the obstacle `id`.
fn naming(id: &str, fault: Fault) -> Fault {
    if id.is_empty() { fault } else { fault.of(format_args!("obstacle '{}'", short(id))) }
}

/// The action called `name` for the obstacle `id`.
fn action(name: &str, id: &str) -> Result<Action, Fault> {
    match name.parse() {
        Ok(Action::Clear) if !id.is_empty() => {
            Err(naming(id, Fault::new("clear removes all and takes no name; remove takes one away")))
        }
        Ok(action) if id.is_empty() && action != Action::Clear => Err(fault!("{name} needs the id of an obstacle")),
        _ if id.len() > MAX_NAME_BYTES => Err(naming(id, fault!("an id may have {MAX_NAME_BYTES} bytes"))),
        Ok(action) => Ok(action),
        Err(UnknownName { name, names, .. }) => {
            let names = names.join(", ");
            Err(naming(id, fault!("change must be one of {names}; it is '{}'", short(&name))))
        }
    }
}
