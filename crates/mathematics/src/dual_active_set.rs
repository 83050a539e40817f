//! The minimum of a convex quadratic function under linear inequalities, by a dual active set.
//!
//! Goldfarb and Idnani 1983, "A numerically stable dual method for solving strictly convex quadratic programs". It
//! begins at the minimum without any inequality, and takes in the violated ones, one after the other, by steps that
//! keep met those it has taken in. An inequality that no longer holds the minimum back is released. It ends at the
//! minimum, or with the proof that no point meets all inequalities.

use crate::vectors::{add_times, dot};

/// A violation up to this is none \[rad or m\].
const FEASIBLE: f64 = 1e-12;
/// Share of the square of a normal that is rounding, where the normals of the active inequalities span it.
const DEPENDENT: f64 = 1e-18;
/// What an active inequality gives way by, per multiplier, is rounding up to this.
const MIN_REDUCTION: f64 = 1e-12;

/// Inequalities: `rows · x >= least` and `lower <= x <= upper`, where bounds may be infinite.
#[derive(Debug, Clone, Copy)]
pub struct Inequalities<'a> {
    /// One row after the other, each of length 1.
    pub rows: &'a [f64],
    /// For each row, the least value of `rows · x`.
    pub least: &'a [f64],
    /// The least value of each unknown.
    pub lower: &'a [f64],
    /// The greatest value of each unknown.
    pub upper: &'a [f64],
}

/// One of the inequalities.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Inequality {
    Row(usize),
    Lower(usize),
    Upper(usize),
}

/// The function ½ xᵀ A x − bᵀ x, the point where it is least, and the memory in which that is found.
#[derive(Debug, Clone, Default)]
pub struct DualActiveSet {
    /// The positive definite matrix A, row by row. Only its lower triangle counts, and becomes its Cholesky factor L.
    pub matrix: Vec<f64>,
    /// The vector b.
    pub vector: Vec<f64>,
    /// Where the function is least.
    pub minimum: Vec<f64>,
    /// The columns of an orthogonal turn of L⁻ᵀ: the first ones belong to the active inequalities, the others keep these as they are.
    basis: Vec<f64>,
    /// The upper triangle R of the active normals in that basis, column by column.
    triangle: Vec<f64>,
    active: Vec<Inequality>,
    /// How hard each of the active inequalities presses.
    multipliers: Vec<f64>,
    /// The normal of the inequality that comes in, in the basis, and by how much the active multipliers fall while its own grows.
    normal: Vec<f64>,
    reduction: Vec<f64>,
}

impl DualActiveSet {
    /// Makes room for exactly `size` unknowns.
    pub fn make_room(&mut self, size: usize) {
        if self.minimum.len() == size {
            return;
        }
        for square in [&mut self.matrix, &mut self.basis, &mut self.triangle] {
            square.resize(size * size, 0.0);
        }
        for vector in [&mut self.vector, &mut self.minimum, &mut self.normal, &mut self.reduction] {
            vector.resize(size, 0.0);
        }
        self.active = Vec::with_capacity(size);
        self.multipliers = Vec::with_capacity(size);
    }

    /// Begins a function anew, whose matrix has this diagonal.
    pub fn begin_function(&mut self, diagonal: impl Iterator<Item = f64>) {
        let size = self.vector.len();
        self.vector.fill(0.0);
        self.matrix.fill(0.0);
        self.matrix.iter_mut().step_by(size + 1).zip(diagonal).for_each(|(entry, value)| *entry = value);
    }

    /// Adds ½ `weight` (`row` · x - `goal`)² to the function, without its constant.
    pub fn add_square(&mut self, row: &[f64], goal: f64, weight: f64) {
        for (i, entry) in row.iter().enumerate() {
            self.vector[i] += weight * entry * goal;
            add_times(&mut self.matrix[i * row.len()..][..=i], weight * entry, &row[..=i]);
        }
    }

