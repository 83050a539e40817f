//! A minute of pure translation: where does the orientation go?

use nalgebra::{Isometry3, Vector6};
use urdf_ik::motion::servo::Axes;
use urdf_ik::spatial::rotation_vector;

use crate::common::Random;
use crate::held::look;
use crate::lines::PERIOD;
use crate::table::{Worst, WorstUsage, print};
use crate::watch::{Run, Subject, Wish, count, small};

const SECONDS: f64 = 60.0;
const SPEED: f64 = 0.1;
/// Half the way to and fro \[m\].
const HALF: f64 = 0.06;

/// A start and an axis along which the arm is free.
fn free_line(subject: &Subject, random: &mut Random) -> Option<(Vec<f64>, usize)> {
    (0..2000).find_map(|_| {
        let (start, axis) = (random.positions(&subject.arm.chain), random.below(3));
        let mut twist = Vector6::zeros();
        twist[axis] = SPEED;
        let is_free = [-1.0, 1.0].iter().all(|sign| stays_free(subject, &start, &(twist * *sign)));
        is_free.then_some((start, axis))
    })
}

/// Whether nothing holds the arm back on a line somewhat longer than half the way, which is walked in small steps.
fn stays_free(subject: &Subject, start: &[f64], twist: &Vector6<f64>) -> bool {
    let (mut here, step, still) = (start.to_vec(), 0.02, vec![0.0; start.len()]);
    for _ in 0..count(1.6 * HALF / SPEED, step) {
        if look(subject, &here, &still, twist).held.is_some() {
            return false;
        }
        let jacobian = subject.jacobian(&here);
        let Ok(inverse) = jacobian.pseudo_inverse(1e-6) else { return false };
        let velocities = inverse * twist;
        here.iter_mut().zip(velocities.iter()).for_each(|(position, velocity)| *position += step * velocity);
    }
    true
}

fn angle(from: &Isometry3<f64>, to: &Isometry3<f64>) -> f64 {
    rotation_vector(&(to.rotation * from.rotation.inverse())).norm()
}

/// To and fro for a minute; the greatest turn, and that at the end.
pub fn to_and_fro(subject: &Subject, seed: u64) -> Option<(Run, f64, f64)> {
    let mut random = Random::new(seed);
    let (start, axis) = free_line(subject, &mut random)?;
    let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
    let anchor = subject.pose(&start);
    let mut sign = 1.0;
    for _ in 0..count(SECONDS, PERIOD) {
        let moved = subject.pose(servo.positions()).translation.vector - anchor.translation.vector;
        if sign * moved[axis] > HALF {
            sign = -sign;
        }
        let mut twist = Vector6::zeros();
        twist[axis] = sign * SPEED;
        run.step(&mut servo, &Wish::twist(&twist, Axes::Base));
    }
    run.steps(&mut servo, &Wish::Rest, 1.0);
    let (greatest, last) = turns(subject, &run);
    Some((run, greatest, last))
}

fn turns(subject: &Subject, run: &Run) -> (f64, f64) {
    let anchor = subject.pose(&run.positions[0]);
    let turn = |positions: &Vec<f64>| angle(&anchor, &subject.pose(positions));
    (run.positions.iter().map(turn).fold(0.0, f64::max), turn(&run.positions[run.positions.len() - 1]))
}

/// Against whatever holds the arm back and back again, in random directions; ends with the way to the start and a rest.
pub fn pushes(subject: &Subject, seed: u64) -> Option<(Run, f64, f64)> {
    let mut random = Random::new(seed);
    let (start, _) = free_line(subject, &mut random)?;
    let (mut servo, mut run) = (subject.servo(&start), Run::new(PERIOD, &start));
    let anchor = subject.pose(&start);
    while small(run.positions.len()) * PERIOD < SECONDS {
        let direction = random.direction() * SPEED;
        let twist = Vector6::new(direction.x, direction.y, direction.z, 0.0, 0.0, 0.0);
        run.steps(&mut servo, &Wish::twist(&twist, Axes::Base), 10.0);
        go_back(subject, &mut servo, &mut run, &anchor);
    }
    run.steps(&mut servo, &Wish::Rest, 1.0);
    let (greatest, last) = turns(subject, &run);
    Some((run, greatest, last))
}

/// Translation towards the anchor until the tip is there, or too long.
fn go_back(subject: &Subject, servo: &mut urdf_ik::motion::servo::Servo, run: &mut Run, anchor: &Isometry3<f64>) {
    for _ in 0..count(20.0, PERIOD) {
        let missing = anchor.translation.vector - subject.pose(servo.positions()).translation.vector;
        if missing.norm() < 2e-3 {
            break;
        }
        let velocity = missing * (SPEED / missing.norm()).min(2.0);
        run.step(servo, &Wish::twist(&Vector6::new(velocity.x, velocity.y, velocity.z, 0.0, 0.0, 0.0), Axes::Base));
    }
}

pub fn measure(subject: &Subject, seeds: u64) -> usize {
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("free: greatest turn in 60 s [rad]", 1e-4),
        Worst::new("free: turn at the end [rad]", 1e-4),
        Worst::new("pushing: greatest turn [rad]", f64::INFINITY),
        Worst::new("pushing: turn after the way back [rad]", f64::INFINITY),
    ];
    for seed in 0..seeds {
        for (kind, ran) in [to_and_fro(subject, seed), pushes(subject, seed)].into_iter().enumerate() {
            let Some((run, greatest, last)) = ran else { continue };
            let name = format!("hold60/{seed}/{kind}");
            usage.meet(&run.usage(subject), &name);
            rows[2 * kind].meet(greatest, &name);
            rows[2 * kind + 1].meet(last, &name);
        }
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "a minute of translation", &rows)
}

/// Prints the turn of a run every 0.1 s.
pub fn replay(subject: &Subject, seed: u64, kind: usize) {
    let ran = if kind == 0 { to_and_fro(subject, seed) } else { pushes(subject, seed) };
    let Some((run, greatest, last)) = ran else { return println!("there is no free line") };
    let anchor = subject.pose(&run.positions[0]);
    for (sample, positions) in run.positions.iter().enumerate().step_by(25) {
        let pose = subject.pose(positions);
        let at = pose.translation.vector - anchor.translation.vector;
        println!("{:.2} {:.4?} turned {:.6}", small(sample) * PERIOD, at.as_slice(), angle(&anchor, &pose));
    }
    println!("greatest {greatest:.3e} last {last:.3e} {:?}", run.usage(subject));
}
