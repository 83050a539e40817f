//! Arms among random obstacles: distances, clear motions, and searches, tracking and servos with collision avoidance.

use std::f64::consts::TAU;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3};
use urdf_ik::collision::{
    BodyDistances, Clearance, Geometry, LinkPoses, LinkShapes, Obstacle, Pairs, Scene, SceneScratch, SegmentScratch,
    World,
};
use urdf_ik::robot::{MeshFolders, Robot, read_urdf_file};
use urdf_ik::solver::{FabrikOptions, Mode, Pick, Problem, Solver, SolverKind};

use crate::record::Group;
use crate::robots::Arm;
use crate::servo::Run;
use crate::solves::Solve;
use crate::{Fallible, Random};

/// Robots with shapes in their URDF, their tips, and the range of obstacles from the base \[m\].
const ROBOTS: [(&str, &[&str], f64); 3] =
    [("arm6", &["tool0"], 0.8), ("arm7", &["tool0"], 0.8), ("dual_arm", &["left_hand", "right_hand"], 0.9)];
/// Worlds of each robot, and the problems in each.
const WORLDS: usize = 4;
const DISTANCES: usize = 400;
const WAYS: usize = 150;
const SEARCHES: usize = 60;
const TRACKED: usize = 150;
const RUNS: usize = 10;
/// Obstacles per world.
const OBSTACLES: usize = 6;
const MARGIN: f64 = 0.01;
/// Range of proximity queries \[m\].
const NEAR: f64 = 0.2;
/// Columns and rows of the triangles of a mesh.
const GRID: u32 = 12;

/// An arm among obstacles.
struct Cell {
    arm: Arm,
    shapes: LinkShapes,
    pairs: Pairs,
    world: World,
    scene: Scene,
}

pub fn groups() -> Fallible<Vec<Group>> {
    let mut groups = Vec::new();
    for (name, tips, distance) in ROBOTS {
        for world in 0..WORLDS {
            let mut random = Random::new(u64::try_from(world)?);
            let cell = Rc::new(Cell::new(name, tips, obstacles(&mut random, distance)?)?);
            let title = |what: &str| format!("{what}, {name} in world {world}");
            groups.push(distances(title("distances"), Rc::clone(&cell)));
            groups.push(ways(title("clear ways"), Rc::clone(&cell)));
            let newton = Solver::prepare(SolverKind::Jacobian, &cell.arm.chain)?;
            let fabrik = newton.with_method(FabrikOptions::default())?;
            groups.push(searches(title("clear search, fabrik"), Rc::clone(&cell), fabrik));
            groups.push(searches(title("clear search, jacobian"), Rc::clone(&cell), newton.clone()));
            groups.push(tracking(title("clear tracking"), Rc::clone(&cell), newton));
            let run = Run::new(&cell.arm)?;
            groups.push(Group::new(title("clear servo"), RUNS, move |random| {
                run.answer(random, Some(&cell.clearance()))
            }));
        }
    }
    Ok(groups)
}

/// The distances of all pairs, and the near pairs of a scene.
fn distances(title: String, cell: Rc<Cell>) -> Group {
    let mut scratch = SceneScratch::default();
    Group::new(title, DISTANCES, move |random| {
        let Arm { robot, chain, .. } = &cell.arm;
        let positions = random.positions(chain);
        cell.scene.find_near(&positions, NEAR, &mut scratch);
        let mut numbers: Vec<f64> = scratch.near.iter().map(|near| near.distance).collect();
        numbers.push(f64::from(u8::from(cell.scene.is_free(&positions, MARGIN, &mut scratch))));
        let mut all = robot.neutral_positions();
        chain.write_into(robot, &positions, &mut all);
        let distances = BodyDistances::new(robot, &cell.shapes, &cell.pairs, &cell.world)?;
        numbers.extend(distances.all(&LinkPoses::new(robot, &all)?));
        Ok(numbers)
    })
}

