//! What a request asks to change, checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::{Obstacle as Message, ObstacleChange};

use super::messages;
use crate::messages::MAX_NAME_BYTES;
use crate::reports::{Fault, fault};
use urdf_ik_collision::Obstacle;
use urdf_ik_text::names::short;

/// Greatest number of names in touch_links.
const MAX_TOUCH_LINKS: usize = 1000;

/// What a change does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Add,
    Move,
    Remove,
    Clear,
    Attach,
    Detach,
}

/// The actions by the names that messages give them.
const ACTIONS: [(&str, Action); 6] = [
    ("add", Action::Add),
    ("move", Action::Move),
    ("remove", Action::Remove),
    ("clear", Action::Clear),
    ("attach", Action::Attach),
    ("detach", Action::Detach),
];

/// One change of the world.
pub(super) struct Change {
    /// The name of what it changes.
    pub id: String,
    pub action: Action,
    /// Of an obstacle that is added, or attached at once. Without it, what is attached is the obstacle of that name, from where it is.
    pub shapes: Option<Arc<Obstacle>>,
    /// The place of what is added, moved, or attached at once.
    pub place: Option<Place>,
    /// The link that carries what is attached.
    pub link_name: String,
    /// What that may touch.
    pub touch_links: BTreeSet<String>,
}

/// A pose in a frame that has a name.
pub(super) struct Place {
    pub header: Header,
    pub pose: Isometry3<f64>,
}

impl Change {
    /// Checks a change.
    ///
    /// # Errors
    /// [`Fault`] that names the obstacle.
    pub(super) fn read(message: ObstacleChange) -> Result<Self, Fault> {
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
        let place = has_place.then(|| messages::pose(&pose).map(|pose| Place { header, pose })).transpose()?;
        if touch_links.len() > MAX_TOUCH_LINKS || touch_links.iter().any(|name| name.len() > MAX_NAME_BYTES) {
            return Err(fault!("touch_links may have {MAX_TOUCH_LINKS} names of {MAX_NAME_BYTES} bytes"));
        }
        Ok(Self { id, action, shapes, place, link_name, touch_links: touch_links.into_iter().collect() })
    }
}

/// A fault of the obstacle `id`.
pub(super) fn naming(id: &str, fault: Fault) -> Fault {
    if id.is_empty() { fault } else { fault.of(format_args!("obstacle '{}'", short(id))) }
}

/// The action of that name for the obstacle `id`.
fn action(name: &str, id: &str) -> Result<Action, Fault> {
    let known = ACTIONS.iter().find(|(known, _)| *known == name).map(|(_, action)| *action);
    match known {
        Some(Action::Clear) if !id.is_empty() => {
            Err(naming(id, Fault::new("clear removes all and takes no name; remove takes one away")))
        }
        Some(action) if id.is_empty() && action != Action::Clear => Err(fault!("{name} needs the id of an obstacle")),
        _ if id.len() > MAX_NAME_BYTES => Err(naming(id, fault!("an id may have {MAX_NAME_BYTES} bytes"))),
        Some(action) => Ok(action),
        None => {
            let names = ACTIONS.map(|(name, _)| name).join(", ");
            Err(naming(id, fault!("change must be one of {names}; it is '{}'", short(name))))
        }
    }
}
