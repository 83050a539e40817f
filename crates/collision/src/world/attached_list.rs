//! Reads a list of attached parts in JSON: obstacles with the link that carries them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::world::obstacle_list::{ObstacleListError, world_from_json};
use crate::world::{Attached, World};
use urdf_ik_robot::{MeshFolders, Robot};
use urdf_ik_text::names::{list, short};

/// Attaches the parts of a list in JSON to links of `robot`.
///
/// Each part is an object as in [`world_from_json`], with its pose in the frame of the link that carries it, and with
/// two more fields: `link`, the name of that link, and optionally `may_touch`, a list of names of links and obstacles
/// that the part may also touch.
///
/// # Errors
/// [`ObstacleListError`] for the first invalid part; the parts before it are attached.
pub fn attach_from_json(
    world: &mut World,
    parts: &Value,
    robot: &Robot,
    folders: &MeshFolders,
) -> Result<(), ObstacleListError> {
    for part in parts.as_array().ok_or(ObstacleListError::NotAList)? {
        let mut part = part.as_object().ok_or(ObstacleListError::NotAList)?.clone();
        let (link, may_touch) = carrier(&mut part, robot).map_err(|reason| ObstacleListError::Attached { reason })?;
        let alone = world_from_json(&Value::Array(vec![Value::Object(part)]), folders)?;
        for (id, obstacle, pose) in alone.obstacles() {
            let (obstacle, may_touch) = (Arc::clone(obstacle), may_touch.clone());
            world.attach(id, Attached { obstacle, pose: *pose, link, may_touch })?;
        }
    }
    Ok(world.check_size()?)
}

/// Removes the additional fields of an attached part: the index of its link, and its allowed contacts.
fn carrier(part: &mut Map<String, Value>, robot: &Robot) -> Result<(usize, BTreeSet<String>), String> {
    let link = part.remove("link").ok_or("it needs 'link', the link that carries it")?;
    let link = link.as_str().ok_or_else(|| format!("its 'link' is {link}; it must be the name of a link"))?;
    let index = robot.link_index(link).ok_or_else(|| {
        let links: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
        format!("there is no link '{}' to attach it to; the links are: {}", short(link), list(&links))
    })?;
    let may_touch = part.remove("may_touch").map(serde_json::from_value).transpose();
    let may_touch = may_touch.map_err(|error| format!("its 'may_touch' is wrong: {error}"))?;
    Ok((index, may_touch.unwrap_or_default()))
}
