//! Every chain of a folder of URDFs: `URDFS=FOLDER cargo bench --bench fabrik`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::common::measure::number;
use crate::common::{Arm, Random};
use crate::{WAYS, Way, ratio};
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::{Method, Mode, Pick, Problem, Solver};

/// Poses of each chain.
const POSES: usize = 300;
/// Largest number of starting points.
const ATTEMPTS: usize = 1000;
/// Chains with a longer reach \[m\] are skipped: some robots have a mobile base with prismatic joints of a million
/// metres, and 1e-5 m of that is below the resolution of a floating-point angle.
const MAX_REACH: f64 = 100.0;

/// All URDF files under a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "urdf") {
            found.push(path);
        }
    }
    Ok(())
}

/// The chains from the root to each leaf of the robot in a file that move their tip.
fn chains(path: &Path) -> Vec<Arm> {
    let Ok(robot) = Robot::from_urdf_file(path) else { return Vec::new() };
    let parents: HashSet<usize> = robot.joints().iter().map(|joint| joint.parent).collect();
    let leaves = robot.links().iter().enumerate().filter(|(index, _)| !parents.contains(index));
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let usable = |tip: &str| {
        let chain = Chain::with_defaults(&robot, None, &[tip]).ok()?.into();
        let arm = Arm { name: format!("{file} {tip}"), robot: robot.clone(), chain };
        let solver = Solver::prepare(Method::default(), &arm.chain).ok()?;
        solver.reach().iter().all(|reach| reach.tip.outer < MAX_REACH).then_some(arm)
    };
    leaves.filter_map(|(_, link)| usable(&link.name)).collect()
}

/// A key that distinguishes chains: the domains, and the tip position in one configuration.
fn signature(arm: &Arm) -> String {
    let positions: Vec<f64> = arm.chain.variables().iter().map(|variable| variable.domain.at(0.3)).collect();
    let domains = arm.chain.variables().iter().map(|variable| variable.domain).collect::<Vec<_>>();
    format!("{domains:?} {:.6}", arm.tip_poses(&positions)[0].translation.vector.norm())
}

/// The results of all chains by one way.
#[derive(Default)]
struct Tally {
    solves: usize,
    solved: usize,
    cycles: usize,
    /// \[µs\]
    time: f64,
    /// The chain with the most cycles per solve, and their number.
    worst: (f64, String),
}

impl Tally {
    fn add(&mut self, arm: &Arm, way: Way) {
        let solver = way.solver(arm);
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let (mut random, before) = (Random::new(51), self.cycles);
        let mode = Mode::Search { pick: Pick::First, attempts: ATTEMPTS, random_seed: 0 };
        for _ in 0..POSES {
            let targets = arm.targets_at(&random.positions(&arm.chain));
            let seed = random.positions(&arm.chain);
            let answered = solver.solve(&Problem::new(&targets, &seed).with_mode(mode), &mut scratch, &mut solution);
            self.solved += usize::from(answered.is_ok() && solution.is_solved());
            self.cycles += solution.iterations;
            self.time += solution.elapsed.as_secs_f64() * 1e6;
        }
        self.solves += POSES;
        let cycles = ratio(self.cycles - before, POSES);
        if cycles > self.worst.0 {
            self.worst = (cycles, arm.name.clone());
        }
    }
}

/// The accelerated ways on every chain under `folder`.
pub fn compare(folder: &Path) -> std::io::Result<()> {
    let mut paths = Vec::new();
    files(folder, &mut paths)?;
    let mut seen = HashSet::new();
    let arms: Vec<Arm> = paths.iter().flat_map(|path| chains(path)).filter(|arm| seen.insert(signature(arm))).collect();
    println!("\n{} different chains in {} files, {POSES} random reachable poses each", arms.len(), paths.len());
    println!("from random seeds, to 1e-5 m and rad, at most {ATTEMPTS} starting points:\n");
    println!("| way | solved | of | cycles | mean | most cycles |\n|---|---:|---:|---:|---:|---|");
    for way in &WAYS[..3] {
        let mut tally = Tally::default();
        for arm in &arms {
            tally.add(arm, *way);
        }
        let Tally { solves, solved, cycles, time, worst } = tally;
        println!(
            "| {} | {solved} | {solves} | {:.1} | {:.1} µs | {:.0} ({}) |",
            way.name,
            ratio(cycles, solves),
            time / number(solves),
            worst.0,
            worst.1,
        );
    }
    Ok(())
}
