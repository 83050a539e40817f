//! Rows of a matrix made orthonormal: least solutions of linear equations, and what the equations leave open.

use urdf_ik_mathematics::vectors::{add_times, dot, length};

use super::constants::DEPENDENT;

/// The rows A = L Q of a matrix, where the rows of Q are orthonormal (Gram and Schmidt, the longest row first). Rows that depend on others
/// are left out.
#[derive(Debug, Clone)]
pub struct Rows {
    length: usize,
    /// The rows of A, and what is left of each.
    left: Vec<f64>,
    /// The rows of Q.
    basis: Vec<f64>,
    /// The rows of L: one for each of A.
    lower: Vec<f64>,
    /// The rows of A in the order in which they were taken.
    order: Vec<usize>,
    shares: Vec<f64>,
}

impl Rows {
    /// For at most so many rows of that length.
    pub fn new(most: usize, length: usize) -> Self {
        Self {
            length,
            left: vec![0.0; most * length],
            basis: Vec::with_capacity(most * length),
            lower: vec![0.0; most * most],
            order: Vec::with_capacity(most),
            shares: vec![0.0; most],
        }
    }

    /// How many rows are independent.
    pub fn rank(&self) -> usize {
        self.order.len()
    }

    /// Takes other rows, one after the other.
    pub fn take(&mut self, rows: &[f64]) {
        self.take_longer(rows, DEPENDENT);
    }

    /// Takes those of other rows of which more is left than this length, without what others have of them.
    pub fn take_longer(&mut self, rows: &[f64], least: f64) {
        let (size, most) = (self.length, self.shares.len());
        let count = rows.len() / size;
        self.left[..rows.len()].copy_from_slice(rows);
        self.basis.clear();
        self.order.clear();
        while self.order.len() < count.min(size) {
            let free = (0..count).filter(|row| !self.order.contains(row));
            let longest = free.map(|row| (row, length(&self.left[row * size..][..size])));
            let Some((row, long)) = longest.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if long < least {
                break;
            }
            let at = self.order.len();
            self.basis.extend_from_slice(&self.left[row * size..][..size]);
            let (before, new) = self.basis.split_at_mut(at * size);
            // Once more, so that rounding does not add up.
            for other in before.chunks_exact(size) {
                let share = dot(new, other);
                add_times(new, -share, other);
            }
            let unit = length(new);
            for entry in new.iter_mut() {
                *entry /= unit;
            }
            self.order.push(row);
            for other in (0..count).filter(|other| *other == row || !self.order.contains(other)) {
                let rest = &mut self.left[other * size..][..size];
                let share = dot(rest, new);
                self.lower[other * most + at] = share;
                add_times(rest, -share, new);
            }
        }
    }

    /// Writes the least x with A x = `goal`, where the rows that were left out are not looked at.
    pub fn solve(&mut self, goal: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        let most = self.shares.len();
        for (at, row) in self.order.iter().enumerate() {
            let known = dot(&self.lower[row * most..][..at], &self.shares[..at]);
            let share = (goal[*row] - known) / self.lower[row * most + at];
            self.shares[at] = share;
            add_times(x, share, &self.basis[at * self.length..][..self.length]);
        }
    }

    /// What x misses of A x = `goal` in the rows that were left out: the sum.
    pub fn missed(&self, rows: &[f64], goal: &[f64], x: &[f64]) -> f64 {
        let left_out =
            rows.chunks_exact(self.length).zip(goal).enumerate().filter(|(row, _)| !self.order.contains(row));
        left_out.map(|(_, (row, goal))| goal - dot(row, x)).sum()
    }

    /// The orthonormal rows.
    pub fn basis(&self) -> impl Iterator<Item = &[f64]> {
        self.basis.chunks_exact(self.length)
    }

    /// Takes out of a vector what the rows have of it.
    pub fn project(&self, vector: &mut [f64]) {
        project(&self.basis, self.length, vector);
    }
}

/// Takes out of a vector what orthonormal rows of its length have of it.
pub fn project(rows: &[f64], length: usize, vector: &mut [f64]) {
    // Once more, so that rounding does not add up.
    for _ in 0..2 {
        for row in rows.chunks_exact(length) {
            let share = dot(vector, row);
            add_times(vector, -share, row);
        }
    }
}
