//! The best few candidates of a sweep, in order.

use super::joint_ranges::Seven;
use urdf_ik_mathematics::best::make_room;

/// Most candidates of one sweep.
const MAX_CANDIDATES: usize = 24;

/// A candidate, by its cost: the largest joint move from the seed \[rad\], or the manipulability cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Candidate<T = Seven> {
    pub cost: f64,
    /// Location of the candidate; by default the joint displacements from the seed \[rad\].
    pub at: T,
}

/// The candidates with the lowest costs, the lowest first.
pub(super) struct Candidates<T = Seven> {
    entries: [Candidate<T>; MAX_CANDIDATES],
    count: usize,
}

impl<T: Copy + Default> Candidates<T> {
    pub fn none() -> Self {
        Self { entries: [Candidate::default(); MAX_CANDIDATES], count: 0 }
    }

    pub fn as_slice(&self) -> &[Candidate<T>] {
        &self.entries[..self.count]
    }

    /// Inserts a candidate if its cost is among the lowest.
    pub fn insert(&mut self, cost: f64, at: T) {
        if let Some(place) = make_room(&mut self.entries, &mut self.count, |kept| kept.cost <= cost) {
            *place = Candidate { cost, at };
        }
    }
}
