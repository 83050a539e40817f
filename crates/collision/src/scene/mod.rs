//! A robot and what surrounds it, ready to be asked where it touches.

pub(crate) mod exact_distances;
pub(crate) mod free_check;
pub(crate) mod motion_bounds;
pub(crate) mod moving_joints;
pub(crate) mod near;

use std::sync::Arc;

use crate::links::LinkShapes;
use crate::links::distances::LinkPair;
use crate::links::missing::ShapesMissing;
use crate::links::pairs::Pairs;
use crate::narrow_phase::TOUCHING;
use crate::narrow_phase::visitors::Wanted;
use crate::world::World;
use free_check::{CheckScratch, FreeCheck, MAX_MARGIN};
use motion_bounds::MotionBounds;
use moving_joints::{Body, MovingJoints, PlacedBody};
use near::Near;
use urdf_ik_robot::{Chain, Robot};

/// A chain of a robot with all other joints at rest, the shapes of its links, and what surrounds it. Constant.
///
/// Positions are those of the chain's variables. The root link's frame is the frame of everything.
#[derive(Clone)]
pub struct Scene {
    variables: usize,
    bodies: Vec<PlacedBody>,
    /// Indices of bodies that may not touch.
    pairs: Vec<[usize; 2]>,
    pub(crate) check: FreeCheck,
    motion_bounds: MotionBounds,
    missing: Option<ShapesMissing>,
    identity: Arc<()>,
}

/// What a solver has to keep clear of.
#[derive(Clone, Copy)]
pub struct Clearance<'a> {
    /// The robot and what surrounds it.
    pub scene: &'a Scene,
    /// The least distance of every pair \[m\].
    pub margin: f64,
}

/// What a scene works in. It grows with the largest scene that it has seen.
#[derive(Debug, Clone, Default)]
pub struct SceneScratch {
    pub(crate) check: CheckScratch,
    /// What [`Scene::find_near`] has found.
    pub near: Vec<Near>,
}

impl SceneScratch {
    /// Of what [`Scene::find_near`] has found, the nearest pair.
    pub fn nearest(&self) -> Option<&Near> {
        self.near.iter().min_by(|one, other| one.gap().total_cmp(&other.gap()))
    }
}

impl Scene {
    /// The scene of `chain`, with the other joints at `rest` (one entry for each joint of `robot`) and `world` around. `pairs` are those of
    /// links that count.
    pub fn new(robot: &Robot, chain: &Chain, shapes: &LinkShapes, pairs: &Pairs, world: &World, rest: &[f64]) -> Self {
        let (joints, carried) = MovingJoints::new(robot, chain, rest);
        let mut bodies = Vec::new();
        let mut of_link = vec![None; robot.links().len()];
        for link in shapes.links() {
            let (frame, pose) = carried[link];
            of_link[link] = Some(bodies.len());
            let shapes = shapes.of_link(link).to_vec();
            bodies.push(PlacedBody { body: Body::of_link(robot, link), frame, pose, shapes });
        }
        let links = bodies.len();
        for (id, attached) in world.attached() {
            let (frame, pose) = carried[attached.link];
            let shapes = attached.obstacle.shapes().to_vec();
            bodies.push(PlacedBody { body: Body::Attached(id.to_owned()), frame, pose: pose * attached.pose, shapes });
        }
        for (id, obstacle, pose) in world.obstacles() {
            let shapes = obstacle.shapes().to_vec();
            bodies.push(PlacedBody { body: Body::Obstacle(id.to_owned()), frame: None, pose: *pose, shapes });
        }
        let of_pair = |&LinkPair([first, second]): &LinkPair| Some([of_link[first]?, of_link[second]?]);
        let mut all: Vec<[usize; 2]> = pairs.counted.iter().filter_map(of_pair).collect();
        for second in links..bodies.len() {
            let firsts = (0..second).filter(|&first| may_collide(world, robot, &bodies[first], &bodies[second]));
            all.extend(firsts.map(|first| [first, second]));
        }
        let motion_bounds = MotionBounds::new(&joints, &bodies, &all);
        let check = FreeCheck::new(joints, &bodies, &all);
        Self {
            variables: chain.variables().len(),
            bodies,
            pairs: all,
            check,
            motion_bounds,
            missing: shapes.missing(),
            identity: Arc::default(),
        }
    }

