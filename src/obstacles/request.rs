//! What a request asks to change, checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::std_msgs::msg::Header;
use r2r::urdf_ik::msg::ObstacleChange;

use super::messages;
use crate::messages::MAX_NAME_BYTES;
use crate::reports::{Fault, fault};
use urdf_ik_collision::Obstacle;
use urdf_ik_text::names::short;

/// Greatest number of names in touch_links.
const MAX_TOUCH_LINKS: usize = 1000;

/// One change of the world.
pub(super) enum Change {
    Add { obstacle: Arc<Obstacle>, place: Place },
    Move { place: Place },
    Remove,
    Clear,
    Attach { part: Part, link_name: String, touch_links: BTreeSet<String> },
    Detach,
}

/// A pose in a frame that has a name.
pub(super) struct Place {
    pub header: Header,
    pub pose: Isometry3<f64>,
}

/// What a link takes.
pub(super) enum Part {
    /// A new one.
    New(Arc<Obstacle>, Place),
    /// The obstacle of that name, from where it is.
    Present,
}

impl Change {
    /// Checks a change. Gives the name of what it changes with it.
    ///
    /// # Errors
    /// [`Fault`] that names the obstacle.
    pub(super) fn read(message: ObstacleChange) -> Result<(String, Self), Fault> {
        let id = message.obstacle.id.clone();
        check_name(&message.change, &id)?;
        let change = Self::of(message).map_err(|fault| naming(&id, fault))?;
        Ok((id, change))
    }

    fn of(message: ObstacleChange) -> Result<Self, Fault> {
        let ObstacleChange { change, obstacle, link_name, touch_links } = message;
        let shapes = messages::shapes(&obstacle)?;
        let has_shapes = !shapes.shapes().is_empty();
        let shapes = Arc::new(shapes);
        let place = || Ok::<_, Fault>(Place { header: obstacle.header.clone(), pose: messages::pose(&obstacle.pose)? });
        if change != "attach" && !(link_name.is_empty() && touch_links.is_empty()) {
            return Err(fault!("link_name and touch_links are for attach, not for {}", short(&change)));
        }
        match (change.as_str(), has_shapes) {
            ("add", true) => Ok(Self::Add { obstacle: shapes, place: place()? }),
            ("add", false) => Err(Fault::new("it has no shapes: give it primitives or meshes")),
            ("attach", _) => {
                let part = if has_shapes { Part::New(shapes, place()?) } else { Part::Present };
                if touch_links.len() > MAX_TOUCH_LINKS || touch_links.iter().any(|name| name.len() > MAX_NAME_BYTES) {
                    return Err(fault!("touch_links may have {MAX_TOUCH_LINKS} names of {MAX_NAME_BYTES} bytes"));
                }
                Ok(Self::Attach { part, link_name, touch_links: touch_links.into_iter().collect() })
            }
            (_, true) => Err(fault!("{} takes no shapes; add replaces an obstacle as a whole", short(&change))),
            ("move", false) => Ok(Self::Move { place: place()? }),
            ("remove", false) => Ok(Self::Remove),
            ("clear", false) => Ok(Self::Clear),
            ("detach", false) => Ok(Self::Detach),
            (other, false) => Err(unknown_change(other)),
        }
    }

    /// The place that it gives.
    pub(super) fn place(&self) -> Option<&Place> {
        match self {
            Self::Add { place, .. } | Self::Move { place } | Self::Attach { part: Part::New(_, place), .. } => {
                Some(place)
            }
            _ => None,
        }
    }
}

/// A fault of the obstacle `id`.
pub(super) fn naming(id: &str, fault: Fault) -> Fault {
    if id.is_empty() { fault } else { fault.of(format_args!("obstacle '{}'", short(id))) }
}

fn check_name(change: &str, id: &str) -> Result<(), Fault> {
    match (change, id) {
        ("clear", "") => Ok(()),
        ("clear", _) => Err(naming(id, Fault::new("clear removes all and takes no name; remove takes one away"))),
        ("add" | "move" | "remove" | "attach" | "detach", "") => Err(fault!("{change} needs the id of an obstacle")),
        (_, id) if id.len() > MAX_NAME_BYTES => Err(naming(id, fault!("an id may have {MAX_NAME_BYTES} bytes"))),
        ("add" | "move" | "remove" | "attach" | "detach", _) => Ok(()),
        (other, id) => Err(naming(id, unknown_change(other))),
    }
}

fn unknown_change(change: &str) -> Fault {
    fault!("change must be one of add, move, remove, clear, attach, detach; it is '{}'", short(change))
}
