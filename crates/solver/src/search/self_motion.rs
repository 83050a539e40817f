//! The motion of a redundant chain that leaves its tip where it is, and the Newton step to its target.

use super::prepared_search::Search;
use crate::Target;
use crate::kernel::{Configurations, Goal};

/// A pivot of the Jacobian below this \[rad\] leaves more than one such motion.
const SINGULAR: f64 = 1e-6;

/// The motions of the seven joints of a chain, as far as they are straight.
#[derive(Debug, Clone, Copy)]
pub struct SelfMotion {
    /// How fast each joint moves where the tip stays in place, the fastest by one radian.
    pub motion: [f64; 7],
    /// The Newton step that leads the tip to the target \[rad\]; of those that do, the shortest.
    pub step: [f64; 7],
    /// How far the tip is from the target \[rad, and m over the length scale\].
    pub error: f64,
}

/// Computes self-motions.
#[derive(Debug, Clone)]
pub struct SelfMotions {
    goals: Vec<Goal>,
    configurations: Configurations,
}

impl SelfMotions {
    pub fn new(search: &Search) -> Self {
        let goals = Vec::with_capacity(search.chain.tips().len());
        Self { goals, configurations: Configurations::new(&search.kernel.links) }
    }

    /// Sets the target of [`Self::at`].
    pub fn set_target(&mut self, search: &Search, target: &Target) {
        search.kernel.set_goals(std::slice::from_ref(target), &mut self.goals);
    }

    /// The motions of a chain of seven joints at `positions`; `None` in singular configurations.
    pub fn at(&mut self, search: &Search, positions: &[f64; 7]) -> Option<SelfMotion> {
        let Self { goals, configurations } = self;
        configurations.write_all(positions);
        search.kernel.measure(goals, configurations);
        search.kernel.linearise(goals, configurations);
        let error = configurations.squared_error.0[0].sqrt();
        // By columns, so that one column is a joint's and can change places.
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

/// Reduces the equations to a triangle, with the largest pivot of each row; gives the joints that the columns then belong to.
fn reduce(columns: &mut [[f64; 6]; 7], right: &mut [f64; 6]) -> Option<[usize; 7]> {
    let mut joints = [0, 1, 2, 3, 4, 5, 6];
    for pivot in 0..6 {
        let larger = |a: usize, b: usize| if columns[b][pivot].abs() > columns[a][pivot].abs() { b } else { a };
        let largest = (pivot..7).fold(pivot, larger);
        columns.swap(pivot, largest);
        joints.swap(pivot, largest);
        let reduced = columns[pivot];
        if reduced[pivot].abs() < SINGULAR {
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
