//! How often FABRIK meets its target with limited joints, without restarts and with them.
//!
//! `cargo run --release --example fabrik_limiter` prints a table. Targets are the tips of random configurations within the limits,
//! so that each has at least one exact solution; seeds are random too.

#[path = "../tests/common/random.rs"]
mod random;

use std::error::Error;

use clap::Parser;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use random::Random;
use urdf_ik::skeleton::limiter::{Cone, Joint, LimitedChain, Options, Outcome, Problem, Range};

#[derive(Parser)]
#[command(about = "Counts the targets that FABRIK meets with limited joints")]
struct Arguments {
    /// Chains with one target each, in every cell of the table.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    targets: u32,
    /// Distance with which a target counts as met, in metres.
    #[arg(long, default_value_t = 1e-6)]
    tolerance: f64,
    /// Number of differences between past cycles for Anderson acceleration; 0 for plain cycles.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(0..=20))]
    acceleration: u8,
}

fn rotations(random: &mut Random, joints: usize) -> Vec<UnitQuaternion<f64>> {
    let mut angle = || random.between(-3.1, 3.1);
    (0..joints).map(|_| UnitQuaternion::from_euler_angles(angle(), angle() / 2.0, angle())).collect()
}

/// A name and the joint of each index.
type Kind = (&'static str, fn(&mut Random, usize) -> Joint);

const KINDS: [Kind; 7] = [
    ("free", |_, _| Joint::free()),
    ("cone of 60°", |_, _| Joint::ball(Cone::circular(60_f64.to_radians()), Range::ALL)),
    ("cone of 30°", |_, _| Joint::ball(Cone::circular(30_f64.to_radians()), Range::ALL)),
    ("irregular cone, twist ±30°", |random, _| {
        let mut side = || random.between(5.0, 115.0).to_radians();
        let cone = Cone { up: side(), down: side(), left: side(), right: side() };
        Joint::ball(cone, Range::new(-30_f64.to_radians(), 30_f64.to_radians()))
    }),
    ("hinge, one axis, ±90°", |_, _| Joint::hinge(Vector3::z(), -90_f64.to_radians(), 90_f64.to_radians())),
    ("hinge, one axis, 0 to 90°", |_, _| Joint::hinge(Vector3::z(), 0.0, 90_f64.to_radians())),
    ("hinge, z and y by turns, ±90°", |_, index| {
        let axis = if index.is_multiple_of(2) { Vector3::z() } else { Vector3::y() };
        Joint::hinge(axis, -90_f64.to_radians(), 90_f64.to_radians())
    }),
];

/// The results of the targets of one cell.
#[derive(Default)]
struct Cell {
    solved: u32,
    without_restart: u32,
    cycles: usize,
}

fn cell(joint: fn(&mut Random, usize) -> Joint, joints: usize, arguments: &Arguments) -> Result<Cell, Box<dyn Error>> {
    let (mut random, mut cell) = (Random::new(7), Cell::default());
    for _ in 0..arguments.targets {
        let list = (0..joints).map(|index| joint(&mut random, index)).collect();
        let chain = LimitedChain::new(list, (0..joints).map(|_| random.between(0.1, 0.3)).collect())?;
        let options = Options { acceleration: usize::from(arguments.acceleration), ..Options::default() };
        let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
        // Without any cycle the solution is the seed, moved to what the limits allow.
        let (drawn, seed) = (rotations(&mut random, joints), rotations(&mut random, joints));
        let seeding = Options { iterations: 0, ..options };
        let (target, root) = (Point3::new(-9.0, 0.0, 0.0), Isometry3::identity());
        chain.solve(&Problem { target, root, seed: &drawn, options: seeding }, &mut scratch, &mut solution)?;
        let options = Options { tolerance: arguments.tolerance, ..options };
        let target = solution.points[joints];
        chain.solve(&Problem { target, root, seed: &seed, options }, &mut scratch, &mut solution)?;
        if solution.outcome == Outcome::Solved {
            cell.solved += 1;
            cell.without_restart += u32::from(solution.restarts == 0);
            cell.cycles += solution.iterations;
        }
    }
    Ok(cell)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    println!("every joint                    joints  first attempt [%]  with restarts [%]  cycles where solved");
    for (name, joint) in KINDS {
        for joints in [3, 6, 12, 30] {
            let Cell { solved, without_restart, cycles } = cell(joint, joints, &arguments)?;
            let percent = |count: u32| 100.0 * f64::from(count) / f64::from(arguments.targets);
            let mean = f64::from(u32::try_from(cycles)?) / f64::from(solved.max(1));
            println!("{name:30} {joints:6} {:18.1} {:18.1} {mean:20.1}", percent(without_restart), percent(solved));
        }
    }
    Ok(())
}
