//! `change_obstacles`: changes what surrounds the robot, all at once or not at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::urdf_ik::msg::ObstacleChange;
use r2r::urdf_ik::srv::ChangeObstacles::{Request, Response};

use super::request::{Action, Change, naming};
use crate::arm::Arm;
use crate::reports::{Fault, Refused, fault};
use crate::robot_in_use::{LoadedRobot, Located, link_poses};
use crate::solving::Queries;
use urdf_ik_collision::{Attached, World};
use urdf_ik_parameters::Settings;
use urdf_ik_robot::Robot;
use urdf_ik_text::names;

/// A change that is ready to be made.
struct Ready {
    change: Change,
    /// The frame of the place that it gives.
    frame: Option<Located>,
    /// Index of the link that will carry the obstacle.
    link: usize,
}

/// The service.
pub(super) async fn change_obstacles(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    Ok(Response { success: true, message: make(&queries, request.changes).await? })
}

/// Makes all changes, one after the other, or none. Gives a sentence about what there is then.
///
/// # Errors
/// [`Refused`] with a sentence that names the obstacle.
pub(crate) async fn make(queries: &Queries, changes: Vec<ObstacleChange>) -> Result<String, Refused> {
    let Queries { arm, searches } = queries;
    let settings = arm.settings();
    let now = arm.configuration()?;
    let loaded = now.loaded;
    let has_meshes = changes.iter().any(|change| !change.obstacle.meshes.is_empty());
    let read = move || changes.into_iter().map(Change::read).collect::<Result<Vec<_>, _>>().map_err(invalid);
    // Large meshes take long.
    let read = if has_meshes { searches.run_long(1, read).await? } else { read()? };
    let mut ready = Vec::with_capacity(read.len());
    for change in read {
        ready.push(prepare(arm, &loaded, &settings, change).await?);
    }
    // Where the links are now: frames may have been waited for.
    let now = arm.configuration()?;
    if !Arc::ptr_eq(&now.loaded, &loaded) {
        return Err(Refused::other_robot());
    }
    let links = Links { robot: &loaded.robot, poses: loaded.robot.link_poses(&now.positions) };
    let world = arm.surroundings.change(&loaded, |world| {
        ready.into_iter().try_for_each(|ready| {
            let id = ready.change.id.clone();
            apply(world, &links, ready).map_err(|fault| invalid(naming(&id, fault)))
        })
    })?;
    Ok(format!("there are {} obstacles and {} attached parts", world.obstacles().count(), world.attached().count()))
}

fn invalid(fault: Fault) -> Refused {
    Refused::invalid("obstacles", fault)
}

/// Looks up the frame and the link of a change.
async fn prepare(arm: &Arm, loaded: &LoadedRobot, settings: &Settings, mut change: Change) -> Result<Ready, Refused> {
    let Change { id, action, place, link_name, touch_links, .. } = &mut change;
    let naming_it = |fault: Fault| naming(id, fault);
    let index = |name: &str| link_poses::index(loaded, &settings.frame_prefix, name);
    let mut link = 0;
    if *action == Action::Attach {
        if link_name.is_empty() {
            return Err(invalid(naming_it(Fault::new("attach needs link_name, the link that carries it"))));
        }
        // Links by their own names; what is no link may be an obstacle.
        let own = |name: &String| index(name).map_or(name.clone(), |link| loaded.robot.links()[link].name.clone());
        *touch_links = touch_links.iter().map(own).collect();
        link = index(link_name).map_err(|fault| invalid(naming_it(fault)))?;
    }
    let frame = match place {
        None => None,
        Some(place) if *action == Action::Attach && place.header.frame_id.is_empty() => {
            Some(Located::of_link(link_name.clone(), link))
        }
        Some(place) => {
            let frame = arm.frames.of_request(loaded, settings, &place.header).await;
            let of_it =
                |refused: Refused| Refused { sentence: naming_it(Fault::new(&*refused.sentence)).into(), ..refused };
            Some(frame.map_err(of_it)?)
        }
    };
    Ok(Ready { change, frame, link })
}

/// The links of a robot.
struct Links<'a> {
    robot: &'a Robot,
    /// In the root link's frame.
    poses: Vec<Isometry3<f64>>,
}

/// Makes one change.
fn apply(world: &mut World, links: &Links, Ready { change, frame, link }: Ready) -> Result<(), Fault> {
    let Change { id, action, shapes, place, touch_links, .. } = change;
    let in_root = frame.zip(place).map(|(frame, place)| frame.in_root(&links.poses) * place.pose).unwrap_or_default();
    match action {
        Action::Add => world.add(&id, shapes.unwrap_or_default(), in_root),
        Action::Move => world.move_to(&id, in_root)?,
        Action::Remove => world.remove(&id)?,
        Action::Clear => *world = World::default(),
        Action::Attach => {
            check_touch_links(world, links.robot, &touch_links)?;
            let missing = Fault::new("there is no such obstacle to attach: give it shapes");
            let present = || world.obstacle(&id).map(|(obstacle, pose)| (Arc::clone(obstacle), *pose));
            let (obstacle, pose) = shapes.map(|shapes| (shapes, in_root)).or_else(present).ok_or(missing)?;
            let pose = links.poses[link].inv_mul(&pose);
            world.attach(&id, Attached { obstacle, pose, link, may_touch: touch_links });
        }
        Action::Detach => world.detach(&id, &links.poses)?,
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
