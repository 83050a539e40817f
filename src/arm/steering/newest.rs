//! The newest commands of the servo: one for each tip, or one for all joints, each until it is too old.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, UnitQuaternion};

use super::input::{Input, Pose, Twist, Wish};
use urdf_ik_motion::servo::TipPose;

/// A command, its topic, and when it arrived.
pub(super) struct Timed<T> {
    pub value: T,
    topic: &'static str,
    arrived: Instant,
}

/// The newest commands.
#[derive(Default)]
pub(super) enum Newest {
    /// To come to rest.
    #[default]
    Rest,
    /// At most one for each tip.
    Tips(Vec<Timed<TipWish>>),
    /// A velocity for each variable.
    Jog(Timed<Vec<f64>>),
}

/// What a tip is to do.
pub(super) enum TipWish {
    Twist(Twist),
    Pose(Followed),
}

/// A pose that a tip follows.
pub(super) struct Followed {
    /// In the base link's frame.
    pub target: TipPose,
    anchor: Option<Anchor>,
}

/// Where the hand and the tip were when the tip began to move as the hand does.
struct Anchor {
    /// Name of the hand's frame.
    frame: String,
    /// The axes of that frame, in the base link's. They stay: so a frame that moves with the arm does not drive it.
    axes: UnitQuaternion<f64>,
    /// The hand in its frame.
    hand: Isometry3<f64>,
    /// The tip in the base link's frame.
    tip: Isometry3<f64>,
}

impl Anchor {
    /// Where the tip belongs, in the base link's frame, when the hand is at `hand` in its frame.
    fn follow(&self, hand: &Isometry3<f64>) -> Isometry3<f64> {
        let moved = self.axes * (hand.translation.vector - self.hand.translation.vector);
        let turned = self.axes * hand.rotation * self.hand.rotation.inverse() * self.axes.inverse();
        Isometry3::from_parts((self.tip.translation.vector + moved).into(), turned * self.tip.rotation)
    }
}

impl TipWish {
    /// Index of the tip.
    pub(super) fn tip(&self) -> usize {
        match self {
            Self::Twist(twist) => twist.tip,
            Self::Pose(followed) => followed.target.tip,
        }
    }
}

impl Newest {
    /// Takes a command that arrives `now`. `here` gives where a tip is commanded to be, in the base link's frame.
    pub(super) fn take(&mut self, input: Input, now: Instant, here: impl Fn(usize) -> Isometry3<f64>) {
        let Input { topic, wish } = input;
        let value = match wish {
            Wish::Jog(value) => return *self = Self::Jog(Timed { value, topic, arrived: now }),
            Wish::Twist(twist) => TipWish::Twist(twist),
            Wish::Pose(pose) => {
                let anchor = match self.of_tip(pose.tip) {
                    Some(Timed { value: TipWish::Pose(followed), .. }) => followed.anchor.take(),
                    _ => None,
                };
                TipWish::Pose(Followed::new(pose, anchor, here))
            }
        };
        let timed = Timed { value, topic, arrived: now };
        if let Some(before) = self.of_tip(timed.value.tip()) {
            *before = timed;
        } else if let Self::Tips(tips) = self {
            tips.push(timed);
        } else {
            *self = Self::Tips(vec![timed]);
        }
    }

    /// The command of a tip.
    fn of_tip(&mut self, tip: usize) -> Option<&mut Timed<TipWish>> {
        let Self::Tips(tips) = self else { return None };
        tips.iter_mut().find(|timed| timed.value.tip() == tip)
    }

    /// Whether it has a command of the same kind, for the same tip.
    pub(super) fn has_such(&self, wish: &Wish) -> bool {
        match self {
            Self::Rest => false,
            Self::Jog(_) => matches!(wish, Wish::Jog(_)),
            Self::Tips(tips) => tips.iter().any(|timed| match (&timed.value, wish) {
                (TipWish::Twist(one), Wish::Twist(other)) => one.tip == other.tip,
                (TipWish::Pose(one), Wish::Pose(other)) => one.target.tip == other.tip,
                _ => false,
            }),
        }
    }

