//! The state of each handle, and the client that holds it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::Isometry3;

use crate::messages::TargetAxes;
use crate::reports::Fault;
use crate::robot_in_use::LoadedRobot;
use crate::ros::Lock;

/// The object that a handle moves.
pub(super) enum Owner {
    /// A tip, by its index in the chain.
    Tip(usize),
    /// A standing goal, by its [display name](crate::solving::GoalView::display_name).
    Goal(String),
}

/// The handle of a tip or a standing goal.
pub(super) struct Handle {
    pub holder: Holder,
    /// The axes of its drags.
    pub axes: TargetAxes,
    /// Why the last menu choice, or the last drag of a goal, was refused.
    pub notice: Option<Fault>,
    /// True if a client may display it elsewhere, because it has moved it there.
    pub is_displaced: bool,
}

impl Handle {
    fn new(axes: TargetAxes) -> Self {
        Self { holder: Holder::default(), axes, notice: None, is_displaced: false }
    }
}

/// The handles of the robot in use.
#[derive(Default)]
pub(super) struct Handles(Lock<RobotHandles>);

#[derive(Default)]
pub(super) struct RobotHandles {
    loaded: Option<Arc<LoadedRobot>>,
    /// One for each tip of the chain.
    pub tips: Vec<Handle>,
    /// The handles of moved standing goals, by the display name.
    pub goals: BTreeMap<String, Handle>,
}

impl Handles {
    /// Accesses the handle of a tip or goal of `loaded`.
    pub(super) fn with<R>(&self, loaded: &Arc<LoadedRobot>, owner: &Owner, access: impl FnOnce(&mut Handle) -> R) -> R {
        self.of(loaded, |all| match owner {
            Owner::Tip(tip) => access(&mut all.tips[*tip]),
            Owner::Goal(name) => {
                access(all.goals.entry(name.clone()).or_insert_with(|| Handle::new(TargetAxes::Position)))
            }
        })
    }

    /// Accesses the handles of `loaded`. Those of another robot are discarded.
    pub(super) fn of<R>(&self, loaded: &Arc<LoadedRobot>, access: impl FnOnce(&mut RobotHandles) -> R) -> R {
        let mut all = self.0.lock();
        if all.loaded.as_ref().is_none_or(|known| !Arc::ptr_eq(known, loaded)) {
            let axes = TargetAxes::Followable { kept: None };
            let tips = loaded.chain.tips().iter().map(|_| Handle::new(axes)).collect();
            *all = RobotHandles { loaded: Some(Arc::clone(loaded)), tips, goals: BTreeMap::new() };
        }
        access(&mut all)
    }
}

/// Time after which a silent client loses the handle: it may have vanished.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The client that holds a handle, if any.
#[derive(Default)]
pub(super) struct Holder(Option<Client>);

struct Client {
    name: String,
    last_heard: Instant,
    /// The pose at which it holds the handle.
    pose: Option<Isometry3<f64>>,
}

impl Holder {
    fn present(&self, now: Instant) -> Option<&Client> {
        self.0.as_ref().filter(|holder| now.saturating_duration_since(holder.last_heard) < TIMEOUT)
    }

    /// True if `client` holds the handle.
    pub(super) fn is_of(&self, client: &str, now: Instant) -> bool {
        self.present(now).is_some_and(|holder| holder.name == client)
    }

    /// Gives the handle to `client`, or extends its hold. False, without effect, if another client holds it.
    pub(super) fn take(&mut self, client: &str, now: Instant) -> bool {
        let holder = self.present(now);
        if holder.is_some_and(|holder| holder.name != client) {
            return false;
        }
        let pose = holder.and_then(|holder| holder.pose);
        self.0 = Some(Client { name: client.to_owned(), last_heard: now, pose });
        true
    }

    /// Sets the pose of a held handle in the base link's frame; `None` if unknown.
    pub(super) fn hold_at(&mut self, pose: Option<Isometry3<f64>>) {
        if let Some(holder) = &mut self.0 {
            holder.pose = pose;
        }
    }

    /// Releases the handle if `client` holds it.
    pub(super) fn release(&mut self, client: &str) {
        self.0.take_if(|holder| holder.name == client);
    }

    /// The pose of a held handle in the base link's frame.
    pub(super) fn pose(&self, now: Instant) -> Option<Isometry3<f64>> {
        self.present(now)?.pose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_holds_until_it_lets_go_or_is_silent() {
        let (mut holder, start) = (Holder::default(), Instant::now());
        let later = |milliseconds| start + Duration::from_millis(milliseconds);
        let here = Isometry3::translation(1.0, 2.0, 3.0);
        assert!(holder.take("a", start));
        holder.hold_at(Some(here));
        assert!(!holder.take("b", later(900)));
        holder.release("b");
        assert_eq!(holder.pose(later(950)), Some(here));
        assert!(holder.is_of("a", later(999)) && !holder.is_of("b", later(999)));
        // It sends another message, and then none.
        assert!(holder.take("a", later(999)));
        assert_eq!(holder.pose(later(1998)), Some(here));
        assert!(!holder.take("b", later(1998)));
        assert!(holder.take("b", later(1999)));
        assert_eq!(holder.pose(later(1999)), None);
        holder.release("b");
        assert!(holder.take("a", later(1999)));
    }
}
