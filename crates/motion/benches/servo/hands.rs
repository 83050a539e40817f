//! Hand motion on six axes for 10 s: does the tip ever stop although motion is feasible, and how far does it follow?

use nalgebra::Vector6;
use rayon::prelude::*;

use crate::common::Random;
use crate::common::hand::hand_sequence;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, condition_number, follow, is_feasible, mean, tip_twists, weighed};
use crate::watch::{Run, Subject, Usage, count, small};

const SECONDS: f64 = 10.0;
/// Speed above which the hand commands motion \[m/s\].
const ACTIVE: f64 = 0.02;
/// Fraction of the commanded speed below which the tip stalls, and above which its direction counts.
const STALLED: f64 = 0.05;
const MOVING: f64 = 0.1;
/// Duration of a stall that counts \[s\], and its least fraction with a command.
const LONG: f64 = 1.0;
const MOSTLY_ACTIVE: f64 = 0.7;
/// Samples from one test of feasibility to the next.
const STRIDE: usize = 5;
/// Least progress with six or more joints, and with fewer.
const PROGRESS: [f64; 2] = [0.73, 0.45];

/// A stall of over a second.
struct Stall {
    seconds: f64,
    /// Motion was feasible for most of it.
    is_feasible: bool,
    lasts_to_end: bool,
}

/// The judgement of a sequence.
struct Judged {
    stalls: Vec<Stall>,
    /// Motion along the command over the commanded motion.
    progress: f64,
    /// Median and ninth decile of the angle to the command \[deg\].
    angles: [f64; 2],
    /// Fraction of the commanded time with motion.
    moving: f64,
    usage: Usage,
}

/// A start and the commands of a hand.
fn sequence(subject: &Subject, seed: u64, period: f64) -> (Vec<f64>, Vec<Vector6<f64>>) {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    (start, hand_sequence(&mut random, period, count(SECONDS, period)))
}

fn judge(subject: &Subject, seed: u64, period: f64) -> Judged {
    let (start, commands) = sequence(subject, seed, period);
    let run = follow(subject, &start, &commands, period);
    let (moved, wished): (_, Vec<_>) = (tip_twists(subject, &run), commands.iter().map(weighed).collect());
    let pairs = || moved.iter().zip(&wished);
    let progress = pairs().map(|(moved, wished)| moved.dot(wished)).sum::<f64>()
        / wished.iter().map(Vector6::norm_squared).sum::<f64>();
    let active = || pairs().filter(|(_, wished)| wished.norm() > ACTIVE);
    let mut angles: Vec<f64> = active()
        .filter(|(moved, wished)| moved.norm() > MOVING * wished.norm())
        .map(|(moved, wished)| moved.angle(wished).to_degrees())
        .collect();
    angles.sort_by(f64::total_cmp);
    let decile = |tenths: usize| angles.get(angles.len() * tenths / 10).copied().unwrap_or(90.0);
    Judged {
        stalls: stalls(subject, &run, &commands, &moved),
        progress,
        angles: [decile(5), decile(9)],
        moving: small(angles.len()) / small(active().count()),
        usage: run.usage(subject),
    }
}

/// The stalls of over a second.
fn stalls(subject: &Subject, run: &Run, commands: &[Vector6<f64>], moved: &[Vector6<f64>]) -> Vec<Stall> {
    let is_active = |sample: usize| weighed(&commands[sample]).norm() > ACTIVE;
    let is_stalled = |sample: usize| {
        let wished = weighed(&commands[sample]);
        !is_active(sample) || moved[sample].dot(&wished) < STALLED * wished.norm_squared()
    };
    let (mut stalls, mut from) = (Vec::new(), 0);
    for to in 0..=moved.len() {
        if to < moved.len() && is_stalled(to) {
            continue;
        }
        let samples = from..to;
        from = to + 1;
        let active = small(samples.clone().filter(|sample| is_active(*sample)).count());
        if samples.len() <= count(LONG, run.period) || active <= MOSTLY_ACTIVE * small(samples.len()) {
            continue;
        }
        let tested = samples.clone().step_by(STRIDE).filter(|sample| is_active(*sample));
        let feasible = tested.map(|s| f64::from(u8::from(is_feasible(subject, &run.positions[s], &commands[s]))));
        stalls.push(Stall {
            seconds: small(samples.len()) * run.period,
            is_feasible: mean(feasible) > 0.5,
            lasts_to_end: samples.end == moved.len(),
        });
    }
    stalls
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let judged: Vec<Judged> =
        scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope.period)).collect();
    let stuck = |judged: &Judged| judged.stalls.iter().any(|stall| stall.is_feasible);
    let seeds: Vec<u64> =
        scope.seeds.clone().zip(&judged).filter(|(_, judged)| stuck(judged)).map(|(s, _)| s).collect();
    let stalls = || judged.iter().flat_map(|judged| &judged.stalls);
    let feasible = || stalls().filter(|stall| stall.is_feasible);
    let of = |value: fn(&Judged) -> f64| mean(judged.iter().map(value));
    let least = PROGRESS[usize::from(subject.joints() < 6)];
    let figures = [
        Figure::new("sequences with a stall, motion feasible", small(seeds.len())).at_most(0.0),
        Figure::new("time in such stalls [s]", feasible().map(|stall| stall.seconds).sum()),
        Figure::new("such stalls to the end", small(feasible().filter(|stall| stall.lasts_to_end).count())),
        Figure::new("time in all stalls [s]", stalls().map(|stall| stall.seconds).sum()),
        Figure::new("progress", of(|judged| judged.progress)).at_least(least),
        Figure::new("angle to the command, median [deg]", of(|judged| judged.angles[0])),
        Figure::new("angle to the command, 90 % [deg]", of(|judged| judged.angles[1])),
        Figure::new("moving, share of the time", of(|judged| judged.moving)),
        Figure::bounds(judged.iter().map(|judged| &judged.usage)),
    ];
    let title = format!("{} hand sequences of 10 s; with a stall: {seeds:?}", judged.len());
    print_figures(&subject.arm.name, &title, &figures)
}

/// Prints a sequence every 0.1 s.
pub fn replay(subject: &Subject, seed: u64, period: f64) {
    let (start, commands) = sequence(subject, seed, period);
    let run = follow(subject, &start, &commands, period);
    let moved = tip_twists(subject, &run);
    println!("start {start:?}\ntime: commanded, moved [m/s], angle [deg], feasible | condition number | positions");
    for sample in (0..moved.len()).step_by(count(0.1, period)) {
        let (wished, positions) = (weighed(&commands[sample]), &run.positions[sample]);
        println!(
            "{:.1}: {:.3} {:.3} {:.0} {} | {:.1} | {positions:.3?}",
            small(sample) * period,
            wished.norm(),
            moved[sample].norm(),
            moved[sample].angle(&wished).to_degrees(),
            is_feasible(subject, positions, &commands[sample]),
            condition_number(subject, positions),
        );
    }
    println!("{:?}", run.usage(subject));
}
