//! The latest commands of the servo: one for each tip, or one for all joints, until they expire.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, UnitQuaternion};

use super::input::{Pose, ServoCommand, ServoInput, Twist};
use urdf_ik_motion::servo::TipPose;

/// A command with its topic and arrival.
pub(super) struct Timed<T> {
    pub value: T,
    topic: &'static str,
    arrived: Instant,
}

/// The latest commands.
#[derive(Default)]
pub(super) enum LatestCommands {
    /// Brake to rest.
    #[default]
    Rest,
    /// At most one for each tip.
    Tips(Vec<Timed<TipInput>>),
    /// A velocity for each variable \[rad/s or m/s\].
    Jog(Timed<Vec<f64>>),
}

/// The command of a tip.
pub(super) enum TipInput {
    Twist(Twist),
    Pose(FollowedPose),
}

/// A pose command of a tip.
pub(super) struct FollowedPose {
    /// In the base link's frame.
    pub target: TipPose,
    anchor: Option<Anchor>,
}

/// Reference poses of hand and tip from the start of a relative motion.
struct Anchor {
    /// Name of the hand's frame.
    frame: String,
    /// The axes of that frame in the base link's frame. Constant: a frame that moves with the arm does not drive it.
    axes: UnitQuaternion<f64>,
    /// The hand in its frame.
    hand: Isometry3<f64>,
    /// The tip in the base link's frame.
    tip: Isometry3<f64>,
}

impl Anchor {
    /// The pose of the tip in the base link's frame for the pose `hand` in its frame.
    fn follow(&self, hand: &Isometry3<f64>) -> Isometry3<f64> {
        let moved = self.axes * (hand.translation.vector - self.hand.translation.vector);
        let turned = self.axes * hand.rotation * self.hand.rotation.inverse() * self.axes.inverse();
        Isometry3::from_parts((self.tip.translation.vector + moved).into(), turned * self.tip.rotation)
    }
}

impl TipInput {
    /// Index of the tip.
    pub(super) fn tip(&self) -> usize {
        match self {
            Self::Twist(twist) => twist.tip,
            Self::Pose(followed) => followed.target.tip,
        }
    }
}

impl LatestCommands {
    /// Takes a command that arrives `now`. `here` returns the commanded pose of a tip in the base link's frame.
    pub(super) fn take(&mut self, input: ServoInput, now: Instant, here: impl Fn(usize) -> Isometry3<f64>) {
        let ServoInput { topic, command } = input;
        let value = match command {
            ServoCommand::Jog(value) => return *self = Self::Jog(Timed { value, topic, arrived: now }),
            ServoCommand::Twist(twist) => TipInput::Twist(twist),
            ServoCommand::Pose(pose) => {
                let anchor = match self.of_tip(pose.tip) {
                    Some(Timed { value: TipInput::Pose(followed), .. }) => followed.anchor.take(),
                    _ => None,
                };
                TipInput::Pose(FollowedPose::new(pose, anchor, here))
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
    fn of_tip(&mut self, tip: usize) -> Option<&mut Timed<TipInput>> {
        let Self::Tips(tips) = self else { return None };
        tips.iter_mut().find(|timed| timed.value.tip() == tip)
    }

    /// True if it has a command of the same kind for the same tip.
    pub(super) fn has_same_kind(&self, command: &ServoCommand) -> bool {
        match self {
            Self::Rest => false,
            Self::Jog(_) => matches!(command, ServoCommand::Jog(_)),
            Self::Tips(tips) => tips.iter().any(|timed| match (&timed.value, command) {
                (TipInput::Twist(one), ServoCommand::Twist(other)) => one.tip == other.tip,
                (TipInput::Pose(one), ServoCommand::Pose(other)) => one.target.tip == other.tip,
                _ => false,
            }),
        }
    }

    /// The topic of a command of another kind that `command` would replace.
    pub(super) fn replaced_by(&self, command: &ServoCommand) -> Option<&'static str> {
        match self {
            Self::Rest => None,
            Self::Jog(jog) => (!matches!(command, ServoCommand::Jog(_))).then_some(jog.topic),
            Self::Tips(tips) => {
                let is_ended = |timed: &&Timed<TipInput>| match (&timed.value, command) {
                    (_, ServoCommand::Jog(_)) => true,
                    (TipInput::Twist(twist), ServoCommand::Pose(pose)) => twist.tip == pose.tip,
                    (TipInput::Pose(followed), ServoCommand::Twist(twist)) => followed.target.tip == twist.tip,
                    _ => false,
                };
                tips.iter().find(is_ended).map(|timed| timed.topic)
            }
        }
    }

    /// True if all commands are zero.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Rest => true,
            Self::Jog(jog) => jog.value.iter().all(|velocity| *velocity == 0.0),
            Self::Tips(tips) => {
                tips.iter().all(|timed| matches!(&timed.value, TipInput::Twist(twist) if twist.is_zero()))
            }
        }
    }

    /// True if it moves a tip other than `tip`.
    pub(super) fn moves_other_tip(&self, tip: usize) -> bool {
        let Self::Tips(tips) = self else { return false };
        tips.iter().any(|timed| match &timed.value {
            TipInput::Twist(twist) => twist.tip != tip && !twist.is_zero(),
            TipInput::Pose(followed) => followed.target.tip != tip,
        })
    }

