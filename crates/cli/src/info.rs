//! `urdf_ik info`: a robot and its chain, or its collision geometry, as text.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use urdf_ik::collision::{LinkPair, LinkPoses, LinkShapes, MissingShapes, Pairs};
use urdf_ik::robot::{Chain, Domain, Robot, Variable};
use urdf_ik::solver::closed_form::ClosedForm;
use urdf_ik::solver::{Method, NotApplicable, Solver, TipReach, free_axes_in_words, names_of_free_axes};

use super::Result;
use super::info_limits::{LimitSources, range};
use super::input::{read_joint_limits, read_srdf};
use super::options::RobotArguments;

/// Greatest indentation: deeper lines of a long arm would be mostly spaces.
const MAX_INDENTED_DEPTH: usize = 40;

#[derive(Args)]
pub struct InfoArguments {
    #[command(flatten)]
    robot: RobotArguments,
    /// Limits of velocity, acceleration and jerk to show as well: a joint_limits.yaml in MoveIt's format
    #[arg(long, value_name = "FILE.yaml", conflicts_with = "collisions")]
    joint_limits: Option<PathBuf>,
    /// Show the collision geometry instead: the shapes of the links, and the pairs of links that may collide
    #[arg(long)]
    collisions: bool,
    /// The robot's SRDF, which says what may touch; -: standard input [default: neighbours and what always touches]
    #[arg(long, value_name = "FILE", requires = "collisions")]
    srdf: Option<PathBuf>,
}

/// Prints the description of a robot.
///
/// # Errors
/// A message if an argument or a file is invalid, or the answer cannot be written.
pub fn run(arguments: &InfoArguments, out: &mut impl Write) -> Result {
    let InfoArguments { robot: arguments, joint_limits, collisions, srdf } = arguments;
    if *collisions {
        return collision_geometry(arguments, srdf.as_deref(), out);
    }
    let (robot, urdf) = arguments.file.robot_and_text()?;
    let limits = LimitSources::new(&urdf, read_joint_limits(joint_limits.as_deref(), &robot)?)?;
    let (name, links, joints, movable) =
        (robot.name(), robot.links().len(), robot.joints().len(), robot.movable().count());
    writeln!(out, "robot {name}: {links} links, {joints} joints, {movable} movable\n")?;
    tree(&robot, &limits, out)?;
    writeln!(out)?;
    if let Some(sentence) = robot.followers_beyond_limits() {
        writeln!(out, "{sentence}\n")?;
    }
    if !arguments.has_chain(&robot) {
        let leaves = arguments.default_tips(&robot).join(", ");
        writeln!(out, "no chain: name the tip link with --tip; the leaf links are: {leaves}")?;
        return Ok(());
    }
    let chain = arguments.chain(&robot)?;
    chain_of(&robot, &Arc::new(chain), out)
}

/// Writes the links, each below its parent, with the joint between them.
fn tree(robot: &Robot, limits: &LimitSources, out: &mut impl Write) -> Result {
    let mut children = vec![Vec::new(); robot.links().len()];
    for joint in robot.joints().iter().rev() {
        children[joint.parent].push(joint.child);
    }
    let mut open = vec![(robot.root(), 0)];
    while let Some((link, depth)) = open.pop() {
        let link_name = &robot.links()[link].name;
        let joint = robot.links()[link].parent_joint.map(|index| {
            let joint = &robot.joints()[index];
            format!("  [{} {}{}]", joint.kind.name(), joint.name, limits.of_joint(robot, index))
        });
        let indent = "  ".repeat(depth.min(MAX_INDENTED_DEPTH));
        writeln!(out, "{indent}{link_name}{}", joint.unwrap_or_default())?;
        open.extend(children[link].iter().map(|&child| (child, depth + 1)));
    }
    Ok(())
}

/// The search range of a variable whose limits are very far apart.
fn working_range(variable: &Variable, unit: &str) -> String {
    match variable.working_range {
        Domain::Interval { lower, upper } if variable.working_range != variable.domain => {
            format!(", looked for from {lower:.4} to {upper:.4} {unit}")
        }
        _ => String::new(),
    }
}

