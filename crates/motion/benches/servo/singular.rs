//! Singular configurations of any arm.

use nalgebra::DMatrix;

use crate::common::Random;
use crate::watch::{Subject, small};

/// Singular values below count as zero.
const NONE: f64 = 1e-9;
/// Distance from joint limits at the start of the search, and its minimum \[rad or m\].
const INSIDE: f64 = 0.3;
const MARGIN: f64 = 2e-3;

/// A singular configuration. A few joints, chosen at random, move from a random configuration until the smallest
/// singular value vanishes: so every kind of singularity occurs. Every third one is then displaced by 1e-6, and every
/// third by 1e-3.
pub fn configuration(subject: &Subject, seed: u64) -> Option<Vec<f64>> {
    let mut random = Random::new(seed);
    for _ in 0..1500 {
        let mut positions = inside(subject, &mut random);
        let most = 1 + random.below(subject.joints() + 2);
        let moved: Vec<bool> = (0..subject.joints()).map(|_| random.below(subject.joints()) < most).collect();
        if !descend(subject, &mut positions, &moved) {
            continue;
        }
        let off = [0.0, 1e-6, 1e-3][usize::try_from(seed % 3).unwrap_or(0)];
        for position in &mut positions {
            *position += off * random.between(-1.0, 1.0);
        }
        return Some(positions);
    }
    None
}

/// Random positions, away from limits if possible.
fn inside(subject: &Subject, random: &mut Random) -> Vec<f64> {
    let mut positions = random.positions(&subject.arm.chain);
    for (joint, position) in positions.iter_mut().enumerate() {
        let [below, above] = subject.room(joint, *position);
        if below + above > 2.0 * INSIDE {
            *position += (INSIDE - below).max(0.0) - (INSIDE - above).max(0.0);
        }
    }
    positions
}

fn is_inside(subject: &Subject, positions: &[f64]) -> bool {
    positions.iter().enumerate().all(|(joint, position)| {
        let [below, above] = subject.room(joint, *position);
        below.min(above) > MARGIN
    })
}

/// Newton's method for a zero of the smallest singular value.
fn descend(subject: &Subject, positions: &mut [f64], moved: &[bool]) -> bool {
    for _ in 0..40 {
        let (value, slope) = least(subject, positions);
        if value < NONE {
            return is_inside(subject, positions);
        }
        let squared: f64 = slope.iter().zip(moved).filter(|(_, moved)| **moved).map(|(slope, _)| slope * slope).sum();
        if squared < 1e-12 {
            return false;
        }
        let length = (value / squared.sqrt()).min(0.3) / squared.sqrt();
        for joint in (0..positions.len()).filter(|joint| moved[*joint]) {
            positions[joint] -= length * slope[joint];
            let [below, above] = subject.room(joint, positions[joint]);
            positions[joint] += (2.0 * MARGIN - below).max(0.0) - (2.0 * MARGIN - above).max(0.0);
        }
    }
    false
}

/// The smallest singular value and its gradient.
fn least(subject: &Subject, positions: &[f64]) -> (f64, Vec<f64>) {
    const MOMENT: f64 = 1e-6;
    let values = subject.scaled_jacobian(positions).svd(true, true);
    let rows = values.singular_values.imin();
    let (Some(left), Some(right)) = (&values.u, &values.v_t) else { return (f64::INFINITY, Vec::new()) };
    let (left, right) = (left.column(rows), right.row(rows).transpose());
    let slope = (0..positions.len()).map(|joint| {
        let at = |offset: f64| -> DMatrix<f64> {
            let mut positions = positions.to_vec();
            positions[joint] += offset;
            subject.scaled_jacobian(&positions)
        };
        left.dot(&((at(MOMENT) - at(-MOMENT)) * &right)) / (2.0 * MOMENT)
    });
    (values.singular_values[rows], slope.collect())
}

/// A configuration with one to three joints exactly at limits.
pub fn at_limits(subject: &Subject, seed: u64) -> Option<Vec<f64>> {
    let mut random = Random::new(seed);
    let limited: Vec<usize> = (0..subject.joints()).filter(|joint| subject.room(*joint, 0.0)[0].is_finite()).collect();
    if limited.is_empty() {
        return None;
    }
    let mut positions = inside(subject, &mut random);
    for _ in 0..=random.below(3) {
        let joint = limited[random.below(limited.len())];
        let [below, above] = subject.room(joint, 0.0);
        positions[joint] = if random.unit() < 0.5 { -below } else { above };
    }
    Some(positions)
}

/// The directions of a cube's faces, edges and corners.
pub fn directions() -> Vec<nalgebra::Vector3<f64>> {
    let mut found = Vec::new();
    for index in 0..27 {
        let part = |power: usize| small(index / 3_usize.pow(u32::try_from(power).unwrap_or(0)) % 3) - 1.0;
        let direction = nalgebra::Vector3::new(part(0), part(1), part(2));
        if direction.norm() > 0.0 {
            found.push(direction.normalize());
        }
    }
    found
}
