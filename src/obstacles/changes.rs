//! `change_obstacles`: changes what surrounds the robot, all at once or not at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::urdf_ik::msg::ObstacleChange;
use r2r::urdf_ik::srv::ChangeObstacles::{Request, Response};

use super::request::{Change, Part, naming};
use crate::arm::Arm;
use crate::reports::{Fault, Refused, fault};
use crate::robot_in_use::{LoadedRobot, Located, link_poses};
use crate::solving::Queries;
use urdf_ik_collision::{Attached, World};
use urdf_ik_parameters::Settings;
use urdf_ik_robot::Robot;
use urdf_ik_text::names;

/// A change that is ready to be made: the name of what it changes, and the frame of the place that it gives.
struct Ready {
    id: String,
    change: Change,
    frame: Option<Located>,
    /// Index of the link that will carry it.
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
    for (id, change) in read {
        ready.push(prepare(arm, &loaded, &settings, id, change).await?);
    }
    // Where the links are now: frames may have been waited for.
    let now = arm.configuration()?;
    if !Arc::ptr_eq(&now.loaded, &loaded) {
        return Err(Refused::other_robot());
    }
    let links = Links { robot: &loaded.robot, poses: loaded.robot.link_poses(&now.positions) };
    let world = arm.surroundings.change(&loaded, |world| {
        ready.into_iter().try_for_each(|Ready { id, change, frame, link }| {
            let done = apply(world, &links, &id, change, frame.as_ref(), link);
            done.map_err(|fault| invalid(naming(&id, fault)))
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
    id: String,
    mut change: Change,
) -> Result<Ready, Refused> {
    let naming_it = |fault: Fault| naming(&id, fault);
    let index = |name: &str| link_poses::index(loaded, &settings.frame_prefix, name);
    let link = match &mut change {
        Change::Attach { link_name, .. } if link_name.is_empty() => {
            return Err(invalid(naming_it(Fault::new("attach needs link_name, the link that carries it"))));
        }
        Change::Attach { link_name, touch_links, .. } => {
            // Links by their own names; what is no link may be an obstacle.
            let own = |name: &String| index(name).map_or(name.clone(), |link| loaded.robot.links()[link].name.clone());
            *touch_links = touch_links.iter().map(own).collect();
            index(link_name).map_err(|fault| invalid(naming_it(fault)))?
        }
        _ => 0,
    };
    let frame =
        match (change.place(), &change) {
            (None, _) => None,
            (Some(place), Change::Attach { link_name, .. }) if place.header.frame_id.is_empty() => {
                Some(Located::of_link(link_name.clone(), link))
            }
            (Some(place), _) => {
                let frame = arm.frames.of_request(loaded, settings, &place.header).await;
                Some(frame.map_err(|refused| Refused {
                    sentence: naming_it(Fault::new(refused.sentence)).into(),
                    ..refused
                })?)
            }
        };
    Ok(Ready { id, change, frame, link })
}

/// The links of a robot.
struct Links<'a> {
    robot: &'a Robot,
    /// In the root link's frame.
    poses: Vec<Isometry3<f64>>,
}

/// Makes one change. After `links` and the name come the frame of the place that the change gives, and the link that will carry the obstacle.
fn apply(
    world: &mut World,
    links: &Links,
    id: &str,
    change: Change,
    frame: Option<&Located>,
    link: usize,
) -> Result<(), Fault> {
    let in_root = |pose: &Isometry3<f64>| frame.map_or(*pose, |frame| frame.in_root(&links.poses) * pose);
    let done = match change {
        Change::Add { obstacle, place } => {
            world.add(id, obstacle, in_root(&place.pose));
            Ok(())
        }
        Change::Move { place } => world.move_to(id, in_root(&place.pose)),
        Change::Remove => world.remove(id),
        Change::Clear => {
            *world = World::default();
            Ok(())
        }
        Change::Attach { part, touch_links, .. } => {
            check_touch_links(world, links.robot, &touch_links)?;
            let (obstacle, pose) = match &part {
                Part::New(obstacle, place) => (obstacle, in_root(&place.pose)),
                Part::Present => {
                    let (obstacle, pose) =
                        world.obstacle(id).ok_or(Fault::new("there is no such obstacle to attach: give it shapes"))?;
                    (obstacle, *pose)
                }
            };
            let (obstacle, pose) = (Arc::clone(obstacle), links.poses[link].inv_mul(&pose));
            world.attach(id, Attached { obstacle, pose, link, may_touch: touch_links });
            Ok(())
        }
        Change::Detach => world.detach(id, &links.poses),
    };
    Ok(done?)
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
