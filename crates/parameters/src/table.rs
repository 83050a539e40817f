//! Every parameter of the node, and the table of them that people read.

use std::fmt::Write;

use super::definition::Bounds::{Any, OneOf, Range};
use super::definition::DefaultValue::{Bool, Double, Integer, NoTexts, Text};
use super::definition::{Definition, at_once, at_start, live};
use urdf_ik_solver::AXIS_NAMES;

/// Every parameter of the node, in the order in which people look for them.
pub static TABLE: [Definition; 61] = [
    at_once(live(
        "robot_description",
        Text(""),
        "",
        Any,
        "The URDF itself. It is used instead of urdf_file and the topic robot_description.",
    )),
    at_start("urdf_file", Text(""), Any, "Path of the URDF. It is used instead of the topic robot_description."),
    at_start(
        "robot_description_semantic",
        Text(""),
        Any,
        "The SRDF itself, or its path: which links may touch each other. Empty: the topic robot_description_semantic, if there is one.",
    ),
    at_start("base_link", Text(""), Any, "Base link of the chain. Empty: the robot's root link."),
    at_start("tip_links", NoTexts, Any, "Tip links of the chain. Empty: the robot's only leaf link."),
    at_start("frame_prefix", Text(""), Any, "Prefix of the robot's link names in frame names, such as left/."),
    live("solver", Text("jacobian"), "", OneOf(&["jacobian", "fabrik", "closed_form"]), "The solver."),
    live(
        "position_tolerance",
        Double(1e-5),
        "m",
        Range(1e-9, 1.0),
        "Greatest distance from the target that counts as reached.",
    ),
    live(
        "orientation_tolerance",
        Double(1e-5),
        "rad",
        Range(1e-9, 3.2),
        "Greatest angle from the target that counts as reached.",
    ),
    live(
        "free_axes",
        NoTexts,
        "",
        OneOf(&AXIS_NAMES),
        "Axes of the tip link's frame that targets need not match: translation along x, y, z and rotation rx, ry, rz about them. For arms that cannot follow all six axes. A request that names free axes uses its own.",
    ),
    live(
        "timeout",
        Double(0.05),
        "s",
        Range(1e-4, 60.0),
        "Greatest time of one search. It is only a guard: the parameter attempts bounds the search.",
    ),
    live("attempts", Integer(100), "", Range(1.0, 1e6), "Greatest number of starting points of one search."),
    live(
        "random_seed",
        Integer(0),
        "",
        Range(0.0, 9e15),
        "Changes the later starting points of a search. The same seed gives the same answers.",
    ),
    live(
        "pick",
        Text("first"),
        "",
        OneOf(&["first", "nearest", "most_manipulable"]),
        "Which of several solutions a search gives: the first one found, the one whose largest joint move from the seed is smallest, or the one with the greatest manipulability. Only first ends before all attempts are used.",
    ),
    live(
        "cores",
        Integer(1),
        "",
        Range(1.0, 256.0),
        "Cores that one service request may use; topics use one. More than one helps with hard problems, and with the picks nearest and most_manipulable and many attempts.",
    ),
    live(
        "batch_cores",
        Integer(0),
        "",
        Range(0.0, 256.0),
        "Cores that solve_ik_batch may use, at low priority. 0: all but one, which stays free for the topics.",
    ),
    live(
        "on_unreachable",
        Text("closest"),
        "",
        OneOf(&["closest", "hold"]),
        "What the arm does when a target cannot be met: it moves to the closest pose that was found, or holds its position.",
    ),
    live(
        "branch_jumps",
        Bool(true),
        "",
        Any,
        "Whether the arm may change to another branch of solutions for a topic target that it cannot reach on its present branch.",
    ),
    live(
        "avoid_collisions",
        Bool(false),
        "",
        Any,
        "Whether the arm keeps clear of itself and of obstacles. A request that says on or off uses its own.",
    ),
    live(
        "collision_margin",
        Double(0.01),
        "m",
        Range(0.0, 1.0),
        "Least distance that is kept, where collisions are avoided. What is nearer already may stay so, or move away.",
    ),
    at_once(live(
        "publish_rate",
        Double(50.0),
        "Hz",
        Range(0.1, 1000.0),
        "How often the joint state is published. Smooth motion and the steps of max_joint_step have this rate.",
    )),
    live(
        "motion",
        Text("immediate"),
        "",
        OneOf(&["immediate", "smooth"]),
        "How the arm moves to a target. immediate: each solution is published at once. smooth: the arm moves within the limits of velocity, acceleration and jerk, and a newer target replaces the motion under way.",
    ),
    live(
        "joint_limits",
        Text(""),
        "",
        Any,
        "Limits of velocity, acceleration and jerk for smooth motion and paths: YAML in the format of MoveIt's joint_limits.yaml, or the path of such a file. Where the URDF has a limit too, the lower one is used.",
    ),
    live(
        "default_velocity",
        Double(1.0),
        "rad/s",
        Range(1e-3, 100.0),
        "Velocity limit (m/s for prismatic joints) of joints that have none in joint_limits or the URDF.",
    ),
    live(
        "default_acceleration",
        Double(5.0),
        "rad/s²",
        Range(1e-3, 1000.0),
        "Acceleration limit (m/s² for prismatic joints) of joints that have none in joint_limits.",
    ),
    live(
        "default_jerk",
        Double(50.0),
        "rad/s³",
        Range(1e-2, 1e5),
        "Jerk limit (m/s³ for prismatic joints) of joints that have none in joint_limits. For smooth motion and paths.",
    ),
    live(
        "max_joint_step",
        Double(0.0),
        "rad",
        Range(0.0, 6.3),
        "Greatest step of a joint (m for prismatic joints) in one period of publish_rate, with immediate motion. A reset is not bounded. 0: no bound.",
    ),
    live(
        "path.speed",
        Double(0.1),
        "m/s",
        Range(1e-4, 10.0),
        "Greatest speed along a Cartesian path. It is lower where the limits of a joint require that.",
    ),
    live("path.acceleration", Double(0.5), "m/s²", Range(1e-3, 100.0), "Greatest acceleration along a path."),
    live(
        "path.blend_radius",
        Double(0.0),
        "m",
        Range(0.0, 10.0),
        "Path length before and after a pose over which the corner is rounded. 0: the tip stops at corners.",
    ),
    live("path.position_deviation", Double(1e-4), "m", Range(1e-7, 0.1), "Greatest distance of the tip from the path."),
    live(
        "path.orientation_deviation",
        Double(1e-3),
        "rad",
        Range(1e-6, 1.0),
        "Greatest angle of the tip from the path.",
    ),
    live(
        "path.partial",
        Bool(false),
        "",
        Any,
        "Whether the arm follows a path of ~/target_path as far as it can when it cannot reach the end. false: it does not move.",
    ),
    live(
        "servo.timeout",
        Double(0.1),
        "s",
        Range(1e-3, 3600.0),
        "How long a command of ~/target_twist or ~/joint_jog, or a pose with a clutch, counts. Then the arm comes to rest.",
    ),
    live("servo.linear_speed", Double(0.5), "m/s", Range(1e-4, 10.0), "Greatest speed of a tip under such commands."),
    live(
        "servo.angular_speed",
        Double(1.5),
        "rad/s",
        Range(1e-3, 100.0),
        "Greatest angular speed of a tip under them.",
    ),
    live(
        "servo.priority",
        Text("translation"),
        "",
        OneOf(&["translation", "rotation", "both"]),
        "What is kept where joint limits or collisions allow only a part of a twist: first the translation, first the rotation, or what is nearest to both.",
    ),
    live(
        "servo.held_back",
        Text("wait"),
        "",
        OneOf(&["wait", "slide"]),
        "What a tip does where a joint limit is in the way of its line: wait on it, or slide along the part of the twist that the limits allow.",
    ),
    live(
        "servo.give.position",
        Double(0.0),
        "m",
        Range(0.0, 10.0),
        "How far the position of what is not commanded may give way to what is. 0: not at all.",
    ),
    live("servo.give.orientation", Double(0.0), "rad", Range(0.0, 10.0), "How far its orientation may."),
    at_start(
        "moveit_servo.enabled",
        Bool(false),
        Any,
        "Whether the node has the topics and services of MoveIt Servo, under /servo_node. It needs moveit_msgs and control_msgs.",
    ),
    live(
        "moveit_servo.command_in_type",
        Text("unitless"),
        "",
        OneOf(&["unitless", "speed_units"]),
        "What the numbers of these commands are: shares of the scales, from -1 to 1, or velocities in m/s and rad/s.",
    ),
    live("moveit_servo.scale.linear", Double(0.4), "m/s", Range(0.0, 10.0), "Greatest speed of a tip under them."),
    live(
        "moveit_servo.scale.rotational",
        Double(0.8),
        "rad/s",
        Range(0.0, 100.0),
        "Greatest angular speed of a tip under them.",
    ),
    live(
        "moveit_servo.scale.joint",
        Double(0.5),
        "rad/s",
        Range(0.0, 100.0),
        "Velocity of a joint (m/s for prismatic joints) under a unitless command of 1.",
    ),
    live(
        "join_targets",
        Double(0.1),
        "s",
        Range(0.0, 3600.0),
        "With several tips: how long the last target of a tip is solved together with new targets of the other tips.",
    ),
    at_start(
        "command_joints",
        NoTexts,
        Any,
        "Joints whose positions ~/joint_commands publishes, in this order. Empty: the topic does not exist.",
    ),
    at_start(
        "interactive_target",
        Bool(true),
        Any,
        "Whether the node serves a handle for each tip link, which a person drags in RViz. Where command_joints is set, the default is false.",
    ),
    live(
        "initial_posture",
        Text(""),
        "",
        Any,
        "Joint positions at the start and after a reset: YAML, joint: position, or the path of such a file. Joints that are not named are at 0, or in the middle of their range where 0 is outside.",
    ),
    live(
        "posture",
        Text(""),
        "",
        Any,
        "Joint positions that the null-space task moves towards, as far as the target leaves the joints free; under targets of topics no faster than the velocity limits of the joints. The format is that of initial_posture. Empty: none.",
    ),
    live(
        "null_space.posture",
        Double(1.0),
        "",
        Range(0.0, 1000.0),
        "Null-space task: weight of half the squared distance of the joints from posture, where that is set.",
    ),
    live(
        "null_space.limits",
        Double(0.0),
        "",
        Range(0.0, 1000.0),
        "Null-space task: weight of half the squared distance of the joints from the middle of their ranges, divided by half the range.",
    ),
    live(
        "null_space.manipulability",
        Double(0.0),
        "",
        Range(0.0, 1000.0),
        "Null-space task: weight of the logarithm of the manipulability, which the task increases.",
    ),
    live(
        "measured_timeout",
        Double(0.5),
        "s",
        Range(0.0, 3600.0),
        "Greatest age of a measured joint state that is used, from when it came. Also the pause in targets after which the next motion starts from the measured positions. 0: measured joint states are not used.",
    ),
    live(
        "transform_timeout",
        Double(0.1),
        "s",
        Range(0.0, 60.0),
        "How long a target waits for the transform of its frame.",
    ),
    at_start(
        "target_reliability",
        Text("reliable"),
        OneOf(&["reliable", "best_effort"]),
        "Quality of service of the target topics. Publishers with best effort need best_effort.",
    ),
    live(
        "jacobian.method",
        Text("damped"),
        "",
        OneOf(&["damped", "pseudoinverse"]),
        "Damped least squares, or the Moore-Penrose pseudoinverse.",
    ),
    live(
        "jacobian.damping",
        Double(0.0),
        "",
        Range(0.0, 10.0),
        "Damping factor of the method damped. 0: it adapts to the error.",
    ),
    live(
        "fabrik.acceleration",
        Integer(3),
        "",
        Range(0.0, 6.0),
        "Number of earlier cycles that FABRIK's acceleration uses. 0: plain cycles.",
    ),
    live(
        "fabrik.polish",
        Bool(true),
        "",
        Any,
        "Whether Newton steps finish a solution of FABRIK, and lead to the closest pose when the target cannot be met.",
    ),
    at_once(live("use_sim_time", Bool(false), "", Any, "Whether the time comes from the topic /clock.")),
];

/// The parameter `name`; `None` where there is no such parameter.
#[must_use]
pub fn definition(name: &str) -> Option<&'static Definition> {
    TABLE.iter().find(|parameter| parameter.name == name)
}

/// The table as `docs/parameters.md` shows it.
#[must_use]
pub fn markdown() -> String {
    let mut text =
        String::from("| parameter | type | default | bounds | when | meaning |\n|---|---|---|---|---|---|\n");
    for parameter in &TABLE {
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
