//! The closed clutch of a tip: the tip follows the relative motion of a hand.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use thiserror::Error;

use super::input::{HandInput, Pose};
use urdf_ik_mathematics::spatial::motion_between;
use urdf_ik_parameters::{ClutchScale, MaxHandSpeed};

/// Time for which the poses of a hand must agree after a jump, until the clutch closes anew. Also how much later than
/// a pose the next one may be stamped than it arrives.
const AGREEMENT: Duration = Duration::from_millis(100);
/// Shortest time for which the speed between two poses is judged \[s\]: stamps of a tracker are that inexact.
const MIN_INTERVAL: f64 = 0.01;

/// Why a pose of a hand is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub(crate) enum IgnoredPose {
    /// It is older than a pose before.
    #[error(
        "the pose is ignored: its stamp is {late:.3} s older than that of the pose before; send poses in the order of \
         their stamps"
    )]
    Late {
        /// Difference of the stamps \[s\].
        late: f64,
    },
    /// The hand would have to be faster than `clutch.max_hand_speed.linear`.
    #[error(
        "the pose is ignored: the hand would move at {speed:.3} m/s, and clutch.max_hand_speed.linear is {max} m/s; \
         {FOLLOWS_AGAIN}"
    )]
    Linear {
        /// \[m/s\].
        speed: f64,
        /// \[m/s\].
        max: f64,
    },
    /// The hand would have to be faster than `clutch.max_hand_speed.angular`.
    #[error(
        "the pose is ignored: the hand would rotate at {speed:.3} rad/s, and clutch.max_hand_speed.angular is {max} \
         rad/s; {FOLLOWS_AGAIN}"
    )]
    Angular {
        /// \[rad/s\].
        speed: f64,
        /// \[rad/s\].
        max: f64,
    },
}

/// The fix, as part of a sentence.
const FOLLOWS_AGAIN: &str = "the tip follows again when the poses agree for 0.1 s";

/// A tip that follows a hand.
pub(super) struct ClutchedTip {
    /// Name of the frame of the hand's poses.
    pub frame: String,
    /// The axes of that frame in the base link's frame. Constant: a frame that moves with the arm does not drive it.
    axes: UnitQuaternion<f64>,
    /// The pose of the hand that the tip follows, in its frame.
    hand: Isometry3<f64>,
    /// The pose of the tip for it, in the base link's frame.
    pub tip: Isometry3<f64>,
    /// Stamp \[ns\] and arrival of the newest pose of the hand.
    newest: Option<(i64, Instant)>,
    /// The poses since a jump of the hand.
    jump: Option<Jump>,
}

/// Ignored poses of a hand.
struct Jump {
    /// The newest of them.
    last: Isometry3<f64>,
    /// Arrival of the first one from which on they agree.
    since: Instant,
    reason: IgnoredPose,
}

impl ClutchedTip {
    /// A tip at the pose `tip` in the base link's frame that follows a hand from its first `pose` on, which arrives
    /// `now`.
    pub(super) fn new(pose: &Pose, hand: HandInput, tip: Isometry3<f64>, now: Instant) -> Self {
        Self {
            frame: pose.frame.clone(),
            axes: pose.frame_in_base.rotation,
            hand: pose.in_frame,
            tip,
            newest: hand.stamp.map(|stamp| (stamp, now)),
            jump: None,
        }
    }

    /// Why the newest pose is ignored; `None` if the tip follows the hand.
    pub(super) fn ignores(&self) -> Option<IgnoredPose> {
        self.jump.as_ref().map(|jump| jump.reason)
    }

    /// Moves the tip as the hand has moved until `pose`, which arrives `now`. After a jump of the hand the tip waits
    /// until the hand is back or its poses agree for a while, and then follows from there.
    ///
    /// # Errors
    /// [`IgnoredPose`]; the tip keeps its pose.
    pub(super) fn follow(&mut self, pose: &Isometry3<f64>, hand: HandInput, now: Instant) -> Result<(), IgnoredPose> {
        let HandInput { stamp, settings } = hand;
        let interval = self.interval(stamp, now)?;
        // Since the pose before, and not since the one that the tip follows: with time, any jump would be slow enough.
        let check = |from: &Isometry3<f64>| {
            interval.map_or(Ok(()), |interval| check_speed(from, pose, interval, &settings.max_hand_speed))
        };
        let Err(reason) = check(&self.hand) else {
            self.move_to(pose, &settings.scale);
            return Ok(());
        };
        let since = self.jump.take().filter(|jump| check(&jump.last).is_ok()).map_or(now, |jump| jump.since);
        if now.saturating_duration_since(since) >= AGREEMENT {
            self.hand = *pose;
            return Ok(());
        }
        self.jump = Some(Jump { last: *pose, since, reason });
        Err(reason)
    }

