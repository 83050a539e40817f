//! Silence at full speed: how far does the tip coast, compared with joints that each brake alone, and is the reported
//! distance from the line correct?

use nalgebra::Vector6;
use rayon::prelude::*;
use urdf_ik::motion::servo::{Axes, Servo};

use crate::common::Random;
use crate::lone_joint::LoneJoint;
use crate::table::{Figure, Worst, WorstUsage, print, print_figures};
use crate::tip_motion::{Scope, comfortable, default_servo, mean, translation};
use crate::watch::{Input, Run, Subject, count, from_line, small};

/// Linear speed \[m/s\], and the range of the time with a command \[s\].
const SPEED: f64 = 0.5;
const SECONDS: [f64; 2] = [0.3, 1.2];
/// Minimum speed at the silence, as a fraction, and the distance from the line beyond which the arm is off it \[m\].
const FAST: f64 = 0.5;
const LEFT: f64 = 1e-3;
/// Time in which every arm comes to rest \[s\].
const TO_REST: f64 = 3.0;

/// An arm that coasts.
struct Coast {
    run: Run,
    /// Sample of the silence.
    from: usize,
    /// Length of the tip's path \[m\]: of the servo, and of joints that each brake alone.
    ways: [f64; 2],
    /// Deviation of the report from the true distance to the line \[m or rad\].
    report_error: f64,
    /// Off the line while coasting, and reported: \[m\] and \[rad\].
    apart: [f64; 2],
    reported: [f64; 2],
    start: Vec<f64>,
    twist: Vector6<f64>,
}

fn judge(subject: &Subject, seed: u64, period: f64) -> Option<Coast> {
    let mut random = Random::new(seed);
    let start = comfortable(subject, &mut random);
    let twist = translation(&(random.direction() * SPEED));
    let (mut servo, mut run) = (default_servo(subject, &start), Run::new(period, &start));
    run.steps(&mut servo, &Input::twist(&twist, Axes::Base), random.between(SECONDS[0], SECONDS[1]));
    let anchor = subject.pose(&start);
    let (apart, _) = from_line(&anchor, &twist, &subject.pose(servo.positions()));
    let from = run.positions.len() - 1;
    let speed = path(subject, &run.positions[from - 1..]) / period;
    if speed < FAST * SPEED || apart[0] > LEFT || apart[1] > subject.slack[1] {
        return None;
    }
    let alone = brake_alone(subject, &servo, period);
    let mut coast =
        Coast { run, from, ways: [0.0; 2], report_error: 0.0, apart: [0.0; 2], reported: [0.0; 2], start, twist };
    for _ in 0..count(TO_REST, period) {
        let reported = Input::Rest.apply(&mut servo, period).off_line;
        coast.run.positions.push(servo.positions().to_vec());
        if servo.is_at_rest() {
            break;
        }
        let (apart, _) = from_line(&anchor, &twist, &subject.pose(servo.positions()));
        for part in 0..2 {
            coast.report_error = coast.report_error.max((reported[part] - apart[part]).abs());
            coast.apart[part] = coast.apart[part].max(apart[part]);
            coast.reported[part] = coast.reported[part].max(reported[part]);
        }
    }
    coast.ways = [path(subject, &coast.run.positions[from..]), path(subject, &alone)];
    Some(coast)
}

/// The positions of joints that each come to rest as fast as their limits allow.
fn brake_alone(subject: &Subject, servo: &Servo, period: f64) -> Vec<Vec<f64>> {
    let joint = |joint: usize| LoneJoint {
        position: servo.positions()[joint],
        velocity: servo.velocities()[joint],
        acceleration: servo.accelerations()[joint],
    };
    let mut joints: Vec<LoneJoint> = (0..subject.joints()).map(joint).collect();
    let mut positions = vec![servo.positions().to_vec()];
    for _ in 0..count(TO_REST, period) {
        for (index, joint) in joints.iter_mut().enumerate() {
            joint.approach(0.0, subject.bounds(index), period);
        }
        positions.push(joints.iter().map(|joint| joint.position).collect());
    }
    positions
}

/// Length of the tip's path \[m\].
fn path(subject: &Subject, positions: &[Vec<f64>]) -> f64 {
    let places: Vec<_> = positions.iter().map(|positions| subject.pose(positions).translation.vector).collect();
    places.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum()
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let coasts: Vec<Option<Coast>> =
        scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope.period)).collect();
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("excess over joints that brake alone, a share", 0.15),
        Worst::new("reported: distance from the line, off [m or rad]", 1e-3),
        Worst::new("off the line while coasting [m]", f64::INFINITY),
        Worst::new("off the line while coasting [rad]", f64::INFINITY),
    ];
    for (seed, coast) in scope.seeds.clone().zip(&coasts).filter_map(|(seed, coast)| Some((seed, coast.as_ref()?))) {
        let name = format!("coast/{seed}");
        let values = [coast.ways[0] / coast.ways[1] - 1.0, coast.report_error, coast.apart[0], coast.apart[1]];
        rows.iter_mut().zip(values).for_each(|(row, value)| row.meet(value, &name));
        usage.meet(&coast.run.usage(subject), &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    let ways = |index: usize| mean(coasts.iter().flatten().map(|coast| coast.ways[index]));
    let figures = [
        Figure::new("distance until rest, mean [m]", ways(0)),
        Figure::new("the same of joints that brake alone [m]", ways(1)),
    ];
    print(&subject.arm.name, &format!("silence at {SPEED} m/s"), &rows)
        + print_figures(&subject.arm.name, "coasting", &figures)
}

/// Prints the distance from the line while the arm coasts.
pub fn replay(subject: &Subject, seed: u64, period: f64) {
    let Some(Coast { run, from, ways, apart, reported, start, twist, .. }) = judge(subject, seed, period) else {
        return println!("the arm is slow, or is off its line");
    };
    println!("start {start:?}\ntwist {:?} for {:.3} s, then none", twist.as_slice(), small(from) * period);
    println!("at the silence {:?}", run.positions[from]);
    println!("path {:.4} m, joints alone {:.4} m", ways[0], ways[1]);
    println!("off the line {apart:.5?}, reported {reported:.5?} m and rad");
}
