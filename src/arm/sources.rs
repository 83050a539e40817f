//! Sources of commands: a gate for each stream, and the clutch of each tip.
//!
//! A stop blocks the streams under way until they pause, or until `~/resume`: otherwise the next command would undo the
//! stop.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::reports::{Refused, refused};
use crate::ros::OrderedLock;

/// Pause of a stream after which it is accepted again \[s\].
const PAUSE: Duration = Duration::from_millis(500);

/// Why streams are blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockReason {
    Stopped,
    Reset,
    RobotReplaced,
}

impl BlockReason {
    fn refused(self) -> Refused {
        let reason = match self {
            Self::Stopped => "the arm was stopped",
            Self::Reset => "the arm was reset",
            Self::RobotReplaced => "the robot was replaced",
        };
        let pause = PAUSE.as_secs_f64();
        refused!("stream", "{reason}: this stream is accepted again after a pause of {pause} s, or after ~/resume")
    }
}

/// The gate of one stream of commands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StreamGate {
    /// ArrivalReport of its last command.
    last: Option<Instant>,
    /// ArrivalReport of its last nonzero command.
    last_motion: Option<Instant>,
    blocked: Option<BlockReason>,
}

impl StreamGate {
    /// Registers a command that arrives `now`. Zero commands always pass, and count as a pause; after a reset the
    /// first one is sufficient.
    ///
    /// # Errors
    /// [`Refused`] if the stream is blocked and has not paused.
    pub(crate) fn admit(&mut self, now: Instant, is_rest: bool) -> Result<(), Refused> {
        self.last = Some(now);
        if is_rest {
            self.blocked = self.blocked.filter(|blocked| *blocked != BlockReason::Reset);
            return Ok(());
        }
        if self.last_motion.replace(now).is_none_or(|last| now.saturating_duration_since(last) > PAUSE) {
            self.blocked = None;
        }
        self.blocked.map_or(Ok(()), |blocked| Err(blocked.refused()))
    }

    /// True if the stream is active: its last command is not older than `timeout`.
    fn is_active(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_some_and(|last| now.saturating_duration_since(last) <= timeout)
    }
}

/// The effect of poses of a tip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clutch {
    /// No clutch: each pose is a target.
    #[default]
    Absent,
    /// Poses do not move the tip.
    Open,
    /// The tip follows the relative motion of the poses.
    Closed,
}

/// A source of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The twists of the tip with this index.
    Twist(usize),
    /// Joint velocities.
    Jog,
    /// The poses and points of the tip with this index.
    Pose(usize),
    /// The drags of the handle of the tip with this index.
    Drag(usize),
}

impl Source {
    /// Index of its tip; `None` for joint velocities.
    pub(crate) fn tip(self) -> Option<usize> {
        match self {
            Self::Jog => None,
            Self::Twist(tip) | Self::Pose(tip) | Self::Drag(tip) => Some(tip),
        }
    }
}

/// The sources that command the arm.
pub(crate) struct Sources {
    gates: HashMap<Source, StreamGate>,
    /// One for each tip.
    clutches: Vec<Clutch>,
    /// Last takeover of the servo from another motion.
    took_over: Option<Instant>,
}

impl Sources {
    pub(crate) fn new(tips: usize) -> Self {
        Self { gates: HashMap::new(), clutches: vec![Clutch::default(); tips], took_over: None }
    }

    pub(crate) fn gate(&mut self, source: Source) -> &mut StreamGate {
        self.gates.entry(source).or_default()
    }

    /// Registers a takeover of the servo from another motion `now`. True if the previous takeover is at most `time`
    /// ago: then another source has taken over in between, and both continue.
    pub(crate) fn takes_over_again(&mut self, now: Instant, time: Duration) -> bool {
        self.took_over.replace(now).is_some_and(|before| now.saturating_duration_since(before) <= time)
    }

    /// True if a command of a source arrived within `time`.
    pub(crate) fn is_active(&mut self, source: Source, time: Duration) -> bool {
        self.gate(source).is_active(Instant::now(), time)
    }

    /// Blocks the active streams.
    pub(super) fn block(&mut self, blocked: BlockReason) {
        self.gates.values_mut().for_each(|gate| gate.blocked = Some(blocked));
    }

    /// Accepts all streams again.
    pub(super) fn unblock(&mut self) {
        self.gates.values_mut().for_each(|gate| gate.blocked = None);
    }

    pub(crate) fn clutch(&self, tip: usize) -> Clutch {
        self.clutches[tip]
    }

    pub(crate) fn set_clutch(&mut self, tip: usize, clutch: Clutch) {
        self.clutches[tip] = clutch;
        self.gate(Source::Pose(tip)).blocked = None;
    }

    /// Resets all sources. Blocks active velocity streams. Removes the clutches, or opens them if poses still arrive:
    /// the tip must not jump to the hand.
    pub(super) fn reset(&mut self, now: Instant, timeout: Duration) {
        self.unblock();
        for (source, gate) in &mut self.gates {
            if matches!(source, Source::Jog | Source::Twist(_)) && gate.is_active(now, timeout) {
                gate.blocked = Some(BlockReason::Reset);
            }
        }
        for (tip, clutch) in self.clutches.iter_mut().enumerate().filter(|(_, clutch)| **clutch != Clutch::Absent) {
            let is_active = self.gates.get(&Source::Pose(tip)).is_some_and(|gate| gate.is_active(now, timeout));
            *clutch = if is_active { Clutch::Open } else { Clutch::Absent };
        }
    }
}

impl OrderedLock<Sources> {
    /// Admits a command that arrives `now`, and stores it by `store` under the same lock: a concurrent stop waits, and
    /// then stops it.
    ///
    /// # Errors
    /// [`Refused`] as for [`StreamGate::admit`], or by `store`.
    pub(crate) fn take<T>(
        &self,
        source: Source,
        now: Instant,
        is_rest: bool,
        store: impl FnOnce(&mut Sources) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let mut sources = self.lock();
        sources.gate(source).admit(now, is_rest)?;
        store(&mut sources)
    }

    /// Blocks the active streams, discards the targets that were admitted before, then stops the arm. In this order no
    /// earlier command moves the arm afterwards.
    pub(super) fn stop<T>(&self, discard: impl FnOnce(), stop: impl FnOnce() -> T) -> T {
        self.lock().block(BlockReason::Stopped);
        discard();
        stop()
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
        sources.block(BlockReason::Stopped);
        assert!(!at(&mut sources, 450));
        assert!(!at(&mut sources, 900), "the stream goes on");
        assert!(at(&mut sources, 1401), "it has paused");
        sources.block(BlockReason::RobotReplaced);
        assert!(!at(&mut sources, 1450));
        sources.unblock();
        assert!(at(&mut sources, 1460));
        assert!(sources.gate(Source::Twist(0)).admit(start, false).is_ok(), "it was silent");
    }

    #[test]
    fn commands_of_rest_are_a_pause() {
        let (start, ms) = (Instant::now(), Duration::from_millis(1));
        let mut gate = StreamGate::default();
        assert!(gate.admit(start, false).is_ok());
        gate.blocked = Some(BlockReason::Stopped);
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
        sources.block(BlockReason::Stopped);
        let refused = sources.gate(Source::Pose(0)).admit(now, false).unwrap_err();
        assert!(refused.sentence.contains("stopped") && refused.sentence.contains("~/resume"));
        sources.set_clutch(0, Clutch::Closed);
        assert!(sources.gate(Source::Pose(0)).admit(now, false).is_ok());
    }
}