    /// The topic of a command of another kind that `wish` would end.
    pub(super) fn ended_by(&self, wish: &Wish) -> Option<&'static str> {
        match self {
            Self::Rest => None,
            Self::Jog(jog) => (!matches!(wish, Wish::Jog(_))).then_some(jog.topic),
            Self::Tips(tips) => {
                let is_ended = |timed: &&Timed<TipWish>| match (&timed.value, wish) {
                    (_, Wish::Jog(_)) => true,
                    (TipWish::Twist(twist), Wish::Pose(pose)) => twist.tip == pose.tip,
                    (TipWish::Pose(followed), Wish::Twist(twist)) => followed.target.tip == twist.tip,
                    _ => false,
                };
                tips.iter().find(is_ended).map(|timed| timed.topic)
            }
        }
    }

    /// Whether nothing is commanded to move.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Rest => true,
            Self::Jog(jog) => jog.value.iter().all(|velocity| *velocity == 0.0),
            Self::Tips(tips) => {
                tips.iter().all(|timed| matches!(&timed.value, TipWish::Twist(twist) if twist.is_zero()))
            }
        }
    }

    /// Whether it moves another tip than this one.
    pub(super) fn moves_beside(&self, tip: usize) -> bool {
        let Self::Tips(tips) = self else { return false };
        tips.iter().any(|timed| match &timed.value {
            TipWish::Twist(twist) => twist.tip != tip && !twist.is_zero(),
            TipWish::Pose(followed) => followed.target.tip != tip,
        })
    }

    /// Drops what is older than `timeout`.
    pub(super) fn expire(&mut self, now: Instant, timeout: Duration) {
        let is_fresh = |arrived: Instant| now.saturating_duration_since(arrived) <= timeout;
        let is_empty = match self {
            Self::Rest => true,
            Self::Jog(jog) => !is_fresh(jog.arrived),
            Self::Tips(tips) => {
                tips.retain(|timed| is_fresh(timed.arrived));
                tips.is_empty()
            }
        };
        if is_empty {
            *self = Self::Rest;
        }
    }

    /// Drops the pose of a tip.
    pub(super) fn drop_pose(&mut self, tip: usize) {
        if let Self::Tips(tips) = self {
            tips.retain(|timed| timed.value.tip() != tip || matches!(timed.value, TipWish::Twist(_)));
        }
    }

    /// The tips that are commanded, by their indices.
    pub(super) fn tips(&self) -> Vec<usize> {
        let Self::Tips(tips) = self else { return Vec::new() };
        tips.iter().map(|timed| timed.value.tip()).collect()
    }
}