    /// Drops commands older than `timeout`.
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

    /// Drops the pose command of a tip.
    pub(super) fn drop_pose(&mut self, tip: usize) {
        if let Self::Tips(tips) = self {
            tips.retain(|timed| timed.value.tip() != tip || matches!(timed.value, TipInput::Twist(_)));
        }
    }

    /// Indices of the commanded tips.
    pub(super) fn tips(&self) -> Vec<usize> {
        let Self::Tips(tips) = self else { return Vec::new() };
        tips.iter().map(|timed| timed.value.tip()).collect()
    }
}

impl FollowedPose {
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

    fn hand(pose: Isometry3<f64>, frame: &str, frame_in_base: Isometry3<f64>) -> ServoInput {
        let pose = Pose { tip: 0, in_frame: pose, frame: frame.into(), frame_in_base, is_relative: true };
        ServoInput { topic: "target_pose", command: ServoCommand::Pose(pose) }
    }

    fn twist(tip: usize) -> ServoInput {
        let twist = Twist { tip, linear: Vector3::x(), angular: Vector3::zeros(), axes: LinkAxes::Base };
        ServoInput { topic: "target_twist", command: ServoCommand::Twist(twist) }
    }

    fn target(latest: &LatestCommands) -> Isometry3<f64> {
        let LatestCommands::Tips(tips) = latest else { panic!("a pose should be followed") };
        let [Timed { value: TipInput::Pose(followed), .. }] = &tips[..] else { panic!("one pose should be followed") };
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
        let mut latest = LatestCommands::default();
        latest.take(hand(first, "tracker", frame), now, here);
        assert_near(&target(&latest), &pose(TIP));
        // A translation along an axis of the frame, and a rotation about one.
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.2, 0.0));
        let moved = Isometry3::from_parts(
            (first.translation.vector + Vector3::new(0.1, 0.0, 0.0)).into(),
            turn * first.rotation,
        );
        // The current pose of the frame does not matter.
        latest.take(hand(moved, "tracker", pose(TIP)), now, |_| panic!("there is an anchor"));
        let there = target(&latest);
        let shift = there.translation.vector - pose(TIP).translation.vector;
        assert!((shift - frame.rotation * Vector3::new(0.1, 0.0, 0.0)).norm() < 1e-12);
        let turned = there.rotation * pose(TIP).rotation.inverse();
        assert!((turned.scaled_axis() - frame.rotation * Vector3::new(0.0, 0.2, 0.0)).norm() < 1e-12);
        // Another frame starts anew.
        latest.take(hand(moved, "headset", frame), now, here);
        assert_near(&target(&latest), &pose(TIP));
    }

    #[test]
    fn a_stream_that_was_silent_or_displaced_begins_anew() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let there = pose([0.1; 6]);
        let mut latest = LatestCommands::default();
        latest.take(hand(there, "", Isometry3::identity()), start, |_| pose(TIP));
        latest.expire(start + timeout, timeout);
        assert!(matches!(latest, LatestCommands::Tips(_)));
        latest.expire(start + 2 * timeout, timeout);
        assert!(matches!(latest, LatestCommands::Rest));
        latest.take(hand(there, "", Isometry3::identity()), start, |_| pose([0.5; 6]));
        assert_near(&target(&latest), &pose([0.5; 6]));
        latest.take(twist(0), start, |_| pose(TIP));
        latest.take(hand(there, "", Isometry3::identity()), start, |_| pose([0.7; 6]));
        assert_near(&target(&latest), &pose([0.7; 6]));
    }

    #[test]
    fn each_tip_has_its_newest_twist() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut latest = LatestCommands::default();
        for (tip, at) in [(0, start), (1, start + timeout), (1, start + 2 * timeout)] {
            latest.take(twist(tip), at, |_| pose(TIP));
        }
        assert_eq!(latest.tips(), [0, 1]);
        latest.expire(start + 2 * timeout, timeout);
        assert_eq!(latest.tips(), [1]);
        assert!(latest.has_same_kind(&twist(1).command) && !latest.has_same_kind(&twist(0).command));
        assert!(!latest.has_same_kind(&ServoCommand::Jog(Vec::new())));
    }

    #[test]
    fn tips_have_commands_of_different_kinds_and_only_those_of_their_own_end_them() {
        let start = Instant::now();
        let mut latest = LatestCommands::default();
        let pose = || hand(pose([0.1; 6]), "", Isometry3::identity());
        assert!(!latest.moves_other_tip(0) && latest.is_zero());
        latest.take(twist(1), start, |_| panic!("a twist needs no anchor"));
        assert_eq!(latest.replaced_by(&pose().command), None);
        assert!(latest.moves_other_tip(0) && !latest.moves_other_tip(1) && !latest.is_zero());
        latest.take(pose(), start, |_| Isometry3::identity());
        assert_eq!(latest.tips(), [1, 0]);
        assert_eq!(latest.replaced_by(&twist(0).command), Some("target_pose"));
        assert_eq!(latest.replaced_by(&ServoCommand::Jog(Vec::new())), Some("target_twist"));
        latest.drop_pose(1);
        latest.drop_pose(0);
        assert_eq!(latest.tips(), [1]);
    }
}
