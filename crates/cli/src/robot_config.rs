//! `urdf_ik robot-config`: the node's parameter file for a real arm, as YAML.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use nalgebra::Isometry3;
use serde_json::{Map, json};
use urdf_ik::motion::{JointLimit, MotionLimits};
use urdf_ik::parameters::{Settings, Value};
use urdf_ik::robot::{Chain, Robot};

use super::Result;
use super::fk::PoseJson;
use super::input::{RobotFile, is_standard_input, place, read_joint_limits};
use super::options::RobotArguments;
use super::output::AnswerOutput;

const HEAD: &str = "\
# Parameters of urdf_ik_node for a real arm, by `urdf_ik robot-config`; docs/robots.md has the setup.
#   urdf_ik_node --ros-args --params-file FILE -r /urdf_ik/measured_joint_states:=/joint_states \\
#     -r /urdf_ik/joint_commands:=/forward_position_controller/commands
/**:
  ros__parameters:
";

/// Column of the comments.
const COMMENT_COLUMN: usize = 34;

#[derive(Args)]
pub struct RobotConfigArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Rate of the commands [Hz]: the update_rate of the controller_manager
    #[arg(long, value_name = "HZ", default_value_t = 100.0, allow_negative_numbers = true)]
    publish_rate: f64,
    /// Limits of velocity, acceleration and jerk that are known: a joint_limits.yaml in MoveIt's format
    #[arg(long, value_name = "FILE.yaml")]
    joint_limits: Option<PathBuf>,
    /// Write the parameters to this file; -: standard output
    #[arg(long, value_name = "FILE", value_parser = AnswerOutput::any, default_value = "-")]
    output: AnswerOutput,
}

/// Writes the node's parameter file as YAML.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &RobotConfigArguments, out: &mut impl Write) -> Result {
    let RobotConfigArguments { robot: of_robot, publish_rate, joint_limits, output } = arguments;
    Settings::publish_rate().check(Value::Double(*publish_rate)).map_err(|e| format!("--publish-rate: {e}"))?;
    let robot = of_robot.file.robot()?;
    if !of_robot.has_chain(&robot) {
        let leaves = of_robot.default_tips(&robot).join(", ");
        return Err(format!("name the tip link with --tip; the leaf links are: {leaves}").into());
    }
    let chain = of_robot.chain(&robot)?;
    let limits = MotionLimits::new(&robot, &chain, &read_joint_limits(joint_limits.as_deref(), &robot)?);
    let mut yaml = CommentedYaml(HEAD.to_owned());
    yaml.add_robot(&of_robot.file, &chain)?;
    yaml.add(4, "motion: smooth", "every motion within joint_limits; immediate targets jump");
    yaml.add(4, &format!("publish_rate: {publish_rate:?}"), "[Hz] the update_rate of the controller_manager");
    yaml.add(4, "branch_jumps: false", "only motions on the present branch of solutions");
    yaml.add(4, "command_joints:", "in the order of the controller");
    for variable in chain.variables() {
        yaml.add(6, &format!("- {}", json!(variable.name)), "");
    }
    yaml.add_limits(&robot, &chain, &limits);
    if let Some(file) = output.replaces() {
        eprintln!("urdf_ik: {} was there, and is replaced", file.display());
    }
    output.write(&yaml.0, out)
}

/// A YAML text with aligned comments.
struct CommentedYaml(String);

impl CommentedYaml {
    /// Adds a line with a comment, which may be empty.
    fn add(&mut self, indent: usize, content: &str, comment: &str) {
        let line = format!("{:indent$}{content}", "");
        let column = COMMENT_COLUMN.max(line.chars().count() + 2);
        let line = if comment.is_empty() { line } else { format!("{line:column$}# {comment}") };
        self.0.extend([&line, "\n"]);
    }

    /// Adds the robot and its chain.
    fn add_robot(&mut self, file: &RobotFile, chain: &Chain) -> Result {
        if is_standard_input(&file.path) {
            self.add(4, "# urdf_file: /path/to/robot.urdf", "else the topic robot_description has the robot");
        } else {
            let path = std::path::absolute(&file.path)?;
            let path = path.to_str().ok_or_else(|| format!("{}: the path is not UTF-8; rename it", place(&path)))?;
            self.add(4, &format!("urdf_file: {}", json!(path)), "the robot");
        }
        self.add(4, &format!("base_link: {}", json!(chain.base())), "targets without a frame are relative to it");
        self.add(4, &format!("tip_links: {}", json!(chain.tip_names())), "the links that reach the targets");
        let tools = chain.tips().iter().zip(chain.tools()).filter(|(_, tool)| *tool != Isometry3::identity());
        let tools: Map<_, _> = tools.map(|(tip, tool)| (tip.link.clone(), json!(PoseJson::from(&tool)))).collect();
        if !tools.is_empty() {
            self.add(4, &format!("tool: {}", json!(json!(tools).to_string())), "[m] the tools on the tip links");
        }
        if file.soft_limits {
            self.add(4, "soft_limits: true", "keep to the soft limits of <safety_controller> as well");
        }
        Ok(())
    }

    /// Adds the limits of each joint with their sources. `known` has the limits of the URDF and of a joint_limits.yaml.
    fn add_limits(&mut self, robot: &Robot, chain: &Chain, known: &MotionLimits) {
        let used = known.clone().or(&JointLimit::DEFAULT);
        self.add(4, "joint_limits: |", "derived limits: where the manufacturer has lower ones, write these");
        self.add(6, "joint_limits:", "");
        for (i, variable) in chain.variables().iter().enumerate() {
            let unit = if variable.prismatic { "m" } else { "rad" };
            let of_urdf = robot.joints()[variable.joint].velocity;
            let velocity = match known.velocities[i] {
                f64::INFINITY => "default, because no limit is known",
                limit if limit.total_cmp(&of_urdf).is_eq() => "of the URDF",
                _ => "of --joint-limits",
            };
            let source = |known: f64, derived| if known == f64::INFINITY { derived } else { "of --joint-limits" };
            self.add(8, &format!("{}:", json!(variable.name)), "");
            for (what, limit, per, source) in [
                ("velocity", used.velocities[i], "s", velocity),
                ("acceleration", used.accelerations[i], "s²", source(known.accelerations[i], "full velocity in 0.2 s")),
                ("jerk", used.jerks[i], "s³", source(known.jerks[i], "full acceleration in 10 ms")),
            ] {
                self.add(10, &format!("has_{what}_limits: true"), "");
                self.add(10, &format!("max_{what}: {:?}", rounded(limit)), &format!("[{unit}/{per}] {source}"));
            }
        }
    }
}

/// The number with six significant digits.
fn rounded(limit: f64) -> f64 {
    format!("{limit:.5e}").parse().unwrap_or(limit)
}
