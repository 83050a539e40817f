//! Anderson acceleration of a fixed-point iteration x ← g(x).
//!
//! Of the last m + 1 points x_j with images g(x_j) and residuals f_j = g(x_j) - x_j, it takes the combination with the
//! smallest residual; the next point is the same combination of the images (Anderson 1965; in the form of Walker and Ni
//! 2011, "Anderson acceleration for fixed-point iterations"):
//!
//! ```text
//! γ = argmin |f_k - ΔF γ|²        x_{k+1} = g(x_k) - ΔG γ
//! ```
//!
//! where the columns of ΔF and ΔG are the differences of successive residuals and images. For a linear map that is a
//! Krylov method in disguise (GMRES); near a fixed point every smooth map is almost linear. Peng et al. 2018 ("Anderson
//! acceleration for geometry optimization and physics simulation") accelerate local-global solvers with it, and show
//! that it needs a safeguard: far from the fixed point an accelerated point may be worse than the plain image. The
//! caller provides the safeguard, because only the caller knows which point is worse.
//!
//! The least-squares problem is solved by its normal equations, columns scaled to length 1 and ridge added to the
//! diagonal: the columns become almost parallel as the iteration converges, and shorter by orders of magnitude.

use urdf_ik_mathematics::band_matrix::BandMatrix;
use urdf_ik_mathematics::vectors::add_times;

/// Smaller pivots are rounding errors: the columns are dependent in spite of the ridge.
const MIN_PIVOT: f64 = 1e-15;

/// Anderson acceleration of an iteration on states of `dimension` numbers, with its history. Allocates at creation
/// only.
#[derive(Debug, Clone)]
pub struct Anderson {
    dimension: usize,
    /// Maximum number of stored differences.
    pub depth: usize,
    ridge: f64,
    /// Number of stored columns, at most `depth`, and the slot of the oldest, which is replaced next.
    held: usize,
    slot: usize,
    /// True if `residual` and `image` belong to the previous point.
    started: bool,
    residual: Vec<f64>,
    image: Vec<f64>,
    /// Columns of ΔF and ΔG, concatenated.
    residual_steps: Vec<f64>,
    image_steps: Vec<f64>,
    /// ΔFᵀΔF, `depth` rows of `depth`, by slots.
    gram: Vec<f64>,
    /// The scaled ΔFᵀΔF + ridge, and then its Cholesky factor.
    normal: BandMatrix,
    /// Reciprocal lengths of the columns of ΔF.
    scale: Vec<f64>,
    /// γ.
    weights: Vec<f64>,
}

impl Anderson {
    /// Memory for states of up to `dimension` numbers and `depth` differences; a depth of 0 disables mixing. `ridge` is
    /// added to the diagonal of the scaled normal equations, as a fraction of the trace.
    pub fn new(dimension: usize, depth: usize, ridge: f64) -> Self {
        Self {
            dimension,
            depth,
            ridge,
            held: 0,
            slot: 0,
            started: false,
            residual: vec![0.0; dimension],
            image: vec![0.0; dimension],
            residual_steps: vec![0.0; dimension * depth],
            image_steps: vec![0.0; dimension * depth],
            gram: vec![0.0; depth * depth],
            normal: BandMatrix::zeros(depth, depth),
            scale: vec![0.0; depth],
            weights: vec![0.0; depth],
        }
    }

    /// Clears the history and sets the dimension of the states, at most the one allocated.
    pub fn reset(&mut self, dimension: usize) {
        (self.held, self.slot, self.started) = (0, 0, false);
        self.dimension = dimension;
    }

    /// Adds the point `x` and its image g(x), and writes the accelerated next point to `next`. Entries beyond
    /// `dimension` are ignored. Without history, or with dependent differences, the next point is the image. Returns
    /// true if the next point is accelerated.
    pub fn mix(&mut self, x: &[f64], image: &[f64], next: &mut [f64]) -> bool {
        let next = &mut next[..self.dimension];
        next.copy_from_slice(&image[..self.dimension]);
        self.remember(x, image);
        let mut mixed = self.held > 0 && self.solve();
        if mixed {
            for slot in 0..self.held {
                add_times(next, -self.weights[slot], column(&self.image_steps, slot, self.dimension));
            }
            mixed = next.iter().all(|value| value.is_finite());
            if !mixed {
                next.copy_from_slice(&image[..self.dimension]);
                self.reset(self.dimension);
            }
        }
        mixed
    }

