//! The motion of a redundant chain that leaves its tip where it is.

use nalgebra::SMatrix;

use super::{Jacobian, JacobianScratch};
use crate::solver::problem::Target;

/// A pivot of the Jacobian below this \[rad\] makes the other joints too fast for the motion to be of use.
const SINGULAR: f64 = 1e-6;

impl Jacobian {
    /// How fast each of the seven joints of a chain moves, for one radian of `joint`, where its tip stays at `target`; `None` in
    /// postures that are singular without that joint.
    pub(in crate::solver) fn self_motion(
        &self,
        target: &Target,
        positions: &[f64; 7],
        joint: usize,
        scratch: &mut JacobianScratch,
    ) -> Option<[f64; 7]> {
        self.set_goals(std::slice::from_ref(target), scratch);
        scratch.batch.write_all(positions);
        self.measure(scratch);
        self.linearise(scratch);
        let columns = scratch.batch.columns.first_chunk::<7>()?;
        // The column of the joint goes last, to the other side of the equation.
        let column = |index: usize| if index == 6 { joint } else { index + usize::from(index >= joint) };
        let mut rows = SMatrix::<f64, 6, 7>::from_fn(|row, index| columns[column(index)][row].0[0]);
        for pivot in 0..6 {
            let largest =
                (pivot..6).fold(pivot, |a, b| if rows[(b, pivot)].abs() > rows[(a, pivot)].abs() { b } else { a });
            if rows[(largest, pivot)].abs() < SINGULAR {
                return None;
            }
            rows.swap_rows(pivot, largest);
            for row in pivot + 1..6 {
                let factor = rows[(row, pivot)] / rows[(pivot, pivot)];
                for index in pivot..7 {
                    rows[(row, index)] -= factor * rows[(pivot, index)];
                }
            }
        }
        let mut motion = [0.0; 7];
        motion[joint] = 1.0;
        for row in (0..6).rev() {
            let known: f64 = (row + 1..6).map(|index| rows[(row, index)] * motion[column(index)]).sum();
            motion[column(row)] = -(rows[(row, 6)] + known) / rows[(row, row)];
        }
        Some(motion)
    }
}
