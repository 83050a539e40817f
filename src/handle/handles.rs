//! What is kept of each handle.

use std::sync::Arc;

use super::holder::Holder;
use crate::messages::TargetAxes;
use crate::reports::Fault;
use crate::robot_in_use::LoadedRobot;
use crate::ros::Lock;

/// The handle of one tip.
pub(super) struct Handle {
    pub holder: Holder,
    /// What its drags ask of the tip.
    pub axes: TargetAxes,
    /// Why the last choice in its menu was refused.
    pub notice: Option<Fault>,
    /// Whether a client may show it somewhere else than it is, because it has moved it there.
    pub is_displaced: bool,
}

impl Handle {
    fn new() -> Self {
        Self {
            holder: Holder::default(),
            axes: TargetAxes::Followable { kept: None },
            notice: None,
            is_displaced: false,
        }
    }
}

/// The handles of the robot in use.
#[derive(Default)]
pub(super) struct Handles(Lock<OfRobot>);

#[derive(Default)]
struct OfRobot {
    loaded: Option<Arc<LoadedRobot>>,
    /// One for each tip of the chain.
    handles: Vec<Handle>,
}

impl Handles {
    /// Reads or changes the handles of `loaded`. Those of another robot are forgotten.
    pub(super) fn of<R>(&self, loaded: &Arc<LoadedRobot>, access: impl FnOnce(&mut [Handle]) -> R) -> R {
        let mut all = self.0.lock();
        if all.loaded.as_ref().is_none_or(|known| !Arc::ptr_eq(known, loaded)) {
            let handles = loaded.chain.tips().iter().map(|_| Handle::new()).collect();
            *all = OfRobot { loaded: Some(Arc::clone(loaded)), handles };
        }
        access(&mut all.handles)
    }
}