    /// Finds the minimum under `inequalities`. Returns `false` where no point meets all of them.
    pub fn minimise(&mut self, inequalities: &Inequalities) -> bool {
        self.begin();
        // Each inequality comes in and is released a few times at most. Rounding may let it go round in circles.
        let most = 4 * (inequalities.least.len() + 2 * self.minimum.len());
        for _ in 0..most {
            let Some((next, violation)) = self.most_violated(inequalities) else { return true };
            if !self.take_in(inequalities, next, violation) {
                return false;
            }
        }
        false
    }

    /// The rows that hold the minimum back, each with its multiplier.
    pub fn pressing(&self) -> impl Iterator<Item = (usize, f64)> {
        self.active.iter().zip(&self.multipliers).filter_map(|(inequality, multiplier)| match inequality {
            Inequality::Row(row) => Some((*row, *multiplier)),
            Inequality::Lower(_) | Inequality::Upper(_) => None,
        })
    }

    /// Goes to the least without any inequality.
    fn begin(&mut self) {
        self.active.clear();
        self.multipliers.clear();
        factorise(&mut self.matrix, self.vector.len());
        invert_transposed(&self.matrix, &mut self.basis, self.vector.len());
        self.minimum.fill(0.0);
        for column in self.basis.chunks_exact(self.vector.len()) {
            add_times(&mut self.minimum, dot(column, &self.vector), column);
        }
    }

    /// The inequality that is not active and is violated most, and by how much.
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

    /// Moves to the least that meets `next` too, which is violated by so much. Gives whether there is one.
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

    /// The active inequality whose multiplier falls to 0 first, and the step to there; infinite where none falls.
    fn first_to_release(&self) -> (usize, f64) {
        let mut first = (0, f64::INFINITY);
        for (at, (multiplier, reduction)) in self.multipliers.iter().zip(&self.reduction).enumerate() {
            if *reduction > MIN_REDUCTION && multiplier / reduction < first.1 {
                first = (at, multiplier / reduction);
            }
        }
        first
    }

    /// Makes the inequality active whose normal was written last.
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

    /// Releases the active inequality at that index.
    fn release(&mut self, at: usize) {
        let size = self.minimum.len();
        self.active.remove(at);
        self.multipliers.remove(at);
        let count = self.active.len();
        self.triangle.copy_within((at + 1) * size..(count + 1) * size, at * size);
        // The later columns have one entry below the diagonal each.
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

/// A rotation in a plane (Givens).
#[derive(Clone, Copy)]
struct Givens {
    cosine: f64,
    sine: f64,
}

impl Givens {
    /// The one that makes the second number 0, and what the first becomes.
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

    /// Turns columns `second - 1` and `second`.
    fn apply(self, columns: &mut [f64], second: usize, size: usize) {
        let (before, after) = columns.split_at_mut(second * size);
        for (first, second) in before[(second - 1) * size..].iter_mut().zip(&mut after[..size]) {
            [*first, *second] = self.of_two(*first, *second);
        }
    }
}

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor.
fn factorise(matrix: &mut [f64], size: usize) {
    for i in 0..size {
        for j in 0..=i {
            let (row, other) = (&matrix[i * size..], &matrix[j * size..]);
            let rest = row[j] - dot(&row[..j], &other[..j]);
            matrix[i * size + j] = if i == j { rest.sqrt() } else { rest / matrix[j * size + j] };
        }
    }
}

/// Writes the columns of L⁻ᵀ.
fn invert_transposed(factor: &[f64], columns: &mut [f64], size: usize) {
    columns.fill(0.0);
    for (j, column) in columns.chunks_exact_mut(size).enumerate() {
        column[j] = 1.0 / factor[j * size + j];
        for i in (0..j).rev() {
            let after: f64 = (i + 1..=j).map(|k| factor[k * size + i] * column[k]).sum();
            column[i] = -after / factor[i * size + i];
        }
    }
}

#[cfg(test)]
mod tests;
