//! Poses of a hand that leads beyond reach and back: does the tip return?

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, ServoOptions};

use crate::common::Random;
use crate::common::hand::normal;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, default_servo};
use crate::watch::{Run, Subject, Wish, small, twist_between};

/// The hand moves out by so much \[m\] and back in twice this time \[s\], and rests as long as one way took.
const FAR: f64 = 0.6;
const ONE_WAY: f64 = 2.0;
/// Gain of the loop that turns poses into twists \[1/s\].
const GAIN: f64 = 6.0;
/// Distance up to which the tip has returned \[m\].
const RETURNED: f64 = 5e-3;
/// Least fraction that returns with six or more joints, and with fewer.
const LEAST: [f64; 2] = [14.0 / 16.0, 11.0 / 16.0];

/// A way to command poses.
#[derive(Clone, Copy)]
enum Means {
    Pose,
    /// Twists by a loop outside the servo.
    Twist,
}

/// Distance from the start at the end \[m\].
fn judge(subject: &Subject, seed: u64, scope: &Scope, means: Means) -> (f64, Run) {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    let direction = normal(&mut random).fixed_rows::<3>(0).normalize();
    let home = subject.pose(&start);
    let (mut servo, mut run) = (default_servo(subject, &start), Run::new(scope.period, &start));
    for sample in 0..scope.count(3.0 * ONE_WAY) {
        let time = small(sample) * scope.period;
        let away = FAR * (1.0 - (time / ONE_WAY - 1.0).abs()).max(0.0);
        let target = moved(&home, &(direction * away));
        let wish = match means {
            Means::Pose => Wish::Pose(target),
            Means::Twist => Wish::twist(&towards(&subject.pose(servo.positions()), &target), Axes::Base),
        };
        run.step(&mut servo, &wish);
    }
    let end = subject.pose(servo.positions());
    ((end.translation.vector - home.translation.vector).norm(), run)
}

fn moved(pose: &Isometry3<f64>, by: &Vector3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(pose.translation.vector + by), pose.rotation)
}

/// A twist towards a pose, not faster than the default speeds.
fn towards(tip: &Isometry3<f64>, target: &Isometry3<f64>) -> Vector6<f64> {
    let twist = twist_between(tip, target, 1.0 / GAIN);
    let [linear, angular] = [0, 3].map(|row| twist.fixed_rows::<3>(row).norm());
    let ServoOptions { linear_speed, angular_speed, .. } = ServoOptions::DEFAULT;
    twist * (linear_speed / linear).min(angular_speed / angular).min(1.0)
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let least = LEAST[usize::from(subject.joints() < 6)];
    let mut figures = Vec::new();
    for (means, name) in [(Means::Pose, "poses"), (Means::Twist, "twists of an outer loop")] {
        let judged: Vec<_> =
            scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope, means)).collect();
        let mut apart: Vec<f64> = judged.iter().map(|(apart, _)| *apart).collect();
        apart.sort_by(f64::total_cmp);
        let returned = small(apart.iter().filter(|apart| **apart <= RETURNED).count()) / small(apart.len());
        let returned = Figure::new(&format!("{name}: share that returns"), returned);
        let usages: Vec<_> = judged.iter().map(|(_, run)| run.usage(subject)).collect();
        figures.extend([
            if matches!(means, Means::Pose) { returned.at_least(least) } else { returned },
            Figure::new("  distance from the start, median [m]", apart[apart.len() / 2]),
            Figure::new("  distance from the start, maximum [m]", apart[apart.len() - 1]),
            Figure::bounds(usages.iter()),
        ]);
    }
    print_figures(&subject.arm.name, "poses beyond reach and back", &figures)
}
