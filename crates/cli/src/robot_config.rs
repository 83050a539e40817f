//! `urdf_ik robot-config`: the node's parameter file for a real arm, as YAML.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use urdf_ik::motion::{JointLimit, MotionLimits};
use urdf_ik::parameters::{Settings, Value};
use urdf_ik::robot::{Chain, Robot};

use super::Result;
use super::input::{is_standard_input, place, read_joint_limits};
use super::options::RobotArguments;
use super::output::Output;

const START: &str = "\
#   urdf_ik_node --ros-args --params-file FILE -r /urdf_ik/measured_joint_states:=/joint_states \\
#     -r /urdf_ik/joint_commands:=/forward_position_controller/commands
/**:
  ros__parameters:
";

/// Where comments begin.
const COMMENT_COLUMN: usize = 34;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Rate of the commands [Hz]: the update_rate of the controller_manager
    #[arg(long, value_name = "HZ", default_value_t = 100.0, allow_negative_numbers = true)]
    publish_rate: f64,
    /// Limits of velocity, acceleration and jerk that are known: a joint_limits.yaml in MoveIt's format
    #[arg(long, value_name = "FILE.yaml")]
    joint_limits: Option<PathBuf>,
    /// Write the parameters to this file; -: standard output
    #[arg(long, value_name = "FILE", value_parser = Output::any, default_value = "-")]
    output: Output,
}

pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result {
    let Arguments { robot: of_robot, publish_rate, joint_limits, output } = arguments;
    Settings::publish_rate().check(Value::Double(*publish_rate)).map_err(|e| format!("--publish-rate: {e}"))?;
    let robot = of_robot.file.robot()?;
    if !of_robot.has_chain(&robot) {
        let leaves = of_robot.default_tips(&robot).join(", ");
        return Err(format!("name the tip link with --tip; the leaf links are: {leaves}").into());
    }
    let chain = of_robot.chain(&robot)?;
    let limits = MotionLimits::new(&robot, &chain, &read_joint_limits(joint_limits.as_deref(), &robot)?);
    let file = &of_robot.file;
    let mut yaml =
        format!("# Parameters of urdf_ik_node for a real arm, by `urdf_ik robot-config`; docs/robots.md.\n{START}");
    yaml += &robot_lines(&file.path, file.soft_limits, &chain)?;
    yaml += &line(4, "motion: smooth", "every motion within joint_limits; immediate targets jump");
    yaml += &line(4, &format!("publish_rate: {publish_rate:?}"), "[Hz] the update_rate of the controller_manager");
    yaml += &line(4, "branch_jumps: false", "only motions on the present branch of solutions");
    yaml += &line(4, "command_joints:", "in the order of the controller");
    for variable in chain.variables() {
        writeln!(yaml, "      - {}", json!(variable.name))?;
    }
    yaml += &limit_lines(&robot, &chain, &limits);
    if let Some(file) = output.replaces() {
        eprintln!("urdf_ik: {} was there, and is replaced", file.display());
    }
    output.write(&yaml, out)
}

/// The robot and its chain.
fn robot_lines(path: &Path, soft_limits: bool, chain: &Chain) -> Result<String> {
    let mut lines = if is_standard_input(path) {
        line(4, "# urdf_file: /path/to/robot.urdf", "else the topic robot_description has the robot")
    } else {
        let path = std::path::absolute(path)?;
        let path = path.to_str().ok_or_else(|| format!("{}: the path is not UTF-8; rename it", place(&path)))?;
        line(4, &format!("urdf_file: {}", json!(path)), "the robot")
    };
    lines += &line(4, &format!("base_link: {}", json!(chain.base())), "targets without a frame are relative to it");
    lines += &line(4, &format!("tip_links: {}", json!(chain.tip_names())), "the links that reach the targets");
    let tools = chain.tips().iter().zip(chain.tools()).filter(|(_, tool)| *tool != nalgebra::Isometry3::identity());
    let tools: serde_json::Map<_, _> = tools
        .map(|(tip, tool)| {
            let pose = json!({"p": tool.translation.vector.as_slice(), "q_xyzw": tool.rotation.coords.as_slice()});
            (tip.link.clone(), pose)
        })
        .collect();
    if !tools.is_empty() {
        lines += &line(4, &format!("tool: {}", json!(json!(tools).to_string())), "[m] the tools on the tip links");
    }
    if soft_limits {
        lines += &line(4, "soft_limits: true", "keep to the soft limits of <safety_controller> as well");
    }
    Ok(lines)
}

/// The limits of each joint as they are used, and where each comes from. `known` has those of the URDF and of a joint_limits.yaml.
fn limit_lines(robot: &Robot, chain: &Chain, known: &MotionLimits) -> String {
    let used = known.clone().or(&JointLimit::DEFAULT);
    let mut lines =
        line(4, "joint_limits: |", "replace derived limits by those of the manufacturer, where these are lower")
            + "      joint_limits:\n";
    for (i, variable) in chain.variables().iter().enumerate() {
        let unit = if variable.prismatic { "m" } else { "rad" };
        let of_urdf = robot.joints()[variable.joint].velocity;
        let velocity = match known.velocities[i] {
            f64::INFINITY => "default, because no limit is known",
            limit if limit.total_cmp(&of_urdf).is_eq() => "of the URDF",
            _ => "of --joint-limits",
        };
        let derived = |known: f64, words| if known == f64::INFINITY { words } else { "of --joint-limits" };
        lines += &format!("        {}:\n", json!(variable.name));
        for (what, limit, per, source) in [
            ("velocity", used.velocities[i], "s", velocity),
            ("acceleration", used.accelerations[i], "s²", derived(known.accelerations[i], "full velocity in 0.2 s")),
            ("jerk", used.jerks[i], "s³", derived(known.jerks[i], "full acceleration in 10 ms")),
        ] {
            lines += &format!("          has_{what}_limits: true\n");
            lines += &line(10, &format!("max_{what}: {:?}", rounded(limit)), &format!("[{unit}/{per}] {source}"));
        }
    }
    lines
}

/// A line of YAML with a comment.
fn line(indent: usize, content: &str, comment: &str) -> String {
    format!("{:indent$}{content:<width$}  # {comment}\n", "", width = COMMENT_COLUMN.saturating_sub(indent))
}

/// The number with six digits, for people.
fn rounded(limit: f64) -> f64 {
    format!("{limit:.5e}").parse().unwrap_or(limit)
}
