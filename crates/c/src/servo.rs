//! Servos: joint motion under velocity commands and poses.

use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

use nalgebra::Vector3;
use urdf_ik::motion::servo::{Axes, Command, Servo, ServoOptions, TipCommand, TipPose, TipTwist};
use urdf_ik::solver::SolverKind;

use crate::arm::UrdfIkArm;
use crate::failure::{Failure, UrdfIkStatus, guarded, guarded_or};
use crate::goals::read_goals;
use crate::path::motion_limits;
use crate::plain_structs::{UrdfIkPose, check_reserved, isometry};
use crate::pointers::{
    entries, exclusive, exclusive_entries, finite_positions, hand_out, optional_text, reference, take_back,
};
use crate::servo_report::{ReportMemory, UrdfIkServoReport};
use crate::world::{UrdfIkWorld, WorldData};

/// How a servo moves. urdf_ik_servo_options() sets all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkServoOptions {
    /// Steps per second [Hz].
    pub rate: f64,
    /// Largest speed of a tip [m/s]. Default: 0.5.
    pub linear_speed: f64,
    /// Largest angular speed of a tip [rad/s]. Default: 1.5.
    pub angular_speed: f64,
    /// Largest angle between the command and the motion at a joint limit, singularity or contact [rad], with a radian
    /// of the tip as 0.3 times the size of the arm. 0: wait on the line. Default: 1.05.
    pub max_deviation_angle: f64,
    /// Slack: largest deviation of the uncommanded position where the tip would otherwise stop or slow down [m].
    /// Default: 0.02.
    pub slack_position: f64,
    /// Slack: largest deviation of the uncommanded orientation [rad]. Default: 0.1.
    pub slack_orientation: f64,
    /// Free axes of the tip frame while no rotation is commanded, as in UrdfIkTarget; rotations alone. Default: none.
    pub free_axes: [u8; 6],
    /// As in UrdfIkPathOptions.
    pub joint_limits: *const c_char,
    /// Goals that come before every command, as in UrdfIkProblem. The motion yields to them; one that is violated at
    /// the start may only improve. NULL: none.
    pub goals: *const c_char,
    /// The world to avoid. NULL: collisions are ignored.
    pub avoid: *const UrdfIkWorld,
    /// For fields of later versions: 0.
    pub reserved: [u64; 8],
}

/// A velocity of a tip along the axes of the base link.
pub const URDF_IK_COMMAND_TWIST: i32 = 0;
/// A velocity of a tip along its own axes, which turn with it.
pub const URDF_IK_COMMAND_TIP_TWIST: i32 = 1;
/// A pose that a tip follows.
pub const URDF_IK_COMMAND_POSE: i32 = 2;

/// The command of one tip. urdf_ik_twist_command() and urdf_ik_pose_command() set all fields.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct UrdfIkTipCommand {
    /// Index of the tip link.
    pub tip: usize,
    /// One of URDF_IK_COMMAND_….
    pub kind: i32,
    /// Linear velocity of the tip's origin [m/s], then angular velocity [rad/s].
    pub twist: [f64; 6],
    /// Pose of the tip in the frame of the base link.
    pub pose: UrdfIkPose,
    /// For fields of later versions: 0.
    pub reserved: [u64; 2],
}

/// A servo: joints that follow commands smoothly, within their limits of position, velocity, acceleration and jerk. It
/// has a state: one thread at a time uses it.
pub struct UrdfIkServo {
    servo: Servo,
    period: f64,
    world: Option<Arc<WorldData>>,
    commands: Vec<TipCommand>,
    report: ReportMemory,
}

/// Default options of a servo with `rate` steps per second [Hz].
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_servo_options(rate: f64) -> UrdfIkServoOptions {
    let ServoOptions { linear_speed, angular_speed, max_deviation_angle, slack, .. } = ServoOptions::DEFAULT;
    UrdfIkServoOptions {
        rate,
        linear_speed,
        angular_speed,
        max_deviation_angle,
        slack_position: slack[0],
        slack_orientation: slack[1],
        ..UrdfIkServoOptions::default()
    }
}

