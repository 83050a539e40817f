//! Feasibility of a direction: is there a nearby configuration whose tip has moved that way, and a joint path to it?

use nalgebra::{DMatrix, DVector, Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};

use crate::box_least_squares::{Bounds, least};
use crate::watch::{Subject, twist_between};

/// Range of a joint \[rad or m\]: each reaches it from rest well within half a second.
const NEARBY: f64 = 0.15;
/// Singular values below count as zero.
const SINGULAR: f64 = 0.02;
/// Fractions of the distance that are checked, the farthest first.
const PARTS: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.03];
/// Distance up to which configurations are connected \[rad or m\].
const CONNECTED: f64 = 0.001;
/// Maximum depth of bisection.
const MAX_HALVINGS: usize = 14;

/// A pose after a fraction of a purely linear or angular twist for a second.
pub fn moved(pose: &Isometry3<f64>, twist: &Vector6<f64>, part: f64) -> Isometry3<f64> {
    let [linear, angular] = [0, 3].map(|row| part * Vector3::from(twist.fixed_rows::<3>(row)));
    let rotation = UnitQuaternion::from_scaled_axis(angular) * pose.rotation;
    Isometry3::from_parts(Translation3::from(pose.translation.vector + linear), rotation)
}

/// The largest joint motion to a configuration whose tip has moved by `way`, along a path within the joint limits;
/// `None` if there is none nearby.
pub fn least_move(subject: &Subject, start: &[f64], way: &Vector6<f64>) -> Option<f64> {
    let pose = subject.pose(start);
    let target = moved(&pose, way, 1.0);
    let guesses = guesses(subject, start);
    guesses.iter().find_map(|guess| {
        let found = solve(subject, start, guess, &target)?;
        let is_near = leads_back(subject, start, &found, &pose, way);
        let far = farthest(start, &found);
        let ends = [Stage { positions: start.to_vec(), part: 0.0 }, Stage { positions: found, part: 1.0 }];
        (is_near && are_connected(subject, start, way, [&ends[0], &ends[1]], MAX_HALVINGS)).then_some(far)
    })
}