    /// Stores the differences to the previous point, in place of the oldest.
    fn remember(&mut self, x: &[f64], image: &[f64]) {
        let (dimension, slot) = (self.dimension, self.slot);
        let range = slot * dimension..(slot + 1) * dimension;
        let residual_step = &mut self.residual_steps[range.clone()];
        let image_step = &mut self.image_steps[range];
        for i in 0..dimension {
            let residual = image[i] - x[i];
            residual_step[i] = residual - self.residual[i];
            image_step[i] = image[i] - self.image[i];
            (self.residual[i], self.image[i]) = (residual, image[i]);
        }
        if !self.started {
            self.started = true;
            return;
        }
        self.held = (self.held + 1).min(self.depth);
        self.slot = (slot + 1) % self.depth;
        let newest = column(&self.residual_steps, slot, dimension);
        for other in 0..self.held {
            let product = dot(newest, column(&self.residual_steps, other, dimension));
            self.gram[slot * self.depth + other] = product;
            self.gram[other * self.depth + slot] = product;
        }
    }

    /// Computes the weights of the columns. Returns whether there are any.
    fn solve(&mut self) -> bool {
        let (held, depth) = (self.held, self.depth);
        for i in 0..held {
            let square = self.gram[i * depth + i];
            // A column of zeros, from an iteration that does not move, gets no weight.
            self.scale[i] = if square > 0.0 { square.sqrt().recip() } else { 0.0 };
            let product = dot(column(&self.residual_steps, i, self.dimension), &self.residual[..self.dimension]);
            self.weights[i] = self.scale[i] * product;
        }
        self.write_normal();
        if !self.normal.factorise(MIN_PIVOT) {
            return false;
        }
        self.normal.solve_lower(&mut self.weights[..held]);
        self.normal.solve_transposed(&mut self.weights[..held]);
        for (weight, scale) in self.weights[..held].iter_mut().zip(&self.scale) {
            *weight *= scale;
        }
        true
    }

    /// Writes the matrix of the scaled normal equations.
    fn write_normal(&mut self) {
        let (held, depth) = (self.held, self.depth);
        // Every scaled column has length 1, so the trace is their number.
        let diagonal = 1.0 + self.ridge * f64::from(u32::try_from(held).unwrap_or(u32::MAX));
        self.normal.reset(held);
        for i in 0..held {
            for j in 0..i {
                self.normal.add(i, j, self.gram[i * depth + j] * self.scale[i] * self.scale[j]);
            }
            self.normal.add(i, i, diagonal);
        }
    }
}

fn column(columns: &[f64], slot: usize, dimension: usize) -> &[f64] {
    &columns[slot * dimension..(slot + 1) * dimension]
}

/// The dot product with eight partial sums: in a single sum, each addition would wait for the previous one.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// g(x) = Mx + b of a matrix with eigenvalues up to 0.99 along mixed axes.
    fn linear(x: &[f64]) -> Vec<f64> {
        let rates = [0.99, 0.95, 0.5, -0.3];
        let spread = |x: &[f64]| {
            let sum = x.iter().sum::<f64>() / 2.0;
            x.iter().map(|x| sum - x).collect::<Vec<_>>()
        };
        let mixed: Vec<f64> = spread(x).iter().zip(rates).map(|(x, rate)| rate * x).collect();
        spread(&mixed).iter().zip([1.0, -2.0, 3.0, 0.5]).map(|(x, b)| x + b).collect()
    }

    fn residual(x: &[f64]) -> f64 {
        linear(x).iter().zip(x).map(|(image, x)| (image - x).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn a_linear_map_of_dimension_four_takes_as_many_differences() {
        let (mut x, mut next) = (vec![0.0; 4], vec![0.0; 4]);
        let mut anderson = Anderson::new(4, 4, 0.0);
        for step in 0..6 {
            let image = linear(&x);
            let mixed = anderson.mix(&x, &image, &mut next);
            assert_eq!(mixed, step > 0);
            std::mem::swap(&mut x, &mut next);
        }
        assert!(residual(&x) < 1e-9, "{}", residual(&x));
    }

    #[test]
    fn a_reset_leaves_nothing_behind() {
        let run = |anderson: &mut Anderson| {
            anderson.reset(4);
            let (mut x, mut next) = (vec![0.3; 4], vec![0.0; 4]);
            for _ in 0..9 {
                anderson.mix(&x, &linear(&x), &mut next);
                std::mem::swap(&mut x, &mut next);
            }
            x
        };
        let mut anderson = Anderson::new(4, 2, 1e-10);
        assert_eq!(run(&mut anderson), run(&mut anderson));
        assert_eq!(run(&mut anderson), run(&mut Anderson::new(4, 2, 1e-10)));
    }

    #[test]
    fn an_iteration_that_stands_still_gives_its_image() {
        let x = [0.5, -0.5];
        let (image, mut next) = ([0.6, -0.4], [0.0; 2]);
        let mut anderson = Anderson::new(2, 3, 1e-10);
        for _ in 0..5 {
            anderson.mix(&x, &image, &mut next);
            assert_eq!(next, image);
        }
    }

    #[test]
    fn sums_of_products_of_any_length() {
        for length in 0..40 {
            let a: Vec<f64> = (0..length).map(f64::from).collect();
            assert_eq!(dot(&a, &a), a.iter().map(|a| a * a).sum::<f64>());
        }
    }
}
