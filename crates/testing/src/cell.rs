//! An arm among obstacles, and an independent judge of its distances.

use std::fmt::Write;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3};
use urdf_ik::collision::{Clearance, Geometry, LinkPair, LinkPoses, LinkShapes, Obstacle, Pairs, Scene, World};
use urdf_ik::robot::{MeshFolders, Robot};

use super::{Arm, root};

pub const MARGIN: f64 = 0.01;

/// The corners of each face of a box, in order around it. The bits of a corner select the end of x, y and z.
const FACES: [[u32; 4]; 6] = [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];

/// A bundled robot among obstacles.
pub struct Cell {
    pub arm: Arm,
    obstacles: Vec<(Geometry, Isometry3<f64>)>,
    shapes: LinkShapes,
    pairs: Pairs,
    /// The robot with the obstacles as links, its shapes, and the pairs under the rule.
    judge: (Robot, LinkShapes, Vec<LinkPair>),
}

/// An obstacle along the axes of the base.
pub fn at(geometry: Geometry, x: f64, y: f64, z: f64) -> (Geometry, Isometry3<f64>) {
    (geometry, Translation3::new(x, y, z).into())
}

impl Cell {
    /// The arm of seven joints.
    pub fn new(obstacles: Vec<(Geometry, Isometry3<f64>)>) -> Self {
        Self::of("arm7.urdf", &["tool0"], obstacles)
    }

    /// The robot of that file, with these tips.
    pub fn of(file: &str, tips: &[&str], obstacles: Vec<(Geometry, Isometry3<f64>)>) -> Self {
        let text = std::fs::read_to_string(root().join("urdf").join(file)).unwrap();
        let arm = Arm::from_text(&text, "base_link", tips);
        let shapes = LinkShapes::of_urdf(&text, &arm.robot, &MeshFolders::new([], None)).unwrap();
        let pairs = Pairs::of_chain(&arm.robot, &arm.chain, &shapes, None).unwrap();
        let judge = judge(&text, &obstacles, &arm.robot, &pairs);
        Self { arm, obstacles, shapes, pairs, judge }
    }

    /// The scene, with the obstacles added in the given order.
    pub fn scene_in(&self, order: impl Iterator<Item = usize>) -> Scene {
        let mut world = World::default();
        for index in order {
            let (geometry, pose) = &self.obstacles[index];
            let mut obstacle = Obstacle::default();
            obstacle.add_primitive(geometry.clone(), &Isometry3::identity()).unwrap();
            world.add(&format!("obstacle{index}"), Arc::new(obstacle), *pose).unwrap();
        }
        self.scene_of(&world)
    }

    /// The scene with the obstacles, all boxes, as one mesh.
    pub fn scene_with_a_mesh(&self) -> Scene {
        let (mut vertices, mut faces) = (Vec::new(), Vec::new());
        for (geometry, pose) in &self.obstacles {
            let Geometry::Box { size } = geometry else { panic!("{geometry} is no box") };
            let first = u32::try_from(vertices.len()).unwrap();
            for corner in 0..8_u8 {
                let side = |axis: usize| size[axis] * (f64::from(corner >> axis & 1) - 0.5);
                vertices.push((pose * Point3::new(side(0), side(1), side(2))).coords.into());
            }
            for [a, b, c, d] in FACES.map(|face| face.map(|corner| first + corner)) {
                faces.extend([[a, b, c], [a, c, d]]);
            }
        }
        let (mut mesh, mut world) = (Obstacle::default(), World::default());
        mesh.add_mesh("boxes", &vertices, &faces, &Isometry3::identity()).unwrap();
        world.add("mesh", Arc::new(mesh), Isometry3::identity()).unwrap();
        self.scene_of(&world)
    }

    /// The scene with that world.
    pub fn scene_of(&self, world: &World) -> Scene {
        let Arm { robot, chain, .. } = &self.arm;
        Scene::new(robot, chain, &self.shapes, &self.pairs, world, &robot.neutral_positions()).unwrap()
    }

    pub fn scene(&self) -> Scene {
        self.scene_in(0..self.obstacles.len())
    }

    /// Poses of the obstacles.
    pub fn poses(&self) -> impl Iterator<Item = &Isometry3<f64>> {
        self.obstacles.iter().map(|(_, pose)| pose)
    }

    /// The distance of every pair \[m\].
    pub fn distances(&self, positions: &[f64]) -> Vec<f64> {
        let (robot, shapes, pairs) = &self.judge;
        let mut all = robot.neutral_positions();
        self.arm.chain.write_into(robot, positions, &mut all);
        let places = LinkPoses::new(robot, &all).unwrap();
        pairs.iter().map(|pair| shapes.distance(&places, *pair)).collect()
    }

    /// The distance of the nearest pair \[m\].
    pub fn least_distance(&self, positions: &[f64]) -> f64 {
        self.distances(positions).into_iter().fold(f64::INFINITY, f64::min)
    }
}

pub fn clearance(scene: &Scene) -> Clearance<'_> {
    Clearance { scene, margin: MARGIN }
}

/// The robot of `text` with the obstacles as links, its shapes, and its pairs including those of moving links and
/// obstacles.
fn judge(
    text: &str,
    obstacles: &[(Geometry, Isometry3<f64>)],
    robot: &Robot,
    pairs: &Pairs,
) -> (Robot, LinkShapes, Vec<LinkPair>) {
    let mut links = String::new();
    for (index, (geometry, pose)) in obstacles.iter().enumerate() {
        let shape = match geometry {
            Geometry::Box { size: [x, y, z] } => format!(r#"<box size="{x} {y} {z}"/>"#),
            Geometry::Sphere { radius } => format!(r#"<sphere radius="{radius}"/>"#),
            other => panic!("no judge of {other}"),
        };
        let (p, (roll, pitch, yaw)) = (pose.translation.vector, pose.rotation.euler_angles());
        write!(
            links,
            r#"<link name="obstacle{index}"><collision><geometry>{shape}</geometry></collision></link>
               <joint name="fix{index}" type="fixed"><parent link="base_link"/><child link="obstacle{index}"/>
               <origin xyz="{} {} {}" rpy="{roll} {pitch} {yaw}"/></joint>"#,
            p.x, p.y, p.z
        )
        .unwrap();
    }
    let all = text.replace("</robot>", &format!("{links}</robot>"));
    let judge = Robot::from_urdf(&all).unwrap();
    let shapes = LinkShapes::of_urdf(&all, &judge, &MeshFolders::new([], None)).unwrap();
    let index = |name: &str| judge.link_index(name).unwrap();
    let mut counted: Vec<LinkPair> =
        pairs.checked.iter().map(|pair| LinkPair(pair.0.map(|link| index(&robot.links()[link].name)))).collect();
    // The base does not move against the obstacles.
    let moving = shapes.links().filter(|&link| !["base_link"].contains(&judge.links()[link].name.as_str()));
    let moving: Vec<usize> = moving.filter(|&link| !judge.links()[link].name.starts_with("obstacle")).collect();
    for obstacle in 0..obstacles.len() {
        counted.extend(moving.iter().map(|&link| LinkPair([link, index(&format!("obstacle{obstacle}"))])));
    }
    (judge, shapes, counted)
}
