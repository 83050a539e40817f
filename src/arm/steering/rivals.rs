//! Notices that two sources of different kinds command the arm at the same time.

use std::mem;
use std::time::{Duration, Instant};

use super::input::{Input, Wish};

/// The source that commands the arm, and the one that it took over from.
#[derive(Default)]
pub(super) struct Rivals {
    /// Its kind, its topic, and when it last sent a command.
    present: Option<(mem::Discriminant<Wish>, &'static str, Instant)>,
    /// The kind and topic, and when it was replaced.
    replaced: Option<(mem::Discriminant<Wish>, &'static str, Instant)>,
}

impl Rivals {
    /// Notes a command that arrives `now`. Gives the topic of the source that it takes over from, where that one took over from this one no
    /// longer than `timeout` ago: so both go on.
    pub(super) fn note(&mut self, input: &Input, now: Instant, timeout: Duration) -> Option<&'static str> {
        let kind = mem::discriminant(&input.wish);
        let before = self.present.replace((kind, input.topic, now));
        let (other, topic, _) = before.filter(|(before, ..)| *before != kind)?;
        let replaced = self.replaced.replace((other, topic, now));
        let (back, _, at) = replaced?;
        (back == kind && now.saturating_duration_since(at) <= timeout).then_some(topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_go_on_are_rivals_and_one_that_follows_another_is_not() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let jog = || Input { topic: "joint_jog", wish: Wish::Jog(vec![1.0]) };
        let pose = || {
            let pose = super::super::input::Pose {
                tip: 0,
                in_frame: nalgebra::Isometry3::identity(),
                frame: String::new(),
                frame_in_base: nalgebra::Isometry3::identity(),
                is_relative: true,
            };
            Input { topic: "target_pose", wish: Wish::Pose(pose) }
        };
        let mut rivals = Rivals::default();
        assert_eq!(rivals.note(&jog(), start, timeout), None);
        assert_eq!(rivals.note(&pose(), start, timeout), None);
        assert_eq!(rivals.note(&jog(), start + timeout / 2, timeout), Some("target_pose"));
        assert_eq!(rivals.note(&pose(), start + 9 * timeout, timeout), None);
    }
}
