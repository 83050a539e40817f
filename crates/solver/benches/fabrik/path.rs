//! Smoothness of the joint positions along a path, solved pose by pose from the previous positions.

use std::f64::consts::TAU;

use crate::common::measure::number;
use crate::common::{Arm, Random};
use crate::{WAYS, Way, ratio};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use urdf_ik::robot::ChainPoses;
use urdf_ik::solver::{Mode, Problem, Target};

/// Poses of one round.
const STEPS: u32 = 500;
/// Rounds. The first is not counted, because the arm is still settling in it.
const ROUNDS: u32 = 3;
/// Radius of the circle, of the arm's extent from its base to its tip.
const RADIUS: f64 = 0.12;

/// A pose of the circle: the tip moves around it and nods by up to 0.2 rad.
fn pose(start: &Isometry3<f64>, radius: f64, step: u32) -> Isometry3<f64> {
    let angle = TAU * f64::from(step) / f64::from(STEPS);
    let (sine, cosine) = angle.sin_cos();
    let shift = Translation3::new(radius * (cosine - 1.0), radius * sine, 0.5 * radius * sine);
    let nod = UnitQuaternion::from_scaled_axis(Vector3::new(0.2 * sine, 0.1 * (1.0 - cosine), 0.0));
    Isometry3::from_parts(shift * start.translation, nod * start.rotation)
}

/// The results of a path.
#[derive(Default)]
struct Course {
    missed: usize,
    cycles: usize,
    /// \[µs\]
    time: f64,
    /// The largest move of a joint between consecutive poses, and the sum of all moves \[rad\].
    largest: f64,
    travel: f64,
    /// The root of the mean squared second difference of the joint positions \[rad\].
    roughness: f64,
    /// Distance of the joint positions after the last round from those after the round before \[rad\].
    drift: f64,
    solves: usize,
}

impl Course {
    fn of(arm: &Arm, way: Way, from: &[f64]) -> Self {
        let solver = way.solver(arm);
        let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
        let mut poses = ChainPoses::new(&arm.chain);
        arm.chain.forward_kinematics(from, &mut poses);
        let start = poses.tips()[0];
        let radius = RADIUS * start.translation.vector.norm();
        let free = vec![f64::INFINITY; from.len()];
        let mut course = Self::default();
        let mut configurations = vec![from.to_vec()];
        for step in 1..=ROUNDS * STEPS {
            let targets = [Target::new(0, pose(&start, radius, step))];
            let seed = configurations.last().map_or(from, Vec::as_slice);
            let problem = Problem::new(&targets, seed).with_mode(Mode::Track { max_step: &free });
            let answered = solver.solve(&problem, &mut scratch, &mut solution).is_ok();
            if step > STEPS {
                course.missed += usize::from(!answered || !solution.is_solved());
                course.cycles += solution.iterations;
                course.time += solution.elapsed.as_secs_f64() * 1e6;
                course.solves += 1;
            }
            configurations.push(solution.positions.clone());
        }
        course.judge(&configurations);
        course
    }

    fn judge(&mut self, configurations: &[Vec<f64>]) {
        let round = STEPS as usize;
        let counted = &configurations[round..];
        let norm = |entries: &mut dyn Iterator<Item = f64>| entries.map(|entry| entry * entry).sum::<f64>().sqrt();
        for pair in counted.windows(2) {
            let moves: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| (b - a).abs()).collect();
            self.largest = moves.iter().copied().fold(self.largest, f64::max);
            self.travel += moves.iter().sum::<f64>();
        }
        let mut squares = 0.0;
        for three in counted.windows(3) {
            let bend = three[0].iter().zip(&three[1]).zip(&three[2]).map(|((a, b), c)| a - 2.0 * b + c);
            squares += bend.map(|entry| entry * entry).sum::<f64>();
        }
        self.roughness = (squares / number(counted.len() - 2)).sqrt();
        let (last, before) =
            (&configurations[configurations.len() - 1], &configurations[configurations.len() - 1 - round]);
        self.drift = norm(&mut last.iter().zip(before).map(|(a, b)| a - b));
    }
}

/// The start of the path: the first random configuration from which Newton steps follow the path without a miss.
fn beginning(arm: &Arm) -> Option<Vec<f64>> {
    let mut random = Random::new(41);
    let mut configurations = (0..200).map(|_| random.positions(&arm.chain));
    configurations.find(|from| Course::of(arm, WAYS[0], from).missed == 0)
}

/// The four ways on every arm.
pub fn compare(arms: &[Arm]) {
    println!(
        "\nA closed path of {STEPS} poses, pose by pose from the last positions (`Mode::Track`), the second and third round;"
    );
    println!("one without misses of Newton steps:\n");
    println!(
        "| arm | way | missed | cycles a pose | time a pose | largest step | travel | roughness | drift a round |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for arm in arms {
        let Some(from) = beginning(arm) else {
            println!("| {} | no such path was found | | | | | | | |", arm.name);
            continue;
        };
        for way in WAYS {
            let course = Course::of(arm, way, &from);
            println!(
                "| {} | {} | {} | {:.1} | {:.1} µs | {:.4} rad | {:.1} rad | {:.2e} rad | {:.1e} rad |",
                arm.name,
                way.name,
                course.missed,
                ratio(course.cycles, course.solves),
                course.time / number(course.solves),
                course.largest,
                course.travel,
                course.roughness,
                course.drift,
            );
        }
    }
}
