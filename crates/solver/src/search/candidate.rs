//! The configurations that the stages of a search hand on and improve.

use urdf_ik_mathematics::best::make_room;

/// A configuration that stages of a search improve.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Positions of the variables \[rad or m\], less the whole turns of the setup.
    pub positions: Vec<f64>,
    /// What it is judged by, less being better: what the pick makes of it, or its squared error \[rad²\].
    pub score: f64,
    /// Number of the attempt that led to it; `usize::MAX` where none has.
    pub attempt: usize,
}

impl Candidate {
    /// No candidate yet, of so many variables.
    pub fn none(variables: usize) -> Self {
        Self { positions: vec![0.0; variables], score: f64::INFINITY, attempt: usize::MAX }
    }

    /// Starts anew from `positions`.
    pub fn reset(&mut self, positions: &[f64]) {
        self.positions.copy_from_slice(positions);
        (self.score, self.attempt) = (f64::INFINITY, usize::MAX);
    }

    /// Whether an attempt has led to it.
    pub fn is_some(&self) -> bool {
        self.attempt < usize::MAX
    }

    /// By what candidates are compared, less being better: the score, then the attempt.
    pub fn rank(&self) -> (f64, usize) {
        (self.score, self.attempt)
    }

    /// Becomes a copy of the other.
    pub fn copy_from(&mut self, other: &Self) {
        self.positions.copy_from_slice(&other.positions);
        (self.score, self.attempt) = (other.score, other.attempt);
    }
}

/// How many attempts that were given up are kept.
const KEPT: usize = 12;

/// Where attempts ended that were given up, each near another minimum of the error: the best first.
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
        if let Some(candidate) = make_room(&mut self.candidates, &mut self.count, |kept| kept.rank() <= rank) {
            (candidate.score, candidate.attempt) = rank;
            read(&mut candidate.positions);
        }
    }
}