fn farthest(start: &[f64], positions: &[f64]) -> f64 {
    start.iter().zip(positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The start, and points next to it in all directions with hardly any motion of the tip.
fn guesses(subject: &Subject, start: &[f64]) -> Vec<Vec<f64>> {
    let jacobian = subject.scaled_jacobian(start);
    let n = start.len();
    let mut square = DMatrix::zeros(n.max(6), n);
    square.rows_mut(0, 6).copy_from(&jacobian);
    let values = square.svd(false, true);
    let mut guesses = vec![start.to_vec()];
    let Some(right) = values.v_t else { return guesses };
    let null: Vec<DVector<f64>> =
        (0..n).filter(|&i| values.singular_values[i] < SINGULAR).map(|i| right.row(i).transpose()).collect();
    let mut directions = null.clone();
    for (index, one) in null.iter().enumerate() {
        for other in &null[index + 1..] {
            directions.extend([one + other, one - other, one + other * 2.5, one * 2.5 + other, one * 2.5 - other]);
        }
    }
    for direction in directions {
        for length in [0.06, -0.06] {
            let step = &direction * (length / direction.amax());
            guesses.push(start.iter().zip(step.iter()).map(|(a, b)| a + b).collect());
        }
    }
    guesses
}

/// A configuration near the start with the tip at the target.
fn solve(subject: &Subject, start: &[f64], guess: &[f64], target: &Isometry3<f64>) -> Option<Vec<f64>> {
    let room = |joint: usize| subject.room(joint, start[joint]).map(|room| room.clamp(0.0, NEARBY));
    let rooms: Vec<[f64; 2]> = (0..start.len()).map(room).collect();
    let mut positions: Vec<f64> =
        (0..start.len()).map(|i| guess[i].clamp(start[i] - rooms[i][0], start[i] + rooms[i][1])).collect();
    let missing = |positions: &[f64]| subject.scaled_twist(&twist_between(&subject.pose(positions), target, 1.0));
    let (mut error, mut damping) = (missing(&positions), 1e-3);
    for _ in 0..30 {
        if error.norm() < 1e-7 {
            return Some(positions);
        }
        let step = damped(subject, &positions, start, &rooms, &error, damping);
        let next: Vec<f64> = positions.iter().zip(step.iter()).map(|(a, b)| a + b).collect();
        let after = missing(&next);
        if after.norm() < error.norm() {
            if after.norm() > 0.999 * error.norm() {
                return None;
            }
            (positions, error, damping) = (next, after, 0.1 * damping);
        } else {
            damping *= 10.0;
        }
    }
    None
}

fn damped(
    subject: &Subject,
    positions: &[f64],
    start: &[f64],
    rooms: &[[f64; 2]],
    error: &Vector6<f64>,
    damping: f64,
) -> DVector<f64> {
    let n = positions.len();
    let mut a = DMatrix::zeros(6 + n, n);
    a.rows_mut(0, 6).copy_from(&subject.scaled_jacobian(positions));
    a.view_mut((6, 0), (n, n)).fill_diagonal(damping);
    let b = DVector::from_fn(6 + n, |row, _| if row < 6 { error[row] } else { 0.0 });
    let bounds = Bounds {
        lower: (0..n).map(|i| (start[i] - rooms[i][0] - positions[i]).min(0.0)).collect(),
        upper: (0..n).map(|i| (start[i] + rooms[i][1] - positions[i]).max(0.0)).collect(),
    };
    least(&a, &b, &bounds)
}

/// A configuration with the tip moved by a fraction of the distance.
struct Stage {
    positions: Vec<f64>,
    part: f64,
}

/// True if a path connects two configurations: recursively, there is a configuration between them, not far from the
/// middle.
fn are_connected(
    subject: &Subject,
    start: &[f64],
    way: &Vector6<f64>,
    [from, to]: [&Stage; 2],
    halvings: usize,
) -> bool {
    let apart = farthest(&from.positions, &to.positions);
    if apart < CONNECTED {
        return true;
    }
    let pose = subject.pose(start);
    let middle: Vec<f64> = from.positions.iter().zip(&to.positions).map(|(a, b)| 0.5 * (a + b)).collect();
    // Near a singularity the fraction grows with the square of the joint motion.
    let stages = [0.5, 0.25, 0.75, 0.0, 1.0].into_iter().filter_map(|share| {
        let part = from.part + share * (to.part - from.part);
        let positions = solve(subject, start, &middle, &moved(&pose, way, part))?;
        Some(Stage { positions, part })
    });
    let far =
        |stage: &Stage| farthest(&from.positions, &stage.positions).max(farthest(&stage.positions, &to.positions));
    let Some(between) = stages.min_by(|a, b| far(a).total_cmp(&far(b))) else { return false };
    halvings > 0
        && far(&between) < 0.85 * apart
        && are_connected(subject, start, way, [from, &between], halvings - 1)
        && are_connected(subject, start, way, [&between, to], halvings - 1)
}

/// True if ever smaller fractions lead back to the start.
fn leads_back(subject: &Subject, start: &[f64], end: &[f64], pose: &Isometry3<f64>, way: &Vector6<f64>) -> bool {
    let mut here = end.to_vec();
    let mut before = 1.0;
    for part in &PARTS[1..] {
        // Joint motions are proportional to the distance, or from a singularity to its root.
        let guess = |power: f64| -> Vec<f64> {
            let share = (part / before).powf(power);
            start.iter().zip(&here).map(|(a, b)| a + share * (b - a)).collect()
        };
        let target = moved(pose, way, *part);
        let found = [0.5, 1.0].into_iter().filter_map(|power| solve(subject, start, &guess(power), &target));
        let Some(found) = found.min_by(|a, b| farthest(start, a).total_cmp(&farthest(start, b))) else { return false };
        (here, before) = (found, *part);
    }
    farthest(start, &here) <= 0.5 * farthest(start, end) + 1e-4
}
