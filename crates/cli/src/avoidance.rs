//! What a solve keeps clear of: the options, the scene that they ask for, and distances as the commands write them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use serde::Serialize;
use urdf_ik::collision::{
    Body, BodyDistances, Clearance, LinkPlaces, LinkShapes, MissingShapes, Pairs, Scene, Srdf, World, standing_contacts,
};
use urdf_ik::robot::{Chain, Robot};

use super::Result;
use super::input::{RobotFile, read_rest, read_srdf, read_world};

/// The least distance that is kept, where none is given \[m\].
const MARGIN: f64 = 1e-4;

/// Whether and how collisions are avoided.
#[derive(Args)]
pub struct AvoidanceOptions {
    /// Accept only joint positions at which the robot's links touch neither each other nor an obstacle
    #[arg(long, group = "avoiding")]
    pub avoid_collisions: bool,
    /// The robot's SRDF, which says what may touch; -: standard input [default: neighbours and what always touches]
    #[arg(long, value_name = "FILE", requires = "avoiding")]
    pub srdf: Option<PathBuf>,
    /// Least distance between what may not touch [m] [default: 0.0001]
    #[arg(long, value_name = "M", requires = "avoiding", allow_negative_numbers = true)]
    margin: Option<f64>,
    /// Where shapes of links could not be loaded: refuse, or ignore them [default: refuse]
    #[arg(long, value_name = "WAY", requires = "avoiding")]
    missing_shapes: Option<MissingShapes>,
}

impl AvoidanceOptions {
    /// What becomes of links whose shapes could not be loaded.
    pub fn missing_shapes(&self) -> MissingShapes {
        self.missing_shapes.unwrap_or(MissingShapes::Refuse)
    }

    /// The least distance to keep \[m\].
    pub fn margin(&self) -> Result<f64> {
        let margin = self.margin.unwrap_or(MARGIN);
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
    /// The robot of a file, and the shapes of its links where collisions count.
    pub fn robot(&self, file: &RobotFile) -> Result<(Robot, Option<LinkShapes>)> {
        self.avoidance.margin()?;
        let wanted = self.avoidance.avoid_collisions || self.obstacles.is_some();
        file.robot_and_shapes(wanted.then(|| self.avoidance.missing_shapes()))
    }

    /// How the chain avoids collisions; `None` without shapes.
    pub fn avoidance<'a>(
        &self,
        robot: &'a Robot,
        chain: &'a Chain,
        shapes: Option<LinkShapes>,
    ) -> Result<Option<Avoidance<'a>>> {
        let margin = self.avoidance.margin()?;
        shapes.map(|shapes| Avoidance::new(robot, chain, shapes, self.avoidance.srdf.as_deref(), margin)).transpose()
    }

    /// What is around the robot, whose joints stand where `start` has them unless the chain moves them. Contacts that no solution can part
    /// are named on standard error.
    pub fn environment<'a>(
        &self,
        avoidance: Option<&'a Avoidance>,
        start: Option<&str>,
    ) -> Result<Option<Environment<'a>>> {
        let Some(avoidance) = avoidance else { return Ok(None) };
        let world = self.obstacles.as_deref().map(read_world).transpose()?.unwrap_or_default();
        let environment = avoidance.in_world(world, read_rest(start, avoidance.robot)?);
        name_standing_contacts(&environment.standing_contacts().into_iter().collect());
        Ok(Some(environment))
    }
}

/// How a chain avoids collisions, whatever is around its robot.
pub struct Avoidance<'a> {
    robot: &'a Robot,
    chain: &'a Chain,
    shapes: LinkShapes,
    srdf: Option<Srdf>,
    /// The pairs of links that the chain moves.
    pairs: Pairs,
    /// The least distance \[m\].
    margin: f64,
}

impl<'a> Avoidance<'a> {
    pub fn new(
        robot: &'a Robot,
        chain: &'a Chain,
        shapes: LinkShapes,
        srdf: Option<&Path>,
        margin: f64,
    ) -> Result<Self> {
        if shapes.links().next().is_none() {
            return Err("collisions cannot be avoided: no link of the robot has a collision shape".into());
        }
        let srdf = srdf.map(|path| read_srdf(path, robot)).transpose()?;
        let pairs = Pairs::of_chain(robot, chain, &shapes, srdf.as_ref())?;
        Ok(Self { robot, chain, shapes, srdf, pairs, margin })
    }

    /// With `world` around, and the joints that the chain does not move at `rest`, which has one entry for each joint of the robot.
    pub fn in_world(&self, world: World, rest: Vec<f64>) -> Environment<'_> {
        let scene = Scene::new(self.robot, self.chain, &self.shapes, &self.pairs, &world, &rest);
        Environment { avoidance: self, world, rest, scene }
    }
}

/// A robot and what is around it.
pub struct Environment<'a> {
    avoidance: &'a Avoidance<'a>,
    world: World,
    rest: Vec<f64>,
    scene: Scene,
}

impl Environment<'_> {
    /// What a solver has to keep clear of.
    pub fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: self.avoidance.margin }
    }

    /// The links and obstacles that touch and always will, because the chain moves neither.
    pub fn standing_contacts(&self) -> Vec<[Body; 2]> {
        let Avoidance { robot, chain, shapes, srdf, .. } = self.avoidance;
        standing_contacts(robot, chain, shapes, srdf.as_ref(), &self.world, &self.rest)
    }

    /// The two bodies that are nearest to each other at `positions` of the chain, and their distance \[m\]; `None` where there are no two.
    pub fn nearest(&self, positions: &[f64]) -> Result<Option<([Body; 2], f64)>> {
        self.nearest_of_all([positions])
    }

    /// The two bodies that are nearest to each other at any of several positions of the chain, and their distance \[m\].
    pub fn nearest_of_all<'p>(
        &self,
        all_positions: impl IntoIterator<Item = &'p [f64]>,
    ) -> Result<Option<([Body; 2], f64)>> {
        let Avoidance { robot, chain, shapes, pairs, .. } = self.avoidance;
        let distances = BodyDistances::new(robot, shapes, pairs, &self.world);
        let (mut joints, mut nearest) = (self.rest.clone(), None::<(usize, f64)>);
        for positions in all_positions {
            chain.write_into(robot, positions, &mut joints);
            let least = distances.least(&LinkPlaces::new(robot, &joints)?);
            nearest = nearest.into_iter().chain(least).min_by(|(_, one), (_, other)| one.total_cmp(other));
        }
        Ok(nearest.map(|(index, distance)| (distances.bodies()[index].clone(), distance)))
    }
}

/// Names contacts that no solution can part, on standard error.
pub fn name_standing_contacts(contacts: &BTreeSet<[Body; 2]>) {
    if !contacts.is_empty() {
        let names: Vec<String> = contacts.iter().map(|[first, second]| format!("{first} and {second}")).collect();
        eprintln!("urdf_ik: these touch and do not count, because the chain moves neither: {}", names.join(", "));
    }
}

/// One or two links, the obstacle that is the second body where there is one, and the distance between them \[m\].
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
