//! The table itself.

use std::fmt::Write;

use super::value::Value;
use crate::solver::AXIS_NAMES;
use Bounds::{Any, OneOf, Range};
use DefaultValue::{Bool, Double, Integer, NoTexts, Text};

/// A parameter's default, which also fixes its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// `bool`
    Bool(bool),
    /// `integer`
    Integer(i64),
    /// `double`
    Double(f64),
    /// `string`
    Text(&'static str),
    /// `string_array`, empty
    NoTexts,
}

/// What a parameter's value must satisfy beyond its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bounds {
    /// Nothing.
    Any,
    /// A number between both, included.
    Range(f64, f64),
    /// One of these words; of a list, each.
    OneOf(&'static [&'static str]),
}

/// One parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Definition {
    /// Name, nested by dots.
    pub name: &'static str,
    /// Default and type.
    pub default: DefaultValue,
    /// Unit, or nothing.
    pub unit: &'static str,
    /// What a value must satisfy.
    pub bounds: Bounds,
    /// Whether it can be set while the node runs; a change takes effect with the next target.
    pub live: bool,
    /// What it does.
    pub sentence: &'static str,
}

impl Definition {
    /// The default as a value.
    #[must_use]
    pub fn default_value(&self) -> Value {
        match self.default {
            Bool(value) => Value::Bool(value),
            Integer(value) => Value::Integer(value),
            Double(value) => Value::Double(value),
            Text(value) => Value::Text(value.to_owned()),
            NoTexts => Value::Texts(Vec::new()),
        }
    }

    /// What stands before the bounds in a sentence: `from`, `one of` or `some of`.
    #[must_use]
    pub fn bounds_kind(&self) -> &'static str {
        match (self.bounds, self.default) {
            (OneOf(_), NoTexts) => "some of",
            (OneOf(_), _) => "one of",
            _ => "from",
        }
    }

    /// The bounds as they are told to a person.
    #[must_use]
    pub fn bounds_text(&self) -> String {
        match self.bounds {
            Any => String::new(),
            Range(least, greatest) => format!("{least} to {greatest}"),
            OneOf(words) => words.join(", "),
        }
    }
}

/// A parameter that can be set while the node runs.
const fn live(
    name: &'static str,
    default: DefaultValue,
    unit: &'static str,
    bounds: Bounds,
    sentence: &'static str,
) -> Definition {
    Definition { name, default, unit, bounds, live: true, sentence }
}

/// A parameter that is read once.
const fn at_start(name: &'static str, default: DefaultValue, bounds: Bounds, sentence: &'static str) -> Definition {
    Definition { name, default, unit: "", bounds, live: false, sentence }
}

