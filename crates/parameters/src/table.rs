//! All parameters of the node, one row each.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use super::config::{NamedPositions, Yaml};
use super::definition::TakesEffect::{AtOnce, AtStart, WithNextTarget};
use super::definition::ValueBounds::{Any, OneOf, Range};
use super::definition::{Definition, Values};
use super::goal_list::GoalList;
use super::setting::{CommandUnits, FromText, JacobianMethod, Motion, OnUnreachable, Reliability, Setting};
use super::settings_macro::parameters;
use super::tools::Tools;
use super::value::Refusal;
use super::value::Value::{self, Bool, Double, Integer};
use super::workspace::Workspace;
use urdf_ik_collision::MissingShapes;
use urdf_ik_motion::servo::{HeldBack, Priority, ServoOptions};
use urdf_ik_solver::{AXIS_NAMES, Pick, SolverKind};
use urdf_ik_text::names;

/// Upper bound of `fabrik.acceleration`.
#[expect(clippy::cast_precision_loss, reason = "it is small")]
const MAX_ACCELERATION: f64 = urdf_ik_solver::MAX_ACCELERATION as f64;

/// The default of a list.
const NO_TEXTS: Value = Value::Texts(Vec::new());

/// The default of a text.
const fn text(default: &'static str) -> Value {
    Value::Text(Cow::Borrowed(default))
}

