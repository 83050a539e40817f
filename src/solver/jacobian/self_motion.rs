//! The motion of a redundant chain that leaves its tip where it is.

use nalgebra::SMatrix;

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
        let mut rows = SMatrix::<f64, 6, 7>::from_fn(|row, column| columns[column][row].0[0]);
        let mut joints = [0, 1, 2, 3, 4, 5, 6];
        for pivot in 0..6 {
            let (row, column) = rows.view_range(pivot.., pivot..).iamax_full();
            rows.swap_rows(pivot, pivot + row);
            rows.swap_columns(pivot, pivot + column);
            joints.swap(pivot, pivot + column);
            if rows[(pivot, pivot)].abs() < SINGULAR {
                return None;
            }
            for row in pivot + 1..6 {
                let factor = rows[(row, pivot)] / rows[(pivot, pivot)];
                for column in pivot + 1..7 {
                    rows[(row, column)] -= factor * rows[(pivot, column)];
                }
            }
        }
        let mut rates = [1.0_f64; 7];
        for row in (0..6).rev() {
            let known: f64 = (row + 1..7).map(|column| rows[(row, column)] * rates[column]).sum();
            rates[row] = -known / rows[(row, row)];
        }
        let fastest = rates.iter().fold(0.0, |fastest: f64, rate| fastest.max(rate.abs()));
        let mut motion = [0.0; 7];
        joints.iter().zip(rates).for_each(|(joint, rate)| motion[*joint] = rate / fastest);
        Some(motion)
    }
}
