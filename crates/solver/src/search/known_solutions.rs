//! Solutions returned so far, and when two solutions are the same.
//!
//! The closed form has a tighter measure (`arm_solutions.rs`), since its solutions are exact.

use super::prepared_search::Search;
use urdf_ik_robot::without_whole_turns;

/// Largest number of solutions.
const MAX_SOLUTIONS: usize = 64;
/// Largest difference of a variable between equal solutions \[rad, or m over the length scale\].
const SAME_TOLERANCE: f64 = 0.01;

/// Solutions returned so far.
#[derive(Debug, Clone)]
pub struct KnownSolutions {
    /// Positions, one solution after the other \[rad or m\].
    positions: Vec<f64>,
    variables: usize,
}

impl KnownSolutions {
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

    /// True if `positions` \[rad or m\] equal a known solution.
    pub fn contains(&self, search: &Search, positions: &[f64]) -> bool {
        self.positions.chunks_exact(self.variables).any(|known| is_same(search, known, positions))
    }
}

/// True if two configurations are the same solution.
fn is_same(search: &Search, a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).enumerate().all(|(i, (a, b))| {
        let step = if search.turns[i] { without_whole_turns(a - b) } else { a - b };
        (step / search.units[i]).abs() <= SAME_TOLERANCE
    })
}
