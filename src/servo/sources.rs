//! What commands the servo: a gate for each source, and the clutch of each tip.

use std::time::{Duration, Instant};

use super::gate::Gate;

/// What poses of a tip count for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clutch {
    /// There is none: each pose is a target.
    #[default]
    Absent,
    /// They do not move the tip.
    Open,
    /// The tip moves as they move.
    Closed,
}

/// A source of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The twists of the tip of that index.
    Twist(usize),
    /// The velocities of joints.
    Jog,
    /// The poses of the tip of that index.
    Pose(usize),
}

/// The sources of all tips.
#[derive(Default)]
pub(super) struct Sources {
    jog: Gate,
    tips: Vec<Tip>,
    /// When the servo took over from other motions last.
    took_over: Option<Instant>,
}

#[derive(Clone, Default)]
struct Tip {
    twist: Gate,
    pose: Gate,
    clutch: Clutch,
}

impl Sources {
    pub(super) fn new(tips: usize) -> Self {
        Self { tips: vec![Tip::default(); tips], ..Self::default() }
    }

    pub(super) fn gate(&mut self, source: Source) -> &mut Gate {
        match source {
            Source::Jog => &mut self.jog,
            Source::Twist(tip) => &mut self.tips[tip].twist,
            Source::Pose(tip) => &mut self.tips[tip].pose,
        }
    }

    /// Notes that the servo takes over from another motion `now`. Tells whether it did so no longer than `time` ago: then the other has
    /// taken over in between, and both go on.
    pub(super) fn takes_over_again(&mut self, now: Instant, time: Duration) -> bool {
        self.took_over.replace(now).is_some_and(|before| now.saturating_duration_since(before) <= time)
    }

    /// Whether a command of a source has come within `time`.
    pub(super) fn is_under_way(&mut self, source: Source, time: Duration) -> bool {
        self.gate(source).is_under_way(Instant::now(), time)
    }

    /// Shuts out all streams that are under way.
    pub(super) fn shut(&mut self) {
        self.jog.shut();
        for tip in &mut self.tips {
            tip.twist.shut();
            tip.pose.shut();
        }
    }

    pub(super) fn clutch(&self, tip: usize) -> Clutch {
        self.tips[tip].clutch
    }

    pub(super) fn set_clutch(&mut self, tip: usize, clutch: Clutch) {
        self.tips[tip].clutch = clutch;
        self.tips[tip].pose.open();
    }

    /// Takes the clutches away, because the arm starts anew. Where poses still come in, their clutch only opens: the tip must not run to
    /// where the hand is.
    pub(super) fn reset_clutches(&mut self, now: Instant, timeout: Duration) {
        for tip in self.tips.iter_mut().filter(|tip| tip.clutch != Clutch::Absent) {
            tip.clutch = if tip.pose.is_under_way(now, timeout) { Clutch::Open } else { Clutch::Absent };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_takes_a_clutch_away_unless_poses_still_come_in() {
        let (now, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut sources = Sources::new(3);
        sources.set_clutch(0, Clutch::Closed);
        sources.set_clutch(1, Clutch::Closed);
        sources.gate(Source::Pose(1)).passes(now, false, timeout);
        sources.reset_clutches(now, timeout);
        assert_eq!([0, 1, 2].map(|tip| sources.clutch(tip)), [Clutch::Absent, Clutch::Open, Clutch::Absent]);
        sources.reset_clutches(now + 2 * timeout, timeout);
        assert_eq!(sources.clutch(1), Clutch::Absent);
    }

    #[test]
    fn the_servo_takes_over_again_where_something_else_did_meanwhile() {
        let (now, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut sources = Sources::new(1);
        assert!(!sources.takes_over_again(now, timeout));
        assert!(sources.takes_over_again(now + timeout / 2, timeout));
        assert!(!sources.takes_over_again(now + 2 * timeout, timeout));
    }

    #[test]
    fn a_clutch_that_closes_lets_a_stopped_stream_pass() {
        let (now, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut sources = Sources::new(1);
        sources.gate(Source::Pose(0)).passes(now, false, timeout);
        sources.shut();
        assert!(!sources.gate(Source::Pose(0)).passes(now, false, timeout));
        assert!(sources.gate(Source::Jog).passes(now, false, timeout), "it was silent");
        sources.set_clutch(0, Clutch::Closed);
        assert!(sources.gate(Source::Pose(0)).passes(now, false, timeout));
    }
}
