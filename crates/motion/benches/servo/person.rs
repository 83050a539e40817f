//! A person with tremor, who moves around a position and pulls back to it if the tip is stuck.

use nalgebra::Vector6;
use rayon::prelude::*;
use urdf_ik::motion::servo::Axes;

use crate::common::Random;
use crate::common::hand::{Hand, Tremor};
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, default_servo, mean, weighed};
use crate::watch::{Input, Subject, small, twist_between};

const MINUTES: f64 = 5.0;
/// Gain of the attraction to the start \[1/s\], and the size of the tremor relative to the command.
const HOMING: f64 = 0.4;
const TREMOR: f64 = 0.03;
/// Pulling back: gain \[1/s\], maximum speed \[m/s\] and duration \[s\].
const PULL: f64 = 2.0;
const PULL_SPEED: f64 = 0.1;
const PULLING: f64 = 2.0;
/// Fraction of the commanded speed below which the tip is stuck, and the time after which the person notices \[s\].
const STUCK: f64 = 0.05;
const NOTICED: f64 = 0.7;
/// Time of motion that compensates for a time of being stuck, as a ratio.
const FORGOTTEN: usize = 5;
/// Maximum time of being stuck in five minutes \[s\].
const MOST: f64 = 5.0;

/// The minutes of a person.
struct Minutes {
    stuck: f64,
    pulls: usize,
    stuck_at_end: bool,
}

fn judge(subject: &Subject, seed: u64, scope: &Scope) -> Minutes {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    let mut servo = default_servo(subject, &start);
    let home = subject.pose(&start);
    let (mut hand, mut tremor, mut tip) = (Hand::new(scope.period), Tremor::new(scope.period), home);
    let [mut stuck, mut noticed, mut pulling, mut pulls] = [0_usize; 4];
    for _ in 0..scope.count(60.0 * MINUTES) {
        let (motion, shaking) = (hand.next(&mut random), tremor.next(&mut random));
        let away = twist_between(&tip, &home, 1.0);
        let mut twist = if pulling > 0 { pull(&away) } else { motion + HOMING * away };
        pulling = pulling.saturating_sub(1);
        let speed = weighed(&twist).norm();
        twist += TREMOR * speed * shaking.component_div(&weighed(&Vector6::repeat(1.0)));
        Input::twist(&twist, Axes::Base).apply(&mut servo, scope.period);
        let next = subject.pose(servo.positions());
        let moved = weighed(&twist_between(&tip, &next, scope.period)).norm();
        tip = next;
        let is_stuck = moved < STUCK * weighed(&twist).norm();
        stuck += usize::from(is_stuck);
        noticed = if is_stuck { noticed + 1 } else { noticed.saturating_sub(FORGOTTEN) };
        if noticed > scope.count(NOTICED) && pulling == 0 {
            (pulling, pulls) = (scope.count(PULLING), pulls + 1);
        }
    }
    Minutes { stuck: small(stuck) * scope.period, pulls, stuck_at_end: noticed > scope.count(NOTICED) }
}

/// The twist towards the start, at most at the pulling speed.
fn pull(away: &Vector6<f64>) -> Vector6<f64> {
    let distance = weighed(away).norm();
    away * (PULL_SPEED.min(PULL * distance) / distance.max(1e-6))
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let persons: Vec<Minutes> = scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope)).collect();
    let most = persons.iter().map(|person| person.stuck).fold(0.0, f64::max);
    let figures = [
        Figure::new("stuck, longest [s]", most).at_most(MOST),
        Figure::new("stuck, mean [s]", mean(persons.iter().map(|person| person.stuck))),
        Figure::new("pulled back, mean", mean(persons.iter().map(|person| small(person.pulls)))),
        Figure::new("stuck at the end", small(persons.iter().filter(|person| person.stuck_at_end).count())),
    ];
    print_figures(
        &subject.arm.name,
        &format!("{} persons with tremor, {MINUTES} minutes each", persons.len()),
        &figures,
    )
}