fn chain_of(robot: &Robot, chain: &Arc<Chain>, out: &mut impl Write) -> Result {
    let (base, variables, joints) = (chain.base(), chain.variables().len(), chain.joints().len());
    writeln!(out, "chain from {base}: {variables} variables, {joints} joints")?;
    let mut followers = vec![Vec::new(); chain.variables().len()];
    for joint in chain.joints().iter().filter(|joint| joint.joint != chain.variables()[joint.variable].joint) {
        followers[joint.variable].push(robot.joints()[joint.joint].name.as_str());
    }
    for (variable, followers) in chain.variables().iter().zip(followers) {
        let unit = if variable.prismatic { "m" } else { "rad" };
        let also = if followers.is_empty() { String::new() } else { format!(", also moves {}", followers.join(", ")) };
        writeln!(out, "  {}  {}{also}{}", variable.name, range(&variable.domain, unit), working_range(variable, unit))?;
    }
    let solver = Solver::prepare(Method::default(), chain)?;
    if solver.reach().iter().any(|reach| reach.extent > 0.0) {
        let scale = solver.length_scale();
        writeln!(out, "length scale {scale:.4} m: a position error of this size counts as much as 1 rad")?;
    } else {
        writeln!(out, "no length: joints and tip lie in one point, so targets are orientations alone")?;
    }
    match ClosedForm::prepare(chain) {
        Ok(form) => writeln!(out, "closed form: {}", form.in_words())?,
        Err(NotApplicable::NoClosedForm { reason, .. }) => writeln!(out, "no closed form: {reason}")?,
        Err(reason) => writeln!(out, "no closed form: {reason}")?,
    }
    for (index, tip) in chain.tips().iter().enumerate() {
        let reach = TipReach::new(chain, index);
        let (inner, outer) = (reach.tip.inner, reach.tip.outer);
        let [x, y, z] = reach.centre.coords.into();
        let (link, place) = (&tip.link, format!("({x:.4}, {y:.4}, {z:.4})"));
        writeln!(out, "tip {link}: within {inner:.4} .. {outer:.4} m of the first joint at {place}")?;
        axes(solver.sensible_free_axes(index), out)?;
    }
    Ok(())
}

/// Writes the number of axes that a tip can follow, and the axes to free if it is below six.
fn axes(free: [bool; 6], out: &mut impl Write) -> Result {
    let names = names_of_free_axes(free);
    write!(out, "  it can follow {} of 6 axes", 6 - names.len())?;
    if !names.is_empty() {
        let words = free_axes_in_words(free);
        write!(out, ", so most full poses cannot be met; free_axes: {} ({words})", names.join(","))?;
    }
    writeln!(out)?;
    Ok(())
}

/// Shows the shapes of the links, and the pairs of links that may collide.
fn collision_geometry(arguments: &RobotArguments, srdf: Option<&Path>, out: &mut impl Write) -> Result {
    let (robot, shapes) = arguments.file.robot_with_shapes(MissingShapes::Ignore)?;
    let srdf = read_srdf(srdf, &robot)?;
    shapes_of_links(&robot, &shapes, out)?;
    let (pairs, mover) = if arguments.has_chain(&robot) {
        let chain = arguments.chain(&robot)?;
        let mover = format!("the chain from {} to {}", chain.base(), chain.tip_names().join(", "));
        (Pairs::of_chain(&robot, &chain, &shapes, srdf.as_ref())?, mover)
    } else {
        (Pairs::of_robot(&robot, &shapes, srdf.as_ref())?, "the robot".to_owned())
    };
    writeln!(out, "\npairs that count, of links that {mover} moves against each other: {}", pairs.checked.len())?;
    for pair in &pairs.checked {
        writeln!(out, "  {}", pair_names(&robot, *pair))?;
    }
    writeln!(out, "\npairs that are left out: {}", pairs.excluded.len())?;
    for (pair, reason) in &pairs.excluded {
        writeln!(out, "  {}: {reason}", pair_names(&robot, *pair))?;
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

/// Writes the contacts with all joints in the middle of their ranges: a hint at overlapping shapes, or at a pair
/// that the SRDF lacks.
fn in_the_middle(robot: &Robot, shapes: &LinkShapes, pairs: &Pairs, out: &mut impl Write) -> Result {
    let middle = |joint: usize| robot.working_range(joint).middle();
    let mut positions: Vec<f64> = (0..robot.joints().len()).map(middle).collect();
    robot.apply_mimic(&mut positions);
    let places = LinkPoses::new(robot, &positions)?;
    let touching: Vec<_> = pairs.checked.iter().filter(|&&pair| shapes.distance(&places, pair) <= 0.0).collect();
    if touching.is_empty() {
        writeln!(out, "with all joints in the middle nothing touches")?;
    } else {
        writeln!(out, "with all joints in the middle these touch:")?;
    }
    for pair in touching {
        writeln!(out, "  {}", pair_names(robot, *pair))?;
    }
    Ok(())
}

fn pair_names(robot: &Robot, pair: LinkPair) -> String {
    pair.0.map(|link| robot.links()[link].name.as_str()).join(" - ")
}