parameters! {
    /// The parsed values of all parameters.
    #[derive(Debug, Clone, PartialEq)]
    Settings, "" {
        /// URDF as text. Takes precedence over urdf_file and the topic robot_description.
        robot_description: String = text(""), "", Any, AtOnce;
        /// Path of the URDF file. Takes precedence over the topic robot_description.
        urdf_file: String = text(""), "", Any, AtStart;
        /// SRDF as text or path: link pairs that may touch each other. Empty: the topic robot_description_semantic, if
        /// it is published.
        robot_description_semantic: String = text(""), "", Any, AtStart;
        /// Base link of the chain. Empty: the root link of the robot.
        base_link: Option<String> = text(""), "", Any, AtStart;
        /// Tip links of the chain. Empty: the only movable leaf link of the robot.
        tip_links: Vec<String> = NO_TEXTS, "", Any, AtStart;
        /// Enforce the soft position limits of safety_controller in the URDF in addition to the joint limits, as MoveIt
        /// does.
        soft_limits: bool = Bool(false), "", Any, AtStart;
        /// Prefix of the link names in TF frame names, such as left/.
        frame_prefix: String = text(""), "", Any, AtStart;
        /// Inverse kinematics solver.
        solver: SolverKind = text("jacobian"), "", OneOf(&SolverKind::NAMES), WithNextTarget;
        /// Largest position error of a reached target.
        position_tolerance: f64 = Double(1e-5), "m", Range(1e-9, 1.0), WithNextTarget;
        /// Largest orientation error of a reached target.
        orientation_tolerance: f64 = Double(1e-5), "rad", Range(1e-9, 3.2), WithNextTarget;
        /// Unconstrained axes of targets, in the tip frame: translation x, y, z and rotation rx, ry, rz. For arms that
        /// cannot control all six axes. Free axes in a request take precedence. A servo may rotate the tip about free
        /// axes unless a twist commands a rotation.
        free_axes: [bool; 6] = NO_TEXTS, "", OneOf(&AXIS_NAMES), WithNextTarget;
        /// Time limit of one search. A safeguard only: attempts normally ends the search.
        timeout: Duration = Double(0.05), "s", Range(1e-4, 60.0), WithNextTarget;
        /// Maximum number of starting points of one search.
        attempts: usize = Integer(100), "", Range(1.0, 1e6), WithNextTarget;
        /// Seed of the random starting points of a search. Equal seeds give equal results.
        random_seed: u64 = Integer(0), "", Range(0.0, 9e15), WithNextTarget;
        /// Selection among several solutions: the first one found, the one with the smallest maximum joint displacement
        /// from the seed (nearest), or the one with the highest manipulability. Only first ends the search before all
        /// attempts are used.
        pick: Pick = text("first"), "", OneOf(&Pick::NAMES), WithNextTarget;
        /// Maximum number of CPU cores per service request; topics use one. More cores help with hard problems, and
        /// with the picks nearest and most_manipulable and many attempts.
        cores: usize = Integer(1), "", Range(1.0, 256.0), WithNextTarget;
        /// Maximum number of CPU cores of solve_ik_batch, at low priority. 0: all but one, which is reserved for the
        /// topics.
        batch_cores: Option<usize> = Integer(0), "", Range(0.0, 256.0), WithNextTarget;
        /// Behaviour for unreachable targets: move to the closest pose found; reach the position exactly and the
        /// orientation as closely as possible (position, for arms with fewer than six joints); or stay in place (hold).
        on_unreachable: OnUnreachable = text("closest"), "", OneOf(&OnUnreachable::NAMES), WithNextTarget;
        /// Allow a change to another solution branch for a topic target that is unreachable on the current branch.
        branch_jumps: bool = Bool(true), "", Any, WithNextTarget;
        /// Avoid collisions of the arm with itself and with obstacles. Requests can override it with on or off.
        avoid_collisions: bool = Bool(false), "", Any, WithNextTarget;
        /// Minimum clearance with avoid_collisions. Bodies that are already closer may stay at their distance or
        /// separate. The margin applies to the commanded configuration: sag and lag of the arm reduce it, and the arm
        /// stops when its measured clearance is too small.
        collision_margin: f64 = Double(0.01), "m", Range(0.0, 1.0), WithNextTarget;
        /// Behaviour with avoid_collisions when collision shapes of links could not be loaded: refuse targets and
        /// requests, or ignore these links.
        missing_shapes: MissingShapes = text("refuse"), "", OneOf(&MissingShapes::NAMES), WithNextTarget;
        /// Rate of the published joint states, of the setpoints of smooth motion, and of the steps of max_joint_step.
        publish_rate: f64 = Double(50.0), "Hz", Range(0.1, 1000.0), AtOnce;
        /// Motion to a target. immediate: each solution is published at once. smooth: the arm moves within its
        /// velocity, acceleration and jerk limits; a newer target replaces the current motion.
        motion: Motion = text("immediate"), "", OneOf(&Motion::NAMES), WithNextTarget;
        /// Speed of smooth motions, paths and velocity commands as a fraction of their normal speed (time scaling).
        /// Changes are smooth. 0: the arm pauses and continues its motion afterwards.
        speed_scale: f64 = Double(1.0), "", Range(0.0, 1.0), AtOnce;
        /// Velocity, acceleration and jerk limits of smooth motions and paths: YAML in the format of MoveIt's
        /// joint_limits.yaml, or the path of such a file. The lower one of these limits and those of the URDF applies.
        joint_limits: FromText<Yaml> = text(""), "", Any, WithNextTarget;
        /// Velocity limit (m/s for prismatic joints) of joints without one in joint_limits or the URDF.
        default_velocity: f64 = Double(1.0), "rad/s", Range(1e-3, 100.0), WithNextTarget;
        /// Acceleration limit (m/s² for prismatic joints) of joints without one in joint_limits. 0: the velocity limit
        /// of the joint divided by 0.2 s.
        default_acceleration: Option<f64> = Double(0.0), "rad/s²", Range(0.0, 1000.0), WithNextTarget;
        /// Jerk limit (m/s³ for prismatic joints) of joints without one in joint_limits. 0: the acceleration limit of
        /// the joint divided by 10 ms.
        default_jerk: Option<f64> = Double(0.0), "rad/s³", Range(0.0, 1e5), WithNextTarget;
        /// Largest joint displacement (m for prismatic joints) per period of publish_rate with immediate motion. Does
        /// not apply to a reset. 0: unlimited.
        max_joint_step: Option<f64> = Double(0.0), "rad", Range(0.0, 6.3), WithNextTarget;
        /// With several tips: age up to which the last target of a tip is solved jointly with new targets of other
        /// tips.
        join_targets: Duration = Double(0.1), "s", Range(0.0, 3600.0), WithNextTarget;
        /// Joints in ~/joint_commands, in this order. Empty: the topic does not exist.
        command_joints: Vec<String> = NO_TEXTS, "", Any, AtStart;
        /// Topic (std_msgs/Bool) of a deadman switch: targets, drags, twists and jogs move the arm only while its
        /// latest message is true and not older than servo.timeout. Empty: no deadman switch.
        deadman_topic: Option<String> = text(""), "", Any, AtStart;
        /// Action (control_msgs/action/FollowJointTrajectory) of a driver that executes the paths of ~/follow_path and
        /// ~/target_path. Empty: none.
        trajectory_action: Option<String> = text(""), "", Any, AtStart;
        /// Provide the service ~/get_type_description, as all nodes of ROS 2 Jazzy and newer do.
        start_type_description_service: bool = Bool(true), "", Any, AtStart;
        /// Provide an interactive marker per tip link for RViz. The default is false if command_joints is set.
        interactive_target: bool = Bool(true), "", Any, AtStart;
        /// Joint positions at start-up and after a reset: YAML, joint: position, or the path of such a file. Unnamed
        /// joints are at 0, or at mid-range where 0 is outside their range.
        initial_posture: FromText<NamedPositions> = text(""), "", Any, WithNextTarget;
        /// Preferred joint positions of the null-space task, in the format of initial_posture. For topic targets the
        /// self-motion is limited to the joint velocity limits. Empty: no preferred posture.
        posture: FromText<NamedPositions> = text(""), "", Any, WithNextTarget;
        /// Standing goals, which come before targets, the goals of requests and commands of the servo: a list of
        /// {type: …, …} as YAML or JSON, or the path of such a file; see docs/goals.md. ~/change_goals changes single
        /// ones. Empty: none.
        goals: FromText<GoalList> = text(""), "", Any, WithNextTarget;
        /// Tool offsets: pose of the tool in the frame of each tip link as YAML, tip_link: {p: [x, y, z], q_xyzw: [x,
        /// y, z, w]}, or the path of such a file. Everything that refers to a tip then refers to its tool. Empty: no
        /// offsets. Changes take effect once the arm is at rest.
        tool: FromText<Tools> = text(""), "", Any, AtOnce;
        /// Maximum age of measured joint states since reception. A moving arm stops when they are older. 0: measured
        /// joint states are ignored, and the arm is assumed to start at initial_posture.
        measured_timeout: Duration = Double(1.0), "s", Range(0.0, 3600.0), WithNextTarget;
        /// Largest deviation (m for prismatic joints) of the measured from the commanded position of a joint at rest.
        /// Beyond it, the measured configuration replaces the commanded one. Choose it larger than the sag of the arm
        /// and smaller than a relevant displacement.
        measured_tolerance: f64 = Double(0.03), "rad", Range(0.0, 1.0), AtOnce;
        /// Time a target waits for the transform of its frame.
        transform_timeout: Duration = Double(0.1), "s", Range(0.0, 60.0), WithNextTarget;
        /// QoS reliability of the target topics. Best-effort publishers need best_effort.
        target_reliability: Reliability = text("reliable"), "", OneOf(&Reliability::NAMES), AtStart;
        /// Use the time of the topic /clock.
        use_sim_time: bool = Bool(false), "", Any, AtOnce;
    }
    /// Following error.
    following_error: FollowingErrorSettings;
    /// Cartesian paths.
    path: PathSettings;
    /// Velocity commands.
    servo: ServoSettings;
    /// Clutch.
    clutch: ClutchSettings;
    /// Interfaces of MoveIt Servo.
    moveit_servo: MoveItServoSettings;
    /// Null-space task.
    null_space: NullSpace;
    /// Solver `jacobian`.
    jacobian: JacobianSettings;
    /// Solver `fabrik`.
    fabrik: FabrikSettings;
}

