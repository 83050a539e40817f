//! Configurations that the stages of a search improve.

use urdf_ik_mathematics::best::make_room;

/// A configuration that is refined by the stages of a search.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Positions \[rad or m\] without full revolutions, one entry per variable.
    pub positions: Vec<f64>,
    /// Score: that of the pick, or the squared error \[rad²\]. Lower is better.
    pub score: f64,
    /// Number of the attempt; `usize::MAX` for none.
    pub attempt: usize,
}

impl Candidate {
    /// An empty candidate with memory for `variables` positions.
    pub fn none(variables: usize) -> Self {
        Self { positions: vec![0.0; variables], score: f64::INFINITY, attempt: usize::MAX }
    }

    /// Restarts from `positions` \[rad or m\], one entry per variable.
    pub fn reset(&mut self, positions: &[f64]) {
        self.positions.copy_from_slice(positions);
        (self.score, self.attempt) = (f64::INFINITY, usize::MAX);
    }

    /// True if an attempt has set the candidate.
    pub fn is_some(&self) -> bool {
        self.attempt < usize::MAX
    }

    /// Sort key: the score, then the number of the attempt. Lower is better.
    pub fn rank(&self) -> (f64, usize) {
        (self.score, self.attempt)
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.positions.copy_from_slice(&other.positions);
        (self.score, self.attempt) = (other.score, other.attempt);
    }
}

/// Number of candidates in a list.
const MAX_CANDIDATES: usize = 12;

/// The best candidates, best first: for example the ends of failed attempts, each near another minimum of the error.
#[derive(Debug, Clone, Default)]
pub struct BestCandidates {
    candidates: Vec<Candidate>,
    /// Number of valid candidates.
    count: usize,
}

impl BestCandidates {
    /// An empty list with memory for `variables` positions per candidate.
    pub fn none(variables: usize) -> Self {
        Self { candidates: vec![Candidate::none(variables); MAX_CANDIDATES], count: 0 }
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// All candidates, best first.
    pub fn candidates(&mut self) -> &mut [Candidate] {
        &mut self.candidates[..self.count]
    }

    /// True if there is no candidate.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Inserts a candidate of rank `rank` (score, number of the attempt) if it is among the best. `read` writes its
    /// positions \[rad or m\]. The result does not depend on the order of insertion.
    pub fn insert(&mut self, rank: (f64, usize), read: impl FnOnce(&mut [f64])) {
        if let Some(candidate) = make_room(&mut self.candidates, &mut self.count, |other| other.rank() <= rank) {
            (candidate.score, candidate.attempt) = rank;
            read(&mut candidate.positions);
        }
    }

    /// Inserts the candidates of another list.
    pub fn merge(&mut self, other: &mut Self) {
        for candidate in other.candidates() {
            self.insert(candidate.rank(), |positions| positions.copy_from_slice(&candidate.positions));
        }
    }
}
