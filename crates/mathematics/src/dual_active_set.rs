//! Minimises a convex quadratic function under linear inequalities, by a dual active set.
//!
//! Goldfarb and Idnani 1983, "A numerically stable dual method for solving strictly convex quadratic programs". It
//! starts at the unconstrained minimum and adds the most violated inequalities one after the other, by steps that
//! keep the active ones satisfied. An inequality whose multiplier reaches zero is released. It ends at the minimum,
//! or with the proof that the inequalities are inconsistent.

use crate::band_matrix::BandMatrix;
use crate::vectors::{add_times, dot};

/// Violation of an inequality that counts as rounding, in the unit of the unknowns \[rad or m\].
const FEASIBLE: f64 = 1e-12;
/// Fraction of a squared normal, outside the span of the active normals, that counts as rounding.
const DEPENDENT: f64 = 1e-18;
/// Decrease of a multiplier, per unit of the multiplier that is added, that counts as rounding.
const MIN_REDUCTION: f64 = 1e-12;

/// Inequalities `rows · x ≥ least` and `lower ≤ x ≤ upper` for n unknowns. An infinite bound leaves that side
/// unbounded.
#[derive(Debug, Clone, Copy)]
pub struct Inequalities<'a> {
    /// Row-major matrix with rows of unit norm, n entries each.
    pub rows: &'a [f64],
    /// Lower bound of each row's product with x, one entry per row.
    pub least: &'a [f64],
    /// Lower bound of each unknown, n entries.
    pub lower: &'a [f64],
    /// Upper bound of each unknown, n entries.
    pub upper: &'a [f64],
}

/// One of the inequalities, by its index.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Inequality {
    Row(usize),
    Lower(usize),
    Upper(usize),
}

/// Minimises the strictly convex function ½ xᵀ A x − bᵀ x under [`Inequalities`], with preallocated memory.
#[derive(Debug, Clone, Default)]
pub struct DualActiveSet {
    /// The positive definite matrix A, of full width. Minimisation replaces it by its Cholesky factor L.
    pub matrix: BandMatrix,
    /// The vector b, one entry per unknown.
    pub vector: Vec<f64>,
    /// The minimiser, one entry per unknown; valid after [`Self::minimise`] returned true.
    pub minimum: Vec<f64>,
    /// Columns of L⁻ᵀ times an orthogonal matrix: the first ones span the active normals, steps along the others keep
    /// the active inequalities.
    basis: Vec<f64>,
    /// Upper triangle R of the active normals in that basis, column by column.
    triangle: Vec<f64>,
    active: Vec<Inequality>,
    /// Lagrange multiplier of each active inequality.
    multipliers: Vec<f64>,
    /// Normal of the added inequality in the basis, and decrease of the active multipliers per unit of its
    /// multiplier.
    normal: Vec<f64>,
    reduction: Vec<f64>,
}

impl DualActiveSet {
    /// Allocates memory for exactly `size` unknowns.
    pub fn make_room(&mut self, size: usize) {
        if self.minimum.len() == size {
            return;
        }
        self.matrix = BandMatrix::zeros(size, size);
        for square in [&mut self.basis, &mut self.triangle] {
            square.resize(size * size, 0.0);
        }
        for vector in [&mut self.vector, &mut self.minimum, &mut self.normal, &mut self.reduction] {
            vector.resize(size, 0.0);
        }
        self.active = Vec::with_capacity(size);
        self.multipliers = Vec::with_capacity(size);
    }

    /// Starts a new function, with b = 0 and a diagonal matrix A with these entries, one per unknown.
    pub fn begin_function(&mut self, diagonal: impl Iterator<Item = f64>) {
        self.vector.fill(0.0);
        self.matrix.clear();
        (0..self.vector.len()).zip(diagonal).for_each(|(i, value)| self.matrix.add(i, i, value));
    }

    /// Adds ½ `weight` (`row` · x − `goal`)² to the function, except for a constant. `row` has one entry per unknown.
    pub fn add_square(&mut self, row: &[f64], goal: f64, weight: f64) {
        for (i, entry) in row.iter().enumerate() {
            self.vector[i] += weight * entry * goal;
            add_times(self.matrix.row_mut(i, 0, i + 1), weight * entry, &row[..=i]);
        }
    }

