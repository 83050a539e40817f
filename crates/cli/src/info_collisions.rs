//! `urdf_ik info --collisions`: the shapes of a robot's links, and the pairs of links that may collide, as text.

use std::io::Write;
use std::path::Path;

use urdf_ik::collision::{LinkPair, LinkPlaces, LinkShapes, Pairs};
use urdf_ik::robot::Robot;

use super::Result;
use super::input::{read_robot_with_shapes, read_srdf};
use super::options::RobotArguments;

pub fn run(arguments: &RobotArguments, srdf: Option<&Path>, out: &mut impl Write) -> Result {
    let (robot, shapes) = read_robot_with_shapes(&arguments.urdf)?;
    let srdf = srdf.map(|path| read_srdf(path, &robot)).transpose()?;
    shapes_of_links(&robot, &shapes, out)?;
    let (pairs, mover) = if arguments.has_chain(&robot) {
        let chain = arguments.chain(&robot)?;
        let mover = format!("the chain from {} to {}", chain.base(), chain.tip_names().join(", "));
        (Pairs::of_chain(&robot, &chain, &shapes, srdf.as_ref())?, mover)
    } else {
        (Pairs::of_robot(&robot, &shapes, srdf.as_ref())?, "the robot".to_owned())
    };
    writeln!(out)?;
    writeln!(out, "pairs that count, of links that {mover} moves against each other: {}", pairs.counted.len())?;
    for pair in &pairs.counted {
        writeln!(out, "  {}", names(&robot, *pair))?;
    }
    writeln!(out)?;
    writeln!(out, "pairs that are left out: {}", pairs.left_out.len())?;
    for (pair, reason) in &pairs.left_out {
        writeln!(out, "  {}: {reason}", names(&robot, *pair))?;
    }
    writeln!(out)?;
    in_the_middle(&robot, &shapes, &pairs, out)
}

fn shapes_of_links(robot: &Robot, shapes: &LinkShapes, out: &mut impl Write) -> Result {
    writeln!(out, "robot {}: {} of {} links have shapes", robot.name(), shapes.links().count(), robot.links().len())?;
    for link in shapes.links() {
        for shape in shapes.of_link(link) {
            writeln!(out, "  {}: {}", robot.links()[link].name, shape.geometry)?;
        }
    }
    for fault in shapes.faults() {
        writeln!(out, "  missing: {fault}")?;
    }
    Ok(())
}

/// What touches with all joints in the middle of their range: a sign of shapes that overlap, or of an SRDF that lacks a pair.
fn in_the_middle(robot: &Robot, shapes: &LinkShapes, pairs: &Pairs, out: &mut impl Write) -> Result {
    let middle = |joint: usize| robot.working_range(joint).unwrap_or(robot.joints()[joint].domain).middle();
    let mut positions: Vec<f64> = (0..robot.joints().len()).map(middle).collect();
    robot.apply_mimic(&mut positions);
    let places = LinkPlaces::new(robot, &positions)?;
    let touching: Vec<_> = pairs.counted.iter().filter(|&&pair| shapes.distance(&places, pair) <= 0.0).collect();
    if touching.is_empty() {
        writeln!(out, "with all joints in the middle nothing touches")?;
    } else {
        writeln!(out, "with all joints in the middle these touch:")?;
    }
    for pair in touching {
        writeln!(out, "  {}", names(robot, *pair))?;
    }
    Ok(())
}

fn names(robot: &Robot, pair: LinkPair) -> String {
    pair.0.map(|link| robot.links()[link].name.as_str()).join(" - ")
}
