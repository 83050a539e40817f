//! Collision avoidance: its options, the scene for a solve, and distances as JSON.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use serde::Serialize;
use serde_json::{Value, json};
use urdf_ik::collision::{
    Body, BodyDistances, Clearance, LinkPoses, LinkShapes, MissingShapes, Pairs, Scene, Srdf, World, static_contacts,
};
use urdf_ik::robot::{Chain, Robot};

use super::Result;
use super::input::{RobotFile, read_rest, read_srdf, read_world};

/// Options of commands that avoid collisions of the robot's links.
#[derive(Args)]
pub struct AvoidanceOptions {
    /// Accept only joint positions at which the robot's links touch neither each other nor an obstacle
    #[arg(long, group = "avoiding")]
    pub avoid_collisions: bool,
    /// The robot's SRDF, which says what may touch; -: standard input [default: neighbours and what always touches]
    #[arg(long, value_name = "FILE", requires = "avoiding")]
    pub srdf: Option<PathBuf>,
    /// Least distance between what may not touch [m]
    #[arg(long, value_name = "M", requires = "avoiding", default_value_t = 1e-4, allow_negative_numbers = true)]
    margin: f64,
    /// Where shapes of links could not be loaded: refuse, or ignore them
    #[arg(long, value_name = "WAY", requires = "avoiding", default_value_t = MissingShapes::Refuse)]
    pub missing_shapes: MissingShapes,
}

impl AvoidanceOptions {
    /// The smallest allowed distance \[m\].
    ///
    /// # Errors
    /// A message if `--margin` is negative or not finite.
    pub fn margin(&self) -> Result<f64> {
        let margin = self.margin;
        if margin.is_finite() && margin >= 0.0 {
            Ok(margin)
        } else {
            Err(format!("--margin is {margin:?}; it must be a finite number, 0 or more").into())
        }
    }
}

/// Options of commands that avoid collisions, also with obstacles around the robot.
#[derive(Args)]
#[command(group = ArgGroup::new("avoiding").multiple(true))]
pub struct CollisionOptions {
    #[command(flatten)]
    avoidance: AvoidanceOptions,
    /// Obstacles around the robot, in JSON, to keep clear of as well as of its own links; -: standard input
    #[arg(long, value_name = "FILE.json", group = "avoiding")]
    obstacles: Option<PathBuf>,
}

impl CollisionOptions {
    /// Reads a robot from `file`, and the shapes of its links if collisions are avoided.
    ///
    /// # Errors
    /// A message if the margin is invalid, the file cannot be read or is not a robot, or required shapes are missing.
    pub fn robot(&self, file: &RobotFile) -> Result<(Robot, Option<LinkShapes>)> {
        self.avoidance.margin()?;
        let wanted = self.avoidance.avoid_collisions || self.obstacles.is_some();
        file.robot_and_shapes(wanted.then_some(self.avoidance.missing_shapes))
    }

    /// The collision avoidance of the chain; `None` without shapes.
    ///
    /// # Errors
    /// A message if the margin or the SRDF is invalid, or no link has a shape.
    pub fn avoidance<'a>(
        &self,
        robot: &'a Robot,
        chain: &'a Chain,
        shapes: Option<LinkShapes>,
    ) -> Result<Option<ChainAvoidance<'a>>> {
        let (srdf, margin) = (self.avoidance.srdf.as_deref(), self.avoidance.margin()?);
        shapes.map(|shapes| ChainAvoidance::new(robot, chain, shapes, srdf, margin)).transpose()
    }

    /// The environment of the robot; `None` without `avoidance`. Joints outside the chain are at the positions in
    /// `start` (text as for [`read_rest`]). Permanent contacts are named on standard error.
    ///
    /// # Errors
    /// A message if the obstacles or the positions in `start` are invalid.
    pub fn environment<'a>(
        &self,
        avoidance: Option<&'a ChainAvoidance>,
        start: Option<&str>,
    ) -> Result<Option<Environment<'a>>> {
        let Some(avoidance) = avoidance else { return Ok(None) };
        let world = read_world(self.obstacles.as_deref())?;
        let environment = avoidance.in_world(world, read_rest(start, avoidance.robot)?)?;
        name_standing_contacts(&environment.static_contacts()?.into_iter().collect());
        Ok(Some(environment))
    }
}

/// The collision avoidance of a chain in any environment.
pub struct ChainAvoidance<'a> {
    robot: &'a Robot,
    chain: &'a Chain,
    shapes: LinkShapes,
    srdf: Option<Srdf>,
    /// The pairs of links that the chain moves.
    pairs: Pairs,
    /// The smallest allowed distance \[m\].
    margin: f64,
}