/// A command of a velocity along the axes of the base link: linear [m/s], then angular [rad/s].
///
/// # Safety
/// `twist` has 6 entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_twist_command(tip: usize, twist: *const f64) -> UrdfIkTipCommand {
    // NaN is refused by the step.
    let entries = unsafe { twist.cast::<[f64; 6]>().as_ref() }.copied().unwrap_or([f64::NAN; 6]);
    UrdfIkTipCommand { tip, kind: URDF_IK_COMMAND_TWIST, twist: entries, ..UrdfIkTipCommand::default() }
}

/// A command to follow a pose in the frame of the base link.
#[unsafe(no_mangle)]
pub extern "C" fn urdf_ik_pose_command(tip: usize, pose: UrdfIkPose) -> UrdfIkTipCommand {
    UrdfIkTipCommand { tip, kind: URDF_IK_COMMAND_POSE, pose, ..UrdfIkTipCommand::default() }
}

impl UrdfIkServoOptions {
    fn options(&self) -> Result<ServoOptions, Failure> {
        check_reserved(&self.reserved, "the options", "urdf_ik_servo_options")?;
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(Failure::problem(format!("rate is {}; it must be a finite number above 0", self.rate)));
        }
        let options = ServoOptions {
            linear_speed: self.linear_speed,
            angular_speed: self.angular_speed,
            max_deviation_angle: self.max_deviation_angle,
            slack: [self.slack_position, self.slack_orientation],
            free_axes: self.free_axes.map(|free| free != 0),
            ..ServoOptions::default()
        };
        options.check().map_err(Failure::problem)?;
        Ok(options)
    }
}

impl UrdfIkTipCommand {
    fn command(&self) -> Result<TipCommand, Failure> {
        check_reserved(&self.reserved, "a command", "urdf_ik_twist_command() or urdf_ik_pose_command")?;
        let tip = self.tip;
        let axes = match self.kind {
            URDF_IK_COMMAND_TWIST => Axes::Base,
            URDF_IK_COMMAND_TIP_TWIST => Axes::Tip,
            URDF_IK_COMMAND_POSE => {
                let pose = isometry(&self.pose).map_err(Failure::problem)?;
                return Ok(TipCommand::Pose(TipPose { tip, pose }));
            }
            other => return Err(Failure::problem(format!("the kind of a command is {other}; it must be 0, 1 or 2"))),
        };
        let [x, y, z, rx, ry, rz] = self.twist;
        let (linear, angular) = (Vector3::new(x, y, z), Vector3::new(rx, ry, rz));
        Ok(TipCommand::Twist(TipTwist { tip, linear, angular, axes }))
    }
}

impl UrdfIkServo {
    /// # Safety
    /// The pointers of `options` are NULL or valid.
    unsafe fn new(arm: &UrdfIkArm, given: &UrdfIkServoOptions, positions: &[f64]) -> Result<Self, Failure> {
        let (data, chain) = (&arm.robot, arm.solver.chain());
        let options = given.options()?;
        let limits = unsafe { motion_limits(given.joint_limits, data, chain) }?;
        let solver = arm.solver.with_method(SolverKind::Jacobian).map_err(Failure::problem)?;
        let mut servo = Servo::new(&solver, &limits, options, positions).map_err(Failure::problem)?;
        let world = unsafe { given.avoid.as_ref() }.map(|world| Arc::clone(&world.0));
        if let Some(world) = &world {
            world.clearance(data, &arm.solver)?;
        }
        if let Some(text) = unsafe { optional_text(given.goals, "goals") }? {
            servo.set_goals(&read_goals(text, data, chain, world.as_deref())?);
        }
        let report = ReportMemory::new(arm, world.clone());
        Ok(Self { servo, period: 1.0 / given.rate, world, commands: Vec::with_capacity(arm.tip_names.len()), report })
    }

    fn joint_count(&self) -> usize {
        self.servo.positions().len()
    }

    /// A step, and the new positions. An invalid command brings the joints to rest.
    fn step(&mut self, command: Result<Command, Failure>, positions: Option<&mut [f64]>) -> Result<(), Failure> {
        let clearance = self.world.as_deref().map(WorldData::own_clearance);
        let (command, accepted) = match command {
            Ok(command) => (command, Ok(())),
            Err(failure) => (Command::Rest, Err(failure)),
        };
        let stepped = self.servo.step(self.period, &command, clearance.as_ref()).map(|_| ());
        if let Some(positions) = positions {
            positions.copy_from_slice(self.servo.positions());
        }
        accepted.and(stepped.map_err(Failure::problem))
    }
}

