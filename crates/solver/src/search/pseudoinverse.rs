//! Steps by the Moore-Penrose pseudoinverse, one lane after the other.

use super::prepared_search::Search;
use super::setup::Setup;
use crate::kernel::configurations::Configurations;
use crate::kernel::lanes::{LANES, Lanes};
use crate::kernel::svd::Svd;
use crate::problem::Bounds;

/// Where pseudoinverse steps are computed.
#[derive(Debug, Clone)]
pub struct PseudoinverseScratch {
    svd: Svd,
    /// The step of one lane without regard to bounds \[rad or m\].
    free: Vec<f64>,
    /// Which variables stand at their bounds.
    stopped: Vec<bool>,
}

impl PseudoinverseScratch {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        let svd = Svd::new(search.chain.tips().len(), variables);
        Self { svd, free: vec![0.0; variables], stopped: vec![false; variables] }
    }

    /// Copies the free step of one lane to `steps` and stops variables that leave their bounds: what their motion does to the
    /// targets is taken off the rows. Tells whether there were any.
    fn stop_at_bounds(
        &mut self,
        configurations: &mut Configurations,
        steps: &mut [Lanes],
        bounds: Bounds,
        (targets, lane): (usize, usize),
    ) -> bool {
        let variables = self.free.len();
        let mut any = false;
        for (i, steps) in steps.iter_mut().enumerate() {
            if self.stopped[i] {
                continue;
            }
            let position = configurations.positions[i].0[lane];
            let aim = position + self.free[i];
            let bounded = aim.max(bounds.lower[i]).min(bounds.upper[i]);
            let step = if bounded == aim { self.free[i] } else { bounded - position };
            steps.0[lane] = step;
            if bounded == aim {
                continue;
            }
            any = true;
            self.stopped[i] = true;
            for (target, rows) in configurations.rows[..targets].iter_mut().enumerate() {
                let column = &mut configurations.columns[target * variables + i];
                for (row, entry) in rows.iter_mut().zip(column) {
                    row.0[lane] -= entry.0[lane] * step;
                    entry.0[lane] = 0.0;
                }
            }
        }
        any
    }
}

impl Search {
    /// Writes into `steps` those of the lanes that are `moving`, every variable within its bounds: those that would leave theirs
    /// are stopped at them, and the others are solved for again.
    pub(super) fn pseudoinverse_step(
        &self,
        setup: &Setup,
        configurations: &mut Configurations,
        scratch: &mut PseudoinverseScratch,
        steps: &mut [Lanes],
        moving: [bool; LANES],
    ) {
        let targets = setup.goals.len();
        self.kernel.linearise(&setup.goals, configurations);
        for lane in (0..LANES).filter(|lane| moving[*lane]) {
            scratch.stopped.fill(false);
            loop {
                scratch.svd.decompose(configurations, targets, lane);
                scratch.svd.pseudoinverse(&mut scratch.free);
                if !scratch.stop_at_bounds(configurations, steps, setup.bounds(), (targets, lane)) {
                    break;
                }
            }
        }
    }
}
