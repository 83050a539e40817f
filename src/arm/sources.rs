//! What commands the arm: a gate for each stream of commands, and the clutch of each tip.

use std::time::{Duration, Instant};

use crate::reports::Refused;

/// Pause of a stream after which it counts again \[s\].
const PAUSE: Duration = Duration::from_millis(500);

/// Why streams are shut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shut {
    Stopped,
    Reset,
    RobotReplaced,
}

impl Shut {
    fn refused(self) -> Refused {
        let reason = match self {
            Self::Stopped => "the arm was stopped",
            Self::Reset => "the arm was reset",
            Self::RobotReplaced => "the robot was replaced",
        };
        let sentence =
            format!("{reason}: this stream counts again after a pause of {} s, or after ~/resume", PAUSE.as_secs_f64());
        Refused::invalid("stream", sentence)
    }
}

/// The gate of one stream of commands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gate {
    /// When its last command arrived.
    last: Option<Instant>,
    /// When its last command of something else than rest arrived.
    last_motion: Option<Instant>,
    shut: Option<Shut>,
}

impl Gate {
    /// Notes a command that arrives `now`. Commands of rest pass always, and count as a pause; after a reset the first one is enough.
    ///
    /// # Errors
    /// [`Refused`] where the stream is shut out and has not paused.
    pub(crate) fn admit(&mut self, now: Instant, is_rest: bool) -> Result<(), Refused> {
        self.last = Some(now);
        if is_rest {
            self.shut = self.shut.filter(|shut| *shut != Shut::Reset);
            return Ok(());
        }
        if self.last_motion.replace(now).is_none_or(|last| now.saturating_duration_since(last) > PAUSE) {
            self.shut = None;
        }
        self.shut.map_or(Ok(()), |shut| Err(shut.refused()))
    }

    /// Whether the stream goes on: its last command is not older than `timeout`.
    fn is_under_way(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) <= timeout)
    }
}

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
pub(crate) enum Source {
    /// The twists of the tip of that index.
    Twist(usize),
    /// The velocities of joints.
    Jog,
    /// The poses and points of the tip of that index.
    Pose(usize),
    /// The drags of the handle of the tip of that index.
    Drag(usize),
}

/// What commands the arm.
#[derive(Default)]
pub(crate) struct Sources {
    jog: Gate,
    tips: Vec<Tip>,
    /// When the servo took over from other motions last.
    took_over: Option<Instant>,
}

#[derive(Clone, Default)]
struct Tip {
    twist: Gate,
    pose: Gate,
    drag: Gate,
    clutch: Clutch,
}

impl Sources {
    pub(crate) fn new(tips: usize) -> Self {
        Self { tips: vec![Tip::default(); tips], ..Self::default() }
    }

    pub(crate) fn gate(&mut self, source: Source) -> &mut Gate {
        match source {
            Source::Jog => &mut self.jog,
            Source::Twist(tip) => &mut self.tips[tip].twist,
            Source::Pose(tip) => &mut self.tips[tip].pose,
            Source::Drag(tip) => &mut self.tips[tip].drag,
        }
    }

    /// Notes that the servo takes over from another motion `now`. Tells whether it did so no longer than `time` ago: then the other has
    /// taken over in between, and both go on.
    pub(crate) fn takes_over_again(&mut self, now: Instant, time: Duration) -> bool {
        self.took_over.replace(now).is_some_and(|before| now.saturating_duration_since(before) <= time)
    }

    /// Whether a command of a source has come within `time`.
    pub(crate) fn is_under_way(&mut self, source: Source, time: Duration) -> bool {
        self.gate(source).is_under_way(Instant::now(), time)
    }

    /// Shuts out the streams under way.
    pub(super) fn shut(&mut self, shut: Shut) {
        self.gates().for_each(|gate| gate.shut = Some(shut));
    }

    /// Lets all streams pass again.
    pub(super) fn open(&mut self) {
        self.gates().for_each(|gate| gate.shut = None);
    }

    fn gates(&mut self) -> impl Iterator<Item = &mut Gate> {
        let of_tips = self.tips.iter_mut().flat_map(|tip| [&mut tip.twist, &mut tip.pose, &mut tip.drag]);
        std::iter::once(&mut self.jog).chain(of_tips)
    }

    pub(crate) fn clutch(&self, tip: usize) -> Clutch {
        self.tips[tip].clutch
    }

    pub(crate) fn set_clutch(&mut self, tip: usize, clutch: Clutch) {
        self.tips[tip].clutch = clutch;
        self.tips[tip].pose.shut = None;
    }

    /// The arm starts anew. Velocities under way are shut out. The clutches are taken away; where poses still come in, they only open: the
    /// tip must not run to where the hand is.
    pub(super) fn reset(&mut self, now: Instant, timeout: Duration) {
        self.open();
        let velocities = std::iter::once(&mut self.jog).chain(self.tips.iter_mut().map(|tip| &mut tip.twist));
        let under_way = velocities.filter(|gate| gate.is_under_way(now, timeout));
        under_way.for_each(|gate| gate.shut = Some(Shut::Reset));
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
        sources.gate(Source::Pose(1)).admit(now, false).unwrap();
        sources.reset(now, timeout);
        assert_eq!([0, 1, 2].map(|tip| sources.clutch(tip)), [Clutch::Absent, Clutch::Open, Clutch::Absent]);
        sources.reset(now + 2 * timeout, timeout);
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
    fn a_stopped_stream_passes_after_a_pause_or_a_resume() {
        let (start, ms) = (Instant::now(), Duration::from_millis(1));
        let mut sources = Sources::new(1);
        let at = |sources: &mut Sources, time| sources.gate(Source::Jog).admit(start + time * ms, false).is_ok();
        assert!(at(&mut sources, 0));
        sources.shut(Shut::Stopped);
        assert!(!at(&mut sources, 450));
        assert!(!at(&mut sources, 900), "the stream goes on");
        assert!(at(&mut sources, 1401), "it has paused");
        sources.shut(Shut::RobotReplaced);
        assert!(!at(&mut sources, 1450));
        sources.open();
        assert!(at(&mut sources, 1460));
        assert!(sources.gate(Source::Twist(0)).admit(start, false).is_ok(), "it was silent");
    }

    #[test]
    fn commands_of_rest_are_a_pause() {
        let (start, ms) = (Instant::now(), Duration::from_millis(1));
        let mut gate = Gate::default();
        assert!(gate.admit(start, false).is_ok());
        gate.shut = Some(Shut::Stopped);
        for time in (100..=600).step_by(100) {
            assert!(gate.admit(start + time * ms, true).is_ok());
        }
        assert!(gate.admit(start + 610 * ms, false).is_ok());
    }

    #[test]
    fn a_clutch_that_closes_lets_a_stopped_stream_pass() {
        let now = Instant::now();
        let mut sources = Sources::new(1);
        assert!(sources.gate(Source::Pose(0)).admit(now, false).is_ok());
        sources.shut(Shut::Stopped);
        let refused = sources.gate(Source::Pose(0)).admit(now, false).unwrap_err();
        assert!(refused.sentence.contains("stopped") && refused.sentence.contains("~/resume"));
        sources.set_clutch(0, Clutch::Closed);
        assert!(sources.gate(Source::Pose(0)).admit(now, false).is_ok());
    }
}
