//! Success rates with limited joints, without and with restarts.
//!
//! Targets are the ends of random configurations within the limits, so each has an exact solution; seeds are random
//! too.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use urdf_ik::skeleton::{
    Cone, Joint, Range, Root, Segment, Skeleton, SkeletonOptions, SkeletonProblem, SkeletonTarget,
};
use urdf_ik_testing::random::Random;

use super::Fallible;

/// Chains with one target each, per cell of the table.
const TARGETS: u32 = 200;

/// A name and the joint of each index.
type Kind = (&'static str, fn(&mut Random, usize) -> Joint);

const KINDS: [Kind; 7] = [
    ("cone of 180°", |_, _| Joint::ball(Cone::ALL, Range::ALL)),
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

fn rotations(random: &mut Random, joints: usize) -> Vec<UnitQuaternion<f64>> {
    let mut angle = || random.between(-3.1, 3.1);
    (0..joints).map(|_| UnitQuaternion::from_euler_angles(angle(), angle() / 2.0, angle())).collect()
}

fn cell(joint: fn(&mut Random, usize) -> Joint, joints: usize, options: SkeletonOptions) -> Fallible<Cell> {
    let (mut random, mut cell) = (Random::new(7), Cell::default());
    for _ in 0..TARGETS {
        let list: Vec<Joint> = (0..joints).map(|index| joint(&mut random, index)).collect();
        let segment = |(index, joint)| Segment::new(index, random.between(0.1, 0.3)).with_joint(joint);
        let chain = Skeleton::new(&list.into_iter().enumerate().map(segment).collect::<Vec<_>>())?;
        let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
        let root = Isometry3::identity();
        let (drawn, seed) = (rotations(&mut random, joints), rotations(&mut random, joints));
        let (drawn, seed) = (chain.place(&root, &drawn)?, chain.place(&root, &seed)?);
        // Without cycles the solution is the seed, moved into the limits.
        let seeding = options.with_iterations(0);
        let far = [SkeletonTarget::new(joints, Point3::new(-9.0, 0.0, 0.0))];
        let problem = SkeletonProblem { targets: &far, root: Root::Fixed, seed: &drawn, options: seeding };
        chain.solve(&problem, &mut scratch, &mut solution)?;
        let targets = [SkeletonTarget::new(joints, solution.configuration.points[joints])];
        let problem = SkeletonProblem { targets: &targets, root: Root::Fixed, seed: &seed, options };
        chain.solve(&problem, &mut scratch, &mut solution)?;
        if solution.is_solved() {
            cell.solved += 1;
            cell.without_restart += u32::from(solution.restarts == 0);
            cell.cycles += solution.iterations;
        }
    }
    Ok(cell)
}

/// Prints the table.
pub fn table() -> Fallible<()> {
    println!("\nTargets within limits met [%], without restarts and with up to 50, and mean cycles where met\n");
    println!("| every joint | joints | plain | | | depth 5 | | | with polish | | |\n|{}", "---|".repeat(11));
    let plain = SkeletonOptions::default().with_acceleration(0).with_polish(false);
    let ways = [plain, plain.with_acceleration(5), SkeletonOptions::default()];
    for (name, joint) in KINDS {
        for joints in [3, 6, 12, 30] {
            print!("| {name} | {joints} |");
            for options in ways {
                let Cell { solved, without_restart, cycles } = cell(joint, joints, options)?;
                let percent = |count: u32| 100.0 * f64::from(count) / f64::from(TARGETS);
                let mean = f64::from(u32::try_from(cycles)?) / f64::from(solved.max(1));
                print!(" {:.1} | {:.1} | {mean:.1} |", percent(without_restart), percent(solved));
            }
            println!();
        }
    }
    Ok(())
}
