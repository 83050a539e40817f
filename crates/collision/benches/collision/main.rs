//! Collision checks: `cargo bench --bench collision -- SCENES.json …`, with scene files as
//! `urdf_ik evaluate --avoid-collisions` reads them.
//!
//! For each file: the number of pairs; the time of `Scene::is_free` where a configuration is free and where it is
//! not. Configurations are the start, random ones and solutions of the target without regard to collisions. Each is
//! asked many times in turn with all others of its scene, of which the fastest counts.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use nalgebra::Isometry3;
use serde_json::Value;
use urdf_ik::collision::{Geometry, LinkShapes, Obstacle, Pairs, Scene, SceneScratch, Srdf, World};
use urdf_ik::robot::{Chain, MeshFolders, Robot};
use urdf_ik::solver::{Mode, Pick, Problem, Solver, SolverKind, Target};
use urdf_ik_testing::measure::{Times, timed, words};
use urdf_ik_testing::{self as common, pose_from_json};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Every n-th case is measured.
const STRIDE: usize = 5;
/// Random configurations in each scene.
const RANDOM: usize = 20;
/// Solutions in each scene.
const SOLUTIONS: usize = 20;
/// Repetitions of each query.
const RUNS: usize = 7;
/// The margin of `urdf_ik evaluate` \[m\].
const MARGIN: f64 = 1e-4;

fn main() -> Fallible<()> {
    words().iter().try_for_each(|file| measure(Path::new(file)))
}

struct Given {
    robot: Robot,
    chain: Arc<Chain>,
    shapes: LinkShapes,
    pairs: Pairs,
}

fn measure(path: &Path) -> Fallible<()> {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let text = |name: &str| file[name].as_str().ok_or(format!("{}: no {name}", path.display()));
    let urdf_path = folder.join(text("urdf")?);
    let urdf = std::fs::read_to_string(&urdf_path)?;
    let robot = Robot::from_urdf(&urdf)?;
    let chain = Arc::new(Chain::new(&robot, text("base_link")?, &[text("tip_link")?])?);
    let folders = MeshFolders::from_environment(Some(&urdf_path));
    let (shapes, loaded) = timed(|| LinkShapes::of_urdf(&urdf, &robot, &folders));
    let srdf = Srdf::from_file(&folder.join(text("srdf")?))?;
    let shapes = shapes?;
    let pairs = Pairs::of_chain(&robot, &chain, &shapes, Some(&srdf))?;
    let given = Given { robot, chain, shapes, pairs };
    let solver = Solver::prepare(SolverKind::Jacobian, &given.chain)?;
    let (mut free, mut colliding, mut numbers) = (Times::default(), Times::default(), oorandom::Rand64::new(7));
    let (mut pairs, mut made) = (0, 0.0);
    for case in file["cases"].as_array().ok_or("no cases")?.iter().step_by(STRIDE) {
        let (scene, taken) = timed(|| scene(&given, case));
        let scene = scene?;
        made += taken;
        pairs = pairs.max(scene.pairs().len());
        let configurations = configurations(&given, case, &solver, &mut numbers)?;
        time(&scene, &configurations, &mut free, &mut colliding);
    }
    let line = |times: &Times| {
        let [median, p90, p99] = [50, 90, 99].map(|percent| 1e3 * times.percentile(percent));
        let (count, mean) = (times.0.len(), 1e3 * times.mean());
        format!("{count} configurations, median {median:.0} ns, mean {mean:.0}, p90 {p90:.0}, p99 {p99:.0}")
    };
    println!(
        "{}: loaded in {:.0} ms, up to {pairs} pairs, scenes made in {:.0} us",
        text("robot")?,
        loaded / 1e3,
        made / 70.0
    );
    println!("  free:      {}\n  colliding: {}", line(&free), line(&colliding));
    Ok(())
}

fn scene(given: &Given, case: &Value) -> Fallible<Scene> {
    let mut world = World::default();
    for obstacle in case["obstacles"].as_array().ok_or("no obstacles")? {
        let number = |name: &str| obstacle[name].as_f64().ok_or(format!("no {name}"));
        let geometry = match obstacle["type"].as_str() {
            Some("box") => Geometry::Box { size: common::numbers(&obstacle["size"]) },
            Some("cylinder") => Geometry::Cylinder { radius: number("radius")?, length: number("length")? },
            _ => Geometry::Sphere { radius: number("radius")? },
        };
        let mut made = Obstacle::default();
        made.add_primitive(geometry, &Isometry3::identity())?;
        world.add(obstacle["id"].as_str().ok_or("no id")?, Arc::new(made), pose_from_json(obstacle))?;
    }
    let Given { robot, chain, shapes, pairs } = given;
    Ok(Scene::new(robot, chain, shapes, pairs, &world, &rest(robot, case))?)
}

fn rest(robot: &Robot, case: &Value) -> Vec<f64> {
    let mut rest = robot.neutral_positions();
    for (name, value) in case["start"].as_object().into_iter().flatten() {
        if let (Some(joint), Some(value)) = (robot.movable_index(name), value.as_f64()) {
            rest[joint] = value;
        }
    }
    robot.apply_mimic(&mut rest);
    rest
}

fn configurations(
    given: &Given,
    case: &Value,
    solver: &Solver,
    numbers: &mut oorandom::Rand64,
) -> Fallible<Vec<Vec<f64>>> {
    let chain = &given.chain;
    let start = chain.positions_from(&rest(&given.robot, case));
    let mut all = vec![start.clone()];
    let mut random =
        || -> Vec<f64> { chain.variables().iter().map(|variable| variable.domain.at(numbers.rand_float())).collect() };
    all.extend((0..RANDOM).map(|_| random()));
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let target = [Target::new(0, pose_from_json(&case["target"]))];
    for random_seed in 0..SOLUTIONS {
        let seed = random();
        let mode = Mode::Search { pick: Pick::First, attempts: 10, random_seed: random_seed as u64 };
        solver.solve(&Problem::new(&target, &seed).with_mode(mode), &mut scratch, &mut solution)?;
        if solution.is_solved() {
            all.push(solution.positions.clone());
        }
    }
    Ok(all)
}

fn time(scene: &Scene, configurations: &[Vec<f64>], free: &mut Times, colliding: &mut Times) {
    let mut scratch = SceneScratch::default();
    let mut fastest = vec![(f64::INFINITY, false); configurations.len()];
    for _ in 0..RUNS {
        for (positions, fastest) in configurations.iter().zip(&mut fastest) {
            let (verdict, taken) = timed(|| scene.is_free(black_box(positions), MARGIN, &mut scratch));
            *fastest = (fastest.0.min(taken), verdict);
        }
    }
    if std::env::var("CHECK").is_ok() {
        for (positions, (_, verdict)) in configurations.iter().zip(&fastest) {
            scene.find_near(positions, MARGIN, &mut scratch);
            if scratch.near.is_empty() != *verdict {
                let near = scratch.near.first();
                println!("WRONG: said {verdict}: {:?} {:?}", near, near.map(|near| scene.pairs().nth(near.pair)));
            }
        }
    }
    for (taken, verdict) in fastest {
        if verdict { &mut *free } else { &mut *colliding }.0.push(taken);
    }
}
