//! Box-constrained least squares.

use nalgebra::{DMatrix, DVector};

/// Scale of the unknowns.
const SMALL: f64 = 1e-7;

/// Lower and upper bounds.
#[derive(Debug, Clone)]
pub struct Bounds {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

impl Bounds {
    fn hold(&self, x: &DVector<f64>) -> bool {
        x.iter().zip(self.lower.iter().zip(&self.upper)).all(|(x, (lower, upper))| (*lower..=*upper).contains(x))
    }
}

/// The minimum of |A x - b| within bounds that contain 0 (Stark and Parker 1995, "Bounded-variable least-squares").
pub fn least(a: &DMatrix<f64>, b: &DVector<f64>, bounds: &Bounds) -> DVector<f64> {
    let (rows, n) = a.shape();
    let mut stacked = DMatrix::zeros(rows + n, n);
    stacked.rows_mut(0, rows).copy_from(a);
    stacked.view_mut((rows, 0), (n, n)).fill_diagonal(SMALL);
    let goal = DVector::from_fn(rows + n, |row, _| if row < rows { b[row] } else { 0.0 });
    let mut free: Vec<bool> = vec![true; n];
    let mut x = DVector::zeros(n);
    let negligible = 1e-11 * a.norm_squared();
    for _ in 0..20 * n {
        let optimum = unbounded(&stacked, &goal, &x, &free);
        if bounds.hold(&optimum) {
            x = optimum;
            let slope = stacked.tr_mul(&(&goal - &stacked * &x));
            let leaving = (0..n).filter(|&i| !free[i]).max_by(|&i, &j| {
                let gain = |i: usize| if x[i] <= bounds.lower[i] { slope[i] } else { -slope[i] };
                gain(i).total_cmp(&gain(j))
            });
            let inward = |i: usize| {
                let gain = if x[i] <= bounds.lower[i] { slope[i] } else { -slope[i] };
                gain > negligible && bounds.lower[i] < bounds.upper[i]
            };
            match leaving.filter(|&i| inward(i)) {
                Some(i) => free[i] = true,
                None => return x,
            }
        } else {
            towards(&mut x, &optimum, bounds, &mut free);
        }
    }
    x
}

/// The optimum of the free unknowns, the others fixed.
fn unbounded(a: &DMatrix<f64>, b: &DVector<f64>, x: &DVector<f64>, free: &[bool]) -> DVector<f64> {
    let chosen: Vec<usize> = (0..x.len()).filter(|&i| free[i]).collect();
    let mut rest = x.clone();
    for &i in &chosen {
        rest[i] = 0.0;
    }
    if chosen.is_empty() {
        return rest;
    }
    let (columns, right) = (a.select_columns(&chosen), b - a * &rest);
    if let Ok(found) = columns.svd(true, true).solve(&right, 0.0) {
        chosen.iter().zip(found.iter()).for_each(|(&i, value)| rest[i] = *value);
    }
    rest
}

/// As far towards the wanted values as the bounds allow; unknowns at a bound are no longer free.
fn towards(x: &mut DVector<f64>, optimum: &DVector<f64>, bounds: &Bounds, free: &mut [bool]) {
    let clamped = |i: usize| optimum[i].max(bounds.lower[i]).min(bounds.upper[i]);
    let share = |i: usize| {
        if clamped(i) == optimum[i] { 1.0 } else { ((clamped(i) - x[i]) / (optimum[i] - x[i])).clamp(0.0, 1.0) }
    };
    let shares: Vec<f64> = (0..x.len()).map(|i| if free[i] { share(i) } else { 1.0 }).collect();
    let least = shares.iter().copied().fold(1.0, f64::min);
    for i in (0..x.len()).filter(|&i| free[i]).collect::<Vec<_>>() {
        if clamped(i) != optimum[i] && shares[i] <= least {
            (x[i], free[i]) = (clamped(i), false);
        } else {
            x[i] += least * (optimum[i] - x[i]);
        }
    }
}