parameters! {
    /// The parameters of the following error.
    #[derive(Debug, Clone, Copy, PartialEq)]
    FollowingErrorSettings, "following_error." {
        /// Stop with FOLLOWING_ERROR until ~/resume when the measured arm does not follow its commands. No effect
        /// without measured joint states.
        enabled: bool = Bool(true), "", Any, AtOnce;
        /// Largest following error of a revolute joint.
        angle: f64 = Double(0.05), "rad", Range(1e-4, 100.0), AtOnce;
        /// Largest following error of a prismatic joint.
        distance: f64 = Double(0.01), "m", Range(1e-5, 100.0), AtOnce;
        /// Time window of commands that a measurement is compared with. Choose it longer than drive lag and measurement
        /// delay together.
        window: Duration = Double(0.3), "s", Range(0.0, 10.0), AtOnce;
    }
}

parameters! {
    /// The parameters of Cartesian paths.
    #[derive(Debug, Clone, Copy, PartialEq)]
    PathSettings, "path." {
        /// Maximum speed along a Cartesian path. Joint limits may reduce it.
        speed: f64 = Double(0.1), "m/s", Range(1e-4, 10.0), WithNextTarget;
        /// Maximum acceleration along a path.
        acceleration: f64 = Double(0.5), "m/s²", Range(1e-3, 100.0), WithNextTarget;
        /// Path length before and after a waypoint within which the corner is blended. 0: the tip stops at corners.
        blend_radius: f64 = Double(0.0), "m", Range(0.0, 10.0), WithNextTarget;
        /// Largest distance of the tip from the path.
        position_deviation: f64 = Double(1e-4), "m", Range(1e-7, 0.1), WithNextTarget;
        /// Largest orientation error of the tip along the path.
        orientation_deviation: f64 = Double(1e-3), "rad", Range(1e-6, 1.0), WithNextTarget;
        /// Effort of the search for other self-motions and branches where a path cannot be tracked to its end, and of
        /// the choice of a free start: number of configurations at each pose. 0: tracking alone.
        search: usize = Integer(100), "", Range(0.0, 1000.0), WithNextTarget;
        /// Follow a path of ~/target_path up to the first unreachable point. false: do not move if its end is
        /// unreachable.
        partial: bool = Bool(false), "", Any, WithNextTarget;
    }
}