impl Followed {
    fn new(given: Pose, anchor: Option<Anchor>, here: impl Fn(usize) -> Isometry3<f64>) -> Self {
        let Pose { tip, in_frame, frame, frame_in_base, is_relative } = given;
        if !is_relative {
            return Self { target: TipPose { tip, pose: frame_in_base * in_frame }, anchor: None };
        }
        let anchor = anchor.filter(|anchor| anchor.frame == frame).unwrap_or_else(|| Anchor {
            frame,
            axes: frame_in_base.rotation,
            hand: in_frame,
            tip: here(tip),
        });
        Self { target: TipPose { tip, pose: anchor.follow(&in_frame) }, anchor: Some(anchor) }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::super::input::LinkAxes;
    use super::*;

    const TIP: [f64; 6] = [0.4, -0.1, 0.3, 0.2, -0.7, 0.4];

    fn pose([x, y, z, a, b, c]: [f64; 6]) -> Isometry3<f64> {
        Isometry3::new(Vector3::new(x, y, z), Vector3::new(a, b, c))
    }

    fn hand(pose: Isometry3<f64>, frame: &str, frame_in_base: Isometry3<f64>) -> Input {
        let pose = Pose { tip: 0, in_frame: pose, frame: frame.into(), frame_in_base, is_relative: true };
        Input { topic: "target_pose", wish: Wish::Pose(pose) }
    }

    fn twist(tip: usize) -> Input {
        let twist = Twist { tip, linear: Vector3::x(), angular: Vector3::zeros(), axes: LinkAxes::Base };
        Input { topic: "target_twist", wish: Wish::Twist(twist) }
    }

    fn target(newest: &Newest) -> Isometry3<f64> {
        let Newest::Tips(tips) = newest else { panic!("a pose should be followed") };
        let [Timed { value: TipWish::Pose(followed), .. }] = &tips[..] else { panic!("one pose should be followed") };
        followed.target.pose
    }

    fn assert_near(one: &Isometry3<f64>, other: &Isometry3<f64>) {
        assert!((one.to_homogeneous() - other.to_homogeneous()).norm() < 1e-12, "{one} {other}");
    }

    #[test]
    fn the_tip_moves_as_the_hand_from_where_it_is() {
        let (now, here) = (Instant::now(), |_| pose(TIP));
        let frame = pose([1.0, 2.0, 3.0, 0.0, 0.0, 0.9]);
        let first = pose([5.0, 0.0, -2.0, 0.3, 0.1, 0.0]);
        let mut newest = Newest::default();
        newest.take(hand(first, "tracker", frame), now, here);
        assert_near(&target(&newest), &pose(TIP));
        // A shift along the frame's axes, and a turn about one of them.
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.2, 0.0));
        let moved = Isometry3::from_parts(
            (first.translation.vector + Vector3::new(0.1, 0.0, 0.0)).into(),
            turn * first.rotation,
        );
        // Where the frame is meanwhile does not matter.
        newest.take(hand(moved, "tracker", pose(TIP)), now, |_| panic!("there is an anchor"));
        let there = target(&newest);
        let shift = there.translation.vector - pose(TIP).translation.vector;
        assert!((shift - frame.rotation * Vector3::new(0.1, 0.0, 0.0)).norm() < 1e-12);
        let turned = there.rotation * pose(TIP).rotation.inverse();
        assert!((turned.scaled_axis() - frame.rotation * Vector3::new(0.0, 0.2, 0.0)).norm() < 1e-12);
        // Another frame begins anew.
        newest.take(hand(moved, "headset", frame), now, here);
        assert_near(&target(&newest), &pose(TIP));
    }

    #[test]
    fn a_stream_that_was_silent_or_displaced_begins_anew() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let there = pose([0.1; 6]);
        let mut newest = Newest::default();
        newest.take(hand(there, "", Isometry3::identity()), start, |_| pose(TIP));
        newest.expire(start + timeout, timeout);
        assert!(matches!(newest, Newest::Tips(_)));
        newest.expire(start + 2 * timeout, timeout);
        assert!(matches!(newest, Newest::Rest));
        newest.take(hand(there, "", Isometry3::identity()), start, |_| pose([0.5; 6]));
        assert_near(&target(&newest), &pose([0.5; 6]));
        newest.take(twist(0), start, |_| pose(TIP));
        newest.take(hand(there, "", Isometry3::identity()), start, |_| pose([0.7; 6]));
        assert_near(&target(&newest), &pose([0.7; 6]));
    }

    #[test]
    fn each_tip_has_its_newest_twist() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut newest = Newest::default();
        for (tip, at) in [(0, start), (1, start + timeout), (1, start + 2 * timeout)] {
            newest.take(twist(tip), at, |_| pose(TIP));
        }
        assert_eq!(newest.tips(), [0, 1]);
        newest.expire(start + 2 * timeout, timeout);
        assert_eq!(newest.tips(), [1]);
        assert!(newest.has_such(&twist(1).wish) && !newest.has_such(&twist(0).wish));
        assert!(!newest.has_such(&Wish::Jog(Vec::new())));
    }

    #[test]
    fn tips_have_commands_of_different_kinds_and_only_those_of_their_own_end_them() {
        let start = Instant::now();
        let mut newest = Newest::default();
        let pose = || hand(pose([0.1; 6]), "", Isometry3::identity());
        assert!(!newest.moves_beside(0) && newest.is_zero());
        newest.take(twist(1), start, |_| panic!("a twist needs no anchor"));
        assert_eq!(newest.ended_by(&pose().wish), None);
        assert!(newest.moves_beside(0) && !newest.moves_beside(1) && !newest.is_zero());
        newest.take(pose(), start, |_| Isometry3::identity());
        assert_eq!(newest.tips(), [1, 0]);
        assert_eq!(newest.ended_by(&twist(0).wish), Some("target_pose"));
        assert_eq!(newest.ended_by(&Wish::Jog(Vec::new())), Some("target_twist"));
        newest.drop_pose(1);
        newest.drop_pose(0);
        assert_eq!(newest.tips(), [1]);
    }
}