    /// Time from the stamp of the pose before to this one \[s\]; `None` if either has none.
    fn interval(&mut self, stamp: Option<i64>, now: Instant) -> Result<Option<f64>, IgnoredPose> {
        let newest = stamp.map(|stamp| (stamp, now));
        let (Some((stamp, _)), Some((before, arrived))) = (newest, self.newest) else {
            self.newest = newest;
            return Ok(None);
        };
        #[expect(clippy::cast_precision_loss, reason = "a difference of stamps needs no nanoseconds")]
        let seconds = stamp.saturating_sub(before) as f64 * 1e-9;
        if seconds < 0.0 {
            return Err(IgnoredPose::Late { late: -seconds });
        }
        self.newest = newest;
        // A stamp in the far future must not excuse a jump.
        let longest = (now.saturating_duration_since(arrived) + AGREEMENT).as_secs_f64();
        Ok(Some(seconds.clamp(MIN_INTERVAL, longest)))
    }

    /// Moves the tip as the hand moves to a pose. The rotation is scaled step by step, because a scaled rotation
    /// vector would jump at half a turn.
    fn move_to(&mut self, hand: &Isometry3<f64>, scale: &ClutchScale) {
        let [translation, rotation] = motion(&self.hand, hand);
        let place = self.tip.translation.vector + self.axes * (translation * scale.translation);
        let turn = UnitQuaternion::from_scaled_axis(self.axes * (rotation * scale.rotation));
        let orientation = UnitQuaternion::new_normalize((turn * self.tip.rotation).into_inner());
        self.tip = Isometry3::from_parts(place.into(), orientation);
        (self.hand, self.jump) = (*hand, None);
    }
}

/// Translation \[m\] and rotation vector \[rad\] from a pose to another, along the axes of their frame.
fn motion(from: &Isometry3<f64>, to: &Isometry3<f64>) -> [Vector3<f64>; 2] {
    let motion = motion_between(from, to);
    [0, 3].map(|row| motion.fixed_rows::<3>(row).into_owned())
}

