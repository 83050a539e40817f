//! Starts with all joints at zero, where many arms are exactly singular: does the tip start along each axis as from a
//! nearby configuration, and how far do the joints move while it is stationary?

use nalgebra::Vector6;
use urdf_ik::motion::servo::Axes;

use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::tip_motion::{Scope, default_servo, stationary_motion};
use crate::watch::{Input, Run, Subject, count, from_line, small};

/// Speeds of translations \[m/s\] and rotations \[rad/s\], and the time \[s\].
const SPEEDS: [f64; 2] = [0.12, 0.3];
const SECONDS: f64 = 2.0;
/// Singular value below which a start is exactly singular.
const SINGULAR: f64 = 1e-9;
/// Distance \[rad or m\] and number of the starts nearby.
const NEARBY: f64 = 1e-3;
const NEIGHBOURS: usize = 4;
/// Fraction of the commanded distance below which that from nearby is too short to compare, and what may be missing.
const SHORT: f64 = 0.05;
const MISSING: f64 = 0.3;
/// Maximum joint motion while the tip is stationary \[rad\].
const STATIONARY: f64 = 0.3;

/// The zero position, within the limits.
fn zeros(subject: &Subject) -> Vec<f64> {
    (0..subject.joints()).map(|joint| subject.domain(joint).clamp(0.0)).collect()
}

/// A twist along an axis in one of both directions.
fn twist(direction: usize) -> Vector6<f64> {
    let axis = direction / 2;
    let mut twist = Vector6::zeros();
    twist[axis] = SPEEDS[axis / 3] * if direction.is_multiple_of(2) { 1.0 } else { -1.0 };
    twist
}

/// A run, and the distance of the tip as a fraction of the commanded one.
fn way(subject: &Subject, start: &[f64], twist: &Vector6<f64>, period: f64) -> (Run, f64) {
    let (mut servo, mut run) = (default_servo(subject, start), Run::new(period, start));
    run.steps(&mut servo, &Input::twist(twist, Axes::Base), SECONDS);
    let (_, way) = from_line(&subject.pose(start), twist, &subject.pose(servo.positions()));
    (run, way / (twist.norm() * SECONDS))
}

/// The longest distance from nearby starts.
fn way_nearby(subject: &Subject, twist: &Vector6<f64>, period: f64) -> f64 {
    let mut random = Random::new(0);
    let ways = (0..NEIGHBOURS).map(|_| {
        let displaced = zeros(subject)
            .into_iter()
            .enumerate()
            .map(|(joint, position)| subject.domain(joint).clamp(position + random.between(-NEARBY, NEARBY)));
        way(subject, &displaced.collect::<Vec<_>>(), twist, period).1
    });
    ways.fold(0.0, f64::max)
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let start = zeros(subject);
    if subject.scaled_jacobian(&start).singular_values().min() > SINGULAR {
        println!("\n{}: not singular at zero", subject.arm.name);
        return 0;
    }
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("joint motion while the tip is stationary [rad]", STATIONARY),
        Worst::new("missing of the way from nearby, a share", MISSING),
    ];
    for direction in 0..12 {
        let twist = twist(direction);
        let (run, way) = way(subject, &start, &twist, scope.period);
        let name = format!("zeros/{direction}");
        rows[0].meet(stationary_motion(subject, &run, &twist), &name);
        let nearby = way_nearby(subject, &twist, scope.period);
        if nearby > SHORT {
            rows[1].meet(1.0 - way / nearby, &name);
        }
        usage.meet(&run.usage(subject), &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "exactly singular at zero", &rows)
}

/// Prints the tip and the joints every 0.1 s.
pub fn replay(subject: &Subject, direction: usize, period: f64) {
    let (start, twist) = (zeros(subject), twist(direction));
    let (run, share) = way(subject, &start, &twist, period);
    println!("start {start:?}\ntwist {:?}\ntime: along, off the line [m] and [rad] | positions", twist.as_slice());
    for (sample, positions) in run.positions.iter().enumerate().step_by(count(0.1, period)) {
        let ([apart, turned], along) = from_line(&subject.pose(&start), &twist, &subject.pose(positions));
        println!("{:.1}: {along:.4} {apart:.4} {turned:.4} | {positions:.3?}", small(sample) * period);
    }
    println!(
        "{share:.3} of the way, {:.3} from nearby; stationary for {:.3} rad",
        way_nearby(subject, &twist, period),
        stationary_motion(subject, &run, &twist)
    );
}