/// Every parameter of the node, in the order in which people look for them.
pub static TABLE: [Definition; 45] = [
    live(
        "robot_description",
        Text(""),
        "",
        Any,
        "The URDF itself. Goes before urdf_file and the topic robot_description.",
    ),
    at_start("urdf_file", Text(""), Any, "Path of the URDF. Goes before the topic robot_description."),
    at_start("base_link", Text(""), Any, "Base link of the chain. Empty: the robot's root link."),
    at_start("tip_links", NoTexts, Any, "Tip links of the chain. Empty: the robot's only leaf link."),
    at_start("frame_prefix", Text(""), Any, "What stands before the robot's link names in frame names, such as left/."),
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
        "Axes of the tip link's frame that targets need not match: shifts along x, y, z, turns rx, ry, rz about them. For arms that cannot follow all six. Queries that name free axes go by those.",
    ),
    live(
        "timeout",
        Double(0.05),
        "s",
        Range(1e-4, 60.0),
        "Time that one search may take at most. A guard: attempts are the budget.",
    ),
    live("attempts", Integer(100), "", Range(1.0, 1e6), "Starting points that one search may use at most."),
    live(
        "random_seed",
        Integer(0),
        "",
        Range(0.0, 9e15),
        "Shifts the later starting points of a search. The same seed gives the same answers.",
    ),
    live(
        "pick",
        Text("first"),
        "",
        OneOf(&["first", "nearest", "most_manipulable"]),
        "Which of several solutions a search gives: the one found first, the one whose largest joint move from the seed is smallest, or the one with the greatest manipulability. All but first use up the attempts.",
    ),
    live(
        "cores",
        Integer(1),
        "",
        Range(1.0, 256.0),
        "Cores that one service query may use; topics use one. More than one pays for hard problems and for the picks nearest and most_manipulable with many attempts.",
    ),
    live(
        "batch_cores",
        Integer(0),
        "",
        Range(0.0, 256.0),
        "Cores that solve_ik_batch may use, at low priority. 0: all but one, which is left to the topics.",
    ),
    live(
        "on_unreachable",
        Text("closest"),
        "",
        OneOf(&["closest", "hold"]),
        "What a target that cannot be met does: move to the nearest reachable pose, or stay.",
    ),
    live(
        "branch_jumps",
        Bool(true),
        "",
        Any,
        "Whether a topic target that the arm cannot track to from where it is may be met in another posture.",
    ),
    live(
        "publish_rate",
        Double(50.0),
        "Hz",
        Range(0.1, 1000.0),
        "How often the joint state is published again: the rate of smooth motion and of the steps that max_joint_step bounds.",
    ),
    live(
        "motion",
        Text("immediate"),
        "",
        OneOf(&["immediate", "smooth"]),
        "How the arm goes to a target: immediate publishes each solution at once; smooth goes there within the limits of velocity, acceleration and jerk, and a newer target takes over from the motion under way.",
    ),
    live(
        "joint_limits",
        Text(""),
        "",
        Any,
        "Limits of velocity, acceleration and jerk for smooth motion and paths: YAML in the format of MoveIt's joint_limits.yaml, or the path of such a file. Of these and the URDF's the lower counts.",
    ),
    live(
        "default_velocity",
        Double(1.0),
        "rad/s",
        Range(1e-3, 100.0),
        "Velocity limit (m/s for prismatic joints) where neither joint_limits nor the URDF has one.",
    ),
    live(
        "default_acceleration",
        Double(5.0),
        "rad/s²",
        Range(1e-3, 1000.0),
        "Acceleration limit (m/s² for prismatic joints) where joint_limits has none.",
    ),
    live(
        "default_jerk",
        Double(50.0),
        "rad/s³",
        Range(1e-2, 1e5),
        "Jerk limit (m/s³ for prismatic joints) of smooth motion where joint_limits has none.",
    ),
    live(
        "max_joint_step",
        Double(0.0),
        "rad",
        Range(0.0, 6.3),
        "Greatest step of a joint (m for prismatic ones) in one period of publish_rate on the way to a target where motion is immediate; a reset goes at once. 0: no bound.",
    ),
    live(
        "path.speed",
        Double(0.1),
        "m/s",
        Range(1e-4, 10.0),
        "Speed along a Cartesian path at most; slower where a joint's limits ask for it.",
    ),
    live("path.acceleration", Double(0.5), "m/s²", Range(1e-3, 100.0), "Acceleration along a path at most."),
    live(
        "path.blend_radius",
        Double(0.0),
        "m",
        Range(0.0, 10.0),
        "Path length before and after a pose of a path over which its corner is rounded. 0: the tip stops at corners.",
    ),
    live(
        "path.position_deviation",
        Double(1e-4),
        "m",
        Range(1e-7, 0.1),
        "How far the tip may stray from a path between the points that are solved.",
    ),
    live("path.orientation_deviation", Double(1e-3), "rad", Range(1e-6, 1.0), "The same for its orientation."),
    live(
        "path.partial",
        Bool(false),
        "",
        Any,
        "Whether a path of ~/target_path that cannot be followed to its end is gone as far as it can be. false: the arm stays.",
    ),
    live(
        "join_targets",
        Double(0.1),
        "s",
        Range(0.0, 3600.0),
        "With several tips: how long a target counts along when targets of other tips are solved.",
    ),
    at_start(
        "command_joints",
        NoTexts,
        Any,
        "Joints whose positions ~/joint_commands publishes, in this order. Empty: it is not published.",
    ),
    live(
        "initial_posture",
        Text(""),
        "",
        Any,
        "Where the robot stands at first and after a reset: YAML, joint: position, or the path of such a file. Joints not named stand at 0, or in the middle of their range where 0 is outside.",
    ),
    live(
        "posture",
        Text(""),
        "",
        Any,
        "Where the joints go as far as the target leaves them free: a posture as in initial_posture. Empty: nowhere.",
    ),
    live(
        "null_space.posture",
        Double(1.0),
        "",
        Range(0.0, 1000.0),
        "For motions that leave the target in place: weight of half the squared distance of the joints from posture, where that is set.",
    ),
    live(
        "null_space.limits",
        Double(0.0),
        "",
        Range(0.0, 1000.0),
        "For the same motions: weight of half the squared distance of the joints from the middle of their ranges, over half the range.",
    ),
    live(
        "null_space.manipulability",
        Double(0.0),
        "",
        Range(0.0, 1000.0),
        "For the same motions: weight of the logarithm of the manipulability, which is to grow.",
    ),
    live(
        "measured_timeout",
        Double(0.5),
        "s",
        Range(0.0, 3600.0),
        "Age up to which measured joint states count, and the pause in targets after which they do.",
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
        "Quality of service of the target topics; best_effort for publishers that are.",
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
        "Damping factor of the method damped. 0: adapted to the error.",
    ),
    live(
        "fabrik.acceleration",
        Integer(3),
        "",
        Range(0.0, 6.0),
        "Earlier cycles that FABRIK's acceleration goes by. 0: plain cycles.",
    ),
    live(
        "fabrik.polish",
        Bool(true),
        "",
        Any,
        "Whether Newton steps finish what FABRIK has brought near, and lead to the nearest pose where the target cannot be met.",
    ),
    live("use_sim_time", Bool(false), "", Any, "Take the time from the topic clock."),
];

