//! Obstacles and attached parts in MoveIt's messages.

use std::sync::Arc;

use futures::StreamExt;
use r2r::moveit_msgs::msg::{AttachedCollisionObject, CollisionObject};
use r2r::urdf_ik::msg::{Obstacle, ObstacleChange};
use r2r::{QosProfile, WrappedTypesupport};

use crate::Result;
use crate::obstacles;
use crate::reports::{Fault, Refused, fault};
use crate::ros::{ATTACHED_COLLISION_OBJECT, COLLISION_OBJECT, Interface, Spinner, constants, task};
use crate::solving::Queries;
use crate::surroundings::Environment;
use urdf_ik_text::names::short;

/// Queue depth of the topics: programs send many objects at once.
const QUEUE_DEPTH: usize = 1000;

constants! { u8: CollisionObject { ADD, REMOVE, MOVE } }

/// Reads the changes of a message.
type Reader<T> = fn(T, &Environment) -> Result<Vec<ObstacleChange>, Fault>;

pub(super) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>) -> Result {
    serve_topic(spinner, queries, COLLISION_OBJECT, changes)?;
    serve_topic(spinner, queries, ATTACHED_COLLISION_OBJECT, changes_of_part)
}

/// Applies the changes that `read` finds in each message of a topic, or logs why they are refused.
fn serve_topic<T: WrappedTypesupport + Send + 'static>(
    spinner: &mut Spinner,
    queries: &Arc<Queries>,
    topic: Interface,
    read: Reader<T>,
) -> Result {
    let mut objects = spinner.subscribe::<T>(topic.name, QosProfile::default().keep_last(QUEUE_DEPTH))?;
    let queries = Arc::clone(queries);
    task::start(async move {
        while let Some(object) = objects.next().await {
            let made = make(&queries, object, read).await;
            queries.arm.reporter.warnings.note(topic.name, &made.map_err(Refused::of_sentence));
        }
    });
    Ok(())
}

/// Makes the changes of a message.
async fn make<T>(queries: &Queries, object: T, read: Reader<T>) -> Result<String, Fault> {
    let changes = read(object, &queries.arm.surroundings.environment())?;
    Ok(obstacles::make(queries, changes).await?)
}

/// The changes for an object. As in MoveIt, removing an object without a name removes all obstacles.
fn changes(object: CollisionObject, environment: &Environment) -> Result<Vec<ObstacleChange>, Fault> {
    match object.operation {
        ADD => Ok(vec![change("add", obstacle(object)?)]),
        MOVE => Ok(vec![change("move", Obstacle { header: object.header, pose: object.pose, ..named(object.id) })]),
        REMOVE if object.id.is_empty() => Ok(each("remove", environment.world.obstacles().map(|(id, ..)| id))),
        REMOVE => Ok(vec![change("remove", named(object.id))]),
        _ => {
            Err(fault!("the operation of object '{}' is not ADD, MOVE or REMOVE: add it as a whole", short(&object.id)))
        }
    }
}

/// The changes for an attached object. As in MoveIt, removing it detaches it; without a name, all parts of the link;
/// without a link, all parts.
fn changes_of_part(part: AttachedCollisionObject, environment: &Environment) -> Result<Vec<ObstacleChange>, Fault> {
    let AttachedCollisionObject { link_name, object, touch_links, .. } = part;
    match object.operation {
        ADD => Ok(vec![ObstacleChange { link_name, touch_links, ..change("attach", obstacle(object)?) }]),
        REMOVE if object.id.is_empty() => {
            let Some(loaded) = &environment.robot else { return Ok(Vec::new()) };
            let of_link = |link: usize| link_name.is_empty() || loaded.robot.links()[link].name == link_name;
            let parts = environment.world.attached().filter(|(_, part)| of_link(part.link));
            Ok(each("detach", parts.map(|(id, _)| id)))
        }
        REMOVE => Ok(vec![change("detach", named(object.id))]),
        _ => Err(fault!("the operation of attached object '{}' is not ADD or REMOVE", short(&object.id))),
    }
}

fn change(change: &str, obstacle: Obstacle) -> ObstacleChange {
    ObstacleChange { change: change.to_owned(), obstacle, ..ObstacleChange::default() }
}

/// A change for each of these names.
fn each<'a>(what: &str, ids: impl Iterator<Item = &'a str>) -> Vec<ObstacleChange> {
    ids.map(|id| change(what, named(id.to_owned()))).collect()
}

fn named(id: String) -> Obstacle {
    Obstacle { id, ..Obstacle::default() }
}

fn obstacle(object: CollisionObject) -> Result<Obstacle, Fault> {
    if !object.planes.is_empty() {
        return Err(fault!("object '{}' has planes, which are not read: send a large box", short(&object.id)));
    }
    Ok(Obstacle {
        header: object.header,
        pose: object.pose,
        primitives: object.primitives,
        primitive_poses: object.primitive_poses,
        meshes: object.meshes,
        mesh_poses: object.mesh_poses,
        id: object.id,
    })
}
