//! Pulling back from the end of the line at which the arm waits, with noise on the command.

use nalgebra::Vector6;
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, Servo};

use crate::common::Random;
use crate::common::hand::normal;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, default_servo, mean, tip_twists, weighed};
use crate::watch::{Input, Run, Subject, small};

/// Linear speed of the command \[m/s\].
const SPEED: f64 = 0.1;
/// Maximum time until the arm waits, and the time of pulling back \[s\].
const TO_REST: f64 = 12.0;
const BACK: f64 = 2.0;
/// The tip waits if it moves by less than this \[m\] in this time \[s\], tested with this period \[s\].
const RESTS: f64 = 1e-4;
const WHILE: f64 = 0.5;
const TESTED: f64 = 0.1;
/// Distance at which a joint is at a limit \[rad or m\].
const AT_LIMIT: f64 = 0.02;
/// Standard deviation of the noise as a fraction of the command, and the least distance as a fraction of the first.
const NOISES: [(f64, f64); 4] = [(0.0, 1.0), (0.01, 0.9), (0.02, 0.9), (0.05, 0.6)];
/// Fraction of the commanded distance below which the arm is stuck.
const STUCK: f64 = 0.05;

/// An arm that waited, and was pulled back.
struct Pulled {
    seed: u64,
    at_limit: bool,
    /// Distance with each noise, as a fraction of the commanded one.
    ways: [f64; NOISES.len()],
}

fn judge(subject: &Subject, seed: u64, scope: &Scope) -> Option<Pulled> {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    let mut twist = normal(&mut random);
    twist *= SPEED / twist.fixed_rows::<3>(0).norm();
    if seed % 2 == 1 {
        twist.fixed_rows_mut::<3>(3).fill(0.0);
    }
    let (mut servo, mut run) = (default_servo(subject, &start), Run::new(scope.period, &start));
    let at = |positions: &[f64]| subject.pose(positions).translation.vector;
    while run.positions.len() < scope.count(TO_REST) {
        let input = Input::twist(&twist, Axes::Base);
        (0..scope.count(TESTED)).for_each(|_| run.step(&mut servo, &input));
        let before = run.positions.len().saturating_sub(scope.count(WHILE));
        if run.positions.len() > scope.count(2.0 * WHILE)
            && (at(servo.positions()) - at(&run.positions[before])).norm() < RESTS
        {
            let limited =
                |joint: usize| subject.room(joint, servo.positions()[joint]).iter().any(|room| *room < AT_LIMIT);
            let ways = NOISES.map(|(noise, _)| pull(subject, servo.clone(), &-twist, noise, scope, &mut random));
            return Some(Pulled { seed, at_limit: (0..subject.joints()).any(limited), ways });
        }
    }
    None
}

/// The distance along a twist with noise on its commanded axes, as a fraction of the commanded one.
fn pull(
    subject: &Subject,
    mut servo: Servo,
    twist: &Vector6<f64>,
    noise: f64,
    scope: &Scope,
    random: &mut Random,
) -> f64 {
    let mut run = Run::new(scope.period, servo.positions());
    let is_turn = twist.fixed_rows::<3>(3).norm() > 0.0;
    for _ in 0..scope.count(BACK) {
        let mut noise = normal(random) * (noise * twist.norm());
        if !is_turn {
            noise.fixed_rows_mut::<3>(3).fill(0.0);
        }
        run.step(&mut servo, &Input::twist(&(twist + noise), Axes::Base));
    }
    let wished = weighed(twist);
    mean(tip_twists(subject, &run).iter().map(|moved| moved.dot(&wished) / wished.norm_squared()))
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let pulled: Vec<Pulled> =
        scope.seeds.clone().into_par_iter().filter_map(|seed| judge(subject, seed, scope)).collect();
    let mut failed = 0;
    for (at_limit, place) in [(false, "singularity"), (true, "limit")] {
        let cases: Vec<&Pulled> = pulled.iter().filter(|pulled| pulled.at_limit == at_limit).collect();
        if cases.is_empty() {
            println!("\n{}: no arm waited at a {place}", subject.arm.name);
            continue;
        }
        let is_stuck = |pulled: &&&Pulled| pulled.ways.iter().any(|way| *way < STUCK);
        let stuck: Vec<u64> = cases.iter().filter(is_stuck).map(|pulled| pulled.seed).collect();
        let title = format!("pulled back from a {place}, {} cases; stuck: {stuck:?}", cases.len());
        let mut figures = Vec::new();
        let way = |index: usize| mean(cases.iter().map(|pulled| pulled.ways[index]));
        for (index, (noise, least)) in NOISES.into_iter().enumerate() {
            let stuck = cases.iter().filter(|pulled| pulled.ways[index] < STUCK).count();
            figures.extend([
                Figure::new(&format!("{} % noise: distance over the commanded", 100.0 * noise), way(index)),
                Figure::new("  over that without noise", way(index) / way(0)).at_least(least),
                Figure::new("  stuck", small(stuck)).at_most(0.0),
            ]);
        }
        failed += print_figures(&subject.arm.name, &title, &figures);
    }
    failed
}
