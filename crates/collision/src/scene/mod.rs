//! The collision scene: a robot and its surroundings.

pub(crate) mod exact_distances;
pub(crate) mod free_check;
pub(crate) mod motion_bounds;
pub(crate) mod moving_joints;
pub(crate) mod near;

use std::sync::Arc;

use thiserror::Error;

use crate::links::distances::LinkPair;
use crate::links::pairs::Pairs;
use crate::links::{LinkShapes, MissingShapesError};
use crate::narrow_phase::TOUCHING;
use crate::narrow_phase::visitors::DistanceQuery;
use crate::world::{World, WorldError};
use free_check::{CheckScratch, FreeCheck, MAX_MARGIN};
use motion_bounds::MotionBounds;
use moving_joints::{Body, MovingJoints, PlacedBody};
use near::Near;
use urdf_ik_mathematics::vectors::normalise;
use urdf_ik_robot::{Chain, PositionsError, Robot};
use urdf_ik_text::names::short;

/// Norm of the gradient of a gap below which it is rounding: no variable moves the pair \[m/rad or m/m\].
const MIN_GRADIENT: f64 = 1e-9;

/// A kinematic chain with all other joints at fixed positions, the collision shapes of the robot, and its
/// surroundings. Immutable.
///
/// Positions are those of the chain's variables \[rad or m\]. All poses and points are in the root link's frame.
///
/// ```
/// use urdf_ik_collision::{LinkShapes, Pairs, Scene, SceneScratch, World};
/// use urdf_ik_robot::{Chain, MeshFolders, Robot};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let urdf = r#"<robot name="press">
///       <link name="plate"> <collision> <geometry> <sphere radius="0.1"/> </geometry> </collision> </link>
///       <link name="beam"/>
///       <link name="stamp"> <collision> <geometry> <sphere radius="0.2"/> </geometry> </collision> </link>
///       <joint name="lift" type="prismatic"> <parent link="plate"/> <child link="beam"/> <axis xyz="0 0 1"/>
///         <limit lower="0" upper="1" effort="1" velocity="1"/> </joint>
///       <joint name="turn" type="revolute"> <parent link="beam"/> <child link="stamp"/> <axis xyz="0 0 1"/>
///         <limit lower="-1" upper="1" effort="1" velocity="1"/> </joint>
///     </robot>"#;
/// let robot = Robot::from_urdf(urdf)?;
/// let chain = Chain::with_defaults(&robot, None, &["stamp"])?;
/// let shapes = LinkShapes::of_urdf(urdf, &robot, &MeshFolders::from_environment(None))?;
/// let pairs = Pairs::of_chain(&robot, &chain, &shapes, None)?;
/// let scene = Scene::new(&robot, &chain, &shapes, &pairs, &World::default(), &robot.neutral_positions())?;
/// let mut scratch = SceneScratch::default();
/// assert!(scene.is_free(&[0.5, 0.0], 0.1, &mut scratch));
/// scene.find_near(&[0.25, 0.0], 0.1, &mut scratch);
/// assert!((scratch.nearest().unwrap().gap() + 0.05).abs() < 1e-6); // 5 cm deep
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Scene {
    variables: usize,
    bodies: Vec<PlacedBody>,
    /// Pairs of bodies that must not touch, by index.
    pairs: Vec<[usize; 2]>,
    pub(crate) check: FreeCheck,
    motion_bounds: MotionBounds,
    missing: Option<MissingShapesError>,
    /// Identifies the scene; clones share it.
    pub(crate) identity: Arc<()>,
}

/// Why a scene cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A joint position is missing or not finite.
    #[error(transparent)]
    Positions(#[from] PositionsError),
    /// A part is attached to a link that the robot does not have.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The shapes or pairs are those of another robot.
    #[error("the {what} have the link of index {link}, but the robot '{}' has {links} links", short(robot))]
    OtherRobot {
        /// The argument that has the link: `shapes` or `pairs of links`.
        what: &'static str,
        /// Index of the link.
        link: usize,
        /// Name of the robot.
        robot: String,
        /// Number of its links.
        links: usize,
    },
}

/// A scene, and the minimum clearance in it.
#[derive(Clone, Copy)]
pub struct Clearance<'a> {
    /// The robot and its surroundings.
    pub scene: &'a Scene,
    /// Minimum distance of every pair \[m\].
    pub margin: f64,
}

