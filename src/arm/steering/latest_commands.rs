//! The latest commands of the servo: one for each tip, or one for all joints, until they expire.

use std::mem::discriminant;
use std::time::{Duration, Instant};

use nalgebra::Isometry3;

use super::clutch::{ClutchedTip, IgnoredPose};
use super::input::{HandInput, Pose, ServoCommand, ServoInput};

/// A command with its topic and arrival.
pub(super) struct TimedCommand {
    pub command: ServoCommand,
    /// Set if the tip follows a hand.
    clutched: Option<Box<ClutchedTip>>,
    topic: &'static str,
    arrived: Instant,
}

/// The latest commands: at most one for each tip, or one for all joints. Without a command the arm brakes to rest.
#[derive(Default)]
pub(super) struct LatestCommands(Vec<TimedCommand>);

impl TimedCommand {
    /// The commanded `pose` of the tip in the base link's frame.
    pub(super) fn target(&self, pose: &Pose) -> Isometry3<f64> {
        self.clutched.as_ref().map_or_else(|| pose.frame_in_base * pose.in_frame, |clutched| clutched.tip)
    }

    /// True if `command` is of the same kind.
    fn is_of_kind(&self, command: &ServoCommand) -> bool {
        discriminant(&self.command) == discriminant(command)
    }

    /// True if `command` moves the same tip, or one of both moves all joints.
    fn shares_joints(&self, command: &ServoCommand) -> bool {
        self.command.tip().is_none_or(|own| command.tip().is_none_or(|other| own == other))
    }
}

impl LatestCommands {
    /// The commands.
    pub(super) fn as_slice(&self) -> &[TimedCommand] {
        &self.0
    }

    /// Takes a command that arrives `now`. `here` returns the commanded pose of a tip in the base link's frame.
    ///
    /// # Errors
    /// [`IgnoredPose`]: the pose of a hand does not fit the poses before.
    pub(super) fn take(
        &mut self,
        input: ServoInput,
        now: Instant,
        here: impl Fn(usize) -> Isometry3<f64>,
    ) -> Result<(), IgnoredPose> {
        let ServoInput { topic, command } = input;
        let mut clutched = None;
        if let ServoCommand::Pose(pose) = &command
            && let Some(hand) = pose.hand
        {
            if let Some(followed) = self.follow_hand(pose, hand, now) {
                return followed;
            }
            clutched = Some(Box::new(ClutchedTip::new(pose, hand, here(pose.tip), now)));
        }
        let timed = TimedCommand { command, clutched, topic, arrived: now };
        if let Some(before) = self.0.iter_mut().find(|before| before.command.tip() == timed.command.tip()) {
            *before = timed;
        } else {
            self.0.retain(|other| !other.shares_joints(&timed.command));
            self.0.push(timed);
        }
        Ok(())
    }

    /// Moves a tip that follows a hand to the next pose of that hand; `None` if it does not follow it yet.
    fn follow_hand(&mut self, pose: &Pose, hand: HandInput, now: Instant) -> Option<Result<(), IgnoredPose>> {
        let timed = self.0.iter_mut().find(|timed| timed.command.tip() == Some(pose.tip))?;
        let clutched = timed.clutched.as_mut().filter(|clutched| clutched.frame == pose.frame)?;
        let moved = clutched.follow(&pose.in_frame, hand, now);
        // A source whose stamps do not advance may have restarted: its clutch closes anew after servo.timeout.
        if !matches!(moved, Err(IgnoredPose::Late { .. })) {
            timed.arrived = now;
        }
        Some(moved)
    }

    /// Why the newest pose of a hand is ignored, if one is.
    pub(super) fn ignored_pose(&self) -> Option<IgnoredPose> {
        self.0.iter().find_map(|timed| timed.clutched.as_ref()?.ignores())
    }

    /// True if it has a command of the same kind for the same tip.
    pub(super) fn has_same_kind(&self, command: &ServoCommand) -> bool {
        self.0.iter().any(|timed| timed.is_of_kind(command) && timed.command.tip() == command.tip())
    }

