//! The solutions that have been handed over, and when two of them are one.
//!
//! The closed form has a finer measure of its own (`arm_solutions.rs`): its solutions are exact.

use super::prepared_search::Search;
use urdf_ik_robot::without_whole_turns;

/// Solutions at most.
const MAX_SOLUTIONS: usize = 64;
/// Two configurations are one where no variable differs by more \[rad, or m over the length scale\].
const SAME_WITHIN: f64 = 0.01;

/// The solutions that have been handed over.
#[derive(Debug, Clone)]
pub struct Known {
    /// Their positions, one solution after the other.
    positions: Vec<f64>,
    variables: usize,
}

impl Known {
    pub fn new(search: &Search) -> Self {
        let variables = search.variables();
        Self { positions: Vec::with_capacity(MAX_SOLUTIONS * variables), variables }
    }

    pub fn clear(&mut self) {
        self.positions.clear();
    }

    pub fn push(&mut self, positions: &[f64]) {
        self.positions.extend_from_slice(positions);
    }

    pub fn count(&self) -> usize {
        self.positions.len() / self.variables
    }

    pub fn is_full(&self) -> bool {
        self.count() == MAX_SOLUTIONS
    }

    /// Whether one of them is the same configuration as `positions`.
    pub fn holds(&self, search: &Search, positions: &[f64]) -> bool {
        self.positions.chunks_exact(self.variables).any(|known| is_same(search, known, positions))
    }
}

/// Whether two configurations are one.
fn is_same(search: &Search, a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).enumerate().all(|(i, (a, b))| {
        let step = if search.turns[i] { without_whole_turns(a - b) } else { a - b };
        (step / search.unit(i)).abs() <= SAME_WITHIN
    })
}
