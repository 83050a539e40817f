//! B-splines: piecewise polynomials with continuous derivatives.

use crate::vectors::add_times;

/// Basis of the splines of degree `ORDER − 1` over intervals of any length (de Boor 1978, "A practical guide to
/// splines"). It is clamped: the first and the last coefficient are the values at the ends. At each x, `ORDER`
/// consecutive coefficients are nonzero, and the value is in their convex hull.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis<const ORDER: usize> {
    /// The ends of the intervals, the first and the last of them `ORDER` times.
    knots: Vec<f64>,
}

impl<const ORDER: usize> Basis<ORDER> {
    /// The basis over the intervals between consecutive `ends`. The ends are in ascending order.
    ///
    /// # Panics
    /// If there are fewer than two `ends`.
    pub fn new(ends: &[f64]) -> Self {
        let (first, last) = (ends[0], ends[ends.len() - 1]);
        let inner = ends[1..ends.len() - 1].iter().copied();
        let repeated = |end| std::iter::repeat_n(end, ORDER);
        Self { knots: repeated(first).chain(inner).chain(repeated(last)).collect() }
    }

    /// The ends of the intervals, in ascending order.
    pub fn ends(&self) -> &[f64] {
        &self.knots[ORDER - 1..=self.knots.len() - ORDER]
    }

    /// Number of coefficients.
    pub fn coefficients(&self) -> usize {
        self.knots.len() - ORDER
    }

    /// The x where a coefficient has its greatest influence: the mean of its inner knots (Greville abscissa).
    pub fn centre(&self, coefficient: usize) -> f64 {
        let knots = &self.knots[coefficient + 1..coefficient + ORDER];
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let count = knots.len() as f64;
        knots.iter().sum::<f64>() / count
    }

    /// Index of the interval that contains `x` or begins there; the first or the last one beyond the ends. It is also
    /// the index of the first nonzero basis function.
    pub fn interval(&self, x: f64) -> usize {
        let ends = self.ends();
        ends.partition_point(|end| *end <= x).clamp(1, ends.len() - 1) - 1
    }

    /// The derivatives at `x` of the basis functions that are nonzero in an interval: entry \[k\]\[i\] is the k-th
    /// derivative of basis function `interval` + i. Row 0 has the values.
    pub fn derivatives(&self, interval: usize, x: f64) -> [[f64; ORDER]; ORDER] {
        let left = interval + ORDER - 1;
        let mut rows = [[0.0; ORDER]; ORDER];
        // Each derivative is a spline of a lower degree: row i of `factors` expresses its coefficient i in the
        // given coefficients.
        let mut factors: [[f64; ORDER]; ORDER] =
            std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        for (derivative, row) in rows.iter_mut().enumerate() {
            let degree = ORDER - 1 - derivative;
            let values = self.values(left, degree, x);
            for (value, factors) in values.iter().zip(&factors).take(degree + 1) {
                add_times(row, *value, factors);
            }
            for i in 0..degree {
                let at = left + i + 1 - degree;
                let step = self.knots[at + degree] - self.knots[at];
                #[expect(clippy::cast_precision_loss, reason = "a small number")]
                let scale = degree as f64 / step;
                factors[i] = std::array::from_fn(|j| scale * (factors[i + 1][j] - factors[i][j]));
            }
        }
        rows
    }

    /// The basis functions of a degree that are nonzero between the knots `left` and `left + 1` (Cox-de Boor
    /// recursion).
    fn values(&self, left: usize, degree: usize, x: f64) -> [f64; ORDER] {
        let mut values = [0.0; ORDER];
        values[0] = 1.0;
        for j in 1..=degree {
            let mut saved = 0.0;
            for (r, value) in values.iter_mut().enumerate().take(j) {
                let (right, before) = (self.knots[left + r + 1], self.knots[left + 1 + r - j]);
                let share = *value / (right - before);
                *value = saved + (right - x) * share;
                saved = (x - before) * share;
            }
            values[j] = saved;
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<const ORDER: usize>(basis: &Basis<ORDER>, coefficients: &[f64], x: f64) -> [f64; ORDER] {
        let first = basis.interval(x);
        let sum = |row: [f64; ORDER]| row.iter().zip(&coefficients[first..]).map(|(a, b)| a * b).sum();
        basis.derivatives(first, x).map(sum)
    }

    #[test]
    fn a_cubic_polynomial_is_reproduced_with_its_derivatives() {
        let ends = [0.0, 0.5, 0.6, 1.5, 2.0];
        let basis = Basis::<4>::new(&ends);
        assert_eq!((basis.coefficients(), basis.ends()), (7, &ends[..]));
        // The coefficients of x³ are the products of three knots in a row (Marsden's identity).
        let knots = [0.0, 0.0, 0.0, 0.0, 0.5, 0.6, 1.5, 2.0, 2.0, 2.0, 2.0];
        let coefficients: Vec<f64> = (1..=7).map(|i| knots[i] * knots[i + 1] * knots[i + 2]).collect();
        for x in [0.0, 0.3, 0.5, 0.55, 1.0, 1.9, 2.0] {
            let found = at(&basis, &coefficients, x);
            for (found, exact) in found.iter().zip([x * x * x, 3.0 * x * x, 6.0 * x, 6.0]) {
                assert!((found - exact).abs() < 1e-12, "{x}: {found} {exact}");
            }
        }
    }

    #[test]
    fn derivatives_are_continuous_but_for_the_highest() {
        let basis = Basis::<3>::new(&[0.0, 1.0, 1.5, 4.0]);
        let coefficients = [1.0, -2.0, 0.5, 3.0, -1.0];
        for end in [1.0, 1.5] {
            let (before, behind) = (at(&basis, &coefficients, end - 1e-9), at(&basis, &coefficients, end));
            assert!((before[0] - behind[0]).abs() < 1e-7 && (before[1] - behind[1]).abs() < 1e-7);
            assert!((before[2] - behind[2]).abs() > 0.1);
        }
    }
}
