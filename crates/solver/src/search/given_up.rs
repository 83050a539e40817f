//! The best of the attempts that were given up, each near another minimum of the error.

use super::candidate::Candidate;

/// How many are kept.
const KEPT: usize = 12;

/// Where attempts ended that were given up, the best first.
#[derive(Debug, Clone)]
pub struct GivenUp {
    candidates: Vec<Candidate>,
    /// How many of the candidates there are.
    count: usize,
}

impl GivenUp {
    /// None yet, of so many variables.
    pub fn none(variables: usize) -> Self {
        Self { candidates: vec![Candidate::none(variables); KEPT], count: 0 }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// All that are kept, the best first.
    pub fn candidates(&mut self) -> &mut [Candidate] {
        &mut self.candidates[..self.count]
    }

    /// Keeps a candidate of this rank, whose positions `read` writes, unless as many of a lower rank are kept. Which are kept in the
    /// end does not depend on the order of the offers.
    pub fn offer(&mut self, rank: (f64, usize), read: impl FnOnce(&mut [f64])) {
        let place = self.candidates[..self.count].partition_point(|kept| kept.rank() <= rank);
        if place == KEPT {
            return;
        }
        self.count = KEPT.min(self.count + 1);
        let candidate = &mut self.candidates[self.count - 1];
        (candidate.score, candidate.attempt) = rank;
        read(&mut candidate.positions);
        self.candidates[place..self.count].rotate_right(1);
    }
}
