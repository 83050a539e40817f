//! Solutions returned so far: one of each continuum.
//!
//! Two solutions are the same, or in the same continuum if self-motion leads from one to the other. The closed form has
//! a tighter measure (`arm_solutions.rs`), since its solutions are exact.

use super::clearance::ClearanceCheck;
use super::null_space::{NullSpace, NullSpaceTask};
use super::prepared_search::Search;
use crate::Preference;
use urdf_ik_robot::{nearest_turn, without_whole_turns};

/// Largest number of solutions.
const MAX_SOLUTIONS: usize = 64;
/// Largest difference of a variable between equal solutions \[rad, or m over the length scale\].
const SAME_TOLERANCE: f64 = 0.01;

/// Solutions returned so far.
#[derive(Debug, Clone)]
pub struct KnownSolutions {
    /// Positions, one exact solution after the other \[rad or m\].
    positions: Vec<f64>,
    variables: usize,
    /// The solution that was compared last.
    exact: Vec<f64>,
    /// Weights of a move with equal weights \[1/rad² or 1/m²\].
    move_weights: Vec<f64>,
    /// End and current positions of a self-motion \[rad or m\].
    end: Vec<f64>,
    current: Vec<f64>,
}

impl KnownSolutions {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self {
            positions: Vec::with_capacity(MAX_SOLUTIONS * variables),
            variables,
            exact: vec![0.0; variables],
            move_weights: search.units.iter().map(|unit| (unit * unit).recip()).collect(),
            end: vec![0.0; variables],
            current: vec![0.0; variables],
        }
    }

    pub fn clear(&mut self) {
        self.positions.clear();
    }

    /// Adds the solution that [`Self::contain`] compared last.
    pub fn push(&mut self) {
        self.positions.extend_from_slice(&self.exact);
    }

    pub fn count(&self) -> usize {
        self.positions.len() / self.variables
    }

    pub fn is_full(&self) -> bool {
        self.count() == MAX_SOLUTIONS
    }

    /// True if `positions` are a known solution, or if a self-motion of `task` leads to one. Solutions near a
    /// singularity that differ within the tolerance are the same. `positions` has one entry per variable \[rad or m\],
    /// without full revolutions.
    pub fn contain(
        &mut self,
        task: NullSpaceTask,
        positions: &[f64],
        null_space: &mut NullSpace,
        clearance: &mut ClearanceCheck,
    ) -> bool {
        let search = task.input.search;
        let Self { positions: known, variables, exact, move_weights, end, current } = self;
        exact.copy_from_slice(positions);
        null_space.make_exact(&task, exact);
        if known.chunks_exact(*variables).any(|known| is_same(search, known, exact)) {
            return true;
        }
        let preference = Preference { move_weights: Some(move_weights), ..Preference::default() };
        known.chunks_exact(*variables).any(|known| {
            for (i, end) in end.iter_mut().enumerate() {
                *end = if search.turns[i] { nearest_turn(known[i], exact[i]) } else { known[i] };
            }
            current.copy_from_slice(exact);
            let to_end = NullSpaceTask { preference: &preference, origin: end, ..task };
            null_space.optimise(to_end, current, clearance);
            is_same(search, end, current)
        })
    }
}

/// True if two configurations are the same solution.
fn is_same(search: &Search, a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).enumerate().all(|(i, (a, b))| {
        let step = if search.turns[i] { without_whole_turns(a - b) } else { a - b };
        (step / search.units[i]).abs() <= SAME_TOLERANCE
    })
}
