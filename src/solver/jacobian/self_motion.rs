//! The motion of a redundant chain that leaves its tip where it is.

use super::{Jacobian, JacobianScratch};
use crate::solver::problem::Target;

/// A pivot of the Jacobian below this \[rad\] leaves more than one such motion.
const SINGULAR: f64 = 1e-6;

impl Jacobian {
    /// How fast each of the seven joints of a chain moves where its tip stays at `target`, the fastest by one radian; `None` in
    /// singular postures, and in those that miss the target by more than `slack` \[rad, and m over the length scale\].
    pub(in crate::solver) fn self_motion(
        &self,
        target: &Target,
        slack: f64,
        positions: &[f64; 7],
        scratch: &mut JacobianScratch,
    ) -> Option<[f64; 7]> {
        self.set_goals(std::slice::from_ref(target), scratch);
        scratch.batch.write_all(positions);
        self.measure(scratch);
        if scratch.batch.squared_error.0[0] > slack * slack {
            return None;
        }
        self.linearise(scratch);
        let columns = scratch.batch.columns.first_chunk::<7>()?;
        // By columns, so that one column is a joint's and can change places.
        let mut columns = columns.map(|column| column.map(|row| row.0[0]));
        let mut joints = [0, 1, 2, 3, 4, 5, 6];
        for pivot in 0..6 {
            let (row, column) = largest(&columns, pivot);
            columns.swap(pivot, column);
            joints.swap(pivot, column);
            for column in &mut columns {
                column.swap(pivot, row);
            }
            let (reduced, rest) = columns.split_at_mut(pivot + 1);
            let reduced = &reduced[pivot];
            if reduced[pivot].abs() < SINGULAR {
                return None;
            }
            for column in rest {
                let factor = column[pivot] / reduced[pivot];
                (pivot + 1..6).for_each(|row| column[row] -= factor * reduced[row]);
            }
        }
        let mut rates = [1.0_f64; 7];
        for row in (0..6).rev() {
            let known: f64 = (row + 1..7).map(|column| columns[column][row] * rates[column]).sum();
            rates[row] = -known / columns[row][row];
        }
        let fastest = rates.iter().fold(0.0, |fastest: f64, rate| fastest.max(rate.abs()));
        let mut motion = [0.0; 7];
        joints.iter().zip(rates).for_each(|(joint, rate)| motion[*joint] = rate / fastest);
        Some(motion)
    }
}

/// Row and column of the entry of greatest magnitude from the pivot on.
fn largest(columns: &[[f64; 6]; 7], pivot: usize) -> (usize, usize) {
    let (mut place, mut greatest) = ((pivot, pivot), 0.0);
    for (index, column) in columns.iter().enumerate().skip(pivot) {
        for (row, entry) in column.iter().enumerate().skip(pivot) {
            if entry.abs() > greatest {
                (place, greatest) = ((row, index), entry.abs());
            }
        }
    }
    place
}