/// Checks the speed of a hand that moves from a pose to another in the time `interval` \[s\].
fn check_speed(
    from: &Isometry3<f64>,
    to: &Isometry3<f64>,
    interval: f64,
    max: &MaxHandSpeed,
) -> Result<(), IgnoredPose> {
    let [linear, angular] = motion(from, to).map(|part| part.norm() / interval);
    if linear > max.linear {
        Err(IgnoredPose::Linear { speed: linear, max: max.linear })
    } else if angular > max.angular {
        Err(IgnoredPose::Angular { speed: angular, max: max.angular })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urdf_ik_mathematics::spatial::rotation_vector;
    use urdf_ik_parameters::{ClutchSettings, Values};

    const PERIOD: u32 = 16;
    const TIP: [f64; 3] = [0.4, -0.1, 0.3];

    /// A hand with a clutch, one pose each 16 ms by its stamps.
    struct Hand {
        clutched: ClutchedTip,
        settings: ClutchSettings,
        start: Instant,
        time: u32,
    }

    impl Hand {
        fn new(scale: f64) -> Self {
            let mut settings = ClutchSettings::new(&Values::default(), None).unwrap();
            (settings.scale.translation, settings.scale.rotation) = (scale, scale);
            let start = Instant::now();
            let hand = HandInput { stamp: Some(0), settings };
            let [in_frame, frame_in_base] = [Isometry3::identity(); 2];
            let first = Pose { tip: 0, in_frame, frame: "tracker".to_owned(), frame_in_base, hand: Some(hand) };
            let tip = Isometry3::translation(TIP[0], TIP[1], TIP[2]);
            Self { clutched: ClutchedTip::new(&first, hand, tip, start), settings, start, time: 0 }
        }

        /// The next pose, stamped so much later than it arrives \[ms\].
        fn stamped(&mut self, pose: Isometry3<f64>, late: i64) -> Result<(), IgnoredPose> {
            self.time += PERIOD;
            let stamp = (i64::from(self.time) + late) * 1_000_000;
            let hand = HandInput { stamp: Some(stamp), settings: self.settings };
            self.clutched.follow(&pose, hand, self.start + Duration::from_millis(self.time.into()))
        }

        /// The next pose at a place along x \[m\].
        fn at(&mut self, x: f64) -> Result<(), IgnoredPose> {
            self.stamped(Isometry3::translation(x, 0.0, 0.0), 0)
        }

        /// How far the tip has moved along x \[m\].
        fn moved(&self) -> f64 {
            self.clutched.tip.translation.x - TIP[0]
        }
    }

    fn turned(angle: f64) -> Isometry3<f64> {
        Isometry3::new(Vector3::zeros(), Vector3::z() * angle)
    }

    #[test]
    fn the_tip_moves_by_a_multiple_of_the_hand_and_a_new_scale_moves_nothing() {
        for scale in [0.1, 1.0, 10.0] {
            let mut hand = Hand::new(scale);
            for step in 1..=10 {
                hand.at(0.01 * f64::from(step)).unwrap();
            }
            assert!((hand.moved() - 0.1 * scale).abs() < 1e-12);
            hand.settings.scale.translation = 2.0;
            hand.at(0.1).unwrap();
            assert!((hand.moved() - 0.1 * scale).abs() < 1e-12);
            hand.at(0.11).unwrap();
            assert!((hand.moved() - 0.1 * scale - 0.02).abs() < 1e-12);
        }
    }

    #[test]
    fn a_scaled_rotation_goes_on_beyond_half_a_turn() {
        for scale in [0.5, 1.0, 3.0] {
            let mut hand = Hand::new(scale);
            let mut before = hand.clutched.tip.rotation;
            for step in 1..=50 {
                hand.stamped(turned(0.1 * f64::from(step)), 0).unwrap();
                let now = hand.clutched.tip.rotation;
                let step = rotation_vector(&(now * before.inverse()));
                assert!((step - Vector3::z() * 0.1 * scale).norm() < 1e-12, "{scale}: {step}");
                before = now;
            }
        }
    }

    #[test]
    fn a_single_wrong_pose_is_ignored_and_the_next_one_counts() {
        let mut hand = Hand::new(1.0);
        hand.at(0.01).unwrap();
        assert!(matches!(hand.at(0.5), Err(IgnoredPose::Linear { .. })));
        assert!(hand.clutched.ignores().is_some());
        assert!((hand.moved() - 0.01).abs() < 1e-12);
        hand.at(0.03).unwrap();
        assert_eq!(hand.clutched.ignores(), None);
        assert!((hand.moved() - 0.03).abs() < 1e-12);
        let fast = hand.stamped(Isometry3::translation(0.03, 0.0, 0.0) * turned(1.0), 0);
        assert!(matches!(fast, Err(IgnoredPose::Angular { .. })));
    }

    #[test]
    fn after_a_jump_the_tip_waits_until_the_poses_agree_and_goes_on_from_there() {
        let mut hand = Hand::new(1.0);
        let ignored = (0..100).take_while(|step| hand.at(0.2 + 0.001 * f64::from(*step)).is_err()).count();
        // The first pose after the jump, and those of the 0.1 s after it.
        assert_eq!(ignored, 7);
        assert_eq!(hand.moved(), 0.0);
        hand.at(0.2075).unwrap();
        hand.at(0.22).unwrap();
        assert!((hand.moved() - (0.22 - 0.207)).abs() < 1e-12, "{}", hand.moved());
    }

    #[test]
    fn poses_that_jump_on_and_on_never_move_the_tip() {
        let mut hand = Hand::new(1.0);
        for step in 0..100 {
            assert!(hand.at(if step % 2 == 0 { 0.5 } else { -0.5 }).is_err());
        }
        assert_eq!(hand.moved(), 0.0);
    }

    #[test]
    fn stamps_may_be_late_equal_or_wrong() {
        let mut hand = Hand::new(1.0);
        hand.at(0.01).unwrap();
        let older = hand.stamped(Isometry3::translation(0.02, 0.0, 0.0), -20);
        assert!(matches!(older, Err(IgnoredPose::Late { .. })), "{older:?}");
        assert!((hand.moved() - 0.01).abs() < 1e-12 && hand.clutched.ignores().is_none());
        // Late by the same time, which is equal to the stamp before.
        hand.stamped(Isometry3::translation(0.03, 0.0, 0.0), -32).unwrap();
        assert!((hand.moved() - 0.03).abs() < 1e-12);
        assert!(hand.stamped(Isometry3::translation(0.07, 0.0, 0.0), -48).is_err(), "3 cm at most with equal stamps");
        // A stamp of a wrong clock does not excuse a jump.
        assert!(hand.stamped(Isometry3::translation(1.0, 0.0, 0.0), i64::from(u32::MAX)).is_err());
    }
}