    /// Writes the minimiser under `inequalities` into [`Self::minimum`], by the method of Goldfarb and Idnani. Returns
    /// false if they are inconsistent, if A is not positive definite, or if the active set does not settle.
    pub fn minimise(&mut self, inequalities: &Inequalities) -> bool {
        if !self.begin() {
            return false;
        }
        // Each inequality is added and released a few times at most. Rounding could cause cycling.
        let most = 4 * (inequalities.least.len() + 2 * self.minimum.len());
        for _ in 0..most {
            let Some((next, violation)) = self.most_violated(inequalities) else { return true };
            if !self.take_in(inequalities, next, violation) {
                return false;
            }
        }
        false
    }

    /// Index in [`Inequalities::rows`] and Lagrange multiplier of each active row. Active bounds are omitted.
    pub fn pressing(&self) -> impl Iterator<Item = (usize, f64)> {
        self.active.iter().zip(&self.multipliers).filter_map(|(inequality, multiplier)| match inequality {
            Inequality::Row(row) => Some((*row, *multiplier)),
            Inequality::Lower(_) | Inequality::Upper(_) => None,
        })
    }

    /// True if a bound of the variable with this index is active.
    pub fn is_bounded(&self, index: usize) -> bool {
        self.active.contains(&Inequality::Lower(index)) || self.active.contains(&Inequality::Upper(index))
    }

    /// Goes to the unconstrained minimum. Returns false if A is not positive definite.
    fn begin(&mut self) -> bool {
        self.active.clear();
        self.multipliers.clear();
        if !self.matrix.factorise(0.0) {
            return false;
        }
        self.basis.fill(0.0);
        self.minimum.fill(0.0);
        for (j, column) in self.basis.chunks_exact_mut(self.vector.len()).enumerate() {
            column[j] = 1.0;
            self.matrix.solve_transposed(&mut column[..=j]);
            add_times(&mut self.minimum, dot(column, &self.vector), column);
        }
        true
    }

    /// The inactive inequality with the largest violation, and the violation.
    fn most_violated(&self, inequalities: &Inequalities) -> Option<(Inequality, f64)> {
        let Inequalities { rows, least, lower, upper } = *inequalities;
        let x = &self.minimum;
        let of_rows = rows.chunks_exact(x.len()).zip(least).enumerate();
        let of_rows = of_rows.map(|(at, (row, least))| (Inequality::Row(at), least - dot(row, x)));
        let of_lower = lower.iter().zip(x).enumerate().map(|(i, (lower, x))| (Inequality::Lower(i), lower - x));
        let of_upper = upper.iter().zip(x).enumerate().map(|(i, (upper, x))| (Inequality::Upper(i), x - upper));
        let mut worst = None;
        let mut most = FEASIBLE;
        for (inequality, violation) in of_rows.chain(of_lower).chain(of_upper) {
            if violation > most && !self.active.contains(&inequality) {
                (worst, most) = (Some((inequality, violation)), violation);
            }
        }
        worst
    }

    /// Moves to the minimum that also satisfies `next`, which has this violation. Returns whether there is one.
    fn take_in(&mut self, inequalities: &Inequalities, next: Inequality, mut violation: f64) -> bool {
        let mut multiplier = 0.0;
        // Each pass but the last releases one of the active inequalities.
        loop {
            let count = self.active.len();
            self.write_normal(inequalities, next);
            let free = dot(&self.normal[count..], &self.normal[count..]);
            let is_dependent = free <= DEPENDENT * dot(&self.normal, &self.normal);
            self.write_reduction();
            let (released, to_release) = self.first_to_release();
            let to_meet = if is_dependent { f64::INFINITY } else { violation / free };
            let step = to_meet.min(to_release);
            if step == f64::INFINITY {
                return false;
            }
            if !is_dependent {
                let size = self.minimum.len();
                for (column, entry) in self.basis.chunks_exact(size).zip(&self.normal).skip(count) {
                    add_times(&mut self.minimum, step * entry, column);
                }
                violation -= step * free;
            }
            add_times(&mut self.multipliers, -step, &self.reduction);
            multiplier += step;
            if to_meet <= to_release {
                self.activate(next, multiplier);
                return true;
            }
            self.release(released);
        }
    }

