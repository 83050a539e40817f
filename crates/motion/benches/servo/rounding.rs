//! Translations with noise of the size of rounding errors on a rotation: does it cost distance?

use nalgebra::Vector3;
use rayon::prelude::*;

use crate::common::Random;
use crate::starts::Case;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, follow, mean, translation};
use crate::watch::{Subject, from_line, small};

/// Speed \[m/s\] and duration \[s\] of the command.
const SPEED: f64 = 0.02;
const SECONDS: f64 = 3.0;
/// Amplitudes of the noise \[rad/s\].
const NOISES: [f64; 4] = [1e-15, 1e-12, 1e-9, 1e-3];
/// Least distance as a fraction of that without noise: of all cases together, and of each one.
const TOGETHER: f64 = 0.97;
const EACH: f64 = 0.5;
/// Distance without noise below which a case does not count \[m\].
const SHORT: f64 = 0.1 * SPEED * SECONDS;

/// Distances without noise, and with each \[m\].
type Ways = (f64, [f64; NOISES.len()]);

fn judge(subject: &Subject, seed: u64, scope: &Scope) -> Ways {
    let case = Case::new(subject, seed);
    let direction: Vector3<f64> = (case.twist.fixed_rows::<3>(0) + case.twist.fixed_rows::<3>(3)).normalize();
    let line = translation(&(direction * SPEED));
    let way = |noise: f64| {
        let mut random = Random::new(seed);
        let noisy = (0..scope.count(SECONDS)).map(|_| {
            let mut twist = line;
            twist[4] = noise * random.between(-1.0, 1.0);
            twist
        });
        let run = follow(subject, &case.start, &noisy.collect::<Vec<_>>(), scope.period);
        let [first, last] = [0, run.positions.len() - 1].map(|sample| subject.pose(&run.positions[sample]));
        from_line(&first, &line, &last).1
    };
    (way(0.0), NOISES.map(way))
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let ways: Vec<Ways> = scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope)).collect();
    let ways: Vec<Ways> = ways.into_iter().filter(|(silent, _)| *silent > SHORT).collect();
    let mut figures = Vec::new();
    for (index, noise) in NOISES.into_iter().enumerate() {
        let together = mean(ways.iter().map(|(_, noisy)| noisy[index])) / mean(ways.iter().map(|(silent, _)| *silent));
        let lost = ways.iter().filter(|(silent, noisy)| noisy[index] < EACH * silent).count();
        figures.extend([
            Figure::new(&format!("{noise:.0e} rad/s: distance over that without noise"), together).at_least(TOGETHER),
            Figure::new("  cases that lose more than half", small(lost)).at_most(0.0),
        ]);
    }
    print_figures(&subject.arm.name, &format!("translations with rounding noise, {} cases", ways.len()), &figures)
}