/// The clear part of straight joint motions.
fn ways(title: String, cell: Rc<Cell>) -> Group {
    let mut scratch = SegmentScratch::default();
    Group::new(title, WAYS, move |random| {
        let [from, to] = [(); 2].map(|()| random.positions(&cell.arm.chain));
        let part = cell.clearance().free_part(&from, &to, 1e-3, &mut scratch);
        Ok([part.fraction].into_iter().chain(part.stopped_by.map(|near| near.distance)).collect())
    })
}

fn searches(title: String, cell: Rc<Cell>, solver: Solver) -> Group {
    let mut solve = Solve::new(&cell.arm, solver);
    Group::new(title, SEARCHES, move |random| {
        let (targets, seed) = solve.question(random);
        let pick = if random.one_in(3) { Pick::Nearest } else { Pick::First };
        let mode = Mode::Search { pick, attempts: 20, random_seed: 0 };
        solve.answer(&Problem::new(&targets, &seed).with_mode(mode).with_clearance(Some(cell.clearance())))
    })
}

fn tracking(title: String, cell: Rc<Cell>, solver: Solver) -> Group {
    let mut solve = Solve::new(&cell.arm, solver);
    Group::new(title, TRACKED, move |random| {
        let (mut targets, at) = solve.question(random);
        let seed = random.near(&cell.arm.chain, &at, 0.1);
        for (target, pose) in targets.iter_mut().zip(cell.arm.tips(&at)) {
            target.pose = pose;
        }
        let max_step = vec![0.05; seed.len()];
        let mode = Mode::Track { max_step: &max_step };
        solve.answer(&Problem::new(&targets, &seed).with_mode(mode).with_clearance(Some(cell.clearance())))
    })
}

impl Cell {
    fn new(name: &str, tips: &[&str], world: World) -> Fallible<Self> {
        let file =
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("urdf").join(name).with_extension("urdf");
        let text = read_urdf_file(&file)?;
        let arm = Arm::new(name, Robot::from_urdf(&text)?, None, tips)?;
        let shapes = LinkShapes::of_urdf(&text, &arm.robot, &MeshFolders::new([], None))?;
        let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None)?;
        let scene = Scene::new(&arm.robot, &arm.chain, &shapes, &pairs, &world, &arm.robot.neutral_positions())?;
        Ok(Self { arm, shapes, pairs, world, scene })
    }

    fn clearance(&self) -> Clearance<'_> {
        Clearance { scene: &self.scene, margin: MARGIN }
    }
}

/// Obstacles of every kind, at up to this distance.
fn obstacles(random: &mut Random, distance: f64) -> Fallible<World> {
    let mut world = World::default();
    for index in 0..OBSTACLES {
        let mut obstacle = Obstacle::default();
        let [a, b, c] = [(); 3].map(|()| random.between(0.05, 0.2));
        let at = Isometry3::identity();
        match index % 4 {
            0 => obstacle.add_primitive(Geometry::Box { size: [a, b, c] }, &at)?,
            1 => obstacle.add_primitive(Geometry::Sphere { radius: a }, &at)?,
            2 => obstacle.add_primitive(Geometry::Cylinder { radius: a, length: b }, &at)?,
            _ => {
                let (vertices, faces) = ring(a, 0.3 * b);
                obstacle.add_mesh("ring", &vertices, &faces, &at)?;
            }
        }
        world.add(&format!("obstacle{index}"), Arc::new(obstacle), random.pose(distance))?;
    }
    Ok(world)
}

/// The triangles of a torus around z, of a radius and a thickness \[m\].
fn ring(radius: f64, thickness: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let angle = |index: u32| TAU * f64::from(index) / f64::from(GRID);
    let corner = |(around, across): (u32, u32)| {
        let far = radius + thickness * angle(across).cos();
        Point3::new(far * angle(around).cos(), far * angle(around).sin(), thickness * angle(across).sin()).coords.into()
    };
    let squares = || (0..GRID).flat_map(|around| (0..GRID).map(move |across| (around, across)));
    let index = |around: u32, across: u32| (around % GRID) * GRID + across % GRID;
    let faces = squares().flat_map(|(i, j)| {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    (squares().map(corner).collect(), faces.collect())
}