parameters! {
    /// The parameters of the servo.
    #[derive(Debug, Clone, Copy, PartialEq)]
    ServoSettings, "servo." {
        /// How long a command of ~/target_twist or ~/joint_jog, or a pose with a clutch, counts. Then the arm comes to
        /// rest.
        timeout: Duration = Double(0.1), "s", Range(1e-3, 3600.0), WithNextTarget;
        /// Greatest speed of a tip under commands of velocities.
        linear_speed: f64 = Double(ServoOptions::DEFAULT.linear_speed), "m/s", Range(1e-4, 10.0), WithNextTarget;
        /// Greatest angular speed of a tip under commands of velocities.
        angular_speed: f64 = Double(ServoOptions::DEFAULT.angular_speed), "rad/s", Range(1e-3, 100.0), WithNextTarget;
        /// What is kept where joint limits or collisions allow only a part of a twist: first the translation, first the
        /// rotation, or what is nearest to both.
        priority: Priority = text(ServoOptions::DEFAULT.priority.name()), "", OneOf(&Priority::NAMES), WithNextTarget;
        /// Maximum angle between the commanded motion of a tip and its motion at a joint limit, singularity or contact.
        /// 0: wait on the line. One radian of the tip counts as 0.3 times the size of the arm.
        max_deviation_angle: f64 = Double(ServoOptions::DEFAULT.max_deviation_angle), "rad", Range(0.0, 1.5), WithNextTarget;
        /// Deprecated, use servo.max_deviation_angle: wait sets it to 0.
        held_back: HeldBack = text(HeldBack::Slide.name()), "", OneOf(&HeldBack::NAMES), WithNextTarget;
        /// Box in the base link's frame that no tip leaves under commands of the servo, as YAML with the corners in
        /// metres: {min: [x, y, z], max: [x, y, z]}. A missing corner or .inf: no bound. A tip outside may only come
        /// inside. Empty: no box.
        workspace: Workspace = text(""), "", Any, WithNextTarget;
    }
    /// Slack of the uncommanded axes.
    slack: ServoSlack;
    /// The deprecated names of the slack.
    give: ServoGive;
}

