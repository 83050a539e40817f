//! Who holds a handle: one client at a time.

use std::time::{Duration, Instant};

use nalgebra::Isometry3;

/// How long a silent client holds a handle. It may have vanished.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The client that holds a handle, if any.
#[derive(Default)]
pub(super) struct Grip(Option<Hand>);

struct Hand {
    client: String,
    last_heard: Instant,
    /// Where it holds the handle.
    pose: Option<Isometry3<f64>>,
}

impl Grip {
    fn hand(&self, now: Instant) -> Option<&Hand> {
        self.0.as_ref().filter(|hand| now.saturating_duration_since(hand.last_heard) < TIMEOUT)
    }

    /// Whether `client` holds the handle.
    pub(super) fn is_of(&self, client: &str, now: Instant) -> bool {
        self.hand(now).is_some_and(|hand| hand.client == client)
    }

    /// `client` takes the handle, or keeps it. Returns false, and changes nothing, where another one holds it.
    pub(super) fn take(&mut self, client: &str, now: Instant) -> bool {
        let hand = self.hand(now);
        if hand.is_some_and(|hand| hand.client != client) {
            return false;
        }
        let pose = hand.and_then(|hand| hand.pose);
        self.0 = Some(Hand { client: client.to_owned(), last_heard: now, pose });
        true
    }

    /// The client that has taken the handle holds it at `pose`, in the base link's frame; `None` where that is not known.
    pub(super) fn hold_at(&mut self, pose: Option<Isometry3<f64>>) {
        if let Some(hand) = &mut self.0 {
            hand.pose = pose;
        }
    }

    /// `client` lets go, if it is the one that holds the handle.
    pub(super) fn release(&mut self, client: &str) {
        self.0.take_if(|hand| hand.client == client);
    }

    /// Where the handle is held, in the base link's frame.
    pub(super) fn pose(&self, now: Instant) -> Option<Isometry3<f64>> {
        self.hand(now)?.pose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_holds_until_it_lets_go_or_is_silent() {
        let (mut grip, start) = (Grip::default(), Instant::now());
        let later = |milliseconds| start + Duration::from_millis(milliseconds);
        let here = Isometry3::translation(1.0, 2.0, 3.0);
        assert!(grip.take("a", start));
        grip.hold_at(Some(here));
        assert!(!grip.take("b", later(900)));
        grip.release("b");
        assert_eq!(grip.pose(later(950)), Some(here));
        assert!(grip.is_of("a", later(999)) && !grip.is_of("b", later(999)));
        // It is heard again, and then no more.
        assert!(grip.take("a", later(999)));
        assert_eq!(grip.pose(later(1998)), Some(here));
        assert!(!grip.take("b", later(1998)));
        assert!(grip.take("b", later(1999)));
        assert_eq!(grip.pose(later(1999)), None);
        grip.release("b");
        assert!(grip.take("a", later(1999)));
    }
}
