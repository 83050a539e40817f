//! Obstacles and attached parts on the ROS graph: the service that changes them, and the topic that publishes them.

mod changes;
mod messages;

use std::sync::Arc;
use std::time::{Duration, Instant};

use r2r::urdf_ik::msg::{AttachedObstacle, Obstacles};
use r2r::urdf_ik::srv::ChangeObstacles;

use crate::Result;
use crate::reports::{Fault, answer_each};
use crate::ros::{CHANGE_OBSTACLES, OBSTACLES, Publisher, Spinner, latched, task};
use crate::solving::Queries;
use crate::surroundings::Environment;

#[cfg(feature = "moveit")]
pub(crate) use changes::make;

/// Minimum period of publications of the world; longer if large meshes take long.
const PERIOD: Duration = Duration::from_millis(20);

pub(crate) fn serve(spinner: &mut Spinner, queries: &Arc<Queries>) -> Result {
    answer_each::<ChangeObstacles::Service, _, _>(spinner, queries, CHANGE_OBSTACLES, changes::change_obstacles)?;
    let publisher = Publisher::<Obstacles>::new(spinner, OBSTACLES, latched())?;
    let arm = Arc::clone(&queries.arm);
    task::start(async move {
        let mut changes = arm.surroundings.changes();
        let mut published: Option<Environment> = None;
        loop {
            let begun = Instant::now();
            let environment = arm.surroundings.environment();
            if !published.as_ref().is_some_and(|before| Arc::ptr_eq(&before.world, &environment.world)) {
                match message(&environment, &arm.settings().frame_prefix) {
                    Ok(message) => publisher.publish(&message),
                    Err(fault) => log::error!("the obstacles are not published: {fault}"),
                }
                published = Some(environment);
            }
            task::rest(begun, PERIOD).await;
            if changes.changed().await.is_err() {
                break;
            }
        }
    });
    Ok(())
}

/// The complete world; empty before a robot is loaded.
///
/// # Errors
/// [`Fault`] with the name of a shape that messages do not have.
fn message(environment: &Environment, prefix: &str) -> Result<Obstacles, Fault> {
    let Some(loaded) = &environment.robot else { return Ok(Obstacles::default()) };
    let links = loaded.robot.links();
    let frame = |link: usize| format!("{prefix}{}", links[link].name);
    let root = frame(loaded.robot.root());
    let obstacles =
        environment.world.obstacles().map(|(id, obstacle, pose)| messages::message(id, obstacle, &root, pose));
    let attached = environment.world.attached().map(|(id, part)| {
        Ok(AttachedObstacle {
            obstacle: messages::message(id, &part.obstacle, &frame(part.link), &part.pose)?,
            link_name: links[part.link].name.clone(),
            touch_links: part.may_touch.iter().cloned().collect(),
        })
    });
    Ok(Obstacles { obstacles: obstacles.collect::<Result<_, _>>()?, attached: attached.collect::<Result<_, Fault>>()? })
}