/// The table as `docs/parameters.md` shows it.
#[must_use]
pub fn markdown() -> String {
    let mut text =
        String::from("| parameter | type | default | bounds | when | meaning |\n|---|---|---|---|---|---|\n");
    for parameter in &TABLE {
        let value = parameter.default_value();
        let unit = if parameter.unit.is_empty() { String::new() } else { format!(" \\[{}\\]", parameter.unit) };
        let when = if parameter.live { "live" } else { "start" };
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
mod tests {
    use super::*;
    use crate::solver::{Pick, SolverKind};

    #[test]
    fn defaults_are_within_their_bounds_and_names_are_unique() {
        for (index, parameter) in TABLE.iter().enumerate() {
            assert_eq!(parameter.check(parameter.default_value()), Ok(parameter.default_value()), "{}", parameter.name);
            assert!(TABLE[..index].iter().all(|other| other.name != parameter.name), "{}", parameter.name);
        }
    }

    #[test]
    fn every_solver_can_be_chosen() {
        let solver = TABLE.iter().find(|parameter| parameter.name == "solver").unwrap();
        let OneOf(words) = solver.bounds else { panic!("solver should be one of some words") };
        assert_eq!(words, SolverKind::ALL.map(SolverKind::name));
    }

    #[test]
    fn every_pick_can_be_chosen() {
        let pick = TABLE.iter().find(|parameter| parameter.name == "pick").unwrap();
        let OneOf(words) = pick.bounds else { panic!("pick should be one of some words") };
        assert_eq!(words, Pick::ALL.map(Pick::name));
    }

    /// `UPDATE_DOCS=1 cargo test --lib parameters` writes the table instead of comparing it.
    #[test]
    fn the_documentation_shows_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/parameters.md");
        let document = std::fs::read_to_string(path).unwrap();
        let (before, rest) = document.split_once("<!-- parameters: begin -->\n").unwrap();
        let (shown, _) = rest.split_once("<!-- parameters: end -->").unwrap();
        if std::env::var("UPDATE_DOCS").is_ok_and(|value| value == "1") {
            let after = &rest[shown.len()..];
            std::fs::write(path, format!("{before}<!-- parameters: begin -->\n{}{after}", markdown())).unwrap();
        } else {
            assert!(
                shown == markdown(),
                "docs/parameters.md should hold this table (UPDATE_DOCS=1 writes it):\n{}",
                markdown()
            );
        }
    }
}