    /// Writes the normal of an inequality in the basis.
    fn write_normal(&mut self, inequalities: &Inequalities, inequality: Inequality) {
        let size = self.minimum.len();
        for (entry, column) in self.normal.iter_mut().zip(self.basis.chunks_exact(size)) {
            *entry = match inequality {
                Inequality::Row(row) => dot(&inequalities.rows[row * size..][..size], column),
                Inequality::Lower(i) => column[i],
                Inequality::Upper(i) => -column[i],
            };
        }
    }

    /// Solves R · reduction = normal.
    fn write_reduction(&mut self) {
        let (count, size) = (self.active.len(), self.minimum.len());
        for i in (0..count).rev() {
            let after: f64 = (i + 1..count).map(|j| self.triangle[j * size + i] * self.reduction[j]).sum();
            self.reduction[i] = (self.normal[i] - after) / self.triangle[i * size + i];
        }
    }

    /// The active inequality whose multiplier reaches 0 first, and the step to there; infinite if none does.
    fn first_to_release(&self) -> (usize, f64) {
        let mut first = (0, f64::INFINITY);
        for (at, (multiplier, reduction)) in self.multipliers.iter().zip(&self.reduction).enumerate() {
            if *reduction > MIN_REDUCTION && multiplier / reduction < first.1 {
                first = (at, multiplier / reduction);
            }
        }
        first
    }

    /// Adds the inequality with the current normal to the active set.
    fn activate(&mut self, inequality: Inequality, multiplier: f64) {
        let (count, size) = (self.active.len(), self.minimum.len());
        for j in (count + 1..size).rev() {
            let (turn, length) = Givens::of(self.normal[j - 1], self.normal[j]);
            (self.normal[j - 1], self.normal[j]) = (length, 0.0);
            turn.apply(&mut self.basis, j, size);
        }
        self.triangle[count * size..][..=count].copy_from_slice(&self.normal[..=count]);
        self.active.push(inequality);
        self.multipliers.push(multiplier);
    }

    /// Removes the active inequality at that index.
    fn release(&mut self, at: usize) {
        let size = self.minimum.len();
        self.active.remove(at);
        self.multipliers.remove(at);
        let count = self.active.len();
        self.triangle.copy_within((at + 1) * size..(count + 1) * size, at * size);
        // Each later column has one entry below the diagonal.
        for j in at..count {
            let (turn, length) = Givens::of(self.triangle[j * size + j], self.triangle[j * size + j + 1]);
            (self.triangle[j * size + j], self.triangle[j * size + j + 1]) = (length, 0.0);
            for column in j + 1..count {
                let [first, second] = [column * size + j, column * size + j + 1];
                let turned = turn.of_two(self.triangle[first], self.triangle[second]);
                [self.triangle[first], self.triangle[second]] = turned;
            }
            turn.apply(&mut self.basis, j + 1, size);
        }
    }
}

/// A plane rotation (Givens).
#[derive(Clone, Copy)]
struct Givens {
    cosine: f64,
    sine: f64,
}

impl Givens {
    /// The rotation that makes the second number 0, and the resulting first number.
    fn of(first: f64, second: f64) -> (Self, f64) {
        let length = first.hypot(second);
        if length == 0.0 {
            return (Self { cosine: 1.0, sine: 0.0 }, 0.0);
        }
        (Self { cosine: first / length, sine: second / length }, length)
    }

    fn of_two(self, first: f64, second: f64) -> [f64; 2] {
        [self.cosine * first + self.sine * second, self.cosine * second - self.sine * first]
    }

    /// Rotates columns `second - 1` and `second`.
    fn apply(self, columns: &mut [f64], second: usize, size: usize) {
        let (before, after) = columns.split_at_mut(second * size);
        for (first, second) in before[(second - 1) * size..].iter_mut().zip(&mut after[..size]) {
            [*first, *second] = self.of_two(*first, *second);
        }
    }
}

#[cfg(test)]
mod tests;
