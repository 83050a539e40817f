//! The configuration that the stages of a search hand on and improve.

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
