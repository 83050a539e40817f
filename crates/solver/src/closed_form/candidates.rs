//! The best few candidates of a sweep or of a closed form, in order.

use urdf_ik_closed_form::REDUNDANT_JOINTS;
use urdf_ik_mathematics::best::make_room;

/// Most candidates of one problem: more than a closed form has solutions.
const MAX_CANDIDATES: usize = 24;

/// A candidate, by its cost: the largest joint move from the seed \[rad\], the manipulability cost, or that of the
/// problem.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Candidate<T = [f64; REDUNDANT_JOINTS]> {
    pub cost: f64,
    /// The candidate itself; by default the displacements of seven joints from the seed \[rad\].
    pub at: T,
}

/// The candidates with the lowest costs, the lowest first.
#[derive(Default)]
pub(super) struct Candidates<T = [f64; REDUNDANT_JOINTS]> {
    entries: [Candidate<T>; MAX_CANDIDATES],
    count: usize,
}

impl<T: Copy + Default> Candidates<T> {
    pub fn as_slice(&self) -> &[Candidate<T>] {
        &self.entries[..self.count]
    }

    /// Inserts a candidate behind those of equal cost, if its cost is among the lowest.
    pub fn insert(&mut self, cost: f64, at: T) {
        if let Some(place) = make_room(&mut self.entries, &mut self.count, |kept| kept.cost.total_cmp(&cost).is_le()) {
            *place = Candidate { cost, at };
        }
    }
}
