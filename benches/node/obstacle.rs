//! A stream of targets through a ball, and past it with `avoid_collisions`, also with bounded steps.

use std::process::Command;
use std::sync::Arc;

use nalgebra::Isometry3;
use r2r::geometry_msgs::msg::{Point, Pose, Quaternion};
use urdf_ik_collision::{Geometry, LinkShapes, Obstacle, Pairs, Scene, SceneScratch, World, interpolate_into};
use urdf_ik_robot::{Chain, MeshFolders, Robot};

use super::client::Client;
use super::peer::Peer;
use super::{Fallible, URDF, stream};

/// Targets of one round, which takes four seconds.
const TARGETS: u32 = 4000;
/// Amplitude of the tool's swing to either side \[m\].
const SWING: f64 = 0.3;
/// The ball beside the hand \[m\].
const CENTRE: [f64; 3] = [0.5, 0.22, 0.4];
const RADIUS: f64 = 0.08;
/// Largest step of a joint between joint states, if steps are bounded \[rad\].
const STEP: f64 = 0.005;
/// Tolerance of the bound, since positions are rounded \[rad\].
const ROUNDING: f64 = 1e-12;
/// Largest distance that is measured \[m\].
const FAR: f64 = 0.5;
/// Number of samples between two joint states for distances.
const PLACES: u8 = 9;

/// The arm with cylinders for three of its links.
fn solid_urdf() -> Fallible<String> {
    let mut text = std::fs::read_to_string(URDF)?;
    for (link, radius, length, height) in [
        ("upper_arm_roll_link", 0.055, 0.2, 0.1),
        ("forearm_roll_link", 0.045, 0.1, 0.05),
        ("hand_link", 0.04, 0.06, 0.06),
    ] {
        let start = format!("<link name=\"{link}\">");
        let collision = format!(
            "{start}<collision><origin xyz=\"0 0 {height}\"/><geometry><cylinder radius=\"{radius}\" length=\"{length}\"/>\
             </geometry></collision>"
        );
        text = text.replace(&start, &collision);
    }
    Ok(text)
}

/// Poses of the tool: it points down and swings from side to side.
fn swings() -> Vec<Pose> {
    (0..TARGETS)
        .map(|target| {
            let angle = std::f64::consts::TAU * f64::from(target) / f64::from(TARGETS);
            Pose {
                position: Point { x: 0.512, y: SWING * angle.sin(), z: 0.356 },
                orientation: Quaternion { x: 0.0, y: 1.0, z: 0.0, w: 0.0 },
            }
        })
        .collect()
}

/// Streams for this many seconds without avoidance, with it, and with bounded steps, and prints the results.
pub fn measure(seconds: u32) -> Fallible<()> {
    let urdf = solid_urdf()?;
    let path = swings();
    for (name, avoid, bound) in [
        ("through the ball", false, None),
        ("past the ball", true, None),
        ("past the ball with bounded steps", true, Some(STEP)),
    ] {
        let mut node = Command::new(env!("CARGO_BIN_EXE_urdf_ik_node"));
        node.args(["--ros-args", "-p"]).arg(format!("robot_description:={urdf:?}"));
        node.arg("-p").arg(format!("avoid_collisions:={avoid}"));
        if let Some(bound) = bound {
            // A moving arm takes steps at this rate.
            node.args(["-p", "publish_rate:=1000.0", "-p"]).arg(format!("max_joint_step:={bound:?}"));
        }
        let peer = Peer::start("urdf_ik_node", node)?;
        let mut client = Client::new(std::slice::from_ref(&peer), &path[0])?;
        client.add_ball(0, CENTRE, RADIUS)?;
        println!();
        println!("The same {name}:");
        let states = stream::measure(client, &peer, &path, seconds)?;
        report(&urdf, &states, bound)?;
    }
    Ok(())
}

/// Prints the smallest distance at the joint states, and between them, and the steps between them.
fn report(urdf: &str, states: &[Vec<f64>], bound: Option<f64>) -> Fallible<()> {
    let robot = Robot::from_urdf(urdf)?;
    let chain = Chain::with_defaults(&robot, None, &[])?;
    let shapes = LinkShapes::of_urdf(urdf, &robot, &MeshFolders::new([], None))?;
    let pairs = Pairs::of_chain(&robot, &chain, &shapes, None)?;
    let mut ball = Obstacle::default();
    ball.add_primitive(Geometry::Sphere { radius: RADIUS }, &Isometry3::identity())?;
    let mut world = World::default();
    world.add("ball", Arc::new(ball), Isometry3::translation(CENTRE[0], CENTRE[1], CENTRE[2]))?;
    let scene = Scene::new(&robot, &chain, &shapes, &pairs, &world, &robot.neutral_positions())?;
    let mut scratch = SceneScratch::default();
    let mut distance = |positions: &[f64]| {
        scene.find_near(positions, FAR, &mut scratch);
        scratch.near.iter().map(|near| near.distance).fold(FAR, f64::min)
    };
    let at_states = states.iter().map(|state| distance(state)).fold(FAR, f64::min);
    let (mut between, mut steps) = (FAR, Vec::new());
    for pair in states.windows(2) {
        let mut place = pair[0].clone();
        for at in 1..=PLACES {
            interpolate_into(&pair[0], &pair[1], f64::from(at) / f64::from(PLACES + 1), &mut place);
            between = between.min(distance(&place));
        }
        steps.push(pair[0].iter().zip(&pair[1]).map(|(one, next)| (next - one).abs()).fold(0.0, f64::max));
    }
    println!("- least distance [mm]: {:.3} at joint states, {:.3} between them", 1e3 * at_states, 1e3 * between);
    println!("- greatest step of a joint [rad]: {:.4}", steps.iter().copied().fold(0.0, f64::max));
    if let Some(bound) = bound {
        let over = steps.iter().filter(|step| **step > bound + ROUNDING).count();
        println!("- steps over the bound of {bound} rad: {over} of {}", steps.len());
    }
    Ok(())
}