    /// The topic of a command of another kind that `command` would replace.
    pub(super) fn replaced_by(&self, command: &ServoCommand) -> Option<&'static str> {
        let is_ended = |timed: &&TimedCommand| timed.shares_joints(command) && !timed.is_of_kind(command);
        self.0.iter().find(is_ended).map(|timed| timed.topic)
    }

    /// True if all commands are zero.
    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|timed| timed.command.is_zero())
    }

    /// True if it moves a tip other than `tip`.
    pub(super) fn moves_other_tip(&self, tip: usize) -> bool {
        self.0.iter().any(|timed| timed.command.tip().is_some_and(|other| other != tip) && !timed.command.is_zero())
    }

    /// Drops commands older than `timeout`.
    pub(super) fn expire(&mut self, now: Instant, timeout: Duration) {
        self.0.retain(|timed| now.saturating_duration_since(timed.arrived) <= timeout);
    }

    /// Drops the pose command of a tip.
    pub(super) fn drop_pose(&mut self, tip: usize) {
        self.0.retain(|timed| !matches!(&timed.command, ServoCommand::Pose(pose) if pose.tip == tip));
    }

    /// Indices of the commanded tips.
    pub(super) fn tips(&self) -> Vec<usize> {
        self.0.iter().filter_map(|timed| timed.command.tip()).collect()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};

    use super::super::input::{LinkAxes, Twist};
    use super::*;
    use urdf_ik_parameters::{ClutchSettings, Values};

    const TIP: [f64; 6] = [0.4, -0.1, 0.3, 0.2, -0.7, 0.4];

    fn pose([x, y, z, a, b, c]: [f64; 6]) -> Isometry3<f64> {
        Isometry3::new(Vector3::new(x, y, z), Vector3::new(a, b, c))
    }

    fn hand(pose: Isometry3<f64>, frame: &str, frame_in_base: Isometry3<f64>) -> ServoInput {
        let settings = ClutchSettings::new(&Values::default(), None).unwrap();
        let hand = HandInput { stamp: None, settings };
        let pose = Pose { tip: 0, in_frame: pose, frame: frame.into(), frame_in_base, hand: Some(hand) };
        ServoInput { topic: "target_pose", command: ServoCommand::Pose(pose) }
    }

    fn twist(tip: usize) -> ServoInput {
        let twist = Twist { tip, linear: Vector3::x(), angular: Vector3::zeros(), axes: LinkAxes::Base };
        ServoInput { topic: "target_twist", command: ServoCommand::Twist(twist) }
    }

    fn target(latest: &LatestCommands) -> Isometry3<f64> {
        let [timed] = latest.as_slice() else { panic!("one command should be followed") };
        let ServoCommand::Pose(pose) = &timed.command else { panic!("a pose should be followed") };
        timed.target(pose)
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
        latest.take(hand(first, "tracker", frame), now, here).unwrap();
        assert_near(&target(&latest), &pose(TIP));
        // A translation along an axis of the frame, and a rotation about one.
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.2, 0.0));
        let moved = Isometry3::from_parts(
            (first.translation.vector + Vector3::new(0.1, 0.0, 0.0)).into(),
            turn * first.rotation,
        );
        // The current pose of the frame does not matter.
        latest.take(hand(moved, "tracker", pose(TIP)), now, |_| panic!("there is an anchor")).unwrap();
        let there = target(&latest);
        let shift = there.translation.vector - pose(TIP).translation.vector;
        assert!((shift - frame.rotation * Vector3::new(0.1, 0.0, 0.0)).norm() < 1e-12);
        let turned = there.rotation * pose(TIP).rotation.inverse();
        assert!((turned.scaled_axis() - frame.rotation * Vector3::new(0.0, 0.2, 0.0)).norm() < 1e-12);
        // Another frame starts anew.
        latest.take(hand(moved, "headset", frame), now, here).unwrap();
        assert_near(&target(&latest), &pose(TIP));
    }

    #[test]
    fn a_stream_that_was_silent_or_displaced_begins_anew() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let there = pose([0.1; 6]);
        let mut latest = LatestCommands::default();
        latest.take(hand(there, "", Isometry3::identity()), start, |_| pose(TIP)).unwrap();
        latest.expire(start + timeout, timeout);
        assert_eq!(latest.tips(), [0]);
        latest.expire(start + 2 * timeout, timeout);
        assert!(latest.as_slice().is_empty());
        latest.take(hand(there, "", Isometry3::identity()), start, |_| pose([0.5; 6])).unwrap();
        assert_near(&target(&latest), &pose([0.5; 6]));
        latest.take(twist(0), start, |_| pose(TIP)).unwrap();
        latest.take(hand(there, "", Isometry3::identity()), start, |_| pose([0.7; 6])).unwrap();
        assert_near(&target(&latest), &pose([0.7; 6]));
    }

    #[test]
    fn each_tip_has_its_newest_twist() {
        let (start, timeout) = (Instant::now(), Duration::from_millis(100));
        let mut latest = LatestCommands::default();
        for (tip, at) in [(0, start), (1, start + timeout), (1, start + 2 * timeout)] {
            latest.take(twist(tip), at, |_| pose(TIP)).unwrap();
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
        latest.take(twist(1), start, |_| panic!("a twist needs no anchor")).unwrap();
        assert_eq!(latest.replaced_by(&pose().command), None);
        assert!(latest.moves_other_tip(0) && !latest.moves_other_tip(1) && !latest.is_zero());
        latest.take(pose(), start, |_| Isometry3::identity()).unwrap();
        assert_eq!(latest.tips(), [1, 0]);
        assert_eq!(latest.replaced_by(&twist(0).command), Some("target_pose"));
        assert_eq!(latest.replaced_by(&ServoCommand::Jog(Vec::new())), Some("target_twist"));
        latest.drop_pose(1);
        latest.drop_pose(0);
        assert_eq!(latest.tips(), [1]);
    }
}
