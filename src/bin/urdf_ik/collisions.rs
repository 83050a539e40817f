//! `urdf_ik collisions`: the least distance between links that may collide, at each of some configurations, as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use urdf_ik::collision::{LinkPair, LinkPlaces, LinkShapes, Pairs};
use urdf_ik::robot::Robot;

use super::Failure;
use super::fk::positions;
use super::input::{read_json, read_robot_with_shapes, read_srdf};

#[derive(Args)]
pub struct Arguments {
    /// The robot's URDF; -: standard input
    #[arg(long, value_name = "FILE")]
    urdf: PathBuf,
    /// JSON: a list of {joint: position}; joints that are not named are at 0, mimic joints follow their master
    #[arg(long, value_name = "FILE.json")]
    positions: PathBuf,
    /// The robot's SRDF, which says what may touch; -: standard input [default: neighbours and what always touches]
    #[arg(long, value_name = "FILE")]
    srdf: Option<PathBuf>,
    /// Write the distance of every pair, not of the nearest alone
    #[arg(long)]
    all: bool,
}

/// Two links and the distance between them \[m\].
#[derive(Serialize)]
struct Distance<'a> {
    links: [&'a str; 2],
    distance: f64,
}

pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let (robot, shapes) = read_robot_with_shapes(&arguments.urdf)?;
    let srdf = arguments.srdf.as_deref().map(|path| read_srdf(path, &robot)).transpose()?;
    let samples: Vec<BTreeMap<String, f64>> = read_json(&arguments.positions)?;
    let pairs = Pairs::of_robot(&robot, &shapes, srdf.as_ref())?.counted;
    if pairs.is_empty() {
        return Err(
            format!("no two links of the robot '{}' can collide: none have shapes and move", robot.name()).into()
        );
    }
    write!(out, "[")?;
    for (index, sample) in samples.iter().enumerate() {
        let places = LinkPlaces::new(&robot, &positions(&robot, sample)?)?;
        write!(out, "{}", if index == 0 { "" } else { ",\n" })?;
        if arguments.all {
            let distance = |&pair: &LinkPair| named(&robot, pair, shapes.distance(&places, pair));
            serde_json::to_writer(&mut *out, &pairs.iter().map(distance).collect::<Vec<_>>())?;
        } else {
            serde_json::to_writer(&mut *out, &least(&robot, &shapes, &places, &pairs))?;
        }
    }
    writeln!(out, "]")?;
    Ok(())
}

fn least<'a>(robot: &'a Robot, shapes: &LinkShapes, places: &LinkPlaces, pairs: &[LinkPair]) -> Option<Distance<'a>> {
    shapes.least_distance(places, pairs).map(|(pair, distance)| named(robot, pair, distance))
}

fn named(robot: &Robot, pair: LinkPair, distance: f64) -> Distance<'_> {
    Distance { links: pair.0.map(|link| robot.links()[link].name.as_str()), distance }
}