/// Creates a servo at rest at joint positions (n entries) [rad or m]. Joints outside their limits first move inside,
/// with the first command.
///
/// # Safety
/// `arm` is an arm; `options` points to options; `positions` has n entries; `servo` is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_servo_new(
    arm: *const UrdfIkArm,
    options: *const UrdfIkServoOptions,
    positions: *const f64,
    servo: *mut *mut UrdfIkServo,
) -> UrdfIkStatus {
    guarded(|| {
        let (arm, options) = unsafe { (reference(arm, "arm")?, reference(options, "options")?) };
        let positions = unsafe { finite_positions(positions, arm.joint_count()) }?;
        unsafe { hand_out(servo, UrdfIkServo::new(arm, options, positions)?, "servo") }
    })
}

/// Frees a servo.
///
/// # Safety
/// `servo` is NULL, or a servo that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_servo_free(servo: *mut UrdfIkServo) {
    guarded_or((), || unsafe { take_back(servo) });
}

/// Advances by one period with `count` commands, at most one per tip; without commands the arm comes to rest. Writes
/// the joint positions to command (n entries) [rad or m], unless `positions` is NULL. An invalid command fails with
/// URDF_IK_STATUS_PROBLEM, and the step is made without commands.
///
/// # Safety
/// No other thread uses `servo`; there are `count` commands; `positions` are written unless NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_servo_step(
    servo: *mut UrdfIkServo,
    commands: *const UrdfIkTipCommand,
    count: usize,
    positions: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let servo = unsafe { exclusive(servo, "servo") }?;
        let given = unsafe { entries(commands, count, "commands") }?;
        let mut commands = std::mem::take(&mut servo.commands);
        commands.clear();
        let read = given.iter().try_for_each(|given| given.command().map(|command| commands.push(command)));
        let command = if given.is_empty() { Command::Rest } else { Command::Tips(&commands) };
        let positions = unsafe { written_positions(positions, servo.joint_count()) };
        let stepped = servo.step(read.map(|()| command), positions);
        servo.commands = commands;
        stepped
    })
}

/// Advances by one period with joint velocities (n entries) [rad/s or m/s]. Otherwise as urdf_ik_servo_step().
///
/// # Safety
/// No other thread uses `servo`; `velocities` has n entries; `positions` are written unless NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_servo_step_joints(
    servo: *mut UrdfIkServo,
    velocities: *const f64,
    positions: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let servo = unsafe { exclusive(servo, "servo") }?;
        let count = servo.joint_count();
        let velocities = unsafe { entries(velocities, count, "velocities") };
        servo.step(velocities.map(Command::Velocities), unsafe { written_positions(positions, count) })
    })
}

/// Writes the positions [rad or m], velocities [rad/s or m/s] and accelerations [rad/s^2 or m/s^2] of the joints, n
/// entries each. Each of the three may be NULL.
///
/// # Safety
/// No other thread uses `servo`; the arrays are written unless NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_servo_state(
    servo: *const UrdfIkServo,
    positions: *mut f64,
    velocities: *mut f64,
    accelerations: *mut f64,
) -> UrdfIkStatus {
    guarded(|| {
        let UrdfIkServo { servo, .. } = unsafe { reference(servo, "servo") }?;
        let values = [servo.positions(), servo.velocities(), servo.accelerations()];
        for (place, values) in [positions, velocities, accelerations].into_iter().zip(values) {
            if let Some(place) = unsafe { written_positions(place, values.len()) } {
                place.copy_from_slice(values);
            }
        }
        Ok(())
    })
}

/// The report of the last step, valid until the next call with this servo; NULL if `servo` is NULL.
///
/// # Safety
/// `servo` is NULL, or a servo that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urdf_ik_servo_report(servo: *mut UrdfIkServo) -> *const UrdfIkServoReport {
    guarded_or(ptr::null(), || {
        unsafe { servo.as_mut() }.map_or(ptr::null(), |UrdfIkServo { servo, report, .. }| report.write(servo))
    })
}

/// The `count` entries at `place`; `None` if it is NULL.
///
/// # Safety
/// `place` is NULL, or points to as many entries, which are not used otherwise meanwhile.
unsafe fn written_positions<'a>(place: *mut f64, count: usize) -> Option<&'a mut [f64]> {
    unsafe { exclusive_entries(place, count, "positions") }.ok()
}