    /// The pairs that may not touch.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [&Body; 2]> {
        self.pairs.iter().map(|pair| pair.map(|body| &self.bodies[body].body))
    }

    /// The links whose shapes could not be loaded; `None` if there are none. A free configuration might still touch them:
    /// [`MissingShapes::check`](crate::MissingShapes::check) tells whether that matters.
    pub fn missing_shapes(&self) -> Option<&ShapesMissing> {
        self.missing.as_ref()
    }

    /// Number of the chain's variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// By how much the distance of any pair changes at most while the variables go from one configuration to another \[m\].
    pub fn greatest_motion(&self, from: &[f64], to: &[f64]) -> f64 {
        self.motion_bounds.of_all(&self.check.joints, from, to)
    }

    /// By how much the distance of one pair, by its index among [`Scene::pairs`], changes at most on such a way \[m\]. It may be much less than
    /// [`Scene::greatest_motion`], but takes longer.
    pub fn greatest_motion_of(&self, pair: usize, from: &[f64], to: &[f64]) -> f64 {
        self.greatest_motion_into(pair, from, [to; 2])
    }

    /// By how much the distance of a pair changes at most between a configuration and any in which each variable is between two bounds \[m\].
    pub(crate) fn greatest_motion_into(&self, pair: usize, from: &[f64], bounds: [&[f64]; 2]) -> f64 {
        self.motion_bounds.of_pair(&self.check.joints, pair, from, bounds)
    }

    /// What tells scenes apart: each has its own, and its clones have it too.
    pub(crate) fn identity(&self) -> &Arc<()> {
        &self.identity
    }

    /// Checks that every pair is farther apart than `margin` \[m\] at `positions`; else gives the index of one that is not.
    #[doc(hidden)]
    pub fn check(&self, positions: &[f64], margin: f64, scratch: &mut SceneScratch) -> Result<(), usize> {
        if margin > MAX_MARGIN {
            self.find_near(positions, margin, scratch);
            return scratch.near.first().map_or(Ok(()), |near| Err(near.pair));
        }
        self.check.check(positions, margin.max(TOUCHING), &mut scratch.check)
    }

    /// Whether every pair is farther apart than `margin` \[m\] at `positions`.
    pub fn is_free(&self, positions: &[f64], margin: f64, scratch: &mut SceneScratch) -> bool {
        self.check(positions, margin, scratch).is_ok()
    }

    /// Whether one pair, by its index among [`Scene::pairs`], is farther apart than `margin` \[m\] at `positions`.
    #[doc(hidden)]
    pub fn is_pair_free(&self, pair: usize, positions: &[f64], margin: f64, scratch: &mut SceneScratch) -> bool {
        self.check.place(positions, &mut scratch.check);
        self.check.is_pair_free(pair, margin.max(TOUCHING), &scratch.check)
    }

    /// Finds all pairs that are no farther apart than `within` \[m\] at `positions`, in the order of the pairs.
    pub fn find_near(&self, positions: &[f64], within: f64, scratch: &mut SceneScratch) {
        let SceneScratch { check, near } = scratch;
        self.check.place(positions, check);
        near.clear();
        near.reserve(self.pairs.len());
        near.extend((0..self.pairs.len()).filter_map(|pair| self.check.nearness(pair, Wanted::exact(within), check)));
    }

    /// Writes by how much the gap of `near`, found at these positions, grows with each variable \[m/rad or m/m\].
    pub fn write_slope(&self, near: &Near, scratch: &SceneScratch, row: &mut [f64]) {
        row.fill(0.0);
        for (side, along) in [near.normal, -near.normal].iter().enumerate() {
            let carrier = self.bodies[self.pairs[near.pair][side]].frame;
            self.check.joints.add_velocity(&scratch.check.frames, carrier, &near.points[side].coords, along, row);
        }
    }
}

/// Whether a joint moves one body against the other, and they may not touch.
fn may_collide(world: &World, robot: &Robot, first: &PlacedBody, second: &PlacedBody) -> bool {
    if first.frame == second.frame {
        return false;
    }
    ![(first, second), (second, first)].into_iter().any(|(part, other)| {
        let Body::Attached(id) = &part.body else { return false };
        world.attached().filter(|(other_id, _)| other_id == id).any(|(_, attached)| match &other.body {
            Body::Link(name) => *name == robot.links()[attached.link].name || attached.may_touch.contains(name),
            Body::Attached(name) | Body::Obstacle(name) => attached.may_touch.contains(name),
        })
    })
}
