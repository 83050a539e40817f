//! The running servo: follows the latest commands tick by tick, until it has been at rest for a while.

mod clutch;
mod conflicts;
mod goals;
mod input;
mod latest_commands;
pub(crate) mod status;
mod step_context;

use std::time::{Duration, Instant};

use nalgebra::UnitQuaternion;
use r2r::urdf_ik::msg::ServoStatus;

pub(crate) use clutch::IgnoredPose;
use conflicts::SourceConflicts;
use goals::KeptGoals;
pub(crate) use goals::RobotGoals;
pub(crate) use input::{HandInput, LinkAxes, Pose, ServoCommand, ServoInput, Twist};
use latest_commands::LatestCommands;
pub(crate) use status::{of_refusal as status_of, put_speed_scale};
pub(crate) use step_context::{StepContext, Tick};

use crate::robot_in_use::LoadedRobot;
use crate::surroundings::{Avoidance, NotReady};
use urdf_ik_collision::Clearance;
use urdf_ik_motion::servo::{
    Axes, Command, CommandError, Report, Servo, ServoOptions, TipCommand, TipPose, TipTwist, TooManyVariables,
};
use urdf_ik_motion::{JointMotion, MotionLimits};

/// The servo of a chain and its commands.
pub(crate) struct Steering {
    pub servo: Servo,
    goals: KeptGoals,
    latest: LatestCommands,
    conflicts: SourceConflicts,
    /// Start of its rest without a command.
    resting_since: Option<Instant>,
    // Reused by each step.
    commands: Vec<TipCommand>,
}

/// Outcome of a command.
#[derive(Default)]
pub(crate) struct Taken {
    /// True if the servo has taken over from another motion.
    pub has_begun: bool,
    /// Topic of another source that commands the arm at the same time.
    pub conflict: Option<&'static str>,
    /// Why it is ignored.
    pub ignored: Option<IgnoredPose>,
}

impl Steering {
    /// Starts in the state of `motion`.
    ///
    /// # Errors
    /// [`TooManyVariables`] if the chain is too long for a servo.
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
            goals: KeptGoals::default(),
            latest: LatestCommands::default(),
            conflicts: SourceConflicts::default(),
            resting_since: None,
            commands: Vec::with_capacity(tips),
        })
    }

    /// Takes a command that arrives now.
    pub(crate) fn take(&mut self, input: ServoInput, timeout: Duration) -> Taken {
        let now = Instant::now();
        // An expired anchor must not be used again.
        self.latest.expire(now, timeout);
        // An idle device must not take over.
        if input.command.is_zero() && !self.latest.has_same_kind(&input.command) {
            return Taken::default();
        }
        let ended = self.latest.replaced_by(&input.command);
        let conflict = ended.filter(|ended| self.conflicts.note(ended, input.topic, now, timeout));
        if let ServoCommand::Pose(pose) = &input.command
            && self.servo.outside().is_some()
        {
            // The tip still moves because joints return to their limits: a clutch closes anew afterwards.
            self.latest.drop_pose(pose.tip);
        }
        let servo = &self.servo;
        let ignored = self.latest.take(input, now, |tip| servo.target(tip)).err();
        self.resting_since = None;
        Taken { has_begun: false, conflict, ignored }
    }

    /// True if a tip other than `tip` is commanded to move.
    pub(crate) fn moves_other_tip(&mut self, tip: usize, timeout: Duration) -> bool {
        self.latest.expire(Instant::now(), timeout);
        self.latest.moves_other_tip(tip)
    }

    /// True if no motion is commanded: the arm brakes or is at rest.
    pub(crate) fn is_idle(&mut self, timeout: Duration) -> bool {
        self.latest.expire(Instant::now(), timeout);
        self.latest.is_zero()
    }

    /// Drops the pose command of a tip; without a tip, all commands.
    pub(crate) fn drop_commands(&mut self, tip: Option<usize>) {
        match tip {
            Some(tip) => self.latest.drop_pose(tip),
            None => self.latest = LatestCommands::default(),
        }
    }

    /// Advances by `step` seconds, in equal parts of at most a period. Returns a status without a header if it has
    /// subscribers.
    pub(crate) fn step(&mut self, step: f64, context: &StepContext) -> Option<ServoStatus> {
        let Tick { settings, goals, avoidance, reports_servo, .. } = *context.tick;
        self.latest.expire(Instant::now(), settings.servo.timeout);
        self.servo.set_options(settings.servo_options());
        let goals = self.goals.update(&mut self.servo, context.loaded, goals, settings);
        self.commands.clear();
        let mut command = Command::Rest;
        for timed in self.latest.as_slice() {
            match &timed.command {
                ServoCommand::Jog(velocities) => command = Command::Velocities(velocities),
                ServoCommand::Twist(twist) => self.commands.push(TipCommand::Twist(relate(twist, context))),
                ServoCommand::Pose(pose) => {
                    self.commands.push(TipCommand::Pose(TipPose { tip: pose.tip, pose: timed.target(pose) }));
                }
            }
        }
        if !self.commands.is_empty() {
            command = Command::Tips(&self.commands);
        }
        if goals.is_err() {
            command = Command::Rest;
        }
        let clearance = avoidance.map(|avoidance| avoidance.map(Avoidance::clearance));
        let outside = self.servo.outside();
        let period = settings.publish_period().as_secs_f64();
        let part = step / (step / period).ceil().max(1.0);
        let mut left = step - part;
        while left > 0.5 * part {
            // The report of the last part applies to all of them.
            let _ = one_step(&mut self.servo, part, &command, &clearance);
            left -= part;
        }
        let stepped =
            if part > 0.0 { one_step(&mut self.servo, part, &command, &clearance) } else { Ok(self.servo.report()) };
        reports_servo.then(|| {
            let mut status = match &goals {
                Ok(()) => status::of_step(&stepped, &self.latest, context, &self.goals.all),
                Err(refused) => status_of(refused),
            };
            if let Some(variable) = outside {
                status::put_outside(&mut status, &context.loaded.chain.variables()[variable].name);
            }
            status
        })
    }

    /// True if it has been at rest without a command for `timeout`.
    pub(crate) fn has_ended(&mut self, timeout: Duration) -> bool {
        if !self.latest.as_slice().is_empty() || !self.servo.is_at_rest() {
            self.resting_since = None;
            return false;
        }
        self.resting_since.get_or_insert_with(Instant::now).elapsed() >= timeout
    }
}

/// Advances by `part` seconds: by the command, or along the verified stopping motion while the obstacles are unknown.
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

/// A twist along axes of the servo.
fn relate(twist: &Twist, context: &StepContext) -> TipTwist {
    let LoadedRobot { robot, chain, .. } = context.loaded;
    let rotation_in_base = |link: usize| {
        let poses = robot.link_poses(context.positions);
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
