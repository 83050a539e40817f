//! Steps by the Moore-Penrose pseudoinverse, one lane after the other.

use super::{Jacobian, JacobianScratch};
use crate::solver::lanes::LANES;

impl Jacobian {
    /// The steps of the lanes that are `wanted`, every variable within its bounds: those that would leave theirs are stopped at
    /// them, what their motion does to the task is taken off the rows, and the others are solved for again.
    pub(super) fn pseudoinverse_step(&self, scratch: &mut JacobianScratch, wanted: [bool; LANES]) {
        self.linearise(scratch);
        for lane in (0..LANES).filter(|lane| wanted[*lane]) {
            scratch.stopped.fill(false);
            loop {
                scratch.take_in(lane);
                scratch.linear.pseudoinverse(&mut scratch.trial);
                if !scratch.stop_at_bounds(lane) {
                    break;
                }
            }
        }
    }
}

impl JacobianScratch {
    /// Gives the Jacobian and the rows of one lane to the linear solver.
    pub(super) fn take_in(&mut self, lane: usize) {
        let Self { batch, linear, goals, trial, .. } = self;
        let variables = trial.len();
        linear.fill(
            6 * goals.len(),
            |row, variable| batch.columns[row / 6 * variables + variable][row % 6].0[lane],
            |row| batch.rows[row / 6][row % 6].0[lane],
        );
    }

    /// Takes over the step in `trial`, stopping variables that leave their bounds; tells whether there were any.
    fn stop_at_bounds(&mut self, lane: usize) -> bool {
        let variables = self.trial.len();
        let mut any = false;
        for i in 0..variables {
            if self.stopped[i] {
                continue;
            }
            let position = self.batch.positions[i].0[lane];
            let aim = position + self.trial[i];
            let bounded = aim.max(self.lower[i]).min(self.upper[i]);
            let step = if bounded == aim { self.trial[i] } else { bounded - position };
            self.step.step[i].0[lane] = step;
            if bounded != aim {
                any = true;
                self.stopped[i] = true;
                for (target, rows) in self.batch.rows[..self.goals.len()].iter_mut().enumerate() {
                    let column = &mut self.batch.columns[target * variables + i];
                    for (row, entry) in rows.iter_mut().zip(column) {
                        row.0[lane] -= entry.0[lane] * step;
                        entry.0[lane] = 0.0;
                    }
                }
            }
        }
        any
    }
}
