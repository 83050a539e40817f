//! `urdf_ik collisions`: the least distance between links that may collide, at each of some configurations, as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use urdf_ik::collision::{LinkPair, LinkPlaces, Pairs};
use urdf_ik::robot::Robot;

use super::Failure;
use super::fk::positions;
use super::input::{read_json, read_robot_with_shapes, read_srdf};
use super::options::ConfigurationArguments;

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    input: ConfigurationArguments,
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
    let (robot, shapes) = read_robot_with_shapes(&arguments.input.urdf)?;
    let srdf = arguments.srdf.as_deref().map(|path| read_srdf(path, &robot)).transpose()?;
    let samples: Vec<BTreeMap<String, f64>> = read_json(&arguments.input.positions)?;
    let pairs = Pairs::of_robot(&robot, &shapes, srdf.as_ref())?.counted;
    if pairs.is_empty() {
        return Err("no pair of links counts: `urdf_ik info --collisions` shows the shapes and what is left out".into());
    }
    // All of the input is read before anything is written.
    let places = |sample| Ok(LinkPlaces::new(&robot, &positions(&robot, sample)?)?);
    let places: Vec<LinkPlaces> = samples.iter().map(places).collect::<Result<_, Failure>>()?;
    let named = |(pair, distance): (LinkPair, f64)| Distance { links: names(&robot, pair), distance };
    if arguments.all {
        let of = |places, &pair: &LinkPair| named((pair, shapes.distance(places, pair)));
        let all = places.iter().map(|places| pairs.iter().map(|pair| of(places, pair)).collect::<Vec<_>>());
        serde_json::to_writer(&mut *out, &all.collect::<Vec<_>>())?;
    } else {
        let least = places.iter().map(|places| shapes.least_distance(places, &pairs).map(named));
        serde_json::to_writer(&mut *out, &least.collect::<Vec<_>>())?;
    }
    writeln!(out)?;
    Ok(())
}

fn names(robot: &Robot, pair: LinkPair) -> [&str; 2] {
    pair.0.map(|link| robot.links()[link].name.as_str())
}
