//! Poses of a hand that leads beyond reach and back: does the tip return?

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, Servo, ServoOptions};

use crate::common::Random;
use crate::common::hand::normal;
use crate::table::{Figure, print_figures};
use crate::tip_motion::{Scope, comfortable, default_servo};
use crate::watch::{Input, Run, Subject, count, small, twist_between};

/// The hand moves out by this distance \[m\] and back in twice this time \[s\], and rests as long as one way took.
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

/// A start, and the direction in which the hand moves.
struct Case {
    start: Vec<f64>,
    home: Isometry3<f64>,
    direction: Vector3<f64>,
}

impl Case {
    fn new(subject: &Subject, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let start = comfortable(subject, &mut random);
        let direction = normal(&mut random).fixed_rows::<3>(0).normalize();
        Self { home: subject.pose(&start), start, direction }
    }

    fn target(&self, time: f64) -> Isometry3<f64> {
        let away = FAR * (1.0 - (time / ONE_WAY - 1.0).abs()).max(0.0);
        moved(&self.home, &(self.direction * away))
    }

    /// The run of the servo, displayed after each period.
    fn run(&self, subject: &Subject, period: f64, means: Means, mut show: impl FnMut(f64, &Servo)) -> Run {
        let (mut servo, mut run) = (default_servo(subject, &self.start), Run::new(period, &self.start));
        for sample in 0..count(3.0 * ONE_WAY, period) {
            let time = small(sample) * period;
            let target = self.target(time);
            let input = match means {
                Means::Pose => Input::Pose(target),
                Means::Twist => Input::twist(&towards(&subject.pose(servo.positions()), &target), Axes::Base),
            };
            run.step(&mut servo, &input);
            show(time, &servo);
        }
        run
    }
}

/// Distance from the start at the end \[m\].
fn judge(subject: &Subject, seed: u64, scope: &Scope, means: Means) -> (f64, Run) {
    let case = Case::new(subject, seed);
    let run = case.run(subject, scope.period, means, |_, _| ());
    let end = subject.pose(&run.positions[run.positions.len() - 1]);
    ((end.translation.vector - case.home.translation.vector).norm(), run)
}

/// Prints the distance from the commanded pose and the report of the servo every 0.1 s.
pub fn replay(subject: &Subject, seed: u64, period: f64) {
    let case = Case::new(subject, seed);
    println!(
        "start {:?}\ndirection {:?}\ntime: distance [m], turn [rad] | angle, share, holds | positions",
        case.start,
        case.direction.as_slice()
    );
    let mut next = 0.0;
    case.run(subject, period, Means::Pose, |time, servo| {
        if time < next {
            return;
        }
        next += 0.1;
        let way = twist_between(&subject.pose(servo.positions()), &case.target(time), 1.0);
        let [distance, turn] = [0, 3].map(|row| way.fixed_rows::<3>(row).norm());
        let (report, positions) = (servo.report(), servo.positions());
        println!(
            "{time:.1}: {distance:.4} {turn:.3} | {:.2} {:.2} {:?} | {positions:.3?}",
            report.angle, report.share, report.holds
        );
    });
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
