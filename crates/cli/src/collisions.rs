//! `urdf_ik collisions`: the smallest distance between links that may collide, and from obstacles, at each given
//! configuration, as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use urdf_ik::collision::{BodyDistances, LinkPoses, MissingShapes, Pairs};

use super::Result;
use super::avoidance::DistanceOut;
use super::fk::positions;
use super::input::{read_json, read_srdf, read_world};
use super::options::ConfigurationArguments;
use super::output::write_line;

#[derive(Args)]
pub struct CollisionsArguments {
    #[command(flatten)]
    input: ConfigurationArguments,
    /// The robot's SRDF, which says what may touch; -: standard input [default: neighbours and what always touches]
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,
    /// Obstacles around the robot, in JSON; -: standard input
    #[arg(long, value_name = "FILE.json")]
    obstacles: Option<PathBuf>,
    /// Where shapes of links could not be loaded: refuse, or ignore them
    #[arg(long, value_name = "WAY", default_value_t = MissingShapes::Refuse)]
    missing_shapes: MissingShapes,
    /// Write the distance of every pair, not of the nearest alone
    #[arg(long)]
    all: bool,
}

/// Prints the distances \[m\] at each configuration as JSON.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &CollisionsArguments, out: &mut impl Write) -> Result {
    let (robot, shapes) = arguments.input.robot.robot_with_shapes(arguments.missing_shapes)?;
    let srdf = read_srdf(arguments.srdf.as_deref(), &robot)?;
    let world = read_world(arguments.obstacles.as_deref())?;
    let samples: Vec<BTreeMap<String, f64>> = read_json(&arguments.input.positions)?;
    let pairs = Pairs::of_robot(&robot, &shapes, srdf.as_ref())?;
    let distances = BodyDistances::new(&robot, &shapes, &pairs, &world)?;
    let bodies = distances.bodies();
    if bodies.is_empty() {
        return Err("no pair of links counts: `urdf_ik info --collisions` shows the shapes and what is left out".into());
    }
    // All input is read before anything is written.
    let places = |sample| Ok(LinkPoses::new(&robot, &positions(&robot, sample)?)?);
    let places: Vec<LinkPoses> = samples.iter().map(places).collect::<Result<_>>()?;
    if arguments.all {
        let of =
            |places| bodies.iter().zip(distances.all(places)).map(|(two, distance)| DistanceOut::new(two, distance));
        return write_line(out, &places.iter().map(|places| of(places).collect()).collect::<Vec<Vec<_>>>());
    }
    let least = |places| distances.least(places).map(|(at, distance)| DistanceOut::new(&bodies[at], distance));
    write_line(out, &places.iter().map(least).collect::<Vec<_>>())
}
