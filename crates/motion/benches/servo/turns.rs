//! Rotations of arms with fewer than six joints, which can follow only a part of them: never backwards, never faster
//! than commanded, and almost as far as the least-squares motion.

use nalgebra::{DMatrix, DVector, Vector3, Vector6};
use rayon::prelude::*;
use urdf_ik::motion::servo::ServoOptions;

use crate::box_least_squares::{Bounds, least};
use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::tip_motion::{Scope, follow};
use crate::watch::{Run, Subject, count, small, twist_between};

const SECONDS: f64 = 2.2;
/// Range of the angular speed \[rad/s\].
const SPEEDS: [f64; 2] = [0.05, 1.5];
/// Starts and rotations \[rad/s\] of an SO-101 with which a servo once ran backwards.
const KNOWN: [([f64; 5], [f64; 3]); 2] = [
    ([1.705, 0.4948, 1.3812, -0.008, 1.5613], [-0.1339, 0.1512, -0.01971]),
    ([1.3644, 0.7061, 0.201, 1.3555, 1.6886], [-0.05617, 0.3828, 0.1612]),
];
/// A start from which it was too fast under rotations at a low speed \[rad/s\], and the seeds with such rotations.
const FAST: [f64; 5] = [1.2421, -0.5186, 1.6654, 1.0275, -0.4714];
const SLOW: f64 = 0.0047;
const SLOW_SEEDS: std::ops::Range<u64> = 2..8;
/// Weight of the translation over the rotation, and damping of the joint velocities, in the least-squares motion.
const FIRST: f64 = 1e3;
const DAMPING: f64 = 0.05;
/// Fraction of the commanded angle below which the least-squares motion is too short to compare.
const SHORT: f64 = 0.05;

/// A start and a rotation.
struct Case {
    start: Vec<f64>,
    turn: Vector3<f64>,
}

impl Case {
    fn new(subject: &Subject, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let [slowest, fastest] = SPEEDS;
        let start = random.positions(&subject.arm.chain);
        let turn = random.direction() * slowest * (fastest / slowest).powf(random.unit());
        match usize::try_from(seed) {
            _ if subject.arm.name != "so101" => Self { start, turn },
            Ok(index) if index < KNOWN.len() => Self { start: KNOWN[index].0.to_vec(), turn: KNOWN[index].1.into() },
            _ if SLOW_SEEDS.contains(&seed) => Self { start: FAST.to_vec(), turn: turn.normalize() * SLOW },
            _ => Self { start, turn },
        }
    }

    fn twist(&self) -> Vector6<f64> {
        Vector6::new(0.0, 0.0, 0.0, self.turn.x, self.turn.y, self.turn.z)
    }

    /// The run of the servo.
    fn run(&self, subject: &Subject, period: f64) -> Run {
        follow(subject, &self.start, &vec![self.twist(); count(SECONDS, period)], period)
    }

    /// The run of the least-squares motion, with the tip fixed. It ends at a deviation beyond that permitted for a
    /// servo.
    fn least_squares(&self, subject: &Subject, period: f64) -> Run {
        let (mut run, anchor) = (Run::new(period, &self.start), subject.pose(&self.start));
        for _ in 0..count(SECONDS, period) {
            let here = &run.positions[run.positions.len() - 1];
            let jacobian = subject.jacobian(here);
            let n = here.len();
            let mut a = DMatrix::zeros(6 + n, n);
            a.rows_mut(0, 3).copy_from(&(jacobian.rows(0, 3) * FIRST));
            a.rows_mut(3, 3).copy_from(&jacobian.rows(3, 3));
            a.view_mut((6, 0), (n, n)).fill_diagonal(DAMPING);
            let away = subject.pose(here).translation.vector - anchor.translation.vector;
            let mut b = DVector::zeros(6 + n);
            b.rows_mut(0, 3).copy_from(&(away * (-0.5 * FIRST / period)));
            b.rows_mut(3, 3).copy_from(&self.turn);
            let velocities = least(&a, &b, &velocities_inside(subject, here, period));
            let turn = Vector3::from((jacobian * &velocities).fixed_rows::<3>(3));
            if turn.norm() == 0.0 || turn.angle(&self.turn) > ServoOptions::DEFAULT.max_deviation_angle {
                break;
            }
            run.positions.push(here.iter().zip(velocities.iter()).map(|(here, v)| here + v * period).collect());
        }
        run
    }
}

