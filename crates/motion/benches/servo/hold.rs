//! A minute of changing commands, as by a hand, far from limits and singularities, and a slow line at the end: are the
//! uncommanded axes where they were?

use nalgebra::{Vector3, Vector6};
use urdf_ik::motion::servo::{Axes, Servo};

use crate::common::Random;
use crate::starts::servo;
use crate::table::{Worst, WorstUsage, print};
use crate::walk::Walk;
use crate::watch::{Input, Run, Subject, count, small, twist_between};

const SECONDS: f64 = 60.0;
const PERIOD: f64 = 0.004;
/// Maximum speed of a translation \[m/s\] and of a rotation \[rad/s\], and the range of either \[m\] and \[rad\].
const SPEEDS: [f64; 2] = [0.1, 0.3];
const FAR: [f64; 2] = [0.05, 0.15];
/// Maximum duration of a command \[s\].
const LONGEST: f64 = 0.8;
/// Time in which a deviation must vanish on a line \[s\].
const COME_BACK: f64 = 3.0;

/// A start far from limits and singularities.
fn free_start(subject: &Subject, random: &mut Random) -> Option<Vec<f64>> {
    (0..2000).map(|_| random.positions(&subject.arm.chain)).find(|start| {
        (0..12).all(|side| {
            let mut twist = Vector6::zeros();
            let kind = side / 2 / 3;
            twist[side / 2] = SPEEDS[kind] * if side % 2 == 0 { 1.0 } else { -1.0 };
            let walk = Walk::new(subject, start, &twist, 3.0 * FAR[kind] / SPEEDS[kind]);
            walk.free_way > 2.0 * FAR[kind]
        })
    })
}

/// Deviation of the uncommanded axes \[rad\] or \[m\].
#[derive(Debug)]
struct Drift {
    /// The greatest one in the minute.
    most: f64,
    /// After the line at the end; `None` if limits or singularities are near it.
    last: Option<f64>,
}

/// Translations, or rotations if `kind` is 1, in random directions, and back where they lead too far.
fn wander(subject: &Subject, seed: u64, kind: usize) -> Option<(Run, Drift)> {
    let mut random = Random::new(seed);
    let start = free_start(subject, &mut random)?;
    let (mut servo, mut run) = (servo(subject, &start), Run::new(PERIOD, &start));
    let (anchor, mut drift) = (subject.pose(&start), Drift { most: 0.0, last: None });
    let moved = |servo: &Servo| twist_between(&anchor, &subject.pose(servo.positions()), 1.0);
    let off = |servo: &Servo| moved(servo).fixed_rows::<3>(3 * (1 - kind)).norm();
    let twist = |servo: &Servo, random: &mut Random, speed: f64| {
        let away: Vector3<f64> = moved(servo).fixed_rows::<3>(3 * kind).into();
        let direction = if away.norm() > FAR[kind] { -away.normalize() } else { random.direction() };
        let mut twist = Vector6::zeros();
        twist.fixed_rows_mut::<3>(3 * kind).copy_from(&(direction * speed));
        twist
    };
    while run.positions.len() < count(SECONDS, PERIOD) {
        let speed = SPEEDS[kind] * random.unit();
        let input = Input::twist(&twist(&servo, &mut random, speed), Axes::Base);
        for _ in 0..=random.below(count(LONGEST, PERIOD)) {
            run.step(&mut servo, &input);
            drift.most = drift.most.max(off(&servo));
        }
    }
    let slow = twist(&servo, &mut random, 0.1 * SPEEDS[kind]);
    let is_free = Walk::new(subject, servo.positions(), &slow, COME_BACK).free_way >= slow.norm() * COME_BACK;
    run.steps(&mut servo, &Input::twist(&slow, Axes::Base), COME_BACK);
    drift.last = is_free.then(|| off(&servo));
    Some((run, drift))
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let mut usage = WorstUsage::new();
    let mut rows = [
        [
            Worst::new("translations: turn left after 60 s [rad]", 0.02_f64.to_radians()),
            Worst::new("greatest turn [rad]", f64::INFINITY),
        ],
        [Worst::new("rotations: shift left after 60 s [m]", 1e-4), Worst::new("greatest shift [m]", f64::INFINITY)],
    ];
    for seed in seeds {
        for (kind, [left, most]) in rows.iter_mut().enumerate() {
            let Some((run, drift)) = wander(subject, seed, kind) else { continue };
            let name = format!("hold60/{seed}/{kind}");
            usage.meet(&run.usage(subject), &name);
            drift.last.into_iter().for_each(|last| left.meet(last, &name));
            most.meet(drift.most, &name);
        }
    }
    let rows: Vec<Worst> = rows.into_iter().flatten().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "a minute of changing commands", &rows)
}

/// Prints the tip every 0.1 s.
pub fn replay(subject: &Subject, seed: u64, kind: usize) {
    let Some((run, drift)) = wander(subject, seed, kind) else { return println!("there is no free start") };
    let anchor = subject.pose(&run.positions[0]);
    for (sample, positions) in run.positions.iter().enumerate().step_by(count(0.1, PERIOD)) {
        let moved = twist_between(&anchor, &subject.pose(positions), 1.0);
        println!("{:.2} {:.6?} {positions:.4?}", small(sample) * PERIOD, moved.as_slice());
    }
    println!("{drift:?} {:?}", run.usage(subject));
}
