//! Random starts, half of them with a joint near zero, and constant twists: is the tip on its line, and as fast as
//! possible?
//!
//! The line follows from the command and the published positions alone. A walk along the line finds how far it is from
//! limits and singularities.

use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, Servo, ServoOptions};

use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::walk::Walk;
use crate::watch::{Input, Run, Subject, count, from_line, small, twist_between};

const SECONDS: f64 = 2.0;
/// Twists: two of translation \[m/s\], two of rotation \[rad/s\].
const SPEEDS: [f64; 4] = [0.1, 0.5, 0.3, 1.5];
const PERIODS: [f64; 2] = [0.01, 0.002];
/// Distance of one joint from zero in every second start \[rad or m\].
const NEAR_ZERO: f64 = 0.05;
/// Multiple of the minimum time after which the speed counts, and its lower bound \[s\].
const LEAST_TIMES: f64 = 1.2;
const SETTLING: f64 = 0.3;
/// Time over which a servo reports its fraction of the speed \[s\].
const SHARE_TIME: f64 = 0.05;
/// Time for which a servo may report the start as following \[s\], and in multiples of the minimum time.
const START: f64 = 0.5;

/// A start and a twist.
pub struct Case {
    pub start: Vec<f64>,
    pub twist: Vector6<f64>,
    pub period: f64,
    /// The command, along the axes of the base or the tip.
    input: Input,
}

impl Case {
    pub fn new(subject: &Subject, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut start = random.positions(&subject.arm.chain);
        if seed % 2 == 1 {
            let joint = random.below(start.len());
            start[joint] = subject.domain(joint).clamp(random.between(-NEAR_ZERO, NEAR_ZERO));
        }
        let kind = usize::try_from(seed / 2 % 4).unwrap();
        let mut twist = Vector6::zeros();
        twist.fixed_rows_mut::<3>(3 * (kind / 2)).copy_from(&(random.direction() * SPEEDS[kind]));
        let pose = subject.pose(&start);
        let input = if random.once_in(2) {
            Input::twist(&twist, Axes::Base)
        } else {
            let inverse = pose.rotation.inverse();
            let [linear, angular] = [0, 3].map(|row| inverse * Vector3::from(twist.fixed_rows::<3>(row)));
            Input::twist(&Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z), Axes::Tip)
        };
        Self { start, twist, period: PERIODS[usize::try_from(seed / 8 % 2).unwrap()], input }
    }

    /// 0 for a translation, 1 for a rotation.
    pub fn kind(&self) -> usize {
        usize::from(self.twist.fixed_rows::<3>(0).norm() == 0.0)
    }

    /// The commanded twist with the tip at a pose, along the axes of the base link.
    pub fn twist_at(&self, pose: &Isometry3<f64>) -> Vector6<f64> {
        let Input::Twist(given) = &self.input else { return self.twist };
        let turn = if given.axes == Axes::Tip { pose.rotation } else { UnitQuaternion::identity() };
        let [linear, angular] = [given.linear, given.angular].map(|part| turn * part);
        Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
    }

    pub fn input(&self) -> &Input {
        &self.input
    }
}

/// A servo that waits on its line, with the default maximum speeds.
pub fn servo(subject: &Subject, start: &[f64]) -> Servo {
    let options = ServoOptions { max_deviation_angle: 0.0, slack: subject.slack, ..ServoOptions::default() };
    Servo::new(&subject.solver, &subject.limits, options, start).unwrap()
}

/// The report of a step: the fraction of the speed, the distance from the line, whether it follows.
struct Reported {
    share: f64,
    off_line: [f64; 2],
    follows: bool,
}

/// The observations of a case.
struct Observed {
    run: Run,
    reported: Vec<Reported>,
    /// Distance of the tip from its line \[m\] and \[rad\], and along it.
    apart: Vec<[f64; 2]>,
    along: Vec<f64>,
    /// Speed of the tip, as a fraction of the commanded one.
    speeds: Vec<f64>,
}

fn observe(subject: &Subject, case: &Case) -> Observed {
    let (mut servo, mut run) = (servo(subject, &case.start), Run::new(case.period, &case.start));
    let mut reported = vec![Reported { share: 0.0, off_line: [0.0; 2], follows: true }];
    for _ in 0..count(SECONDS, case.period) {
        let report = case.input.apply(&mut servo, case.period);
        reported.push(Reported { share: report.share, off_line: report.off_line, follows: report.holds.is_empty() });
        run.positions.push(servo.positions().to_vec());
    }
    let poses: Vec<Isometry3<f64>> = run.positions.iter().map(|positions| subject.pose(positions)).collect();
    let (apart, along) = poses.iter().map(|pose| from_line(&poses[0], &case.twist, pose)).unzip();
    let rows = 3 * case.kind();
    let speed = |pair: &[Isometry3<f64>]| {
        let moved = twist_between(&pair[0], &pair[1], case.period);
        moved.fixed_rows::<3>(rows).norm() / case.twist.norm()
    };
    let speeds = std::iter::once(0.0).chain(poses.windows(2).map(speed)).collect();
    Observed { run, reported, apart, along, speeds }
}

/// The judgement of a case; `None` where it does not apply.
struct Judged {
    usage: crate::watch::Usage,
    values: [Option<f64>; ROWS],
    /// Distance of the tip, as a fraction of the commanded one.
    way: f64,
}

const ROWS: usize = 10;

