//! A minute of changing commands far from limits and singularities: how far do the uncommanded axes drift? An elbow may
//! drift towards a limit; then the uncommanded axes may deviate, and must have returned a while later.

use nalgebra::{Vector3, Vector6};
use urdf_ik::motion::servo::Axes;

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
/// Time after which a deviation must have vanished \[s\].
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

/// Translations, or rotations if `kind` is 1, in random directions, and back where they lead too far. Returns the drift
/// of the uncommanded axes \[rad\] or \[m\].
fn wander(subject: &Subject, seed: u64, kind: usize) -> Option<(Run, f64)> {
    let mut random = Random::new(seed);
    let start = free_start(subject, &mut random)?;
    let (mut servo, mut run) = (servo(subject, &start), Run::new(PERIOD, &start));
    let (anchor, mut drift, mut free_from) = (subject.pose(&start), 0.0_f64, 0);
    while run.positions.len() < count(SECONDS, PERIOD) {
        let moved = twist_between(&anchor, &subject.pose(servo.positions()), 1.0);
        let away: Vector3<f64> = moved.fixed_rows::<3>(3 * kind).into();
        let direction = if away.norm() > FAR[kind] { -away.normalize() } else { random.direction() };
        let mut twist = Vector6::zeros();
        twist.fixed_rows_mut::<3>(3 * kind).copy_from(&(direction * (SPEEDS[kind] * random.unit())));
        let input = Input::twist(&twist, Axes::Base);
        let steps = random.below(count(LONGEST, PERIOD)) + 1;
        // The arm may continue for a while after the last command.
        let walk = Walk::new(subject, servo.positions(), &twist, 2.0 * LONGEST);
        if walk.free_way < twist.norm() * LONGEST {
            free_from = run.positions.len() + steps + count(COME_BACK, PERIOD);
        }
        for _ in 0..steps {
            run.step(&mut servo, &input);
            let moved = twist_between(&anchor, &subject.pose(servo.positions()), 1.0);
            if run.positions.len() >= free_from {
                drift = drift.max(moved.fixed_rows::<3>(3 * (1 - kind)).norm());
            }
        }
    }
    Some((run, drift))
}

pub fn measure(subject: &Subject, seeds: std::ops::Range<u64>) -> usize {
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("translations: greatest turn in 60 s [rad]", 0.02_f64.to_radians()),
        Worst::new("rotations: greatest shift in 60 s [m]", 1e-4),
    ];
    for seed in seeds {
        for (kind, row) in rows.iter_mut().enumerate() {
            let Some((run, drift)) = wander(subject, seed, kind) else { continue };
            let name = format!("hold60/{seed}/{kind}");
            usage.meet(&run.usage(subject), &name);
            row.meet(drift, &name);
        }
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
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
    println!("drift {drift:.3e} {:?}", run.usage(subject));
}
