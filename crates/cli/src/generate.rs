//! `urdf_ik generate`: the URDF of a noodle.

use std::io::Write;

use clap::{Args, ValueEnum};
use urdf_ik::robot::{Noodle, NoodleJoints};

use super::Result;
use super::output::AnswerOutput;

#[derive(Args)]
pub struct GenerateArguments {
    /// Number of segments, and of joints
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    segments: usize,
    /// Kind of the joints
    #[arg(long, value_enum, default_value = "alternating")]
    joints: JointLayout,
    /// Length of all segments together [m]
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    length: f64,
    /// Radius [m] [default: a fiftieth of the length]
    #[arg(long, allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Limit of each joint in both directions [rad] [default: no limit]
    #[arg(long, allow_negative_numbers = true)]
    limit: Option<f64>,
    /// Name of the robot
    #[arg(long, default_value = "noodle")]
    name: String,
    /// Write the URDF to this file; -: standard output
    #[arg(long, value_name = "FILE", value_parser = AnswerOutput::any, default_value = "-")]
    output: AnswerOutput,
}

#[derive(Clone, Copy, ValueEnum)]
enum JointLayout {
    /// Revolute joints about x and y in turn
    Alternating,
    /// Ball joints: three revolute joints in one point, about x, y and z
    Ball,
}

/// Writes the URDF of a noodle.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &GenerateArguments, out: &mut impl Write) -> Result {
    let noodle = Noodle {
        name: arguments.name.clone(),
        joints: match arguments.joints {
            JointLayout::Alternating => NoodleJoints::Alternating,
            JointLayout::Ball => NoodleJoints::Ball,
        },
        segments: arguments.segments,
        length: arguments.length,
        radius: arguments.radius,
        limit: arguments.limit,
    };
    let urdf = noodle.urdf()?;
    arguments.output.write(&urdf, out)
}