parameters! {
    /// Slack of the uncommanded axes of a tip.
    #[derive(Debug, Clone, Copy, PartialEq)]
    ServoSlack, "servo.slack." {
        /// Maximum deviation of the uncommanded translation, where a tip could not follow otherwise or would be slower.
        /// 0: none.
        position: f64 = Double(ServoOptions::DEFAULT.slack[0]), "m", Range(0.0, 10.0), WithNextTarget;
        /// Maximum deviation of the uncommanded rotation, where a tip could not follow otherwise or would be slower. 0:
        /// none.
        orientation: f64 = Double(ServoOptions::DEFAULT.slack[1]), "rad", Range(0.0, 10.0), WithNextTarget;
    }
}

parameters! {
    /// The deprecated names of the slack.
    #[derive(Debug, Clone, Copy, PartialEq)]
    ServoGive, "servo.give." {
        /// Deprecated, use servo.slack.position: counts if it is not the default.
        position: f64 = Double(ServoOptions::DEFAULT.slack[0]), "m", Range(0.0, 10.0), WithNextTarget;
        /// Deprecated, use servo.slack.orientation: counts if it is not the default.
        orientation: f64 = Double(ServoOptions::DEFAULT.slack[1]), "rad", Range(0.0, 10.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of the clutch.
    #[derive(Debug, Clone, Copy, PartialEq)]
    ClutchSettings, "clutch." {}
    /// Scale of the motion of the hand.
    scale: ClutchScale;
    /// Greatest credible speed of a hand.
    max_hand_speed: MaxHandSpeed;
}

parameters! {
    /// The motion of a tip as a multiple of the motion of the hand.
    #[derive(Debug, Clone, Copy, PartialEq)]
    ClutchScale, "clutch.scale." {
        /// Translation of the tip as a multiple of that of the hand, while the clutch is closed.
        translation: f64 = Double(1.0), "", Range(0.1, 10.0), WithNextTarget;
        /// Rotation of the tip as a multiple of that of the hand, while the clutch is closed.
        rotation: f64 = Double(1.0), "", Range(0.1, 10.0), WithNextTarget;
    }
}

parameters! {
    /// The greatest credible speed of a hand.
    #[derive(Debug, Clone, Copy, PartialEq)]
    MaxHandSpeed, "clutch.max_hand_speed." {
        /// Greatest credible speed of a hand between the stamps of two poses. A pose that needs a faster hand is
        /// ignored, and the clutch closes anew once the poses agree for 0.1 s.
        linear: f64 = Double(3.0), "m/s", Range(1e-3, 1000.0), WithNextTarget;
        /// Greatest credible angular speed of a hand between the stamps of two poses. A pose that needs a faster hand
        /// is ignored, and the clutch closes anew once the poses agree for 0.1 s.
        angular: f64 = Double(15.0), "rad/s", Range(1e-3, 1000.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of MoveIt Servo's interfaces.
    #[derive(Debug, Clone, Copy, PartialEq)]
    MoveItServoSettings, "moveit_servo." {
        /// Provide the topics and services of MoveIt Servo under /servo_node. Requires moveit_msgs of Jazzy or newer.
        enabled: bool = Bool(false), "", Any, AtStart;
        /// Unit of MoveIt Servo commands: fractions of moveit_servo.scale from -1 to 1, or velocities in m/s and rad/s.
        command_in_type: CommandUnits = text("unitless"), "", OneOf(&CommandUnits::NAMES), WithNextTarget;
    }
    /// Scales of commands.
    scale: MoveItServoScale;
}

parameters! {
    /// The scales of MoveIt Servo commands.
    #[derive(Debug, Clone, Copy, PartialEq)]
    MoveItServoScale, "moveit_servo.scale." {
        /// Maximum linear speed of a tip for MoveIt Servo commands.
        linear: f64 = Double(0.4), "m/s", Range(0.0, 10.0), WithNextTarget;
        /// Maximum angular speed of a tip for MoveIt Servo commands.
        rotational: f64 = Double(0.8), "rad/s", Range(0.0, 100.0), WithNextTarget;
        /// Velocity of a joint (m/s for prismatic joints) for a unitless command of 1.
        joint: f64 = Double(0.5), "rad/s", Range(0.0, 100.0), WithNextTarget;
    }
}

parameters! {
    /// The weights of the null-space task, in the sense of [`Preference`](urdf_ik_solver::Preference).
    #[derive(Debug, Clone, Copy, PartialEq)]
    NullSpace, "null_space." {
        /// Null-space task: weight of half the squared distance of the joints from posture, if posture is set.
        posture: f64 = Double(1.0), "", Range(0.0, 1000.0), WithNextTarget;
        /// Null-space task: weight of half the squared distance of the joints from the middle of their ranges,
        /// normalized by half the range.
        limits: f64 = Double(0.0), "", Range(0.0, 1000.0), WithNextTarget;
        /// Null-space task: weight of the logarithm of the manipulability, which is maximized.
        manipulability: f64 = Double(0.0), "", Range(0.0, 1000.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of the solver `jacobian`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    JacobianSettings, "jacobian." {
        /// Damped least squares or Moore-Penrose pseudoinverse.
        method: JacobianMethod = text("damped"), "", OneOf(&JacobianMethod::NAMES), WithNextTarget;
        /// Damping factor of the method damped. 0: adapted to the error.
        damping: Option<f64> = Double(0.0), "", Range(0.0, 10.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of the solver `fabrik`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    FabrikSettings, "fabrik." {
        /// Number of previous cycles used by the Anderson acceleration of FABRIK. 0: plain cycles.
        acceleration: usize = Integer(3), "", Range(0.0, MAX_ACCELERATION), WithNextTarget;
        /// Refine solutions of FABRIK with Newton steps, and use them to find the closest pose of an unreachable
        /// target.
        polish: bool = Bool(true), "", Any, WithNextTarget;
    }
}

/// All parameters of the node: those without a dot in their names, ordered by topic, then each group.
pub static TABLE: LazyLock<Vec<&'static Definition>> = LazyLock::new(Settings::definitions);

/// Definition of the parameter `name`; `None` if there is none.
pub fn definition(name: &str) -> Option<&'static Definition> {
    TABLE.iter().copied().find(|parameter| parameter.name == name)
}

impl Values {
    /// Checks and sets the value of the parameter `name`, and returns its definition.
    ///
    /// # Errors
    /// [`Refusal`] if the parameter is unknown or the value is invalid. Nothing changes then.
    pub fn set(&mut self, name: &str, value: Value) -> Result<&'static Definition, Refusal> {
        let parameter =
            definition(name).ok_or_else(|| Refusal(format!("there is no parameter {}", names::short(name))))?;
        self.0.insert(parameter.name, parameter.check(value)?);
        Ok(parameter)
    }
}

#[cfg(test)]
mod tests;