/// Scratch memory of a scene. It grows to the largest scene in use.
#[derive(Debug, Clone, Default)]
pub struct SceneScratch {
    pub(crate) check: CheckScratch,
    /// Result of the last [`Scene::find_near`], in the order of [`Scene::pairs`].
    pub near: Vec<Near>,
}

impl SceneScratch {
    /// The pair with the smallest gap in the result of [`Scene::find_near`]; `None` if that is empty.
    pub fn nearest(&self) -> Option<&Near> {
        self.near.iter().min_by(|one, other| one.gap().total_cmp(&other.gap()))
    }
}

impl Scene {
    /// The scene of `chain` in `world`. Joints that the chain does not move are at `rest` \[rad or m\], which has one
    /// entry for each joint of `robot`. `pairs` are the pairs of links that must not touch.
    ///
    /// # Errors
    /// [`SceneError`] if `rest` does not have one finite entry for each joint, or if `shapes`, `pairs` or an attached
    /// part have a link that `robot` does not have.
    pub fn new(
        robot: &Robot,
        chain: &Chain,
        shapes: &LinkShapes,
        pairs: &Pairs,
        world: &World,
        rest: &[f64],
    ) -> Result<Self, SceneError> {
        robot.check_positions(rest)?;
        check_links(robot, shapes, pairs)?;
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
            let missing = || WorldError::unknown_link(id, attached.link, carried.len());
            let (frame, pose) = *carried.get(attached.link).ok_or_else(missing)?;
            let shapes = attached.obstacle.shapes().to_vec();
            bodies.push(PlacedBody { body: Body::Attached(id.to_owned()), frame, pose: pose * attached.pose, shapes });
        }
        for (id, obstacle, pose) in world.obstacles() {
            let shapes = obstacle.shapes().to_vec();
            bodies.push(PlacedBody { body: Body::Obstacle(id.to_owned()), frame: None, pose: *pose, shapes });
        }
        let of_pair = |&LinkPair([first, second]): &LinkPair| Some([of_link[first]?, of_link[second]?]);
        let mut all: Vec<[usize; 2]> = pairs.checked.iter().filter_map(of_pair).collect();
        for second in links..bodies.len() {
            let firsts = (0..second).filter(|&first| may_collide(world, robot, &bodies[first], &bodies[second]));
            all.extend(firsts.map(|first| [first, second]));
        }
        let motion_bounds = MotionBounds::new(&joints, &bodies, &all);
        let check = FreeCheck::new(joints, &bodies, &all);
        Ok(Self {
            variables: chain.variables().len(),
            bodies,
            pairs: all,
            check,
            motion_bounds,
            missing: shapes.missing(),
            identity: Arc::default(),
        })
    }

    /// The pairs of bodies that must not touch.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = [&Body; 2]> {
        self.pairs.iter().map(|pair| pair.map(|body| &self.bodies[body].body))
    }

    /// True if a body of this pair is an obstacle. `pair` is an index of [`Scene::pairs`].
    ///
    /// # Panics
    /// If `pair` is out of range.
    pub fn has_obstacle(&self, pair: usize) -> bool {
        self.pairs[pair].iter().any(|body| matches!(self.bodies[*body].body, Body::Obstacle(_)))
    }

    /// The links whose shapes could not be loaded; `None` if there are none. A configuration without contact might
    /// still be in contact with them: see [`MissingShapes::check`](crate::MissingShapes::check).
    pub fn missing_shapes(&self) -> Option<&MissingShapesError> {
        self.missing.as_ref()
    }

    /// Number of variables of the chain.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// An upper bound \[m\] for the change of any pair's distance during the straight motion from `from` to `to`, two
    /// configurations of the chain's variables \[rad or m\].
    pub fn greatest_motion(&self, from: &[f64], to: &[f64]) -> f64 {
        self.motion_bounds.of_all(&self.check.joints, from, to)
    }

    /// An upper bound \[m\] for the change of one pair's distance during the straight motion from `from` to `to`, two
    /// configurations of the chain's variables \[rad or m\]. `pair` is an index of [`Scene::pairs`]. The bound is often
    /// much tighter than [`Scene::greatest_motion`], but more expensive.
    pub fn greatest_motion_of(&self, pair: usize, from: &[f64], to: &[f64]) -> f64 {
        self.greatest_motion_into(pair, from, [to; 2])
    }

    /// An upper bound for the change of a pair's distance \[m\] between a configuration and any configuration in a box.
    pub(crate) fn greatest_motion_into(&self, pair: usize, from: &[f64], bounds: [&[f64]; 2]) -> f64 {
        self.motion_bounds.of_pair(&self.check.joints, pair, from, bounds)
    }

    /// Checks that every pair has a distance above `margin` \[m\] at `positions` \[rad or m\] of the chain's variables.
    ///
    /// # Errors
    /// The index in [`Scene::pairs`] of a pair that does not.
    #[doc(hidden)]
    pub fn check(&self, positions: &[f64], margin: f64, scratch: &mut SceneScratch) -> Result<(), usize> {
        if margin > MAX_MARGIN {
            self.find_near(positions, margin, scratch);
            return scratch.near.first().map_or(Ok(()), |near| Err(near.pair));
        }
        self.check.check(positions, margin.max(TOUCHING), &mut scratch.check)
    }

    /// True if the distance of every pair exceeds `margin` \[m\] at `positions` \[rad or m\] of the chain's
    /// variables.
    pub fn is_free(&self, positions: &[f64], margin: f64, scratch: &mut SceneScratch) -> bool {
        self.check(positions, margin, scratch).is_ok()
    }

    /// True if one pair, by its index in [`Scene::pairs`], has a distance above `margin` \[m\] at `positions`
    /// \[rad or m\].
    #[doc(hidden)]
    pub fn is_pair_free(&self, pair: usize, positions: &[f64], margin: f64, scratch: &mut SceneScratch) -> bool {
        self.check.place(positions, &mut scratch.check);
        self.check.is_pair_free(pair, margin.max(TOUCHING), &scratch.check)
    }

    /// Finds all pairs with a distance of at most `within` \[m\] at `positions` \[rad or m\] of the chain's variables,
    /// and writes them to [`SceneScratch::near`] in the order of [`Scene::pairs`].
    pub fn find_near(&self, positions: &[f64], within: f64, scratch: &mut SceneScratch) {
        let SceneScratch { check, near } = scratch;
        self.check.place(positions, check);
        near.clear();
        near.reserve(self.pairs.len());
        near.extend(
            (0..self.pairs.len()).filter_map(|pair| self.check.nearness(pair, DistanceQuery::exact(within), check)),
        );
    }

    /// Writes to `row` the gradient of the gap of `near` with respect to the chain's variables, one entry per variable
    /// \[m/rad or m/m\]. `scratch` must be from the query that found `near`.
    pub fn write_slope(&self, near: &Near, scratch: &SceneScratch, row: &mut [f64]) {
        row.fill(0.0);
        for (side, along) in [near.normal, -near.normal].iter().enumerate() {
            let carrier = self.bodies[self.pairs[near.pair][side]].frame;
            self.check.joints.add_velocity(&scratch.check.frames, carrier, &near.points[side].coords, along, row);
        }
    }

    /// Appends to `rows` the unit gradient of the gap of `near` with respect to the chain's n variables. Its n entries
    /// are normal · (J_a − J_b) at the contact points, divided by the norm of that row. `scratch` must be from the
    /// query that found `near`. Returns the norm \[m/rad or m/m\]. If no variable moves the two bodies relative to each
    /// other, appends nothing and returns `None`.
    pub fn push_unit_gradient(&self, near: &Near, scratch: &SceneScratch, rows: &mut Vec<f64>) -> Option<f64> {
        let before = rows.len();
        rows.resize(before + self.variables, 0.0);
        self.write_slope(near, scratch, &mut rows[before..]);
        let norm = normalise(&mut rows[before..]);
        if norm < MIN_GRADIENT {
            rows.truncate(before);
            return None;
        }
        Some(norm)
    }
}

/// Checks that all links of `shapes` and `pairs` are links of `robot`.
pub(crate) fn check_links(robot: &Robot, shapes: &LinkShapes, pairs: &Pairs) -> Result<(), SceneError> {
    let links = robot.links().len();
    let of_pairs = pairs.checked.iter().flat_map(|pair| pair.0).chain(pairs.moving.iter().copied());
    for (what, link) in [("shapes", shapes.links().max()), ("pairs of links", of_pairs.max())] {
        if let Some(link) = link.filter(|link| *link >= links) {
            return Err(SceneError::OtherRobot { what, link, robot: robot.name().to_owned(), links });
        }
    }
    Ok(())
}

/// True if some joint moves the bodies relative to each other and they are not allowed to touch.
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