/// The joint velocities within the limits that lead beyond no position limit in a period.
fn velocities_inside(subject: &Subject, positions: &[f64], period: f64) -> Bounds {
    let bound = |joint: usize, side: usize| {
        subject.bounds(joint)[0].min(subject.room(joint, positions[joint])[side].max(0.0) / period)
    };
    let joints = 0..subject.joints();
    Bounds {
        lower: joints.clone().map(|joint| -bound(joint, 0)).collect(),
        upper: joints.map(|joint| bound(joint, 1)).collect(),
    }
}

/// The angular velocity of the tip in each period.
fn turns(subject: &Subject, run: &Run) -> Vec<Vector3<f64>> {
    let poses: Vec<_> = run.positions.iter().map(|positions| subject.pose(positions)).collect();
    poses.windows(2).map(|pair| twist_between(&pair[0], &pair[1], run.period).fixed_rows::<3>(3).into()).collect()
}

/// The angle about the commanded axis, as a fraction of the commanded one.
fn share(turns: &[Vector3<f64>], case: &Case, period: f64) -> f64 {
    turns.iter().map(|turn| turn.dot(&case.turn)).sum::<f64>() * period / (case.turn.norm_squared() * SECONDS)
}

struct Judged {
    run: Run,
    /// The largest speed backwards, and the excess of the speed, as fractions of the commanded one.
    backwards: f64,
    faster: f64,
    /// The angles of the servo and of the least-squares motion, as fractions of the commanded one.
    shares: [f64; 2],
    /// Displacement of the tip \[m\].
    shift: f64,
}

fn judge(subject: &Subject, seed: u64, period: f64) -> Judged {
    let case = Case::new(subject, seed);
    let (run, reference) = (case.run(subject, period), case.least_squares(subject, period));
    let moved = turns(subject, &run);
    let most = |value: &dyn Fn(&Vector3<f64>) -> f64| moved.iter().map(value).fold(0.0, f64::max);
    let place = |positions: &Vec<f64>| subject.pose(positions).translation.vector;
    let anchor = place(&case.start);
    Judged {
        backwards: most(&|turn| -turn.dot(&case.turn) / case.turn.norm_squared()),
        faster: most(&|turn| turn.norm() / case.turn.norm() - 1.0),
        shares: [&moved, &turns(subject, &reference)].map(|turns| share(turns, &case, period)),
        shift: run.positions.iter().map(|positions| (place(positions) - anchor).norm()).fold(0.0, f64::max),
        run,
    }
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let judged: Vec<Judged> =
        scope.seeds.clone().into_par_iter().map(|seed| judge(subject, seed, scope.period)).collect();
    let mut usage = WorstUsage::new();
    let mut rows = [
        Worst::new("backwards, a share of the command", 1e-3),
        Worst::new("faster than the command, a share", 0.02),
        Worst::new("missing of the least-squares turn, a share", 0.4),
        Worst::new("displacement of the tip [m]", f64::INFINITY),
    ];
    for (seed, judged) in scope.seeds.clone().zip(&judged) {
        let name = format!("turns/{seed}");
        usage.meet(&judged.run.usage(subject), &name);
        rows[0].meet(judged.backwards, &name);
        rows[1].meet(judged.faster, &name);
        if judged.shares[1] > SHORT {
            rows[2].meet(1.0 - judged.shares[0] / judged.shares[1], &name);
        }
        rows[3].meet(judged.shift, &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "rotations that the arm can only make in part", &rows)
}

/// Prints the angular velocity along and across the command every 0.1 s, beside the least-squares motion.
pub fn replay(subject: &Subject, seed: u64, period: f64) {
    let case = Case::new(subject, seed);
    println!("start {:?}\nrotation {:?} rad/s", case.start, case.turn.as_slice());
    let runs = [case.run(subject, period), case.least_squares(subject, period)];
    println!("time: along and across the command, as fractions of it | the same of least squares | positions");
    let [moved, reference] = runs.each_ref().map(|run| turns(subject, run));
    let shares = |turns: &[Vector3<f64>], sample: usize| {
        let turn = turns.get(sample).copied().unwrap_or_default();
        let along = turn.dot(&case.turn) / case.turn.norm_squared();
        format!("{along:.3} {:.3}", (turn / case.turn.norm() - along * case.turn.normalize()).norm())
    };
    for sample in (0..moved.len()).step_by(count(0.1, period)) {
        let positions = &runs[0].positions[sample];
        println!(
            "{:.1}: {} | {} | {positions:.3?}",
            small(sample) * period,
            shares(&moved, sample),
            shares(&reference, sample)
        );
    }
    let judged = judge(subject, seed, period);
    println!("backwards {:.4} faster {:.4} of the turn {:.4?}", judged.backwards, judged.faster, judged.shares);
}
