//! The robots of the problems, each with its solvers and surroundings.

use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion};
use urdf_ik::collision::{Geometry, LinkShapes, Obstacle, Pairs, Scene, World};
use urdf_ik::robot::{MeshFolders, Noodle, NoodleJoints, Robot};
use urdf_ik::solver::{FabrikOptions, JacobianStep, Method, Solver};
use urdf_ik_random::robots::{Axes, Recipe};
use urdf_ik_testing::{
    Arm, Random, arm_with_tool, bundled_arms, makers_arms, mobile_arms, short_arms, two_handed, urdf_path, wide_arms,
};

/// Robots with collision shapes, with their tips, and how far away obstacles are \[m\].
const CELLS: [(&str, &[&str], f64); 3] =
    [("arm6", &["tool0"], 0.8), ("arm7", &["tool0"], 0.8), ("dual_arm", &["left_hand", "right_hand"], 0.9)];
/// Worlds of each of them.
const WORLDS: u64 = 4;
const OBSTACLES: usize = 5;
const SEGMENTS: usize = 12;

/// A robot with its solvers.
pub struct Subject {
    pub arm: Arm,
    pub solvers: Vec<(&'static str, Solver)>,
    pub surroundings: Option<Surroundings>,
}

/// Obstacles, and what keeps clear of them.
pub struct Surroundings {
    pub shapes: LinkShapes,
    pub pairs: Pairs,
    pub world: World,
    pub scene: Scene,
}

/// All robots of the package, arms with wide limits, a noodle, and arms among obstacles.
pub fn subjects() -> Vec<Subject> {
    let mut arms = bundled_arms();
    arms.extend([arm_with_tool("arm6"), two_handed()]);
    for more in [makers_arms(), short_arms(), mobile_arms(), wide_arms()] {
        arms.extend(more);
    }
    for name in ["two_link", "three_link"] {
        let text = std::fs::read_to_string(urdf_path(&format!("{name}.urdf"))).unwrap();
        arms.push(with_defaults(name, &text));
    }
    let noodle = Noodle { joints: NoodleJoints::Alternating, ..Noodle::new(SEGMENTS) };
    arms.push(with_defaults("noodle", &noodle.urdf().unwrap()));
    let mut subjects: Vec<Subject> = arms.into_iter().map(Subject::new).collect();
    for (name, tips, distance) in CELLS {
        let text = std::fs::read_to_string(urdf_path(&format!("{name}.urdf"))).unwrap();
        for seed in 0..WORLDS {
            let arm = Arm { name: format!("{name} in a cell"), ..Arm::from_text(&text, "base_link", tips) };
            let surroundings = Surroundings::new(&arm, &text, distance, &mut Random::new(seed));
            subjects.push(Subject { surroundings: Some(surroundings), ..Subject::new(arm) });
        }
    }
    subjects
}

fn with_defaults(name: &str, urdf: &str) -> Arm {
    let robot = Robot::from_urdf(urdf).unwrap();
    let chain = Arc::new(urdf_ik::robot::Chain::with_defaults(&robot, None, &[]).unwrap());
    Arm { name: name.to_owned(), robot, chain }
}

impl Subject {
    fn new(arm: Arm) -> Self {
        let newton = arm.solver();
        let methods: [(&str, Method); 5] = [
            ("jacobian", Method::default()),
            ("pseudoinverse", JacobianStep::Pseudoinverse.into()),
            ("fabrik", FabrikOptions::default().into()),
            ("plain fabrik", FabrikOptions::new(0, false).into()),
            ("closed form", Method::ClosedForm),
        ];
        // Few chains have a closed form.
        let solver = |(name, method)| Some((name, newton.with_method(method).ok()?));
        Self { solvers: methods.into_iter().filter_map(solver).collect(), surroundings: None, arm }
    }

    /// A random robot.
    pub fn random(random: &mut Random) -> Self {
        const AXES: [Axes; 8] = [
            Axes::Any,
            Axes::Square,
            Axes::Parallel,
            Axes::NearlyParallel(1e-6),
            Axes::AntiParallel,
            Axes::Intersecting,
            Axes::Coincident,
            Axes::Mixed,
        ];
        let axes = AXES[random.below(AXES.len())];
        let joints = 1 + random.below(9);
        let recipe = if random.once_in(2) {
            Recipe::plain(axes, joints)
        } else {
            Recipe::tree(axes, joints, 1 + random.below(joints.min(3)))
        };
        let (chain, urdf) = recipe.make(random);
        Self::new(Arm { name: "random".to_owned(), robot: Robot::from_urdf(&urdf).unwrap(), chain })
    }
}

impl Surroundings {
    fn new(arm: &Arm, urdf: &str, distance: f64, random: &mut Random) -> Self {
        let Arm { robot, chain, .. } = arm;
        let shapes = LinkShapes::of_urdf(urdf, robot, &MeshFolders::new([], None)).unwrap();
        let pairs = Pairs::of_chain(robot, chain, &shapes, None).unwrap();
        let mut world = World::default();
        for index in 0..OBSTACLES {
            let [a, b, c] = [(); 3].map(|()| random.between(0.05, 0.2));
            let geometry = match index % 3 {
                0 => Geometry::Box { size: [a, b, c] },
                1 => Geometry::Sphere { radius: a },
                _ => Geometry::Cylinder { radius: a, length: b },
            };
            let mut obstacle = Obstacle::default();
            obstacle.add_primitive(geometry, &Isometry3::identity()).unwrap();
            let turn = UnitQuaternion::from_scaled_axis(random.direction() * random.between(0.0, PI));
            let pose = Isometry3::from_parts(random.vector(distance).into(), turn);
            world.add(&format!("obstacle{index}"), Arc::new(obstacle), pose).unwrap();
        }
        let scene = Scene::new(robot, chain, &shapes, &pairs, &world, &robot.neutral_positions()).unwrap();
        Self { shapes, pairs, world, scene }
    }
}
