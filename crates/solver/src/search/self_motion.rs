//! Self-motion of seven joints, and the Newton step to a target.

use super::prepared_search::Search;
use crate::Target;
use crate::kernel::{Configurations, Goals};

/// Smallest pivot of the Jacobian \[rad\]; below it the null space has more dimensions.
const MIN_PIVOT: f64 = 1e-6;

/// First-order motions of a seven-joint arm.
#[derive(Debug, Clone, Copy)]
pub struct SelfMotion {
    /// Self-motion: rate of each joint with the tip fixed, scaled to a maximum of 1.
    pub motion: [f64; 7],
    /// Shortest Newton step of the seven joints to the target \[rad\].
    pub step: [f64; 7],
    /// Error of the tip \[rad\], with the position error divided by the length scale.
    pub error: f64,
}

/// Computes self-motions.
#[derive(Debug, Clone)]
pub struct SelfMotions {
    goals: Goals,
    configurations: Configurations,
}

impl SelfMotions {
    pub fn new(search: &Search) -> Self {
        let goals = Goals::for_targets(search.chain.tips().len());
        Self { goals, configurations: Configurations::new(&search.kernel.links) }
    }

    /// Sets the target of [`Self::at`].
    pub fn set_target(&mut self, search: &Search, target: &Target) {
        search.kernel.set_targets(std::slice::from_ref(target), &mut self.goals);
    }

    /// The motions at `positions` \[rad\]; `None` in singular configurations.
    pub fn at(&mut self, search: &Search, positions: &[f64; 7]) -> Option<SelfMotion> {
        let Self { goals, configurations } = self;
        configurations.write_all(positions);
        search.kernel.measure(goals, configurations);
        search.kernel.linearise(goals, configurations);
        let error = configurations.squared_error.0[0].sqrt();
        // Column-major, so that the columns of joints can be swapped.
        let mut columns = configurations.columns.first_chunk::<7>()?.map(|column| column.map(|row| row.0[0]));
        let mut right = configurations.rows[0].map(|row| row.0[0]);
        let joints = reduce(&mut columns, &mut right)?;
        let (mut rates, mut steps) = ([1.0_f64; 7], [0.0_f64; 7]);
        for row in (0..6).rev() {
            let (mut rate, mut step) = (0.0, right[row]);
            for column in row + 1..7 {
                rate -= columns[column][row] * rates[column];
                step -= columns[column][row] * steps[column];
            }
            (rates[row], steps[row]) = (rate, step);
        }
        let fastest = rates.iter().fold(0.0, |fastest: f64, rate| fastest.max(rate.abs()));
        let dot = |a: &[f64; 7]| a.iter().zip(&rates).map(|(a, rate)| a * rate).sum::<f64>();
        let along = dot(&steps) / dot(&rates);
        let (mut motion, mut step) = ([0.0; 7], [0.0; 7]);
        for (index, joint) in joints.into_iter().enumerate() {
            motion[joint] = rates[index] / fastest;
            step[joint] = steps[index] - along * rates[index];
        }
        Some(SelfMotion { motion, step, error })
    }
}

/// Triangularises the equations with the largest pivot of each row, and returns the joint of each column.
fn reduce(columns: &mut [[f64; 6]; 7], right: &mut [f64; 6]) -> Option<[usize; 7]> {
    let mut joints = [0, 1, 2, 3, 4, 5, 6];
    for pivot in 0..6 {
        let larger = |a: usize, b: usize| if columns[b][pivot].abs() > columns[a][pivot].abs() { b } else { a };
        let largest = (pivot..7).fold(pivot, larger);
        columns.swap(pivot, largest);
        joints.swap(pivot, largest);
        let reduced = columns[pivot];
        if reduced[pivot].abs() < MIN_PIVOT {
            return None;
        }
        let per_pivot = 1.0 / reduced[pivot];
        for column in columns.iter_mut().skip(pivot + 1) {
            let factor = column[pivot] * per_pivot;
            (pivot + 1..6).for_each(|row| column[row] -= factor * reduced[row]);
            column[pivot] = factor;
        }
        let factor = right[pivot] * per_pivot;
        (pivot + 1..6).for_each(|row| right[row] -= factor * reduced[row]);
        right[pivot] = factor;
    }
    Some(joints)
}