impl<'a> ChainAvoidance<'a> {
    /// The collision avoidance of `chain` with the smallest allowed distance `margin` \[m\]. `srdf` is the path of an
    /// SRDF.
    ///
    /// # Errors
    /// A message if no link has a shape, or the SRDF cannot be read or belongs to another robot.
    pub fn new(
        robot: &'a Robot,
        chain: &'a Chain,
        shapes: LinkShapes,
        srdf: Option<&Path>,
        margin: f64,
    ) -> Result<Self> {
        shapes.check_not_empty()?;
        let srdf = read_srdf(srdf, robot)?;
        let pairs = Pairs::of_chain(robot, chain, &shapes, srdf.as_ref())?;
        Ok(Self { robot, chain, shapes, srdf, pairs, margin })
    }

    /// The environment with the obstacles of `world`. `rest` holds one position per joint of the robot \[rad or m\];
    /// only those of joints outside the chain are used.
    ///
    /// # Errors
    /// A message if `rest` does not have one finite position per joint, or an obstacle is attached to an unknown link.
    pub fn in_world(&self, world: World, rest: Vec<f64>) -> Result<Environment<'_>> {
        let scene = Scene::new(self.robot, self.chain, &self.shapes, &self.pairs, &world, &rest)?;
        Ok(Environment { avoidance: self, world, rest, scene })
    }
}

/// A robot and its obstacles.
pub struct Environment<'a> {
    avoidance: &'a ChainAvoidance<'a>,
    world: World,
    rest: Vec<f64>,
    scene: Scene,
}

impl Environment<'_> {
    /// The scene, with the smallest distance \[m\] that a solver has to keep.
    pub fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.avoidance.margin }
    }

    /// Permanent contacts: touching links and obstacles that the chain does not move.
    ///
    /// # Errors
    /// A message if the positions of the joints outside the chain do not fit the robot.
    pub fn static_contacts(&self) -> Result<Vec<[Body; 2]>> {
        let ChainAvoidance { robot, chain, shapes, srdf, .. } = self.avoidance;
        Ok(static_contacts(robot, chain, shapes, srdf.as_ref(), &self.world, &self.rest)?)
    }

    /// The nearest two bodies over all configurations in `all_positions`, as a [`DistanceOut`]; null without a pair of
    /// bodies. Each configuration has one position per variable of the chain \[rad or m\].
    ///
    /// # Errors
    /// A message if a configuration is not finite, or places a link beyond the coordinate limit.
    pub fn nearest<'p>(&self, all_positions: impl IntoIterator<Item = &'p [f64]>) -> Result<Value> {
        let ChainAvoidance { robot, chain, shapes, pairs, .. } = self.avoidance;
        let distances = BodyDistances::new(robot, shapes, pairs, &self.world)?;
        let (mut joints, mut nearest) = (self.rest.clone(), None::<(usize, f64)>);
        for positions in all_positions {
            chain.write_into(robot, positions, &mut joints);
            let least = distances.least(&LinkPoses::new(robot, &joints)?);
            nearest = nearest.into_iter().chain(least).min_by(|(_, one), (_, other)| one.total_cmp(other));
        }
        Ok(json!(nearest.map(|(index, distance)| DistanceOut::new(&distances.bodies()[index], distance))))
    }
}

/// Lists permanent contacts on standard error.
pub fn name_standing_contacts(contacts: &BTreeSet<[Body; 2]>) {
    if !contacts.is_empty() {
        let names: Vec<String> = contacts.iter().map(|[first, second]| format!("{first} and {second}")).collect();
        eprintln!("urdf_ik: these touch and do not count, because the chain moves neither: {}", names.join(", "));
    }
}

/// The distance between two links, or a link and an obstacle \[m\].
#[derive(Serialize)]
pub struct DistanceOut<'a> {
    links: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacle: Option<&'a str>,
    distance: f64,
}

impl<'a> DistanceOut<'a> {
    pub fn new(bodies: &'a [Body; 2], distance: f64) -> Self {
        let (mut links, mut obstacle) = (Vec::new(), None);
        for body in bodies {
            match body {
                Body::Link(name) => links.push(name.as_str()),
                Body::Obstacle(name) | Body::Attached(name) => obstacle = Some(name.as_str()),
            }
        }
        Self { links, obstacle, distance }
    }
}
