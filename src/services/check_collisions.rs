//! `check_collisions`: distances of the robot to itself and to obstacles.

use std::sync::Arc;

use r2r::urdf_ik::srv::CheckCollisions::{Request, Response};

use crate::messages::convert;
use crate::reports::{Fault, RefuseAs, Refused, fault};
use crate::robot_in_use::Configuration;
use crate::solving::Queries;
use urdf_ik_collision::{Near, Scene};
use urdf_ik_text::names::{self, number};

/// Upper bound of the distance of any pair \[m\].
const ANY_DISTANCE: f64 = 1e9;
/// Initial search distance for the nearest pair \[m\].
const FIRST_DISTANCE: f64 = 0.05;
/// Factor of the search distance if no pair is that close.
const WIDENING: f64 = 3.0;

pub(crate) async fn check_collisions(queries: Arc<Queries>, request: Request) -> Result<Response, Refused> {
    let Queries { arm, searches } = &*queries;
    let settings = arm.settings();
    let mut configuration = arm.configuration()?;
    let robot = &configuration.loaded.robot;
    convert::overlay(robot, "joint_state", &request.joint_state, &mut configuration.positions)
        .refuse_as("collisions")?;
    let margin = or_default("margin", request.margin, settings.collision_margin).refuse_as("collisions")?;
    let within = or_default("within", request.within, margin).refuse_as("collisions")?;
    let scene = arm.surroundings.scene(&configuration.loaded, &configuration.positions, &settings).await?;
    // Large meshes take long.
    searches.run_long(1, move || Ok(response(&scene, &configuration, margin, within))).await
}

/// A length of a request, where 0 means the default.
fn or_default(field: &str, length: f64, default: f64) -> Result<f64, Fault> {
    match length {
        0.0 => Ok(default),
        length if length.is_finite() && length > 0.0 => Ok(length),
        _ => Err(fault!("{field} is {}; it must be a finite length of at least 0 m", number(length))),
    }
}

fn response(scene: &Scene, configuration: &Configuration, margin: f64, within: f64) -> Response {
    let mut distance = margin.max(within);
    let mut near = configuration.near_pairs(scene, distance);
    // Distances of all distant pairs would take much longer.
    while near.is_empty() && distance < ANY_DISTANCE {
        distance = FIRST_DISTANCE.max(WIDENING * distance);
        near = configuration.near_pairs(scene, distance);
    }
    let root_in_base = configuration.root_in_base();
    let message = |near: &Near| convert::body_pair(scene, near, &root_in_base);
    let is_free = near.first().is_none_or(|nearest| nearest.distance > margin);
    Response {
        success: true,
        message: sentence(scene, near.first(), margin),
        free: is_free && scene.missing_shapes().is_none(),
        unread_links: scene.missing_shapes().map(|missing| missing.links.clone()).unwrap_or_default(),
        pairs: near.iter().take_while(|near| near.distance <= within).map(message).collect(),
        nearest: near.first().map(message).unwrap_or_default(),
    }
}

fn sentence(scene: &Scene, nearest: Option<&Near>, margin: f64) -> String {
    let of_pairs = nearest.map_or_else(
        || "free: no joint of the chain moves two bodies against each other".into(),
        |nearest| sentence_of_pair(scene, nearest, margin),
    );
    match scene.missing_shapes() {
        None => of_pairs,
        Some(missing) => format!(
            "not known to be free: shapes of these links could not be read and were not checked: {}; apart from them {of_pairs}",
            names::list(&missing.links)
        ),
    }
}

fn sentence_of_pair(scene: &Scene, nearest: &Near, margin: f64) -> String {
    let Some([first, second]) = scene.pairs().nth(nearest.pair) else { return String::new() };
    let Near { distance, depth, .. } = nearest;
    match *distance {
        distance if distance <= 0.0 && *depth > 0.0 => {
            format!("not free: {first} and {second} touch, and overlap by {depth:.4} m")
        }
        distance if distance <= 0.0 => format!("not free: {first} and {second} touch"),
        distance if distance <= margin => {
            format!("not free: {first} and {second} are {distance:.4} m apart, and the margin is {} m", number(margin))
        }
        distance => format!("free: the nearest pair is {first} and {second}, {distance:.4} m apart"),
    }
}
