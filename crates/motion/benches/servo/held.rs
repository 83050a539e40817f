//! Translations of arms with fewer than six joints: the rotations that they can hold do not drift.
//!
//! The joint motions that leave the tip in its place rotate it about some axes, as many as the arm has joints beyond
//! three. Rotations about these axes can be held under any translation, the others follow from the translation.

use nalgebra::{DMatrix, Matrix3, Vector3, Vector6};
use rayon::prelude::*;

use crate::common::Random;
use crate::table::{Worst, WorstUsage, print};
use crate::tip_motion::{Scope, follow, translation};
use crate::watch::{Run, Subject, count, from_line, small, twist_between};

/// Linear speed \[m/s\] and duration \[s\].
const SPEED: f64 = 0.05;
const SECONDS: f64 = 0.8;
/// Rotation below which the axes hardly turn, so that every definition of drift agrees \[rad\].
const SMALL: f64 = 0.2;
/// Starts and directions with which a servo once drifted, and their duration \[s\].
const KNOWN: [(&str, &[f64], [f64; 3]); 3] = [
    ("scara", &[0.3, 0.9, 0.05, 0.5], [1.0, 0.0, 0.0]),
    ("open_manipulator", &[0.0, -1.05, 0.35, 0.7], [0.0, 0.0, 1.0]),
    ("so101", &[0.0, -0.6, 0.5, 0.4, 0.3], [0.0, 0.0, 1.0]),
];
const KNOWN_SECONDS: f64 = 1.5;
/// Singular values below count as singular, those of rotations further below as zero.
const SINGULAR: f64 = 0.15;
const ZERO: f64 = 1e-6;
/// Least distance to limits \[rad or m\].
const ROOM: f64 = 0.05;

/// The projection on the rotations that the arm can hold; `None` near singularities and limits.
fn holdable(subject: &Subject, positions: &[f64]) -> Option<Matrix3<f64>> {
    let joints = subject.joints();
    let has_room = |joint: usize| subject.room(joint, positions[joint]).iter().all(|room| *room > ROOM);
    let jacobian = subject.scaled_jacobian(positions);
    let mut square = DMatrix::zeros(joints, joints);
    square.rows_mut(0, 3).copy_from(&jacobian.rows(0, 3));
    let values = square.svd(false, true);
    if values.singular_values[2] < SINGULAR || !(0..joints).all(has_room) {
        return None;
    }
    let in_place = values.v_t?.rows(3, joints - 3).transpose();
    let rotations = (jacobian.rows(3, 3) * in_place).svd(true, false);
    let axes = rotations.u?;
    let mut projection = Matrix3::zeros();
    for (axis, value) in axes.column_iter().zip(rotations.singular_values.iter()) {
        if *value > SINGULAR {
            projection += axis * axis.transpose();
        } else if *value > ZERO {
            return None;
        }
    }
    Some(projection)
}

/// A start and a translation.
struct Case {
    start: Vec<f64>,
    twist: Vector6<f64>,
    seconds: f64,
}

impl Case {
    fn new(subject: &Subject, seed: u64) -> Option<Self> {
        let mut random = Random::new(seed);
        let known = KNOWN.iter().find(|(name, ..)| seed == 0 && *name == subject.arm.name);
        let (start, direction, seconds) = if let Some((_, start, direction)) = known {
            (start.to_vec(), (*direction).into(), KNOWN_SECONDS)
        } else {
            let mut starts = (0..1000).map(|_| random.positions(&subject.arm.chain));
            let start = starts.find(|start| holdable(subject, start).is_some())?;
            (start, random.direction(), SECONDS)
        };
        Some(Self { start, twist: translation(&(direction * SPEED)), seconds })
    }

    fn run(&self, subject: &Subject, period: f64) -> Run {
        follow(subject, &self.start, &vec![self.twist; count(self.seconds, period)], period)
    }
}

/// Rotation about the axes that the arm can hold up to each sample \[rad\], as far as they are clear.
fn drift(subject: &Subject, run: &Run) -> Vec<Vector3<f64>> {
    let mut sums = vec![Vector3::zeros()];
    let anchor = subject.pose(&run.positions[0]);
    for pair in run.positions.windows(2) {
        let middle: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| 0.5 * (a + b)).collect();
        let Some(projection) = holdable(subject, &middle) else { break };
        let [before, after] = [&pair[0], &pair[1]].map(|positions| subject.pose(positions));
        let turned = twist_between(&before, &after, 1.0);
        sums.push(sums[sums.len() - 1] + projection * turned.fixed_rows::<3>(3));
        if anchor.rotation.angle_to(&after.rotation) > SMALL {
            break;
        }
    }
    sums
}

pub fn measure(subject: &Subject, scope: &Scope) -> usize {
    let judge = |seed: u64| {
        let case = Case::new(subject, seed)?;
        let run = case.run(subject, scope.period);
        let drift = drift(subject, &run);
        let last = drift.len() - 1;
        let (_, way) = from_line(&subject.pose(&case.start), &case.twist, &subject.pose(&run.positions[last]));
        let missing = 1.0 - way / (SPEED * case.seconds);
        let farthest = drift.iter().map(Vector3::norm).fold(0.0, f64::max);
        Some((farthest, (last + 1 == run.positions.len()).then_some(missing), run.usage(subject)))
    };
    let judged: Vec<_> = scope.seeds.clone().into_par_iter().map(judge).collect();
    let mut usage = WorstUsage::new();
    let mut rows =
        [Worst::new("drift of what can be held [rad]", 1e-3), Worst::new("missing of the translation, a share", 0.5)];
    for (seed, (drift, missing, used)) in scope.seeds.clone().zip(judged).filter_map(|(seed, it)| Some((seed, it?))) {
        let name = format!("held/{seed}");
        rows[0].meet(drift, &name);
        if let Some(missing) = missing {
            rows[1].meet(missing, &name);
        }
        usage.meet(&used, &name);
    }
    let rows: Vec<Worst> = rows.into_iter().chain(usage.into_rows()).collect();
    print(&subject.arm.name, "translations of an arm that cannot hold all rotations", &rows)
}

/// Prints the drift every 0.05 s.
pub fn replay(subject: &Subject, seed: u64, period: f64) {
    let Some(case) = Case::new(subject, seed) else { return println!("there is no such start") };
    let run = case.run(subject, period);
    let anchor = subject.pose(&case.start);
    println!(
        "start {:?}\ntwist {:?}\ntime: along [m], off the line [m], drift [rad], all rotation [rad] | positions",
        case.start,
        case.twist.as_slice()
    );
    for (sample, drift) in drift(subject, &run).iter().enumerate().step_by(count(0.05, period)) {
        let positions = &run.positions[sample];
        let ([beside, turned], along) = from_line(&anchor, &case.twist, &subject.pose(positions));
        println!(
            "{:.2}: {along:.4} {beside:.1e} {:.2e} {turned:.4} | {positions:.4?}",
            small(sample) * period,
            drift.norm()
        );
    }
}
