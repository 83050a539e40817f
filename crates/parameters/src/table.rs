//! Every parameter of the node, one row each, and the table of them that people read.

use std::fmt::Write;
use std::sync::LazyLock;
use std::time::Duration;

use super::config::{NamedPositions, Yaml};
use super::definition::Bounds::{Any, OneOf, Range};
use super::definition::DefaultValue::{Bool, Double, Integer, NoTexts, Text};
use super::definition::TakesEffect::{AtOnce, AtStart, WithNextTarget};
use super::definition::{Definition, Values};
use super::setting::{CommandUnits, FromText, JacobianMethod, Motion, OnUnreachable, Reliability, Setting};
use super::tools::Tools;
use super::value::{Refusal, Value};
use urdf_ik_collision::MissingShapes;
use urdf_ik_motion::servo::{HeldBack, Priority};
use urdf_ik_solver::{AXIS_NAMES, Pick, SolverKind};
use urdf_ik_text::names;

/// Greatest `fabrik.acceleration`.
#[expect(clippy::cast_precision_loss, reason = "it is small")]
const MAX_ACCELERATION: f64 = urdf_ik_solver::MAX_ACCELERATION as f64;

/// Makes a struct of settings from rows, and from groups of settings that are made in the same way. The sentence above a row describes the
/// field and the parameter. A row says the name, which follows the prefix, the type as which a value is read, the default, the unit, the
/// bounds, and when a value takes effect. The function of the same name gives what the row says of the parameter.
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        $settings:ident, $prefix:literal {
            $($(#[doc = $sentence:literal])+
            $name:ident: $type:ty = $default:expr, $unit:literal, $bounds:expr, $takes_effect:expr;)*
        }
        $($(#[doc = $group_sentence:literal])+ $group:ident: $group_type:ident;)*
    ) => {
        $(#[$attribute])*
        pub struct $settings {
            $($(#[doc = $sentence])+ pub $name: $type,)*
            $($(#[doc = $group_sentence])+ pub $group: $group_type,)*
        }

        impl $settings {
            $(#[doc = concat!("The parameter `", $prefix, stringify!($name), "`.")]
            pub const fn $name() -> &'static Definition {
                const {
                    &Definition {
                        name: concat!($prefix, stringify!($name)),
                        default: $default,
                        unit: $unit,
                        bounds: $bounds,
                        takes_effect: $takes_effect,
                        sentence: concat!($($sentence),+).trim_ascii_start(),
                    }
                }
            })*

            fn definitions() -> Vec<&'static Definition> {
                [vec![$(Self::$name()),*], $($group_type::definitions()),*].concat()
            }

            /// Reads the values of the parameters. A text that is the same as in the settings `before` is not read again: its file may not
            /// exist any more.
            ///
            /// # Errors
            /// A [`Refusal`] where a value has the right type but no meaning, such as joint positions that are no YAML mapping.
            pub fn new(values: &Values, before: Option<&Self>) -> Result<Self, Refusal> {
                Ok(Self {
                    $($name: Setting::read(Self::$name(), values.of(Self::$name()), before.map(|before| &before.$name))?,)*
                    $($group: $group_type::new(values, before.map(|before| &before.$group))?,)*
                })
            }
        }
    };
}

parameters! {
    /// Every parameter as the node uses it.
    #[derive(Debug, Clone, PartialEq)]
    Settings, "" {
        /// The URDF itself. It is used instead of urdf_file and the topic robot_description.
        robot_description: String = Text(""), "", Any, AtOnce;
        /// Path of the URDF. It is used instead of the topic robot_description.
        urdf_file: String = Text(""), "", Any, AtStart;
        /// The SRDF itself, or its path: which links may touch each other. Empty: the topic robot_description_semantic,
        /// if there is one.
        robot_description_semantic: String = Text(""), "", Any, AtStart;
        /// Base link of the chain. Empty: the robot's root link.
        base_link: Option<String> = Text(""), "", Any, AtStart;
        /// Tip links of the chain. Empty: the robot's only leaf link that moves.
        tip_links: Vec<String> = NoTexts, "", Any, AtStart;
        /// Whether the arm keeps to the soft limits of safety_controller in the URDF as well, as MoveIt does.
        soft_limits: bool = Bool(false), "", Any, AtStart;
        /// Prefix of the robot's link names in frame names, such as left/.
        frame_prefix: String = Text(""), "", Any, AtStart;
        /// The solver.
        solver: SolverKind = Text("jacobian"), "", OneOf(&SolverKind::NAMES), WithNextTarget;
        /// Greatest distance from the target that counts as reached.
        position_tolerance: f64 = Double(1e-5), "m", Range(1e-9, 1.0), WithNextTarget;
        /// Greatest angle from the target that counts as reached.
        orientation_tolerance: f64 = Double(1e-5), "rad", Range(1e-9, 3.2), WithNextTarget;
        /// Axes of the tip link's frame that targets need not match: translation along x, y, z and rotation rx, ry, rz
        /// about them. For arms that cannot follow all six axes. A request that names free axes uses its own. A servo turns
        /// the tip about free axes as it likes, unless a twist commands a rotation.
        free_axes: [bool; 6] = NoTexts, "", OneOf(&AXIS_NAMES), WithNextTarget;
        /// Greatest time of one search. It is only a guard: the parameter attempts bounds the search.
        timeout: Duration = Double(0.05), "s", Range(1e-4, 60.0), WithNextTarget;
        /// Greatest number of starting points of one search.
        attempts: usize = Integer(100), "", Range(1.0, 1e6), WithNextTarget;
        /// Changes the later starting points of a search. The same seed gives the same answers.
        random_seed: u64 = Integer(0), "", Range(0.0, 9e15), WithNextTarget;
        /// Which of several solutions a search gives: the first one found, the one whose largest joint move from the seed
        /// is smallest, or the one with the greatest manipulability. Only first ends before all attempts are used.
        pick: Pick = Text("first"), "", OneOf(&Pick::NAMES), WithNextTarget;
        /// Cores that one service request may use; topics use one. More than one helps with hard problems, and with the
        /// picks nearest and most_manipulable and many attempts.
        cores: usize = Integer(1), "", Range(1.0, 256.0), WithNextTarget;
        /// Cores that solve_ik_batch may use, at low priority. 0: all but one, which stays free for the topics.
        batch_cores: Option<usize> = Integer(0), "", Range(0.0, 256.0), WithNextTarget;
        /// What the arm does when a target cannot be met: it moves to the closest pose that was found; it reaches the
        /// position exactly and the orientation as closely as possible (position, for arms of fewer than six joints); or
        /// it holds its position.
        on_unreachable: OnUnreachable = Text("closest"), "", OneOf(&OnUnreachable::NAMES), WithNextTarget;
        /// Whether the arm may change to another branch of solutions for a topic target that it cannot reach on its
        /// present branch.
        branch_jumps: bool = Bool(true), "", Any, WithNextTarget;
        /// Whether the arm keeps clear of itself and of obstacles. A request that says on or off uses its own.
        avoid_collisions: bool = Bool(false), "", Any, WithNextTarget;
        /// Least distance that is kept, where collisions are avoided. What is nearer already may stay so, or move away. It is
        /// that of the command: the arm comes nearer by its sag and lag, and is stopped where it is measured nearer.
        collision_margin: f64 = Double(0.01), "m", Range(0.0, 1.0), WithNextTarget;
        /// What becomes of targets and requests that avoid collisions where shapes of links could not be loaded: they are
        /// refused, or these links are ignored.
        missing_shapes: MissingShapes = Text("refuse"), "", OneOf(&MissingShapes::NAMES), WithNextTarget;
        /// How often the joint state is published. Smooth motion and the steps of max_joint_step have this rate.
        publish_rate: f64 = Double(50.0), "Hz", Range(0.1, 1000.0), AtOnce;
        /// How the arm moves to a target. immediate: each solution is published at once. smooth: the arm moves within the
        /// limits of velocity, acceleration and jerk, and a newer target replaces the motion under way.
        motion: Motion = Text("immediate"), "", OneOf(&Motion::NAMES), WithNextTarget;
        /// The share of their speed that smooth motions, paths and velocity commands have, as if time passed more slowly.
        /// A change is smooth. 0: the arm holds still, and goes on with its motion afterwards.
        speed_scale: f64 = Double(1.0), "", Range(0.0, 1.0), AtOnce;
        /// Limits of velocity, acceleration and jerk for smooth motion and paths: YAML in the format of MoveIt's
        /// joint_limits.yaml, or the path of such a file. Where the URDF has a limit too, the lower one is used.
        joint_limits: FromText<Yaml> = Text(""), "", Any, WithNextTarget;
        /// Velocity limit (m/s for prismatic joints) of joints that have none in joint_limits or the URDF.
        default_velocity: f64 = Double(1.0), "rad/s", Range(1e-3, 100.0), WithNextTarget;
        /// Acceleration limit (m/s² for prismatic joints) of joints that have none in joint_limits. 0: the one that reaches
        /// the velocity limit of the joint in 0.2 s.
        default_acceleration: Option<f64> = Double(0.0), "rad/s²", Range(0.0, 1000.0), WithNextTarget;
        /// Jerk limit (m/s³ for prismatic joints) of joints that have none in joint_limits. 0: the one that reaches the
        /// acceleration limit of the joint in 10 ms.
        default_jerk: Option<f64> = Double(0.0), "rad/s³", Range(0.0, 1e5), WithNextTarget;
        /// Greatest step of a joint (m for prismatic joints) in one period of publish_rate, with immediate motion. A
        /// reset is not bounded. 0: no bound.
        max_joint_step: Option<f64> = Double(0.0), "rad", Range(0.0, 6.3), WithNextTarget;
        /// With several tips: how long the last target of a tip is solved together with new targets of the other tips.
        join_targets: Duration = Double(0.1), "s", Range(0.0, 3600.0), WithNextTarget;
        /// Joints whose positions ~/joint_commands publishes, in this order. Empty: the topic does not exist.
        command_joints: Vec<String> = NoTexts, "", Any, AtStart;
        /// Name of a topic of std_msgs/Bool, a deadman switch: targets, drags, twists and jogs move the arm only while its
        /// newest message is true and not older than servo.timeout. Empty: there is none.
        deadman_topic: Option<String> = Text(""), "", Any, AtStart;
        /// Whether the node serves a handle for each tip link, which a person drags in RViz. Where command_joints is set,
        /// the default is false.
        interactive_target: bool = Bool(true), "", Any, AtStart;
        /// Joint positions at the start and after a reset: YAML, joint: position, or the path of such a file. Joints that
        /// are not named are at 0, or in the middle of their range where 0 is outside.
        initial_posture: FromText<NamedPositions> = Text(""), "", Any, WithNextTarget;
        /// Joint positions that the null-space task moves towards, as far as the target leaves the joints free; under
        /// targets of topics no faster than the velocity limits of the joints. The format is that of initial_posture.
        /// Empty: none.
        posture: FromText<NamedPositions> = Text(""), "", Any, WithNextTarget;
        /// Tool offsets: the pose of the tool on each tip link, in the link's frame, as YAML, tip_link: {p: [x, y, z],
        /// q_xyzw: [x, y, z, w]}, or the path of such a file. All that is said of a tip then means its tool. Empty: the
        /// tips are the links. A change takes effect once the arm is at rest.
        tool: FromText<Tools> = Text(""), "", Any, AtOnce;
        /// Greatest age of a measured joint state that is used, from when it came. An arm that moves without a newer one
        /// stops. 0: measured joint states are not used, and the arm is assumed to be at initial_posture at the start.
        measured_timeout: Duration = Double(1.0), "s", Range(0.0, 3600.0), WithNextTarget;
        /// How far a joint (m for prismatic joints) may be measured from the last command while the arm is at rest. Beyond
        /// that the measured configuration counts. More than the arm sags, and less than a displacement that matters.
        measured_tolerance: f64 = Double(0.03), "rad", Range(0.0, 1.0), AtOnce;
        /// How long a target waits for the transform of its frame.
        transform_timeout: Duration = Double(0.1), "s", Range(0.0, 60.0), WithNextTarget;
        /// Quality of service of the target topics. Publishers with best effort need best_effort.
        target_reliability: Reliability = Text("reliable"), "", OneOf(&Reliability::NAMES), AtStart;
        /// Whether the time comes from the topic /clock.
        use_sim_time: bool = Bool(false), "", Any, AtOnce;
    }
    /// The following error.
    following_error: FollowingErrorSettings;
    /// Cartesian paths.
    path: PathSettings;
    /// Commands of velocities.
    servo: ServoSettings;
    /// The names of MoveIt Servo.
    moveit_servo: MoveItServoSettings;
    /// The null-space task.
    null_space: NullSpace;
    /// The solver `jacobian`.
    jacobian: JacobianSettings;
    /// The solver `fabrik`.
    fabrik: FabrikSettings;
}

parameters! {
    /// The parameters of the following error.
    #[derive(Debug, Clone, Copy, PartialEq)]
    FollowingErrorSettings, "following_error." {
        /// Whether the measured arm must follow its commands, where it is measured. Otherwise it stops with
        /// FOLLOWING_ERROR until ~/resume.
        enabled: bool = Bool(true), "", Any, AtOnce;
        /// Greatest following error of a revolute joint.
        angle: f64 = Double(0.05), "rad", Range(1e-4, 100.0), AtOnce;
        /// Greatest following error of a prismatic joint.
        distance: f64 = Double(0.01), "m", Range(1e-5, 100.0), AtOnce;
        /// Time window of the commands that a measurement is compared with. More than the lag of the drives and the
        /// delay of the measurements together.
        window: Duration = Double(0.3), "s", Range(0.0, 10.0), AtOnce;
    }
}

parameters! {
    /// The parameters of Cartesian paths.
    #[derive(Debug, Clone, Copy, PartialEq)]
    PathSettings, "path." {
        /// Greatest speed along a Cartesian path. It is lower where the limits of a joint require that.
        speed: f64 = Double(0.1), "m/s", Range(1e-4, 10.0), WithNextTarget;
        /// Greatest acceleration along a path.
        acceleration: f64 = Double(0.5), "m/s²", Range(1e-3, 100.0), WithNextTarget;
        /// Path length before and after a pose over which the corner is rounded. 0: the tip stops at corners.
        blend_radius: f64 = Double(0.0), "m", Range(0.0, 10.0), WithNextTarget;
        /// Greatest distance of the tip from the path.
        position_deviation: f64 = Double(1e-4), "m", Range(1e-7, 0.1), WithNextTarget;
        /// Greatest angle of the tip from the path.
        orientation_deviation: f64 = Double(1e-3), "rad", Range(1e-6, 1.0), WithNextTarget;
        /// Whether the arm follows a path of ~/target_path as far as it can when it cannot reach the end. false: it does
        /// not move.
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
        linear_speed: f64 = Double(0.5), "m/s", Range(1e-4, 10.0), WithNextTarget;
        /// Greatest angular speed of a tip under commands of velocities.
        angular_speed: f64 = Double(1.5), "rad/s", Range(1e-3, 100.0), WithNextTarget;
        /// What is kept where joint limits or collisions allow only a part of a twist: first the translation, first the
        /// rotation, or what is nearest to both.
        priority: Priority = Text("translation"), "", OneOf(&Priority::NAMES), WithNextTarget;
        /// What a tip does where a joint limit is in the way of its line: wait on it, or slide along the part of the twist
        /// that the limits allow.
        held_back: HeldBack = Text("wait"), "", OneOf(&HeldBack::NAMES), WithNextTarget;
    }
    /// How far what is not commanded may give way.
    give: ServoGive;
}

parameters! {
    /// How far what is not commanded may give way.
    #[derive(Debug, Clone, Copy, PartialEq)]
    ServoGive, "servo.give." {
        /// How far the position of what is not commanded may give way, where a tip could not follow otherwise or would be slower,
        /// and where it slides along a collision. 0: not at all.
        position: f64 = Double(0.02), "m", Range(0.0, 10.0), WithNextTarget;
        /// How far the orientation of what is not commanded may give way, where a tip could not follow otherwise or would be
        /// slower, and where it slides along a collision. 0: not at all.
        orientation: f64 = Double(0.1), "rad", Range(0.0, 10.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of the names of MoveIt Servo.
    #[derive(Debug, Clone, Copy, PartialEq)]
    MoveItServoSettings, "moveit_servo." {
        /// Whether the node has the topics and services of MoveIt Servo, under /servo_node. It needs moveit_msgs and
        /// control_msgs.
        enabled: bool = Bool(false), "", Any, AtStart;
        /// What the numbers of commands of MoveIt Servo are: shares of the scales, from -1 to 1, or velocities in m/s and
        /// rad/s.
        command_in_type: CommandUnits = Text("unitless"), "", OneOf(&CommandUnits::NAMES), WithNextTarget;
    }
    /// What the numbers of the commands are scaled by.
    scale: MoveItServoScale;
}

parameters! {
    /// What the numbers of commands of MoveIt Servo are scaled by.
    #[derive(Debug, Clone, Copy, PartialEq)]
    MoveItServoScale, "moveit_servo.scale." {
        /// Greatest speed of a tip under commands of MoveIt Servo.
        linear: f64 = Double(0.4), "m/s", Range(0.0, 10.0), WithNextTarget;
        /// Greatest angular speed of a tip under commands of MoveIt Servo.
        rotational: f64 = Double(0.8), "rad/s", Range(0.0, 100.0), WithNextTarget;
        /// Velocity of a joint (m/s for prismatic joints) under a unitless command of 1.
        joint: f64 = Double(0.5), "rad/s", Range(0.0, 100.0), WithNextTarget;
    }
}

parameters! {
    /// The weights of the null-space task, in the sense of [`Preference`](urdf_ik_solver::Preference).
    #[derive(Debug, Clone, Copy, PartialEq)]
    NullSpace, "null_space." {
        /// Null-space task: weight of half the squared distance of the joints from posture, where that is set.
        posture: f64 = Double(1.0), "", Range(0.0, 1000.0), WithNextTarget;
        /// Null-space task: weight of half the squared distance of the joints from the middle of their ranges, divided by
        /// half the range.
        limits: f64 = Double(0.0), "", Range(0.0, 1000.0), WithNextTarget;
        /// Null-space task: weight of the logarithm of the manipulability, which the task increases.
        manipulability: f64 = Double(0.0), "", Range(0.0, 1000.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of the solver `jacobian`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    JacobianSettings, "jacobian." {
        /// Damped least squares, or the Moore-Penrose pseudoinverse.
        method: JacobianMethod = Text("damped"), "", OneOf(&JacobianMethod::NAMES), WithNextTarget;
        /// Damping factor of the method damped. 0: it adapts to the error.
        damping: Option<f64> = Double(0.0), "", Range(0.0, 10.0), WithNextTarget;
    }
}

parameters! {
    /// The parameters of the solver `fabrik`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    FabrikSettings, "fabrik." {
        /// Number of earlier cycles that FABRIK's acceleration uses. 0: plain cycles.
        acceleration: usize = Integer(3), "", Range(0.0, MAX_ACCELERATION), WithNextTarget;
        /// Whether Newton steps finish a solution of FABRIK, and lead to the closest pose when the target cannot be met.
        polish: bool = Bool(true), "", Any, WithNextTarget;
    }
}

/// Every parameter of the node: those without a dot in the order in which people look for them, then each group.
pub static TABLE: LazyLock<Vec<&'static Definition>> = LazyLock::new(Settings::definitions);

/// The parameter `name`; `None` where there is no such parameter.
pub fn definition(name: &str) -> Option<&'static Definition> {
    TABLE.iter().copied().find(|parameter| parameter.name == name)
}

impl Values {
    /// Sets the parameter `name` after checking the value, and gives what is known of the parameter.
    ///
    /// # Errors
    /// A [`Refusal`] where there is no such parameter or the value does not fit it; nothing is changed then.
    pub fn set(&mut self, name: &str, value: Value) -> Result<&'static Definition, Refusal> {
        let parameter =
            definition(name).ok_or_else(|| Refusal(format!("there is no parameter {}", names::short(name))))?;
        self.0.insert(parameter.name, parameter.check(value)?);
        Ok(parameter)
    }
}

/// The table as `docs/parameters.md` shows it.
pub fn markdown() -> String {
    let mut text =
        String::from("| parameter | type | default | bounds | when | meaning |\n|---|---|---|---|---|---|\n");
    for parameter in TABLE.iter() {
        let value = parameter.default_value();
        let unit = if parameter.unit.is_empty() { String::new() } else { format!(" \\[{}\\]", parameter.unit) };
        let when = parameter.takes_effect.word();
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "| `{}`{unit} | {} | `{value}` | {} | {when} | {} |",
            parameter.name,
            value.type_name(),
            parameter.bounds_text(),
            parameter.sentence
        );
    }
    text
}

#[cfg(test)]
mod tests;
