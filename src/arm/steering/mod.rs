//! The servo at work: follows the newest commands, one tick after the other, until it has been at rest for a while.

mod around;
mod input;
mod newest;
mod rivals;
mod status;

use std::time::{Duration, Instant};

use nalgebra::UnitQuaternion;
use r2r::urdf_ik::msg::ServoStatus;

pub(crate) use around::Around;
pub(crate) use input::{Input, LinkAxes, Pose, Twist, Wish};
use newest::{Newest, TipWish};
use rivals::Rivals;
pub(crate) use status::{code, of_refusal as status_of, put_speed_scale};

use crate::robot_in_use::description::LoadedRobot;
use crate::surroundings::avoidance::{Avoidance, NotReady};
use urdf_ik_collision::Clearance;
use urdf_ik_motion::servo::{
    Axes, Command, CommandError, Report, Servo, ServoOptions, TipCommand, TipTwist, TooManyVariables,
};
use urdf_ik_motion::{HandOver, JointMotion, MotionLimits};

/// The servo of a chain, and what it is commanded.
pub(crate) struct Steering {
    servo: Servo,
    newest: Newest,
    rivals: Rivals,
    /// Since when it stands without a command.
    resting_since: Option<Instant>,
    // Kept from one step to the next.
    commands: Vec<TipCommand>,
}

impl Steering {
    /// Goes on from where `motion` is.
    ///
    /// # Errors
    /// [`TooManyVariables`] where the chain is too long for a servo.
    pub(crate) fn new(
        loaded: &LoadedRobot,
        limits: &MotionLimits,
        options: ServoOptions,
        motion: &JointMotion,
    ) -> Result<Self, TooManyVariables> {
        let mut servo = Servo::new(&loaded.solver, limits, options, motion.positions())?;
        servo.take_over(&motion.hand_over());
        let tips = loaded.chain.tips().len();
        Ok(Self {
            servo,
            newest: Newest::default(),
            rivals: Rivals::default(),
            resting_since: None,
            commands: Vec::with_capacity(tips),
        })
    }

    /// Takes a command that arrives now. Returns the topic of another source that commands the arm at the same time, if there is one.
    pub(crate) fn take(&mut self, input: Input, timeout: Duration) -> Option<&'static str> {
        let now = Instant::now();
        // An anchor that is too old must not count again.
        self.newest.expire(now, timeout);
        // An idle device must not take over from another one.
        if input.wish.is_zero() && !self.newest.has_such(&input.wish) {
            return None;
        }
        let ended = self.newest.ended_by(&input.wish);
        let rival = ended.filter(|ended| self.rivals.note(ended, input.topic, now, timeout));
        if let Wish::Pose(pose) = &input.wish
            && self.servo.outside().is_some()
        {
            // The tip still moves because joints come inside: a clutch closes anew after that.
            self.newest.drop_pose(pose.tip);
        }
        let servo = &self.servo;
        self.newest.take(input, now, |tip| servo.target(tip));
        self.resting_since = None;
        rival
    }

    /// Whether it is commanded to move another tip than this one.
    pub(crate) fn moves_beside(&mut self, tip: usize, timeout: Duration) -> bool {
        self.newest.expire(Instant::now(), timeout);
        self.newest.moves_beside(tip)
    }

    /// Whether nothing is commanded to move: the arm comes to rest, or stands.
    pub(crate) fn is_idle(&mut self, timeout: Duration) -> bool {
        self.newest.expire(Instant::now(), timeout);
        self.newest.is_zero()
    }

    /// Goes on from where `motion` is.
    pub(crate) fn take_over(&mut self, motion: &JointMotion) {
        self.servo.take_over(&motion.hand_over());
    }

    /// Drops the pose of a tip; without one, all commands.
    pub(crate) fn rest(&mut self, tip: Option<usize>) {
        match tip {
            Some(tip) => self.newest.drop_pose(tip),
            None => self.newest = Newest::Rest,
        }
    }

    /// Moves on by `step` seconds, in equal parts of at most `period` seconds; not at all in no time. Returns a status without a header, if it
    /// `wants_status`.
    pub(crate) fn step(&mut self, step: f64, period: f64, around: &Around, wants_status: bool) -> Option<ServoStatus> {
        let now = Instant::now();
        self.newest.expire(now, around.settings.servo.timeout);
        self.servo.set_options(around.settings.servo_options());
        let command = match &self.newest {
            Newest::Rest => Command::Rest,
            Newest::Jog(jog) => Command::Velocities(&jog.value),
            Newest::Tips(tips) => {
                self.commands.clear();
                self.commands.extend(tips.iter().map(|timed| match &timed.value {
                    TipWish::Twist(twist) => TipCommand::Twist(relate(twist, around)),
                    TipWish::Pose(followed) => TipCommand::Pose(followed.target),
                }));
                Command::Tips(&self.commands)
            }
        };
        let clearance = around.avoidance.map(|avoidance| avoidance.map(Avoidance::clearance));
        let outside = self.servo.outside();
        let part = step / (step / period).ceil().max(1.0);
        let mut left = step - part;
        while left > 0.5 * part {
            // What the last part says of the command holds for all.
            let _ = one_step(&mut self.servo, part, &command, &clearance);
            left -= part;
        }
        let stepped =
            if part > 0.0 { one_step(&mut self.servo, part, &command, &clearance) } else { Ok(self.servo.report()) };
        wants_status.then(|| {
            let mut status = status::of_step(&stepped, &self.newest, around);
            if let Some(variable) = outside {
                status::put_outside(&mut status, &around.loaded.chain.variables()[variable].name);
            }
            status
        })
    }

    /// The joints as another motion takes them over.
    pub(crate) fn hand_over(&self) -> HandOver<'_> {
        self.servo.hand_over()
    }

    /// Whether it has stood without a command for `timeout`.
    pub(crate) fn has_ended(&mut self, timeout: Duration) -> bool {
        if !matches!(self.newest, Newest::Rest) || !self.servo.is_at_rest() {
            self.resting_since = None;
            return false;
        }
        self.resting_since.get_or_insert_with(Instant::now).elapsed() >= timeout
    }

    pub(crate) fn set_limits(&mut self, limits: &MotionLimits) {
        self.servo.set_limits(limits);
    }
}

/// Moves on by `part` seconds as commanded; as the servo holds where it is not known what to keep clear of.
fn one_step<'a>(
    servo: &'a mut Servo,
    part: f64,
    command: &Command,
    clearance: &Result<Option<Clearance>, &NotReady>,
) -> Result<&'a Report, CommandError> {
    match clearance {
        Ok(clearance) => servo.step(part, command, clearance.as_ref()),
        Err(_) => Ok(servo.step_unseen(part)),
    }
}

/// A twist along axes that the servo knows.
fn relate(twist: &Twist, around: &Around) -> TipTwist {
    let LoadedRobot { robot, chain, .. } = around.loaded;
    let rotation_in_base = |link: usize| {
        let poses = robot.link_poses(around.positions);
        let base = robot.link_index(chain.base()).unwrap_or(robot.root());
        poses[base].rotation.inverse() * poses[link].rotation
    };
    let Twist { tip, linear, angular, axes } = *twist;
    let (axes, rotation) = match axes {
        LinkAxes::Base => (Axes::Base, UnitQuaternion::identity()),
        LinkAxes::Tip => (Axes::Tip, UnitQuaternion::identity()),
        LinkAxes::Link(link) => (Axes::Base, rotation_in_base(link)),
    };
    TipTwist { tip, linear: rotation * linear, angular: rotation * angular, axes }
}
