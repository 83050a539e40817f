//! What is kept of each handle.

use std::sync::{Arc, Mutex, PoisonError};

use super::grip::Grip;
use crate::node::Shared;
use crate::node::description::LoadedRobot;
use crate::node::target_message::Asks;
use crate::parameters::Settings;

/// The handle of one tip.
pub(super) struct Handle {
    pub grip: Grip,
    /// What its drags ask of the tip.
    pub asks: Asks,
    /// Why the last choice in its menu was refused.
    pub notice: Option<String>,
    /// Whether a client may show it somewhere else than it is, because it has moved it there.
    pub is_displaced: bool,
}

impl Handle {
    fn new(loaded: &LoadedRobot, tip: usize, settings: &Settings) -> Self {
        // A tip that cannot follow all turns would meet hardly any drag. Free axes of the settings are the better answer to that.
        let asks =
            if loaded.has_free_turns(tip) && settings.free_axes == [false; 6] { Asks::Position } else { Asks::Pose };
        Self { grip: Grip::default(), asks, notice: None, is_displaced: false }
    }
}

/// The handles of the robot in use.
#[derive(Default)]
pub(super) struct Handles(Mutex<OfRobot>);

#[derive(Default)]
struct OfRobot {
    loaded: Option<Arc<LoadedRobot>>,
    /// One for each tip of the chain.
    handles: Vec<Handle>,
}

impl Handles {
    /// Reads or changes the handles of `loaded`. Those of another robot are forgotten.
    pub(super) fn of<R>(
        &self,
        shared: &Shared,
        loaded: &Arc<LoadedRobot>,
        access: impl FnOnce(&mut [Handle]) -> R,
    ) -> R {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.loaded.as_ref().is_none_or(|known| !Arc::ptr_eq(known, loaded)) {
            let settings = shared.settings();
            let handles = (0..loaded.chain.tips().len()).map(|tip| Handle::new(loaded, tip, &settings)).collect();
            *all = OfRobot { loaded: Some(Arc::clone(loaded)), handles };
        }
        access(&mut all.handles)
    }
}