fn rows(slack: [f64; 2]) -> [Worst; ROWS] {
    let turn = |degrees: f64| degrees.to_radians();
    [
        Worst::new("translation: off the line [m]", 1e-3).usually(1e-4),
        Worst::new("rotation: off the line [rad]", turn(0.1)).usually(turn(0.02)),
        Worst::new("rotation: uncommanded axes, off [m]", 1.05 * slack[0] + 1e-4),
        Worst::new("translation: uncommanded axes, off [rad]", 1.05 * slack[1] + turn(0.02)),
        Worst::new("faster than the command, a share", 0.02),
        Worst::new("runs back, a share of the way of 2 s", 1e-4),
        Worst::new("nothing near: missing of the speed, a share", 5e-3),
        Worst::new("reported: share of the speed, off", 0.02),
        Worst::new("reported: distance from the line, off [m or rad]", 1e-4),
        Worst::new("reported OK: missing of the speed, a share", 0.1),
    ]
}

fn judge(subject: &Subject, case: &Case) -> Judged {
    let Observed { run, reported, apart, along, speeds } = observe(subject, case);
    let walk = Walk::new(subject, &case.start, &case.twist, SECONDS);
    let most = |part: usize| apart.iter().map(|apart| apart[part]).fold(0.0, f64::max);
    let (kind, speed) = (case.kind(), case.twist.norm());
    let back = along.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
    // The actual fraction over the last 50 ms.
    let window = count(SHARE_TIME, case.period);
    let share = |sample: usize| {
        let before = sample.saturating_sub(window);
        (along[sample] - along[before]) / (speed * small(sample - before) * case.period)
    };
    let time = |sample: usize| small(sample) * case.period;
    let settled = (LEAST_TIMES * walk.least_time).max(SETTLING);
    let missing = (1..along.len())
        .filter(|sample| time(*sample - 1) >= settled && along[*sample].max(0.0) < walk.free_way)
        .map(|sample| (1.0 - (along[sample] - along[sample - 1]) / (speed * case.period)).abs())
        .reduce(f64::max);
    let later = window..along.len();
    let report_error = later.clone().map(|sample| (reported[sample].share - share(sample)).abs()).fold(0.0, f64::max);
    let line_errors = later.clone().map(|sample| reported[sample].off_line[kind] - apart[sample][kind]);
    let start = (2.0 * walk.least_time).max(START);
    let lazy =
        later.filter(|sample| reported[*sample].follows && time(*sample) > start).map(|sample| 1.0 - share(sample));
    let frees_rotation = subject.solver.sensible_free_axes(0)[3..].contains(&true);
    let of = |wanted: usize, value: f64| (kind == wanted).then_some(value);
    let values = [
        of(0, most(0)),
        of(1, most(1)).filter(|_| !frees_rotation),
        of(1, most(0)),
        of(0, most(1)).filter(|_| !frees_rotation),
        Some(speeds.iter().fold(0.0, |most: f64, speed| most.max(speed - 1.0))),
        Some(back / (speed * SECONDS)),
        missing,
        Some(report_error),
        Some(line_errors.fold(0.0, |most: f64, off| most.max(off.abs()))),
        Some(lazy.fold(0.0, f64::max)),
    ];
    Judged { usage: run.usage(subject), values, way: along[along.len() - 1] / (speed * SECONDS) }
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let judged: Vec<Judged> =
        seeds.clone().into_par_iter().map(|seed| judge(subject, &Case::new(subject, seed))).collect();
    let (mut rows, mut usage, mut way) = (rows(subject.slack), WorstUsage::new(), 0.0);
    for (seed, judged) in seeds.zip(&judged) {
        let name = format!("starts/{seed}");
        for (row, value) in rows.iter_mut().zip(judged.values) {
            if let Some(value) = value {
                row.meet(value, &name);
            }
        }
        usage.meet(&judged.usage, &name);
        way += judged.way;
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(
        &subject.arm.name,
        &format!("random starts, 2 s; the tip came {:.1} % of the way", 100.0 * way / small(judged.len().max(1))),
        &rows,
    )
}

/// Prints a case every 20 ms, with its judgement.
pub fn replay(subject: &Subject, case: &Case) {
    let Observed { run, reported, apart, along, speeds } = observe(subject, case);
    println!("start {:?}\ntwist {:?} {:?} period {}", case.start, case.twist.as_slice(), case.input, case.period);
    println!(
        "time: along, off the line [m] and [rad], speed | reported: share, off the line, follows | σ | velocities over bounds | room"
    );
    for sample in (1..along.len()).step_by(count(0.02, case.period)) {
        let (positions, velocities) = (&run.positions[sample], run.velocities(sample));
        let Reported { share, off_line, follows } = &reported[sample];
        let used: Vec<String> =
            (0..subject.joints()).map(|joint| format!("{:.2}", velocities[joint] / subject.bounds(joint)[0])).collect();
        let room = (0..subject.joints()).map(|joint| subject.room(joint, positions[joint]));
        let room: Vec<String> = room.map(|[below, above]| format!("{:.2}", below.min(above))).collect();
        println!(
            "{:.3}: {:.4} {:.1e} {:.1e} {:.3} | {share:.3} {:.1e} {:.1e} {follows} | {:.4} | {} | {}",
            small(sample) * case.period,
            along[sample],
            apart[sample][0],
            apart[sample][1],
            speeds[sample],
            off_line[0],
            off_line[1],
            subject.scaled_jacobian(positions).singular_values().min(),
            used.join(" "),
            room.join(" ")
        );
    }
    let walk = Walk::new(subject, &case.start, &case.twist, SECONDS);
    println!("free for {:.4}, least time {:.3} s", walk.free_way, walk.least_time);
    let judged = judge(subject, case);
    for (row, value) in rows(subject.slack).iter().zip(judged.values) {
        println!("{:48} {:.3e}", row.name, value.unwrap_or(f64::NAN));
    }
    println!("{:?}", judged.usage);
}
