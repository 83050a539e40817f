//! The newest commands of the servo: of one kind at a time, each until it is too old.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, UnitQuaternion};

use super::input::{Pose, Twist, Wish};
use urdf_ik_motion::servo::TipPose;

/// A command, and when it arrived.
pub(super) struct Timed<T> {
    pub value: T,
    arrived: Instant,
}

/// The newest commands.
#[derive(Default)]
pub(super) enum Newest {
    /// To come to rest.
    #[default]
    Rest,
    /// At most one for each tip.
    Twists(Vec<Timed<Twist>>),
    /// A velocity for each variable.
    Jog(Timed<Vec<f64>>),
    /// At most one for each tip.
    Poses(Vec<Timed<Followed>>),
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

impl Newest {
    /// Takes a command that arrives `now`. `here` gives where a tip is commanded to be, in the base link's frame.
    pub(super) fn take(&mut self, wish: Wish, now: Instant, here: impl Fn(usize) -> Isometry3<f64>) {
        match wish {
            Wish::Jog(velocities) => *self = Self::Jog(Timed { value: velocities, arrived: now }),
            Wish::Twist(twist) => {
                if !matches!(self, Self::Twists(_)) {
                    *self = Self::Twists(Vec::new());
                }
                if let Self::Twists(twists) = self {
                    twists.retain(|other| other.value.tip != twist.tip);
                    twists.push(Timed { value: twist, arrived: now });
                }
            }
            Wish::Pose(pose) => {
                if !matches!(self, Self::Poses(_)) {
                    *self = Self::Poses(Vec::new());
                }
                if let Self::Poses(poses) = self {
                    let before = poses.iter().position(|other| other.value.target.tip == pose.tip);
                    let anchor = before.and_then(|index| poses.swap_remove(index).value.anchor);
                    poses.push(Timed { value: Followed::new(pose, anchor, here), arrived: now });
                }
            }
        }
    }

    /// Whether it is a command of the same kind.
    pub(super) fn is_of_kind(&self, wish: &Wish) -> bool {
        matches!(
            (self, wish),
            (Self::Twists(_), Wish::Twist(_)) | (Self::Jog(_), Wish::Jog(_)) | (Self::Poses(_), Wish::Pose(_))
        )
    }

    /// Drops what is older than `timeout`.
    pub(super) fn expire(&mut self, now: Instant, timeout: Duration) {
        let is_fresh = |arrived: Instant| now.saturating_duration_since(arrived) <= timeout;
        let is_empty = match self {
            Self::Rest => true,
            Self::Jog(jog) => !is_fresh(jog.arrived),
            Self::Twists(twists) => {
                twists.retain(|twist| is_fresh(twist.arrived));
                twists.is_empty()
            }
            Self::Poses(poses) => {
                poses.retain(|pose| is_fresh(pose.arrived));
                poses.is_empty()
            }
        };
        if is_empty {
            *self = Self::Rest;
        }
    }

    /// Drops the pose of a tip.
    pub(super) fn drop_pose(&mut self, tip: usize) {
        if let Self::Poses(poses) = self {
            poses.retain(|pose| pose.value.target.tip != tip);
        }
    }

    /// The tips that are commanded, by their indices.
    pub(super) fn tips(&self) -> Vec<usize> {
        match self {
            Self::Rest | Self::Jog(_) => Vec::new(),
            Self::Twists(twists) => twists.iter().map(|twist| twist.value.tip).collect(),
            Self::Poses(poses) => poses.iter().map(|pose| pose.value.target.tip).collect(),
        }
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

    fn hand(pose: Isometry3<f64>, frame: &str, frame_in_base: Isometry3<f64>) -> Wish {
        Wish::Pose(Pose { tip: 0, in_frame: pose, frame: frame.into(), frame_in_base, is_relative: true })
    }

    fn twist(tip: usize) -> Wish {
        Wish::Twist(Twist { tip, linear: Vector3::x(), angular: Vector3::zeros(), axes: LinkAxes::Base })
    }

    fn target(newest: &Newest) -> Isometry3<f64> {
        let Newest::Poses(poses) = newest else { panic!("a pose should be followed") };
        assert_eq!(poses.len(), 1);
        poses[0].value.target.pose
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
        assert!(matches!(newest, Newest::Poses(_)));
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
        assert!(newest.is_of_kind(&twist(0)) && !newest.is_of_kind(&Wish::Jog(Vec::new())));
    }
}
