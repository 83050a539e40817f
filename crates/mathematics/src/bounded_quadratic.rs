//! Minimises a banded quadratic function with box constraints.

use crate::band_matrix::BandMatrix;

/// Largest number of active sets. The minimum of the last one is clamped to the bounds.
const ACTIVE_SETS: usize = 12;
/// Violation of a bound that counts as rounding, in the unit of the unknown.
const BOUND_SLACK: f64 = 1e-12;

/// The function ½ xᵀ A x − bᵀ x with a positive definite band matrix A, and with bounds on each unknown.
///
/// A primal-dual active set (Hintermüller, Ito and Kunisch 2002, "The primal-dual active set strategy as a semismooth
/// Newton method"): unknowns beyond a bound are fixed there, and are released if the function decreases towards the
/// interior.
pub struct BoundedQuadratic {
    /// The positive definite matrix A.
    pub matrix: BandMatrix,
    /// The vector b, one entry per unknown.
    pub vector: Vec<f64>,
    /// Lower and upper bound of each unknown; −∞ or ∞ leaves that side unbounded.
    pub bounds: Vec<[f64; 2]>,
    /// The bound at which each unknown is fixed, if any. The next minimisation starts from this active set.
    pub fixed: Vec<Option<Bound>>,
    factor: BandMatrix,
    minimum: Vec<f64>,
}

/// One of the two bounds of an unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The lower bound.
    Lower,
    /// The upper bound.
    Upper,
}

impl BoundedQuadratic {
    /// The zero function of `size` unknowns, all with bounds of 0. Unknowns that are `width` or more apart are not
    /// coupled.
    pub fn new(size: usize, width: usize) -> Self {
        Self {
            matrix: BandMatrix::zeros(size, width),
            vector: vec![0.0; size],
            bounds: vec![[0.0; 2]; size],
            fixed: vec![None; size],
            factor: BandMatrix::zeros(size, width),
            minimum: vec![0.0; size],
        }
    }

    /// Sets the matrix and the vector to zero.
    pub fn clear(&mut self) {
        self.matrix.clear();
        self.vector.fill(0.0);
    }

    /// The minimiser x within the bounds, one entry per unknown. `None` if the matrix is not positive definite.
    pub fn minimise(&mut self) -> Option<&[f64]> {
        for _ in 0..ACTIVE_SETS {
            self.factor.copy_from(&self.matrix);
            self.minimum.copy_from_slice(&self.vector);
            for (i, (fixed, [lower, upper])) in self.fixed.iter().zip(&self.bounds).enumerate() {
                match fixed {
                    Some(Bound::Lower) => self.factor.fix(i, *lower, &mut self.minimum),
                    Some(Bound::Upper) => self.factor.fix(i, *upper, &mut self.minimum),
                    None if lower == upper => self.factor.fix(i, *lower, &mut self.minimum),
                    None => {}
                }
            }
            if !self.factor.factorise(0.0) {
                return None;
            }
            self.factor.solve(&mut self.minimum);
            if !self.change_active_set() {
                break;
            }
        }
        for (entry, [lower, upper]) in self.minimum.iter_mut().zip(&self.bounds) {
            *entry = entry.max(*lower).min(*upper);
        }
        Some(&self.minimum)
    }

    /// Fixes unknowns that are beyond a bound; if there are none, releases those with a descent direction to the
    /// interior. Returns whether the active set changed.
    fn change_active_set(&mut self) -> bool {
        let mut is_changed = false;
        for ((fixed, at), [lower, upper]) in self.fixed.iter_mut().zip(&self.minimum).zip(&self.bounds) {
            if fixed.is_none() && lower < upper {
                *fixed = if *at < lower - BOUND_SLACK {
                    Some(Bound::Lower)
                } else if *at > upper + BOUND_SLACK {
                    Some(Bound::Upper)
                } else {
                    None
                };
                is_changed |= fixed.is_some();
            }
        }
        if is_changed {
            return true;
        }
        for i in 0..self.fixed.len() {
            // Partial derivative of the function.
            let slope = || self.matrix.row_times(i, &self.minimum) - self.vector[i];
            let is_pushed_inside = match self.fixed[i] {
                Some(Bound::Lower) => slope() < 0.0,
                Some(Bound::Upper) => slope() > 0.0,
                None => false,
            };
            if is_pushed_inside {
                (self.fixed[i], is_changed) = (None, true);
            }
        }
        is_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_inside_the_bounds_meets_the_optimality_conditions() {
        let (size, width) = (60, 4);
        let mut problem = BoundedQuadratic::new(size, width);
        for (times, active) in [(0.1, false), (3.0, true), (30.0, true)] {
            problem.clear();
            for row in 0..size {
                problem.bounds[row] = [-1.0, 0.3];
                #[expect(clippy::cast_precision_loss, reason = "small")]
                let angle = row as f64;
                problem.vector[row] = times * (0.3 * angle).sin();
                for column in (row + 1).saturating_sub(width)..=row {
                    problem.matrix.add(row, column, if row == column { 6.0 } else { -0.9 });
                }
            }
            let minimum = problem.minimise().unwrap().to_vec();
            let mut at_bounds = 0;
            for (row, at) in minimum.iter().enumerate() {
                let slope = problem.matrix.row_times(row, &minimum) - problem.vector[row];
                assert!((-1.0..=0.3).contains(at));
                assert!(if *at == -1.0 { slope >= 0.0 } else { slope < 1e-9 }, "{row}: {at} {slope}");
                assert!(if *at == 0.3 { slope <= 0.0 } else { slope > -1e-9 }, "{row}: {at} {slope}");
                at_bounds += usize::from(*at == -1.0 || *at == 0.3);
            }
            assert_eq!(at_bounds > 0, active);
        }
    }
}
